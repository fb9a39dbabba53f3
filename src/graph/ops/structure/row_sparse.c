/* row_sparse.c: row-sparse arrays in the table of operations. The gradient of one is a dense array
 * with a row for each stored row. */
#include <string.h>

#include "graph/engine/operations.h"
#include "ops/shared/rows.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"
#include "sparcl/plan.h"

static void like_rows(spc_node *node, const spc_node *x) {
    node->kind = SPC_VALUE_ROWS;
    node->rank = x->rank;
    memcpy(node->shape, x->shape, sizeof node->shape);
}

/* Other values are written to the same buffer, which would end a proof. */
void spc_trust_rows(spc_node *node, uint32_t flags) {
    node->rows.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | flags};
}

sparcl_status spc_clear_rows(sparcl_graph *graph, const spc_node *node) {
    const sparcl_rows *const r = &node->rows;
    const int64_t size = (int64_t)sparcl_dtype_size(r->dtype);
    const int64_t bytes = r->nnr * sparcl_row_width(r->rank, r->shape) * size;
    return bytes ? sparcl_buf_fill(graph->ctx, r->values, r->values_at * size, bytes, 0)
                 : SPARCL_OK;
}

/* --- as_rows: a row-sparse array of dense rows and a list ------------------------------------- */

/* A gradient has the shape of `like`, which other operations have checked. */
static sparcl_status as_rows_infer(sparcl_graph *graph, spc_node *node) {
    const bool is_gradient = node->settings.like != SPARCL_NO_NODE;
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_DENSE, 1, SPARCL_MAX_RANK));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_LIST, 2, 2));
    const spc_node *const x = spc_operand(graph, node, 0), *const list =
                                                               spc_operand(graph, node, 1);
    if (!is_gradient)
        SPC_TRY(spc_need_equal(graph, node, (spc_size){x, x->shape[0], "rows"},
                               (spc_size){list, list->shape[0], "indices"}));
    like_rows(node, is_gradient ? spc_node_at(graph, node->settings.like) : x);
    if (!is_gradient) node->shape[0] = list->shape[1];
    node->stored = list->shape[0];
    return SPARCL_OK;
}

static sparcl_status as_rows_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_dense *const x = &spc_operand(graph, node, 0)->dense;
    const sparcl_list *const list = &spc_operand(graph, node, 1)->list;
    SPC_TRY(spc_need_packed(graph, node, 0));
    node->rows = (sparcl_rows){.rank = x->rank,
                               .dtype = x->dtype,
                               .index_type = list->index_type,
                               .nnr = list->count,
                               .indices = list->indices,
                               .indices_at = list->indices_at,
                               .values = x->values,
                               .values_at = x->values_at};
    memcpy(node->rows.shape, x->shape, sizeof x->shape);
    node->rows.shape[0] = list->limit;
    spc_trust_rows(node, sparcl_list_flags(list));
    return SPARCL_OK;
}

static void as_rows_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                             sparcl_node *gradients) {
    (void)graph, (void)node;
    gradients[0] = of;
}

const spc_operation spc_op_as_rows = {
    .about = {"as_rows", "x: [m, ...]; a list of m indices below n",
              "row-sparse [n, ...], with the rows of x at these indices; one may occur twice",
              "x: that of the stored rows"},
    .infer = as_rows_infer,
    .launch = as_rows_launch,
    .gradient = as_rows_gradient,
    .is_view = true};

sparcl_node sparcl_graph_as_rows(sparcl_graph *graph, sparcl_node x, sparcl_node list) {
    const sparcl_node in[] = {x, list};
    const spc_settings settings = {.like = SPARCL_NO_NODE};
    return spc_graph_add(graph, &spc_op_as_rows, in, 2, &settings);
}

/* --- gradients: rows at the stored rows of an array ------------------------------------------- */

/* A row for each stored row of the last operand. */
static sparcl_status stored_infer(sparcl_graph *graph, spc_node *node) {
    const spc_node *const at = spc_operand(graph, node, 1);
    spc_set_dense(node, at->rank, at->stored, 0);
    for (int d = 1; d < at->rank; ++d)
        node->shape[d] = at->shape[d];
    return SPARCL_OK;
}

static sparcl_status rows_mask_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_rows_mask(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->dense,
                            &spc_operand(graph, node, 1)->rows);
}

const spc_operation spc_op_rows_mask = {
    .about = {"rows_mask", "the gradient of a dense array: [n, ...]; x: row-sparse [n, ...]",
              "the rows of the gradient at those of x", NULL},
    .infer = stored_infer,
    .launch = rows_mask_launch};

static sparcl_status retain_gradient_launch(sparcl_graph *graph, spc_node *node) {
    return sparcl_rows_retain_gradient(graph->ctx, &node->dense, &spc_operand(graph, node, 0)->rows,
                                       &spc_operand(graph, node, 1)->rows);
}

const spc_operation spc_op_rows_retain_gradient = {
    .about = {"rows_retain_gradient",
              "the gradient: row-sparse [n, ...], sorted and unique; x: row-sparse [n, ...]",
              "the rows of the gradient at those of x", NULL},
    .infer = stored_infer,
    .launch = retain_gradient_launch};

sparcl_node spc_each_row_once(sparcl_graph *graph, sparcl_node x) {
    const uint32_t both = SPARCL_SORTED | SPARCL_UNIQUE;
    if (x == SPARCL_NO_NODE || (spc_node_at(graph, x)->flags & both) == both) return x;
    return spc_graph_add(graph, &spc_op_coalesce, &x, 1, NULL);
}

sparcl_node spc_rows_at(sparcl_graph *graph, sparcl_node g, sparcl_node x) {
    const sparcl_node in[] = {g, x};
    return spc_graph_add(graph, &spc_op_rows_retain_gradient, in, 2, NULL);
}

/* The gradient `of` of the stored rows of `node`, for the stored rows of x. */
static sparcl_node gradient_at(sparcl_graph *graph, sparcl_node node, sparcl_node of, sparcl_node x,
                               bool is_unique) {
    sparcl_node g = sparcl_graph_with_values(graph, node, of);
    if (!is_unique) g = spc_graph_add(graph, &spc_op_coalesce, &g, 1, NULL);
    return spc_rows_at(graph, g, x);
}

static sparcl_node mask_at(sparcl_graph *graph, sparcl_node of, sparcl_node x) {
    const sparcl_node in[] = {of, x};
    return spc_graph_add(graph, &spc_op_rows_mask, in, 2, NULL);
}

/* --- retain: the rows of a list --------------------------------------------------------------- */

static sparcl_status retain_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 1, SPARCL_MAX_RANK));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_LIST, 2, 2));
    const spc_node *const x = spc_operand(graph, node, 0), *const list =
                                                               spc_operand(graph, node, 1);
    SPC_TRY(spc_need_equal(graph, node, (spc_size){list, list->shape[1], "rows as its limit"},
                           (spc_size){x, x->shape[0], "rows"}));
    like_rows(node, x);
    node->stored = list->shape[0];
    return SPARCL_OK;
}

static sparcl_status retain_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_rows *const x = &spc_operand(graph, node, 0)->rows;
    const sparcl_list *const list = &spc_operand(graph, node, 1)->list;
    if (!node->op->is_full) SPC_TRY(spc_clear_rows(graph, node));
    SPC_TRY((node->op->is_full ? sparcl_rows_retain_all : sparcl_rows_retain_stored)(
        graph->ctx, &node->rows, x, list, NULL));
    spc_trust_rows(node, sparcl_list_flags(list));
    return SPARCL_OK;
}

static void retain_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                            sparcl_node *gradients) {
    const sparcl_node x = spc_node_at(graph, node)->in[0];
    gradients[0] = gradient_at(graph, node, of, x, false);
}

const spc_operation spc_op_rows_retain_all = {
    .about = {"rows_retain_all", "x: row-sparse [n, ...], sorted and unique; a list",
              "the rows of the list, also those that x does not store, as zeros: row-sparse",
              "the stored rows of x: those of the result, added where the list has one twice"},
    .infer = retain_infer,
    .launch = retain_launch,
    .gradient = retain_gradient,
    .owns_indices = true,
    .is_full = true};
const spc_operation spc_op_rows_retain_stored = {
    .about = {"rows_retain_stored", "x: row-sparse [n, ...], sorted and unique; a list",
              "the rows of the list that x stores: row-sparse",
              "the stored rows of x: those of the result, added where the list has one twice"},
    .infer = retain_infer,
    .launch = retain_launch,
    .gradient = retain_gradient,
    .owns_indices = true};

static sparcl_node add_retain(sparcl_graph *graph, const spc_operation *op, sparcl_node x,
                              sparcl_node list) {
    const sparcl_node in[] = {x, list};
    return spc_graph_add(graph, op, in, 2, NULL);
}

sparcl_node sparcl_graph_rows_retain_all(sparcl_graph *graph, sparcl_node x, sparcl_node list) {
    return add_retain(graph, &spc_op_rows_retain_all, x, list);
}

sparcl_node sparcl_graph_rows_retain_stored(sparcl_graph *graph, sparcl_node x, sparcl_node list) {
    return add_retain(graph, &spc_op_rows_retain_stored, x, list);
}

/* --- add_n: a sum of dense and row-sparse arrays ---------------------------------------------- */

static sparcl_status check_shapes(const sparcl_graph *graph, const spc_node *node) {
    const spc_node *const first = spc_operand(graph, node, 0);
    for (int i = 0; i < node->in_count; ++i) {
        const spc_node *const x = spc_operand(graph, node, i);
        const spc_value kind = x->kind == SPC_VALUE_ROWS ? SPC_VALUE_ROWS : SPC_VALUE_DENSE;
        const int least = i ? first->rank : 1, most = i ? first->rank : SPARCL_MAX_RANK;
        SPC_TRY(spc_need_kind(graph, node, i, kind, least, most));
        for (int d = 0; d < first->rank; ++d)
            SPC_TRY(spc_need_equal(graph, node,
                                   (spc_size){first, first->shape[d], d ? "columns" : "rows"},
                                   (spc_size){x, x->shape[d], d ? "columns" : "rows"}));
    }
    return SPARCL_OK;
}

/* is_unique would limit the capacity, but not the sizes. */
static sparcl_status add_n_infer(sparcl_graph *graph, spc_node *node) {
    sparcl_format formats[SPC_NODE_INPUTS], result = SPARCL_FORMAT_DENSE;
    int64_t stored = 0;
    SPC_TRY(check_shapes(graph, node));
    for (int i = 0; i < node->in_count; ++i) {
        const spc_node *const x = spc_operand(graph, node, i);
        formats[i] = x->kind == SPC_VALUE_ROWS ? SPARCL_FORMAT_ROWS : SPARCL_FORMAT_DENSE;
        stored = spc_dim_of_two(graph, '+', stored, x->stored);
    }
    SPC_TRY(sparcl_result_format(SPARCL_FORMAT_OF_SUM, formats, node->in_count, &result));
    like_rows(node, spc_operand(graph, node, 0));
    if (result == SPARCL_FORMAT_DENSE) {
        node->kind = SPC_VALUE_DENSE;
        return SPARCL_OK;
    }
    node->stored = stored;
    node->flags = SPARCL_SORTED | SPARCL_UNIQUE;
    return SPARCL_OK;
}

static sparcl_status add_n_launch(sparcl_graph *graph, spc_node *node) {
    sparcl_term terms[SPC_NODE_INPUTS];
    for (int i = 0; i < node->in_count; ++i) {
        const spc_node *const x = spc_operand(graph, node, i);
        const bool is_rows = x->kind == SPC_VALUE_ROWS;
        terms[i] = (sparcl_term){1, is_rows ? NULL : &x->dense, is_rows ? &x->rows : NULL};
    }
    if (node->kind == SPC_VALUE_DENSE)
        return sparcl_add_n(graph->ctx, &node->dense, terms, node->in_count);
    SPC_TRY(spc_clear_rows(graph, node));
    SPC_TRY(sparcl_rows_add_n(graph->ctx, &node->rows, terms, node->in_count, NULL));
    spc_trust_rows(node, node->flags);
    return SPARCL_OK;
}

static void add_n_gradient(sparcl_graph *graph, sparcl_node node, sparcl_node of,
                           sparcl_node *gradients) {
    const bool is_dense = spc_node_at(graph, node)->kind == SPC_VALUE_DENSE;
    const int count = spc_node_at(graph, node)->in_count;
    for (int i = 0; i < count; ++i) {
        const sparcl_node x = spc_node_at(graph, node)->in[i];
        if (!spc_needs_gradient(graph, node, i)) continue;
        if (!is_dense)
            gradients[i] = gradient_at(graph, node, of, x, true);
        else
            gradients[i] =
                spc_node_at(graph, x)->kind == SPC_VALUE_ROWS ? mask_at(graph, of, x) : of;
    }
}

const spc_operation spc_op_add_n = {
    .about = {"add_n", "up to 8 arrays of one shape, dense or row-sparse",
              "their sum: row-sparse, sorted and unique, where all are, else dense",
              "each: the gradient itself, or its rows at the stored ones"},
    .infer = add_n_infer,
    .launch = add_n_launch,
    .gradient = add_n_gradient,
    .owns_indices = true};

sparcl_node sparcl_graph_add_n(sparcl_graph *graph, const sparcl_node *x, int count) {
    return spc_graph_add_several(graph, &spc_op_add_n, x, count, NULL);
}

/* --- concat: the sum of two row-sparse arrays, as all their rows ------------------------------ */

static sparcl_status concat_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 1, SPARCL_MAX_RANK));
    SPC_TRY(spc_need_kind(graph, node, 1, SPC_VALUE_ROWS, 1, SPARCL_MAX_RANK));
    like_rows(node, spc_operand(graph, node, 0));
    return SPARCL_OK;
}

/* More than two are gradients whose rows the host counts (graph/fuse_chains.c). */
static sparcl_status concat_launch(sparcl_graph *graph, spc_node *node) {
    const sparcl_rows *parts[SPC_NODE_INPUTS];
    for (int i = 0; i < node->use_count; ++i)
        parts[i] = &spc_operand(graph, node, i)->rows;
    SPC_TRY(node->use_count > 2 ? spc_rows_join(graph->ctx, &node->rows, parts, node->use_count)
                                : sparcl_rows_concat(graph->ctx, &node->rows, parts[0], parts[1]));
    spc_trust_rows(node, 0);
    return SPARCL_OK;
}

const spc_operation spc_op_concat = {.about = {"concat", "x, y: row-sparse, of one shape",
                                               "the rows of x, then those of y: row-sparse", NULL},
                                     .infer = concat_infer,
                                     .launch = concat_launch,
                                     .owns_indices = true,
                                     .sums_stored = true};

/* --- coalesce: sums of rows with one index ---------------------------------------------------- */

static sparcl_status coalesce_infer(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(spc_need_kind(graph, node, 0, SPC_VALUE_ROWS, 1, SPARCL_MAX_RANK));
    like_rows(node, spc_operand(graph, node, 0));
    node->is_unique = true;
    return SPARCL_OK;
}

/* Their means, where a gradient is scaled by frequency. */
static sparcl_status mean_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(sparcl_rows_coalesce(graph->ctx, &node->rows, &spc_operand(graph, node, 0)->rows,
                                 SPARCL_MEAN, NULL));
    spc_trust_rows(node, SPARCL_SORTED | SPARCL_UNIQUE);
    return SPARCL_OK;
}

static sparcl_status coalesce_launch(sparcl_graph *graph, spc_node *node) {
    SPC_TRY(sparcl_rows_coalesce(graph->ctx, &node->rows, &spc_operand(graph, node, 0)->rows,
                                 SPARCL_SUM, NULL));
    spc_trust_rows(node, SPARCL_SORTED | SPARCL_UNIQUE);
    return SPARCL_OK;
}

const spc_operation spc_op_coalesce = {
    .about = {"coalesce", "x: row-sparse", "sums of rows with one index: row-sparse", NULL},
    .infer = coalesce_infer,
    .launch = coalesce_launch,
    .owns_indices = true,
    .sums_stored = true};

const spc_operation spc_op_mean_rows = {
    .about = {"mean_rows", "x: row-sparse", "means of rows with one index: row-sparse", NULL},
    .infer = coalesce_infer,
    .launch = mean_launch,
    .owns_indices = true,
    .sums_stored = true};
