/* test_graph_product.c: a product with one column that is computed with its losses has the bits of
 * the two operations, for all kinds of matrices and types. */
#include "graph_test.h"
#include "sparcl/optim_text.h"

enum { COLUMNS = 700 };

typedef struct setting {
    spec_kind kind;
    int64_t rows, entries;
    sparcl_dtype dtype;
    sparcl_itype type;
    sparcl_loss loss;
    bool has_bias, is_vector;
} setting;

/* Losses and weights after two steps; and the launches of the last one. */
static int64_t train(sparcl_ctx *ctx, const setting *s, bool fuses, double *losses,
                     double *weights) {
    sparcl_graph *g = NULL;
    sparcl_optim optim;
    const int64_t shape[] = {COLUMNS, 1}, one = 1;
    spec_matrix matrix;
    sparcl_csr x;
    sparcl_dense y = {.rank = 1, .dtype = s->dtype, .shape = {s->rows}}, value;
    sparcl_optim_init(&optim, SPARCL_RULE_ADAGRAD);
    optim.lr = 0.5;
    assert_true(spec_matrix_make(&matrix, s->kind, s->rows, COLUMNS, s->entries, 11));
    assert_ok(ctx, spec_put_csr(ctx, &x, &matrix, s->dtype, s->type, s->type));
    assert_ok(ctx, sparcl_csr_validate(ctx, &x, SPARCL_VALID)); /* finds the longest row */
    double *const labels = must_have(spec_numbers(s->rows, 12));
    for (int64_t i = 0; i < s->rows; ++i)
        labels[i] = labels[i] > 0;
    assert_ok(ctx, spec_put_reals(ctx, &y.values, labels, s->rows, s->dtype));
    free(labels);
    assert_ok(ctx, sparcl_graph_create(ctx, &g));
    sparcl_graph_set_dtype(g, s->dtype);
    sparcl_graph_set_fusion(g, fuses);
    const sparcl_node x_node = sparcl_graph_csr(g, "x", s->rows, COLUMNS, x.nnz);
    const sparcl_node y_node = sparcl_graph_dense(g, "y", 1, &s->rows);
    const sparcl_node w = sparcl_graph_parameter(g, "w", s->is_vector ? 1 : 2, shape, &optim);
    sparcl_node scores = sparcl_graph_spmm(g, x_node, w);
    if (s->has_bias)
        scores = sparcl_graph_binary(g, SPARCL_BINARY_ADD, scores,
                                     sparcl_graph_parameter(g, "b", 1, &one, &optim));
    const sparcl_node loss = sparcl_graph_loss(g, s->loss, scores, y_node);
    sparcl_graph_output(g, loss);
    assert_ok(ctx, sparcl_graph_backward(g, sparcl_graph_mean(g, loss)));
    assert_ok(ctx, sparcl_graph_bind_csr(g, x_node, &x));
    assert_ok(ctx, sparcl_graph_bind_dense(g, y_node, &y));
    assert_ok(ctx, sparcl_graph_step(g));
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_graph_step(g));
    const int64_t launches = sparcl_ctx_launches(ctx) - before;
    assert_ok(ctx, sparcl_graph_value(g, loss, &value));
    assert_ok(ctx, spec_get_reals(ctx, value.values, value.values_at, s->rows, s->dtype, losses));
    assert_ok(ctx, sparcl_graph_value(g, w, &value));
    assert_ok(ctx, spec_get_reals(ctx, value.values, 0, COLUMNS, s->dtype, weights));
    spec_matrix_free(&matrix);
    sparcl_csr_free(&x);
    sparcl_dense_free(&y);
    sparcl_graph_free(g);
    return launches;
}

static int64_t compare(sparcl_ctx *ctx, const setting *s) {
    double *losses[2], *weights[2];
    int64_t launches[2];
    for (int fuses = 0; fuses < 2; ++fuses) {
        losses[fuses] = must_have(calloc((size_t)s->rows + 1, sizeof(double)));
        weights[fuses] = must_have(calloc(COLUMNS, sizeof(double)));
        launches[fuses] = train(ctx, s, fuses, losses[fuses], weights[fuses]);
    }
    assert_memory_equal(losses[0], losses[1], (size_t)s->rows * sizeof(double));
    assert_memory_equal(weights[0], weights[1], COLUMNS * sizeof(double));
    for (int fuses = 0; fuses < 2; ++fuses) {
        free(losses[fuses]);
        free(weights[fuses]);
    }
    return launches[0] - launches[1];
}

static void a_product_with_its_losses_has_the_bits_of_both(void **state) {
    sparcl_ctx *ctx = *state;
    /* without entries; rows of 0 to about 20, 60 and 200 entries; rows that are too long for one
     * launch */
    static const int64_t sizes[][2] = {{1, 5},      {40, 0},   {300, 2000},
                                       {130, 5000}, {9, 1500}, {3, 1800}};
    const bool has_f64 = sparcl_ctx_device(ctx)->has_f64;
    int64_t saved = 0;
    for (int i = 0; i < 96; ++i) {
        const int64_t *const size = sizes[i % 6];
        const setting s = {.kind = i % 5 == 4 ? SPEC_RAGGED : SPEC_UNIFORM,
                           .rows = size[0],
                           .entries = size[1],
                           .dtype = has_f64 && i / 6 % 2 ? SPARCL_F64 : SPARCL_F32,
                           .type = i / 12 % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                           .loss = i / 24 % 2 ? SPARCL_LOSS_SQUARED : SPARCL_LOSS_LOGISTIC,
                           .has_bias = i / 48 % 2,
                           .is_vector = i % 7 < 3};
        saved += compare(ctx, &s);
    }
    assert_true(saved > 80); /* at least the launch of the losses beside their gradient */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_with_its_losses_has_the_bits_of_both)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
