/* two_layers.h: an architecture of a caller: loss(relu(X w1 + b1) w2 + b2). */
#ifndef TESTS_TWO_LAYERS_H
#define TESTS_TWO_LAYERS_H

#include "sparcl/architecture.h"

enum { HIDDEN = 6 };
static const char *const two_layers_names[] = {"w1", "b1", "w2", "b2", NULL};

/* `user` is the number of hidden units, NULL: HIDDEN. */
static inline sparcl_status two_layers_build(void *user, sparcl_build *b) {
    const int64_t b1 = user ? *(const int *)user : HIDDEN, w1[] = {b->columns, b1},
                  w2[] = {b1, b->outputs}, *b2 = &b->outputs;
    sparcl_graph *const g = b->graph;
    sparcl_node h = sparcl_graph_spmm(g, b->x, sparcl_build_parameter(b, "w1", 2, w1, NULL));
    h = sparcl_graph_binary(g, SPARCL_BINARY_ADD, h,
                            sparcl_build_parameter(b, "b1", 1, &b1, &b->optim_without_l2));
    h = sparcl_graph_unary(g, SPARCL_UNARY_RELU, h);
    h = sparcl_graph_gemm(g, SPARCL_OP_N, h, SPARCL_OP_N,
                          sparcl_build_parameter(b, "w2", 2, w2, NULL));
    b->scores = sparcl_graph_binary(g, SPARCL_BINARY_ADD, h,
                                    sparcl_build_parameter(b, "b2", 1, b2, &b->optim_without_l2));
    return SPARCL_OK;
}

/* Small numbers: layers of zeros would never differ. */
static inline void two_layers_init(void *user, uint64_t seed, int parameter, int rank,
                                   const int64_t *shape, float *values) {
    uint32_t x = (uint32_t)seed + (uint32_t)parameter;
    (void)user;
    for (int64_t i = 0; rank == 2 && i < shape[0] * shape[1]; ++i) {
        x = x * 1664525u + 1013904223u;
        values[i] = (float)(x >> 8) / 16777216.0f - 0.5f;
    }
}

static inline sparcl_architecture two_layers(void) {
    return (sparcl_architecture){.name = "two-layers",
                                 .build = two_layers_build,
                                 .parameters = two_layers_names,
                                 .init = two_layers_init};
}

#endif
