/* multiply_dense.c: CSR matrices times dense ones element by element, and the gradients. */
#include "launch/launch.h"
#include "ops/elements/csr_binary.h"
#include "ops/shared/dense_elements.h"
#include "ops/shared/densify.h"
#include "ops/shared/halves.h"
#include "sparcl/ops/elements.h"

typedef long long ll; /* for %lld */

static const char dense_op[] = "csr_multiply_dense", gradient_op[] = "csr_multiply_dense_gradient";

/* The dense operand, or its gradient. */
static sparcl_status check_dense_like(sparcl_ctx *ctx, const char *op, const char *name,
                                      const sparcl_dense *x, const sparcl_csr *a) {
    SPC_TRY(spc_check_dense_of(ctx, op, name, x, SPC_FLOATS));
    if (x->rank != 2 || x->shape[0] != a->rows || x->shape[1] != a->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: A is %lld x %lld, %s has rank %d and %lld rows of %lld, expected "
                            "one shape",
                            op, (ll)a->rows, (ll)a->cols, name, x->rank, (ll)x->shape[0],
                            (ll)spc_shape_width(x->rank, x->shape));
    return spc_check_same_dtype(ctx, op, name, x->dtype, "A", a->dtype);
}

static sparcl_status multiply_dense(sparcl_ctx *ctx, const sparcl_dense *v, const sparcl_csr *a,
                                    const sparcl_dense *x) {
    if (a->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, SPC_CSR_BINARY, spc_options(a->dtype, a->offset_type, a->index_type),
                      "multiply_dense", spc_range_each(ctx, a->nnz), SPC_IN(a->offsets),
                      SPC_I64(a->offsets_at), SPC_IN(a->indices), SPC_I64(a->indices_at),
                      SPC_I64(a->rows), SPC_I64(a->nnz), SPC_IN(a->values), SPC_I64(a->values_at),
                      SPC_IN(x->values), SPC_I64(x->values_at), SPC_I64(spc_dense_ld(x)),
                      SPC_OUT(v->values), SPC_I64(v->values_at));
}

sparcl_status sparcl_csr_multiply_dense(sparcl_ctx *ctx, const sparcl_dense *v, const sparcl_csr *a,
                                        const sparcl_dense *x) {
    SPC_TRY(spc_check_csr_of(ctx, dense_op, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_entry_vector(ctx, dense_op, "v", v, a->nnz));
    SPC_TRY(check_dense_like(ctx, dense_op, "X", x, a));
    SPC_TRY(spc_check_same_dtype(ctx, dense_op, "v", v->dtype, "A", a->dtype));
    const spc_span result = spc_dense_span("v", v);
    spc_spans operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("X", x);
    SPC_TRY(spc_check_alias(ctx, dense_op, &result, operands.at, operands.count));
    SPC_TRY(spc_need_csr(ctx, dense_op, "A", a, SPARCL_VALID));
    return multiply_dense(ctx, v, a, x);
}

/* --- its gradients ---------------------------------------------------------------------------- */

static sparcl_status check_dense_gradient(sparcl_ctx *ctx, const sparcl_dense *gv,
                                          const sparcl_dense *gx, const sparcl_dense *g,
                                          const sparcl_csr *a, const sparcl_dense *x) {
    spc_spans results = {.count = 0}, operands;
    SPC_TRY(spc_check_csr_of(ctx, gradient_op, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_entry_vector(ctx, gradient_op, "G", g, a->nnz));
    SPC_TRY(spc_check_same_dtype(ctx, gradient_op, "G", g->dtype, "A", a->dtype));
    SPC_TRY(check_dense_like(ctx, gradient_op, "X", x, a));
    if (gv) {
        SPC_TRY(spc_check_entry_vector(ctx, gradient_op, "gv", gv, a->nnz));
        SPC_TRY(spc_check_same_dtype(ctx, gradient_op, "gv", gv->dtype, "A", a->dtype));
        results.at[results.count++] = spc_dense_span("gv", gv);
    }
    if (gx) {
        SPC_TRY(check_dense_like(ctx, gradient_op, "gx", gx, a));
        results.at[results.count++] = spc_dense_span("gx", gx);
    }
    operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("X", x);
    operands.at[operands.count++] = spc_dense_span("G", g);
    SPC_TRY(spc_check_spans(ctx, gradient_op, &results, &operands));
    return spc_need_csr(ctx, gradient_op, "A", a, SPARCL_VALID);
}

/* *product := A with its values times g; 16 bits as F32. */
static sparcl_status multiply_values(sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_dense *g,
                                     sparcl_csr *product) {
    const bool is_half = spc_is_half(a->dtype);
    const sparcl_dense stored = spc_csr_values(a);
    sparcl_dense own = stored, values = stored, other = *g;
    *product = *a;
    product->dtype = own.dtype = is_half ? SPARCL_F32 : a->dtype;
    own.values_at = product->values_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &own.values, a->nnz, spc_real_size(a->dtype)));
    product->values = own.values;
    product->proof.flags = SPARCL_TRUSTED | sparcl_csr_flags(a);
    if (is_half) {
        SPC_TRY(spc_widen(ctx, &stored, true, &values));
        SPC_TRY(spc_widen(ctx, g, true, &other));
    }
    return sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, &own, &values, &other);
}

static sparcl_status scatter_products(sparcl_ctx *ctx, const sparcl_dense *gx,
                                      const sparcl_dense *g, const sparcl_csr *a) {
    sparcl_dense to = *gx;
    sparcl_csr product;
    if (gx->shape[0] == 0 || gx->shape[1] == 0) return SPARCL_OK;
    if (a->nnz == 0) return spc_zero_dense(ctx, gx);
    SPC_TRY(multiply_values(ctx, a, g, &product));
    if (!spc_is_half(a->dtype)) return spc_csr_place(ctx, gx, &product);
    SPC_TRY(spc_widen(ctx, gx, false, &to));
    SPC_TRY(spc_csr_place(ctx, &to, &product));
    return sparcl_copy(ctx, gx, &to);
}

sparcl_status sparcl_csr_multiply_dense_gradient(sparcl_ctx *ctx, const sparcl_dense *gv,
                                                 const sparcl_dense *gx, const sparcl_dense *g,
                                                 const sparcl_csr *a, const sparcl_dense *x) {
    SPC_TRY(check_dense_gradient(ctx, gv, gx, g, a, x));
    sparcl_csr own = *a;
    own.values = g->values;
    own.values_at = g->values_at;
    if (gv) SPC_TRY(multiply_dense(ctx, gv, &own, x));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = gx ? scatter_products(ctx, gx, g, a) : SPARCL_OK;
    spc_scratch_release(ctx, mark);
    return status;
}
