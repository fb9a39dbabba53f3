/* coo_combine.c: operations in the table that make one entry of several, or add entries: coalesce,
 * empty rows, sums and products of COO arrays. */
#include "graph/ops/structure/coo_result.h"

/* --- the gradient of entries that were combined ----------------------------------------------- */

/* Operands: the gradient, the result, whose maps are an inverse and counts or a source, and the
 * array whose entries were combined. */
static sparcl_status combined_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    spc_set_dense(node, 1, spc_operand(graph, node, 2)->stored, 0);
    return SPARCL_OK;
}

static sparcl_status combined_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const result = spc_operand(graph, node, 1);
    const sparcl_list *const inverse = &result->maps[0], *const second = &result->maps[1];
    const sparcl_coalesced more = {.inverse = inverse->indices,
                                   .inverse_at = inverse->indices_at,
                                   .counts = second->indices,
                                   .counts_at = second->indices_at,
                                   .source = second->indices,
                                   .source_at = second->indices_at};
    return sparcl_coo_coalesce_gradient(graph->ctx, &node->dense, node->settings.duplicates,
                                        &spc_operand(graph, node, 0)->dense,
                                        spc_operand_coo(graph, node, 2), &more);
}

const spc_operation spc_op_coo_coalesce_gradient = {
    .about = {"coo_coalesce_gradient", "the gradient of the result's values; the result; A",
              "the gradient of A's values", NULL},
    .infer = combined_infer,
    .launch = combined_launch};

static void combined_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                              sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node in[] = {of, node, n->in[0]};
    const spc_settings settings = {.duplicates = n->settings.duplicates};
    if (spc_needs_gradient(graph, node, 0))
        gradients[0] = spc_graph_add(graph, &spc_op_coo_coalesce_gradient, in, 3, &settings);
}

/* --- coo_coalesce ----------------------------------------------------------------------------- */

static sparcl_status coalesce_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_coo(graph, node));
    if ((unsigned)node->settings.duplicates > SPARCL_LAST)
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "how is %d, expected SPARCL_SUM to SPARCL_LAST",
                             (int)node->settings.duplicates);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

/* The results that a gradient needs are written for it only. */
static sparcl_status coalesce_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_duplicates how = node->settings.duplicates;
    const sparcl_list *const second = &node->maps[1];
    const bool is_mean = how == SPARCL_MEAN, is_choice = how >= SPARCL_MAX;
    const sparcl_coalesced more = {.inverse = node->maps[0].indices,
                                   .inverse_at = node->maps[0].indices_at,
                                   .counts = is_mean ? second->indices : NULL,
                                   .counts_at = is_mean ? second->indices_at : 0,
                                   .source = is_choice ? second->indices : NULL,
                                   .source_at = is_choice ? second->indices_at : 0};
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(
        node, sparcl_coo_coalesce(graph->ctx, &node->coo, spc_operand_coo(graph, node, 0), how,
                                  spc_has_gradient(graph, node) ? &more : NULL));
}

const spc_operation spc_op_coo_coalesce = {
    .about = {"coo_coalesce", "A: COO",
              "A sorted, with the sum, mean, maximum, minimum, first or last of the entries with "
              "one index: COO",
              "A's values: of a sum the gradient of the entry that each is in, of a mean its part; "
              "else that of the entry that was chosen"},
    .infer = coalesce_infer,
    .launch = coalesce_launch,
    .gradient = combined_gradient,
    .owns_indices = true,
    .maps = 2};

/* --- coo_fill_empty_rows ---------------------------------------------------------------------- */

static sparcl_status fill_empty_rows_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_coo(graph, node));
    node->stored = spc_dim_of_two(graph, '+', node->stored, node->shape[0]);
    node->flags = SPARCL_SORTED | (spc_operand(graph, node, 0)->flags & SPARCL_UNIQUE);
    return SPARCL_OK;
}

static sparcl_status fill_empty_rows_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    const sparcl_filled more = {.inverse = moved.source, .inverse_at = moved.source_at};
    return spc_keep_coo_marks(node, sparcl_coo_fill_empty_rows(graph->ctx, &node->coo,
                                                               spc_operand_coo(graph, node, 0),
                                                               node->settings.value, &more));
}

const spc_operation spc_op_coo_fill_empty_rows = {
    .about = {"coo_fill_empty_rows", "A: COO [m, ...]",
              "A sorted, and an entry in each row (index of dimension 0) without one: COO",
              "A's values: the gradient of theirs in the result"},
    .infer = fill_empty_rows_infer,
    .launch = fill_empty_rows_launch,
    .gradient = combined_gradient, /* that of a sum of one entry each */
    .owns_indices = true,
    .maps = 1};

/* --- coo_add and coo_multiply ----------------------------------------------------------------- */

static sparcl_status binary_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_infer_like_coo(graph, node));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_COO, a->rank, a->rank));
    for (int d = 0; d < a->rank; ++d)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[d], spc_dimension_text(d)},
                               (spc_size){b, b->shape[d], spc_dimension_text(d)}));
    if (node->op == &spc_op_coo_add)
        node->stored = spc_dim_of_two(graph, '+', a->stored, b->stored);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

/* Where the entries of a result come from: its maps. */
static sparcl_csr_sources sources_of(const spc_node *result) {
    return (sparcl_csr_sources){.a = result->maps[0].indices,
                                .b = result->maps[1].indices,
                                .a_at = result->maps[0].indices_at,
                                .b_at = result->maps[1].indices_at};
}

static sparcl_status add_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr_sources sources = sources_of(node);
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(node,
                              sparcl_coo_add(graph->ctx, &node->coo, node->settings.alpha,
                                             spc_operand_coo(graph, node, 0), node->settings.beta,
                                             spc_operand_coo(graph, node, 1), &sources));
}

static sparcl_status multiply_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr_sources sources = sources_of(node);
    sparcl_moved moved;
    SPC_TRY(spc_clear_coo(graph, node, &moved));
    return spc_keep_coo_marks(node, sparcl_coo_multiply(graph->ctx, &node->coo,
                                                        spc_operand_coo(graph, node, 0),
                                                        spc_operand_coo(graph, node, 1), &sources));
}

/* Operands: the gradient, the result, A and B. part: by which of these. */
static sparcl_status binary_gradient_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, 1));
    spc_set_dense(node, 1, spc_operand(graph, node, 2 + node->settings.part)->stored, 0);
    return SPARCL_OK;
}

static sparcl_status binary_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const c = spc_operand(graph, node, 1);
    const sparcl_dense *const g = &spc_operand(graph, node, 0)->dense;
    const sparcl_dense *const ga = node->settings.part == 0 ? &node->dense : NULL;
    const sparcl_dense *const gb = ga ? NULL : &node->dense;
    const sparcl_csr_sources sources = sources_of(c);
    return c->op == &spc_op_coo_add
               ? sparcl_coo_add_gradient(graph->ctx, ga, gb, node->settings.alpha,
                                         node->settings.beta, g, &c->coo, &sources)
               : sparcl_coo_multiply_gradient(graph->ctx, ga, gb, g, &c->coo,
                                              spc_operand_coo(graph, node, 2),
                                              spc_operand_coo(graph, node, 3), &sources);
}

const spc_operation spc_op_coo_binary_gradient = {
    .about = {"coo_binary_gradient", "the gradient of the result's values; the result; A; B",
              "the gradient of A's or of B's values", NULL},
    .infer = binary_gradient_infer,
    .launch = binary_gradient_launch};

static void binary_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node in[] = {of, node, n->in[0], n->in[1]};
    spc_settings settings = n->settings;
    for (int i = 0; i < 2; ++i) {
        settings.part = i;
        if (spc_needs_gradient(graph, node, i))
            gradients[i] = spc_graph_add(graph, &spc_op_coo_binary_gradient, in, 4, &settings);
    }
}

const spc_operation spc_op_coo_add = {
    .about = {"coo_add", "A, B: COO of one shape, sorted and unique", "alpha A + beta B: COO",
              "the values of A and B: those of their entries, times alpha and beta"},
    .infer = binary_infer,
    .launch = add_launch,
    .gradient = binary_gradient,
    .owns_indices = true,
    .maps = 2};
const spc_operation spc_op_coo_multiply = {
    .about = {"coo_multiply", "A, B: COO of one shape, sorted and unique",
              "their product element by element: COO",
              "the values of A and B: the gradient times the other value, 0 where there is none"},
    .infer = binary_infer,
    .launch = multiply_launch,
    .gradient = binary_gradient,
    .owns_indices = true,
    .maps = 2};
