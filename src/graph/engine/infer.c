/* infer.c: what operations share when they check operands and give results a shape. */
#include <string.h>

#include "graph/engine/operations.h"

static const char *const kinds[] = {"dense",      "a CSR matrix", "a list",
                                    "row-sparse", "a COO array",  "a constant"};

bool spc_is_kind(const sparcl_graph *graph, sparcl_node node, spc_value kind) {
    return node >= 0 && node < graph->count && spc_node_at(graph, node)->kind == kind;
}

sparcl_status spc_need_kind(const sparcl_graph *graph, const spc_node *node, int i, spc_value kind,
                            int min_rank, int max_rank) {
    const spc_node *const x = spc_operand(graph, node, i);
    if (x->kind != kind)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "%s is %s, expected %s", x->name,
                             kinds[x->kind], kinds[kind]);
    if (x->rank >= min_rank && x->rank <= max_rank) return SPARCL_OK;
    if (min_rank == max_rank)
        return spc_node_fail(graph, node, SPARCL_E_SHAPE, "%s has rank %d, expected %d", x->name,
                             x->rank, min_rank);
    return spc_node_fail(graph, node, SPARCL_E_SHAPE, "%s has rank %d, expected %d to %d", x->name,
                         x->rank, min_rank, max_rank);
}

sparcl_status spc_need_packed(const sparcl_graph *graph, const spc_node *node, int i) {
    const spc_node *const x = spc_operand(graph, node, i);
    const int64_t ld = x->dense.ld, width = sparcl_row_width(x->dense.rank, x->dense.shape);
    if (x->dense.order == SPARCL_ROW_MAJOR && (!ld || ld == width)) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                         "the array of %s is column-major or has gaps, expected a packed one in "
                         "row-major order: copy it (sparcl_copy)",
                         x->name);
}

sparcl_status spc_need_type(const sparcl_graph *graph, const char *op, sparcl_dtype dtype) {
    const sparcl_device *const device = sparcl_ctx_device(graph->ctx);
    if (dtype != SPARCL_F32 && dtype != SPARCL_F64 && dtype != SPARCL_F16 && dtype != SPARCL_BF16)
        return spc_ctx_fail(graph->ctx, SPARCL_E_DTYPE,
                            "%s: the type is %d, expected SPARCL_F32, SPARCL_F64, SPARCL_F16 or "
                            "SPARCL_BF16",
                            op, (int)dtype);
    if (dtype != SPARCL_F64 || device->has_f64) return SPARCL_OK;
    return spc_ctx_fail(graph->ctx, SPARCL_E_UNSUPPORTED,
                        "%s: the type is float64, which %s does not have", op, device->name);
}

sparcl_status spc_need_equal(const sparcl_graph *graph, const spc_node *node, spc_size a,
                             spc_size b) {
    char one[SPC_NAME_BYTES], other[SPC_NAME_BYTES];
    if (a.size == b.size) return SPARCL_OK;
    return spc_node_fail(graph, node, SPARCL_E_SHAPE,
                         "%s has %s %s, %s has %s %s, expected as many", a.of->name,
                         spc_dim_text(graph, a.size, one, sizeof one), a.what, b.of->name,
                         spc_dim_text(graph, b.size, other, sizeof other), b.what);
}

sparcl_status spc_need_csr_and_dense(const sparcl_graph *graph, const spc_node *node, int d,
                                     const char *what) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 1, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    return spc_need_equal(graph, node, (spc_size){a, a->shape[d], what},
                          (spc_size){b, b->shape[0], "rows"});
}

const char *spc_dimension_text(int d) {
    static const char *const texts[] = {"as dimension 0", "as dimension 1", "as dimension 2",
                                        "as dimension 3", "as dimension 4", "as dimension 5",
                                        "as dimension 6", "as dimension 7"};
    return texts[d];
}

void spc_set_dense(spc_node *node, int rank, int64_t rows, int64_t cols) {
    node->kind = SPC_VALUE_DENSE;
    node->rank = rank;
    node->shape[0] = rows;
    if (rank > 1) node->shape[1] = cols;
}

void spc_set_csr(spc_node *node, int64_t rows, int64_t cols, int64_t entries) {
    node->kind = SPC_VALUE_CSR;
    node->rank = 3;
    node->shape[0] = rows;
    node->shape[1] = cols;
    node->shape[2] = entries;
}

void spc_set_coo(spc_node *node, int rank, const int64_t *shape, int64_t entries) {
    node->kind = SPC_VALUE_COO;
    node->rank = rank;
    memcpy(node->shape, shape, sizeof *shape * (size_t)rank);
    node->stored = entries;
}

sparcl_status spc_like_first(sparcl_graph *graph, spc_node *node) {
    const spc_node *const x = spc_operand(graph, node, 0);
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    node->kind = SPC_VALUE_DENSE;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
    return SPARCL_OK;
}

bool spc_needs_gradient(const sparcl_graph *graph, sparcl_node node, int operand) {
    const spc_node *const n = spc_node_at(graph, node);
    return spc_node_at(graph, n->in[operand])->has_parameter;
}

/* Are the indices of a node's matrices and lists known before a run? */
static bool knows_indices(const sparcl_graph *graph, const spc_node *node) {
    for (int i = 0; i < node->in_count; ++i) {
        const spc_value kind = spc_node_at(graph, node->in[i])->kind;
        if ((kind == SPC_VALUE_CSR || kind == SPC_VALUE_LIST) &&
            !spc_knows_rows(graph, node->in[i]))
            return false;
    }
    return true;
}

/* Those of a computed matrix are found before its only reader: graph_run.c. */
static bool finds_rows(const sparcl_graph *graph, const spc_node *node, int readers) {
    return node->op->reads_columns && readers == 1 &&
           spc_node_at(graph, node->in[0])->kind == SPC_VALUE_CSR;
}

static int readers_of(const sparcl_graph *graph, sparcl_node which) {
    int readers = 0;
    for (int i = which + 1; i < graph->forward_count; ++i)
        for (int k = 0; k < spc_node_at(graph, i)->in_count; ++k)
            readers += spc_node_at(graph, i)->in[k] == which;
    return readers;
}

bool spc_wants_rows(const sparcl_graph *graph, sparcl_node which) {
    const spc_parameter *const p = spc_node_at(graph, which)->parameter;
    if (!p || spc_parameter_steps_all(p)) return false;
    const int readers = readers_of(graph, which);
    for (int i = which + 1; i < graph->forward_count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        for (int k = 0; k < node->in_count; ++k) {
            if (node->in[k] != which) continue;
            if (node->op->rows_of != k + 1) return false;
            if (!knows_indices(graph, node) && !finds_rows(graph, node, readers)) return false;
        }
    }
    return true;
}
