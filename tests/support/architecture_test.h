/* architecture_test.h: runs, values and evaluations of models of a caller's own. */
#ifndef TESTS_ARCHITECTURE_TEST_H
#define TESTS_ARCHITECTURE_TEST_H

#include "model/model_object.h"
#include "source_test.h"
#include "sparcl/apply.h"
#include "two_layers.h"

static inline sparcl_train_desc run_of(const sparcl_architecture *a, sparcl_loss loss,
                                       sparcl_rule rule) {
    sparcl_train_desc desc = small_run(loss, rule);
    desc.architecture = a;
    return desc;
}

static inline bool same_values(const sparcl_model *a, const sparcl_model *b) {
    bool equal = a->count == b->count;
    for (int i = 0; equal && i < a->count; ++i) {
        const sparcl_tensor *const x = &a->tensors[i].tensor;
        const sparcl_tensor *const y = sparcl_model_tensor(b, x->name);
        equal = y && x->rank == y->rank && memcmp(x->shape, y->shape, sizeof x->shape) == 0 &&
                memcmp(x->values, y->values, a->tensors[i].bytes) == 0;
    }
    return equal;
}

static inline sparcl_metrics must_eval(sparcl_ctx *ctx, const sparcl_model *model,
                                       const sparcl_data *data) {
    sparcl_metrics metrics;
    sparcl_error error = {0};
    assert_done(error, sparcl_eval(ctx, model, data, &metrics, &error));
    return metrics;
}

#endif
