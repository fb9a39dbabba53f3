/* fuse_chains.c: values that a run would compute twice, and sums and concatenations one of another:
 * one node computes what several did, with the same bits. */
#include <string.h>

#include "graph/engine/fuse.h"
#include "graph/engine/operations.h"

/* --- equal values ----------------------------------------------------------------------------- */

/* A step, also one that is clipped, reads the gradient by its own number. */
static bool is_of_step(const sparcl_graph *graph, sparcl_node which) {
    for (int i = 0; i < graph->count; ++i)
        if (spc_node_at(graph, i)->step == which || spc_node_at(graph, i)->clipped == which)
            return true;
    return false;
}

/* Rows of one list, a constant in each row, or a product with one number? */
static bool are_equal(const sparcl_graph *graph, const spc_node *a, const spc_node *b) {
    if (!a->runs || a->op != b->op || a->use[0] != b->use[0]) return false;
    if (a->dtype != b->dtype || !spc_have_one_shape(a, b)) return false;
    if (a->op == &spc_op_gather) return a->use[1] == b->use[1];
    if (a->op == &spc_op_expand) return spc_operand(graph, a, 0)->kind == SPC_VALUE_CONSTANT;
    return a->op == &spc_op_binary_scalar && a->settings.binary == b->settings.binary &&
           a->settings.value == b->settings.value;
}

static void read_instead(const sparcl_graph *graph, sparcl_node which, sparcl_node other) {
    for (int i = which + 1; i < graph->count; ++i)
        for (int k = 0; k < spc_node_at(graph, i)->use_count; ++k)
            if (spc_node_at(graph, i)->use[k] == which) spc_node_at(graph, i)->use[k] = other;
    spc_node_at(graph, which)->runs = false;
}

/* The first of equal values is read in place of the others. */
static void share_values(const sparcl_graph *graph) {
    if (spc_writes_tables(graph)) return;
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || !node->op || node->is_output || is_of_step(graph, i)) continue;
        for (int k = 0; k < i; ++k)
            if (are_equal(graph, spc_node_at(graph, k), node)) {
                read_instead(graph, i, k);
                break;
            }
    }
}

/* --- constants times numbers ------------------------------------------------------------------ */

static bool has_exact_products(const spc_node *node) {
    return node->dtype == SPARCL_F32 || node->dtype == SPARCL_F64;
}

/* A constant in each row that is only multiplied by a number is their product in each row. */
static void join_constants(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        const spc_node *const product = spc_node_at(graph, i);
        if (!product->runs || product->op != &spc_op_binary_scalar || product->is_output ||
            product->settings.binary != SPARCL_BINARY_MULTIPLY || is_of_step(graph, i))
            continue;
        spc_node *const rows = spc_node_at(graph, product->use[0]);
        if (rows->op != &spc_op_expand || !spc_is_internal(graph, product->use[0]) ||
            spc_operand(graph, rows, 0)->kind != SPC_VALUE_CONSTANT || rows->factors[0] != 1 ||
            !has_exact_products(rows))
            continue;
        rows->factors[0] = product->settings.value;
        read_instead(graph, i, product->use[0]);
    }
}

/* --- sums of several numbers of each row ------------------------------------------------------ */

static bool is_product(const sparcl_graph *graph, sparcl_node which) {
    const spc_node *const node = spc_node_at(graph, which);
    return node->op == &spc_op_binary_scalar && node->settings.binary == SPARCL_BINARY_MULTIPLY &&
           spc_is_internal(graph, which);
}

/* A term that is a product with a number is multiplied by the sum. */
static void take_factor(const sparcl_graph *graph, spc_node *sum, int i) {
    if (!is_product(graph, sum->use[i])) return;
    spc_node *const product = spc_node_at(graph, sum->use[i]);
    product->runs = false;
    sum->factors[i] = product->settings.value;
    sum->use[i] = product->use[0];
}

/* The terms of a sum that only this one reads, from left to right; numbers of 16 bits would be
 * rounded between. Larger arrays would have to live longer. */
static void join_sums(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const sum = spc_node_at(graph, i);
        if (!sum->runs || !spc_is_sum(graph, sum) || sum->rank != 1 || !has_exact_products(sum))
            continue;
        take_factor(graph, sum, 0);
        take_factor(graph, sum, 1);
        spc_node *const first = spc_operand(graph, sum, 0);
        if (!spc_is_sum(graph, first) || !spc_is_internal(graph, sum->use[0]) ||
            first->use_count == SPC_NODE_INPUTS)
            continue;
        const sparcl_node last = sum->use[1];
        const double factor = sum->factors[1];
        memcpy(sum->use, first->use, sizeof sum->use);
        memcpy(sum->factors, first->factors, sizeof sum->factors);
        sum->use_count = first->use_count;
        sum->use[sum->use_count] = last;
        sum->factors[sum->use_count++] = factor;
        first->runs = false;
    }
}

/* --- rows of several arrays ------------------------------------------------------------------- */

/* Rows whose number the host knows, or all those of a node that joins such rows. */
static bool has_known_rows(const sparcl_graph *graph, sparcl_node which) {
    const spc_node *const node = spc_node_at(graph, which);
    if (node->op == &spc_op_as_rows) return true;
    if (node->op != &spc_op_concat || !spc_is_internal(graph, which)) return false;
    for (int k = 0; k < node->use_count; ++k)
        if (spc_operand(graph, node, k)->op != &spc_op_as_rows) return false;
    return true;
}

static int parts_of(const sparcl_graph *graph, sparcl_node which) {
    const spc_node *const node = spc_node_at(graph, which);
    return node->op == &spc_op_concat ? node->use_count : 1;
}

/* The operands of `which`, or it itself, become the next ones of `to`. */
static void take_parts(const sparcl_graph *graph, spc_node *to, sparcl_node which) {
    spc_node *const node = spc_node_at(graph, which);
    if (node->op != &spc_op_concat) {
        to->use[to->use_count++] = which;
        return;
    }
    for (int k = 0; k < node->use_count; ++k)
        to->use[to->use_count++] = node->use[k];
    node->runs = false;
}

static void join_rows(const sparcl_graph *graph) {
    for (int i = 0; i < graph->count; ++i) {
        spc_node *const node = spc_node_at(graph, i);
        if (!node->runs || node->op != &spc_op_concat) continue;
        const sparcl_node both[] = {node->use[0], node->use[1]};
        if (!has_known_rows(graph, both[0]) || !has_known_rows(graph, both[1]) ||
            parts_of(graph, both[0]) + parts_of(graph, both[1]) > SPC_NODE_INPUTS)
            continue;
        node->use_count = 0;
        take_parts(graph, node, both[0]);
        take_parts(graph, node, both[1]);
    }
}

void spc_fuse_chains(const sparcl_graph *graph) {
    share_values(graph);
    join_constants(graph);
    join_sums(graph);
    join_rows(graph);
}
