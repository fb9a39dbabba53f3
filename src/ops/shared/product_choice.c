/* product_choice.c: how a sparse product is computed: its tunables, and what follows from shapes.
 */
#include "ops/shared/product_choice.h"

#include "base/size.h"
#include "launch/range.h"
#include "ops/shared/partition.h"
#include "tune/tuned.h"

/* Prefetching costs more than it saves where rows of B are in cache already: rows of two cache
 * lines and more in that of a core, shorter ones in that of the machine. */
const sparcl_tunable spc_tunable_spmm_prefetch = {
    .name = "spmm.prefetch",
    .description =
        "prefetch distance for rows of B in a sparse product, in entries; 0: no prefetch",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_panel_classes),
    .minimum = 0,
    .maximum = 256,
    .candidates = {0, 8, 16, 32, 64, 128},
    .candidate_count = 6,
    .defaults = {{0, 0, 64, 0, 64, 64, 0, 64, 64}}};

/* Pays where the result is larger than the caches. */
const sparcl_tunable spc_tunable_spmm_stream = {
    .name = "spmm.stream",
    .description = "write the result of a sparse product with non-temporal stores: 0 no, 1 yes",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_size_classes),
    .minimum = 0,
    .maximum = 1,
    .candidates = {0, 1},
    .candidate_count = 2,
    .defaults = {{0, 0, 1}}};

/* Where loads of B seldom wait, or rows are short, gathers cost more than they save. */
const sparcl_tunable spc_tunable_spmm_no_gather = {
    .name = "spmm.no_gather",
    .description =
        "maximum KiB of a one-column B that is read with scalar loads, not gathers; larger ones "
        "are, too, where rows are short",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 0,
    .maximum = 1 << 20,
    .candidates = {0, 16, 32, 256, 1024},
    .candidate_count = 5,
    .defaults = {{32}}};

/* A copy pays where rows of B are read this often on average. Narrower panels cost more than they
 * save where most reads are of few rows of B, as in graphs. */
enum { PACKED_READS = 8, MIN_PACKED = 32 };
/* Rows whose stride is a multiple of this many bytes map to few sets of a core's cache: there a
 * copy of a smaller B that is read more often pays, too. */
enum { FEW_SETS = 2048, FEW_SETS_READS = 32, FEW_SETS_DIVISOR = 5 };

const sparcl_tunable spc_tunable_spmm_pack = {
    .name = "spmm.pack",
    .description =
        "maximum KiB of a panel of columns of B that a sparse product copies first, where B is "
        "at least one and a half times as large, or a fifth as large with a row stride that is "
        "a multiple of 2 KiB; 0: no copy",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 0,
    .maximum = 1 << 20,
    .candidates = {0, 8 << 10, 15 << 10, 24 << 10},
    .candidate_count = 4,
    .defaults = {{15 << 10}}};

/* Values between the candidates, or above the maximum of the device, become the next lower one. */
int32_t spc_prefetch_distance(const sparcl_ctx *ctx, int64_t rows, int64_t n, sparcl_dtype dtype) {
    const int size_class = spc_size_class(rows, n, sparcl_dtype_size(dtype));
    if (spc_ctx_is_gpu(ctx) || n <= 1) return 0; /* not used */
    return spc_tuned(ctx, SPC_TUNE_SPMM_PREFETCH, spc_panel_class(spc_width_class(n), size_class));
}

int32_t spc_product_prefetch(sparcl_ctx *ctx, const spc_multiply_job *job, int64_t n) {
    return spc_prefetch_distance(ctx, job->b->shape[0], n, job->a->dtype);
}

/* Entries, on average. (The number of rows of a pattern is only on the device.) */
enum { SHORT_ROW = 48 };

bool spc_product_loads_scalars(sparcl_ctx *ctx, const spc_multiply_job *job, int64_t n) {
    if (spc_ctx_is_gpu(ctx) || n > 1) return false;
    if (!job->pattern && job->a->nnz / SHORT_ROW <= job->a->rows) return true;
    const int64_t capacity = (int64_t)spc_tuned(ctx, SPC_TUNE_SPMM_NO_GATHER, 0) << 10;
    return job->b->shape[0] <= capacity / (int64_t)sparcl_dtype_size(job->a->dtype);
}

int64_t spc_product_longest(const spc_multiply_job *job) {
    const sparcl_csr *a = job->a;
    const bool unique = sparcl_csr_flags(a) & SPARCL_UNIQUE;
    if (job->pattern) return unique ? a->rows : a->nnz;
    return spc_min_i64(spc_csr_longest(a), unique ? a->cols : a->nnz);
}

/* One worker may process a row of this fraction of a partition: that saves a launch. */
enum { UNSPLIT_DIVISOR = 2 };

bool spc_product_is_unsplit(sparcl_ctx *ctx, const spc_multiply_job *job, int64_t rows,
                            int64_t partitions) {
    if (spc_ctx_is_gpu(ctx) || spc_has_short_loops(ctx)) return false;
    const int64_t partition = (rows + job->a->nnz) / partitions;
    return spc_product_longest(job) <= spc_max_i64(SPC_ROW_BLOCK, partition / UNSPLIT_DIVISOR);
}

int32_t spc_result_streams(const sparcl_ctx *ctx, int64_t rows, int64_t columns,
                           sparcl_dtype dtype) {
    if (spc_ctx_is_gpu(ctx)) return 0;
    return spc_tuned(ctx, SPC_TUNE_SPMM_STREAM,
                     spc_size_class(rows, columns, sparcl_dtype_size(dtype)));
}

static bool copy_pays(const spc_multiply_job *job, int64_t capacity) {
    const int64_t size = (int64_t)sparcl_dtype_size(job->a->dtype), rows = job->b->shape[0];
    const int64_t reads = job->a->nnz / rows, bytes = rows * job->n * size;
    const bool few_sets = spc_dense_ld(job->b) * size % FEW_SETS == 0;
    return (reads >= PACKED_READS && 2 * bytes >= 3 * capacity) ||
           (reads >= FEW_SETS_READS && few_sets && bytes >= capacity / FEW_SETS_DIVISOR);
}

int64_t spc_product_packs(const sparcl_ctx *ctx, const spc_multiply_job *job) {
    const int64_t rows = job->b->shape[0];
    if (spc_ctx_is_gpu(ctx) || spc_has_short_loops(ctx)) return 0;
    const int64_t capacity = (int64_t)spc_tuned(ctx, SPC_TUNE_SPMM_PACK, 0) << 10;
    if (rows == 0 || job->n < MIN_PACKED || !copy_pays(job, capacity)) return 0;
    const int64_t fit = capacity / (int64_t)sparcl_dtype_size(job->a->dtype) / rows;
    return fit < MIN_PACKED ? 0 : fit < 2 * MIN_PACKED ? MIN_PACKED : 2 * MIN_PACKED;
}
