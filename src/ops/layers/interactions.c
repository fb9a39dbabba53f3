/* interactions.c: interactions of all pairs of entries of each row of a CSR matrix. */
#include "sparcl/ops.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/products/pattern.h"
#include "ops/shared/check.h"
#include "ops/shared/fold.h"
#include "ops/shared/product_choice.h"
#include "ops/shared/rows.h"

#define PROGRAM "panel+interactions"

typedef long long ll; /* for %lld */

/* The operands of both operations. */
typedef struct operands {
    const sparcl_csr *a;
    const sparcl_dense *b, *sums;
} operands;

static sparcl_status check_shapes(sparcl_ctx *ctx, const char *op, const operands *x) {
    const sparcl_dense *const b = x->b, *const sums = x->sums;
    if (b->rank == 2 && b->shape[0] == x->a->cols && sums->rank == 2 &&
        sums->shape[0] == x->a->rows && sums->shape[1] == b->shape[1])
        return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: A is %lld x %lld, B of rank %d with %lld x %lld and sums of rank %d "
                        "with %lld x %lld, expected a row of B for each column and of sums for "
                        "each row of A, as wide as B",
                        op, (ll)x->a->rows, (ll)x->a->cols, b->rank, (ll)b->shape[0],
                        (ll)b->shape[1], sums->rank, (ll)sums->shape[0], (ll)sums->shape[1]);
}

static sparcl_status check_operands(sparcl_ctx *ctx, const char *op, const operands *x) {
    SPC_TRY(spc_check_csr(ctx, op, "A", x->a));
    SPC_TRY(spc_check_dense(ctx, op, "B", x->b));
    SPC_TRY(spc_check_dense(ctx, op, "sums", x->sums));
    SPC_TRY(check_shapes(ctx, op, x));
    SPC_TRY(spc_check_same_dtype(ctx, op, "B", x->b->dtype, "A", x->a->dtype));
    SPC_TRY(spc_check_same_dtype(ctx, op, "sums", x->sums->dtype, "A", x->a->dtype));
    return spc_need_csr(ctx, op, "A", x->a, SPARCL_VALID);
}

static spc_spans spans_of(const operands *x) {
    spc_spans spans = spc_csr_spans("A", x->a);
    spans.at[spans.count++] = spc_dense_span("B", x->b);
    spans.at[spans.count++] = spc_dense_span("sums", x->sums);
    return spans;
}

/* --- interactions ----------------------------------------------------------------------------- */

/* A row may have all entries where its length is not known. */
static sparcl_status check_loops(sparcl_ctx *ctx, const char *op, const operands *x) {
    const int64_t longest = spc_min_i64(spc_csr_longest(x->a), x->a->nnz);
    int64_t iterations;
    if (!spc_mul_i64(longest + 1, x->b->shape[1], &iterations)) iterations = INT64_MAX;
    return spc_check_iterations(ctx, op, iterations);
}

static void add_matrix(spc_args *list, const sparcl_dense *x) {
    spc_args_add_array(list, SPC_IN(x->values), x->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(x)));
}

sparcl_status sparcl_interactions(sparcl_ctx *ctx, const sparcl_dense *z, const sparcl_csr *a,
                                  const sparcl_dense *b, const sparcl_dense *sums) {
    static const char op[] = "interactions";
    const operands x = {a, b, sums};
    SPC_TRY(check_operands(ctx, op, &x));
    SPC_TRY(spc_check_dense(ctx, op, "z", z));
    SPC_TRY(spc_check_packed(ctx, op, "z", z, a->rows, a->dtype));
    const spc_span result = spc_dense_span("z", z);
    const spc_spans read = spans_of(&x);
    SPC_TRY(spc_check_alias(ctx, op, &result, read.at, read.count));
    SPC_TRY(check_loops(ctx, op, &x));
    if (a->rows == 0) return SPARCL_OK;
    const int64_t width = b->shape[1], mean = a->nnz / a->rows + 1;
    spc_args list = {.count = 0};
    spc_args_add_array(&list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add_array(&list, SPC_IN(a->indices), a->indices_at);
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add(&list, SPC_I64(a->rows));
    add_matrix(&list, b);
    add_matrix(&list, sums);
    spc_args_add(&list, SPC_I64(width));
    spc_args_add_array(&list, SPC_OUT(z->values), z->values_at);
    spc_args_add(&list, SPC_I32(spc_prefetch_distance(ctx, b->shape[0], width, b->dtype)));
    spc_args_add(&list, SPC_I64(a->nnz));
    return spc_launch(ctx, PROGRAM, spc_options(a->dtype, a->offset_type, a->index_type), op,
                      spc_range_rows(ctx, a->rows, spc_ctx_is_gpu(ctx) ? width : mean * width),
                      list.at, list.count);
}

/* --- the gradient ----------------------------------------------------------------------------- */

static sparcl_status subtract_own(sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_dense *b,
                                  const sparcl_dense *gz, const sparcl_pattern *p) {
    const int64_t width = b->shape[1], capacity = spc_pattern_capacity(p);
    spc_args list = {.count = 0};
    spc_args_add(&list, SPC_IN(p->starts));
    spc_args_add(&list, SPC_IN(p->row_of));
    spc_args_add(&list, SPC_IN(p->columns));
    spc_args_add(&list, SPC_IN(p->found));
    spc_args_add(&list, SPC_IN(p->values));
    spc_args_add(&list, SPC_I64(capacity));
    add_matrix(&list, b);
    spc_args_add_array(&list, SPC_IN(gz->values), gz->values_at);
    spc_args_add_array(&list, SPC_OUT(r->values), r->values_at);
    spc_args_add(&list, SPC_I64(width));
    if (capacity == 0 || width == 0) return SPARCL_OK;
    return spc_launch(
        ctx, PROGRAM, spc_options(b->dtype, p->offset_type, p->index_type), "subtract_own",
        spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, capacity) : spc_range_rows(ctx, capacity, width),
        list.at, list.count);
}

/* With a pattern. */
static sparcl_status add_up(sparcl_ctx *ctx, sparcl_rows *r, const operands *x,
                            const sparcl_dense *gz, sparcl_pattern *pattern) {
    sparcl_dense weighted = {
        .rank = 2, .dtype = x->b->dtype, .shape = {x->sums->shape[0], x->sums->shape[1]}};
    sparcl_dense of_rows = *gz;
    of_rows.rank = 2;
    of_rows.shape[1] = 1;
    SPC_TRY(spc_scratch_push(ctx, &weighted.values, weighted.shape[0] * weighted.shape[1],
                             sparcl_dtype_size(weighted.dtype)));
    SPC_TRY(sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, &weighted, x->sums, &of_rows));
    SPC_TRY(sparcl_spmm_t_rows(ctx, r, 1, x->a, &weighted, pattern));
    return subtract_own(ctx, r, x->b, gz, pattern);
}

static sparcl_status check_result(sparcl_ctx *ctx, const char *op, const sparcl_rows *r,
                                  const operands *x, const sparcl_dense *gz) {
    SPC_TRY(spc_check_dense(ctx, op, "gz", gz));
    SPC_TRY(spc_check_packed(ctx, op, "gz", gz, x->a->rows, x->a->dtype));
    SPC_TRY(spc_check_rows(ctx, op, "R", r));
    if (r->rank != 2 || r->shape[0] != x->a->cols || r->shape[1] != x->b->shape[1])
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: R has rank %d and rows of %lld numbers for %lld, expected %lld "
                            "for %lld columns of A",
                            op, r->rank, (ll)r->shape[1], (ll)r->shape[0], (ll)x->b->shape[1],
                            (ll)x->a->cols);
    const spc_spans results = spc_rows_spans("R", r);
    spc_spans read = spans_of(x);
    read.at[read.count++] = spc_dense_span("gz", gz);
    SPC_TRY(spc_check_spans(ctx, op, &results, &read));
    /* A column has an entry of each row, or, with duplicates, all. */
    const bool is_unique = sparcl_csr_flags(x->a) & SPARCL_UNIQUE;
    return spc_check_iterations(ctx, op, is_unique ? x->a->rows : x->a->nnz);
}

sparcl_status sparcl_interactions_rows(sparcl_ctx *ctx, sparcl_rows *r, const sparcl_csr *a,
                                       const sparcl_dense *b, const sparcl_dense *sums,
                                       const sparcl_dense *gz, sparcl_pattern *pattern) {
    static const char op[] = "interactions_rows";
    const operands x = {a, b, sums};
    sparcl_pattern *made = NULL;
    SPC_TRY(check_operands(ctx, op, &x));
    SPC_TRY(check_result(ctx, op, r, &x, gz));
    if (pattern) SPC_TRY(spc_pattern_check(ctx, op, pattern, a));
    sparcl_status status = SPARCL_OK;
    if (!pattern) status = sparcl_pattern_create(ctx, &made);
    if (made) status = sparcl_pattern_build(ctx, made, a);
    if (!pattern) pattern = made;
    const int mark = spc_scratch_mark(ctx);
    if (status == SPARCL_OK) status = spc_pattern_values(ctx, pattern, a);
    if (status == SPARCL_OK) status = add_up(ctx, r, &x, gz, pattern);
    spc_scratch_release(ctx, mark);
    sparcl_pattern_free(made);
    return status;
}
