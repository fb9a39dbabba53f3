"""PyTorch with the C library; needs the package ``torch``, which ``import sparcl`` does not import.

* :mod:`sparcl.torch.optim`: the optimizers of ``torch.optim``.
* Functions with gradients: :func:`spmm`, :func:`sddmm`, :func:`csr_softmax`, :func:`segment_sum`,
  :func:`embedding_bag`.
* :mod:`sparcl.torch.nn`: ``EmbeddingBag``.
"""

from sparcl._checked import check_all
from sparcl.torch import nn, optim
from sparcl.torch._embedding_bag import embedding_bag
from sparcl.torch.functions import csr_softmax, sddmm, segment_sum, spmm

__all__ = ["csr_softmax", "embedding_bag", "nn", "optim", "sddmm", "segment_sum", "spmm"]

check_all(globals())
