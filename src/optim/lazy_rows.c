/* lazy_rows.c: exact lazy optimizers: rows catch up with the steps that they have missed. */
#include "base/size.h"
#include "ops/shared/rows.h"
#include "optim/lazy_object.h"

/* The states s, t and u of cl/missed.cl; -1: none. */
static const sparcl_dense *state(const sparcl_dense *states, uint32_t form, int i) {
    const int has_root = form & SPC_LAZY_ROOT ? 1 : 0, fades_t = form & SPC_LAZY_FADE_T ? 1 : 0,
              fades_u = form & SPC_LAZY_FADE_U ? 1 : 0;
    const int places[] = {has_root                   ? 0
                          : form & SPC_LAZY_MOMENTUM ? fades_t + fades_u
                                                     : -1,
                          fades_t ? has_root : -1,
                          fades_u                   ? 1
                          : form & SPC_LAZY_LARGEST ? 2
                                                    : -1};
    return places[i] < 0 ? NULL : &states[places[i]];
}

/* A device with short loops gets one row for each work-item, and so few columns at once that all of
 * them can be replayed. */
#define SHORT_LOOPS 30000

static int64_t columns_at_once(const sparcl_ctx *ctx, const sparcl_lazy *z, int64_t width) {
    if (!spc_has_short_loops(ctx)) return width;
    const int64_t steps = 1 + spc_min_i64(z->series.window, z->done + 1);
    return spc_max_i64(1, spc_min_i64(width, SHORT_LOOPS / steps));
}

static spc_range range_of(const sparcl_ctx *ctx, int64_t rows, int64_t width) {
    const bool is_short = spc_has_short_loops(ctx) && !spc_ctx_is_gpu(ctx);
    return is_short ? spc_range_groups(ctx, rows) : spc_range_rows(ctx, rows, width);
}

static uint32_t options_of(const sparcl_lazy *z, const sparcl_rows *rows) {
    return spc_options(z->dtype, SPARCL_INDEX32, rows ? rows->index_type : SPARCL_INDEX32) |
           spc_form_options(spc_lazy_form_of(&z->settings));
}

sparcl_status spc_lazy_mark(sparcl_ctx *ctx, const sparcl_lazy *z, const sparcl_rows *rows,
                            int64_t mark, sparcl_buf **from) {
    const int64_t count = rows ? rows->nnr : z->rows;
    SPC_TRY(spc_scratch_push(ctx, from, count, sizeof(int32_t)));
    return SPC_LAUNCH(ctx, "hyper+panel+missed+lazy", options_of(z, rows), "mark_last",
                      spc_range_each(ctx, count), SPC_LAZY_ROWS(rows, z->rows), SPC_OUT(z->last),
                      SPC_I32(z->done), SPC_I32(mark), SPC_OUT(*from));
}

#define PART_OF(view)                                                                              \
    SPC_OUT((view) ? (view)->values : NULL), SPC_I64((view) ? (view)->values_at + first : 0),      \
        SPC_I64((view) ? spc_dense_ld(view) : 0)

/* Columns first .. first + width of the rows. */
static sparcl_status move(sparcl_ctx *ctx, const sparcl_lazy *z, const sparcl_dense *table,
                          const sparcl_dense *states, const sparcl_rows *rows, int64_t first,
                          int64_t width, const sparcl_buf *from, bool moves_states) {
    const uint32_t form = spc_lazy_form_of(&z->settings);
    const int64_t count = rows ? rows->nnr : z->rows;
    return SPC_LAUNCH(ctx, "hyper+panel+missed+lazy", options_of(z, rows), "lazy_rows",
                      range_of(ctx, count, width), PART_OF(table), PART_OF(state(states, form, 0)),
                      PART_OF(state(states, form, 1)), PART_OF(state(states, form, 2)),
                      SPC_LAZY_ROWS(rows, z->rows), SPC_I64(width), SPC_IN(from), SPC_LAZY_ARGS(z),
                      SPC_I32(moves_states));
}

static sparcl_status move_columns(sparcl_ctx *ctx, const sparcl_lazy *z, const sparcl_dense *table,
                                  const sparcl_dense *states, const sparcl_rows *rows,
                                  const sparcl_buf *from, bool moves_states) {
    const int64_t width = spc_shape_width(table->rank, table->shape);
    const int64_t columns = columns_at_once(ctx, z, width);
    sparcl_status status = SPARCL_OK;
    for (int64_t first = 0; first < width && status == SPARCL_OK; first += columns)
        status = move(ctx, z, table, states, rows, first, spc_min_i64(columns, width - first), from,
                      moves_states);
    return status;
}

/* `mark`: the step that the rows will have had, or 0: as before, and their states stay. */
static sparcl_status catch_up(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_dense *table,
                              const sparcl_dense *states, const sparcl_rows *rows, int64_t mark) {
    const sparcl_lazy *const z = o->lazy.object;
    sparcl_buf *from = NULL;
    if (z->replay || (rows ? rows->nnr : z->rows) == 0) return SPARCL_OK;
    const int level = spc_scratch_mark(ctx);
    sparcl_status status = spc_lazy_mark(ctx, z, rows, mark, &from);
    if (status == SPARCL_OK)
        status = (spc_lazy_is_remade(z) ? spc_lazy_remake : move_columns)(ctx, z, table, states,
                                                                          rows, from, mark != 0);
    spc_scratch_release(ctx, level);
    return status;
}

sparcl_status spc_lazy_catch_up(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_dense *table,
                                const sparcl_dense *states, const sparcl_rows *rows, int ahead) {
    const int64_t mark = o->lazy.object->done + ahead;
    return mark == 0 ? SPARCL_OK : catch_up(ctx, o, table, states, rows, mark);
}

sparcl_status spc_lazy_peek(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_dense *copy,
                            const sparcl_dense *states) {
    return catch_up(ctx, o, copy, states, NULL, 0);
}
