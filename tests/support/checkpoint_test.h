/* checkpoint_test.h: runs that are interrupted and go on: their files, settings and data. */
#ifndef TESTS_CHECKPOINT_TEST_H
#define TESTS_CHECKPOINT_TEST_H

#include "train_test.h"

#include "folder_test.h"
#include "sparcl/architecture.h"
#include "sparcl/ops/losses.h"
#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

static char folder[] = "/tmp/sparcl-resume-XXXXXX", path[64], previous[80];

static inline void remove_files(void) {
    unlink(path);
    unlink(previous);
}

/* Stops the run after a number of steps; what was reported of passes. */
typedef struct stopper {
    int64_t stop_after, calls, earlier;
    double loss[64], valid_loss[64];
    sparcl_train_progress last;
} stopper;

static inline int stop(void *user, const sparcl_train_progress *now) {
    stopper *const s = user;
    if (now->epoch > 0 && now->epoch != s->last.epoch) {
        s->loss[now->epoch] = now->loss;
        s->valid_loss[now->epoch] = now->valid_loss;
    }
    s->last = *now;
    s->earlier += now->is_earlier;
    return !now->is_earlier && ++s->calls == s->stop_after;
}

/* Each row with the next one; the square of the data has as many nodes as rows. */
static inline sparcl_data *make_edges(void) {
    static int64_t offsets[ROWS + 1];
    static int32_t indices[ROWS];
    static float values[ROWS];
    const sparcl_data_arrays arrays = {.rows = ROWS,
                                       .columns = ROWS,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values};
    sparcl_data *edges = NULL;
    sparcl_error error = {0};
    for (int i = 0; i < ROWS; ++i) {
        offsets[i + 1] = i + 1;
        indices[i] = (i + 1) % ROWS;
        values[i] = 1;
    }
    assert_done(error, sparcl_data_create(&edges, &arrays, &error));
    return edges;
}

typedef struct kind {
    const char *optimizer, *architecture, *own;
    sparcl_loss loss;
    double l2;
    int64_t patience;
    sparcl_schedule schedule;
} kind;

typedef struct prepared {
    sparcl_train_desc desc;
    sparcl_parameter_optim own[SPARCL_PARAMETER_OPTIMS];
    sparcl_data *data, *valid;
} prepared;

static inline void prepare(prepared *p, const kind *k) {
    sparcl_error error = {0};
    sparcl_train_init(&p->desc, SPARCL_RULE_SGD);
    assert_done(error, sparcl_optim_parse(&p->desc.optim, k->optimizer, &error));
    if (k->architecture)
        assert_done(error,
                    sparcl_architecture_parse(&p->desc.architecture, k->architecture, &error));
    if (k->own)
        assert_done(error, sparcl_parameter_optims_parse(p->own, &p->desc.parameter_optim_count,
                                                         k->own, &error));
    p->desc.parameter_optims = p->own;
    p->desc.loss = k->loss;
    p->desc.l2 = k->l2;
    p->desc.patience = k->patience;
    p->desc.schedule = k->schedule;
    p->desc.epochs = 6;
    p->desc.batch = 16;
    p->desc.seed = 12;
    p->data = make_data(k->loss, 3);
    p->valid = make_data(k->loss, 4);
}

static inline void release(prepared *p) {
    sparcl_architecture_free(p->desc.architecture);
    sparcl_data_free(p->data);
    sparcl_data_free(p->valid);
}

static inline void assert_same_models(const sparcl_model *a, const sparcl_model *b,
                                      const char *what) {
    const char *const *const names = sparcl_model_architecture(a)->parameters;
    assert_int_equal(sparcl_model_get_info(a)->epochs, sparcl_model_get_info(b)->epochs);
    for (int i = 0; names[i]; ++i) {
        const sparcl_tensor *const x = sparcl_model_tensor(a, names[i]);
        const sparcl_tensor *const y = sparcl_model_tensor(b, names[i]);
        int64_t elements = 1;
        for (int d = 0; d < x->rank; ++d)
            elements *= x->shape[d];
        if (memcmp(x->values, y->values, (size_t)elements * sizeof(float)) != 0)
            fail_msg("%s: %s has other bits", what, names[i]);
    }
}

/* Go on until the run ends, and stop after `stop_after` steps each time. */
static inline sparcl_model *train_in_parts(sparcl_ctx *ctx, const prepared *p, int64_t stop_after,
                                           stopper *s, sparcl_train_result *result) {
    sparcl_train_desc desc = p->desc;
    desc.checkpoint = path;
    desc.resume = 1;
    desc.progress = stop;
    desc.progress_user = s;
    for (int64_t parts = 1;; ++parts) {
        sparcl_model *model = NULL;
        sparcl_error error = {0};
        *s = (stopper){.stop_after = stop_after};
        const sparcl_status status =
            sparcl_train(ctx, &model, p->data, p->valid, &desc, result, &error);
        if (status == SPARCL_OK) {
            assert_true(parts >= 2);
            assert_true(result->resumed_step > 0);
            return model;
        }
        assert_int_equal(status, SPARCL_E_INTERRUPTED);
        assert_int_equal(s->last.step, parts * stop_after);
    }
}

/* In a folder of its own. */
static inline int run_checkpoint_tests(const struct CMUnitTest *tests, size_t count) {
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/run", folder);
    snprintf(previous, sizeof previous, "%s.previous", path);
    const int failed = _cmocka_run_group_tests("tests", tests, count, open_ctx, close_ctx);
    remove_tree(folder);
    return failed;
}

#endif
