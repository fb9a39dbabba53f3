/* all_nodes.c: all rows of a data set as nodes of a graph. */
#include "all_nodes.h"

#include <stdlib.h>

#include "input_file.h"
#include "message.h"
#include "output.h"

exit_code open_all_nodes(all_nodes *nodes, const sparcl_model *model, const sparcl_data *data,
                         const char *graph, int format) {
    const input_options options = {.role = INPUT_OWN, .format = format};
    const int64_t rows = sparcl_data_get_info(data)->rows;
    *nodes = (all_nodes){.edges = NULL};
    if (sparcl_model_architecture(model)->task != SPARCL_TASK_NODES) return EXIT_OK;
    if (!graph) {
        print_error("--graph FILE is missing: the model reads a graph between the rows");
        return EXIT_USAGE;
    }
    const exit_code code = read_input(graph, &options, &nodes->edges);
    if (code != EXIT_OK) return code;
    nodes->numbers = malloc(((size_t)rows + 1) * sizeof *nodes->numbers);
    if (!nodes->numbers) return out_of_memory();
    for (int64_t i = 0; i < rows; i++)
        nodes->numbers[i] = i;
    nodes->rows = (sparcl_node_rows){nodes->edges, nodes->numbers, rows};
    return EXIT_OK;
}

void close_all_nodes(all_nodes *nodes) {
    sparcl_data_free(nodes->edges);
    free(nodes->numbers);
}
