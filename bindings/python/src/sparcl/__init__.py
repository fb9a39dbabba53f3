"""SPARse training on openCL: sparse kernels and row-sparse optimizers on any OpenCL device."""

from sparcl import errors
from sparcl._arrays import CSC, CSR, Dense, RowSparse, csr, dense
from sparcl._context import Context, Device, default_context, devices
from sparcl._core import version
from sparcl._products import spmm, spmm_t_rows
from sparcl.errors import DataError, DTypeError, ShapeError, SparclError

__version__ = version()

__all__ = [
    "CSC",
    "CSR",
    "Context",
    "DTypeError",
    "DataError",
    "Dense",
    "Device",
    "RowSparse",
    "ShapeError",
    "SparclError",
    "__version__",
    "csr",
    "default_context",
    "dense",
    "devices",
    "errors",
    "spmm",
    "spmm_t_rows",
]
