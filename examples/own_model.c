/* own_model.c: a model of one's own: two layers on sparse input, trained, saved and read back.
 *
 *     own_model TRAIN TEST FILE     LIBSVM text with labels 0 and 1; FILE is written
 */
#include <stdio.h>
#include <stdlib.h>

#include <sparcl/data.h>
#include <sparcl/model.h>
#include <sparcl/sparcl.h>

enum { HIDDEN = 16, CLASSES = 2, STEPS = 60 };

static sparcl_ctx *ctx;
static sparcl_error error;

static void need(sparcl_status status) {
    if (status == SPARCL_OK) return;
    fprintf(stderr, "%s\n", *error.message ? error.message : sparcl_ctx_error(ctx)->message);
    exit(1);
}

typedef struct model {
    sparcl_graph *graph;
    sparcl_node x, y, loss;
} model;

/* loss(relu(X W1 + b1) W2 + b2) */
static model build(int64_t columns, int64_t rows, int64_t entries) {
    const int64_t w1[] = {columns, HIDDEN}, b1 = HIDDEN, w2[] = {HIDDEN, CLASSES}, b2 = CLASSES;
    sparcl_optim adam;
    model m;
    sparcl_optim_init(&adam, SPARCL_RULE_ADAM);
    adam.lr = 0.02;
    need(sparcl_graph_create(ctx, &m.graph));
    sparcl_graph *const g = m.graph;
    const int64_t batch = sparcl_graph_dim(g, "rows", rows);
    m.x = sparcl_graph_csr(g, "x", batch, columns, sparcl_graph_dim(g, "entries", entries));
    m.y = sparcl_graph_dense(g, "labels", 1, &batch);
    sparcl_node h = sparcl_graph_spmm(g, m.x, sparcl_graph_parameter(g, "w1", 2, w1, &adam));
    h = sparcl_graph_add_bias(g, h, sparcl_graph_parameter(g, "b1", 1, &b1, &adam));
    h = sparcl_graph_activate(g, SPARCL_ACTIVATION_RELU, h);
    h = sparcl_graph_gemm(g, SPARCL_OP_N, h, SPARCL_OP_N,
                          sparcl_graph_parameter(g, "w2", 2, w2, &adam));
    h = sparcl_graph_add_bias(g, h, sparcl_graph_parameter(g, "b2", 1, &b2, &adam));
    m.loss = sparcl_graph_mean(g, sparcl_graph_loss(g, SPARCL_LOSS_SOFTMAX, h, m.y));
    sparcl_graph_output(g, m.loss);
    need(sparcl_graph_backward(g, m.loss));
    return m;
}

/* Small numbers from a seed: layers of zeros would never differ. */
static void initialize(const model *m) {
    unsigned seed = 1;
    for (sparcl_node node = 0; node < sparcl_graph_nodes(m->graph); node++) {
        sparcl_dense w;
        if (!sparcl_graph_is_parameter(m->graph, node)) continue;
        need(sparcl_graph_value(m->graph, node, &w));
        const size_t count = (size_t)(w.shape[0] * sparcl_row_width(w.rank, w.shape));
        float *values = malloc(count * sizeof *values);
        if (!values) exit(1);
        for (size_t i = 0; i < count; i++) {
            seed = seed * 1664525u + 1013904223u;
            values[i] = w.rank == 2 ? ((float)(seed >> 8) / 16777216.0f - 0.5f) / 2 : 0;
        }
        need(sparcl_dense_upload(ctx, &w, values));
        free(values);
    }
}

static float loss_of(const model *m) {
    sparcl_dense view;
    float loss;
    need(sparcl_graph_value(m->graph, m->loss, &view));
    need(sparcl_dense_read(ctx, &view, &loss));
    return loss;
}

static float test(const model *m, const sparcl_csr *x, const sparcl_dense *y) {
    need(sparcl_graph_bind_csr(m->graph, m->x, x));
    need(sparcl_graph_bind_dense(m->graph, m->y, y));
    need(sparcl_graph_forward(m->graph));
    return loss_of(m);
}

int main(int argc, char **argv) {
    sparcl_data *train, *other;
    sparcl_csr x, test_x;
    sparcl_dense y, test_y;
    if (argc != 4) return fprintf(stderr, "usage: own_model TRAIN TEST FILE\n"), 2;
    need(sparcl_ctx_open(&ctx, NULL, &error));
    need(sparcl_data_read(&train, argv[1], NULL, &error));
    need(sparcl_data_read(&other, argv[2],
                          &(sparcl_data_desc){.columns = sparcl_data_get_info(train)->columns},
                          &error));
    need(sparcl_data_upload(ctx, train, &x, &y, &error));
    need(sparcl_data_upload(ctx, other, &test_x, &test_y, &error));
    const int64_t entries = x.nnz > test_x.nnz ? x.nnz : test_x.nnz;
    model m = build(x.cols, x.rows > test_x.rows ? x.rows : test_x.rows, entries);
    initialize(&m);
    need(sparcl_graph_bind_csr(m.graph, m.x, &x));
    need(sparcl_graph_bind_dense(m.graph, m.y, &y));
    for (int step = 0; step < STEPS; step++) {
        need(sparcl_graph_step(m.graph));
        if (step % 10 == 0) printf("%2d: loss %.5f\n", step, loss_of(&m));
    }
    const float trained = test(&m, &test_x, &test_y);
    need(sparcl_parameters_save(ctx, m.graph, argv[3], &error));
    sparcl_graph_free(m.graph);
    m = build(x.cols, test_x.rows, entries);
    need(sparcl_parameters_load(ctx, m.graph, argv[3], &error));
    const float loaded = test(&m, &test_x, &test_y);
    printf("test loss %.5f, read back %.5f\n", trained, loaded);
    sparcl_graph_free(m.graph);
    sparcl_csr_free(&x), sparcl_csr_free(&test_x);
    sparcl_dense_free(&y), sparcl_dense_free(&test_y);
    sparcl_data_free(train), sparcl_data_free(other);
    sparcl_ctx_close(ctx);
    return trained == loaded && trained < 0.1f ? 0 : 1;
}
