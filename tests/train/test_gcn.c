/* test_gcn.c: models of the nodes of a graph: the matrix between nodes, gradients against plain C,
 * which rows a training reads, evaluation and predictions of some rows, and refusals. */
#include "folder_test.h"
#include "model_gradient_test.h"
#include "sparcl/apply.h"

static const char *const path = "test_gcn.safetensors";

enum { TRAIN = 40, VALID = 20 };

/* A graph with edges in one or both directions, loops and weights; node 5 has no edge but a loop.
 */
static sparcl_data *make_edges(void) {
    static int64_t offsets[ROWS + 1];
    static int32_t indices[ROWS * ROWS];
    static float values[ROWS * ROWS];
    uint64_t seed = 11;
    int64_t at = 0;
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < ROWS; ++j) {
            const bool is_edge = spec_random(&seed) % 20 == 0 && i != 5 && j != 5;
            if (!is_edge && !(i == j && i % 7 == 5)) continue;
            indices[at] = j;
            values[at++] = (float)(0.25 * (double)(1 + spec_random(&seed) % 8));
        }
        offsets[i + 1] = at;
    }
    const sparcl_data_arrays arrays = {.rows = ROWS,
                                       .columns = ROWS,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values};
    sparcl_data *edges = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&edges, &arrays, &error));
    return edges;
}

/* Rows that train, then rows that validate; the first of both is not 0. */
static int64_t parts[TRAIN + VALID];

static sparcl_train_nodes make_nodes(const sparcl_data *edges) {
    for (int i = 0; i < TRAIN + VALID; ++i)
        parts[i] = (7 * i + 3) % ROWS;
    return (sparcl_train_nodes){.edges = edges,
                                .train = parts,
                                .train_count = TRAIN,
                                .valid = parts + TRAIN,
                                .valid_count = VALID};
}

/* --- the answer in plain C -------------------------------------------------------------------- */

static double between[ROWS][ROWS];

/* D^-1/2 (A + I) D^-1/2. */
static void fill_between(const sparcl_data *edges) {
    const int64_t *const offsets = sparcl_data_offsets(edges);
    double sums[ROWS] = {0};
    memset(between, 0, sizeof between);
    for (int i = 0; i < ROWS; ++i) {
        between[i][i] = 1;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            const int64_t j = index_of(edges, k);
            const double weight = (double)sparcl_data_values(edges)[k];
            if (j != i) between[i][j] = between[j][i] = fmax(between[i][j], weight);
        }
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < ROWS; ++j)
            sums[i] += between[i][j];
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < ROWS; ++j)
            between[i][j] /= sqrt(sums[i] * sums[j]);
}

/* to := between h w + b */
static void plain_layer(double to[ROWS][WIDEST], double h[ROWS][COLUMNS], int64_t inputs,
                        const double *w, const double *b, int64_t outputs) {
    static double product[ROWS][WIDEST];
    memset(product, 0, sizeof product);
    for (int i = 0; i < ROWS; ++i)
        multiply(product[i], h[i], inputs, w, outputs);
    for (int i = 0; i < ROWS; ++i)
        for (int64_t j = 0; j < outputs; ++j) {
            to[i][j] = b[j];
            for (int k = 0; k < ROWS; ++k)
                to[i][j] += between[i][k] * product[k][j];
        }
}

/* Two layers, with the hyperbolic tangent. */
static double loss_in_plain(const flat *f, const sparcl_data *data, const sparcl_train_desc *desc) {
    static double h[ROWS][COLUMNS], next[ROWS][WIDEST];
    int64_t hidden = 0, outputs = 0;
    double sum = 0;
    const double *const w1 = part(f, "w1", &hidden), *const b1 = part(f, "b1", &hidden);
    const double *const w2 = part(f, "w2", &outputs), *const b2 = part(f, "b2", &outputs);
    for (int i = 0; i < ROWS; ++i)
        unpack(data, i, h[i]);
    plain_layer(next, h, COLUMNS, w1, b1, hidden);
    for (int i = 0; i < ROWS; ++i)
        for (int64_t j = 0; j < hidden; ++j)
            h[i][j] = tanh(next[i][j]);
    plain_layer(next, h, hidden, w2, b2, outputs);
    for (int i = 0; i < TRAIN; ++i)
        sum += loss_of(desc->loss, next[parts[i]], outputs, sparcl_data_labels(data)[parts[i]]);
    return sum / TRAIN;
}

static void gradients_are_those_of_a_plain_answer(void **state) {
    sparcl_data *const edges = make_edges();
    const sparcl_train_nodes nodes = make_nodes(edges);
    fill_between(edges);
    check_gradient(*state, loss_in_plain, "gcn:hidden=7,activation=tanh,dropout=0",
                   SPARCL_LOSS_SOFTMAX, &nodes);
    check_gradient(*state, loss_in_plain, "gcn:hidden=4,activation=tanh,dropout=0",
                   SPARCL_LOSS_LOGISTIC, &nodes);
    check_gradient(*state, loss_in_plain, "gcn:hidden=5,activation=tanh,dropout=0",
                   SPARCL_LOSS_SQUARED, &nodes);
    sparcl_data_free(edges);
}

/* --- training --------------------------------------------------------------------------------- */

static sparcl_train_desc usual_run(const sparcl_architecture *a, const sparcl_train_nodes *nodes,
                                   int64_t epochs) {
    sparcl_train_desc desc = run_of(a, SPARCL_LOSS_SOFTMAX, SPARCL_RULE_ADAM);
    desc.l2 = 0;
    desc.optim.lr = 0.02;
    desc.epochs = epochs;
    desc.nodes = nodes;
    return desc;
}

static sparcl_metrics eval_part(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                                const sparcl_data *edges, const int64_t *rows, int64_t count) {
    const sparcl_node_rows part_of = {edges, rows, count};
    sparcl_metrics m;
    sparcl_error error = {0};
    assert_done(error, sparcl_eval_nodes(ctx, model, data, &part_of, &m, &error));
    return m;
}

static void rows_can_be_learnt_by_heart_and_are_read_back(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *const edges = make_edges();
    const sparcl_train_nodes nodes = make_nodes(edges);
    const sparcl_architecture *const a = must_parse("gcn:hidden=64,dropout=0.1");
    const sparcl_train_desc desc = usual_run(a, &nodes, 300);
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL), *back = NULL;
    sparcl_error error = {0};
    const sparcl_metrics m = eval_part(*state, model, data, edges, parts, TRAIN);
    print_message("           loss %.4f of %.4f\n", m.loss, m.best_constant_loss);
    assert_true(m.rows == TRAIN && m.accuracy == 1 && m.loss < 0.05 * m.best_constant_loss);
    assert_done(error, sparcl_model_save(model, path, &error));
    assert_done(error, sparcl_model_load(&back, path, &error));
    assert_true(same_values(model, back));
    const sparcl_metrics n = eval_part(*state, back, data, edges, parts, TRAIN);
    assert_memory_equal(&m, &n, sizeof m);
    sparcl_model_free(back);
    sparcl_model_free(model);
    sparcl_architecture_free(a);
    sparcl_data_free(edges);
    sparcl_data_free(data);
    unlink(path);
}

typedef struct seen {
    double valid_loss, loss;
    int64_t rows;
} seen;

static int keep_last(void *user, const sparcl_train_progress *now) {
    seen *const s = user;
    s->valid_loss = now->valid_loss;
    s->rows = now->rows;
    return 0;
}

static void the_losses_of_a_run_are_those_of_its_parts(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *const edges = make_edges();
    const sparcl_train_nodes nodes = make_nodes(edges);
    const sparcl_architecture *const a = must_parse("gcn");
    sparcl_train_desc desc = usual_run(a, &nodes, 7);
    sparcl_train_result result;
    seen s;
    desc.progress = keep_last;
    desc.progress_user = &s;
    sparcl_model *const model = must_train(*state, data, NULL, &desc, &result);
    assert_true(result.steps == 7 && s.rows == 7 * TRAIN);
    const sparcl_metrics m = eval_part(*state, model, data, edges, parts, TRAIN);
    const sparcl_metrics v = eval_part(*state, model, data, edges, parts + TRAIN, VALID);
    assert_true(result.loss == m.loss && s.valid_loss == v.loss && v.rows == VALID);
    sparcl_model_free(model);
    sparcl_architecture_free(a);
    sparcl_data_free(edges);
    sparcl_data_free(data);
}

/* A class with the weight of the others a hundredth: its rows are nearly all that count. */
static void classes_can_have_weights(void **state) {
    static const sparcl_class_weight weights[] = {{2, 100}};
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *const edges = make_edges();
    const sparcl_train_nodes nodes = make_nodes(edges);
    const sparcl_architecture *const a = must_parse("gcn");
    sparcl_train_desc desc = usual_run(a, &nodes, 30);
    sparcl_train_result with, without;
    sparcl_model *const usual = must_train(*state, data, NULL, &desc, &without);
    desc.class_weights = weights;
    desc.class_weight_count = 1;
    sparcl_model *const weighted = must_train(*state, data, NULL, &desc, &with);
    int64_t rows[TRAIN], count = 0;
    for (int i = 0; i < TRAIN; ++i)
        if (sparcl_data_labels(data)[parts[i]] == 2) rows[count++] = parts[i];
    const sparcl_metrics m = eval_part(*state, weighted, data, edges, rows, count);
    const sparcl_metrics n = eval_part(*state, usual, data, edges, rows, count);
    const sparcl_metrics all = eval_part(*state, weighted, data, edges, parts, TRAIN);
    const double others = all.loss * TRAIN - m.loss * (double)count;
    const double mean =
        (100 * m.loss * (double)count + others) / (100 * (double)count + TRAIN - (double)count);
    assert_true(count > 5 && m.loss < 0.5 * n.loss && m.accuracy == 1);
    assert_true(fabs(with.loss - mean) < 1e-5 * mean);
    sparcl_model_free(weighted);
    sparcl_model_free(usual);
    sparcl_architecture_free(a);
    sparcl_data_free(edges);
    sparcl_data_free(data);
}

static void patience_keeps_the_best_pass(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *const edges = make_edges();
    const sparcl_train_nodes nodes = make_nodes(edges);
    const sparcl_architecture *const a = must_parse("gcn:hidden=32");
    sparcl_train_desc desc = usual_run(a, &nodes, 400);
    sparcl_train_result result;
    desc.patience = 12;
    sparcl_model *const best = must_train(*state, data, NULL, &desc, &result);
    assert_true(result.epochs == result.best_epoch + 12 && result.epochs < 400);
    desc.patience = 0;
    desc.epochs = result.best_epoch;
    sparcl_model *const again = must_train(*state, data, NULL, &desc, NULL);
    assert_true(same_values(best, again));
    sparcl_model_free(again);
    sparcl_model_free(best);
    sparcl_architecture_free(a);
    sparcl_data_free(edges);
    sparcl_data_free(data);
}

static void predictions_are_of_the_rows_asked_for(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *const edges = make_edges();
    const sparcl_train_nodes nodes = make_nodes(edges);
    const sparcl_architecture *const a = must_parse("gcn");
    const sparcl_train_desc desc = usual_run(a, &nodes, 30);
    sparcl_model *const model = must_train(*state, data, NULL, &desc, NULL);
    int64_t all[ROWS];
    double label[ROWS], same_label[ROWS], one_label, chance[3];
    float p[ROWS], same_p[ROWS], scores[ROWS * 3], one_p;
    sparcl_error error = {0};
    for (int i = 0; i < ROWS; ++i)
        all[i] = ROWS - 1 - i;
    const sparcl_node_rows rows = {edges, all, ROWS}, one = {edges, all + 20, 1},
                           none = {edges, NULL, 0};
    assert_done(error, sparcl_predict_nodes(*state, model, data, &rows, label, p, &error));
    assert_done(error, sparcl_predict_nodes(*state, model, data, &one, &one_label, &one_p, &error));
    assert_true(one_label == label[20] && one_p == p[20]);
    assert_int_equal(sparcl_model_get_info(model)->outputs, 3);
    assert_done(error, sparcl_predict_scores(*state, model, data, &rows, same_label, same_p, scores,
                                             &error));
    assert_memory_equal(label, same_label, sizeof label);
    assert_memory_equal(p, same_p, sizeof p);
    for (int i = 0; i < ROWS; ++i) {
        assert_true(sparcl_model_probabilities(model, scores + 3 * i, chance));
        const double most = fmax(fmax(chance[0], chance[1]), chance[2]);
        assert_true(fabs(most - (double)p[i]) < 1e-6);
    }
    assert_done(error, sparcl_predict_nodes(*state, model, data, &none, label, p, &error));
    int right = 0;
    for (int i = 0; i < ROWS; ++i)
        right += label[i] == sparcl_data_labels(data)[all[i]];
    const sparcl_metrics m = eval_part(*state, model, data, edges, all, ROWS);
    assert_true(m.accuracy == (double)right / ROWS);
    sparcl_model_free(model);
    sparcl_architecture_free(a);
    sparcl_data_free(edges);
    sparcl_data_free(data);
}

/* --- drawn rows ------------------------------------------------------------------------------- */

static void drawn_rows_are_of_each_class_and_disjoint(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3);
    int64_t *rows = NULL, *other = NULL, counts[3];
    int of_label[3] = {0};
    char seen_rows[ROWS] = {0};
    sparcl_error error = {0};
    (void)state;
    assert_done(error, sparcl_draw_nodes(data, 6, 10, 30, 4, &rows, counts, &error));
    assert_true(counts[0] == 18 && counts[1] == 10 && counts[2] == 30);
    for (int i = 0; i < 58; ++i) {
        assert_false(seen_rows[rows[i]]++);
        assert_true(i == 0 || i == 18 || i == 28 || rows[i] > rows[i - 1]);
        const double label = sparcl_data_labels(data)[rows[i]];
        if (i < 18) ++of_label[label == -5 ? 0 : label == 2 ? 1 : 2];
    }
    assert_true(of_label[0] == 6 && of_label[1] == 6 && of_label[2] == 6);
    assert_done(error, sparcl_draw_nodes(data, 6, 10, 30, 4, &other, counts, &error));
    assert_memory_equal(rows, other, 58 * sizeof *rows);
    free(other);
    assert_done(error, sparcl_draw_nodes(data, 6, 10, 30, 5, &other, counts, &error));
    assert_true(memcmp(rows, other, 58 * sizeof *rows) != 0);
    free(other);
    free(rows);
    assert_failed(error, sparcl_draw_nodes(data, 60, 0, 0, 5, &rows, counts, &error),
                  SPARCL_E_FORMAT, "expected 60 rows of label");
    assert_null(rows);
    assert_failed(error, sparcl_draw_nodes(data, 6, 70, 30, 5, &rows, counts, &error),
                  SPARCL_E_FORMAT, "expected 70 rows to validate and 30 to test with");
    assert_failed(error, sparcl_draw_nodes(data, -1, 0, 0, 5, &rows, counts, &error), SPARCL_E_ARG,
                  "at least 0");
    assert_failed(error, sparcl_draw_nodes(NULL, 1, 0, 0, 5, &rows, counts, &error), SPARCL_E_ARG,
                  "NULL");
    sparcl_data_free(data);
}

/* --- refusals --------------------------------------------------------------------------------- */

static void refuse(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_data *valid,
                   const sparcl_train_nodes *nodes, sparcl_status expected, const char *part_of) {
    const sparcl_architecture *const a = must_parse("gcn");
    const sparcl_train_desc desc = usual_run(a, nodes, 1);
    sparcl_model *model;
    sparcl_error error;
    assert_failed(error, sparcl_train(ctx, &model, data, valid, &desc, NULL, &error), expected,
                  part_of);
    assert_null(model);
    sparcl_architecture_free(a);
}

static void what_does_not_fit_is_refused(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *const edges = make_edges();
    sparcl_train_nodes nodes = make_nodes(edges);
    static const int64_t twice[] = {3, 4, 3}, far[] = {ROWS};
    refuse(*state, data, NULL, NULL, SPARCL_E_ARG,
           "nodes is NULL, expected a graph: a model of the kind gcn reads");
    refuse(*state, data, data, &nodes, SPARCL_E_ARG, "valid is set, expected NULL");
    nodes.train_count = 0;
    refuse(*state, data, NULL, &nodes, SPARCL_E_ARG, "nodes.train_count is 0");
    nodes.train = twice;
    nodes.train_count = 3;
    refuse(*state, data, NULL, &nodes, SPARCL_E_ARG, "node 2 of the list is 3, expected 0 to 96");
    nodes.train = far;
    nodes.train_count = 1;
    refuse(*state, data, NULL, &nodes, SPARCL_E_ARG, "nodes.train: node 0 of the list is 97");
    nodes = make_nodes(data);
    refuse(*state, data, NULL, &nodes, SPARCL_E_FORMAT, "expected a square matrix");
    nodes.edges = NULL;
    refuse(*state, data, NULL, &nodes, SPARCL_E_ARG, "nodes.edges is NULL");
    sparcl_data_free(edges);
    sparcl_data_free(data);
}

static void negative_weights_and_other_graphs_are_refused(void **state) {
    static const int64_t offsets[] = {0, 1, 2};
    static const int32_t indices[] = {1, 0};
    static const float weights[] = {1, -0.5F};
    const sparcl_data_arrays arrays = {.rows = 2,
                                       .columns = 2,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = weights};
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *edges = NULL, *small = NULL;
    static const double labels[] = {0, 1};
    sparcl_data_arrays two = arrays;
    sparcl_error error = {0};
    two.labels = labels;
    assert_done(error, sparcl_data_create(&edges, &arrays, &error));
    assert_done(error, sparcl_data_create(&small, &two, &error));
    sparcl_train_nodes nodes = make_nodes(edges);
    refuse(*state, data, NULL, &nodes, SPARCL_E_FORMAT,
           "expected 97 nodes, as many as the data have rows, found 2");
    nodes.train_count = 1;
    nodes.train = indices[0] ? (const int64_t[]){0} : NULL;
    nodes.valid_count = 0;
    refuse(*state, small, NULL, &nodes, SPARCL_E_FORMAT,
           "expected weights of edges from 0, found -0.5 in entry 1");
    sparcl_data_free(small);
    sparcl_data_free(edges);
    sparcl_data_free(data);
}

static void each_evaluation_has_its_models(void **state) {
    sparcl_data *const data = make_data(SPARCL_LOSS_SOFTMAX, 3), *const edges = make_edges();
    const sparcl_train_nodes nodes = make_nodes(edges);
    const sparcl_architecture *const a = must_parse("gcn");
    sparcl_train_desc desc = usual_run(a, &nodes, 1);
    sparcl_model *model = must_train(*state, data, NULL, &desc, NULL);
    const sparcl_node_rows rows = {edges, parts, TRAIN};
    double label[ROWS];
    float p[ROWS];
    sparcl_metrics m;
    sparcl_error error;
    assert_failed(error, sparcl_eval(*state, model, data, &m, &error), SPARCL_E_ARG,
                  "a model of the kind gcn reads a graph between rows; use sparcl_eval_nodes");
    assert_failed(error, sparcl_predict(*state, model, data, label, p, &error), SPARCL_E_ARG,
                  "use sparcl_predict_nodes");
    assert_failed(error, sparcl_eval_nodes(*state, model, data, NULL, &m, &error), SPARCL_E_ARG,
                  "rows is NULL");
    assert_failed(error, sparcl_predict_nodes(*state, model, data, NULL, label, p, &error),
                  SPARCL_E_ARG, "rows is NULL");
    sparcl_model_free(model);
    desc.nodes = NULL;
    desc.architecture = NULL;
    model = must_train(*state, data, NULL, &desc, NULL);
    assert_failed(error, sparcl_eval_nodes(*state, model, data, &rows, &m, &error), SPARCL_E_ARG,
                  "a model of the kind linear does not read a graph between rows; use sparcl_eval");
    sparcl_model_free(model);
    desc.nodes = &nodes;
    assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                  SPARCL_E_ARG, "nodes is set, expected NULL: a model of the kind linear does not");
    sparcl_architecture_free(a);
    sparcl_data_free(edges);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_a_plain_answer),
        cmocka_unit_test(rows_can_be_learnt_by_heart_and_are_read_back),
        cmocka_unit_test(the_losses_of_a_run_are_those_of_its_parts),
        cmocka_unit_test(classes_can_have_weights),
        cmocka_unit_test(patience_keeps_the_best_pass),
        cmocka_unit_test(predictions_are_of_the_rows_asked_for),
        cmocka_unit_test(drawn_rows_are_of_each_class_and_disjoint),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(negative_weights_and_other_graphs_are_refused),
        cmocka_unit_test(each_evaluation_has_its_models),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
