/* tune_test.h: what the tests of tunings share: contexts with a tuning, and a folder for a cache.
 */
#ifndef TESTS_TUNE_TEST_H
#define TESTS_TUNE_TEST_H

#include "device_test.h"
#include "folder_test.h"
#include "tune/tuned.h"

#define FIRST "sparcl tuning 1\n"

/* A folder for the cache, and the last warning of the log. */
typedef struct fixture {
    char folder[64], cache[80], warning[1100];
} fixture;

static inline int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/sparcl_tune_XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->cache, sizeof f->cache, "%s/cache", f->folder);
    *state = f;
    return 0;
}

static inline int teardown(void **state) {
    fixture *f = *state;
    remove_tree(f->folder);
    free(f);
    return 0;
}

static inline void keep_warning(void *user, sparcl_log_level level, const char *message) {
    fixture *f = user;
    if (level == SPARCL_LOG_WARNING) snprintf(f->warning, sizeof f->warning, "%s", message);
}

static inline sparcl_status open_with(sparcl_ctx **ctx, fixture *f, const char *tuning,
                                      sparcl_error *error) {
    sparcl_ctx_desc desc = test_desc();
    desc.tuning = tuning;
    desc.cache_dir = f->cache;
    desc.log = keep_warning;
    desc.log_user = f;
    f->warning[0] = '\0';
    return sparcl_ctx_open(ctx, &desc, error);
}

static inline sparcl_ctx *open_good(fixture *f, const char *tuning) {
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    if (open_with(&ctx, f, tuning, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return ctx;
}

static inline sparcl_tuned get(sparcl_ctx *ctx, int tunable, int input_class) {
    sparcl_tuned tuned;
    assert_ok(ctx, sparcl_tune_get(ctx, tunable, input_class, &tuned));
    return tuned;
}

static inline bool is_gpu(const sparcl_ctx *ctx) {
    return sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU;
}

#define TUNE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
