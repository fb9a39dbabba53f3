"""PyTorch with the C library: optimizers, and functions with gradients. Needs the package torch."""

from sparcl.torch import optim

__all__ = ["optim"]
