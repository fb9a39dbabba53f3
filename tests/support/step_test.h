/* step_test.h: what the tests of optimizer steps share: a table, its states and a gradient. */
#ifndef TESTS_STEP_TEST_H
#define TESTS_STEP_TEST_H

#include "op_test.h"
#include "sparcl/optim_text.h"
#include "spec/shared/rowset.h"

#define ROWS  40
#define WIDTH 5
#define LD    7

/* A table, two states and a gradient with 30 rows, unsorted and with duplicates. */
typedef struct arrays {
    sparcl_optim optim;
    sparcl_dense table, states[2];
    spec_rowset host;
    sparcl_rows gradient;
    sparcl_buf *last;
} arrays;

static const spec_case plain = {.dtype = SPARCL_F32, .index_type = SPARCL_INDEX32, .seed = 3};

static inline sparcl_dense make_table(sparcl_ctx *ctx, uint64_t seed) {
    float *x = make_floats(ROWS * LD, seed);
    for (int64_t i = 0; seed == 0 && i < ROWS * LD; ++i)
        x[i] = 0;
    const sparcl_dense view = {
        .rank = 2, .shape = {ROWS, WIDTH}, .ld = LD, .values = put_spare(ctx, x, ROWS * LD)};
    free(x);
    return view;
}

static inline arrays make(sparcl_ctx *ctx, sparcl_rule rule, spec_kind kind) {
    arrays x = {.table = make_table(ctx, 1)};
    sparcl_optim_init(&x.optim, rule);
    x.optim.lr = 0.1;
    for (int s = 0; s < 2; ++s)
        x.states[s] = make_table(ctx, 0);
    assert_true(spec_rowset_make(&x.host, kind, ROWS, 30, WIDTH, 7));
    assert_ok(ctx, spec_put_rows(ctx, &x.gradient, &x.host, &plain));
    x.gradient.rank = 2;
    x.gradient.shape[1] = WIDTH;
    x.last = put_ints(ctx, (int64_t[ROWS + 2]){0}, ROWS + 2, SPARCL_INDEX64);
    return x;
}

static inline void drop(arrays *x) {
    sparcl_dense_free(&x->table);
    sparcl_dense_free(&x->states[0]);
    sparcl_dense_free(&x->states[1]);
    spec_rowset_free(&x->host);
    sparcl_rows_free(&x->gradient);
    sparcl_buf_free(x->last);
}

static inline sparcl_status step(sparcl_ctx *ctx, const arrays *x) {
    return sparcl_step(ctx, &x->optim, &x->table, x->states, &x->gradient);
}

#endif
