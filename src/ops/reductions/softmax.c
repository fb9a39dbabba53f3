/* softmax.c: softmax of the entries of each row of a CSR matrix, of one number or several heads for
 * each, and its gradient. */
#include "base/size.h"
#include "ops/shared/fold.h"
#include "ops/shared/partition.h"

typedef long long ll; /* for %lld */

#define PROGRAM       "panel+scan+entries+blocks+stage+elementary+softmax"
#define HEADS_PROGRAM "panel+scan+blocks+elementary+softmax_heads"

/* Cost of an exp, relative to an element that is only moved. */
#define EXP_COST 8

/* Many lanes: eight for each item. */
static spc_range range_of(const sparcl_ctx *ctx, int64_t entries, int64_t items) {
    if (spc_ctx_is_gpu(ctx)) return spc_range_each(ctx, 8 * items);
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
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "softmax_sums",
                       spc_range_long_runs(ctx, spc_range_each(ctx, a->rows), a->rows, 1),
                       SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_I32(kind),
                       SPC_IN(l->blocks), SPC_OUT(l->sums)));
    return SPC_LAUNCH(ctx, PROGRAM, options, "softmax_write", range, ROWS(a), SPC_I32(kind),
                      SPC_OUT(v->values), SPC_I64(v->values_at), SPC_IN(l->top), SPC_IN(l->sums));
}

static sparcl_status softmax(sparcl_ctx *ctx, sparcl_softmax kind, const sparcl_dense *v,
                             const sparcl_csr *a) {
    const uint32_t options = spc_options(a->dtype, a->offset_type, SPARCL_INDEX32);
    spc_range range = range_of(ctx, a->rows + a->nnz, spc_max_i64(a->rows, 1));
    long_rows l = {NULL, NULL, NULL};
    if (has_long_rows(a)) {
        SPC_TRY(find_largest(ctx, a, &l));
        range = spc_range_long_runs(ctx, range, a->rows, 1);
    }
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "softmax_rows", range, ROWS(a), SPC_I32(kind),
                       SPC_OUT(v->values), SPC_I64(v->values_at), SPC_I64(a->nnz), SPC_IN(l.blocks),
                       SPC_OUT(l.top)));
    return has_long_rows(a) ? write_long_rows(ctx, kind, v, a, &l, options) : SPARCL_OK;
}

/* A row, or a pair of blocks, in one work-item. */
static sparcl_status check_steps(sparcl_ctx *ctx, const char *op, const sparcl_csr *a) {
    const int64_t longest = spc_min_i64(spc_csr_longest(a), a->nnz);
    return spc_check_iterations(ctx, op, 24 * SPC_ROW_BLOCK + 4 * (longest / SPC_ROW_BLOCK));
}

static sparcl_status run(sparcl_ctx *ctx, const char *op, sparcl_softmax kind,
                         const sparcl_dense *v, const sparcl_csr *a) {
    SPC_TRY(check_steps(ctx, op, a));
    if (a->nnz == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = softmax(ctx, kind, v, a);
    spc_scratch_release(ctx, mark);
    return status;
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
    return run(ctx, "csr_softmax", kind, v, a);
}

/* --- several heads ---------------------------------------------------------------------------- */

/* The heads of a matrix, and of a vector. */
#define NO_HEADS (-1)

/* A packed array [entries of A, heads], or a vector. */
static sparcl_status check_heads(sparcl_ctx *ctx, const char *op, const char *name,
                                 const sparcl_dense *x, const sparcl_csr *a, int64_t heads) {
    if (heads == NO_HEADS) return spc_check_packed(ctx, op, name, x, a->nnz, a->dtype);
    SPC_TRY(spc_check_dense_of(ctx, op, name, x, SPC_FLOATS));
    SPC_TRY(spc_check_same_dtype(ctx, op, name, x->dtype, "A", a->dtype));
    if (x->rank == 2 && x->shape[0] == a->nnz && x->shape[1] == heads && spc_dense_ld(x) == heads)
        return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: %s has rank %d, %lld rows and ld %lld, expected a packed matrix of "
                        "%lld rows and %lld columns",
                        op, name, x->rank, (ll)x->shape[0], (ll)spc_dense_ld(x), (ll)a->nnz,
                        (ll)heads);
}

/* A row in one work-item. */
static sparcl_status check_head_steps(sparcl_ctx *ctx, const char *op, const sparcl_csr *a,
                                      int64_t heads) {
    const int64_t longest = spc_min_i64(spc_csr_longest(a), a->nnz), most = INT64_MAX / EXP_COST;
    return spc_check_iterations(ctx, op,
                                longest < most / heads ? longest * heads * EXP_COST : INT64_MAX);
}

static spc_range range_of_heads(const sparcl_ctx *ctx, const sparcl_csr *a, int64_t heads) {
    const int64_t items = spc_max_i64(a->rows, 1) * heads;
    return spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, items)
                               : range_of(ctx, items + a->nnz * heads, items);
}

#define HEADS(a, heads, kind)                                                                      \
    SPC_IN((a)->offsets), SPC_I64((a)->offsets_at), SPC_I64((a)->rows), SPC_I64(heads),            \
        SPC_I32(kind)
#define ARRAY(direction, x) direction((x)->values), SPC_I64((x)->values_at)

static sparcl_status check_softmax_heads(sparcl_ctx *ctx, const char *op, const sparcl_dense *v,
                                         const sparcl_dense *x, const sparcl_csr *a) {
    const int64_t heads = x->rank == 2 ? x->shape[1] : 1;
    SPC_TRY(check_heads(ctx, op, "X", x, a, heads));
    SPC_TRY(check_heads(ctx, op, "V", v, a, heads));
    const spc_spans spans = spc_csr_spans("A", a);
    const spc_span result = spc_dense_span("V", v);
    SPC_TRY(spc_check_in_place(ctx, op, "V", v, "X", x));
    SPC_TRY(spc_check_alias(ctx, op, &result, spans.at, spans.count - 1));
    return spc_need_csr(ctx, op, "A", a, SPARCL_VALID);
}

sparcl_status sparcl_csr_softmax_heads(sparcl_ctx *ctx, sparcl_softmax kind, const sparcl_dense *v,
                                       const sparcl_dense *x, const sparcl_csr *a) {
    static const char *const op = "csr_softmax_heads";
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_FLOATS));
    SPC_TRY(check_kind(ctx, op, kind));
    SPC_TRY(spc_check_dense_of(ctx, op, "X", x, SPC_FLOATS));
    SPC_TRY(check_softmax_heads(ctx, op, v, x, a));
    const int64_t heads = x->shape[1];
    if (a->nnz == 0 || heads == 0) return SPARCL_OK;
    if (heads == 1) {
        sparcl_csr own = *a;
        own.values = x->values;
        own.values_at = x->values_at;
        return run(ctx, op, kind, v, &own);
    }
    SPC_TRY(check_head_steps(ctx, op, a, heads));
    return SPC_LAUNCH(ctx, HEADS_PROGRAM, spc_options(a->dtype, a->offset_type, SPARCL_INDEX32),
                      "heads_softmax", range_of_heads(ctx, a, heads), HEADS(a, heads, kind),
                      ARRAY(SPC_IN, x), ARRAY(SPC_OUT, v), SPC_I64(a->nnz));
}

/* --- gradient --------------------------------------------------------------------------------- */

static int64_t heads_of(const sparcl_dense *x) {
    return x->rank == 2 ? x->shape[1] : NO_HEADS;
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const char *op, const sparcl_dense *gx,
                                    const sparcl_dense *gy, const sparcl_dense *y,
                                    const sparcl_csr *a) {
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, op, "GX", gx, SPC_FLOATS));
    const int64_t heads = heads_of(gx);
    SPC_TRY(check_heads(ctx, op, "GX", gx, a, heads));
    SPC_TRY(check_heads(ctx, op, "GY", gy, a, heads));
    SPC_TRY(check_heads(ctx, op, "Y", y, a, heads));
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

static sparcl_status gradient(sparcl_ctx *ctx, const char *op, sparcl_softmax kind,
                              const sparcl_dense *gx, const sparcl_dense *gy, const sparcl_dense *y,
                              const sparcl_csr *a) {
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, a->rows, spc_real_size(a->dtype)));
    SPC_TRY(sum_rows(ctx, op, kind, gy, y, a, sums));
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(a->dtype, a->offset_type, SPARCL_INDEX32),
                      "softmax_gradient", spc_range_each(ctx, a->nnz), SPC_IN(a->offsets),
                      SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_I32(kind), ARRAY(SPC_IN, y),
                      ARRAY(SPC_IN, gy), SPC_IN(sums), ARRAY(SPC_OUT, gx), SPC_I64(a->nnz));
}

static sparcl_status heads_gradient(sparcl_ctx *ctx, const char *op, sparcl_softmax kind,
                                    const sparcl_dense *gx, const sparcl_dense *gy,
                                    const sparcl_dense *y, const sparcl_csr *a) {
    const int64_t heads = gx->shape[1];
    SPC_TRY(check_head_steps(ctx, op, a, heads));
    return SPC_LAUNCH(ctx, HEADS_PROGRAM, spc_options(a->dtype, a->offset_type, SPARCL_INDEX32),
                      "heads_softmax_gradient", range_of_heads(ctx, a, heads),
                      HEADS(a, heads, kind), ARRAY(SPC_IN, y), ARRAY(SPC_IN, gy),
                      ARRAY(SPC_OUT, gx), SPC_I64(a->nnz));
}

sparcl_status sparcl_csr_softmax_gradient(sparcl_ctx *ctx, sparcl_softmax kind,
                                          const sparcl_dense *gx, const sparcl_dense *gy,
                                          const sparcl_dense *y, const sparcl_csr *a) {
    static const char *const op = "csr_softmax_gradient";
    SPC_TRY(check_gradient(ctx, op, gx, gy, y, a));
    SPC_TRY(check_kind(ctx, op, kind));
    const int64_t heads = heads_of(gx);
    if (a->nnz == 0 || heads == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status =
        (heads > 1 ? heads_gradient : gradient)(ctx, op, kind, gx, gy, y, a);
    spc_scratch_release(ctx, mark);
    return status;
}
