/* field_interactions.c: interactions of the entries of each row of a CSR matrix. */
#include "sparcl/ops/layers.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/shared/fold.h"
#include "ops/shared/rows.h"

#define PROGRAM "entries+field_interactions"

typedef long long ll; /* for %lld */

/* The operands of both operations. */
typedef struct operands {
    const sparcl_csr *a;
    const sparcl_list *fields;
    const sparcl_dense *e;
    int64_t width; /* of a block */
} operands;

static sparcl_status check_shapes(sparcl_ctx *ctx, const char *op, operands *x) {
    const int64_t nnz = x->a->nnz, limit = x->fields->limit;
    if (x->fields->count != nnz)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: fields has %lld elements, expected one for each of %lld entries",
                            op, (ll)x->fields->count, (ll)nnz);
    if (x->e->rank != 2 || x->e->shape[0] != nnz || limit < 1 || x->e->shape[1] % limit != 0)
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE,
            "%s: E has rank %d and is %lld x %lld, expected %lld rows of blocks for "
            "each of %lld fields",
            op, x->e->rank, (ll)x->e->shape[0], (ll)x->e->shape[1], (ll)nnz, (ll)limit);
    x->width = x->e->shape[1] / limit;
    return SPARCL_OK;
}

static sparcl_status check_operands(sparcl_ctx *ctx, const char *op, operands *x) {
    SPC_TRY(spc_check_csr(ctx, op, "A", x->a));
    SPC_TRY(spc_check_list(ctx, op, "fields", x->fields));
    SPC_TRY(spc_check_dense(ctx, op, "E", x->e));
    SPC_TRY(check_shapes(ctx, op, x));
    SPC_TRY(spc_check_same_dtype(ctx, op, "E", x->e->dtype, "A", x->a->dtype));
    SPC_TRY(spc_need_csr(ctx, op, "A", x->a, SPARCL_VALID));
    return spc_need_list(ctx, op, "fields", x->fields, SPARCL_VALID);
}

/* t or its gradient. */
static sparcl_status check_terms(sparcl_ctx *ctx, const char *op, const char *name,
                                 const sparcl_dense *t, const operands *x) {
    SPC_TRY(spc_check_dense(ctx, op, name, t));
    SPC_TRY(spc_check_packed(ctx, op, name, t, x->a->nnz, x->a->dtype));
    return SPARCL_OK;
}

static spc_spans spans_of(const operands *x) {
    spc_spans spans = spc_csr_spans("A", x->a);
    spans.at[spans.count++] = spc_list_span("fields", x->fields);
    spans.at[spans.count++] = spc_dense_span("E", x->e);
    return spans;
}

/* A row may have all entries where its length is not known. */
static sparcl_status check_loops(sparcl_ctx *ctx, const char *op, const operands *x) {
    const int64_t longest = spc_min_i64(spc_csr_longest(x->a), x->a->nnz);
    int64_t iterations;
    if (!spc_mul_i64(longest, x->width + 1, &iterations)) iterations = INT64_MAX;
    SPC_TRY(spc_check_iterations(ctx, op, iterations));
    return spc_check_iterations(ctx, op, x->e->shape[1]);
}

static spc_args args_of(const operands *x) {
    spc_args list = {.count = 0};
    spc_args_add_array(&list, SPC_IN(x->a->offsets), x->a->offsets_at);
    spc_args_add_array(&list, SPC_IN(x->a->values), x->a->values_at);
    spc_args_add(&list, SPC_I64(x->a->rows));
    spc_args_add(&list, SPC_I64(x->a->nnz));
    spc_args_add_array(&list, SPC_IN(x->fields->indices), x->fields->indices_at);
    spc_args_add(&list, SPC_I32(x->fields->index_type == SPARCL_INDEX64));
    spc_args_add_array(&list, SPC_IN(x->e->values), x->e->values_at);
    spc_args_add(&list, SPC_I64(spc_dense_ld(x->e)));
    spc_args_add(&list, SPC_I64(x->width));
    return list;
}

static sparcl_status launch(sparcl_ctx *ctx, const char *kernel, const operands *x,
                            const spc_args *list) {
    const int64_t longest = spc_min_i64(spc_csr_longest(x->a), x->a->nnz), most = 1 << 20;
    const int64_t cost = spc_min_i64(longest, most) * (spc_min_i64(x->width, most) + 1);
    return spc_launch(
        ctx, PROGRAM, spc_options(x->a->dtype, x->a->offset_type, SPARCL_INDEX32), kernel,
        spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, x->a->nnz) : spc_range_rows(ctx, x->a->nnz, cost),
        list->at, list->count);
}

sparcl_status sparcl_field_interactions(sparcl_ctx *ctx, const sparcl_dense *t, const sparcl_csr *a,
                                        const sparcl_list *fields, const sparcl_dense *e) {
    static const char op[] = "field_interactions";
    operands x = {a, fields, e, 0};
    SPC_TRY(check_operands(ctx, op, &x));
    SPC_TRY(check_terms(ctx, op, "t", t, &x));
    const spc_span result = spc_dense_span("t", t);
    const spc_spans read = spans_of(&x);
    SPC_TRY(spc_check_alias(ctx, op, &result, read.at, read.count));
    SPC_TRY(check_loops(ctx, op, &x));
    if (a->nnz == 0) return SPARCL_OK;
    spc_args list = args_of(&x);
    spc_args_add_array(&list, SPC_OUT(t->values), t->values_at);
    return launch(ctx, "field_interactions", &x, &list);
}

sparcl_status sparcl_field_interactions_gradient(sparcl_ctx *ctx, const sparcl_dense *ge,
                                                 const sparcl_csr *a, const sparcl_list *fields,
                                                 const sparcl_dense *e, const sparcl_dense *gt) {
    static const char op[] = "field_interactions_gradient";
    operands x = {a, fields, e, 0};
    SPC_TRY(check_operands(ctx, op, &x));
    SPC_TRY(check_terms(ctx, op, "gt", gt, &x));
    SPC_TRY(spc_check_dense(ctx, op, "ge", ge));
    SPC_TRY(spc_check_same_shape(ctx, op, "ge", ge->rank, ge->shape, "E", e->rank, e->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, "ge", ge->dtype, "E", e->dtype));
    const spc_span result = spc_dense_span("ge", ge);
    spc_spans read = spans_of(&x);
    read.at[read.count++] = spc_dense_span("gt", gt);
    SPC_TRY(spc_check_alias(ctx, op, &result, read.at, read.count));
    SPC_TRY(check_loops(ctx, op, &x));
    if (a->nnz == 0) return SPARCL_OK;
    spc_args list = args_of(&x);
    spc_args_add_array(&list, SPC_IN(gt->values), gt->values_at);
    spc_args_add_array(&list, SPC_OUT(ge->values), ge->values_at);
    spc_args_add(&list, SPC_I64(spc_dense_ld(ge)));
    spc_args_add(&list, SPC_I64(ge->shape[1]));
    return launch(ctx, "field_interactions_gradient", &x, &list);
}
