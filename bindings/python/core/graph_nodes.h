/* graph_nodes.h: rows of a data set that are nodes of a graph. */
#ifndef SPARCL_PYTHON_GRAPH_NODES_H
#define SPARCL_PYTHON_GRAPH_NODES_H

#include <sparcl/apply.h>
#include <sparcl/train.h>

#include "sparcl/apply.h"
#include "training.h"

/* The edges between all rows, and which rows train, or are predicted; and which validate. */
struct Nodes {
    nb::object edges_object; /* keeps the edges */
    HostMemory rows, valid;  /* int64 */

    Nodes(nb::object edges, nb::handle rows, nb::handle valid);

    const sparcl_data *edges() const {
        return nb::cast<Data *>(edges_object)->at;
    }
    sparcl_train_nodes training() const;
    sparcl_node_rows listed() const;
};

#endif
