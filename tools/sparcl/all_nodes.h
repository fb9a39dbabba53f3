/* all_nodes.h: all rows of a data set as nodes of a graph, to evaluate and apply models. */
#ifndef SPARCL_TOOL_ALL_NODES_H
#define SPARCL_TOOL_ALL_NODES_H

#include "exit_codes.h"
#include "input_file.h"
#include "sparcl/apply.h"

#define OPTIONS_OF_GRAPH(path, format)                                                             \
    {.name = "graph",                                                                              \
     .type = OPTION_TEXT,                                                                          \
     .value = &(path),                                                                             \
     .argument = "FILE",                                                                           \
     .file = FILE_READ,                                                                            \
     .help = "of gcn: the edges between the rows"},                                                \
    {                                                                                              \
        .name = "graph-format", .type = OPTION_CHOICE, .value = &(format), .argument = "FORMAT",   \
        .choices = FORMAT_WORDS, .help = "of --graph; default: found from the content"             \
    }

typedef struct all_nodes {
    sparcl_data *edges; /* NULL: the model reads no graph */
    int64_t *numbers;
    sparcl_node_rows rows; /* edges NULL: the same */
} all_nodes;

/* Read the file of the graph where the model reads one. Close it also after a failure. */
exit_code open_all_nodes(all_nodes *nodes, const sparcl_model *model, const sparcl_data *data,
                         const char *graph, int format);
void close_all_nodes(all_nodes *nodes);

#endif
