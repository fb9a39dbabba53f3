/* trained_vector.h: a vector of equal weights with an optimizer and its states. */
#ifndef TESTS_TRAINED_VECTOR_H
#define TESTS_TRAINED_VECTOR_H

#include "op_test.h"
#include "sparcl/optim_text.h"

enum { ROWS = 4 };

/* A vector of weights, its states, and the optimizer, whose step counts. */
typedef struct trained {
    sparcl_optim optim;
    sparcl_dense table, states[SPARCL_MAX_STATES];
} trained;

static inline trained begin(sparcl_ctx *ctx, const char *optimizer, float weight) {
    const float weights[ROWS] = {weight, weight, weight, weight};
    trained t = {.table = {.rank = 1, .shape = {ROWS}}};
    sparcl_error error = {0};
    if (sparcl_optim_parse(&t.optim, optimizer, &error) != SPARCL_OK) fail_msg("%s", error.message);
    t.table.values = put(ctx, weights, sizeof weights);
    assert_ok(ctx, sparcl_optim_create_states(ctx, &t.optim, &t.table, t.states));
    return t;
}

static inline void end(trained *t) {
    for (int i = 0; i < sparcl_rule_states(t->optim.rule); ++i)
        sparcl_dense_free(&t->states[i]);
    sparcl_dense_free(&t->table);
}

#endif
