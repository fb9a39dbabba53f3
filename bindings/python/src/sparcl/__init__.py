"""SPARse training on openCL: sparse kernels and row-sparse optimizers on any OpenCL device."""

from sparcl import errors, graph, optim
from sparcl._compressed import CSC, CSR, csc, csr
from sparcl._context import Context, Device, default_context, devices
from sparcl._coordinates import COO, coo
from sparcl._core import version
from sparcl._dense import Dense, dense
from sparcl._products import spmm, spmm_t_rows
from sparcl._row_sparse import RowSparse, rows
from sparcl.errors import DataError, DTypeError, ShapeError, SparclError
from sparcl.graph import Graph

__version__ = version()

__all__ = [
    "COO",
    "CSC",
    "CSR",
    "Context",
    "DTypeError",
    "DataError",
    "Dense",
    "Device",
    "Graph",
    "RowSparse",
    "ShapeError",
    "SparclError",
    "__version__",
    "coo",
    "csc",
    "csr",
    "default_context",
    "dense",
    "devices",
    "errors",
    "graph",
    "optim",
    "rows",
    "spmm",
    "spmm_t_rows",
]
