/* largest.c: the largest number of a state, before a step. */
#include "optim/largest.h"

#include "ops/shared/fold.h"

sparcl_status spc_find_largest(sparcl_ctx *ctx, spc_tables *t) {
    const int i = t->rule->needs_largest ? t->rule->needs_largest(&t->optim) : -1;
    sparcl_buf *largest = NULL;
    if (i < 0 || t->rows == 0) return SPARCL_OK;
    const sparcl_dense *const state = &t->states[i];
    const int64_t ld = spc_dense_ld(state);
    SPC_TRY(spc_scratch_push(ctx, &largest, 1, sparcl_dtype_size(state->dtype)));
    t->largest = largest;
    const spc_fold_job job = {.fold = SPC_FOLD_MAX,
                              .rows = ld == 1 ? 0 : 1, /* with gaps: rows of one number */
                              .dtype = state->dtype,
                              .runs = spc_equal_runs(1, t->rows),
                              .x = spc_values_of(state),
                              .to = largest,
                              .to_ld = 1};
    return spc_fold_runs(ctx, "step", &job);
}
