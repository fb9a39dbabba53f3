/* test_graph_gradients.c: the gradient of every operation, against central differences; in F64
 * where the device has it. */
#include <math.h>

#include "gradients.h"

/* --- differences ------------------------------------------------------------------------------ */

static double result_of(sparcl_ctx *ctx, const model *m) {
    sparcl_dense value;
    double result = 0;
    sparcl_graph_set_step(m->graph, 0); /* the masks of dropout are those of the gradient */
    assert_ok(ctx, sparcl_graph_forward(m->graph));
    assert_ok(ctx, sparcl_graph_value(m->graph, m->result, &value));
    assert_ok(ctx, spec_get_reals(ctx, value.values, value.values_at, 1, value.dtype, &result));
    return result;
}

/* The central difference by element k of a parameter. */
static double difference(sparcl_ctx *ctx, const model *m, int p, int64_t k) {
    sparcl_dense w;
    double at[2], old = 0;
    assert_ok(ctx, sparcl_graph_value(m->graph, m->parameters[p], &w));
    const double h = w.dtype == SPARCL_F64 ? ldexp(1, -17) : ldexp(1, -7);
    assert_ok(ctx, spec_get_reals(ctx, w.values, k, 1, w.dtype, &old));
    for (int side = 0; side < 3; ++side) {
        const double x = side == 2 ? old : side ? old + h : old - h;
        const float narrow = (float)x;
        const int64_t size = (int64_t)sparcl_dtype_size(w.dtype);
        assert_ok(ctx, sparcl_buf_write(ctx, w.values, k * size, size,
                                        w.dtype == SPARCL_F64 ? (const void *)&x : &narrow));
        if (side < 2) at[side] = result_of(ctx, m);
    }
    return (at[1] - at[0]) / (2 * h);
}

/* A central difference of a quadratic function has no error but rounding; of a curved one it has
 * one of h^2, large where it is steep, and it is wrong where a step crosses a kink. */
static double tolerance(const gradient_case *c, sparcl_dtype dtype, double result, double value) {
    static const double factors[] = {
        [QUADRATIC] = 1, [CURVED] = 4, [STEEP] = 40, [KINKED] = 100, [CLASSES] = 4, [NARROW] = 1};
    const double curved = c->kind == STEEP ? 1e-8 : 1e-9;
    if (dtype == SPARCL_F64) return 1e-10 * fmax(1, fabs(result)) + curved * fabs(value);
    return factors[c->kind] * (2e-5 * fmax(1, fabs(result)) + 1e-4 * fabs(value));
}

static double check_parameter(sparcl_ctx *ctx, const model *m, const gradient_case *c, int p,
                              sparcl_dtype dtype, const double *gradient) {
    const int64_t count = parameter_size(ctx, m, p);
    const double result = result_of(ctx, m);
    double worst = 0;
    int64_t nonzero = 0;
    for (int64_t k = 0; k < count; ++k) {
        const double expected = difference(ctx, m, p, k);
        const double off = fabs(gradient[k] - expected) / tolerance(c, dtype, result, expected);
        if (!(off <= 1))
            fail_msg("%s, element %lld of parameter %d: gradient %.12g, difference %.12g",
                     c->operation, (long long)k, p, gradient[k], expected);
        if (off > worst) worst = off;
        nonzero += gradient[k] != 0;
    }
    assert_true(nonzero > count / 3);
    return worst;
}

static double check_case(sparcl_ctx *ctx, const gradient_case *c, sparcl_dtype dtype,
                         sparcl_itype type) {
    model m = make_model(ctx, c, dtype);
    inputs in = make_inputs(ctx, &m, dtype, type, c->kind == CLASSES ? WIDTH : 2);
    double *gradients[PARAMETERS] = {NULL}, worst = 0;
    put_parameters(ctx, &m);
    bind_inputs(ctx, &m, &in);
    assert_ok(ctx, sparcl_graph_step(m.graph));
    for (int p = 0; p < m.count; ++p)
        gradients[p] = read_gradient(ctx, &m, p);
    put_parameters(ctx, &m); /* back to where the gradient was taken */
    for (int p = 0; p < m.count; ++p) {
        worst = fmax(worst, check_parameter(ctx, &m, c, p, dtype, gradients[p]));
        free(gradients[p]);
    }
    free_inputs(&in);
    sparcl_graph_free(m.graph);
    return worst;
}

static void check_cases(sparcl_ctx *ctx, sparcl_dtype dtype) {
    const gradient_case *c = NULL;
    for (int i = 0; (c = case_at(i)); ++i) {
        const bool wide = (i + (dtype == SPARCL_F64)) % 2;
        if (c->kind == NARROW && dtype != SPARCL_F64) continue;
        if (!test_is_chosen(i, test_every(), 0)) continue;
        print_message("%-14s %s: %.3f of the bound\n", c->operation,
                      dtype == SPARCL_F64 ? "float64" : "float32",
                      check_case(ctx, c, dtype, wide ? SPARCL_INDEX64 : SPARCL_INDEX32));
    }
}

static void gradients_equal_differences(void **state) {
    check_cases(*state, SPARCL_F32);
}

static void gradients_equal_differences_in_f64(void **state) {
    if (!sparcl_ctx_device(*state)->has_f64) skip();
    check_cases(*state, SPARCL_F64);
}

static void every_operation_has_a_case(void **state) {
    const sparcl_operation_info *op = NULL;
    (void)state;
    for (int i = 0; (op = sparcl_graph_operation(i)); ++i) {
        bool found = !op->gradients; /* an operation of gradients only */
        for (int k = 0; case_at(k); ++k)
            found |= strcmp(case_at(k)->operation, op->name) == 0;
        if (!found) fail_msg("%s has no case", op->name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_equal_differences),
        cmocka_unit_test(gradients_equal_differences_in_f64),
        cmocka_unit_test(every_operation_has_a_case),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
