/* test_graph_clip.c: gradients that are clipped by the norm of all of them: the bits of plain C,
 * PyTorch's numbers, row-sparse and shared gradients, catching up, and what is refused. */
#include "graph_test.h"

#include "sparcl/ops.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

enum { CLASSES = 3, MOST = COLS * CLASSES };

/* --- plain C ---------------------------------------------------------------------------------- */

/* Rule S with one column, of docs/numerics.md, of the squares of `count` numbers. */
static float plain_squares(const float *x, int64_t count) {
    float total = 0;
    for (int64_t first = 0; first < count; first += 256) {
        float parts[8] = {0};
        for (int64_t k = first; k < count && k < first + 256; ++k) {
            const float square = x[k] * x[k];
            parts[(k - first) % 8] += square;
        }
        for (int half = 4; half > 0; half /= 2)
            for (int i = 0; i < half; ++i)
                parts[i] += parts[i + half];
        total += parts[0];
    }
    return total;
}

/* The factor of gradients whose squares have these sums. */
static float plain_factor(const float *sums, int count, double limit, float *norm) {
    float sum = sums[0];
    for (int i = 1; i < count; ++i)
        sum += sums[i];
    *norm = sqrtf(sum);
    const float reciprocal = 1 / (*norm + 1e-6F), factor = reciprocal * (float)limit;
    return factor <= 1 || isnan(factor) ? factor : 1;
}

/* --- models ----------------------------------------------------------------------------------- */

typedef struct biased {
    linear m;
    sparcl_node norm;
} biased;

/* x w + bias; SGD, so that a step shows the gradient. */
static biased open_biased(sparcl_ctx *ctx, double limit, double lr, bool fuses) {
    sparcl_optim optim;
    biased b;
    const int64_t shape[] = {COLS, CLASSES}, classes = CLASSES;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    optim.lr = lr;
    assert_ok(ctx, sparcl_graph_create(ctx, &b.m.graph));
    sparcl_graph *const g = b.m.graph;
    const int64_t rows = sparcl_graph_dim(g, "rows", ROWS);
    b.m.entries = sparcl_graph_dim(g, "entries", ENTRIES);
    b.m.x = sparcl_graph_csr(g, "x", rows, COLS, b.m.entries);
    b.m.y = sparcl_graph_dense(g, "y", 1, &rows);
    b.m.w = sparcl_graph_parameter(g, "w", 2, shape, &optim);
    b.m.bias = sparcl_graph_parameter(g, "bias", 1, &classes, &optim);
    b.m.losses = sparcl_graph_loss(
        g, SPARCL_LOSS_SOFTMAX,
        sparcl_graph_binary(g, SPARCL_BINARY_ADD, sparcl_graph_spmm(g, b.m.x, b.m.w), b.m.bias),
        b.m.y);
    b.m.mean = sparcl_graph_mean(g, b.m.losses);
    assert_ok(ctx, sparcl_graph_clip_global_norm(g, limit));
    assert_int_equal(sparcl_graph_global_norm(g), SPARCL_NO_NODE);
    assert_ok(ctx, sparcl_graph_backward(g, b.m.mean));
    b.norm = sparcl_graph_global_norm(g);
    if (b.norm != SPARCL_NO_NODE) sparcl_graph_output(g, b.norm);
    sparcl_graph_set_fusion(g, fuses);
    return b;
}

typedef struct taken {
    float w[MOST], bias[CLASSES], norm;
} taken;

static taken step_of(sparcl_ctx *ctx, double limit, int64_t entries, bool fuses) {
    taken t = {.norm = NAN};
    biased b = open_biased(ctx, limit, 1, fuses);
    batch data = make_batch(ctx, ROWS, entries, CLASSES, 5);
    bind(ctx, b.m.graph, b.m.x, b.m.y, &data);
    assert_ok(ctx, sparcl_graph_step(b.m.graph));
    read_value(ctx, b.m.graph, b.m.w, t.w);
    read_value(ctx, b.m.graph, b.m.bias, t.bias);
    if (b.norm != SPARCL_NO_NODE) read_value(ctx, b.m.graph, b.norm, &t.norm);
    free_batch(&data);
    sparcl_graph_free(b.m.graph);
    return t;
}

/* Tables begin with 0 and the rate is 1: a step leaves the gradient with another sign. */
static void check_step(sparcl_ctx *ctx, double limit, int64_t entries) {
    const taken whole = step_of(ctx, (double)INFINITY, entries, true);
    float rows[MOST], norm;
    int64_t stored = 0;
    for (int64_t i = 0; i < COLS; ++i) { /* rows that no entry reads are 0, and are not stored */
        bool is_stored = false;
        for (int64_t j = 0; j < CLASSES; ++j)
            is_stored |= whole.w[i * CLASSES + j] != 0;
        if (!is_stored) continue;
        memcpy(rows + stored * CLASSES, whole.w + i * CLASSES, CLASSES * sizeof *rows);
        ++stored;
    }
    const float sums[] = {plain_squares(rows, stored * CLASSES),
                          plain_squares(whole.bias, CLASSES)};
    const float factor = plain_factor(sums, 2, limit, &norm);
    for (int fuses = 0; fuses < 2; ++fuses) {
        const taken t = step_of(ctx, limit, entries, fuses);
        assert_true(t.norm == norm);
        for (int i = 0; i < MOST; ++i)
            assert_true(t.w[i] == whole.w[i] * factor);
        for (int i = 0; i < CLASSES; ++i)
            assert_true(t.bias[i] == whole.bias[i] * factor);
    }
    assert_true(isnan(whole.norm)); /* without a limit there is no node */
}

static void steps_have_the_bits_of_plain_c(void **state) {
    check_step(*state, 0.05, ENTRIES);
    check_step(*state, 0.05, 7); /* most rows are not in the gradient */
    check_step(*state, 1e9, ENTRIES);
    check_step(*state, 0, ENTRIES);
}

/* --- PyTorch ---------------------------------------------------------------------------------- */

/* Parameters w [3, 2], u [2, 2] and v [2], and the gradients 0.75 w, 2 u and v of
 * 0.375 |w|^2 + |u|^2 + 0.5 |v|^2: the sum is the loss. */
typedef struct three {
    sparcl_graph *graph;
    sparcl_node parameters[3];
} three;

static const double weights_of[] = {0.375, 1, 0.5};

static sparcl_node add_term(sparcl_graph *g, sparcl_node x, double weight) {
    return sparcl_graph_binary_scalar(
        g, SPARCL_BINARY_MULTIPLY,
        sparcl_graph_reduce(g, SPARCL_REDUCE_SQUARE_SUM, SPARCL_OVER_ALL, x, -1), weight);
}

static three open_three(sparcl_ctx *ctx, double limit) {
    static const int ranks[] = {2, 2, 1};
    static const int64_t shapes[3][2] = {{3, 2}, {2, 2}, {2}};
    static const float start[] = {1, -2, 3, 0.5F, -0.25F, 4};
    three t;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    optim.lr = 1;
    assert_ok(ctx, sparcl_graph_create(ctx, &t.graph));
    sparcl_node terms[3];
    for (int i = 0; i < 3; ++i) {
        sparcl_dense view;
        t.parameters[i] = sparcl_graph_parameter(t.graph,
                                                 i == 0   ? "w"
                                                 : i == 1 ? "u"
                                                          : "v",
                                                 ranks[i], shapes[i], &optim);
        terms[i] = add_term(t.graph, t.parameters[i], weights_of[i]);
        assert_ok(ctx, sparcl_graph_value(t.graph, t.parameters[i], &view));
        assert_ok(ctx, sparcl_dense_upload(ctx, &view, start));
    }
    assert_ok(ctx, sparcl_graph_clip_global_norm(t.graph, limit));
    assert_ok(ctx, sparcl_graph_backward(t.graph, sparcl_graph_add_n(t.graph, terms, 3)));
    return t;
}

/* PyTorch 2.15: w.grad, u.grad and v.grad after clip_grad_norm_([w, u, v], limit), where
 * w = [1, -2, 3, .5, -.25, 4], u and v begin as w does; it returned the norm 8.89105034. */
static void clipped_gradients_are_those_of_pytorch(void **state) {
    static const float expected[2][12] = {
        {0.21088621F, -0.42177242F, 0.632658601F, 0.105443105F, -0.0527215526F, 0.843544841F,
         0.562363207F, -1.12472641F, 1.68708968F, 0.281181604F, 0.281181604F, -0.562363207F},
        {0.75F, -1.5F, 2.25F, 0.375F, -0.1875F, 3, 2, -4, 6, 1, 1, -2}};
    static const double limits[] = {2.5, 100};
    static const float start[] = {1, -2, 3, 0.5F, -0.25F, 4};
    static const int counts[] = {6, 4, 2};
    for (int k = 0; k < 2; ++k) {
        three t = open_three(*state, limits[k]);
        float found[6], norm;
        sparcl_graph_output(t.graph, sparcl_graph_global_norm(t.graph));
        assert_ok(*state, sparcl_graph_step(t.graph));
        read_value(*state, t.graph, sparcl_graph_global_norm(t.graph), &norm);
        assert_true(fabsf(norm - 8.89105034F) <= 2e-6F);
        for (int i = 0, at = 0; i < 3; at += counts[i++]) {
            read_value(*state, t.graph, t.parameters[i], found);
            for (int j = 0; j < counts[i]; ++j)
                assert_true(fabsf(start[j] - found[j] - expected[k][at + j]) <= 1e-6F);
        }
        sparcl_graph_free(t.graph);
    }
}

/* --- shared gradients, many parameters -------------------------------------------------------- */

/* The gradient of a sum is that of each operand: one node for many parameters. It is clipped once
 * for each of them, and counts for each. */
static void gradients_that_are_shared_are_clipped_once(void **state) {
    enum { COUNT_OF = 21 };
    sparcl_ctx *const ctx = *state;
    sparcl_graph *graph;
    sparcl_node p[COUNT_OF], sum = SPARCL_NO_NODE;
    const int64_t four = 4;
    float norm, found[4];
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    optim.lr = 1;
    assert_ok(ctx, sparcl_graph_create(ctx, &graph));
    for (int i = 0; i < COUNT_OF; ++i) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        p[i] = sparcl_graph_parameter(graph, name, 1, &four, &optim);
        sum = i == 0 ? p[0] : sparcl_graph_binary(graph, SPARCL_BINARY_ADD, sum, p[i]);
    }
    assert_ok(ctx, sparcl_graph_clip_global_norm(graph, 0.5));
    assert_ok(ctx, sparcl_graph_backward(graph, sparcl_graph_sum(graph, sum)));
    sparcl_graph_output(graph, sparcl_graph_global_norm(graph));
    assert_ok(ctx, sparcl_graph_step(graph));
    read_value(ctx, graph, sparcl_graph_global_norm(graph), &norm);
    assert_true(norm == sqrtf(4 * COUNT_OF));
    for (int i = 0; i < COUNT_OF; ++i) {
        read_value(ctx, graph, p[i], found);
        for (int j = 0; j < 4; ++j)
            assert_true(found[j] == -(1 / (norm + 1e-6F) * 0.5F));
    }
    sparcl_graph_free(graph);
}

/* Rows with one index are added before they count: a table that is read twice, by two lists. */
static void rows_with_one_index_count_once(void **state) {
    sparcl_ctx *const ctx = *state;
    static const int32_t ids[] = {3, 3, 3, 1};
    const int64_t shape[] = {5, 2};
    sparcl_list list = {.count = 4, .limit = 5, .index_type = SPARCL_INDEX32};
    sparcl_graph *graph;
    sparcl_optim optim;
    float norm, found[10];
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    optim.lr = 1;
    assert_ok(ctx, sparcl_list_upload(ctx, &list, ids, SPARCL_VALID));
    assert_ok(ctx, sparcl_graph_create(ctx, &graph));
    const int64_t n = sparcl_graph_dim(graph, "n", 4);
    const sparcl_node at = sparcl_graph_list(graph, "ids", n, 5);
    const sparcl_node table = sparcl_graph_parameter(graph, "table", 2, shape, &optim);
    const sparcl_node rows = sparcl_graph_gather(graph, table, at);
    const sparcl_node loss = sparcl_graph_sum(
        graph, sparcl_graph_reduce(graph, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, rows, 1));
    assert_ok(ctx, sparcl_graph_clip_global_norm(graph, 1));
    assert_ok(ctx, sparcl_graph_backward(graph, loss));
    sparcl_graph_output(graph, sparcl_graph_global_norm(graph));
    assert_ok(ctx, sparcl_graph_bind_list(graph, at, &list));
    assert_ok(ctx, sparcl_graph_step(graph));
    read_value(ctx, graph, sparcl_graph_global_norm(graph), &norm);
    assert_true(norm == sqrtf(2 * 9 + 2 * 1)); /* row 3 has 3 and 3, row 1 has 1 and 1 */
    const float factor = 1 / (norm + 1e-6F);
    read_value(ctx, graph, table, found);
    for (int i = 0; i < 10; ++i)
        assert_true(found[i] == -(i / 2 == 3 ? 3 * factor : i / 2 == 1 ? factor : 0));
    sparcl_graph_free(graph);
    sparcl_list_free(&list);
}

/* --- rows that catch up ----------------------------------------------------------------------- */

/* Clipped steps of SPARCL_MOVES_EXACT are those of SPARCL_MOVES_ALL but for rounding. */
static void rows_catch_up_as_without_clipping(void **state) {
    static const char *const texts[] = {"adam:lr=0.05", "momentum:lr=0.5,weight_decay=0.01",
                                        "sgd:lr=0.5,weight_decay=0.1"};
    sparcl_ctx *const ctx = *state;
    for (size_t k = 0; k < COUNT(texts); ++k) {
        float found[2][MOST];
        for (int exact = 0; exact < 2; ++exact) {
            sparcl_optim optim;
            assert_int_equal(sparcl_optim_parse(&optim, texts[k], NULL), SPARCL_OK);
            optim.moves = exact ? SPARCL_MOVES_EXACT : SPARCL_MOVES_ALL;
            linear m = make_linear(ctx, SPARCL_LOSS_SOFTMAX, CLASSES, &optim);
            assert_ok(ctx, sparcl_graph_clip_global_norm(m.graph, 0.1));
            assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
            for (int s = 0; s < 20; ++s) {
                batch b = make_batch(ctx, ROWS, 9, CLASSES, (uint64_t)s + 1);
                bind(ctx, m.graph, m.x, m.y, &b);
                assert_ok(ctx, sparcl_graph_step(m.graph));
                free_batch(&b);
            }
            assert_ok(ctx, sparcl_graph_finish(m.graph));
            read_value(ctx, m.graph, m.w, found[exact]);
            sparcl_graph_free(m.graph);
        }
        float largest = 0;
        for (int i = 0; i < MOST; ++i) {
            largest = fmaxf(largest, fabsf(found[0][i]));
            assert_true(fabsf(found[0][i] - found[1][i]) < 2e-6F);
        }
        assert_true(largest > 0.01F);
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

static void what_does_not_fit_is_refused(void **state) {
    sparcl_ctx *const ctx = *state;
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    linear m = make_linear(ctx, SPARCL_LOSS_SOFTMAX, CLASSES, &optim);
    assert_int_equal(sparcl_graph_clip_global_norm(NULL, 1), SPARCL_E_ARG);
    assert_int_equal(sparcl_graph_clip_global_norm(m.graph, -1), SPARCL_E_ARG);
    assert_non_null(
        strstr(sparcl_ctx_error(ctx)->message, "the limit is -1, expected a number from 0"));
    assert_int_equal(sparcl_graph_clip_global_norm(m.graph, (double)NAN), SPARCL_E_ARG);
    assert_ok(ctx, sparcl_graph_backward(m.graph, m.mean));
    assert_int_equal(sparcl_graph_clip_global_norm(m.graph, 1), SPARCL_E_ARG);
    assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "expected before"));
    assert_int_equal(sparcl_graph_global_norm(m.graph), SPARCL_NO_NODE);
    assert_int_equal(sparcl_graph_global_norm(NULL), SPARCL_NO_NODE);
    sparcl_graph_free(m.graph);
}

static void several_types_are_refused(void **state) {
    sparcl_ctx *const ctx = *state;
    sparcl_graph *graph;
    sparcl_optim optim;
    const int64_t four = 4;
    if (!sparcl_ctx_device(ctx)->has_f64) skip();
    sparcl_optim_init(&optim, SPARCL_RULE_SGD);
    assert_ok(ctx, sparcl_graph_create(ctx, &graph));
    const sparcl_node p = sparcl_graph_parameter(graph, "p", 1, &four, &optim);
    sparcl_graph_set_dtype(graph, SPARCL_F64);
    const sparcl_node q = sparcl_graph_parameter(graph, "q", 1, &four, &optim);
    const sparcl_node sum =
        sparcl_graph_binary(graph, SPARCL_BINARY_ADD, sparcl_graph_cast(graph, p, SPARCL_F64), q);
    assert_ok(ctx, sparcl_graph_clip_global_norm(graph, 1));
    assert_int_equal(sparcl_graph_backward(graph, sparcl_graph_sum(graph, sum)), SPARCL_E_DTYPE);
    assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "needs one type"));
    sparcl_graph_free(graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_the_bits_of_plain_c),
        cmocka_unit_test(clipped_gradients_are_those_of_pytorch),
        cmocka_unit_test(gradients_that_are_shared_are_clipped_once),
        cmocka_unit_test(rows_with_one_index_count_once),
        cmocka_unit_test(rows_catch_up_as_without_clipping),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(several_types_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
