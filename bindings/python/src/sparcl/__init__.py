"""SPARse training on openCL: sparse kernels and row-sparse optimizers on any OpenCL device."""

from sparcl import errors, graph, ops, optim
from sparcl._bsr import BSR, bsr
from sparcl._checked import check_all
from sparcl._class_report import ClassReport
from sparcl._compressed import CSC, CSR, csc, csr
from sparcl._context import Context, Device, default_context, devices
from sparcl._coordinates import COO, coo
from sparcl._core import version
from sparcl._data import Data, read_data
from sparcl._dense import Dense
from sparcl._given import dense
from sparcl._list import List, indices
from sparcl._make_data import data
from sparcl._model import Model
from sparcl._nodes import Nodes, draw_nodes
from sparcl._parts import bfloat16
from sparcl._row_sparse import RowSparse, rows
from sparcl._training import train, train_auto
from sparcl._usual_loss import models
from sparcl.errors import DataError, DTypeError, ShapeError, SparclError
from sparcl.graph import Graph
from sparcl.ops import spmm, spmm_t_rows

__version__ = version()

__all__ = [
    "BSR",
    "COO",
    "CSC",
    "CSR",
    "ClassReport",
    "Context",
    "DTypeError",
    "Data",
    "DataError",
    "Dense",
    "Device",
    "Graph",
    "List",
    "Model",
    "Nodes",
    "RowSparse",
    "ShapeError",
    "SparclError",
    "__version__",
    "bfloat16",
    "bsr",
    "coo",
    "csc",
    "csr",
    "data",
    "default_context",
    "dense",
    "devices",
    "draw_nodes",
    "errors",
    "graph",
    "indices",
    "models",
    "ops",
    "optim",
    "read_data",
    "rows",
    "spmm",
    "spmm_t_rows",
    "train",
    "train_auto",
]

check_all(globals())
