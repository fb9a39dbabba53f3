"""Models as graphs: inputs, parameters and operations, with gradients and optimizer steps.

The functions are the operations; ``sparcl help operations`` of the tool prints them with their
formulas.
"""

from sparcl import _deprecated
from sparcl._checked import check_all
from sparcl.graph import conversions, elements, layers, losses, products, reductions, structure
from sparcl.graph._adding import Dim
from sparcl.graph._graph import Graph
from sparcl.graph._node import Node
from sparcl.graph.conversions import *
from sparcl.graph.elements import *
from sparcl.graph.layers import *
from sparcl.graph.losses import *
from sparcl.graph.products import *
from sparcl.graph.reductions import *
from sparcl.graph.structure import *

__all__ = ["Dim", "Graph", "Node"]
__all__ += conversions.__all__
__all__ += elements.__all__
__all__ += layers.__all__
__all__ += losses.__all__
__all__ += products.__all__
__all__ += reductions.__all__
__all__ += structure.__all__
__all__.sort()

__getattr__ = _deprecated.lookup(
    __name__,
    {
        "activate": ("unary", elements.unary),
        "add_bias": ("binary", lambda x, bias: elements.binary("add", x, bias)),
    },
)

check_all(globals())
