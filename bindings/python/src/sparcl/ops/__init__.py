"""The operations of the C library, by its names without ``sparcl_``.

Arrays come first, then what is done, then options by name. Results are new arrays, which may be
used at once: the device computes them in the order of the calls. Several results are a named tuple.
Gradients have the name of the operation with ``_gradient``.
"""

from sparcl import _deprecated
from sparcl._checked import check_all
from sparcl.ops import (
    conversions,
    elements,
    elements_sparse,
    layers,
    layers_embedding,
    losses,
    products,
    reductions,
    structure,
    structure_coo,
    structure_rows,
)
from sparcl.ops.conversions import *
from sparcl.ops.elements import *
from sparcl.ops.elements_sparse import *
from sparcl.ops.layers import *
from sparcl.ops.layers_embedding import *
from sparcl.ops.losses import *
from sparcl.ops.products import *
from sparcl.ops.reductions import *
from sparcl.ops.structure import *
from sparcl.ops.structure_coo import *
from sparcl.ops.structure_rows import *

__all__: list[str] = []
__all__ += conversions.__all__
__all__ += elements.__all__
__all__ += elements_sparse.__all__
__all__ += layers.__all__
__all__ += layers_embedding.__all__
__all__ += losses.__all__
__all__ += products.__all__
__all__ += reductions.__all__
__all__ += structure.__all__
__all__ += structure_coo.__all__
__all__ += structure_rows.__all__
__all__.sort()

__getattr__ = _deprecated.lookup(
    __name__,
    {
        "activate": ("unary", elements.unary),
        "activate_gradient": ("unary_gradient", elements.unary_gradient),
        "add": ("binary", lambda x, y: elements.binary(x, "add", y)),
        "add_bias": ("binary", lambda x, bias: elements.binary(x, "add", bias)),
        "csr_eliminate_zeros": ("csr_prune", conversions.csr_prune),
        "csr_select_rows": (
            "csr_take_rows",
            lambda a, rows: structure.csr_take_rows(a, rows).result,
        ),
        "rows_add": (
            "rows_add_n",
            lambda a, b, alpha=1.0, beta=1.0: elements_sparse.rows_add_n([a, b], [alpha, beta]),
        ),
    },
)

check_all(globals())
