/* step_late.c: a step on rows that first catch up with the steps that they have missed. */
#include "ops/shared/rows.h"
#include "optim/lazy_object.h"
#include "optim/step_args.h"

bool spc_step_can_be_late(const sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *rows) {
    return t->rule->late_stem && (sparcl_rows_flags(rows) & SPARCL_UNIQUE) && rows->nnr > 0 &&
           t->width > 0 && !spc_has_short_loops(ctx);
}

sparcl_status spc_step_late(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g,
                            const sparcl_rows *rows, const sparcl_lazy *lazy) {
    const spc_hyper h = spc_hyper_of(t->rule, &t->optim);
    const int level = spc_scratch_mark(ctx);
    sparcl_buf *from = NULL;
    sparcl_status status = SPARCL_OK;
    if (spc_ctx_is_gpu(ctx)) status = spc_lazy_mark(ctx, lazy, rows, lazy->done + 1, &from);
    if (status == SPARCL_OK && spc_lazy_is_remade(lazy))
        status = spc_step_remade(ctx, t, g, lazy, from);
    else if (status == SPARCL_OK)
        status = SPC_LAUNCH(ctx, t->rule->late_stem,
                            spc_step_options(t, &h, SPARCL_INDEX32, g->index_type),
                            "step_late_rows", spc_range_rows(ctx, g->rows, g->width), TABLES(t),
                            ROWS(g), HYPER(t, h), SPC_I32(spc_rows_prefetch(ctx, g->width)),
                            SPC_IN(from), SPC_OUT(lazy->last), SPC_LAZY_ARGS(lazy));
    spc_scratch_release(ctx, level);
    return status;
}
