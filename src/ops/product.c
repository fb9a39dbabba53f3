/* product.c: products of a sparse matrix or its transpose with a dense one: checks and launches. */
#include "ops/product.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/partition.h"
#include "ops/pattern.h"
#include "tune/tuned.h"

sparcl_status spc_product_shapes(sparcl_ctx *ctx, const char *op, const char *result,
                                 const spc_product *p) {
    const int64_t b_columns = spc_shape_width(p->b->rank, p->b->shape);
    if (p->b->rank != p->rank || p->rank > 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: B has rank %d and %s rank %d, expected 1 or 2 of both", op,
                            p->b->rank, result, p->rank);
    if (p->b->shape[0] != p->inner)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: A has %lld %s, B has %lld rows", op,
                            (long long)p->inner, p->inner_name, (long long)p->b->shape[0]);
    if (p->shape[0] != p->outer)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: A has %lld %s, %s has %lld rows", op,
                            (long long)p->outer, p->outer_name, result, (long long)p->shape[0]);
    if (b_columns != p->n)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: B has %lld columns, %s has %lld", op,
                            (long long)b_columns, result, (long long)p->n);
    return SPARCL_OK;
}

sparcl_status spc_product_types(sparcl_ctx *ctx, const char *op, const char *result, sparcl_dtype a,
                                sparcl_dtype b, sparcl_dtype c) {
    if (a == b && b == c) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: A is f%d, B f%d and %s f%d, expected one type",
                        op, a ? 64 : 32, b ? 64 : 32, result, c ? 64 : 32);
}

sparcl_status spc_product_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                                const sparcl_csr *a, const sparcl_dense *b) {
    spc_spans operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("B", b);
    return spc_check_alias(ctx, op, result, operands.at, operands.count);
}

#define PROGRAM "panel+products+partition+spmm+spmm_cores+spmm_lanes"

/* Maximum columns per launch on a device with short loops (device/list.h): a partition of 1024 rows
 * and entries, and a block more, needs some 50000 iterations for them. */
#define SHORT_WIDE 2048

static void add_matrix(spc_args *list, const spc_multiply_job *job) {
    const sparcl_csr *a = job->a;
    const sparcl_pattern *p = job->pattern;
    spc_args_add_array(list, SPC_IN(p ? p->starts : a->offsets), p ? 0 : a->offsets_at);
    spc_args_add_array(list, SPC_IN(p ? p->row_of : a->indices), p ? 0 : a->indices_at);
    spc_args_add_array(list, SPC_IN(p ? p->values : a->values), p ? 0 : a->values_at);
    if (!p) {
        spc_args_add(list, SPC_I64(a->rows));
        return;
    }
    spc_args_add(list, SPC_IN(p->columns));
    spc_args_add(list, SPC_IN(p->found));
    spc_args_add(list, SPC_I64(job->all_rows));
    spc_args_add(list, SPC_I32(job->fill_empty));
    spc_args_add(list, SPC_REAL(a->dtype, spc_times_zero(a->dtype, job->alpha)));
}

static void add_dense(spc_args *list, spc_arg values, int64_t at, int64_t ld) {
    spc_args_add_array(list, values, at);
    spc_args_add(list, SPC_I64(ld));
}

/* Columns j .. j + n. */
typedef struct panel {
    int64_t j, n;
    sparcl_buf *carry;
    sparcl_buf *packed; /* these columns of B, packed; or NULL */
    const spc_partition *partitions;
} panel;

static uint32_t options_of(const spc_multiply_job *job, int64_t group) {
    const sparcl_csr *a = job->a;
    const sparcl_pattern *p = job->pattern;
    const uint32_t own = group == 64 ? SPC_GROUP_64 : group == 256 ? SPC_GROUP_256 : 0;
    return own | (p ? spc_options(a->dtype, p->offset_type, p->index_type) | SPC_VARIANT
                    : spc_options(a->dtype, a->offset_type, a->index_type));
}

static void add_rest(spc_args *list, const spc_multiply_job *job, const panel *p, spc_arg carry) {
    add_dense(list, SPC_OUT(job->to), job->to_at + p->j, job->to_ld);
    spc_args_add(list, SPC_I64(p->n));
    spc_args_add(list, SPC_REAL(job->a->dtype, job->alpha));
    spc_args_add(list, SPC_REAL(job->a->dtype, job->beta));
    spc_args_add(list, carry);
    spc_args_add(list, SPC_I64(p->partitions->slots));
}

/* Prefetching costs more than it saves where rows of B are in cache already: rows of two cache
 * lines and more in that of a core, shorter ones in that of the machine. */
const sparcl_tunable spc_tunable_spmm_prefetch = {
    .name = "spmm.prefetch",
    .what = "prefetch distance for rows of B in a sparse product, in entries; 0: no prefetch",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_panel_classes),
    .minimum = 0,
    .maximum = 64,
    .candidates = {0, 4, 8, 16, 32},
    .candidate_count = 5,
    .defaults = {{0, 0, 16, 0, 16, 16, 0, 16, 16}}};

/* Pays where the result is larger than the caches. */
const sparcl_tunable spc_tunable_spmm_stream = {
    .name = "spmm.stream",
    .what = "write the result of a sparse product with non-temporal stores: 0 no, 1 yes",
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
    .what =
        "maximum KiB of a one-column B that is read with scalar loads, not gathers; larger ones "
        "are, too, where rows are short",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 0,
    .maximum = 1 << 20,
    .candidates = {0, 16, 32, 256, 1024},
    .candidate_count = 5,
    .defaults = {{32}}};

/* A long row is then processed by one worker, so the limit is low: one row of 120 000 entries takes
 * 1.4 times as long, rows of similar length up to a seventh less. */
const sparcl_tunable spc_tunable_spmm_unsplit = {
    .name = "spmm.unsplit",
    .what =
        "maximum work of a sparse product (rows plus entries; for 16 columns twice that, for 32 "
        "three times) for which no row is split, which saves a launch; 0: split all rows of more "
        "than a block",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 0,
    .maximum = 1 << 24,
    .candidates = {0, 1 << 15, 1 << 17, 1 << 18, 1 << 20},
    .candidate_count = 5,
    .defaults = {{1 << 17}}};

const sparcl_tunable spc_tunable_spmm_group = {
    .name = "spmm.group",
    .what = "work-items per group of a sparse product on many lanes: 64, 128 or 256",
    .kernels = SPARCL_CLASS_GPU,
    SPC_CLASSES(spc_width_classes),
    .minimum = 64,
    .maximum = 256,
    .candidates = {64, 128, 256},
    .candidate_count = 3,
    .defaults = {{0}, {SPC_GROUP, SPC_GROUP, SPC_GROUP, SPC_GROUP}}};

/* A copy pays where rows of B are read this often on average. Narrower panels cost more than they
 * save where most reads are of few rows of B, as in graphs. */
enum { PACKED_READS = 8, MIN_PACKED = 32 };
/* Rows whose stride is a multiple of this many bytes map to few sets of a core's cache: there a
 * copy of a smaller B that is read more often pays, too. */
enum { FEW_SETS = 2048, FEW_SETS_READS = 32, FEW_SETS_DIVISOR = 5 };

const sparcl_tunable spc_tunable_spmm_pack = {
    .name = "spmm.pack",
    .what = "maximum KiB of a panel of columns of B that a sparse product copies first, where B is "
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
static int64_t group_of(sparcl_ctx *ctx, int64_t n) {
    if (!spc_ctx_is_gpu(ctx)) return 1;
    const int64_t expected = spc_tuned(ctx, SPC_TUNE_SPMM_GROUP, spc_width_class(n));
    const int64_t maximum = spc_min_i64(expected, sparcl_ctx_device(ctx)->max_group);
    return maximum < SPC_GROUP ? 64 : maximum < 256 ? SPC_GROUP : 256;
}

static int32_t rows_prefetch(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    const size_t size = sparcl_dtype_size(job->a->dtype);
    if (spc_ctx_is_gpu(ctx) || p->n == 1) return 0; /* not used */
    return spc_tuned(
        ctx, SPC_TUNE_SPMM_PREFETCH,
        spc_panel_class(spc_width_class(p->n), spc_size_class(job->b->shape[0], p->n, size)));
}

enum {
    SHORT_ROW = 48
}; /* entries, on average; the number of rows of a pattern is only on the
    * device */

static bool use_scalar_loads(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    if (spc_ctx_is_gpu(ctx) || p->n > 1) return false;
    if (!job->pattern && job->a->nnz / SHORT_ROW <= job->a->rows) return true;
    const int64_t capacity = (int64_t)spc_tuned(ctx, SPC_TUNE_SPMM_NO_GATHER, 0) << 10;
    return job->b->shape[0] <= capacity / (int64_t)sparcl_dtype_size(job->a->dtype);
}

/* An upper bound of the entries of a row, of A or of its pattern. */
static int64_t longest_row(const spc_multiply_job *job) {
    const sparcl_csr *a = job->a;
    const bool unique = sparcl_csr_flags(a) & SPARCL_UNIQUE;
    if (job->pattern) return unique ? a->rows : a->nnz;
    return spc_min_i64(spc_csr_longest(a), unique ? a->cols : a->nnz);
}

enum {
    UNSPLIT_DIVISOR = 2
}; /* a row of this fraction of a partition may always be processed by
    * one worker */

static bool rows_are_unsplit(sparcl_ctx *ctx, int64_t rows, const spc_multiply_job *job,
                             const panel *p) {
    if (spc_ctx_is_gpu(ctx) || spc_has_short_loops(ctx)) return false;
    const int64_t work = rows + job->a->nnz;
    const int64_t longest = longest_row(job), partition = work / p->partitions->count;
    if (longest <= SPC_ROW_BLOCK) return true;
    const int64_t maximum = spc_tuned(ctx, SPC_TUNE_SPMM_UNSPLIT, 0);
    return (maximum > 0 && longest <= partition / UNSPLIT_DIVISOR) ||
           work <= maximum * 16 / (16 + p->n);
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

/* Columns of a panel of B that is worth a copy; 0: none is. */
static int64_t packed_columns(const sparcl_ctx *ctx, const spc_multiply_job *job) {
    const int64_t rows = job->b->shape[0];
    if (spc_ctx_is_gpu(ctx) || spc_has_short_loops(ctx)) return 0;
    const int64_t capacity = (int64_t)spc_tuned(ctx, SPC_TUNE_SPMM_PACK, 0) << 10;
    if (rows == 0 || job->n < MIN_PACKED || !copy_pays(job, capacity)) return 0;
    const int64_t fit = capacity / (int64_t)sparcl_dtype_size(job->a->dtype) / rows;
    return fit < MIN_PACKED ? 0 : fit < 2 * MIN_PACKED ? MIN_PACKED : 2 * MIN_PACKED;
}

static sparcl_status pack(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    const int64_t rows = job->b->shape[0];
    return SPC_LAUNCH(ctx, PROGRAM, options_of(job, 1), "spmm_pack",
                      spc_range_each(ctx, rows * p->n), SPC_IN(job->b->values),
                      SPC_I64(job->b->values_at + p->j), SPC_I64(spc_dense_ld(job->b)),
                      SPC_I64(rows), SPC_OUT(p->packed), SPC_I64(p->n));
}

static sparcl_status multiply_panel(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    const spc_partition *partitions = p->partitions;
    const int64_t chunks = spc_carry_chunks(partitions, job->a->nnz, p->n);
    const int64_t rows = job->pattern ? spc_pattern_capacity(job->pattern) : job->a->rows;
    const int64_t group = group_of(ctx, p->n);
    const bool unsplit = rows_are_unsplit(ctx, rows, job, p);
    const uint32_t options = options_of(job, group);
    spc_args sums = {.count = 0}, carries = {.count = 0};
    add_matrix(&sums, job);
    if (p->packed) {
        SPC_TRY(pack(ctx, job, p));
        add_dense(&sums, SPC_IN(p->packed), 0, p->n);
    } else {
        add_dense(&sums, SPC_IN(job->b->values), job->b->values_at + p->j, spc_dense_ld(job->b));
    }
    add_rest(&sums, job, p, SPC_OUT(p->carry));
    spc_args_add(&sums, SPC_I32(rows_prefetch(ctx, job, p)));
    spc_args_add(&sums, SPC_I32(spc_result_streams(ctx, rows, job->n, job->a->dtype)));
    spc_args_add(&sums, SPC_I32(use_scalar_loads(ctx, job, p)));
    spc_args_add(&sums, SPC_I32(unsplit));
    SPC_TRY(spc_launch(ctx, PROGRAM, options, "spmm", spc_range_groups_of(partitions->count, group),
                       sums.at, sums.count));
    if (partitions->count == 1 || unsplit) return SPARCL_OK;
    add_matrix(&carries, job);
    add_rest(&carries, job, p, SPC_IN(p->carry));
    spc_args_add(&carries, SPC_I64(chunks));
    return spc_launch(ctx, PROGRAM, options, "spmm_carry",
                      spc_range_groups_of(partitions->count * chunks, group), carries.at,
                      carries.count);
}

sparcl_status spc_multiply(sparcl_ctx *ctx, const spc_multiply_job *job) {
    const size_t size = sparcl_dtype_size(job->a->dtype);
    const int64_t maximum = job->carry_bytes ? job->carry_bytes : SPC_CARRY_BYTES;
    const int64_t rows = job->pattern ? spc_pattern_capacity(job->pattern) : job->a->rows;
    const spc_partition partitions = spc_find_partition(ctx, rows, job->a->nnz, job->n);
    const int64_t fit = spc_panel_capacity(&partitions, job->n, size, maximum);
    const int64_t packed = spc_min_i64(fit, packed_columns(ctx, job));
    const int64_t capacity = packed > 0                 ? packed
                             : spc_has_short_loops(ctx) ? spc_min_i64(fit, SHORT_WIDE)
                                                        : fit;
    panel p = {.partitions = &partitions};
    if (packed > 0) SPC_TRY(spc_scratch_push(ctx, &p.packed, job->b->shape[0] * packed, size));
    SPC_TRY(spc_scratch_push(ctx, &p.carry, partitions.carry * capacity, size));
    for (; p.j < job->n; p.j += p.n) {
        p.n = spc_panel_at(capacity, job->n, p.j);
        SPC_TRY(multiply_panel(ctx, job, &p));
    }
    return SPARCL_OK;
}
