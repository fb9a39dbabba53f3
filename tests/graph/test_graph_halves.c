/* test_graph_halves.c: every operation in F16 and in BF16, forward and its gradients, against F32.
 */
#include <math.h>

#include "gradients.h"

/* The same model in F32 has the same inputs and parameters, which all types have. A result of F16
 * or BF16 is that of F32 on the same numbers, rounded once, by at most half a unit in its last
 * place: the two differ by these roundings only, which the operations that follow add up and pass
 * on. So the bound is a number of half units of the largest element: UNITS, and where curved
 * functions and quotients pass errors on enlarged, STEEP_UNITS. */
enum { UNITS = 16, STEEP_UNITS = 64 };

static double bound_of(const gradient_case *c, sparcl_dtype dtype, double largest) {
    return (c->kind == STEEP ? STEEP_UNITS : UNITS) * spec_store_error(dtype, largest);
}

/* The distance in units of the bound for numbers up to `largest`, or up to the largest. */
static double compare(const gradient_case *c, sparcl_dtype dtype, const double *got,
                      const double *expected, int64_t count, double largest) {
    double off = 0;
    for (int64_t k = 0; k < count; ++k) {
        largest = fmax(largest, fabs(expected[k]));
        off = fmax(off, isfinite(got[k]) ? fabs(got[k] - expected[k]) : INFINITY);
    }
    assert_true(largest > 0);
    return off / bound_of(c, dtype, largest);
}

/* --- one model -------------------------------------------------------------------------------- */

static double result_of(sparcl_ctx *ctx, const model *m) {
    sparcl_dense value;
    double result = 0;
    assert_ok(ctx, sparcl_graph_value(m->graph, m->result, &value));
    assert_ok(ctx, spec_get_reals(ctx, value.values, value.values_at, 1, value.dtype, &result));
    return result;
}

static sparcl_status step(sparcl_ctx *ctx, const model *m, const inputs *in) {
    put_parameters(ctx, m);
    bind_inputs(ctx, m, in);
    sparcl_graph_set_step(m->graph, 0);
    return sparcl_graph_step(m->graph);
}

/* A gradient has the type of its value. */
static void check_types(sparcl_ctx *ctx, const gradient_case *c, const model *m) {
    for (int node = 0; node < sparcl_graph_nodes(m->graph); ++node) {
        const sparcl_node gradient = sparcl_graph_gradient(m->graph, node);
        sparcl_node_info of, by;
        if (gradient == SPARCL_NO_NODE) continue;
        assert_ok(ctx, sparcl_graph_node_info(m->graph, node, &of));
        assert_ok(ctx, sparcl_graph_node_info(m->graph, gradient, &by));
        if (of.dtype != by.dtype)
            fail_msg("%s: %s is of type %d, its gradient %s of type %d", c->operation, of.name,
                     (int)of.dtype, by.name, (int)by.dtype);
    }
}

/* Without fusion a step has the same bits. */
static void check_fusion(sparcl_ctx *ctx, const model *m, const inputs *in, double **gradients) {
    sparcl_graph_set_fusion(m->graph, 0);
    assert_ok(ctx, step(ctx, m, in));
    for (int p = 0; p < m->count; ++p) {
        double *const again = read_gradient(ctx, m, p);
        assert_memory_equal(again, gradients[p], (size_t)parameter_size(ctx, m, p) * sizeof *again);
        free(again);
    }
}

static double compare_models(sparcl_ctx *ctx, const gradient_case *c, const model *half,
                             const model *full, const inputs *in) {
    const double got = result_of(ctx, half), expected = result_of(ctx, full);
    double *gradients[PARAMETERS] = {NULL};
    /* a mean or a sum of terms that may cancel */
    double worst = compare(c, half->dtype, &got, &expected, 1, 0.1);
    for (int p = 0; p < half->count; ++p) {
        double *const of_full = read_gradient(ctx, full, p);
        gradients[p] = read_gradient(ctx, half, p);
        worst = fmax(
            worst, compare(c, half->dtype, gradients[p], of_full, parameter_size(ctx, half, p), 0));
        free(of_full);
    }
    check_fusion(ctx, half, in, gradients);
    for (int p = 0; p < half->count; ++p)
        free(gradients[p]);
    return worst;
}

/* The distance in units of the bound. */
static double check_case(sparcl_ctx *ctx, const gradient_case *c, sparcl_dtype dtype) {
    model half = make_model(ctx, c, dtype), full = make_reference(ctx, c);
    const int classes = c->kind == CLASSES ? WIDTH : 2;
    inputs of_half = make_inputs(ctx, &half, dtype, SPARCL_INDEX32, classes);
    inputs of_full = make_inputs(ctx, &full, dtype, SPARCL_INDEX32, classes);
    check_types(ctx, c, &half);
    assert_ok(ctx, step(ctx, &half, &of_half));
    assert_ok(ctx, step(ctx, &full, &of_full));
    const double worst = compare_models(ctx, c, &half, &full, &of_half);
    free_inputs(&of_half);
    free_inputs(&of_full);
    sparcl_graph_free(half.graph);
    sparcl_graph_free(full.graph);
    return worst;
}

static void check_cases(sparcl_ctx *ctx, sparcl_dtype dtype) {
    const char *const name = dtype == SPARCL_F16 ? "float16" : "bfloat16";
    const gradient_case *c = NULL;
    int failed = 0;
    for (int i = 0; (c = case_at(i)); ++i) {
        const double worst = check_case(ctx, c, dtype);
        print_message("%-14s %s: %.3f of the bound\n", c->operation, name, worst);
        failed += worst > 1;
    }
    assert_int_equal(failed, 0);
}

static void operations_in_f16_are_those_of_f32_rounded(void **state) {
    check_cases(*state, SPARCL_F16);
}

static void operations_in_bf16_are_those_of_f32_rounded(void **state) {
    check_cases(*state, SPARCL_BF16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_in_f16_are_those_of_f32_rounded),
        cmocka_unit_test(operations_in_bf16_are_those_of_f32_rounded),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
