/* lazy_remade.c: exact lazy optimizers whose weights are made anew in each step: of the steps that
 * a row has missed, only the last counts. */
#include "ops/shared/rows.h"
#include "optim/lazy_object.h"
#include "optim/step_args.h"

sparcl_status spc_lazy_remake(sparcl_ctx *ctx, const sparcl_lazy *z, const sparcl_dense *table,
                              const sparcl_dense *states, const sparcl_rows *rows,
                              const sparcl_buf *from, bool moves_states) {
    const spc_tables t = {.rule = spc_rule_of(z->before.rule),
                          .optim = z->before,
                          .weights = table,
                          .states = states,
                          .rows = table->shape[0],
                          .width = spc_shape_width(table->rank, table->shape)};
    const spc_hyper past = spc_hyper_of(t.rule, &z->before);
    const sparcl_itype index = rows ? rows->index_type : SPARCL_INDEX32;
    const int64_t count = rows ? rows->nnr : t.rows;
    if (count == 0 || t.width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, t.rule->late_stem, spc_step_options(&t, &past, SPARCL_INDEX32, index),
                      "remake_rows", spc_range_rows(ctx, count, t.width), TABLES(&t),
                      SPC_LAZY_ROWS(rows, t.rows), SPC_I64(t.width), SPC_IN(from), HYPER(&t, past),
                      SPC_I32(moves_states));
}

sparcl_status spc_step_remade(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g,
                              const sparcl_lazy *z, const sparcl_buf *from) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim), past = spc_hyper_of(t->rule, &z->before);
    return SPC_LAUNCH(ctx, t->rule->late_stem,
                      spc_step_options(t, &h, SPARCL_INDEX32, g->index_type), "step_late_rows",
                      spc_range_rows(ctx, g->rows, g->width), TABLES(t), ROWS(g), HYPER(t, h),
                      SPC_I32(spc_rows_prefetch(ctx, g->width)), SPC_IN(from), SPC_OUT(z->last),
                      SPC_I32(z->done), HYPER(t, past));
}
