/* unary.c: functions of one number and their gradients; clip. */
#include "ops/elements/unary.h"

#include "ops/shared/dense_elements.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/elements.h"

/* A function that is not of sparcl_unary_op, with kernels of its own. */
#define CLIP ((sparcl_unary_op)(SPARCL_UNARY_RSQRT + 1))

/* What a gradient is computed from, and by which program. */
typedef enum source { OF_NONE, OF_X, OF_Y } source;

/* What cl/unary.cl comes after in a program. */
typedef enum needs { NOTHING, ELEMENTARY, FUNCTIONS } needs;

typedef struct function {
    const char *name;
    needs program;
    source source;
    needs gradient_program;
} function;

static const function functions[] = {
    [SPARCL_UNARY_ABS] = {"abs", NOTHING, OF_X, NOTHING},
    [SPARCL_UNARY_SIGN] = {"sign", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_ROUND] = {"round", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_RINT] = {"rint", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_FLOOR] = {"floor", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_CEIL] = {"ceil", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_TRUNC] = {"trunc", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_SQRT] = {"sqrt", NOTHING, OF_Y, NOTHING},
    [SPARCL_UNARY_SQUARE] = {"square", NOTHING, OF_X, NOTHING},
    [SPARCL_UNARY_NEGATIVE] = {"negative", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_RELU] = {"relu", NOTHING, OF_Y, NOTHING},
    [SPARCL_UNARY_RADIANS] = {"radians", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_DEGREES] = {"degrees", NOTHING, OF_NONE, NOTHING},
    [SPARCL_UNARY_CBRT] = {"cbrt", FUNCTIONS, OF_Y, NOTHING},
    [SPARCL_UNARY_SIN] = {"sin", FUNCTIONS, OF_X, FUNCTIONS},
    [SPARCL_UNARY_TAN] = {"tan", FUNCTIONS, OF_Y, NOTHING},
    [SPARCL_UNARY_ARCSIN] = {"arcsin", FUNCTIONS, OF_X, NOTHING},
    [SPARCL_UNARY_ARCTAN] = {"arctan", FUNCTIONS, OF_X, NOTHING},
    [SPARCL_UNARY_SINH] = {"sinh", FUNCTIONS, OF_X, FUNCTIONS},
    [SPARCL_UNARY_TANH] = {"tanh", ELEMENTARY, OF_Y, NOTHING},
    [SPARCL_UNARY_ARCSINH] = {"arcsinh", FUNCTIONS, OF_X, NOTHING},
    [SPARCL_UNARY_ARCTANH] = {"arctanh", FUNCTIONS, OF_X, NOTHING},
    [SPARCL_UNARY_EXPM1] = {"expm1", FUNCTIONS, OF_Y, NOTHING},
    [SPARCL_UNARY_LOG1P] = {"log1p", FUNCTIONS, OF_X, NOTHING},
    [SPARCL_UNARY_EXP] = {"exp", ELEMENTARY, OF_Y, NOTHING},
    [SPARCL_UNARY_LOG] = {"log", ELEMENTARY, OF_X, NOTHING},
    [SPARCL_UNARY_SIGMOID] = {"sigmoid", ELEMENTARY, OF_Y, NOTHING},
    [SPARCL_UNARY_RECIPROCAL] = {"reciprocal", NOTHING, OF_Y, NOTHING},
    [SPARCL_UNARY_RSQRT] = {"rsqrt", NOTHING, OF_Y, NOTHING},
    [CLIP] = {"clip", NOTHING, OF_X, NOTHING},
};

const char *sparcl_unary_name(sparcl_unary_op op) {
    return (int)op >= 0 && op < CLIP ? functions[op].name : NULL;
}

int sparcl_unary_needs_y(sparcl_unary_op op) {
    return (int)op >= 0 && op < CLIP && functions[op].source == OF_Y;
}

int sparcl_unary_keeps_zero(sparcl_unary_op op) {
    return (int)op >= 0 && op < SPARCL_UNARY_EXP;
}

/* A function with its arguments; low and high are those of clip. */
typedef struct call {
    const char *name; /* of the operation, for messages */
    sparcl_unary_op op;
    double low, high;
} call;

static sparcl_status check_call(sparcl_ctx *ctx, const call *c) {
    if ((int)c->op < 0 || c->op > CLIP)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the function is %d, expected 0 to %d", c->name,
                            (int)c->op, (int)SPARCL_UNARY_RSQRT);
    if (!(c->low <= c->high))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: low is %g and high %g, expected low <= high",
                            c->name, c->low, c->high);
    return SPARCL_OK;
}

/* Cost of an elementary function, relative to an element that is only moved. */
#define LONG_COST 16

static const char *program_of(needs which) {
    return which == NOTHING      ? "elements+unary"
           : which == ELEMENTARY ? "elementary+elements+unary"
                                 : "elementary+unary_functions+elements+unary";
}

/* The first arguments of a kernel: the limits of clip, else the second one only, the function. */
#define WHICH(c, dtype)                                                                            \
    SPC_REAL((dtype), (c)->low), (c)->op == CLIP ? SPC_REAL((dtype), (c)->high) : SPC_I32((c)->op)

/* Of checked arrays; bias NULL: none. */
static sparcl_status launch(sparcl_ctx *ctx, const call *c, const sparcl_dense *y,
                            const sparcl_dense *x, const sparcl_dense *bias) {
    const needs program = functions[c->op].program;
    const spc_elements e = spc_elements_of(x, bias || !spc_is_packed(x) || !spc_is_packed(y));
    const spc_arg args[] = {WHICH(c, x->dtype),
                            SPC_DENSE_IN(x),
                            SPC_DENSE_OUT(y),
                            SPC_I64(e.m),
                            SPC_I64(e.n),
                            SPC_IN(bias ? bias->values : NULL),
                            SPC_I64(bias ? bias->values_at : 0)};
    const size_t first = c->op == CLIP ? 0 : 1, last = SPC_COUNT(args) - (bias ? 0 : 2);
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return spc_launch(ctx, program_of(program),
                      spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32) |
                          (bias ? SPC_VARIANT : 0u),
                      c->op == CLIP ? "clip" : "unary",
                      spc_range_elements(ctx, e.m * e.n, program == NOTHING ? 1 : LONG_COST),
                      args + first, last - first);
}

static sparcl_status apply(sparcl_ctx *ctx, const call *c, const sparcl_dense *y,
                           const sparcl_dense *x) {
    SPC_TRY(spc_check_dense_pair(ctx, c->name, "Y", y, "X", x, SPC_FLOATS));
    SPC_TRY(check_call(ctx, c));
    SPC_TRY(spc_check_in_place(ctx, c->name, "Y", y, "X", x));
    return launch(ctx, c, y, x, NULL);
}

sparcl_status spc_unary_biased(sparcl_ctx *ctx, sparcl_unary_op op, const sparcl_dense *y,
                               const sparcl_dense *x, const sparcl_dense *bias) {
    const call c = {.name = "unary", .op = op};
    return launch(ctx, &c, y, x, bias);
}

static sparcl_status launch_gradient(sparcl_ctx *ctx, const call *c, const sparcl_dense *gx,
                                     const sparcl_dense *value, const sparcl_dense *gy) {
    const needs program = functions[c->op].gradient_program;
    const spc_elements e =
        spc_elements_of(gx, !spc_is_packed(gx) || !spc_is_packed(value) || !spc_is_packed(gy));
    const size_t first = c->op == CLIP ? 0 : 1;
    call kernel = *c;
    if (c->op >= SPARCL_UNARY_ROUND && c->op <= SPARCL_UNARY_TRUNC) kernel.op = SPARCL_UNARY_SIGN;
    const spc_arg args[] = {WHICH(&kernel, gx->dtype), SPC_DENSE_IN(value), SPC_DENSE_IN(gy),
                            SPC_DENSE_OUT(gx),         SPC_I64(e.m),        SPC_I64(e.n)};
    if (e.m == 0 || e.n == 0) return SPARCL_OK;
    return spc_launch(ctx, program_of(program),
                      spc_options(gx->dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                      c->op == CLIP ? "clip_gradient" : "unary_gradient",
                      spc_range_elements(ctx, e.m * e.n, program == NOTHING ? 1 : LONG_COST),
                      args + first, SPC_COUNT(args) - first);
}

static sparcl_status apply_gradient(sparcl_ctx *ctx, const call *c, const sparcl_dense *gx,
                                    const sparcl_dense *value, const sparcl_dense *gy) {
    SPC_TRY(spc_check_dense_pair(ctx, c->name, "GX", gx, "GY", gy, SPC_FLOATS));
    SPC_TRY(spc_check_dense_pair(ctx, c->name, "the value", value, "GY", gy, SPC_FLOATS));
    SPC_TRY(check_call(ctx, c));
    const spc_span result = spc_dense_span("GX", gx), operand = spc_dense_span("the value", value);
    SPC_TRY(spc_check_alias(ctx, c->name, &result, &operand, 1));
    SPC_TRY(spc_check_in_place(ctx, c->name, "GX", gx, "GY", gy));
    return launch_gradient(ctx, c, gx, value, gy);
}

sparcl_status sparcl_unary(sparcl_ctx *ctx, sparcl_unary_op op, const sparcl_dense *y,
                           const sparcl_dense *x) {
    const call c = {.name = "unary", .op = op == CLIP ? (sparcl_unary_op)-1 : op};
    return apply(ctx, &c, y, x);
}

sparcl_status sparcl_unary_gradient(sparcl_ctx *ctx, sparcl_unary_op op, const sparcl_dense *gx,
                                    const sparcl_dense *value, const sparcl_dense *gy) {
    const call c = {.name = "unary_gradient", .op = op == CLIP ? (sparcl_unary_op)-1 : op};
    return apply_gradient(ctx, &c, gx, value, gy);
}

sparcl_status sparcl_clip(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x, double low,
                          double high) {
    const call c = {"clip", CLIP, low, high};
    return apply(ctx, &c, y, x);
}

sparcl_status sparcl_clip_gradient(sparcl_ctx *ctx, const sparcl_dense *gx, const sparcl_dense *x,
                                   const sparcl_dense *gy, double low, double high) {
    const call c = {"clip_gradient", CLIP, low, high};
    return apply_gradient(ctx, &c, gx, x, gy);
}

/* --- sparse arrays ---------------------------------------------------------------------------- */

/* The result of f(0) != 0 would be dense. */
static sparcl_status check_keeps_0(sparcl_ctx *ctx, const call *c) {
    SPC_TRY(check_call(ctx, c));
    if (c->op != CLIP && !sparcl_unary_keeps_zero(c->op))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: %s of 0 is not 0, so the result of a sparse array would be dense; "
                            "convert it first (sparcl_csr_to_dense, sparcl_rows_to_dense)",
                            c->name, functions[c->op].name);
    if (c->op == CLIP && (c->low > 0 || c->high < 0))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: low is %g and high %g, expected low <= 0 <= high: 0 would not "
                            "stay 0 and the result be dense; convert the array first "
                            "(sparcl_csr_to_dense, sparcl_rows_to_dense)",
                            c->name, c->low, c->high);
    return SPARCL_OK;
}

static sparcl_status apply_csr(sparcl_ctx *ctx, const call *c, const sparcl_dense *y,
                               const sparcl_csr *x) {
    SPC_TRY(spc_check_csr_of(ctx, c->name, "X", x, SPC_FLOATS));
    SPC_TRY(check_keeps_0(ctx, c));
    const sparcl_dense values = spc_csr_values(x);
    return apply(ctx, c, y, &values);
}

static sparcl_status apply_rows(sparcl_ctx *ctx, const call *c, const sparcl_dense *y,
                                const sparcl_rows *x) {
    SPC_TRY(spc_check_rows_of(ctx, c->name, "X", x, SPC_FLOATS));
    SPC_TRY(check_keeps_0(ctx, c));
    const sparcl_dense values = spc_rows_values(x);
    return apply(ctx, c, y, &values);
}

sparcl_status sparcl_csr_unary(sparcl_ctx *ctx, sparcl_unary_op op, const sparcl_dense *y,
                               const sparcl_csr *x) {
    const call c = {.name = "csr_unary", .op = op == CLIP ? (sparcl_unary_op)-1 : op};
    return apply_csr(ctx, &c, y, x);
}

sparcl_status sparcl_rows_unary(sparcl_ctx *ctx, sparcl_unary_op op, const sparcl_dense *y,
                                const sparcl_rows *x) {
    const call c = {.name = "rows_unary", .op = op == CLIP ? (sparcl_unary_op)-1 : op};
    return apply_rows(ctx, &c, y, x);
}

sparcl_status sparcl_csr_clip(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_csr *x,
                              double low, double high) {
    const call c = {"csr_clip", CLIP, low, high};
    return apply_csr(ctx, &c, y, x);
}

sparcl_status sparcl_rows_clip(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_rows *x,
                               double low, double high) {
    const call c = {"rows_clip", CLIP, low, high};
    return apply_rows(ctx, &c, y, x);
}
