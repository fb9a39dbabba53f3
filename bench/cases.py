"""The matrices that every peer and sparcl read. usage: cases.py FOLDER [--graphs | NAME...]

With --graphs it also makes the large graphs, which are compared on GPUs only; with names only these matrices.
SciPy is not needed. NAME.npz is a SciPy CSR matrix with float32 values and int32 indices. NAME.shape, .indptr,
.indices and .data are the same arrays as raw bytes, for programs that cannot read .npz."""
import functools
import os
import sys

import numpy as np

try:
    import scipy.sparse as sp
except ImportError:
    import numpy_sparse as sp

IDS, TABLE_ROWS, BAG = 524_288, 1_000_000, 8


def zipf(rng, columns, exponent):
    """A function that draws n columns. The probability of the c-th most frequent column is
    proportional to c^-exponent; frequent columns are not next to each other."""
    ends = np.cumsum(np.arange(1, columns + 1, dtype=np.float64) ** -exponent)
    ends /= ends[-1]
    order = rng.permutation(columns)
    return lambda n: order[np.searchsorted(ends, rng.random(n))]


def fixed(rng, rows, columns, per_row, draw):
    """A matrix with per_row entries in each row; save() sums duplicates."""
    j = draw(rows * per_row)
    values = rng.standard_normal(rows * per_row).astype(np.float32)
    return sp.coo_matrix((values, (np.repeat(np.arange(rows), per_row), j)), shape=(rows, columns))


def graph(rng, scale, edges):
    """A symmetric R-MAT graph of 2^scale vertices, with the quadrant probabilities of Graph500."""
    n = 1 << scale
    i, j = np.zeros(n * edges, np.int64), np.zeros(n * edges, np.int64)
    for _ in range(scale):
        r = rng.random(n * edges)
        i = i * 2 + (r > 0.76)
        j = j * 2 + (((r > 0.57) & (r <= 0.76)) | (r > 0.95))
    both = np.concatenate([i, j]), np.concatenate([j, i])
    g = sp.coo_matrix((np.ones(2 * n * edges, np.float32), both), shape=(n, n)).tocsr()
    g.data[:] = 1
    return g


def scattered(count, size):
    """Columns below size, in no order, some of them several times, as in src/spec/structure/spec_take.c."""
    k = np.arange(count, dtype=np.uint64)
    return ((k * np.uint64(2654435761) & np.uint64(0xffffffff)) % np.uint64(size)).astype(np.int32)


def factor(m):
    """The second factor of m in a product of sparse matrices: four entries in each row, as in
    src/spec/products/spec_spgemm.c."""
    size = m.shape[1]
    values = ((np.arange(4 * size) % 7 + 1) / 8).astype(np.float32)
    b = sp.csr_matrix((values, scattered(4 * size, size), np.arange(0, 4 * size + 1, 4, dtype=np.int32)),
                      shape=(size, size))
    b.sum_duplicates()
    return b


def shifted(m):
    """m with the entries of every second row one column later: half of the places are the same."""
    rows = np.repeat(np.arange(m.shape[0]), np.diff(m.indptr))
    b = sp.csr_matrix((m.data.copy(), ((m.indices + rows % 2) % m.shape[1]).astype(np.int32), m.indptr), shape=m.shape)
    b.sort_indices()
    return b


def ones_of(m):
    return sp.csr_matrix((np.ones(m.nnz, np.float32), m.indices, m.indptr), shape=m.shape)


def canonical(m):
    m.sort_indices()
    return m


def sum_pattern(a, b):
    """A matrix with an entry wherever a or b has one; common_pattern: wherever both have one; product_pattern: that of
    their product."""
    return canonical(ones_of(a) + ones_of(b))


def common_pattern(a, b):
    return canonical(ones_of(a).multiply(ones_of(b)).tocsr())


def product_pattern(a, b):
    return canonical(ones_of(a) @ ones_of(b))


def places(m, pattern):
    """The entry of m at each entry of a pattern; where m has none, the number of its entries."""
    def keys(x):
        return np.repeat(np.arange(x.shape[0]), np.diff(x.indptr)) * np.int64(x.shape[1]) + x.indices

    mine, wanted = keys(m), keys(pattern)
    found = np.searchsorted(mine, wanted)
    return np.where(mine[np.minimum(found, m.nnz - 1)] == wanted, found, m.nnz)


def with_zeros(m):
    """m with every third value 0."""
    b = m.copy()
    b.data[::3] = 0
    return b


def with_empty_rows(m):
    """m without the entries of every fourth row."""
    kept = np.repeat(np.arange(m.shape[0]), np.diff(m.indptr)) % 4 != 0
    offsets = np.concatenate([[0], np.cumsum(kept)]).astype(np.int32)[m.indptr]
    return sp.csr_matrix((m.data[kept], m.indices[kept], offsets), shape=m.shape)


def reversed_rows(m, in_pairs=False):
    """m with the entries of each row in the opposite order; in_pairs: columns 2 j + 1 become 2 j."""
    ends = np.repeat(m.indptr[:-1] + m.indptr[1:], np.diff(m.indptr))
    order = ends - 1 - np.arange(m.nnz, dtype=m.indptr.dtype)
    columns = m.indices - m.indices % 2 if in_pairs else m.indices
    return sp.csr_matrix((m.data[order], columns[order], m.indptr), shape=m.shape)


def parts(m, count):
    """The distinct columns, ascending, of each of count parts of the entries."""
    return [np.unique(m.indices[m.nnz * t // count:m.nnz * (t + 1) // count]) for t in range(count)]


def matrices():
    """Yields names and matrices. All of them use one random generator, so their order is fixed."""
    rng = np.random.default_rng(20261120)
    yield "uniform", fixed(rng, 100_000, 50_000, 20, lambda n: rng.integers(0, 50_000, n))
    yield "ctr", fixed(rng, 65_536, 1_000_000, 39, zipf(rng, 1_000_000, 1.05))
    yield "batch", fixed(rng, 1_024, 47_236, 75, zipf(rng, 47_236, 0.8))
    yield "rmat17", graph(rng, 17, 16)
    kept = rng.random((2048, 512)) < 0.1
    yield "pruned", sp.csr_matrix(np.where(kept, rng.standard_normal((2048, 512)), 0).astype(np.float32))
    full = rng.random(200_000).astype(np.float32)
    short = fixed(rng, 25_000, 200_000, 8, lambda n: rng.integers(0, 200_000, n))
    places = np.append(short.row, np.full(200_000, 25_000)), np.append(short.col, np.arange(200_000))
    yield "ragged", sp.coo_matrix((np.append(short.data, full), places), shape=(50_001, 200_000))
    kept = rng.random((4096, 4096)) < 0.1
    yield "layer", sp.csr_matrix(np.where(kept, rng.standard_normal((4096, 4096)), 0).astype(np.float32))


def embedding_ids():
    """The ids of a mini-batch, 109 586 of them unique."""
    return zipf(np.random.default_rng(3), TABLE_ROWS, 1.05)(IDS).astype(np.int32)


def id_matrices():
    """Ids as columns, with values of 1. A row of `emb` has one id: no row has duplicates, so save()
    keeps all ids. A row of `embbag` has 8 ids, without duplicates."""
    ids = embedding_ids()
    ones = np.ones(IDS, np.float32)
    yield "emb", sp.csr_matrix((ones, ids, np.arange(IDS + 1)), shape=(IDS, TABLE_ROWS))
    bags = sp.csr_matrix((ones, ids, np.arange(0, IDS + 1, BAG)), shape=(IDS // BAG, TABLE_ROWS))
    bags.sum_duplicates()
    bags.data[:] = 1
    yield "embbag", bags


def lattice(side):
    """A square grid of points, each with its four neighbours and itself: short rows, columns near the diagonal."""
    points = np.arange(side * side)
    found = [(points, points)]
    beside = points[points % side < side - 1], points[points % side > 0]
    for begins, ends in ((points[:-side], points[side:]), beside):
        found += [(begins, ends), (ends, begins)]
    i, j = (np.concatenate(part) for part in zip(*found))
    return sp.coo_matrix((np.ones(len(i), np.float32), (i, j)), shape=(side * side, side * side))


def graphs():
    rng = np.random.default_rng(5)
    yield "rmat20", graph(rng, 20, 16)
    yield "grid", lattice(2000)
    yield "rmat22", graph(rng, 22, 16)


def save(folder, name, m):
    m = m.tocsr().astype(np.float32)
    m.sum_duplicates()
    m.sort_indices()
    m.indices, m.indptr = m.indices.astype(np.int32), m.indptr.astype(np.int32)
    path = os.path.join(folder, name)
    np.array(m.shape, np.int64).tofile(path + ".shape")
    for array in ("indptr", "indices", "data"):
        getattr(m, array).tofile(f"{path}.{array}")
    sp.save_npz(path + ".npz", m, compressed=False)
    print(f"{name}: {m.shape[0]} x {m.shape[1]}, {m.nnz} entries, at most {np.diff(m.indptr).max()} in a row")


def main(folder, with_graphs=False, names=()):
    """Makes all matrices, or those that are named: none after the last of them, as the large graphs take minutes."""
    os.makedirs(folder, exist_ok=True)
    missing = set(names)
    for source in (matrices, id_matrices) + (graphs,) * bool(with_graphs or names):
        for name, m in source():
            if not names or name in missing:
                save(folder, name, m)
                missing.discard(name)
            if names and not missing:
                return
    if missing:
        sys.exit(f"cases.py: there is no case {', '.join(sorted(missing))}")


# --- inputs of the peers ----------------------------------------------------------------------

@functools.lru_cache(maxsize=1)
def load(folder, name):
    return sp.load_npz(os.path.join(folder, name + ".npz"))


def dense(rows, columns):
    """The same numbers on each call; a vector if there is one column."""
    numbers = np.random.default_rng(7).standard_normal((rows, columns), dtype=np.float32)
    return numbers[:, 0] if columns == 1 else numbers


def shuffled(m):
    """Rows, columns and values of the entries of m, in a random order."""
    coo, order = m.tocoo(), np.random.default_rng(1).permutation(m.nnz)
    return coo.row[order].astype(np.int64), coo.col[order].astype(np.int64), coo.data[order]


def batch_rows(m):
    """Up to 4 096 rows of m, in a random order."""
    return np.random.default_rng(2).permutation(m.shape[0])[:4096]


if __name__ == "__main__":
    if len(sys.argv) < 2 or any(name.startswith("-") for name in sys.argv[1:] if name != "--graphs"):
        sys.exit(__doc__)
    main(sys.argv[1], "--graphs" in sys.argv, [name for name in sys.argv[2:] if name != "--graphs"])
