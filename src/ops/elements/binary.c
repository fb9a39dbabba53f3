/* binary.c: operations on two dense arrays, the second one broadcast, and their gradients. */
#include "ops/shared/dense_elements.h"
#include "ops/shared/halves.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/reductions.h"

#define PROGRAM "elements+binary"

/* Where a number of y is used. */
typedef enum broadcast { EACH_ELEMENT, EACH_ROW, EACH_COLUMN, EVERYWHERE } broadcast;

/* Of kernels: row i of y begins at i * row; step is 0 where it is one number. */
typedef struct shape {
    broadcast kind;
    int64_t row, step;
} shape;

static bool is_one(const int64_t *sizes, int count) {
    for (int i = 0; i < count; ++i)
        if (sizes[i] != 1) return false;
    return true;
}

static bool is_equal(const int64_t *a, const int64_t *b, int count) {
    for (int i = 0; i < count; ++i)
        if (a[i] != b[i]) return false;
    return true;
}

/* Is y one row of x: its shape without the first dimension, or with 1 there? */
static bool is_row(const sparcl_dense *y, const sparcl_dense *x) {
    const int rest = x->rank - 1;
    if (rest == 0) return false;
    if (y->rank == rest) return is_equal(y->shape, x->shape + 1, rest);
    return y->rank == x->rank && y->shape[0] == 1 && is_equal(y->shape + 1, x->shape + 1, rest);
}

/* The shape of x itself comes first: a matrix [1, 1] is not broadcast to another. */
static sparcl_status find_shape(sparcl_ctx *ctx, const char *op, const sparcl_dense *y,
                                const sparcl_dense *x, shape *s) {
    const int64_t ld = spc_dense_ld(y);
    if (y->rank == x->rank && is_equal(y->shape, x->shape, x->rank))
        *s = (shape){EACH_ELEMENT, ld, 1};
    else if (is_one(y->shape, y->rank))
        *s = (shape){EVERYWHERE, 0, 0};
    else if (is_row(y, x))
        *s = (shape){EACH_ROW, 0, 1};
    else if (y->rank == x->rank && y->shape[0] == x->shape[0] && is_one(y->shape + 1, y->rank - 1))
        *s = (shape){EACH_COLUMN, ld, 0};
    else
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: Y has rank %d and %lld rows of %lld, X has rank %d and %lld rows "
                            "of %lld, expected the shape of X, a row of it, [rows, 1] or [1]",
                            op, y->rank, (long long)y->shape[0],
                            (long long)spc_shape_width(y->rank, y->shape), x->rank,
                            (long long)x->shape[0], (long long)spc_shape_width(x->rank, x->shape));
    if (s->kind == EACH_ROW && !spc_is_packed(y) && y->shape[0] > 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: Y has ld %lld, expected packed elements", op,
                            (long long)ld);
    return SPARCL_OK;
}

static sparcl_status check_operation(sparcl_ctx *ctx, const char *name, sparcl_binary_op op) {
    if ((int)op >= 0 && op <= SPARCL_BINARY_MINIMUM) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the operation is %d, expected 0 to %d", name,
                        (int)op, (int)SPARCL_BINARY_MINIMUM);
}

/* y as an operand of x: its type and shape. */
static sparcl_status check_operand(sparcl_ctx *ctx, const char *name, const sparcl_dense *y,
                                   const sparcl_dense *x, shape *s) {
    SPC_TRY(spc_check_dense_of(ctx, name, "Y", y, SPC_FLOATS));
    SPC_TRY(spc_check_same_dtype(ctx, name, "Y", y->dtype, "X", x->dtype));
    return find_shape(ctx, name, y, x, s);
}

/* A result may be an operand of its own shape, but not overlap it otherwise. */
static sparcl_status check_result(sparcl_ctx *ctx, const char *name, const char *z_name,
                                  const sparcl_dense *z, const char *x_name, const sparcl_dense *x,
                                  bool may_be_same) {
    const spc_span result = spc_dense_span(z_name, z), operand = spc_dense_span(x_name, x);
    if (may_be_same) return spc_check_in_place(ctx, name, z_name, z, x_name, x);
    return spc_check_alias(ctx, name, &result, &operand, 1);
}

/* Rows may be joined where all are packed and y is not used row by row. */
static bool has_gaps(const shape *s, const sparcl_dense *y, const sparcl_dense *x,
                     const sparcl_dense *z) {
    if (!spc_is_packed(x) || !spc_is_packed(z)) return true;
    return s->kind == EACH_ELEMENT ? !spc_is_packed(y) : s->kind != EVERYWHERE;
}

/* A kernel of its own: graphs have many sums, and it has fewer arguments. */
static sparcl_status launch_sum(sparcl_ctx *ctx, const sparcl_dense *z, const sparcl_dense *x,
                                const sparcl_dense *y, const shape *s, spc_elements e) {
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32), "add",
                      spc_range_elements(ctx, e.m * e.n, 1), SPC_DENSE_IN(x), SPC_IN(y->values),
                      SPC_I64(y->values_at), SPC_I64(s->row), SPC_I64(s->step), SPC_DENSE_OUT(z),
                      SPC_I64(e.m), SPC_I64(e.n));
}

sparcl_status sparcl_binary(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *z,
                            const sparcl_dense *x, const sparcl_dense *y) {
    shape s;
    SPC_TRY(spc_check_dense_pair(ctx, "binary", "Z", z, "X", x, SPC_FLOATS));
    SPC_TRY(check_operation(ctx, "binary", op));
    SPC_TRY(check_operand(ctx, "binary", y, x, &s));
    SPC_TRY(check_result(ctx, "binary", "Z", z, "X", x, true));
    SPC_TRY(check_result(ctx, "binary", "Z", z, "Y", y, s.kind == EACH_ELEMENT));
    const spc_elements e = spc_elements_of(x, has_gaps(&s, y, x, z));
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    if (op == SPARCL_BINARY_ADD) return launch_sum(ctx, z, x, y, &s, e);
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32), "binary",
                      spc_range_elements(ctx, e.m * e.n, 1), SPC_I32(op), SPC_DENSE_IN(x),
                      SPC_REAL(x->dtype, 0), SPC_IN(y->values), SPC_I64(y->values_at),
                      SPC_I64(s.row), SPC_I64(s.step), SPC_DENSE_OUT(z), SPC_I64(e.m),
                      SPC_I64(e.n));
}

sparcl_status sparcl_binary_scalar(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *z,
                                   const sparcl_dense *x, double y) {
    SPC_TRY(spc_check_dense_pair(ctx, "binary_scalar", "Z", z, "X", x, SPC_FLOATS));
    SPC_TRY(check_operation(ctx, "binary_scalar", op));
    SPC_TRY(check_result(ctx, "binary_scalar", "Z", z, "X", x, true));
    const spc_elements e = spc_elements_of(x, !spc_is_packed(x) || !spc_is_packed(z));
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32), "binary",
                      spc_range_elements(ctx, e.m * e.n, 1), SPC_I32(op), SPC_DENSE_IN(x),
                      SPC_REAL(x->dtype, y), SPC_IN(NULL), SPC_I64(0), SPC_I64(0), SPC_I64(0),
                      SPC_DENSE_OUT(z), SPC_I64(e.m), SPC_I64(e.n));
}

/* --- gradients -------------------------------------------------------------------------------- */

/* As B_BY_Y in cl/binary.cl. */
#define BY_Y ((int)SPARCL_BINARY_MINIMUM + 1)

/* One product for each element of x, into g, which is F32 or of the type of x. */
static sparcl_status launch_gradient(sparcl_ctx *ctx, int op, const sparcl_dense *g,
                                     const sparcl_dense *x, const sparcl_dense *y, const shape *s,
                                     const sparcl_dense *gz) {
    const spc_elements e = spc_elements_of(x, has_gaps(s, y, x, gz) || !spc_is_packed(g));
    const char *const kernel = g->dtype == x->dtype ? "binary_gradient" : "binary_products";
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32), kernel,
                      spc_range_elements(ctx, e.m * e.n, 1), SPC_I32(op), SPC_DENSE_IN(x),
                      SPC_IN(y->values), SPC_I64(y->values_at), SPC_I64(s->row), SPC_I64(s->step),
                      SPC_DENSE_IN(gz), SPC_DENSE_OUT(g), SPC_I64(e.m), SPC_I64(e.n));
}

static sparcl_status add_products(sparcl_ctx *ctx, const sparcl_dense *sums, const shape *s,
                                  const sparcl_dense *products) {
    if (s->kind == EACH_ROW) return sparcl_sum_rows(ctx, sums, 1, products, 0);
    return sparcl_dense_reduce(ctx, SPARCL_REDUCE_SUM, sums, products,
                               s->kind == EACH_COLUMN ? 1 : -1);
}

/* gy := the sum of products, a packed matrix, over the elements that a number of y was used for.
 * Sums of 16 bits are F32 until they are complete. */
static sparcl_status sum_products(sparcl_ctx *ctx, const sparcl_dense *gy, const shape *s,
                                  const sparcl_dense *products) {
    const int64_t count = gy->shape[0] * spc_shape_width(gy->rank, gy->shape);
    const sparcl_dense result = {.rank = 1,
                                 .dtype = gy->dtype,
                                 .shape = {count},
                                 .values = gy->values,
                                 .values_at = gy->values_at};
    sparcl_dense sums;
    if (gy->dtype == products->dtype) return add_products(ctx, &result, s, products);
    SPC_TRY(spc_widen(ctx, &result, false, &sums));
    SPC_TRY(add_products(ctx, &sums, s, products));
    return sparcl_copy(ctx, &result, &sums);
}

static sparcl_status check_sum(sparcl_ctx *ctx, const sparcl_dense *gy, const shape *s) {
    if (s->kind == EACH_ELEMENT) return SPARCL_OK;
    if (!spc_is_packed(gy) && gy->shape[0] > 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "binary_gradient: GY has ld %lld and is a sum, expected packed "
                            "elements",
                            (long long)spc_dense_ld(gy));
    return SPARCL_OK;
}

static sparcl_status gradient_by_y(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *gy,
                                   const sparcl_dense *x, const sparcl_dense *y, const shape *s,
                                   const sparcl_dense *gz) {
    const int64_t m = x->shape[0], n = spc_shape_width(x->rank, x->shape);
    sparcl_dense products = {.rank = 2, .dtype = x->dtype, .shape = {m, n}};
    if (spc_is_half(x->dtype)) products.dtype = SPARCL_F32;
    if (s->kind == EACH_ELEMENT) return launch_gradient(ctx, BY_Y + (int)op, gy, x, y, s, gz);
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status =
        spc_scratch_push(ctx, &products.values, m * n, sparcl_dtype_size(products.dtype));
    if (status == SPARCL_OK) status = launch_gradient(ctx, BY_Y + (int)op, &products, x, y, s, gz);
    if (status == SPARCL_OK) status = sum_products(ctx, gy, s, &products);
    spc_scratch_release(ctx, mark);
    return status;
}

/* A gradient g like x (or y), and what it must not overlap. */
static sparcl_status check_gradient(sparcl_ctx *ctx, const char *g_name, const sparcl_dense *g,
                                    const char *like_name, const sparcl_dense *like,
                                    const sparcl_dense *const operands[3], bool may_be_gz) {
    static const char *const names[] = {"X", "Y", "GZ"};
    SPC_TRY(spc_check_dense_pair(ctx, "binary_gradient", g_name, g, like_name, like, SPC_FLOATS));
    for (int i = 0; i < 3; ++i)
        SPC_TRY(check_result(ctx, "binary_gradient", g_name, g, names[i], operands[i],
                             i == 2 && may_be_gz));
    return SPARCL_OK;
}

sparcl_status sparcl_binary_gradient(sparcl_ctx *ctx, sparcl_binary_op op, const sparcl_dense *gx,
                                     const sparcl_dense *gy, const sparcl_dense *x,
                                     const sparcl_dense *y, const sparcl_dense *gz) {
    const sparcl_dense *const operands[] = {x, y, gz};
    shape s;
    SPC_TRY(spc_check_dense_pair(ctx, "binary_gradient", "GZ", gz, "X", x, SPC_FLOATS));
    SPC_TRY(check_operation(ctx, "binary_gradient", op));
    SPC_TRY(check_operand(ctx, "binary_gradient", y, x, &s));
    if (gx) SPC_TRY(check_gradient(ctx, "GX", gx, "X", x, operands, !gy));
    if (gy) {
        SPC_TRY(check_gradient(ctx, "GY", gy, "Y", y, operands, !gx && s.kind == EACH_ELEMENT));
        SPC_TRY(check_sum(ctx, gy, &s));
    }
    if (gx && gy) SPC_TRY(check_result(ctx, "binary_gradient", "GY", gy, "GX", gx, false));
    if (gx) SPC_TRY(launch_gradient(ctx, (int)op, gx, x, y, &s, gz));
    return gy ? gradient_by_y(ctx, op, gy, x, y, &s, gz) : SPARCL_OK;
}
