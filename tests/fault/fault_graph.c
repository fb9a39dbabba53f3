/* fault_graph.c: the scenario that builds a graph and runs a step. */
#include <string.h>

#include "base/macros.h"
#include "fault.h"
#include "sparcl/graph_operations.h"
#include "sparcl/optim_text.h"

enum { BATCH_ROWS = 3, FEATURES = 4, BATCH_ENTRIES = 5 };

typedef struct model {
    sparcl_node x, y, list, w;
} model;

/* The mean logistic loss of X w + w[list] + a bag of w, plus the mean of w[list]: every kind of
 * gradient, with three readers of rows of w. */
static sparcl_status build(sparcl_graph *graph, model *m) {
    const int64_t rows = sparcl_graph_dim(graph, "rows", BATCH_ROWS), shape[] = {FEATURES};
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_MOMENTUM);
    optim.lr = 0.5;
    m->x = sparcl_graph_csr(graph, "x", rows, FEATURES, BATCH_ENTRIES);
    m->y = sparcl_graph_dense(graph, "y", 1, &rows);
    m->list = sparcl_graph_list(graph, "list", rows, FEATURES);
    m->w = sparcl_graph_parameter(graph, "w", 1, shape, &optim);
    const sparcl_node rows_of_w = sparcl_graph_gather(graph, m->w, m->list);
    const sparcl_node entries = sparcl_graph_gather(graph, m->w, sparcl_graph_columns(graph, m->x));
    const sparcl_node scores =
        sparcl_graph_binary(graph, SPARCL_BINARY_ADD,
                            sparcl_graph_binary(graph, SPARCL_BINARY_ADD,
                                                sparcl_graph_spmm(graph, m->x, m->w), rows_of_w),
                            sparcl_graph_bag(graph, m->x, entries));
    const sparcl_node losses = sparcl_graph_loss(graph, SPARCL_LOSS_LOGISTIC, scores, m->y);
    return sparcl_graph_backward(graph, sparcl_graph_binary(graph, SPARCL_BINARY_ADD,
                                                            sparcl_graph_mean(graph, losses),
                                                            sparcl_graph_mean(graph, rows_of_w)));
}

/* A step with fusion and one without; a run that succeeds has the weights of the first one, in
 * which nothing failed. */
static sparcl_status train(sparcl_ctx *ctx, sparcl_graph *graph, const sparcl_csr *x,
                           const sparcl_dense *y, const sparcl_list *list) {
    static float expected[FEATURES];
    static bool is_known;
    float weights[FEATURES];
    model m;
    sparcl_dense w;
    SPC_TRY(build(graph, &m));
    SPC_TRY(sparcl_graph_bind_csr(graph, m.x, x));
    SPC_TRY(sparcl_graph_bind_dense(graph, m.y, y));
    SPC_TRY(sparcl_graph_bind_list(graph, m.list, list));
    SPC_TRY(sparcl_graph_step(graph));
    sparcl_graph_set_fusion(graph, 0);
    SPC_TRY(sparcl_graph_step(graph));
    SPC_TRY(sparcl_graph_finish(graph));
    SPC_TRY(sparcl_graph_value(graph, m.w, &w));
    SPC_TRY(sparcl_dense_read(ctx, &w, weights));
    if (!is_known) memcpy(expected, weights, sizeof expected);
    is_known = true;
    return weights[0] != 0 && memcmp(expected, weights, sizeof weights) == 0 ? SPARCL_OK
                                                                             : SPARCL_E_DATA;
}

sparcl_status fault_graph(sparcl_ctx *ctx, sparcl_error *error) {
    static const int32_t offsets[] = {0, 2, 3, 5}, indices[] = {0, 2, 1, 0, 3}, ids[] = {2, 0, 2};
    static const float values[] = {1, 2, 3, 4, 5}, labels[] = {1, 0, 1};
    sparcl_csr x = {.rows = BATCH_ROWS, .cols = FEATURES, .nnz = BATCH_ENTRIES};
    sparcl_dense y = {.rank = 1, .shape = {BATCH_ROWS}};
    sparcl_list list = {.limit = FEATURES, .count = BATCH_ROWS};
    sparcl_graph *graph = (sparcl_graph *)ctx;
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(sparcl_csr_upload(ctx, &x, offsets, indices, values, 0));
    SPC_GO(sparcl_dense_upload(ctx, &y, labels));
    SPC_GO(sparcl_list_upload(ctx, &list, ids, 0));
    status = sparcl_graph_create(ctx, &graph);
    if (status != SPARCL_OK && graph) fault_found("graph", "a failed call has left something", "");
    if (status == SPARCL_OK) status = train(ctx, graph, &x, &y, &list);
    sparcl_graph_free(graph);
done:
    sparcl_csr_free(&x);
    sparcl_dense_free(&y);
    sparcl_list_free(&list);
    return status;
}
