"""The jobs that are compared: operations, cases, and the peers that offer each operation."""
from dataclasses import dataclass

WIDTHS = {
    "uniform": (1, 8, 16, 32, 64, 128, 256),
    "ctr": (1, 8, 16, 32, 64, 128),
    "rmat17": (1, 16, 32, 64, 128),
    "batch": (1, 16, 64, 256),
    "pruned": (1, 32, 128, 512),
    "ragged": (1, 32),
}
# Small: the wait for a call takes as long as the call. They are timed with many calls in flight; also one call
# at a time, for the record.
SMALL = ("batch", "pruned")
LARGE = tuple(case for case in WIDTHS if case not in SMALL)
MILLIONS = ("uniform", "ctr", "rmat17", "layer")  # with 10^6 entries and more
TABLE_WIDTHS = (16, 64, 128)
SEGMENT_WIDTHS = (1, 16, 64)
HEADS = (4, 8)
# Rules that a peer has for row-sparse gradients, as it has them. MOVING_RULES move all rows.
TENSORFLOW_RULES = tuple(f"{rule}:preset=tf1" for rule in (
    "momentum", "rmsprop_momentum", "rmsprop_centered_momentum", "adadelta", "ftrl", "proximal_sgd", "proximal_adagrad",
    "adagrad_da"))
LAZY_RULES = (*TENSORFLOW_RULES, *(f"{rule}:preset=mxnet" for rule in ("ftrl", "rowwise_adagrad", "lars")))
MOVING_RULES = tuple(f"{rule}:preset=keras3" for rule in (
    "momentum", "adam", "amsgrad", "nadam", "adamax", "lion", "lamb", "rmsprop", "adadelta"))
IN_FLIGHT = 100  # calls of a queued job, as in sparcl bench --queued

PRODUCTS = ("mkl", "eigen", "torch", "mxnet", "tensorflow", "scipy")

# For each operation, what the peers do in its place: (part, the peers' operation, peers). If an
# operation has more than one part, goals.py decides how the parts count.
PARTS = {
    "spmm": [("whole", "spmm", PRODUCTS)],
    "spmm-t": [("whole", "spmm-t", PRODUCTS)],
    "spmm-t-rows": [("whole", "spmm-t-rows", ("torch", "mxnet")),
                    ("transpose", "transpose", ("mkl", "eigen", "torch", "scipy")),
                    ("product", "spmm-t", ("mkl", "eigen", "torch"))],
    "matmul-csc": [("whole", "matmul-csc", ("mkl", "torch", "scipy"))],
    "matmul-coo": [("whole", "matmul-coo", ("mkl", "torch", "tensorflow", "scipy"))],
    "matmul-bsr": [("whole", "matmul-bsr", ("torch", "scipy"))],
    "matmul-dense-csr": [("whole", "matmul-dense-csr", ("mkl", "torch", "scipy"))],
    "matmul-dense-csr-t": [("whole", "matmul-dense-csr-t", ("mkl", "torch", "scipy"))],
    "reorder": [("whole", "reorder", ("mkl", "tensorflow", "scipy"))],
    "coalesce": [("whole", "coalesce", ("torch", "scipy"))],
    "transpose": [("whole", "transpose", ("mkl", "eigen", "torch", "scipy"))],
    "convert": [("whole", "convert", ("torch", "scipy"))],
    "convert-shared": [("whole", "convert-shared", ("torch", "scipy"))],
    "select-rows": [("whole", "select-rows", ("scipy",))],
    "csr-concat": [("whole", "csr-concat", ("scipy", "torch"))],
    "csr-concat-columns": [("whole", "csr-concat-columns", ("scipy", "torch"))],
    "csr-block-diagonal": [("whole", "csr-block-diagonal", ("scipy",))],
    "csr-slice-rows": [("whole", "csr-slice-rows", ("scipy",))],
    "csr-slice-columns": [("whole", "csr-slice-columns", ("scipy",))],
    "csr-take-rows": [("whole", "csr-take-rows", ("scipy", "torch"))],
    "csr-retain-rows": [("whole", "csr-retain-rows", ("scipy",))],
    "csr-take-columns": [("whole", "csr-take-columns", ("scipy", "torch"))],
    "csr-triangle": [("whole", "csr-triangle", ("scipy",))],
    "csr-eliminate-zeros": [("whole", "csr-eliminate-zeros", ("scipy",))],
    "csr-prune": [("whole", "csr-prune", ("torch", "scipy"))],
    "csr-fill-empty-rows": [("whole", "csr-fill-empty-rows", ("tensorflow",))],
    "csr-sort-indices": [("whole", "csr-sort-indices", ("scipy",))],
    "csr-sum-duplicates": [("whole", "csr-sum-duplicates", ("scipy", "torch"))],
    "csr-reshape": [("whole", "csr-reshape", ("scipy",))],
    "coo-slice": [("whole", "coo-slice", ("torch", "tensorflow"))],
    "coo-concat": [("whole", "coo-concat", ("torch", "tensorflow", "scipy"))],
    "coo-permute": [("whole", "coo-permute", ("torch", "tensorflow", "scipy"))],
    "coo-reshape": [("whole", "coo-reshape", ("tensorflow", "scipy"))],
    "coo-fill-empty-rows": [("whole", "coo-fill-empty-rows", ("tensorflow",))],
    "coo-coalesce-max": [("whole", "coo-coalesce-max", ("torch", "scipy"))],
    "coo-add": [("whole", "coo-add", ("torch", "tensorflow", "scipy"))],
    "coo-multiply": [("whole", "coo-multiply", ("torch", "scipy"))],
    "coo-reduce-max": [("whole", "coo-reduce-max", ("torch", "tensorflow"))],
    "coo-mask": [("whole", "coo-mask", ("torch", "tensorflow", "scipy"))],
    "unique": [("whole", "unique", ("torch", "scipy"))],
    "to-dense": [("whole", "to-dense", ("torch", "scipy"))],
    "from-dense": [("whole", "from-dense", ("torch", "scipy"))],
    "to-bsr": [("whole", "to-bsr", ("torch", "scipy"))],
    "bsr-to-dense": [("whole", "bsr-to-dense", ("torch", "scipy"))],
    "bsr-to-csr": [("whole", "bsr-to-csr", ("scipy",))],
    "coo-to-dense": [("whole", "coo-to-dense", ("torch", "tensorflow", "scipy"))],
    "csc-to-dense": [("whole", "csc-to-dense", ("torch", "scipy"))],
    "dense-to-coo": [("whole", "dense-to-coo", ("torch", "tensorflow", "scipy"))],
    "csr-to-rows": [("whole", "csr-to-rows", ("torch",))],
    "dense-to-rows": [("whole", "dense-to-rows", ("torch",))],
    "rows-to-dense": [("whole", "rows-to-dense", ("torch",))],
    "rows-to-csr": [("whole", "rows-to-csr", ("torch",))],
    "topk": [("whole", "topk", ("torch",))],
    "sparse-mask": [("whole", "sparse-mask", ("torch", "scipy"))],
    "bag": [("whole", "bag", ("torch", "fbgemm"))],
    "csr-reduce": [("whole", "csr-reduce", ("mkl", "torch", "scipy"))],
    "csr-reduce-columns": [("whole", "csr-reduce-columns", ("mkl", "torch", "scipy"))],
    "csr-reduce-max": [("whole", "csr-reduce-max", ("torch", "scipy"))],
    "csr-reduce-norm": [("whole", "csr-reduce-norm", ("torch", "scipy"))],
    "csr-reduce-gradient": [("whole", "csr-reduce-gradient", ("torch", "scipy"))],
    "dense-reduce": [("whole", "dense-reduce", ("torch", "scipy"))],
    "dense-reduce-columns": [("whole", "dense-reduce-columns", ("torch", "scipy"))],
    "dense-reduce-gradient": [("whole", "dense-reduce-gradient", ("torch",))],
    "csr-softmax": [("whole", "csr-softmax", ("torch", "scipy"))],
    "csr-log-softmax": [("whole", "csr-log-softmax", ("torch", "scipy"))],
    "csr-softmax-gradient": [("whole", "csr-softmax-gradient", ("torch", "scipy"))],
    "csr-softmax-heads": [("whole", "csr-softmax-heads", ("torch", "scipy"))],
    "csr-softmax-heads-gradient": [("whole", "csr-softmax-heads-gradient", ("torch", "scipy"))],
    "segment-sum": [("whole", "segment-sum", ("torch", "scipy"))],
    "segment-sum-sorted": [("whole", "segment-sum-sorted", ("torch", "scipy"))],
    "segment-sum-unsorted": [("whole", "segment-sum-unsorted", ("torch", "scipy"))],
    "segment-max": [("whole", "segment-max", ("torch", "scipy"))],
    "segment-sum-gradient": [("whole", "segment-sum-gradient", ("torch",))],
    "segment-max-gradient": [("whole", "segment-max-gradient", ("torch",))],
    "sddmm": [("whole", "sddmm", ("torch", "scipy"))],
    "spmm-max": [("whole", "spmm-max", ("torch",))],
    "spmm-mean": [("whole", "spmm-mean", ("torch",))],
    "spmm-max-gradient": [("whole", "spmm-max-gradient", ("torch",))],
    "spmm-mean-gradient": [("whole", "spmm-mean-gradient", ("torch",))],
    "spgemm": [("whole", "spgemm", ("mkl", "torch", "scipy"))],
    "spgemm-gradient": [("whole", "spgemm-gradient", ("torch", "scipy"))],
    "csr-add": [("whole", "csr-add", ("mkl", "torch", "scipy"))],
    "csr-multiply": [("whole", "csr-multiply", ("torch", "scipy"))],
    "csr-add-gradient": [("whole", "csr-add-gradient", ("torch", "scipy"))],
    "csr-multiply-gradient": [("whole", "csr-multiply-gradient", ("torch", "scipy"))],
    "csr-multiply-dense": [("whole", "csr-multiply-dense", ("torch", "scipy"))],
    "csr-multiply-dense-gradient": [("whole", "csr-multiply-dense-gradient", ("torch", "scipy"))],
    "rows-add": [("whole", "rows-add", ("torch",))],
    "rows-add-n": [("whole", "rows-add-n", ("torch",))],
    "rows-coalesce": [("whole", "rows-coalesce", ("torch", "tensorflow", "scipy"))],
    "rows-coalesce-max": [("whole", "rows-coalesce-max", ("torch", "tensorflow"))],
    "rows-concat": [("whole", "rows-concat", ("torch", "tensorflow", "scipy"))],
    "rows-retain-all": [("whole", "rows-retain-all", ("torch", "mxnet"))],
    "rows-retain-stored": [("whole", "rows-retain-stored", ("torch", "mxnet"))],
    "rows-slice": [("whole", "rows-slice", ("torch",))],
    "rows-mask": [("whole", "rows-mask", ("torch", "scipy"))],
    "rows-multiply": [("whole", "rows-multiply", ("torch",))],
    "rows-reduce": [("whole", "rows-reduce", ("torch", "scipy"))],
    "rows-reduce-columns": [("whole", "rows-reduce-columns", ("torch", "scipy"))],
    "add-scalar": [("whole", "add-scalar", ("torch", "tensorflow", "scipy"))],
    "add-n": [("whole", "add-n", ("torch", "tensorflow", "scipy"))],
    "dense-concat": [("whole", "dense-concat", ("torch", "scipy"))],
    "dense-concat-columns": [("whole", "dense-concat-columns", ("torch", "scipy"))],
    "dense-split": [("whole", "dense-split", ("torch", "scipy"))],
    "dense-split-columns": [("whole", "dense-split-columns", ("torch", "tensorflow", "scipy"))],
    "embedding-bag": [("whole", "bag", ("torch", "fbgemm"))],
    "bag-step": [("whole", "bag-step", ("torch", "fbgemm"))],
    "embedding-bag-mean": [("whole", "bag-mean", ("torch",))],
    "embedding-bag-sqrtn": [("whole", "bag-sqrtn", ("torch", "tensorflow"))],
    "embedding-bag-max": [("whole", "bag-max", ("torch",))],
    "embedding-bag-gradient": [("whole", "embedding-bag-gradient", ("torch",))],
    "embedding-bag-mean-gradient": [("whole", "embedding-bag-mean-gradient", ("torch",))],
    "embedding-bag-max-gradient": [("whole", "embedding-bag-max-gradient", ("torch",))],
    "embedding-weights-gradient": [("whole", "embedding-weights-gradient", ("torch",))],
    "embedding": [("whole", "embedding", ("torch", "tensorflow", "scipy"))],
    "gather-rows": [("whole", "embedding", ("torch", "tensorflow", "scipy"))],
    "embedding-gradient": [("whole", "embedding-gradient", ("torch",))],
    "embedding-max-norm": [("whole", "embedding-max-norm", ("torch",))],
    "dropout": [("whole", "dropout", ("torch",))],
    "dropout-gradient": [("whole", "dropout-gradient", ("torch",))],
    "layer-norm": [("whole", "layer-norm", ("torch",))],
    "layer-norm-gradient": [("whole", "layer-norm-gradient", ("torch",))],
    "batch-norm": [("whole", "batch-norm", ("torch",))],
    "batch-norm-gradient": [("whole", "batch-norm-gradient", ("torch",))],
    "batch-norm-inference": [("whole", "batch-norm-inference", ("torch",))],
    "dot-rows": [("whole", "dot-rows", ("torch", "scipy"))],
    "dot-rows-gradient": [("whole", "dot-rows-gradient", ("torch",))],
    "step": [("whole", "step", ("torch", "mxnet", "tensorflow"))],
    "dedupe-step": [("whole", "dedupe-step", ("torch", "tensorflow"))],
    "tanh": [("whole", "tanh", ("torch", "scipy"))],
    "tanh-gradient": [("whole", "tanh-gradient", ("torch",))],
    "clip": [("whole", "clip", ("torch", "scipy"))],
    "clip-gradient": [("whole", "clip-gradient", ("torch",))],
    "relu": [("whole", "relu", ("torch", "tensorflow", "scipy"))],
    "sqrt": [("whole", "sqrt", ("torch", "scipy"))],
    "multiply": [("whole", "multiply", ("torch", "scipy"))],
    "multiply-gradient": [("whole", "multiply-gradient", ("torch", "scipy"))],
    "scale-rows": [("whole", "scale-rows", ("torch", "scipy"))],
    "scale-rows-gradient": [("whole", "scale-rows-gradient", ("torch", "scipy"))],
    "scale-columns": [("whole", "scale-columns", ("torch", "scipy"))],
    "scale-columns-gradient": [("whole", "scale-columns-gradient", ("torch", "scipy"))],
}
# The same for sparcl on a GPU.
GPU_PRODUCTS = ("cuda", "torch-gpu")
GPU_PARTS = {
    "spmm": [("whole", "spmm", GPU_PRODUCTS)],
    "spmm-t": [("whole", "spmm-t", GPU_PRODUCTS)],
    "spmm-t-rows": [("whole", "spmm-t-rows", GPU_PRODUCTS)],
    "reorder": [("whole", "reorder", ("cuda",))],
    "coalesce": [("whole", "coalesce", ("cuda", "torch-gpu"))],
    "transpose": [("whole", "transpose", ("cuda", "torch-gpu"))],
    "bag": [("whole", "bag", ("torch-gpu",))],
    "step": [("whole", "step", ("torch-gpu",))],
    "dedupe-step": [("whole", "dedupe-step", ("torch-gpu",))],
}
GRAPHS = ("rmat20", "rmat22", "grid")  # large: only a GPU's memory is fast enough for them
GRAPH_WIDTHS = (1, 32, 128)
# What the goals on a GPU are for, the most important first.
GPU_CASES = ("uniform", "ctr", "rmat17", "rmat20", "grid", "batch")
GPU_FIRST_WIDTHS = (32, 1, 128, 64, 16)
GPU_RULES = ("-", "sgd", "adagrad", "adam")


def parts_of(op, gpu):
    return (GPU_PARTS if gpu else PARTS).get(op, [])


def peers_of(gpu):
    return sorted({peer for parts in (GPU_PARTS if gpu else PARTS).values() for _, _, peers in parts for peer in peers})


@dataclass(frozen=True)
class Job:
    op: str
    case: str
    n: int = 1
    optimizer: str = "-"
    queued: bool = False

    def __str__(self):
        words = [self.op, self.case, f"n={self.n}"]
        words += [self.optimizer] * (self.optimizer != "-") + ["queued"] * self.queued
        return " ".join(words)


def graph_jobs():
    for case in GRAPHS:
        for n in GRAPH_WIDTHS:
            yield Job("spmm", case, n)
            yield Job("spmm-t", case, n)
            yield Job("spmm-t-rows", case, n)
        yield Job("reorder", case)


def all_jobs(gpu=False):
    yield from case_jobs()
    if gpu:
        yield from graph_jobs()


def by_importance(jobs):
    """Of jobs on a GPU those that a goal counts, so ordered that each goal has a job after the first ones, and more the
    longer the run is: for each operation and rule its most important case and width, then the next ones, and so on."""
    groups = {}
    for job in jobs:
        if job.op in GPU_PARTS and job.optimizer in GPU_RULES and job.queued == (job.case in SMALL and job.op in (
                "spmm", "spmm-t")):
            groups.setdefault((list(GPU_PARTS).index(job.op), GPU_RULES.index(job.optimizer)), []).append(job)
    places = []
    for group, members in groups.items():
        members = [job for job in members if job.case in (*GPU_CASES, "emb", "embbag")]
        rank = {case: at for at, case in enumerate(GPU_CASES)}
        width = {n: at for at, n in enumerate(GPU_FIRST_WIDTHS)}
        members.sort(key=lambda job: rank.get(job.case, 0) + width.get(job.n, len(width)))
        places += [(at, group, job) for at, job in enumerate(members)]
    return [job for _, _, job in sorted(places, key=lambda place: place[:2])]


def case_jobs():
    for op in ("spmm", "spmm-t", "spmm-t-rows"):
        for case, widths in WIDTHS.items():
            for n in widths:
                if case in SMALL and op != "spmm-t-rows":
                    yield Job(op, case, n, queued=True)
                if case in LARGE or op != "spmm-t":
                    yield Job(op, case, n)
    for op in ("matmul-csc", "matmul-coo", "matmul-dense-csr", "matmul-dense-csr-t"):
        for case in LARGE:
            for n in SEGMENT_WIDTHS:
                yield Job(op, case, n)
    for op in ("to-dense", "from-dense", "to-bsr", "bsr-to-dense", "bsr-to-csr", "coo-to-dense", "csc-to-dense",
               "dense-to-coo", "csr-to-rows", "dense-to-rows", "rows-to-dense", "rows-to-csr", "topk", "sparse-mask",
               "csr-multiply-dense", "csr-multiply-dense-gradient", "coo-mask"):
        yield Job(op, "layer")
    for n in TABLE_WIDTHS:
        yield Job("matmul-bsr", "layer", n)
    for op in ("reorder", "coalesce", "transpose", "csr-concat", "csr-slice-columns", "coo-coalesce-max", "unique"):
        for case in WIDTHS:
            yield Job(op, case)
    for op in ("sddmm", "spmm-max", "spmm-mean", "spmm-max-gradient", "spmm-mean-gradient"):
        for case in LARGE:
            for n in TABLE_WIDTHS:
                yield Job(op, case, n)
    for op in ("spgemm", "csr-add", "csr-multiply", "csr-concat-columns", "csr-block-diagonal", "csr-take-rows",
               "csr-take-columns", "csr-triangle", "csr-eliminate-zeros", "csr-sort-indices", "csr-sum-duplicates",
               "csr-reshape", "csr-slice-rows", "csr-prune", "csr-fill-empty-rows", "coo-slice", "coo-concat",
               "coo-permute", "coo-reshape", "coo-fill-empty-rows", "spgemm-gradient", "csr-add-gradient",
               "csr-multiply-gradient", "csr-retain-rows", "convert", "convert-shared", "coo-add", "coo-multiply",
               "coo-reduce-max"):
        for case in LARGE:
            yield Job(op, case)
    for case in LARGE:
        yield Job("select-rows", case, queued=True)
    for op in ("tanh", "tanh-gradient", "sqrt", "relu", "csr-log-softmax", "clip", "clip-gradient", "multiply",
               "multiply-gradient", "add-n",
               "add-scalar", "scale-rows", "scale-rows-gradient", "scale-columns", "scale-columns-gradient",
               "csr-reduce", "csr-reduce-columns", "csr-reduce-max", "csr-reduce-norm", "csr-reduce-gradient",
               "csr-softmax", "csr-softmax-gradient"):
        for case in LARGE:
            yield Job(op, case)
    for case in LARGE:
        for heads in HEADS:
            yield Job("csr-softmax-heads", case, heads)
            yield Job("csr-softmax-heads-gradient", case, heads)
    for op in ("segment-sum", "segment-sum-sorted", "segment-sum-unsorted", "segment-max", "segment-sum-gradient",
               "segment-max-gradient"):
        for n in SEGMENT_WIDTHS:
            yield Job(op, "uniform", n)
            yield Job(op, "ragged", n)
    for n in TABLE_WIDTHS:
        for op in ("bag", "embedding-bag", "embedding-bag-mean", "embedding-bag-sqrtn", "embedding-bag-max",
                   "embedding-bag-gradient",
                   "embedding-bag-mean-gradient", "embedding-bag-max-gradient", "embedding-weights-gradient",
                   "dropout", "dropout-gradient", "layer-norm", "layer-norm-gradient", "batch-norm",
                   "batch-norm-gradient", "batch-norm-inference", "dot-rows", "dot-rows-gradient", "dense-reduce",
                   "dense-reduce-columns", "dense-reduce-gradient", "dense-concat", "dense-concat-columns",
                   "dense-split", "dense-split-columns"):
            yield Job(op, "embbag", n)
        for op in ("embedding", "gather-rows", "embedding-gradient", "embedding-max-norm", "rows-add", "rows-add-n",
                   "rows-coalesce", "rows-coalesce-max", "rows-concat", "rows-multiply", "rows-reduce",
                   "rows-reduce-columns",
                   "rows-retain-all", "rows-retain-stored", "rows-slice", "rows-mask"):
            yield Job(op, "emb", n)
    for op, optimizers in (("step", ("sgd", "momentum", "adagrad", "adam", *LAZY_RULES, *MOVING_RULES)),
                           ("dedupe-step", ("sgd", "adagrad", "adam", *TENSORFLOW_RULES)),
                           ("bag-step", ("sgd", "adagrad", "rowwise_adagrad",
                                         "rowwise_adagrad_counter:preset=fbgemm", "adam"))):
        for optimizer in optimizers:
            for n in TABLE_WIDTHS:
                yield Job(op, "embbag" if op == "bag-step" else "emb", n, optimizer)
