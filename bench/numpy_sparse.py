"""What the cases need of scipy.sparse, under the same names, by NumPy alone: for machines without SciPy."""
import numpy as np


class coo_matrix:
    def __init__(self, entries, shape):
        self.data, (self.row, self.col) = entries
        self.shape = shape

    def tocsr(self):
        """Sorted, duplicates summed."""
        rows, columns = self.shape
        key, data = np.asarray(self.row, np.int64) * columns + self.col, self.data
        if not np.all(key[1:] >= key[:-1]):
            order = np.argsort(key, kind="stable")
            key, data = key[order], data[order]
        first = np.flatnonzero(np.diff(key, prepend=-1))
        if len(first) < len(key):
            key, data = key[first], np.add.reduceat(data, first)
        indptr = np.searchsorted(key, np.arange(rows + 1, dtype=np.int64) * columns)
        return csr_matrix((data, (key % columns).astype(np.int32), indptr.astype(np.int32)), self.shape)


class csr_matrix:
    def __init__(self, entries, shape=None):
        if isinstance(entries, np.ndarray):
            shape, places = entries.shape, np.nonzero(entries)
            whole = coo_matrix((entries[places], places), shape).tocsr()
            entries = whole.data, whole.indices, whole.indptr
        self.data, self.indices, self.indptr = entries
        self.shape = shape

    @property
    def nnz(self):
        return len(self.data)

    @property
    def T(self):
        coo = self.tocoo()
        return coo_matrix((coo.data, (coo.col, coo.row)), self.shape[::-1])

    def tocoo(self):
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        return coo_matrix((self.data, (rows, self.indices)), self.shape)

    def tocsr(self):
        return self

    def astype(self, number):
        return csr_matrix((self.data.astype(number), self.indices, self.indptr), self.shape)

    def sum_duplicates(self):
        whole = self.tocoo().tocsr()
        self.data, self.indices, self.indptr = whole.data, whole.indices, whole.indptr

    sort_indices = sum_duplicates


def save_npz(path, m, compressed=False):
    (np.savez_compressed if compressed else np.savez)(
        path, format=b"csr", shape=np.array(m.shape), data=m.data, indices=m.indices, indptr=m.indptr)


def load_npz(path):
    with np.load(path) as file:
        return csr_matrix((file["data"], file["indices"], file["indptr"]), tuple(file["shape"].tolist()))
