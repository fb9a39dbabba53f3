/* buffer_test.h: what the tests of buffers share: a context whose buffers are all freed, and bytes.
 */
#ifndef TESTS_BUFFER_TEST_H
#define TESTS_BUFFER_TEST_H

#include "device_test.h"

#include "sparcl/opencl.h"
#include "spec/shared/spec.h"

#define MIB ((int64_t)1 << 20)

static inline int setup(void **state) {
    *state = test_open();
    return 0;
}

static inline int teardown(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t left = sparcl_ctx_memory(ctx);
    sparcl_ctx_close(ctx);
    return left == 0 ? 0 : -1; /* every test frees what it made */
}

static inline unsigned char *make_bytes(int64_t bytes, uint64_t seed) {
    unsigned char *x = malloc((size_t)bytes + 1);
    assert_non_null(x);
    for (int64_t i = 0; i < bytes; ++i)
        x[i] = (unsigned char)spec_random(&seed);
    return x;
}

#define DEVICE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
