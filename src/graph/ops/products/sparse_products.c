/* sparse_products.c: sparse products with mean, maximum and minimum, products of sparse matrices,
 * and their sums and products element by element, in the table of operations. */
#include "graph/engine/operations.h"
#include "sparcl/ops.h"

static const sparcl_dense *dense_of(const sparcl_graph *graph, const spc_node *node, int i) {
    return &spc_operand(graph, node, i)->dense;
}

static const sparcl_csr *csr_of(const sparcl_graph *graph, const spc_node *node, int i) {
    return &spc_operand(graph, node, i)->csr;
}

/* Of the values of CSR matrix `like`. */
static sparcl_status like_values(sparcl_graph *graph, spc_node *node) {
    spc_set_dense(node, 1, spc_node_at(graph, node->settings.like)->shape[2], 0);
    return SPARCL_OK;
}

/* --- spmm_reduce ------------------------------------------------------------------------------ */

static sparcl_status spmm_reduce_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 1, "columns"));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    spc_set_dense(node, b->rank, a->shape[0], b->shape[1]);
    return SPARCL_OK;
}

static sparcl_status spmm_reduce_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_spmm_reduce(graph->ctx, node->settings.reduction, &node->dense,
                              csr_of(graph, node, 0), dense_of(graph, node, 1), NULL);
}

/* Operands: A, G, B. */
static sparcl_status reduce_gradient(sparcl_graph *graph, spc_node *node, const sparcl_dense *gb,
                                     const sparcl_dense *gv, sparcl_pattern *pattern) {
    return sparcl_spmm_reduce_gradient(graph->ctx, node->settings.reduction, gb, gv,
                                       dense_of(graph, node, 1), csr_of(graph, node, 0),
                                       dense_of(graph, node, 2), NULL, pattern);
}

static sparcl_status like_third(sparcl_graph *graph, spc_node *node) {
    const spc_node *const b = spc_operand(graph, node, 2);
    spc_set_dense(node, b->rank, b->shape[0], b->shape[1]);
    return SPARCL_OK;
}

static sparcl_status spmm_reduce_b_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_pattern *pattern = NULL;
    SPC_TRY(spc_graph_pattern(graph, spc_operand(graph, node, 0), &pattern));
    return reduce_gradient(graph, node, &node->dense, NULL, pattern);
}

static sparcl_status spmm_reduce_a_launch(sparcl_graph *graph, spc_node *node) {
    return reduce_gradient(graph, node, NULL, &node->dense, NULL);
}

const spc_operation spc_op_spmm_reduce_a = {.about = {"spmm_reduce_gradient_a",
                                                      "A; the gradient of the result; B",
                                                      "the gradient of A's values", NULL},
                                            .infer = like_values,
                                            .launch = spmm_reduce_a_launch};
const spc_operation spc_op_spmm_reduce_b = {.about = {"spmm_reduce_gradient_b",
                                                      "A; the gradient of the result; B",
                                                      "the gradient of B", NULL},
                                            .infer = like_third,
                                            .launch = spmm_reduce_b_launch,
                                            .needs_pattern = true};

static void spmm_reduce_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                 sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node in[] = {n->in[0], of, n->in[1]};
    const spc_settings settings = {.reduction = n->settings.reduction, .like = n->in[0]};
    const bool of_a = spc_needs_gradient(graph, node, 0), of_b = spc_needs_gradient(graph, node, 1);
    if (of_a) gradients[0] = spc_graph_add(graph, &spc_op_spmm_reduce_a, in, 3, &settings);
    if (of_b) gradients[1] = spc_graph_add(graph, &spc_op_spmm_reduce_b, in, 3, &settings);
}

const spc_operation spc_op_spmm_reduce = {
    .about = {"spmm_reduce", "A: CSR [m, k]; B: [k, n] or [k]",
              "sum, mean, maximum or minimum of the terms of each element of A B: [m, n] or [m]",
              "A's values and B: from the terms; of a maximum the first that is it"},
    .infer = spmm_reduce_infer,
    .launch = spmm_reduce_launch,
    .gradient = spmm_reduce_gradient};

sparcl_node sparcl_graph_spmm_reduce(sparcl_graph *graph, sparcl_reduction kind, sparcl_node a,
                                     sparcl_node b) {
    const sparcl_node in[] = {a, b};
    const spc_settings settings = {.reduction = kind};
    return spc_graph_add(graph, &spc_op_spmm_reduce, in, 2, &settings);
}

/* --- CSR results ------------------------------------------------------------------------------ */

/* The result has the offset and index types of operand 0; there is room for I64. */
static sparcl_status open_result(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr *const a = csr_of(graph, node, 0);
    sparcl_csr *const c = &node->csr;
    c->offsets_at = c->offsets_at * (int64_t)sparcl_itype_size(c->offset_type) /
                    (int64_t)sparcl_itype_size(a->offset_type);
    c->indices_at = c->indices_at * (int64_t)sparcl_itype_size(c->index_type) /
                    (int64_t)sparcl_itype_size(a->index_type);
    c->offset_type = a->offset_type;
    c->index_type = a->index_type;
    return spc_clear_csr(graph, node);
}

static sparcl_status close_result(spc_node *node, sparcl_status status) {
    if (status == SPARCL_OK) spc_trust_csr(node);
    return status;
}

/* --- csr_add and csr_multiply ----------------------------------------------------------------- */

static sparcl_status binary_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_CSR, 3, 3));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[0], "rows"},
                           (spc_size){b, b->shape[0], "rows"}));
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[1], "columns"},
                           (spc_size){b, b->shape[1], "columns"}));
    const int64_t rows = a->shape[0], cols = a->shape[1], entries = a->shape[2];
    const int64_t both = spc_dim_of_two(graph, '+', entries, b->shape[2]);
    spc_set_csr(node, rows, cols, node->op == &spc_op_csr_add ? both : entries);
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

static sparcl_status csr_add_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr_sources sources = sources_of(node);
    SPC_TRY(open_result(graph, node));
    return close_result(node, sparcl_csr_add(graph->ctx, &node->csr, node->settings.alpha,
                                             csr_of(graph, node, 0), node->settings.beta,
                                             csr_of(graph, node, 1), &sources));
}

static sparcl_status csr_multiply_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr_sources sources = sources_of(node);
    SPC_TRY(open_result(graph, node));
    return close_result(node, sparcl_csr_multiply(graph->ctx, &node->csr, csr_of(graph, node, 0),
                                                  csr_of(graph, node, 1), &sources));
}

/* Operands: the gradient, the result, A and B. map: by which of these. */
static sparcl_status binary_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const spc_node *const c = spc_operand(graph, node, 1);
    const sparcl_dense *const g = dense_of(graph, node, 0);
    const sparcl_dense *const ga = node->settings.map == 0 ? &node->dense : NULL;
    const sparcl_dense *const gb = ga ? NULL : &node->dense;
    const sparcl_csr_sources sources = sources_of(c);
    return c->op == &spc_op_csr_add
               ? sparcl_csr_add_gradient(graph->ctx, ga, gb, node->settings.alpha,
                                         node->settings.beta, g, &c->csr, &sources)
               : sparcl_csr_multiply_gradient(graph->ctx, ga, gb, g, &c->csr,
                                              csr_of(graph, node, 2), csr_of(graph, node, 3),
                                              &sources);
}

const spc_operation spc_op_csr_binary_gradient = {
    .about = {"csr_binary_gradient", "the gradient of the result's values; the result; A; B",
              "the gradient of A's or of B's values", NULL},
    .infer = like_values,
    .launch = binary_gradient_launch};

static void binary_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node in[] = {of, node, n->in[0], n->in[1]};
    spc_settings settings = n->settings;
    bool needs[2];
    for (int i = 0; i < 2; ++i)
        needs[i] = spc_needs_gradient(graph, node, i);
    for (int i = 0; i < 2; ++i) {
        settings.map = i;
        settings.like = in[2 + i];
        if (needs[i])
            gradients[i] = spc_graph_add(graph, &spc_op_csr_binary_gradient, in, 4, &settings);
    }
}

const spc_operation spc_op_csr_add = {
    .about = {"csr_add", "A, B: CSR [m, k], sorted and unique", "alpha A + beta B: CSR",
              "the values of A and B: those of their entries, times alpha and beta"},
    .infer = binary_infer,
    .launch = csr_add_launch,
    .gradient = binary_gradient,
    .owns_indices = true,
    .maps = 2};
const spc_operation spc_op_csr_multiply = {
    .about = {"csr_multiply", "A, B: CSR [m, k], sorted and unique",
              "their product element by element: CSR",
              "the values of A and B: the gradient times the other value, 0 where there is none"},
    .infer = binary_infer,
    .launch = csr_multiply_launch,
    .gradient = binary_gradient,
    .owns_indices = true,
    .maps = 2};

/* --- csr_multiply_dense ----------------------------------------------------------------------- */

static sparcl_status multiply_dense_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 0, "rows"));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_DENSE, 2, 2));
    const spc_node *const a = spc_operand(graph, node, 0), *const x = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[1], "columns"},
                           (spc_size){x, x->shape[1], "columns"}));
    spc_set_dense(node, 1, a->shape[2], 0);
    return SPARCL_OK;
}

static sparcl_status multiply_dense_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_multiply_dense(graph->ctx, &node->dense, csr_of(graph, node, 0),
                                     dense_of(graph, node, 1));
}

/* By the values: the same product of the matrix that has the gradient as its values. */
static void multiply_dense_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                    sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node a = n->in[0], x = n->in[1], in[] = {a, of, x};
    const bool of_a = spc_needs_gradient(graph, node, 0), of_x = spc_needs_gradient(graph, node, 1);
    if (of_a) {
        const sparcl_node both[] = {sparcl_graph_with_values(graph, a, of), x};
        gradients[0] = spc_graph_add(graph, &spc_op_csr_multiply_dense, both, 2, NULL);
    }
    if (of_x) gradients[1] = spc_graph_add(graph, &spc_op_csr_multiply_dense_gradient, in, 3, NULL);
}

const spc_operation spc_op_csr_multiply_dense = {
    .about = {"csr_multiply_dense", "A: CSR [m, k]; x: [m, k]",
              "their product element by element: the indices of A, CSR",
              "A's values: the same product of the gradient; x: A's values times the gradient, "
              "others 0"},
    .infer = multiply_dense_infer,
    .launch = multiply_dense_launch,
    .gradient = multiply_dense_gradient};

/* Operands: A, the gradient, x. */
static sparcl_status multiply_dense_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_csr_multiply_dense_gradient(graph->ctx, NULL, &node->dense,
                                              dense_of(graph, node, 1), csr_of(graph, node, 0),
                                              dense_of(graph, node, 2));
}

const spc_operation spc_op_csr_multiply_dense_gradient = {
    .about = {"csr_multiply_dense_gradient", "A; the gradient of the result's values; x",
              "the gradient of x", NULL},
    .infer = like_third,
    .launch = multiply_dense_gradient_launch};

/* --- spgemm ----------------------------------------------------------------------------------- */

static sparcl_status spgemm_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_CSR, 3, 3));
    const spc_node *const a = spc_operand(graph, node, 0), *const b = spc_operand(graph, node, 1);
    SPC_TRY(spc_need_equal(graph, node, (spc_size){a, a->shape[1], "columns"},
                           (spc_size){b, b->shape[0], "rows"}));
    if (node->settings.entries < 0)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the entries are %lld, expected 0 or more",
                             (long long)node->settings.entries);
    spc_set_csr(node, a->shape[0], b->shape[1], node->settings.entries);
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status spgemm_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_csr *const a = csr_of(graph, node, 0), *const b = csr_of(graph, node, 1);
    SPC_TRY(open_result(graph, node));
    if (!node->spgemm) SPC_TRY(sparcl_spgemm_create(graph->ctx, &node->spgemm));
    SPC_TRY(sparcl_spgemm_symbolic(graph->ctx, node->spgemm, a, b));
    return close_result(node,
                        sparcl_spgemm_numeric(graph->ctx, node->spgemm, &node->csr, a, b, NULL));
}

/* Operands: A, the gradient, the result, B. map: by which of A and B. */
static sparcl_status spgemm_gradient_launch(sparcl_graph *graph, spc_node *node) {
    const bool by_a = node->settings.map == 0;
    sparcl_pattern *pattern = NULL;
    if (!by_a) SPC_TRY(spc_graph_pattern(graph, spc_operand(graph, node, 0), &pattern));
    return sparcl_spgemm_gradient(graph->ctx, by_a ? &node->dense : NULL,
                                  by_a ? NULL : &node->dense, dense_of(graph, node, 1),
                                  csr_of(graph, node, 2), csr_of(graph, node, 0),
                                  csr_of(graph, node, 3), pattern);
}

const spc_operation spc_op_spgemm_gradient = {
    .about = {"spgemm_gradient", "A; the gradient of the result's values; the result; B",
              "the gradient of A's or of B's values", NULL},
    .infer = like_values,
    .launch = spgemm_gradient_launch};

static void spgemm_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const spc_node *const n = spc_node_at(graph, node);
    const sparcl_node in[] = {n->in[0], of, node, n->in[1]};
    const spc_settings by_a = {.map = 0, .like = in[0]}, by_b = {.map = 1, .like = in[3]};
    const bool of_a = spc_needs_gradient(graph, node, 0), of_b = spc_needs_gradient(graph, node, 1);
    if (of_a) gradients[0] = spc_graph_add(graph, &spc_op_spgemm_gradient, in, 4, &by_a);
    if (of_b) gradients[1] = spc_graph_add(graph, &spc_op_spgemm_gradient, in, 4, &by_b);
}

const spc_operation spc_op_spgemm = {
    .about = {"spgemm", "A: CSR [m, k]; B: CSR [k, n], sorted and unique",
              "A B: CSR, with room for a number of entries that is given",
              "the values of A and B: products of the gradient and the other matrix at their "
              "entries"},
    .infer = spgemm_infer,
    .launch = spgemm_launch,
    .gradient = spgemm_gradient,
    .owns_indices = true};

sparcl_node sparcl_graph_spgemm(sparcl_graph *graph, sparcl_node a, sparcl_node b,
                                int64_t entries) {
    const sparcl_node in[] = {a, b};
    const spc_settings settings = {.entries = entries};
    return spc_graph_add(graph, &spc_op_spgemm, in, 2, &settings);
}
