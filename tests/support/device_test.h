/* device_test.h: what tests that need a device share. */
#ifndef TESTS_DEVICE_TEST_H
#define TESTS_DEVICE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sparcl/sparcl.h"

/* A test that cannot run here ends with this; CTest calls it skipped. */
#define EXIT_SKIPPED 77

/* Shapes for a simulator: small ones only. */
static inline bool test_is_small(void) {
    return getenv("SPARCL_TEST_SMALL") != NULL;
}

/* SPARCL_TEST_EVERY=N: only one case in N, for implementations that take minutes for all. */
static inline int test_every(void) {
    const char *const every = getenv("SPARCL_TEST_EVERY");
    return every && atoi(every) > 1 ? atoi(every) : 1;
}

/* Is case i in this one of `parts` parts? A hash decides: the specs choose types and variants by
 * i % 2, i % 3, ..., and a stride would meet the same ones for ever. */
static inline bool test_is_chosen(int i, int parts, int part) {
    return ((uint32_t)i * 2654435761u >> 16) % (uint32_t)parts == (uint32_t)(part % parts);
}

/* Small shapes are partitioned as large ones are, or no row would be split between partitions. */
#define TEST_TUNING "sparcl tuning 1\nproduct.grain tiny 2048\nspmm.pack * 16\nspmm_t.scatter * 0\n"

/* How the tests open their device: SPARCL_TEST_DEVICE, SPARCL_TEST_CLASS (cpu or gpu),
 * SPARCL_TEST_CACHE, a folder for built programs, and SPARCL_TEST_TUNING, the text of a tuning. */
static inline sparcl_ctx_desc test_desc(void) {
    const char *device = getenv("SPARCL_TEST_DEVICE");
    const char *kernel_class = getenv("SPARCL_TEST_CLASS"), *tuning = getenv("SPARCL_TEST_TUNING");
    sparcl_ctx_desc desc = {.device = device ? device : "auto",
                            .cache_dir = getenv("SPARCL_TEST_CACHE"),
                            .tuning = tuning ? tuning : TEST_TUNING};
    if (kernel_class)
        desc.device_class = strcmp(kernel_class, "gpu") == 0 ? SPARCL_CLASS_GPU : SPARCL_CLASS_CPU;
    return desc;
}

/* A context on the device under test; ends the program as skipped where there is none. */
static inline sparcl_ctx *test_open(void) {
    const sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    const sparcl_status status = sparcl_ctx_open(&ctx, &desc, &error);
    if (status == SPARCL_E_DEVICE) {
        fprintf(stderr, "skipped: %s\n", error.message);
        exit(EXIT_SKIPPED);
    }
    if (status != SPARCL_OK) {
        fprintf(stderr, "%s: %s\n", sparcl_status_name(status), error.message);
        exit(1);
    }
    return ctx;
}

/* Fail with the context's message. */
#define assert_ok(ctx, call)                                                                       \
    do {                                                                                           \
        const sparcl_status test_status_ = (call);                                                 \
        if (test_status_ != SPARCL_OK)                                                             \
            fail_msg("%s: %s: %s", #call, sparcl_status_name(test_status_),                        \
                     sparcl_ctx_error(ctx)->message);                                              \
    } while (0)

/* A refused call: the status, and a message that holds `part`. */
#define assert_refused(ctx, call, expected, part)                                                  \
    do {                                                                                           \
        const sparcl_status test_status_ = (call);                                                 \
        if (test_status_ != (expected) || !strstr(sparcl_ctx_error(ctx)->message, part))           \
            fail_msg("%s: %s (%s), expected %s with \"%s\"", #call,                                \
                     sparcl_status_name(test_status_), sparcl_ctx_error(ctx)->message,             \
                     sparcl_status_name(expected), part);                                          \
    } while (0)

#endif
