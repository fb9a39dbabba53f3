/* dense_reduce.c: reductions of dense matrices and of the stored rows of row-sparse arrays, dot
 * products of rows, and their gradients. */
#include "base/size.h"
#include "ops/shared/fold.h"

/* A matrix of m rows; with a count on the device, of as many of them. */
typedef struct matrix {
    spc_items rows;
    int64_t width, all_rows; /* all_rows: with those that are not stored */
    sparcl_dtype dtype;
    spc_values values;
} matrix;

static matrix dense_matrix(const sparcl_dense *x) {
    return (matrix){{x->shape[0], NULL, 0},
                    spc_shape_width(x->rank, x->shape),
                    x->shape[0],
                    x->dtype,
                    spc_values_of(x)};
}

static matrix rows_matrix(const sparcl_rows *x) {
    const int64_t width = spc_shape_width(x->rank, x->shape);
    return (matrix){{x->nnr, x->count, x->count_at},
                    width,
                    x->shape[0],
                    x->dtype,
                    {x->values, x->values_at, width}};
}

static int64_t results_of(const matrix *x, int axis) {
    return axis == 1 ? x->rows.capacity : axis == 0 ? x->width : 1;
}

static int64_t all_of(const matrix *x, int axis) {
    int64_t all = 0;
    if (axis == 1) return x->width;
    if (axis == 0) return x->all_rows;
    return spc_mul_i64(x->all_rows, x->width, &all) ? all : INT64_MAX;
}

static sparcl_status check_axis(sparcl_ctx *ctx, const char *op, sparcl_reduction kind, int axis,
                                const matrix *x) {
    SPC_TRY(spc_check_reduction(ctx, op, kind, SPC_DENSE_KINDS));
    if (axis < -1 || axis > 1)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: axis is %d, expected -1, 0 or 1", op, axis);
    if (axis == -1 && x->values.ld != x->width)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: X has ld %lld, expected packed rows of %lld where axis is -1", op,
                            (long long)x->values.ld, (long long)x->width);
    return SPARCL_OK;
}

/* The runs of a reduction, and what an item is: see spc_fold_job.rows. */
static sparcl_status find_runs(sparcl_ctx *ctx, const matrix *x, int axis, spc_fold_job *job) {
    job->rows = axis == 0 ? x->width : 0;
    job->runs = spc_equal_runs(x->rows.capacity, x->width);
    if (axis == 1) return SPARCL_OK;
    return spc_one_run(ctx, x->rows, axis == 0 ? 1 : x->width, &job->runs);
}

static sparcl_status reduce(sparcl_ctx *ctx, const char *op, sparcl_reduction kind,
                            const sparcl_dense *to, const matrix *x, int axis) {
    const spc_reduction r = spc_reduction_of(kind);
    const int mark = spc_scratch_mark(ctx);
    spc_fold_job job = {.fold = r.fold,
                        .finish = r.finish,
                        .all = all_of(x, axis),
                        .dtype = x->dtype,
                        .x = x->values,
                        .to = to->values,
                        .to_at = to->values_at,
                        .to_ld = x->width};
    if (results_of(x, axis) == 0) return SPARCL_OK;
    sparcl_status status = find_runs(ctx, x, axis, &job);
    if (status == SPARCL_OK) status = spc_fold_runs(ctx, op, &job);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_dense_reduce(sparcl_ctx *ctx, sparcl_reduction kind, const sparcl_dense *to,
                                  const sparcl_dense *x, int axis) {
    SPC_TRY(spc_check_dense_of(ctx, "dense_reduce", "X", x, SPC_FLOATS));
    const matrix m = dense_matrix(x);
    SPC_TRY(check_axis(ctx, "dense_reduce", kind, axis, &m));
    SPC_TRY(spc_check_packed(ctx, "dense_reduce", "to", to, results_of(&m, axis), x->dtype));
    const spc_span result = spc_dense_span("to", to), operand = spc_dense_span("X", x);
    SPC_TRY(spc_check_alias(ctx, "dense_reduce", &result, &operand, 1));
    return reduce(ctx, "dense_reduce", kind, to, &m, axis);
}

sparcl_status sparcl_rows_reduce(sparcl_ctx *ctx, sparcl_reduction kind, const sparcl_dense *to,
                                 const sparcl_rows *x, int axis) {
    SPC_TRY(spc_check_rows_of(ctx, "rows_reduce", "X", x, SPC_FLOATS));
    const matrix m = rows_matrix(x);
    SPC_TRY(check_axis(ctx, "rows_reduce", kind, axis, &m));
    SPC_TRY(spc_check_packed(ctx, "rows_reduce", "to", to, results_of(&m, axis), x->dtype));
    const spc_span result = spc_dense_span("to", to);
    const spc_spans operands = spc_rows_spans("X", x);
    SPC_TRY(spc_check_alias(ctx, "rows_reduce", &result, operands.at, operands.count));
    SPC_TRY(spc_need_rows(ctx, "rows_reduce", "X", x, SPARCL_VALID));
    return reduce(ctx, "rows_reduce", kind, to, &m, axis);
}

/* --- gradients -------------------------------------------------------------------------------- */

/* Two matrices of one shape and dtype. */
static sparcl_status check_pair(sparcl_ctx *ctx, const char *op, const char *a_name,
                                const sparcl_dense *a, const char *b_name, const sparcl_dense *b) {
    SPC_TRY(spc_check_dense_of(ctx, op, a_name, a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, op, b_name, b, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, op, a_name, a->rank, a->shape, b_name, b->rank, b->shape));
    return spc_check_same_dtype(ctx, op, a_name, a->dtype, b_name, b->dtype);
}

/* Rows are items: each is a run of its own, or all are one, without those past the count. */
static sparcl_status gradient(sparcl_ctx *ctx, const char *op, int kind, const sparcl_dense *gx,
                              const sparcl_dense *gy, const matrix *x, int axis,
                              const sparcl_dense *y) {
    const int64_t ld = axis == 1 ? 1 : 0; /* from the result of a row to the next one */
    spc_fold_gradient g = {.kind = kind,
                           .dtype = x->dtype,
                           .runs = spc_equal_runs(x->rows.capacity, 1),
                           .items = x->rows.capacity,
                           .width = x->width,
                           .all = all_of(x, axis),
                           .by_column = axis == 0,
                           .x = x->values,
                           .gy = {gy->values, gy->values_at, ld},
                           .to = {.at = gx->values_at, .ld = spc_dense_ld(gx)}};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    if (y) g.y = (spc_values){y->values, y->values_at, ld};
    if (axis != 1) status = spc_one_run(ctx, x->rows, 1, &g.runs);
    if (status == SPARCL_OK) status = spc_fold_gradient_run(ctx, op, &g, gx->values);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_dense_reduce_gradient(sparcl_ctx *ctx, sparcl_reduction kind,
                                           const sparcl_dense *gx, const sparcl_dense *gy,
                                           const sparcl_dense *x, int axis, const sparcl_dense *y) {
    static const char *const op = "dense_reduce_gradient";
    const bool with_result = kind == SPARCL_REDUCE_NORM;
    SPC_TRY(check_pair(ctx, op, "GX", gx, "X", x));
    const matrix m = dense_matrix(x);
    SPC_TRY(check_axis(ctx, op, kind, axis, &m));
    SPC_TRY(spc_check_packed(ctx, op, "GY", gy, results_of(&m, axis), x->dtype));
    if (with_result) SPC_TRY(spc_check_packed(ctx, op, "Y", y, results_of(&m, axis), x->dtype));
    const spc_span result = spc_dense_span("GX", gx);
    const spc_span operands[] = {spc_dense_span("X", x), spc_dense_span("GY", gy),
                                 spc_dense_span("Y", with_result ? y : gy)};
    SPC_TRY(spc_check_alias(ctx, op, &result, operands, SPC_COUNT(operands)));
    return gradient(ctx, op, (int)kind, gx, gy, &m, axis, with_result ? y : NULL);
}

sparcl_status sparcl_rows_reduce_gradient(sparcl_ctx *ctx, sparcl_reduction kind,
                                          const sparcl_dense *gx, const sparcl_dense *gy,
                                          const sparcl_rows *x, int axis, const sparcl_dense *y) {
    static const char *const op = "rows_reduce_gradient";
    const bool with_result = kind == SPARCL_REDUCE_NORM;
    SPC_TRY(spc_check_rows_of(ctx, op, "X", x, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, op, "GX", gx, SPC_FLOATS));
    int64_t shape[SPARCL_MAX_RANK] = {x->nnr};
    for (int d = 1; d < x->rank; ++d)
        shape[d] = x->shape[d];
    SPC_TRY(spc_check_same_shape(ctx, op, "GX", gx->rank, gx->shape, "the stored rows of X",
                                 x->rank, shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, "GX", gx->dtype, "X", x->dtype));
    const matrix m = rows_matrix(x);
    SPC_TRY(check_axis(ctx, op, kind, axis, &m));
    SPC_TRY(spc_check_packed(ctx, op, "GY", gy, results_of(&m, axis), x->dtype));
    if (with_result) SPC_TRY(spc_check_packed(ctx, op, "Y", y, results_of(&m, axis), x->dtype));
    const spc_span result = spc_dense_span("GX", gx);
    spc_spans operands = spc_rows_spans("X", x);
    operands.at[operands.count++] = spc_dense_span("GY", gy);
    operands.at[operands.count++] = spc_dense_span("Y", with_result ? y : gy);
    SPC_TRY(spc_check_alias(ctx, op, &result, operands.at, operands.count));
    SPC_TRY(spc_need_rows(ctx, op, "X", x, SPARCL_VALID));
    return gradient(ctx, op, (int)kind, gx, gy, &m, axis, with_result ? y : NULL);
}

/* --- dot products of rows --------------------------------------------------------------------- */

sparcl_status sparcl_dot_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *x,
                              const sparcl_dense *y) {
    SPC_TRY(check_pair(ctx, "dot_rows", "X", x, "Y", y));
    SPC_TRY(spc_check_packed(ctx, "dot_rows", "to", to, x->shape[0], x->dtype));
    const spc_span result = spc_dense_span("to", to);
    const spc_span operands[] = {spc_dense_span("X", x), spc_dense_span("Y", y)};
    SPC_TRY(spc_check_alias(ctx, "dot_rows", &result, operands, SPC_COUNT(operands)));
    const int64_t width = spc_shape_width(x->rank, x->shape);
    const spc_fold_job job = {.fold = SPC_FOLD_DOT,
                              .all = width,
                              .dtype = x->dtype,
                              .runs = spc_equal_runs(x->shape[0], width),
                              .x = spc_values_of(x),
                              .other = spc_values_of(y),
                              .to = to->values,
                              .to_at = to->values_at};
    return spc_fold_runs(ctx, "dot_rows", &job);
}

sparcl_status sparcl_dot_rows_gradient(sparcl_ctx *ctx, const sparcl_dense *gx,
                                       const sparcl_dense *gy, const sparcl_dense *y) {
    static const char *const op = "dot_rows_gradient";
    SPC_TRY(check_pair(ctx, op, "GX", gx, "Y", y));
    SPC_TRY(spc_check_packed(ctx, op, "GY", gy, y->shape[0], y->dtype));
    const spc_span result = spc_dense_span("GX", gx);
    const spc_span operands[] = {spc_dense_span("Y", y), spc_dense_span("GY", gy)};
    SPC_TRY(spc_check_alias(ctx, op, &result, operands, SPC_COUNT(operands)));
    const matrix m = dense_matrix(y);
    return gradient(ctx, op, SPC_GRADIENT_DOT, gx, gy, &m, 1, NULL);
}
