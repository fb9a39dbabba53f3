/* scratch_calls.h: every operation with arrays of given sizes and types, for test_scratch_bound. */
#ifndef TESTS_SCRATCH_CALLS_H
#define TESTS_SCRATCH_CALLS_H

#include "op_test.h"

/* One call: its sizes and types, what it reads, what its comment allows, and buffers to free. */
typedef struct call {
    sparcl_ctx *ctx;
    int64_t n, rows, cols, width;
    sparcl_dtype dtype;
    sparcl_itype itype, otype;
    int64_t read, stated;
    sparcl_buf *bufs[32];
    int count;
    bool too_large; /* the device cannot allocate an array of this size */
} call;

typedef struct scratch_call {
    const char *name;
    sparcl_status (*run)(call *c);
} scratch_call;

/* Each ends with a NULL name. The calls of the first need at most twice what they read; those of
 * the others set c->stated, the bytes of their comments. */
extern const scratch_call scratch_calls[], scratch_structure[], scratch_products[],
    scratch_reductions[], scratch_convert[];

/* --- scratch_arrays.c ------------------------------------------------------------------------ */

/* Bytes for `count` elements; those of an operand are read by the call. */
typedef sparcl_buf *(*scratch_make)(call *c, int64_t count, size_t size);
sparcl_buf *scratch_array(call *c, int64_t count, size_t size);
sparcl_buf *scratch_operand(call *c, int64_t count, size_t size);

/* Views of n entries in arrays that `array_of` makes. csr has its own shape, dense its number of
 * rows; the others have that of the call. */
sparcl_csr scratch_csr(call *c, scratch_make array_of, int64_t rows, int64_t cols);
sparcl_csc scratch_csc(call *c, scratch_make array_of);
sparcl_coo scratch_coo(call *c, scratch_make array_of, int rank);
sparcl_rows scratch_rows(call *c, scratch_make array_of);
sparcl_dense scratch_dense(call *c, scratch_make array_of, int64_t count);
sparcl_list scratch_list(call *c);

#endif
