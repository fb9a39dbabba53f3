/* model_fixture.h: a folder with a good model file in it, for the tests of models. */
#ifndef SPARCL_TESTS_MODEL_FIXTURE_H
#define SPARCL_TESTS_MODEL_FIXTURE_H

#include "base/macros.h"
#include "folder_test.h"
#include "sparcl/model.h"

enum { MOST = 8192 };

typedef struct fixture {
    char folder[64], path[96], other[96];
    unsigned char bytes[MOST]; /* a good model file */
    size_t size;
    int open; /* descriptors at the beginning */
} fixture;

static const double two_labels[] = {-1.0, 1.0};
static const float three_weights[] = {0.5f, -1.25f, 3e-40f}, one_bias[] = {0.1f};

static inline sparcl_model_info logistic_info(void) {
    return (sparcl_model_info){.loss = SPARCL_LOSS_LOGISTIC,
                               .optimizer = SPARCL_RULE_ADAGRAD,
                               .columns = 3,
                               .outputs = 1,
                               .classes = 2,
                               .labels = two_labels,
                               .index_base = 1,
                               .has_bias = 1,
                               .lr = 0.1,
                               .l2 = 1e-5,
                               .epsilon = 1e-10,
                               .epochs = 7,
                               .batch = 256,
                               .seed = UINT64_MAX,
                               .fingerprint = 0xdeadbeef};
}

static inline sparcl_model *make(const sparcl_model_info *info, const float *weights,
                                 const float *bias) {
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    if (sparcl_model_create(&model, info, weights, bias, &error) != SPARCL_OK)
        fail_msg("%s", error.message);
    return model;
}

static inline void save(const sparcl_model *model, const char *path) {
    sparcl_error error = {0};
    if (sparcl_model_save(model, path, &error) != SPARCL_OK) fail_msg("%s", error.message);
}

/* A whole file of at most MOST bytes; returns its size. */
static inline size_t read_model(const char *path, unsigned char *bytes) {
    size_t size = 0;
    void *const all = read_bytes(path, &size);
    assert_true(size < MOST);
    memcpy(bytes, all, size);
    free(all);
    return size;
}

static inline int setup(void **state) {
    fixture *const f = calloc(1, sizeof *f);
    if (!f) return -1;
    strcpy(f->folder, "/tmp/sparcl-model-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->path, sizeof f->path, "%s/model.st", f->folder);
    snprintf(f->other, sizeof f->other, "%s/other.st", f->folder);
    const sparcl_model_info info = logistic_info();
    sparcl_model *const model = make(&info, three_weights, one_bias);
    save(model, f->path);
    sparcl_model_free(model);
    f->size = read_model(f->path, f->bytes);
    f->open = count_descriptors();
    *state = f;
    return 0;
}

static inline int teardown(void **state) {
    fixture *const f = *state;
    unlink(f->path);
    unlink(f->other);
    const int bad = rmdir(f->folder); /* fails when a temporary file was left */
    const int opened = count_descriptors() - f->open;
    free(f);
    return bad || opened;
}

#define WITH_FIXTURE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
