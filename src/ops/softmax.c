/* softmax.c: softmax of the stored entries of each row of a CSR matrix, and its gradient. */
#include "base/size.h"
#include "ops/fold.h"
#include "ops/partition.h"

#define PROGRAM "panel+scan+blocks+elementary+softmax"

/* Cost of an exp, relative to an element that is only moved. */
#define EXP_COST 8

static spc_range range_of(const sparcl_ctx *ctx, int64_t entries, int64_t items) {
    if (spc_ctx_is_gpu(ctx)) return spc_range_each(ctx, items);
    return spc_range_each(ctx, entries < INT64_MAX / EXP_COST ? entries * EXP_COST : entries);
}

static sparcl_status check_kind(sparcl_ctx *ctx, const char *op, sparcl_softmax kind) {
    if (kind == SPARCL_SOFTMAX || kind == SPARCL_LOG_SOFTMAX) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: kind is %d, expected 0 or 1", op, (int)kind);
}

/* --- forward ---------------------------------------------------------------------------------- */

/* For rows of more than a block. */
typedef struct long_rows {
    sparcl_buf *blocks, *top, *sums;
} long_rows;

static bool has_long_rows(const sparcl_csr *a) {
    return a->nnz > SPC_ROW_BLOCK && spc_csr_longest(a) > SPC_ROW_BLOCK;
}

#define ROWS(a)                                                                                    \
    SPC_IN((a)->offsets), SPC_I64((a)->offsets_at), SPC_I64((a)->rows), SPC_IN((a)->values),       \
        SPC_I64((a)->values_at)

/* The largest entry of each block. */
static sparcl_status find_largest(sparcl_ctx *ctx, const sparcl_csr *a, long_rows *l) {
    const int64_t pairs = spc_ceil_div(a->nnz, SPC_ROW_BLOCK);
    const size_t size = spc_real_size(a->dtype);
    const spc_fold_job job = {.fold = SPC_FOLD_MAX,
                              .dtype = a->dtype,
                              .runs = spc_row_runs(a),
                              .x = {a->values, a->values_at, 0}};
    SPC_TRY(spc_scratch_push(ctx, &l->blocks, 2 * pairs, size));
    SPC_TRY(spc_scratch_push(ctx, &l->top, a->rows, size));
    SPC_TRY(spc_scratch_push(ctx, &l->sums, a->rows, size));
    return spc_fold_blocks(ctx, &job, l->blocks);
}

static sparcl_status write_long_rows(sparcl_ctx *ctx, sparcl_softmax kind, const sparcl_dense *v,
                                     const sparcl_csr *a, const long_rows *l, uint32_t options) {
    const int64_t pairs = spc_ceil_div(a->nnz, SPC_ROW_BLOCK);
    const spc_range range = range_of(ctx, a->nnz, pairs);
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "softmax_blocks", range, ROWS(a), SPC_IN(l->top),
                       SPC_OUT(l->blocks)));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "softmax_sums", spc_range_each(ctx, a->rows),
                       SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_I32(kind),
                       SPC_IN(l->blocks), SPC_OUT(l->sums)));
    return SPC_LAUNCH(ctx, PROGRAM, options, "softmax_write", range, ROWS(a), SPC_I32(kind),
                      SPC_OUT(v->values), SPC_I64(v->values_at), SPC_IN(l->top), SPC_IN(l->sums));
}

static sparcl_status softmax(sparcl_ctx *ctx, sparcl_softmax kind, const sparcl_dense *v,
                             const sparcl_csr *a) {
    const uint32_t options = spc_options(a->dtype, a->offset_type, SPARCL_I32);
    long_rows l = {NULL, NULL, NULL};
    if (has_long_rows(a)) SPC_TRY(find_largest(ctx, a, &l));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "softmax_rows",
                       range_of(ctx, a->rows + a->nnz, spc_max_i64(a->rows, 1)), ROWS(a),
                       SPC_I32(kind), SPC_OUT(v->values), SPC_I64(v->values_at), SPC_I64(a->nnz),
                       SPC_IN(l.blocks), SPC_OUT(l.top)));
    return has_long_rows(a) ? write_long_rows(ctx, kind, v, a, &l, options) : SPARCL_OK;
}

/* A row, or a pair of blocks, in one work-item. */
static sparcl_status check_steps(sparcl_ctx *ctx, const char *op, const sparcl_csr *a) {
    const int64_t longest = spc_min_i64(spc_csr_longest(a), a->nnz);
    return spc_check_iterations(ctx, op, 24 * SPC_ROW_BLOCK + longest / SPC_ROW_BLOCK);
}

sparcl_status sparcl_csr_softmax(sparcl_ctx *ctx, sparcl_softmax kind, const sparcl_dense *v,
                                 const sparcl_csr *a) {
    SPC_TRY(spc_check_csr_of(ctx, "csr_softmax", "A", a, SPC_FLOATS));
    SPC_TRY(check_kind(ctx, "csr_softmax", kind));
    SPC_TRY(spc_check_packed(ctx, "csr_softmax", "V", v, a->nnz, a->dtype));
    const sparcl_dense values = {.rank = 1,
                                 .dtype = a->dtype,
                                 .shape = {a->nnz},
                                 .values = a->values,
                                 .values_at = a->values_at};
    const spc_spans spans = spc_csr_spans("A", a);
    const spc_span result = spc_dense_span("V", v);
    SPC_TRY(spc_check_in_place(ctx, "csr_softmax", "V", v, "the values of A", &values));
    SPC_TRY(spc_check_alias(ctx, "csr_softmax", &result, spans.at, spans.count - 1));
    SPC_TRY(spc_need_csr(ctx, "csr_softmax", "A", a, SPARCL_VALID));
    SPC_TRY(check_steps(ctx, "csr_softmax", a));
    if (a->nnz == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = softmax(ctx, kind, v, a);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- gradient --------------------------------------------------------------------------------- */

static sparcl_status check_gradient(sparcl_ctx *ctx, const char *op, const sparcl_dense *gx,
                                    const sparcl_dense *gy, const sparcl_dense *y,
                                    const sparcl_csr *a) {
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_packed(ctx, op, "GX", gx, a->nnz, a->dtype));
    SPC_TRY(spc_check_packed(ctx, op, "GY", gy, a->nnz, a->dtype));
    SPC_TRY(spc_check_packed(ctx, op, "Y", y, a->nnz, a->dtype));
    SPC_TRY(spc_check_in_place(ctx, op, "GX", gx, "GY", gy));
    SPC_TRY(spc_check_in_place(ctx, op, "GX", gx, "Y", y));
    const spc_spans spans = spc_csr_spans("A", a);
    const spc_span result = spc_dense_span("GX", gx);
    SPC_TRY(spc_check_alias(ctx, op, &result, spans.at, spans.count));
    return spc_need_csr(ctx, op, "A", a, SPARCL_VALID);
}

/* Sums of the rows: of y gy, or of gy. */
static sparcl_status sum_rows(sparcl_ctx *ctx, const char *op, sparcl_softmax kind,
                              const sparcl_dense *gy, const sparcl_dense *y, const sparcl_csr *a,
                              sparcl_buf *sums) {
    const bool is_log = kind == SPARCL_LOG_SOFTMAX;
    const spc_fold_job job = {.fold = is_log ? SPC_FOLD_SUM : SPC_FOLD_DOT,
                              .dtype = a->dtype,
                              .runs = spc_row_runs(a),
                              .x = spc_values_of(gy),
                              .other = {y->values, y->values_at, 0},
                              .wide = sums};
    return spc_fold_runs(ctx, op, &job);
}

sparcl_status sparcl_csr_softmax_gradient(sparcl_ctx *ctx, sparcl_softmax kind,
                                          const sparcl_dense *gx, const sparcl_dense *gy,
                                          const sparcl_dense *y, const sparcl_csr *a) {
    static const char *const op = "csr_softmax_gradient";
    SPC_TRY(check_gradient(ctx, op, gx, gy, y, a));
    SPC_TRY(check_kind(ctx, op, kind));
    if (a->nnz == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, a->rows, spc_real_size(a->dtype)));
    sparcl_status status = sum_rows(ctx, op, kind, gy, y, a, sums);
    if (status == SPARCL_OK)
        status =
            SPC_LAUNCH(ctx, PROGRAM, spc_options(a->dtype, a->offset_type, SPARCL_I32),
                       "softmax_gradient", spc_range_each(ctx, a->nnz), SPC_IN(a->offsets),
                       SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_I32(kind), SPC_IN(y->values),
                       SPC_I64(y->values_at), SPC_IN(gy->values), SPC_I64(gy->values_at),
                       SPC_IN(sums), SPC_OUT(gx->values), SPC_I64(gx->values_at), SPC_I64(a->nnz));
    spc_scratch_release(ctx, mark);
    return status;
}
