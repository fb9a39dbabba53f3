/* csr_binary.h: what operations on CSR matrices element by element share. */
#ifndef SPC_OPS_CSR_BINARY_H
#define SPC_OPS_CSR_BINARY_H

#include "ops/shared/check.h"
#include "sparcl/ops/elements.h"

/* Their kernels. */
#define SPC_CSR_BINARY "entries+csr_binary"

/* C := alpha * A + beta * B, or their product. */
typedef struct spc_csr_binary {
    const char *name;
    bool is_product;
    double alpha, beta;
    sparcl_csr *c;
    const sparcl_csr *a, *b;
    const sparcl_csr_sources *sources; /* or NULL */
    bool by_entries;                   /* rows may be long: each is shared by workers */
} spc_csr_binary;

/* Check optional results, and add their spans: `capacity` is that of the result. */
sparcl_status spc_check_sources(sparcl_ctx *ctx, const char *op, const sparcl_csr_sources *sources,
                                int64_t capacity, spc_spans *results);
/* Checked and computed; the bits do not depend on by_entries. */
sparcl_status spc_csr_combine(sparcl_ctx *ctx, const spc_csr_binary *job);

/* The gradients of the values of both operands (NULL: not computed): g times a factor, or, of a
 * product, times the values of the other operand. */
typedef struct spc_csr_gradients {
    const char *name;
    const sparcl_dense *ga, *gb, *g;
    const sparcl_csr *c;
    const sparcl_csr_sources *sources;
    double alpha, beta;
    const sparcl_csr *a, *b; /* of a product; of a sum NULL */
} spc_csr_gradients;

sparcl_status spc_csr_combine_gradients(sparcl_ctx *ctx, const spc_csr_gradients *job);

#endif
