/* product.c: products of a sparse matrix or its transpose with a dense one: the launches. */
#include "ops/shared/product.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/products/pattern.h"
#include "ops/shared/partition.h"
#include "ops/shared/product_choice.h"
#include "ops/shared/units.h"

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

static uint32_t options_of(const spc_multiply_job *job) {
    const sparcl_csr *a = job->a;
    const sparcl_pattern *p = job->pattern;
    return p ? spc_options(a->dtype, p->offset_type, p->index_type) | SPC_VARIANT
             : spc_options(a->dtype, a->offset_type, a->index_type);
}

/* Rows of A, or the maximum of rows of its pattern. */
static int64_t rows_of(const spc_multiply_job *job) {
    return job->pattern ? spc_pattern_capacity(job->pattern) : job->a->rows;
}

static void add_result(spc_args *list, const spc_multiply_job *job, int64_t j, int64_t n) {
    add_dense(list, SPC_OUT(job->to), job->to_at + j, job->to_ld);
    spc_args_add(list, SPC_I64(n));
    spc_args_add(list, SPC_REAL(job->a->dtype, job->alpha));
    spc_args_add(list, SPC_REAL(job->a->dtype, job->beta));
}

/* --- few wide cores: partitions of rows ------------------------------------------------------ */

/* Columns j .. j + n. */
typedef struct panel {
    int64_t j, n;
    sparcl_buf *carry;
    sparcl_buf *packed; /* these columns of B, packed; or NULL */
    const spc_partition *partitions;
} panel;

static void add_rest(spc_args *list, const spc_multiply_job *job, const panel *p, spc_arg carry) {
    add_result(list, job, p->j, p->n);
    spc_args_add(list, carry);
    spc_args_add(list, SPC_I64(p->partitions->slots));
}

static sparcl_status pack(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    const int64_t rows = job->b->shape[0];
    return SPC_LAUNCH(ctx, PROGRAM, options_of(job), "spmm_pack", spc_range_each(ctx, rows * p->n),
                      SPC_IN(job->b->values), SPC_I64(job->b->values_at + p->j),
                      SPC_I64(spc_dense_ld(job->b)), SPC_I64(rows), SPC_OUT(p->packed),
                      SPC_I64(p->n));
}

static sparcl_status multiply_panel(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    const spc_partition *partitions = p->partitions;
    const int64_t chunks = spc_carry_chunks(partitions, job->a->nnz, p->n);
    const int64_t rows = rows_of(job);
    const bool unsplit = spc_product_is_unsplit(ctx, job, rows, partitions->count);
    const uint32_t options = options_of(job);
    spc_args sums = {.count = 0}, carries = {.count = 0};
    add_matrix(&sums, job);
    if (p->packed) {
        SPC_TRY(pack(ctx, job, p));
        add_dense(&sums, SPC_IN(p->packed), 0, p->n);
    } else {
        add_dense(&sums, SPC_IN(job->b->values), job->b->values_at + p->j, spc_dense_ld(job->b));
    }
    add_rest(&sums, job, p, SPC_OUT(p->carry));
    spc_args_add(&sums, SPC_I32(spc_product_prefetch(ctx, job, p->n)));
    spc_args_add(&sums, SPC_I32(spc_result_streams(ctx, rows, job->n, job->a->dtype)));
    spc_args_add(&sums, SPC_I32(spc_product_loads_scalars(ctx, job, p->n)));
    spc_args_add(&sums, SPC_I32(unsplit));
    SPC_TRY(spc_launch(ctx, PROGRAM, options, "spmm", spc_range_groups(ctx, partitions->count),
                       sums.at, sums.count));
    if (partitions->count == 1 || unsplit) return SPARCL_OK;
    add_matrix(&carries, job);
    add_rest(&carries, job, p, SPC_IN(p->carry));
    spc_args_add(&carries, SPC_I64(chunks));
    return spc_launch(ctx, PROGRAM, options, "spmm_carry",
                      spc_range_groups(ctx, partitions->count * chunks), carries.at, carries.count);
}

static int64_t carry_bytes(const spc_multiply_job *job) {
    return job->carry_bytes ? job->carry_bytes : SPC_CARRY_BYTES;
}

static sparcl_status multiply_on_cores(sparcl_ctx *ctx, const spc_multiply_job *job) {
    const sparcl_dtype dtype = job->a->dtype;
    const size_t real = spc_real_size(dtype);
    const spc_partition partitions = spc_find_partition(ctx, rows_of(job), job->a->nnz, job->n);
    const int64_t fit = spc_panel_capacity(&partitions, job->n, real, carry_bytes(job));
    const int64_t packed = spc_min_i64(fit, spc_product_packs(ctx, job));
    const int64_t capacity = packed > 0                 ? packed
                             : spc_has_short_loops(ctx) ? spc_min_i64(fit, SHORT_WIDE)
                                                        : fit;
    panel p = {.partitions = &partitions};
    if (packed > 0)
        SPC_TRY(
            spc_scratch_push(ctx, &p.packed, job->b->shape[0] * packed, sparcl_dtype_size(dtype)));
    SPC_TRY(spc_scratch_push(ctx, &p.carry, partitions.carry * capacity, real));
    for (; p.j < job->n; p.j += p.n) {
        p.n = spc_panel_at(capacity, job->n, p.j);
        SPC_TRY(multiply_panel(ctx, job, &p));
    }
    return SPARCL_OK;
}

/* --- many lanes: units of rows --------------------------------------------------------------- */

/* Entries of a row of one column, on average, up to which a lane has a row of its own. */
#define LANE_ROW 8

static bool is_aligned(const spc_multiply_job *job, int64_t j) {
    return (spc_dense_ld(job->b) | (job->b->values_at + j) | job->to_ld | (job->to_at + j)) % 4 ==
           0;
}

/* Columns j .. j + n of long rows: the sums of their blocks are added. */
static sparcl_status fold_units(sparcl_ctx *ctx, const spc_multiply_job *job,
                                const spc_units *units, int64_t j, int64_t n) {
    const int shift = spc_team_shift(n, is_aligned(job, j));
    spc_args list = {.count = 0};
    add_matrix(&list, job);
    add_result(&list, job, j, n);
    spc_units_add_blocks(&list, units, shift);
    return spc_launch(ctx, PROGRAM, options_of(job) | spc_units_options(units), "spmm_fold",
                      spc_range_units(ctx, units->windows, shift), list.at, list.count);
}

sparcl_status spc_fold_units(sparcl_ctx *ctx, const spc_multiply_job *job, const spc_units *units) {
    return units->windows > 0 ? fold_units(ctx, job, units, 0, job->n) : SPARCL_OK;
}

/* Columns j .. j + n. */
static sparcl_status multiply_units(sparcl_ctx *ctx, const spc_multiply_job *job,
                                    const spc_units *units, int64_t j, int64_t n) {
    const uint32_t options = options_of(job) | spc_units_options(units);
    const bool is_column = job->n == 1, has_lane_rows = job->a->nnz <= LANE_ROW * units->rows;
    const int shift = !is_column ? spc_team_shift(n, is_aligned(job, j)) : has_lane_rows ? 0 : 3;
    spc_args list = {.count = 0};
    add_matrix(&list, job);
    add_dense(&list, SPC_IN(job->b->values), job->b->values_at + j, spc_dense_ld(job->b));
    add_result(&list, job, j, n);
    spc_units_add(&list, units, shift);
    SPC_TRY(spc_launch(ctx, PROGRAM, options, is_column ? "spmm_column" : "spmm",
                       spc_range_units(ctx, units->windows + units->rows, shift), list.at,
                       list.count));
    return units->windows > 0 ? fold_units(ctx, job, units, j, n) : SPARCL_OK;
}

static sparcl_status multiply_on_lanes(sparcl_ctx *ctx, const spc_multiply_job *job) {
    const size_t real = spc_real_size(job->a->dtype);
    const int64_t b = job->b->shape[0] * spc_dense_ld(job->b);
    const int64_t c = spc_max_i64(rows_of(job), job->all_rows) * job->to_ld;
    spc_units units =
        spc_find_units(rows_of(job), job->a->nnz, spc_product_longest(job), spc_max_i64(b, c));
    const int64_t fit = spc_units_columns(&units, job->n, real, carry_bytes(job));
    const int64_t capacity = spc_has_short_loops(ctx) ? spc_min_i64(fit, SHORT_WIDE) : fit;
    SPC_TRY(spc_units_reserve(ctx, &units, capacity, real));
    for (int64_t j = 0, n; j < job->n; j += n) {
        n = spc_panel_at(capacity, job->n, j);
        SPC_TRY(multiply_units(ctx, job, &units, j, n));
    }
    return SPARCL_OK;
}

sparcl_status spc_multiply(sparcl_ctx *ctx, const spc_multiply_job *job) {
    return (spc_ctx_is_gpu(ctx) ? multiply_on_lanes : multiply_on_cores)(ctx, job);
}
