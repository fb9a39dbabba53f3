/* embeddings.c: rows of tables by their indices, and bags of them, in the table of operations. */
#include "base/size.h"
#include "graph/engine/operations.h"
#include "ops/layers/bags.h"
#include "sparcl/ops/layers.h"
#include "sparcl/ops/products.h"

/* --- what both have ----------------------------------------------------------------------------
 */

/* The rows of operand `i` that a run reads are written first, so it must be an array of its own. */
static sparcl_status check_max_norm(sparcl_graph *graph, const spc_node *node, int i) {
    const double max_norm = node->settings.max_norm;
    if (max_norm == 0) return SPARCL_OK;
    if (!(max_norm > 0))
        return spc_node_fail(graph, node, SPARCL_E_ARG, "max_norm is %g, expected 0 or more",
                             max_norm);
    if (!spc_operand(graph, node, i)->op) return SPARCL_OK;
    return spc_node_fail(
        graph, node, SPARCL_E_ARG,
        "there is a max_norm, and %s is computed, expected a parameter or an input",
        spc_operand(graph, node, i)->name);
}

static sparcl_status renorm(sparcl_graph *graph, const spc_node *node, int i,
                            const sparcl_bags *bags) {
    if (node->settings.max_norm == 0) return SPARCL_OK;
    return sparcl_embedding_renorm(graph->ctx, &spc_operand(graph, node, i)->dense, bags,
                                   node->settings.max_norm, node->settings.norm_type);
}

static spc_settings settings_of(const sparcl_embedding_options *options) {
    return (spc_settings){.bag_mode = options->mode,
                          .has_padding = options->has_padding,
                          .padding_index = options->padding_index,
                          .scale_by_frequency = options->scale_by_frequency,
                          .max_norm = options->max_norm,
                          .norm_type = options->norm_type == 0 ? 2 : options->norm_type};
}

static const char bag_name[] = "embedding_bag";

/* E_ARG, as the error of the graph, where they do not fit. */
static bool check_options(sparcl_graph *graph, const char *op,
                          const sparcl_embedding_options *options) {
    if (!graph) return false;
    const bool of_matrix = op == bag_name;
    const char *const why = of_matrix && options->bounds != SPARCL_BOUNDS_ERROR
                                ? "there are bounds, but columns of a matrix are not bad"
                            : spc_is_struct_size(options->size, sizeof *options)
                                ? NULL
                                : "the size of the options is neither 0 nor that of the struct";
    if (why) spc_graph_keep(graph, spc_ctx_fail(graph->ctx, SPARCL_E_ARG, "%s: %s", op, why));
    return !why;
}

/* --- embedding_bag: what a mode makes of the rows of a table, for each row of a matrix ----------
 */

static sparcl_status bag_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_csr_and_dense(graph, node, 1, "columns"));
    const spc_node *const a = spc_operand(graph, node, 0), *const t = spc_operand(graph, node, 1);
    if ((unsigned)node->settings.bag_mode > SPARCL_BAG_MAX)
        return spc_node_fail(graph, node, SPARCL_E_ARG, "the mode is %d, which is unknown",
                             (int)node->settings.bag_mode);
    if (node->settings.bag_mode == SPARCL_BAG_MAX && node->settings.scale_by_frequency)
        return spc_node_fail(graph, node, SPARCL_E_ARG,
                             "scale_by_frequency is 1 in mode max, expected 0");
    SPC_TRY(check_max_norm(graph, node, 1));
    spc_set_dense(node, t->rank, a->shape[0], t->shape[1]);
    return SPARCL_OK;
}

/* The rows of a matrix as bags; its values are the weights, but of a maximum. */
static sparcl_bags bags_of(const spc_node *node, const sparcl_csr *a) {
    const bool is_max = node->settings.bag_mode == SPARCL_BAG_MAX;
    return (sparcl_bags){.bags = a->rows,
                         .indices = {.count = a->nnz,
                                     .limit = a->cols,
                                     .index_type = a->index_type,
                                     .indices = a->indices,
                                     .indices_at = a->indices_at,
                                     .proof = {.flags = SPARCL_TRUSTED}},
                         .offset_type = a->offset_type,
                         .include_last = 1,
                         .offsets = a->offsets,
                         .offsets_at = a->offsets_at,
                         .weights = is_max ? NULL : a->values,
                         .weights_at = is_max ? 0 : a->values_at,
                         .mode = node->settings.bag_mode,
                         .has_padding = node->settings.has_padding,
                         .padding_index = node->settings.padding_index,
                         .longest = a->proof.longest_row,
                         .scale_by_frequency = node->settings.scale_by_frequency};
}

static sparcl_status bag_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_bags bags = bags_of(node, &spc_operand(graph, node, 0)->csr);
    SPC_TRY(renorm(graph, node, 1, &bags));
    return sparcl_embedding_bag(graph->ctx, &node->dense, &spc_operand(graph, node, 1)->dense,
                                &bags, NULL, NULL, 0);
}

/* By the table: a transposed product, with the weights divided as the mode says. */
static sparcl_node sum_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                bool row_sparse) {
    const spc_settings settings = spc_node_at(graph, node)->settings;
    const spc_settings rows = {.row_sparse = row_sparse};
    const sparcl_node a = spc_node_at(graph, node)->in[0];
    sparcl_node own = a;
    if (settings.bag_mode != SPARCL_BAG_SUM || settings.has_padding)
        own = sparcl_graph_with_values(
            graph, a, spc_graph_add(graph, &spc_op_bag_coefficients, &a, 1, &settings));
    const sparcl_node in[] = {own, of};
    if (!settings.scale_by_frequency) return spc_graph_add(graph, &spc_op_spmm_t, in, 2, &rows);
    const sparcl_node scaled = spc_graph_add(graph, &spc_op_bag_scaled_gradient, in, 2, NULL);
    return row_sparse ? scaled : sparcl_graph_to_dense(graph, scaled);
}

/* A row for each entry. */
static sparcl_node max_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                                bool row_sparse) {
    const spc_settings settings = spc_node_at(graph, node)->settings;
    const sparcl_node a = spc_node_at(graph, node)->in[0], t = spc_node_at(graph, node)->in[1];
    const sparcl_node in[] = {a, of, t};
    const spc_settings like = {.like = t};
    const sparcl_node both[] = {spc_graph_add(graph, &spc_op_bag_max_gradient, in, 3, &settings),
                                sparcl_graph_columns(graph, a)};
    const sparcl_node rows = spc_graph_add(graph, &spc_op_as_rows, both, 2, &like);
    return row_sparse ? rows : sparcl_graph_to_dense(graph, rows);
}

static void bag_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                         sparcl_node *gradients) {
    const spc_settings settings = spc_node_at(graph, node)->settings;
    const sparcl_node a = spc_node_at(graph, node)->in[0], t = spc_node_at(graph, node)->in[1];
    const bool of_a = spc_needs_gradient(graph, node, 0) && settings.bag_mode != SPARCL_BAG_MAX;
    const bool of_t = spc_needs_gradient(graph, node, 1), row_sparse = spc_wants_rows(graph, t);
    const sparcl_node in[] = {a, of, t, node};
    if (of_a) gradients[0] = spc_graph_add(graph, &spc_op_bag_weights_gradient, in, 4, &settings);
    if (of_t)
        gradients[1] = (settings.bag_mode == SPARCL_BAG_MAX ? max_gradient : sum_gradient)(
            graph, node, of, row_sparse);
}

const spc_operation spc_op_embedding_bag = {
    .about =
        {"embedding_bag", "A: CSR [m, k]; t: [k, d] or [k]",
         "row i: the sum, mean, sqrtn or maximum of the rows of t in row i of A: [m, d] or [m]",
         "A's values, which are the weights, but of a maximum; t: row-sparse where only rows of "
         "a parameter t are read"},
    .infer = bag_infer,
    .launch = bag_launch,
    .gradient = bag_gradient,
    .rows_of = 2};

sparcl_node sparcl_graph_embedding_bag(sparcl_graph *graph, sparcl_node a, sparcl_node table,
                                       const sparcl_embedding_options *given) {
    const sparcl_embedding_options none = {0}, *const options = given ? given : &none;
    const sparcl_node in[] = {a, table};
    if (!check_options(graph, bag_name, options)) return SPARCL_NO_NODE;
    const spc_settings settings = settings_of(options);
    return spc_graph_add(graph, &spc_op_embedding_bag, in, 2, &settings);
}

static sparcl_status entries_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_CSR, 3, 3));
    const spc_node *const a = spc_operand(graph, node, 0);
    spc_set_dense(node, 1, a->shape[2], 0);
    if (node->op == &spc_op_bag_max_gradient) {
        const spc_node *const t = spc_operand(graph, node, 2);
        spc_set_dense(node, t->rank, a->shape[2], t->shape[1]);
    }
    return SPARCL_OK;
}

static sparcl_status coefficients_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_bags bags = bags_of(node, &spc_operand(graph, node, 0)->csr);
    return spc_bag_coefficients(graph->ctx, &bags, node->dense.dtype, node->dense.values,
                                node->dense.values_at);
}

const spc_operation spc_op_bag_coefficients = {
    .about = {"bag_coefficients", "A: CSR [m, k] with n entries",
              "its values, divided as the mode says: [n]", NULL},
    .infer = entries_infer,
    .launch = coefficients_launch};

static sparcl_status weights_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_bags bags = bags_of(node, &spc_operand(graph, node, 0)->csr);
    const sparcl_dense *const y = &spc_operand(graph, node, 3)->dense;
    return sparcl_embedding_bag_weights_gradient(
        graph->ctx, &node->dense, &spc_operand(graph, node, 1)->dense,
        &spc_operand(graph, node, 2)->dense, bags.mode == SPARCL_BAG_SUM ? NULL : y, &bags);
}

const spc_operation spc_op_bag_weights_gradient = {
    .about = {"bag_weights_gradient", "A: CSR [m, k] with n entries; the gradient; t; the result",
              "the gradient of A's values: [n]", NULL},
    .infer = entries_infer,
    .launch = weights_launch};

static sparcl_status max_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_bags bags = bags_of(node, &spc_operand(graph, node, 0)->csr);
    return spc_bag_max_gradient(graph->ctx, &bags, &spc_operand(graph, node, 1)->dense,
                                &spc_operand(graph, node, 2)->dense, node->dense.values,
                                node->dense.values_at);
}

const spc_operation spc_op_bag_max_gradient = {
    .about = {"bag_max_gradient", "A: CSR [m, k] with n entries; the gradient; t: [k, d] or [k]",
              "for each entry the gradient where it is the maximum: [n, d] or [n]", NULL},
    .infer = entries_infer,
    .launch = max_launch};

/* The transposed product, each row divided by the number of its entries. */
static sparcl_status scaled_infer(sparcl_graph *graph, spc_node *node) {
    node->settings.row_sparse = true;
    return spc_op_spmm_t.infer(graph, node);
}

static sparcl_status scaled_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_pattern *pattern = NULL;
    SPC_TRY(spc_op_spmm_t.launch(graph, node));
    SPC_TRY(spc_graph_pattern(graph, spc_operand(graph, node, 0), &pattern));
    return spc_divide_by_pattern(graph->ctx, &node->rows, pattern);
}

const spc_operation spc_op_bag_scaled_gradient = {
    .about = {"bag_scaled_gradient", "A: CSR [k, m]; B: [k, n] or [k]",
              "transpose(A) B, each row divided by the number of its entries: row-sparse", NULL},
    .infer = scaled_infer,
    .launch = scaled_launch,
    .needs_pattern = true};

/* --- embedding: rows of a table, of 0 for the padding index -------------------------------------
 */

static sparcl_status embedding_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_LIST, 2, 2));
    const spc_node *const t = spc_operand(graph, node, 0), *const list =
                                                               spc_operand(graph, node, 1);
    if (node->op == &spc_op_embedding)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){list, list->shape[1], "rows as its limit"},
                               (spc_size){t, t->shape[0], "rows"}));
    SPC_TRY(spc_like_first(graph, node));
    if (node->op == &spc_op_embedding) SPC_TRY(check_max_norm(graph, node, 0));
    node->shape[0] = list->shape[0];
    return SPARCL_OK;
}

static sparcl_bags single_bags(const spc_node *node, const sparcl_list *list) {
    return (sparcl_bags){.bags = list->count,
                         .indices = *list,
                         .has_padding = node->settings.has_padding,
                         .padding_index = node->settings.padding_index,
                         .scale_by_frequency = node->settings.scale_by_frequency};
}

static sparcl_status embedding_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_bags bags = single_bags(node, &spc_operand(graph, node, 1)->list);
    SPC_TRY(renorm(graph, node, 0, &bags));
    return sparcl_embedding(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense, &bags,
                            NULL, 0);
}

/* The rows of the gradient, of 0 for the padding index. */
static void embedding_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                               sparcl_node *gradients) {
    const spc_settings own = spc_node_at(graph, node)->settings;
    const sparcl_node table = spc_node_at(graph, node)->in[0];
    const sparcl_node list = spc_node_at(graph, node)->in[1], in[] = {of, list};
    const spc_settings like = {.like = table};
    const bool row_sparse = spc_wants_rows(graph, table);
    const sparcl_node rows = spc_graph_add(graph, &spc_op_embedding_gradient, in, 2, &own);
    const sparcl_node both[] = {rows, list};
    gradients[0] = spc_graph_add(graph, &spc_op_as_rows, both, 2, &like);
    if (own.scale_by_frequency)
        gradients[0] = spc_graph_add(graph, &spc_op_mean_rows, gradients, 1, NULL);
    if (!row_sparse) gradients[0] = sparcl_graph_to_dense(graph, gradients[0]);
}

const spc_operation spc_op_embedding = {
    .about =
        {"embedding", "t: [n, ...]; a list of indices below n",
         "row t[i] for each index i, 0 for the padding index",
         "t: rows with the indices of the list; row-sparse where only rows of a parameter t are "
         "read"},
    .infer = embedding_infer,
    .launch = embedding_launch,
    .gradient = embedding_gradient,
    .rows_of = 1};

/* Each index is a bag of one row, or of none. */
static sparcl_node bounded_embedding(sparcl_graph *graph, sparcl_node table, sparcl_node list,
                                     const sparcl_embedding_options *options) {
    const sparcl_bag_options of_list = {.bounds = options->bounds,
                                        .has_padding = options->has_padding,
                                        .padding_index = options->padding_index};
    spc_settings settings = settings_of(options);
    const sparcl_node in[] = {
        sparcl_graph_bag_matrix(graph, list, SPARCL_NO_NODE, 0, SPARCL_NO_NODE, &of_list), table};
    settings.bag_mode = SPARCL_BAG_SUM;
    settings.has_padding = false;
    return spc_graph_add(graph, &spc_op_embedding_bag, in, 2, &settings);
}

sparcl_node sparcl_graph_embedding(sparcl_graph *graph, sparcl_node table, sparcl_node list,
                                   const sparcl_embedding_options *given) {
    const sparcl_embedding_options none = {0}, *const options = given ? given : &none;
    const sparcl_node in[] = {table, list};
    if (!check_options(graph, "embedding", options)) return SPARCL_NO_NODE;
    const spc_settings settings = settings_of(options);
    if (options->bounds != SPARCL_BOUNDS_ERROR)
        return bounded_embedding(graph, table, list, options);
    return spc_graph_add(graph, &spc_op_embedding, in, 2, &settings);
}

static sparcl_status rows_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_bags bags = single_bags(node, &spc_operand(graph, node, 1)->list);
    return spc_embedding_rows(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense, &bags);
}

const spc_operation spc_op_embedding_gradient = {
    .about = {"embedding_gradient", "the gradient: [m, ...]; a list of m indices",
              "the gradient, 0 for the padding index", NULL},
    .infer = embedding_infer,
    .launch = rows_launch};
