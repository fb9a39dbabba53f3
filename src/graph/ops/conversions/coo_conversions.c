/* coo_conversions.c: COO arrays from and to other formats, in the table of operations. */
#include "graph/ops/structure/coo_result.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/structure.h"

/* --- coo_to_csr ------------------------------------------------------------------------------- */

/* The entries are sorted, so that each keeps its position. */
static sparcl_status coo_to_csr_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_COO, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_csr(node, a->shape[0], a->shape[1], a->stored);
    node->flags = a->flags;
    return SPARCL_OK;
}

static sparcl_status coo_to_csr_launch(sparcl_graph *graph, spc_node *node) {
    const int64_t size = (int64_t)sparcl_dtype_size(node->dtype);
    sparcl_csr *const to = &node->csr;
    if (to->nnz > 0)
        SPC_TRY(sparcl_buf_fill(graph->ctx, to->values, to->values_at * size, to->nnz * size, 0));
    SPC_TRY(sparcl_coo_to_csr(graph->ctx, to, spc_operand_coo(graph, node, 0)));
    to->proof = (sparcl_proof){.flags = SPARCL_TRUSTED | sparcl_csr_flags(to)};
    return SPARCL_OK;
}

const spc_operation spc_op_coo_to_csr = {
    .about = {"coo_to_csr", "A: COO [m, k]", "the same with sorted rows: CSR [m, k]",
              "A's values: the gradient of theirs in the result"},
    .infer = coo_to_csr_infer,
    .launch = coo_to_csr_launch,
    .gradient = spc_same_entries_gradient,
    .owns_indices = true};

/* A matrix that is not known to be sorted; anything else is left to the conversion. */

/* --- csr_to_coo ------------------------------------------------------------------------------- */

static sparcl_status csr_to_coo_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_coo(node, 2, a->shape, a->shape[2]);
    node->flags = a->flags;
    return SPARCL_OK;
}

static sparcl_status csr_to_coo_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(
        node, sparcl_csr_to_coo(graph->ctx, &node->coo, &spc_operand(graph, node, 0)->csr));
}

const spc_operation spc_op_csr_to_coo = {
    .about = {"csr_to_coo", "A: CSR [m, k]", "the same in the order stored: COO [m, k]",
              "A's values: the gradient of theirs in the result"},
    .infer = csr_to_coo_infer,
    .launch = csr_to_coo_launch,
    .gradient = spc_same_entries_gradient,
    .owns_indices = true};

/* --- to_coo: the elements that exceed a threshold --------------------------------------------- */

static sparcl_status to_coo_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    const spc_node *const x = spc_operand(graph, node, 0);
    spc_set_coo(node, x->rank, x->shape, node->settings.entries);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status to_coo_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(node, sparcl_dense_to_coo(graph->ctx, &node->coo,
                                                        &spc_operand(graph, node, 0)->dense,
                                                        node->settings.value, NULL));
}

/* `of` is that of the values, of the elements of x at the entries. */
static void to_coo_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    gradients[0] = sparcl_graph_to_dense(graph, sparcl_graph_with_values(graph, node, of));
}

const spc_operation spc_op_to_coo = {
    .about = {"to_coo", "x: [m, ...]",
              "the elements larger in magnitude than a threshold: COO [m, ...]; those past the "
              "capacity are dropped",
              "x: the gradient of the values at the entries, others 0"},
    .infer = to_coo_infer,
    .launch = to_coo_launch,
    .gradient = to_coo_gradient,
    .owns_indices = true};
