/* reduce.c: reductions of a CSR matrix by rows, by columns or of all of it, and their gradients. */
#include "base/size.h"
#include "ops/products/pattern.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/densify.h"
#include "ops/shared/fold.h"
#include "sparcl/ops.h"

/* What both calls check and derive from their arguments. */
typedef struct csr_job {
    const char *op;
    sparcl_reduction kind;
    sparcl_reduce_over over;
    const sparcl_csr *a;
    int axis;
    const sparcl_pattern *pattern;
} csr_job;

static int64_t results_of(const csr_job *job) {
    return job->axis == 1 ? job->a->rows : job->axis == 0 ? job->a->cols : 1;
}

/* The elements of a row, a column or the matrix; 0: only stored ones count. A product that is too
 * large is more than any matrix stores. */
static int64_t all_of(const csr_job *job) {
    int64_t all = 0;
    if (job->over == SPARCL_OVER_STORED) return 0;
    if (job->axis == 1) return job->a->cols;
    if (job->axis == 0) return job->a->rows;
    return spc_mul_i64(job->a->rows, job->a->cols, &all) ? all : INT64_MAX;
}

static spc_segment_ids columns_of(const sparcl_csr *a) {
    return (spc_segment_ids){a->indices, a->indices_at, a->cols, a->index_type, false};
}

/* The number of entries of a matrix, on the device. */
static sparcl_status count_entries(sparcl_ctx *ctx, const sparcl_csr *a, spc_items *items) {
    sparcl_buf *count = NULL;
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    *items = (spc_items){a->nnz, count, 0};
    return spc_csr_write_count(ctx, count, 0, a);
}

static sparcl_status find_runs(sparcl_ctx *ctx, const csr_job *job, spc_item_runs *runs) {
    const spc_segment_ids columns = columns_of(job->a);
    spc_items items;
    *runs = spc_row_runs(job->a);
    if (job->axis == 1) return SPARCL_OK;
    if (job->axis == 0 && job->pattern) return spc_runs_of_pattern(ctx, job->pattern, runs);
    SPC_TRY(count_entries(ctx, job->a, &items));
    return job->axis == 0 ? spc_runs_of_ids(ctx, &columns, items, runs)
                          : spc_one_run(ctx, items, 1, runs);
}

static sparcl_status check_matrix(sparcl_ctx *ctx, const csr_job *job, unsigned kinds) {
    SPC_TRY(spc_check_csr_of(ctx, job->op, "A", job->a, SPC_FLOATS));
    SPC_TRY(spc_check_reduction(ctx, job->op, job->kind, kinds));
    if (job->over != SPARCL_OVER_ALL && job->over != SPARCL_OVER_STORED)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: over is %d, expected 0 or 1", job->op,
                            (int)job->over);
    if (job->axis < -1 || job->axis > 1)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: axis is %d, expected -1, 0 or 1", job->op,
                            job->axis);
    if (job->pattern) SPC_TRY(spc_pattern_check(ctx, job->op, job->pattern, job->a));
    return spc_need_csr(ctx, job->op, "A", job->a, SPARCL_VALID);
}

/* --- forward ---------------------------------------------------------------------------------- */

static sparcl_status check_results(sparcl_ctx *ctx, const csr_job *job, const sparcl_dense *to,
                                   const sparcl_buf *positions, int64_t positions_at) {
    const int64_t count = results_of(job);
    const spc_spans operands = spc_csr_spans("A", job->a);
    spc_spans results = {.count = 1};
    SPC_TRY(spc_check_packed(ctx, job->op, "to", to, count, job->a->dtype));
    results.at[0] = spc_dense_span("to", to);
    SPC_TRY(spc_check_positions(ctx, job->op, job->kind, positions, positions_at, count));
    if (positions)
        results.at[results.count++] =
            spc_array_span(NULL, "positions", positions, positions_at, count, sizeof(int64_t));
    return spc_check_spans(ctx, job->op, &results, &operands);
}

/* Sums of columns as the transposed product with ones: the same terms, in the same order. On wide
 * cores it is faster, because columns without entries are skipped and rows divided. */
static bool is_product(const sparcl_ctx *ctx, const csr_job *job) {
    return job->kind == SPARCL_REDUCE_SUM && job->axis == 0 && job->pattern && job->a->rows > 0 &&
           job->a->nnz > 0 && !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
}

static sparcl_status multiply_ones(sparcl_ctx *ctx, const csr_job *job, const sparcl_dense *to,
                                   sparcl_pattern *pattern) {
    sparcl_dense ones = {.rank = 1, .dtype = job->a->dtype, .shape = {job->a->rows}};
    SPC_TRY(spc_scratch_push(ctx, &ones.values, job->a->rows, sparcl_dtype_size(ones.dtype)));
    SPC_TRY(spc_zero_dense(ctx, &ones));
    SPC_TRY(sparcl_clip(ctx, &ones, &ones, 1, 1));
    return sparcl_spmm_t(ctx, to, 1, job->a, &ones, 0, pattern);
}

static sparcl_status fold(sparcl_ctx *ctx, const csr_job *job, spc_fold_job *f) {
    SPC_TRY(find_runs(ctx, job, &f->runs));
    return spc_fold_runs(ctx, job->op, f);
}

sparcl_status sparcl_csr_reduce(sparcl_ctx *ctx, sparcl_reduction kind, sparcl_reduce_over over,
                                const sparcl_dense *to, const sparcl_csr *a, int axis,
                                sparcl_buf *positions, int64_t positions_at,
                                sparcl_pattern *pattern) {
    const csr_job job = {"csr_reduce", kind, over, a, axis, pattern};
    SPC_TRY(check_matrix(ctx, &job, SPC_ALL_KINDS));
    SPC_TRY(check_results(ctx, &job, to, positions, positions_at));
    const spc_reduction r = spc_reduction_of(kind);
    const int mark = spc_scratch_mark(ctx);
    spc_fold_job f = {.fold = r.fold,
                      .finish = r.finish,
                      .all = all_of(&job),
                      .dtype = a->dtype,
                      .x = {a->values, a->values_at, 0},
                      .to = to->values,
                      .to_at = to->values_at,
                      .positions = positions,
                      .positions_at = positions_at};
    const sparcl_status status =
        is_product(ctx, &job) ? multiply_ones(ctx, &job, to, pattern) : fold(ctx, &job, &f);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- gradient --------------------------------------------------------------------------------- */

/* Without sums of columns, the entries of a column need not be found. */
static bool needs_columns(const csr_job *job) {
    if (job->axis != 0) return false;
    return job->kind == SPARCL_REDUCE_PROD || (spc_divides(job->kind) && all_of(job) == 0);
}

/* Where the caller has none. */
static sparcl_status find_positions(sparcl_ctx *ctx, const csr_job *job, spc_fold_gradient *g) {
    spc_fold_job fold = {.fold = spc_reduction_of(job->kind).fold,
                         .all = all_of(job),
                         .dtype = job->a->dtype,
                         .x = g->x};
    if (!spc_picks(job->kind) || g->positions) return SPARCL_OK;
    g->positions_at = 0;
    SPC_TRY(find_runs(ctx, job, &fold.runs));
    return spc_fold_positions(ctx, job->op, &fold, &g->positions);
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const csr_job *job, const sparcl_dense *gv,
                                    const sparcl_dense *gy, const sparcl_dense *y) {
    const int64_t count = results_of(job);
    spc_spans operands = spc_csr_spans("A", job->a);
    SPC_TRY(spc_check_packed(ctx, job->op, "GV", gv, job->a->nnz, job->a->dtype));
    SPC_TRY(spc_check_packed(ctx, job->op, "GY", gy, count, job->a->dtype));
    operands.at[operands.count++] = spc_dense_span("GY", gy);
    if (job->kind == SPARCL_REDUCE_NORM) {
        SPC_TRY(spc_check_packed(ctx, job->op, "Y", y, count, job->a->dtype));
        operands.at[operands.count++] = spc_dense_span("Y", y);
    }
    const spc_span result = spc_dense_span("GV", gv);
    return spc_check_alias(ctx, job->op, &result, operands.at, operands.count);
}

/* Rows and the whole matrix are runs of the entries as they are stored; columns are ids. */
static sparcl_status find_items(sparcl_ctx *ctx, const csr_job *job, spc_fold_gradient *g,
                                spc_item_runs *columns) {
    spc_items items;
    if (job->axis != 0) return find_runs(ctx, job, &g->runs);
    if (needs_columns(job)) {
        SPC_TRY(find_runs(ctx, job, columns));
        g->sorted = columns;
    }
    SPC_TRY(count_entries(ctx, job->a, &items)); /* only these have ids */
    return spc_one_run(ctx, items, 1, &g->runs);
}

sparcl_status sparcl_csr_reduce_gradient(sparcl_ctx *ctx, sparcl_reduction kind,
                                         sparcl_reduce_over over, const sparcl_dense *gv,
                                         const sparcl_dense *gy, const sparcl_csr *a, int axis,
                                         const sparcl_dense *y, const sparcl_buf *positions,
                                         int64_t positions_at, sparcl_pattern *pattern) {
    const csr_job job = {"csr_reduce_gradient", kind, over, a, axis, pattern};
    SPC_TRY(check_matrix(ctx, &job, SPC_SMOOTH_KINDS));
    SPC_TRY(check_gradient(ctx, &job, gv, gy, y));
    SPC_TRY(spc_check_positions(ctx, job.op, kind, positions, positions_at, results_of(&job)));
    const int mark = spc_scratch_mark(ctx);
    const spc_segment_ids ids = columns_of(a);
    spc_item_runs columns;
    spc_fold_gradient g = {.kind = (int)kind,
                           .dtype = a->dtype,
                           .ids = axis == 0 ? &ids : NULL,
                           .items = a->nnz,
                           .width = 1,
                           .all = all_of(&job),
                           .by_number = true,
                           .by_column = true,
                           .x = {a->values, a->values_at, 1},
                           .gy = {gy->values, gy->values_at, 1},
                           .to = {.at = gv->values_at, .ld = 1},
                           .positions = positions,
                           .positions_at = positions_at};
    if (kind == SPARCL_REDUCE_NORM) g.y = (spc_values){y->values, y->values_at, 1};
    sparcl_status status = find_items(ctx, &job, &g, &columns);
    if (status == SPARCL_OK) status = find_positions(ctx, &job, &g);
    if (status == SPARCL_OK) status = spc_fold_gradient_run(ctx, job.op, &g, gv->values);
    spc_scratch_release(ctx, mark);
    return status;
}
