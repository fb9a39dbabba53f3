/* csr_broadcast.c: the entries of a CSR matrix with a number for each row or column, or one for
 * all; the gradient by these numbers. */
#include "base/size.h"
#include "ops/shared/dense_elements.h"
#include "ops/shared/halves.h"
#include "sparcl/ops.h"

#define PROGRAM "entries+csr_broadcast"

/* Entries of a group: of a GPU, so that its search of rows is a small part of its work; and on
 * devices with short loops. */
#define GPU_CHUNK   2048
#define SHORT_CHUNK 1024

/* The others would give elements that are not stored a value. */
static sparcl_status check_operation(sparcl_ctx *ctx, const char *name, sparcl_binary_op op) {
    if (op == SPARCL_BINARY_MULTIPLY || op == SPARCL_BINARY_DIVIDE) return SPARCL_OK;
    if ((int)op < 0 || op > SPARCL_BINARY_MINIMUM)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the operation is %d, expected 2 or 3", name,
                            (int)op);
    return spc_ctx_fail(ctx, SPARCL_E_ARG,
                        "%s: the operation is not multiply or divide, so the result of a sparse "
                        "matrix would be dense; convert it first (sparcl_csr_to_dense) and use "
                        "sparcl_binary",
                        name);
}

static sparcl_status check_axis(sparcl_ctx *ctx, const char *name, int axis) {
    if (axis == 0 || axis == 1) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the axis is %d, expected 0 or 1", name, axis);
}

/* v, for the rows or the columns of a. */
static sparcl_status check_vector(sparcl_ctx *ctx, const char *name, const char *v_name,
                                  const sparcl_dense *v, const sparcl_csr *a, int axis) {
    const int64_t size = axis == 1 ? a->rows : a->cols;
    SPC_TRY(spc_check_dense_of(ctx, name, v_name, v, SPC_FLOATS));
    SPC_TRY(spc_check_same_dtype(ctx, name, v_name, v->dtype, "A", a->dtype));
    if (v->rank != 1 || v->shape[0] != size || spc_dense_ld(v) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has rank %d, %lld elements and ld %lld, expected a packed "
                            "vector of %lld, one for each %s of A",
                            name, v_name, v->rank, (long long)v->shape[0],
                            (long long)spc_dense_ld(v), (long long)size,
                            axis == 1 ? "row" : "column");
    return SPARCL_OK;
}

/* z, one number for each entry of a. */
static sparcl_status check_entries(sparcl_ctx *ctx, const char *name, const char *z_name,
                                   const sparcl_dense *z, const sparcl_csr *a) {
    SPC_TRY(spc_check_dense_of(ctx, name, z_name, z, SPC_FLOATS));
    SPC_TRY(spc_check_same_dtype(ctx, name, z_name, z->dtype, "A", a->dtype));
    if (z->rank != 1 || z->shape[0] != a->nnz || spc_dense_ld(z) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has rank %d, %lld elements and ld %lld, expected a packed "
                            "vector of %lld, one for each entry of A",
                            name, z_name, z->rank, (long long)z->shape[0],
                            (long long)spc_dense_ld(z), (long long)a->nnz);
    return SPARCL_OK;
}

/* A result overlaps no index array of a, and its values only where it replaces them. */
static sparcl_status check_overlap(sparcl_ctx *ctx, const char *name, const char *z_name,
                                   const sparcl_dense *z, const sparcl_csr *a, bool may_replace) {
    const sparcl_dense values = spc_csr_values(a);
    const spc_span result = spc_dense_span(z_name, z);
    const spc_span arrays[] = {spc_array_span("offsets", "A", a->offsets, a->offsets_at,
                                              a->rows + 1, sparcl_itype_size(a->offset_type)),
                               spc_array_span("indices", "A", a->indices, a->indices_at, a->nnz,
                                              sparcl_itype_size(a->index_type)),
                               spc_dense_span("the values of A", &values)};
    SPC_TRY(spc_check_alias(ctx, name, &result, arrays, may_replace ? 2 : 3));
    return may_replace ? spc_check_in_place(ctx, name, z_name, z, "the values of A", &values)
                       : SPARCL_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

static sparcl_status launch_rows(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *z,
                                 const sparcl_csr *a, const sparcl_dense *v) {
    const bool is_gpu = spc_ctx_is_gpu(ctx);
    const int64_t workers = spc_range_each(ctx, a->nnz).global;
    const int64_t chunk = is_gpu                     ? GPU_CHUNK
                          : spc_has_short_loops(ctx) ? SHORT_CHUNK
                                                     : spc_ceil_div(a->nnz, workers);
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(a->dtype, a->offset_type, a->index_type),
                      "broadcast_rows", spc_range_groups(ctx, spc_ceil_div(a->nnz, chunk)),
                      SPC_I32(op == SPARCL_BINARY_DIVIDE), SPC_I64(chunk), SPC_IN(a->offsets),
                      SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_IN(a->values),
                      SPC_I64(a->values_at), SPC_I64(a->nnz), SPC_IN(v->values),
                      SPC_I64(v->values_at), SPC_OUT(z->values), SPC_I64(z->values_at));
}

static sparcl_status launch_columns(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *z,
                                    const sparcl_csr *a, const sparcl_dense *v) {
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_options(a->dtype, a->offset_type, a->index_type), "broadcast_columns",
        spc_range_each(ctx, a->nnz), SPC_I32(op == SPARCL_BINARY_DIVIDE), SPC_IN(a->offsets),
        SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_IN(a->indices), SPC_I64(a->indices_at),
        SPC_IN(a->values), SPC_I64(a->values_at), SPC_I64(a->nnz), SPC_IN(v->values),
        SPC_I64(v->values_at), SPC_OUT(z->values), SPC_I64(z->values_at));
}

static sparcl_status launch(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *z,
                            const sparcl_csr *a, const sparcl_dense *v, int axis) {
    if (a->nnz == 0) return SPARCL_OK;
    return axis == 1 ? launch_rows(ctx, op, z, a, v) : launch_columns(ctx, op, z, a, v);
}

sparcl_status sparcl_csr_broadcast(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *z,
                                   const sparcl_csr *a, const sparcl_dense *v, int axis) {
    static const char name[] = "csr_broadcast";
    SPC_TRY(spc_check_csr_of(ctx, name, "A", a, SPC_FLOATS));
    SPC_TRY(check_operation(ctx, name, op));
    SPC_TRY(check_axis(ctx, name, axis));
    SPC_TRY(check_vector(ctx, name, "V", v, a, axis));
    SPC_TRY(check_entries(ctx, name, "Z", z, a));
    SPC_TRY(check_overlap(ctx, name, "Z", z, a, true));
    const spc_span result = spc_dense_span("Z", z), operand = spc_dense_span("V", v);
    SPC_TRY(spc_check_alias(ctx, name, &result, &operand, 1));
    SPC_TRY(spc_need_csr(ctx, name, "A", a, SPARCL_VALID));
    return launch(ctx, op, z, a, v, axis);
}

sparcl_status sparcl_csr_binary_scalar(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *z,
                                       const sparcl_csr *a, double y) {
    static const char name[] = "csr_binary_scalar";
    SPC_TRY(spc_check_csr_of(ctx, name, "A", a, SPC_FLOATS));
    const bool adds_0 = (op == SPARCL_BINARY_ADD || op == SPARCL_BINARY_SUBTRACT) && y == 0;
    if (!adds_0) SPC_TRY(check_operation(ctx, name, op));
    SPC_TRY(check_entries(ctx, name, "Z", z, a));
    SPC_TRY(check_overlap(ctx, name, "Z", z, a, true));
    const sparcl_dense values = spc_csr_values(a);
    return sparcl_binary_scalar(ctx, op, z, &values, y);
}

/* --- the gradient by v ------------------------------------------------------------------------ */

typedef struct gradient {
    sparcl_binary_op op;
    const sparcl_dense *gv;
    const sparcl_csr *a;
    const sparcl_dense *v, *gz;
    int axis;
    sparcl_pattern *pattern;
} gradient;

/* products := for each entry its product with gz, or minus that of a quotient. */
static sparcl_status find_products(sparcl_ctx *ctx, const gradient *g,
                                   const sparcl_dense *products) {
    const sparcl_dense values = spc_csr_values(g->a);
    if (g->op == SPARCL_BINARY_MULTIPLY)
        return sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, products, g->gz, &values);
    sparcl_csr quotient = *g->a;
    quotient.values = products->values;
    quotient.values_at = 0;
    SPC_TRY(launch(ctx, g->op, products, g->a, g->v, g->axis));
    SPC_TRY(sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, products, g->gz, products));
    return launch(ctx, g->op, products, &quotient, g->v, g->axis);
}

/* gv := the sums of the products of each row, or column. */
static sparcl_status sum_products(sparcl_ctx *ctx, const gradient *g,
                                  const sparcl_dense *products) {
    sparcl_csr terms = *g->a;
    terms.values = products->values;
    terms.values_at = 0;
    return sparcl_csr_reduce(ctx, SPARCL_REDUCE_SUM, SPARCL_OVER_STORED, g->gv, &terms, g->axis,
                             NULL, 0, g->pattern);
}

static sparcl_status find_gradient(sparcl_ctx *ctx, const gradient *g) {
    const sparcl_dtype dtype = g->a->dtype;
    sparcl_dense products = {.rank = 1, .dtype = dtype, .shape = {g->a->nnz}};
    SPC_TRY(spc_scratch_push(ctx, &products.values, g->a->nnz, sparcl_dtype_size(dtype)));
    SPC_TRY(find_products(ctx, g, &products));
    SPC_TRY(sum_products(ctx, g, &products));
    if (g->op != SPARCL_BINARY_DIVIDE) return SPARCL_OK;
    return sparcl_unary(ctx, SPARCL_UNARY_NEGATIVE, g->gv, g->gv);
}

/* The same as F32: only gv is rounded to 16 bits. */
static sparcl_status find_gradient_of_halves(sparcl_ctx *ctx, const gradient *g) {
    sparcl_csr a;
    sparcl_dense gv, v, gz;
    const gradient wide = {g->op, &gv, &a, &v, &gz, g->axis, g->pattern};
    SPC_TRY(spc_widen_csr(ctx, g->a, &a));
    SPC_TRY(spc_widen(ctx, g->v, g->op == SPARCL_BINARY_DIVIDE, &v));
    SPC_TRY(spc_widen(ctx, g->gz, true, &gz));
    SPC_TRY(spc_widen(ctx, g->gv, false, &gv));
    SPC_TRY(find_gradient(ctx, &wide));
    return sparcl_copy(ctx, g->gv, &gv);
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const char *name, const sparcl_dense *gv,
                                    const sparcl_csr *a, const sparcl_dense *v,
                                    const sparcl_dense *gz, int axis) {
    SPC_TRY(check_axis(ctx, name, axis));
    SPC_TRY(check_vector(ctx, name, "V", v, a, axis));
    SPC_TRY(check_vector(ctx, name, "GV", gv, a, axis));
    SPC_TRY(check_entries(ctx, name, "GZ", gz, a));
    const spc_span result = spc_dense_span("GV", gv);
    const spc_span operands[] = {spc_dense_span("V", v), spc_dense_span("GZ", gz)};
    SPC_TRY(spc_check_alias(ctx, name, &result, operands, 2));
    SPC_TRY(check_overlap(ctx, name, "GV", gv, a, false));
    return spc_need_csr(ctx, name, "A", a, SPARCL_VALID);
}

sparcl_status sparcl_csr_broadcast_gradient(sparcl_ctx *ctx, sparcl_binary_op op,
                                            const sparcl_dense *gv, const sparcl_csr *a,
                                            const sparcl_dense *v, const sparcl_dense *gz, int axis,
                                            sparcl_pattern *pattern) {
    static const char name[] = "csr_broadcast_gradient";
    const gradient g = {op, gv, a, v, gz, axis, pattern};
    SPC_TRY(spc_check_csr_of(ctx, name, "A", a, SPC_FLOATS));
    SPC_TRY(check_operation(ctx, name, op));
    SPC_TRY(check_gradient(ctx, name, gv, a, v, gz, axis));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status =
        (spc_is_half(a->dtype) ? find_gradient_of_halves : find_gradient)(ctx, &g);
    spc_scratch_release(ctx, mark);
    return status;
}
