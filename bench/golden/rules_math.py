"""Arithmetic of the rules in float32: a product and a sum, rounded once or twice."""
import numpy as np

F = np.float32


class Choice:
    """Which additions of a product are fused, and by how many ulp inexact functions are off, in the order of a step."""

    def __init__(self, fused, offsets=()):
        self.fused, self.count, self.next = tuple(fused), 0, 0
        self.offsets, self.inexact, self.next_inexact = tuple(offsets), 0, 0
        self.memory = {}  # what a rule carries from step to step beside the arrays

    def begin(self):
        self.next = self.next_inexact = 0

    def near(self, x):
        """A result that the system does not round correctly: off by as many ulp as this choice says."""
        at, self.next_inexact = self.next_inexact, self.next_inexact + 1
        self.inexact = max(self.inexact, self.next_inexact)
        if at < len(self.offsets) and self.offsets[at]:
            x = np.nextafter(F(x), F(np.inf * self.offsets[at]))
        return x

    def mad(self, a, b, c, at=None):
        """a b + c; `at`: the number of this addition in the step."""
        at = self.next if at is None else at
        self.next = at + 1
        self.count = max(self.count, self.next)
        a, b, c = (np.asarray(x, F) for x in (a, b, c))
        if at < len(self.fused) and self.fused[at]:
            return fma(a, b, c)
        return a * b + c


def fma(a, b, c):
    """a b + c, rounded once: the product is exact in double, the sum is rounded to odd, then to float32."""
    a, b, c = np.broadcast_arrays(*(x.astype(np.float64) for x in (a, b, c)))
    p = a * b
    s = p + c
    z = s - p
    error = (p - (s - z)) + (c - z)
    bits = s.view(np.int64).copy()
    odd = (error != 0) & np.isfinite(s) & (bits % 2 == 0)
    away = (error > 0) == (s > 0)
    bits = np.where(odd, np.where(away, bits + 1, bits - 1), bits)
    return bits.view(np.float64).astype(F)


def rows_of(array, ids):
    return array[ids].copy()


def put(array, ids, rows):
    result = array.copy()
    result[ids] = rows
    return result


def sign(x):
    return np.where(x > 0, F(1), np.where(x < 0, F(-1), F(0)))
