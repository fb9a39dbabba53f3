/* graph_holder.h: a graph of sparcl._core, and how nodes are added to it. */
#ifndef SPARCL_PYTHON_GRAPH_HOLDER_H
#define SPARCL_PYTHON_GRAPH_HOLDER_H

#include <vector>

#include "binding.h"

using Sizes = std::vector<int64_t>;

struct Graph {
    ContextRef context;
    sparcl_graph *graph = nullptr;

    explicit Graph(ContextRef context);
    ~Graph();
    Graph(const Graph &) = delete;

    /* A call that fails adds no node; the graph goes on without it. */
    template <class F> int add(F &&call) {
        sparcl_node node = SPARCL_NO_NODE;
        run(*context, [&](sparcl_ctx *) {
            node = call(graph);
            return sparcl_graph_take_error(graph);
        });
        return node;
    }
};

void bind_graph_operations(nb::class_<Graph> &graph);

#endif
