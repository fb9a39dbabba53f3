"""Operations on row-sparse arrays by PyTorch: COO tensors with one sparse dimension."""
import numpy as np
import torch

import cases
from torch_tensors import DEVICE, dense, tensor


def rows_of(ids, rows, n):
    """With a row for each id, as they are."""
    return torch.sparse_coo_tensor(tensor(ids).long()[None], dense(len(ids), n).reshape(-1, n), (rows, n),
                                   check_invariants=False)


def add(count):
    """Arrays that are sorted and without duplicates: pairs are added, or all rows joined and coalesced."""
    def calls(m, n):
        shape, terms = (m.shape[1], n), []
        for ids in cases.parts(m, count):
            # pylint: disable-next=protected-access
            terms.append(rows_of(ids, m.shape[1], n)._coalesced_(True))

        def in_pairs():
            sums = terms
            while len(sums) > 1:
                sums = [torch.add(a, b).coalesce() for a, b in zip(sums[::2], sums[1::2])]

        def at_once():
            ids, rows = torch.cat([t._indices() for t in terms], 1), torch.cat([t._values() for t in terms])
            return torch.sparse_coo_tensor(ids, rows, shape, check_invariants=False).coalesce()

        return [in_pairs, at_once]
    return calls


def halves(m, n):
    """An array with a row for each column of the first half of the entries, and the list of those of the other."""
    ids, listed = (tensor(part).long() for part in cases.parts(m, 2))
    return ids, listed, dense(len(ids), n).reshape(-1, n)


def retain(with_zeros):
    """The rows of a list, by a search; zeros for those that are not stored, or without them."""
    def calls(m, n):
        ids, listed, rows = halves(m, n)
        x = torch.sparse_coo_tensor(ids[None], rows, (m.shape[1], n), is_coalesced=True)

        def found():
            at = torch.searchsorted(ids, listed).clamp_(max=len(ids) - 1)
            return at, ids.index_select(0, at) == listed

        def all_of_them():
            at, is_there = found()
            return rows.index_select(0, at).mul_(is_there[:, None])

        def stored():
            at, is_there = found()
            return listed[is_there], rows.index_select(0, at[is_there])

        return [all_of_them] if with_zeros else [stored, lambda: x.index_select(0, listed)]
    return calls


def cut(m, n):
    """The rows in the middle: by a search, as ids and rows, or with narrow_copy."""
    ids, _, rows = halves(m, n)
    first = m.shape[1] // 4
    count = m.shape[1] - 2 * first
    ends = tensor(np.array([first, first + count]))
    x = torch.sparse_coo_tensor(ids[None], rows, (m.shape[1], n), is_coalesced=True)

    def by_search():
        begin, end = torch.searchsorted(ids, ends).tolist()
        return ids[begin:end] - first, rows[begin:end].clone()

    return [by_search, lambda: x.narrow_copy(0, first, count)]


def mask(m, n):
    ids, _, rows = halves(m, n)
    x, out = dense(m.shape[1], n).reshape(-1, n), torch.empty_like(rows)
    return [lambda: torch.index_select(x, 0, ids, out=out)]


def coalesce_max(m, n):
    """The largest of the rows of each distinct id."""
    ids, rows = tensor(m.indices).long(), dense(m.nnz, n).reshape(-1, n)

    def call():
        found, inverse = torch.unique(ids, return_inverse=True)
        most = torch.full((len(found), n), -torch.inf, device=DEVICE)
        return found, most.scatter_reduce_(0, inverse[:, None].expand(-1, n), rows, "amax")

    return [call]


def multiply(m, n):
    """Of the same two arrays: PyTorch's product, or the rows that both have by a search."""
    shape = (m.shape[1], n)
    # pylint: disable=protected-access
    a, b = (rows_of(ids, m.shape[1], n)._coalesced_(True) for ids in cases.parts(m, 2))
    ids_a, ids_b = a._indices()[0], b._indices()[0]

    def by_search():
        places = torch.searchsorted(ids_b, ids_a).clamp_(max=len(ids_b) - 1)
        both = (ids_b[places] == ids_a).nonzero()[:, 0]
        rows = a._values()[both] * b._values()[places[both]]
        return torch.sparse_coo_tensor(ids_a[both][None], rows, shape, is_coalesced=True)

    return [lambda: a * b, by_search]


def coalesce(m, n):
    """By its own function, or by the sums of the rows of each distinct id."""
    ids, rows = tensor(m.indices).long(), dense(m.nnz, n).reshape(-1, n)
    x = rows_of(m.indices, m.shape[1], n)

    def by_ids():
        found, inverse = torch.unique(ids, return_inverse=True)
        sums = torch.zeros(len(found), n, device=DEVICE).index_add_(0, inverse, rows)
        return torch.sparse_coo_tensor(found[None], sums, x.shape, is_coalesced=True)

    return [x.coalesce, by_ids]


def concat(m, n):
    """What the sum of arrays with duplicates is; or the ids and the rows, also into arrays that are there."""
    half = m.nnz // 2
    a, b = (rows_of(ids, m.shape[1], n) for ids in (m.indices[:half], m.indices[half:]))
    # pylint: disable=protected-access
    parts = (a._indices(), b._indices()), (a._values(), b._values())
    ids, rows = torch.cat(parts[0], 1), torch.cat(parts[1])

    def into():
        torch.cat(parts[0], 1, out=ids)
        torch.cat(parts[1], out=rows)

    return [lambda: a + b, into]


def sums(axis):
    def calls(m, n):
        x = rows_of(m.indices, m.shape[1], n)
        rows = x._values()  # pylint: disable=protected-access
        ones = torch.ones(rows.shape[axis], device=DEVICE)
        return [lambda: torch.sparse.sum(x, dim=axis), lambda: rows.sum(axis),
                lambda: rows @ ones if axis else ones @ rows]
    return calls


# By the name of the operation: the calls that compute it, of a matrix and n.
CALLS = {
    "rows-add": add(2), "rows-add-n": add(4), "rows-coalesce": coalesce, "rows-concat": concat,
    "rows-multiply": multiply,
    "rows-reduce": sums(1), "rows-reduce-columns": sums(0), "rows-retain-all": retain(True),
    "rows-retain-stored": retain(False), "rows-slice": cut, "rows-mask": mask, "rows-coalesce-max": coalesce_max,
}
