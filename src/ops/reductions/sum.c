/* sum.c: the sum of the rows of a dense matrix. */
#include "ops/reductions/sum.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/partition.h"
#include "sparcl/ops/reductions.h"

#define PROGRAM "panel+stage+sum"

/* Columns per group where loops are short; a multiple of 16, the vectors of cl/sum.cl. */
#define SHORT_COLUMNS 1024

/* Maximum elements for which one group and one launch are faster than two launches. */
#define ONE_GROUP      16384
/* Many lanes, several columns: the maximum of rows, and the columns of a group; as in cl/sum.cl. */
#define SMALL_ROWS     (8 * SPC_ROW_BLOCK)
#define SMALL_COLUMNS  32
/* Many lanes: columns of a group, and blocks of a group of one column, as in cl/sum.cl. */
#define GROUP_COLUMNS  32
#define FINISH_COLUMNS 8
#define GROUP_BLOCKS   (SPC_GROUP / 8)

static bool has_many_lanes(const sparcl_ctx *ctx, int64_t k) {
    return spc_ctx_is_gpu(ctx) && k > 1;
}

static bool is_small(const sparcl_ctx *ctx, int64_t m, int64_t k) {
    if (spc_has_short_loops(ctx)) return false;
    if (has_many_lanes(ctx, k)) return m <= SMALL_ROWS;
    return k <= ONE_GROUP && m <= ONE_GROUP / k;
}

static sparcl_status check_sum(sparcl_ctx *ctx, const sparcl_dense *r, const sparcl_dense *x) {
    SPC_TRY(spc_check_dense_of(ctx, "sum_rows", "R", r, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "sum_rows", "X", x, SPC_FLOATS));
    const int64_t k = spc_shape_width(x->rank, x->shape);
    if (x->rank > 2 || r->rank != 1 || r->shape[0] != k)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "sum_rows: X has rank %d and rows of %lld, R has rank %d and %lld "
                            "elements, expected one for each column of a matrix",
                            x->rank, (long long)k, r->rank, (long long)r->shape[0]);
    if (spc_dense_ld(r) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "sum_rows: R has ld %lld, expected packed elements",
                            (long long)spc_dense_ld(r));
    if (r->dtype != x->dtype)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "sum_rows: X is %s and R %s, expected one type",
                            spc_dtype_name(x->dtype), spc_dtype_name(r->dtype));
    const spc_span result = spc_dense_span("R", r), operand = spc_dense_span("X", x);
    return spc_check_alias(ctx, "sum_rows", &result, &operand, 1);
}

static void add_small(spc_args *list, const spc_sum_job *job) {
    const int64_t k = job->r->shape[0];
    spc_args_add_array(list, SPC_IN(job->x->values), job->x->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(job->x)));
    spc_args_add(list, SPC_I64(job->x->shape[0]));
    spc_args_add(list, SPC_I64(k));
    spc_args_add(list, SPC_REAL(job->x->dtype, job->alpha));
    spc_args_add(list, SPC_REAL(job->x->dtype, job->beta));
    spc_args_add_array(list, SPC_OUT(job->r->values), job->r->values_at);
}

/* One sum or two; one is passed twice. */
static sparcl_status launch_small(sparcl_ctx *ctx, const spc_sum_job *jobs, int count) {
    spc_args list = {.count = 0};
    add_small(&list, &jobs[0]);
    add_small(&list, &jobs[count - 1]);
    return spc_launch(ctx, PROGRAM, spc_options(jobs->x->dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                      "sum_small", spc_range_groups(ctx, count), list.at, list.count);
}

/* The same for several columns. */
static sparcl_status sum_columns(sparcl_ctx *ctx, const spc_sum_job *jobs, int count) {
    const int64_t first = spc_ceil_div(jobs[0].r->shape[0], SMALL_COLUMNS);
    const int64_t second = spc_ceil_div(jobs[count - 1].r->shape[0], SMALL_COLUMNS);
    spc_args list = {.count = 0};
    add_small(&list, &jobs[0]);
    add_small(&list, &jobs[count - 1]);
    spc_args_add(&list, SPC_I64(first));
    return spc_launch(ctx, PROGRAM, spc_options(jobs->x->dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                      "sum_columns", spc_range_groups(ctx, first + (count > 1 ? second : 0)),
                      list.at, list.count);
}

static int64_t block_groups(const sparcl_ctx *ctx, int64_t blocks, int64_t k, int64_t columns) {
    if (!spc_ctx_is_gpu(ctx)) return blocks * spc_ceil_div(k, columns);
    return k > 1 ? blocks * spc_ceil_div(k, GROUP_COLUMNS) : spc_ceil_div(blocks, GROUP_BLOCKS);
}

static sparcl_status sum_by_blocks(sparcl_ctx *ctx, const spc_sum_job *job) {
    const sparcl_dense *const x = job->x, *const r = job->r;
    const int64_t m = x->shape[0], k = r->shape[0], blocks = spc_ceil_div(m, SPC_ROW_BLOCK);
    const int64_t columns = spc_has_short_loops(ctx) ? SHORT_COLUMNS : k;
    /* The range for wide cores follows from all additions, although a column is never split. */
    const spc_range finish = spc_ctx_is_gpu(ctx)
                                 ? spc_range_groups(ctx, spc_ceil_div(k, FINISH_COLUMNS))
                                 : spc_range_each(ctx, k * spc_max_i64(1, blocks));
    const uint32_t options = spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32);
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *partial = NULL;
    sparcl_status status = SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &partial, blocks * k, spc_real_size(x->dtype)));
    if (blocks > 0)
        status = SPC_LAUNCH(ctx, PROGRAM, options,
                            has_many_lanes(ctx, k) ? "sum_column_blocks" : "sum_blocks",
                            spc_range_groups(ctx, block_groups(ctx, blocks, k, columns)),
                            SPC_IN(x->values), SPC_I64(x->values_at), SPC_I64(spc_dense_ld(x)),
                            SPC_I64(m), SPC_I64(k), SPC_I64(columns), SPC_OUT(partial));
    if (status == SPARCL_OK)
        status =
            SPC_LAUNCH(ctx, PROGRAM, options, "sum_finish", finish, SPC_IN(partial),
                       SPC_I64(blocks), SPC_I64(k), SPC_REAL(x->dtype, job->alpha),
                       SPC_REAL(x->dtype, job->beta), SPC_OUT(r->values), SPC_I64(r->values_at));
    spc_scratch_release(ctx, mark);
    return status;
}

/* Nothing is launched for a matrix without columns. */
static sparcl_status check_job(sparcl_ctx *ctx, const spc_sum_job *job) {
    SPC_TRY(check_sum(ctx, job->r, job->x));
    if (job->r->shape[0] == 0) return SPARCL_OK;
    const int64_t blocks = spc_ceil_div(job->x->shape[0], SPC_ROW_BLOCK);
    return spc_check_iterations(ctx, "sum_rows", blocks + blocks / 8);
}

static sparcl_status sum_rows(sparcl_ctx *ctx, const spc_sum_job *job) {
    const int64_t k = job->r->shape[0];
    if (k == 0) return SPARCL_OK;
    if (!is_small(ctx, job->x->shape[0], k)) return sum_by_blocks(ctx, job);
    return has_many_lanes(ctx, k) ? sum_columns(ctx, job, 1) : launch_small(ctx, job, 1);
}

sparcl_status sparcl_sum_rows(sparcl_ctx *ctx, const sparcl_dense *r, double alpha,
                              const sparcl_dense *x, double beta) {
    const spc_sum_job job = {r, x, alpha, beta};
    SPC_TRY(check_job(ctx, &job));
    return sum_rows(ctx, &job);
}

static bool is_small_job(const sparcl_ctx *ctx, const spc_sum_job *job) {
    const int64_t k = job->r->shape[0];
    return k > 0 && is_small(ctx, job->x->shape[0], k);
}

sparcl_status spc_sum_two(sparcl_ctx *ctx, const spc_sum_job jobs[2]) {
    SPC_TRY(check_job(ctx, &jobs[0]));
    SPC_TRY(check_job(ctx, &jobs[1]));
    const bool has_columns = has_many_lanes(ctx, jobs[0].r->shape[0]);
    if (jobs[0].x->dtype == jobs[1].x->dtype && is_small_job(ctx, &jobs[0]) &&
        is_small_job(ctx, &jobs[1]) && has_many_lanes(ctx, jobs[1].r->shape[0]) == has_columns)
        return (has_columns ? sum_columns : launch_small)(ctx, jobs, 2);
    SPC_TRY(sum_rows(ctx, &jobs[0]));
    return sum_rows(ctx, &jobs[1]);
}
