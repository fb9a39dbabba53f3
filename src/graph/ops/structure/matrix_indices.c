/* matrix_indices.c: the indices of CSR matrices in a graph: whose they are, their transpose, their
 * proof.
 */
#include "graph/engine/operations.h"
#include "ops/products/pattern.h"

const spc_node *spc_matrix_base(const sparcl_graph *graph, const spc_node *a) {
    while (a->op && a->op->same_indices)
        a = spc_node_at(graph, a->in[0]);
    return a;
}

bool spc_knows_rows(const sparcl_graph *graph, sparcl_node node) {
    return spc_matrix_base(graph, spc_node_at(graph, node))->op == NULL;
}

/* Built once for a matrix that is bound, or computed in this run, for all nodes that read its
 * transpose. One that was computed shares its buffers with values that are written after it. */
sparcl_status spc_graph_pattern(sparcl_graph *graph, const spc_node *a, sparcl_pattern **pattern) {
    spc_node *const base = &graph->nodes[spc_matrix_base(graph, a) - graph->nodes];
    *pattern = base->bound_pattern;
    if (*pattern) return SPARCL_OK;
    if (!base->pattern) SPC_TRY(sparcl_pattern_create(graph->ctx, &base->pattern));
    base->has_own_values = a == base && (base->is_new || base->has_own_values);
    if (base->is_new)
        SPC_TRY(sparcl_pattern_build(graph->ctx, base->pattern, &base->csr));
    else if (base->op)
        spc_pattern_keep(base->pattern, &base->csr, base->has_own_values);
    base->is_new = false;
    *pattern = base->pattern;
    return SPARCL_OK;
}

sparcl_csr spc_by_position(const spc_node *node, const sparcl_csr *a) {
    sparcl_csr own = *a;
    own.cols = a->nnz;
    own.indices = node->constants;
    own.indices_at = 0;
    own.index_type = SPARCL_INDEX64;
    own.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE,
                               .longest_row = a->proof.longest_row};
    return own;
}

sparcl_status spc_clear_csr(sparcl_graph *graph, const spc_node *node) {
    const sparcl_csr *const a = &node->csr;
    const int64_t value = (int64_t)sparcl_dtype_size(a->dtype);
    const int64_t index = (int64_t)sparcl_itype_size(a->index_type);
    if (a->nnz == 0) return SPARCL_OK;
    SPC_TRY(sparcl_buf_fill(graph->ctx, a->values, a->values_at * value, a->nnz * value, 0));
    return sparcl_buf_fill(graph->ctx, a->indices, a->indices_at * index, a->nnz * index, 0);
}

void spc_trust_coo(spc_node *node) {
    node->coo.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | node->flags};
}

void spc_trust_csr(spc_node *node) {
    node->csr.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | node->flags};
}
