"""SPARse training on openCL: sparse kernels and row-sparse optimizers on any OpenCL device."""

from sparcl import errors, graph, ops, optim
from sparcl._bsr import BSR, bsr
from sparcl._compressed import CSC, CSR, csc, csr
from sparcl._context import Context, Device, default_context, devices
from sparcl._coordinates import COO, coo
from sparcl._core import version
from sparcl._dense import Dense, dense
from sparcl._list import List, indices
from sparcl._parts import bfloat16
from sparcl._row_sparse import RowSparse, rows
from sparcl.errors import DataError, DTypeError, ShapeError, SparclError
from sparcl.graph import Graph
from sparcl.ops import spmm, spmm_t_rows

__version__ = version()

__all__ = [
    "BSR",
    "COO",
    "CSC",
    "CSR",
    "Context",
    "DTypeError",
    "DataError",
    "Dense",
    "Device",
    "Graph",
    "List",
    "RowSparse",
    "ShapeError",
    "SparclError",
    "__version__",
    "bfloat16",
    "bsr",
    "coo",
    "csc",
    "csr",
    "default_context",
    "dense",
    "devices",
    "errors",
    "graph",
    "indices",
    "ops",
    "optim",
    "rows",
    "spmm",
    "spmm_t_rows",
]
