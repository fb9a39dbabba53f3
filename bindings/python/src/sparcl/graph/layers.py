"""Embeddings and bags, normalisation, dropout, interactions of features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sparcl import _enums
from sparcl.graph import _adding

if TYPE_CHECKING:
    from sparcl.graph._adding import Size
    from sparcl.graph._node import Node

__all__ = [
    "bag_matrix",
    "batch_norm",
    "dropout",
    "embedding",
    "embedding_bag",
    "field_interactions",
    "interactions",
    "layer_norm",
]


def embedding(
    table: Node,
    indices: Node,
    *,
    padding_index: int | None = None,
    scale_by_frequency: bool = False,
    max_norm: float = 0.0,
    norm_type: float = 2.0,
    bounds: _enums.Bounds = "error",
) -> Node:
    """The rows of a table [n, ...] whose indices are in a list: [count, ...]; 0 for the padding
    index. ``max_norm``: rows that are read are made shorter, in the table, where they are longer;
    ``bounds``: what happens with bad indices."""
    code = _enums.code("bounds", bounds)
    return _adding.add(
        table.graph._core.embedding,
        table,
        indices,
        padding_index,
        scale_by_frequency,
        float(max_norm),
        float(norm_type),
        code,
    )


def embedding_bag(
    a: Node,
    table: Node,
    mode: _enums.Mode = "sum",
    *,
    padding_index: int | None = None,
    scale_by_frequency: bool = False,
    max_norm: float = 0.0,
    norm_type: float = 2.0,
) -> Node:
    """What a mode makes of the rows of a table [k, d] or [k] in each row of a CSR matrix [m, k],
    whose values are the weights: [m, d] or [m]."""
    return _adding.add(
        a.graph._core.embedding_bag,
        _enums.code("bag_mode", mode),
        a,
        table,
        padding_index,
        scale_by_frequency,
        float(max_norm),
        float(norm_type),
    )


def bag_matrix(
    indices: Node,
    bags: Size,
    offsets: Node | None = None,
    weights: Node | None = None,
    *,
    bounds: _enums.Bounds = "error",
    include_last: bool = False,
    padding_index: int | None = None,
) -> Node:
    """Bags of a list of n indices with the limit k, as a CSR matrix [bags, k]. Bag i has the
    indices from offset i on; without offsets each index is a bag. ``include_last``: there are bags
    + 1 offsets."""
    if offsets is None and isinstance(bags, int) and bags != indices.shape[0]:
        raise ValueError(
            f"bags: expected {indices.shape[0]}, one for each index, or offsets, found {bags}"
        )
    return _adding.add(
        indices.graph._core.bag_matrix,
        indices,
        offsets,
        bags,
        weights,
        _enums.code("bounds", bounds),
        include_last,
        padding_index,
    )


def dropout(x: Node, p: float, seed: int = 0) -> Node:
    """Dropout with probability p, while the graph trains. The mask depends on the seed, on the node
    and on the number of steps."""
    return _adding.add(x.graph._core.dropout, x, float(p), seed)


def layer_norm(x: Node, gamma: Node, beta: Node, epsilon: float = 1e-5) -> Node:
    """Each row of x [m, n] normalised, times gamma [n] plus beta [n]."""
    return _adding.add(x.graph._core.layer_norm, x, gamma, beta, float(epsilon))


def batch_norm(
    x: Node,
    gamma: Node,
    beta: Node,
    running: tuple[Node, Node] | None = None,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.1,
) -> Node:
    """Each column of x [m, n] normalised, times gamma [n] plus beta [n]. ``running``: parameters
    with the running mean and variance [n], which steps change, and evaluation uses."""
    core = x.graph._core
    if running is None:
        return _adding.add(core.batch_norm, x, gamma, beta, float(epsilon))
    return _adding.add(
        core.batch_norm_running, x, gamma, beta, float(epsilon), float(momentum), *running
    )


def interactions(a: Node, b: Node) -> Node:
    """For each row of a CSR matrix [m, n] the sum of a_p a_q <b_p, b_q> over all pairs of its
    entries, with the rows of b [n, k] for their columns: a factorization machine's, [m]."""
    return _adding.add(a.graph._core.interactions, a, b)


def field_interactions(a: Node, fields: Node, rows: Node) -> Node:
    """The interactions of a field-aware factorization machine: for each entry of a CSR matrix with
    e entries those with the entries after it in its row. Fields: a list [e] below F; rows
    [e, F k]."""
    return _adding.add(a.graph._core.field_interactions, a, fields, rows)
