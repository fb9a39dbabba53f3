/* coming.c: the next batches of a pass, selected together on the device. */
#include "train/coming.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/size.h"
#include "model/core.h"
#include "train/batch_memory.h"

void spc_coming_close(spc_coming *c) {
    sparcl_batches_free(c->batches);
    sparcl_pattern_free(c->pattern);
    free(c->entries);
}

void spc_coming_reset(spc_coming *c) {
    c->rows = c->counted = 0;
}

static sparcl_status open(spc_coming *c, sparcl_ctx *ctx, sparcl_error *error) {
    if (!c->batches) SPC_TRY(spc_core(ctx, sparcl_batches_create(ctx, &c->batches), error));
    return c->pattern ? SPARCL_OK : spc_core(ctx, sparcl_pattern_create(ctx, &c->pattern), error);
}

/* The entries of all batches from a row on. */
static sparcl_status count_entries(spc_coming *c, const spc_pass_rows *pass, int64_t first,
                                   sparcl_error *error) {
    const int64_t rows = c->batch_rows, count = spc_ceil_div(pass->rows - first, rows);
    c->counted = 0;
    if (count > c->capacity) {
        free(c->entries);
        c->entries = calloc((size_t)count, sizeof *c->entries);
        c->capacity = c->entries ? count : 0;
        if (!c->entries)
            return spc_fail_memory(error, "batches", (size_t)count * sizeof *c->entries);
    }
    for (int64_t i = 0, at = first; i < count; ++i, at += rows)
        c->entries[i] =
            spc_batch_entries(pass->offsets, pass->order, at, spc_min_i64(rows, pass->rows - at));
    c->counted = count;
    c->counted_first = first;
    return SPARCL_OK;
}

static bool is_counted(const spc_coming *c, int64_t first, int64_t count) {
    const int64_t after = first - c->counted_first;
    return c->counted > 0 && count == c->batch_rows && after >= 0 && after % count == 0;
}

/* As many batches from row `first` on as fit. */
static sparcl_status select_next(spc_coming *c, const spc_pass_rows *pass, int64_t first,
                                 int64_t count, sparcl_error *error) {
    sparcl_list list = *pass->list;
    c->rows = 0;
    if (!is_counted(c, first, count)) {
        c->batch_rows = count;
        SPC_TRY(count_entries(c, pass, first, error));
    }
    const int64_t at = (first - c->counted_first) / count;
    const int64_t fit = sparcl_batches_fit(pass->ctx, pass->all, c->entries + at, c->counted - at);
    if (fit < 2) return SPARCL_OK;
    list.indices_at = first;
    list.count = spc_min_i64(fit * count, pass->rows - first);
    SPC_TRY(open(c, pass->ctx, error));
    SPC_TRY(spc_core(pass->ctx,
                     sparcl_batches_select(pass->ctx, c->batches, pass->all, pass->fields, &list,
                                           count, c->entries + at),
                     error));
    c->first = first;
    c->rows = list.count;
    return SPARCL_OK;
}

static bool is_selected(const spc_coming *c, int64_t first, int64_t count) {
    const int64_t after = first - c->first;
    return c->rows > 0 && after >= 0 && after < c->rows && after % c->batch_rows == 0 &&
           count == spc_min_i64(c->batch_rows, c->rows - after);
}

sparcl_status spc_coming_select(spc_coming *c, const spc_pass_rows *pass, int64_t first,
                                int64_t count, int64_t *entries, sparcl_error *error) {
    const int64_t two[2] = {0, 0};
    *entries = -1;
    if (sparcl_batches_fit(pass->ctx, pass->all, two, 2) < 2) return SPARCL_OK; /* never here */
    if (!is_selected(c, first, count)) SPC_TRY(select_next(c, pass, first, count, error));
    if (c->rows > 0) *entries = c->entries[(first - c->counted_first) / c->batch_rows];
    return SPARCL_OK;
}

sparcl_status spc_coming_take(spc_coming *c, sparcl_ctx *ctx, int64_t first, spc_inputs *in,
                              sparcl_error *error) {
    const int64_t i = (first - c->first) / c->batch_rows;
    const sparcl_list *const fields = in->fields.indices ? &in->fields : NULL;
    in->pattern = c->pattern;
    return spc_core(ctx, sparcl_batches_take(ctx, c->batches, i, &in->x, fields, c->pattern),
                    error);
}
