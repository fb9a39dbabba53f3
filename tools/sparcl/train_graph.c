/* train_graph.c: sparcl train: the graph between rows. */
#include "train_graph.h"

#include <stdlib.h>

#include "input_file.h"
#include "message.h"
#include "metrics_result.h"
#include "open_device.h"
#include "output.h"
#include "train_options.h"

static exit_code check_model(const sparcl_architecture *a) {
    const bool reads = a->task == SPARCL_TASK_NODES;
    if (reads == (train_given.graph != NULL)) return EXIT_OK;
    if (reads)
        return usage_error("--graph FILE is missing: %s reads a graph between rows", a->name);
    return usage_error("--graph is given, but %s does not read a graph", a->name);
}

exit_code graph_read(train_graph *graph, const sparcl_architecture *architecture,
                     const sparcl_data *data) {
    const input_options options = {.role = INPUT_OWN, .format = train_given.graph_format};
    sparcl_error error = {0};
    exit_code code = check_model(architecture);
    if (code != EXIT_OK || !train_given.graph) return code;
    code = read_input(train_given.graph, &options, &graph->edges);
    if (code != EXIT_OK) return code;
    if (sparcl_draw_nodes(data, train_given.per_class, train_given.valid_nodes,
                          train_given.test_nodes, train_given.seed, &graph->rows, graph->counts,
                          &error) != SPARCL_OK) {
        code = report(&error);
        if (!sparcl_data_get_info(data)->has_labels) print_remedy("use --labels FILE");
        return code;
    }
    graph->nodes = (sparcl_train_nodes){.edges = graph->edges,
                                        .train = graph->rows,
                                        .train_count = graph->counts[0],
                                        .valid = graph->rows + graph->counts[0],
                                        .valid_count = graph->counts[1]};
    return EXIT_OK;
}

void graph_free(train_graph *graph) {
    sparcl_data_free(graph->edges);
    free(graph->rows);
}

exit_code graph_evaluate(train_graph *graph, sparcl_ctx *ctx, const sparcl_model *model,
                         const sparcl_data *data) {
    const int64_t *const counts = graph->counts;
    sparcl_metrics *const to[] = {&graph->valid, &graph->test};
    int64_t first = counts[0];
    if (!graph->edges) return EXIT_OK;
    for (int part = 1; part < 3; first += counts[part++]) {
        const sparcl_node_rows rows = {graph->edges, graph->rows + first, counts[part]};
        sparcl_error error = {0};
        if (sparcl_eval_nodes(ctx, model, data, &rows, to[part - 1], &error) != SPARCL_OK)
            return report_device(ctx, &error);
    }
    return EXIT_OK;
}

void graph_describe(const train_graph *graph, json_t *object) {
    if (!graph->edges) return;
    json_object_set_new(object, "train_rows", json_integer((json_int_t)graph->counts[0]));
    if (graph->counts[1] > 0) metrics_describe(object, "valid_", &graph->valid);
    if (graph->counts[2] > 0) metrics_describe(object, "test_", &graph->test);
}
