/* fault_graph.c: the scenario that builds a graph and runs a step. */
#include <string.h>

#include "base/macros.h"
#include "fault.h"
#include "sparcl/graph.h"

enum { BATCH_ROWS = 3, FEATURES = 4, BATCH_ENTRIES = 5 };

/* Build the graph, and say which nodes its inputs and its parameter are. */
static sparcl_status build(sparcl_graph *graph, sparcl_node nodes[3]) {
    const int64_t rows = sparcl_graph_dim(graph, "rows", BATCH_ROWS), shape[] = {FEATURES, 1};
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_MOMENTUM);
    optim.lr = 0.5;
    nodes[0] = sparcl_graph_csr(graph, "x", rows, FEATURES, BATCH_ENTRIES);
    nodes[1] = sparcl_graph_dense(graph, "y", 1, &rows);
    nodes[2] = sparcl_graph_parameter(graph, "w", 2, shape, &optim);
    const sparcl_node scores = sparcl_graph_spmm(graph, nodes[0], nodes[2]);
    return sparcl_graph_backward(
        graph,
        sparcl_graph_mean(graph, sparcl_graph_loss(graph, SPARCL_LOSS_LOGISTIC, scores, nodes[1])));
}

/* Two steps; a run that succeeds has the weights of the first one, in which nothing failed. */
static sparcl_status train(sparcl_ctx *ctx, sparcl_graph *graph, const sparcl_csr *x,
                           const sparcl_dense *y) {
    static float expected[FEATURES];
    static bool is_known;
    float weights[FEATURES];
    sparcl_node nodes[3];
    sparcl_dense w;
    SPC_TRY(build(graph, nodes));
    SPC_TRY(sparcl_graph_bind_csr(graph, nodes[0], x));
    SPC_TRY(sparcl_graph_bind_dense(graph, nodes[1], y));
    SPC_TRY(sparcl_graph_step(graph));
    SPC_TRY(sparcl_graph_step(graph));
    SPC_TRY(sparcl_graph_finish(graph));
    SPC_TRY(sparcl_graph_value(graph, nodes[2], &w));
    SPC_TRY(sparcl_dense_read(ctx, &w, weights));
    if (!is_known) memcpy(expected, weights, sizeof expected);
    is_known = true;
    return weights[0] != 0 && memcmp(expected, weights, sizeof weights) == 0 ? SPARCL_OK
                                                                             : SPARCL_E_DATA;
}

sparcl_status fault_graph(sparcl_ctx *ctx, sparcl_error *error) {
    static const int32_t offsets[] = {0, 2, 3, 5}, indices[] = {0, 2, 1, 0, 3};
    static const float values[] = {1, 2, 3, 4, 5}, labels[] = {1, 0, 1};
    sparcl_csr x = {.rows = BATCH_ROWS, .cols = FEATURES, .nnz = BATCH_ENTRIES};
    sparcl_dense y = {.rank = 1, .shape = {BATCH_ROWS}};
    sparcl_graph *graph = (sparcl_graph *)ctx;
    sparcl_status status = SPARCL_OK;
    (void)error;
    SPC_GO(sparcl_csr_upload(ctx, &x, offsets, indices, values, 0));
    SPC_GO(sparcl_dense_upload(ctx, &y, labels));
    status = sparcl_graph_create(ctx, &graph);
    if (status != SPARCL_OK && graph) fault_found("graph", "a failed call has left something", "");
    if (status == SPARCL_OK) status = train(ctx, graph, &x, &y);
    sparcl_graph_free(graph);
done:
    sparcl_csr_free(&x);
    sparcl_dense_free(&y);
    return status;
}
