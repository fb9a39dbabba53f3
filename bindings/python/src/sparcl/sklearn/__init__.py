"""Estimators for scikit-learn, trained by the C library on any OpenCL device.

Parameters are those that scikit-learn has for such estimators. All read dense and sparse matrices,
compute in float32, and keep their model as ``model_``, a :class:`sparcl.Model` that ``sparcl``, the
tool, can read too. Equal data, parameters and ``random_state`` give the same bits on every device.

>>> import numpy, sparcl.sklearn
>>> x, y = numpy.array([[0.0, 1.0], [1.0, 0.0]] * 20), ["no", "yes"] * 20
>>> sparcl.sklearn.LogisticRegression().fit(x, y).predict([[2.0, 0.0]]).tolist()
['yes']
"""

from sparcl.sklearn._autoencoder import KSparseAutoencoder
from sparcl.sklearn._factorization import (
    FactorizationMachineClassifier,
    FactorizationMachineRegressor,
)
from sparcl.sklearn._linear import LinearRegression, LogisticRegression, SoftmaxRegression
from sparcl.sklearn._ranking import MatrixFactorization

__all__ = [
    "FactorizationMachineClassifier",
    "FactorizationMachineRegressor",
    "KSparseAutoencoder",
    "LinearRegression",
    "LogisticRegression",
    "MatrixFactorization",
    "SoftmaxRegression",
]
