/* scratch_calls.h: every operation with arrays of given sizes and types, for test_scratch_bound. */
#ifndef TESTS_SCRATCH_CALLS_H
#define TESTS_SCRATCH_CALLS_H

#include "op_test.h"

/* One call: its sizes and types, what it reads, and buffers to free. */
typedef struct call {
    sparcl_ctx *ctx;
    int64_t n, rows, cols, width;
    sparcl_dtype dtype;
    sparcl_itype itype, otype;
    int64_t read;
    sparcl_buf *bufs[32];
    int count;
    bool too_large; /* the device cannot allocate an array of this size */
} call;

typedef struct scratch_call {
    const char *name;
    sparcl_status (*run)(call *c);
} scratch_call;

extern const scratch_call scratch_calls[]; /* ends with a NULL name */

#endif
