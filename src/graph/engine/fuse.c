/* fuse.c: nodes of a graph that are computed in one launch, with the same bits. */
#include "graph/engine/fuse.h"

#include <string.h>

#include "graph/engine/operations.h"

/* A loss and its gradient by the same scores are one launch. */
static void fuse_losses(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || node->op != &spc_op_loss || node->gradient == SPARCL_NO_NODE) continue;
        sparcl_node residual = spc_operand(graph, node, 0)->gradient;
        if (residual == SPARCL_NO_NODE) continue;
        if (spc_node_at(graph, residual)->op == &spc_op_scale_rows)
            residual = spc_node_at(graph, residual)->in[0];
        spc_node *const gradient = spc_node_at(graph, residual);
        if (!gradient->runs || gradient->op != &spc_op_loss_gradient) continue;
        node->fused = residual;
        gradient->is_fused = true;
    }
}

static bool uses_as_scores(const spc_node *node, sparcl_node scores) {
    return (node->op == &spc_op_loss || node->op == &spc_op_loss_gradient) &&
           node->use[0] == scores && node->use[1] != scores;
}

/* Is a node read by losses only, as their scores? */
static bool are_scores(const sparcl_graph *graph, sparcl_node which) {
    for (int i = which + 1; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || uses_as_scores(node, which)) continue;
        for (int k = 0; k < node->use_count; ++k)
            if (node->use[k] == which) return false;
    }
    return true;
}

/* Losses add the bias of their scores themselves. */
static void fuse_bias(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const sum = spc_node_at(graph, i);
        if (!sum->runs || !spc_is_bias_sum(graph, sum) || sum->is_output || !are_scores(graph, i))
            continue;
        sum->runs = false;
        for (int k = i + 1; k < graph->count; ++k) {
            spc_node *const node = spc_node_at(graph, k);
            if (!node->runs || !uses_as_scores(node, i)) continue;
            node->use[0] = sum->use[0];
            node->use[node->use_count++] = sum->use[1];
        }
    }
}

int spc_readers_of(const sparcl_graph *graph, sparcl_node which) {
    int readers = 0;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        for (int k = 0; k < node->use_count && node->runs; ++k)
            readers += node->use[k] == which;
        readers += node->step == which;
    }
    return readers;
}

bool spc_is_internal(const sparcl_graph *graph, sparcl_node which) {
    const spc_node *const node = spc_node_at(graph, which);
    return node->runs && !node->is_output && spc_readers_of(graph, which) == 1;
}

bool spc_can_wait(const sparcl_graph *graph, sparcl_node which, sparcl_node later) {
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        const bool is_early = i <= later || node->is_fused || node->is_late;
        for (int k = 0; k < node->use_count && node->runs && is_early; ++k)
            if (node->use[k] == which) return false;
    }
    return !spc_node_at(graph, which)->is_output;
}

bool spc_writes_tables(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i)
        if (spc_node_at(graph, i)->runs && spc_node_at(graph, i)->settings.max_norm != 0)
            return true;
    return false;
}

bool spc_have_one_shape(const spc_node *a, const spc_node *b) {
    return a->rank == b->rank &&
           memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->rank) == 0;
}

/* A function of each element adds a bias to what it reads itself; numbers of 16 bits would be
 * rounded between.
 */
static void fuse_functions(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || node->op != &spc_op_unary) continue;
        spc_node *const sum = spc_operand(graph, node, 0);
        if (!spc_is_bias_sum(graph, sum) || !spc_is_internal(graph, node->use[0])) continue;
        if (node->dtype != SPARCL_F32 && node->dtype != SPARCL_F64) continue;
        sum->runs = false;
        node->use[node->use_count++] = sum->use[1];
        node->use[0] = sum->use[0];
    }
}

/* A bag of the rows that were gathered by the columns of its own matrix is a product. */
static void fuse_bags(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const bag = spc_node_at(graph, i);
        if (!bag->runs || bag->op != &spc_op_bag) continue;
        spc_node *const rows = spc_operand(graph, bag, 1);
        if (rows->op != &spc_op_gather || !spc_is_internal(graph, bag->use[1])) continue;
        const spc_node *const list = spc_operand(graph, rows, 1);
        if (list->op != &spc_op_columns || list->in[0] != bag->use[0]) continue;
        rows->runs = false;
        bag->use[1] = rows->use[0];
        bag->is_product = true;
    }
}

/* Its launch finds the rows of a table where the matrix is computed, so it stays by itself. */
static bool is_sparse_product(const sparcl_graph *graph, const spc_node *node) {
    return node->runs && (node->op == &spc_op_spmm || node->is_product) &&
           spc_knows_rows(graph, node->in[0]);
}

/* A loss that is computed with its gradient launches the product that gives its scores, which
 * nothing else reads: often in one launch (ops/product_loss.h). */
static void fuse_products(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const loss = spc_node_at(graph, i);
        if (!loss->runs || loss->op != &spc_op_loss || loss->fused == SPARCL_NO_NODE) continue;
        spc_node *const scores = spc_operand(graph, loss, 0);
        if (!is_sparse_product(graph, scores) || scores->is_output ||
            loss->use[1] == loss->use[0] || spc_readers_of(graph, loss->use[0]) != 2)
            continue;
        loss->product = loss->use[0];
        scores->is_late = true;
    }
}

/* A step adds rows with one index itself, or makes something else of them. */
static void fuse_steps(const sparcl_graph *graph, bool adds) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (node->step == SPARCL_NO_NODE || !spc_is_internal(graph, node->step)) continue;
        if (!adds && node->parameter->optim.duplicates == SPARCL_DUPLICATES_SUM) continue;
        spc_node *const sums = spc_node_at(graph, node->step);
        if (sums->op != &spc_op_coalesce) continue;
        sums->runs = false;
        node->step = sums->use[0];
    }
}

/* The node in whose launch a value is computed. */
static sparcl_node computed_by(const sparcl_graph *graph, sparcl_node which) {
    for (int i = 0; i < graph->count && spc_node_at(graph, which)->is_fused; ++i)
        if (spc_node_at(graph, i)->runs && spc_node_at(graph, i)->fused == which) return i;
    return which;
}

static bool is_free_sum(const spc_node *node) {
    return node->runs && (node->op == &spc_op_sum || node->op == &spc_op_mean) && !node->is_fused;
}

/* Two sums are one launch where what they add is computed before the first. */
static void fuse_sums(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        for (int k = i + 1; k < graph->count && is_free_sum(node); ++k) {
            spc_node *const other = spc_node_at(graph, k);
            if (!is_free_sum(other) || computed_by(graph, other->use[0]) >= i) continue;
            node->fused = k;
            other->is_fused = true;
            break;
        }
    }
}

void spc_fuse(const sparcl_graph *graph) {
    fuse_losses(graph);
    fuse_bias(graph);
    fuse_functions(graph);
    fuse_bags(graph);
    fuse_products(graph);
    fuse_steps(graph, true);
    fuse_sums(graph);
}

void spc_keep_duplicates(const sparcl_graph *graph) {
    fuse_steps(graph, false);
}
