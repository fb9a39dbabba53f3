/* deprecated.h: names of the last release. The next one does not have them. */
#ifndef SPARCL_DEPRECATED_H
#define SPARCL_DEPRECATED_H

#include "sparcl/graph_operations.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"

#ifdef __cplusplus
extern "C" {
#endif

/** use sparcl_unary_op and its values */
typedef sparcl_unary_op sparcl_activation;
#define SPARCL_ACTIVATION_RELU    SPARCL_UNARY_RELU    /**< use that */
#define SPARCL_ACTIVATION_SIGMOID SPARCL_UNARY_SIGMOID /**< use that */
#define SPARCL_ACTIVATION_TANH    SPARCL_UNARY_TANH    /**< use that */

SPARCL_DEPRECATED("use sparcl_unary")
SPARCL_MUST_CHECK static inline sparcl_status sparcl_activate(sparcl_ctx *ctx, sparcl_unary_op kind,
                                                              const sparcl_dense *y,
                                                              const sparcl_dense *x) {
    return sparcl_unary(ctx, kind, y, x);
}

SPARCL_DEPRECATED("use sparcl_unary_gradient")
SPARCL_MUST_CHECK static inline sparcl_status
sparcl_activate_gradient(sparcl_ctx *ctx, sparcl_unary_op kind, const sparcl_dense *gx,
                         const sparcl_dense *y, const sparcl_dense *gy) {
    return sparcl_unary_gradient(ctx, kind, gx, y, gy);
}

SPARCL_DEPRECATED("use sparcl_binary")
SPARCL_MUST_CHECK static inline sparcl_status
sparcl_add(sparcl_ctx *ctx, const sparcl_dense *z, const sparcl_dense *x, const sparcl_dense *y) {
    return sparcl_binary(ctx, SPARCL_BINARY_ADD, z, x, y);
}

SPARCL_DEPRECATED("use sparcl_binary")
SPARCL_MUST_CHECK static inline sparcl_status sparcl_add_bias(sparcl_ctx *ctx,
                                                              const sparcl_dense *y,
                                                              const sparcl_dense *x,
                                                              const sparcl_dense *bias) {
    return sparcl_binary(ctx, SPARCL_BINARY_ADD, y, x, bias);
}

SPARCL_DEPRECATED("use sparcl_csr_prune")
SPARCL_MUST_CHECK static inline sparcl_status
sparcl_csr_eliminate_zeros(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                           const sparcl_moved *moved) {
    return sparcl_csr_prune(ctx, to, from, 0, moved);
}

SPARCL_DEPRECATED("use sparcl_csr_take_rows")
SPARCL_MUST_CHECK static inline sparcl_status
sparcl_csr_select_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                       const sparcl_list *list, sparcl_buf *needed, int64_t needed_at) {
    const sparcl_moved moved = {NULL, 0, needed, needed_at, {0, 0}};
    return sparcl_csr_take_rows(ctx, to, from, list, &moved);
}

SPARCL_DEPRECATED("use sparcl_rows_add_n")
SPARCL_MUST_CHECK static inline sparcl_status
sparcl_rows_add(sparcl_ctx *ctx, sparcl_rows *to, double alpha, const sparcl_rows *a, double beta,
                const sparcl_rows *b, sparcl_buf *needed, int64_t needed_at) {
    const sparcl_term terms[] = {{alpha, NULL, a}, {beta, NULL, b}};
    const sparcl_moved moved = {NULL, 0, needed, needed_at, {0, 0}};
    return sparcl_rows_add_n(ctx, to, terms, 2, &moved);
}

SPARCL_DEPRECATED("use sparcl_graph_unary")
static inline sparcl_node sparcl_graph_activate(sparcl_graph *graph, sparcl_unary_op kind,
                                                sparcl_node x) {
    return sparcl_graph_unary(graph, kind, x);
}

SPARCL_DEPRECATED("use sparcl_graph_binary")
static inline sparcl_node sparcl_graph_add_bias(sparcl_graph *graph, sparcl_node x,
                                                sparcl_node bias) {
    return sparcl_graph_binary(graph, SPARCL_BINARY_ADD, x, bias);
}

#ifdef __cplusplus
}
#endif

#endif
