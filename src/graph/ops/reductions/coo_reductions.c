/* coo_reductions.c: reductions of COO arrays over axes, made of operations of the table. */
#include "graph/ops/structure/coo_result.h"

/* The dimensions that are left, or, where all are reduced, one of size 1. */
static sparcl_node project_kept(sparcl_graph *graph, sparcl_node a, unsigned reduced) {
    const int rank = spc_node_at(graph, a)->rank, first = 0;
    int axes[SPARCL_MAX_RANK], kept = 0;
    for (int d = 0; d < rank; ++d)
        if (!(reduced >> d & 1)) axes[kept++] = d;
    if (kept > 0) return sparcl_graph_coo_project(graph, a, kept, axes);
    const sparcl_node vector = sparcl_graph_coo_project(graph, a, 1, &first);
    const sparcl_node column = sparcl_graph_coo_expand_dims(graph, vector, 0);
    return sparcl_graph_coo_project(graph, column, 1, &first);
}

/* The reduced axes as bits; NULL: all. */
static sparcl_status find_axes(const sparcl_graph *graph, const spc_node *a, int count,
                               const int *axes, unsigned *reduced) {
    *reduced = axes ? 0 : ~0u;
    for (int i = 0; axes && i < count; ++i) {
        if (axes[i] < 0 || axes[i] >= a->rank || (*reduced >> axes[i] & 1))
            return spc_node_fail(
                graph, a, SPARCL_E_ARG,
                "coo_reduce: axes[%d] is %d, expected each of 0 to %d at most once", i, axes[i],
                a->rank - 1);
        *reduced |= 1u << axes[i];
    }
    return SPARCL_OK;
}

static sparcl_status check(sparcl_graph *graph, sparcl_duplicates how, sparcl_node a, int count,
                           const int *axes, unsigned *reduced) {
    spc_node *node = NULL;
    SPC_TRY(spc_node_find(graph, "coo_reduce", a, &node));
    if (node->kind != SPC_VALUE_COO)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "coo_reduce: it is no COO array");
    if ((unsigned)how > SPARCL_MIN)
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "coo_reduce: how is %d, expected SPARCL_SUM to SPARCL_MIN", (int)how);
    return find_axes(graph, node, count, axes, reduced);
}

/* Conversion adds entries of one index itself. */
sparcl_node sparcl_graph_coo_reduce(sparcl_graph *graph, sparcl_duplicates how, sparcl_node a,
                                    int count, const int *axes) {
    unsigned reduced = 0;
    if (!graph || a == SPARCL_NO_NODE) return SPARCL_NO_NODE;
    const sparcl_status status = check(graph, how, a, count, axes, &reduced);
    spc_graph_keep(graph, status);
    if (status != SPARCL_OK) return SPARCL_NO_NODE;
    const sparcl_node kept = project_kept(graph, a, reduced);
    const spc_settings settings = {.duplicates = how};
    if (how == SPARCL_SUM) return sparcl_graph_to_dense(graph, kept);
    return sparcl_graph_to_dense(graph,
                                 spc_graph_add(graph, &spc_op_coo_coalesce, &kept, 1, &settings));
}
