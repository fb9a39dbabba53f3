/* clip.c: gradients that are clipped as a whole, before a step: by their norm or that of their
 * rows, and by value as they are stored. */
#include "optim/clip.h"

#include <string.h>

#include "base/size.h"
#include "ops/shared/rows.h"
#include "optim/gradient.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/reductions.h"
#include "sparcl/optim.h"

static bool has_limit(double limit) {
    return limit < (double)INFINITY;
}

static bool clips_stored(const sparcl_optim *o) {
    return o->clip.stored && has_limit(o->clip.value);
}

bool spc_clips_whole(const sparcl_optim *o) {
    return clips_stored(o) || has_limit(o->clip.norm) || has_limit(o->clip.row_norm);
}

#define PROGRAM "panel+elements+row_teams+clip_norm"

/* Where a gradient is, whose rows may be those of `of` or, where that is NULL, all of an array. */
#define GRADIENT(x, of, to, width)                                                                 \
    SPC_IN((x)->values), SPC_I64((x)->values_at), SPC_I64(spc_dense_ld(x)), SPC_OUT(to),           \
        SPC_IN((of) ? (of)->count : NULL), SPC_I64((of) ? (of)->count_at : 0),                     \
        SPC_I64((x)->shape[0]), SPC_I64(width)

static uint32_t options_of(const sparcl_dense *x) {
    return spc_options(x->dtype, SPARCL_INDEX32, SPARCL_INDEX32);
}

/* `to` := x, shortened to `limit` where its norm is larger; `norm`: or NULL. */
static sparcl_status shorten(sparcl_ctx *ctx, sparcl_buf *to, const sparcl_dense *x,
                             const sparcl_rows *of, int64_t width, const sparcl_buf *norm,
                             double limit) {
    return SPC_LAUNCH(ctx, PROGRAM, options_of(x), "clip_by_norm",
                      spc_range_each(ctx, x->shape[0] * width), GRADIENT(x, of, to, width),
                      SPC_IN(norm), SPC_REAL(x->dtype, limit));
}

/* The same with each row and its norm. */
static sparcl_status shorten_rows(sparcl_ctx *ctx, sparcl_buf *to, const sparcl_dense *x,
                                  const sparcl_rows *of, int64_t width, double limit) {
    const spc_range range = spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, 8 * x->shape[0])
                                                : spc_range_rows(ctx, x->shape[0], width);
    return SPC_LAUNCH(ctx, PROGRAM, options_of(x), "clip_rows", range, GRADIENT(x, of, to, width),
                      SPC_REAL(x->dtype, limit));
}

static sparcl_status push(sparcl_ctx *ctx, sparcl_buf **to, const sparcl_dense *x, int64_t width) {
    return spc_scratch_push(ctx, to, x->shape[0] * width, sparcl_dtype_size(x->dtype));
}

/* *x becomes packed values of its shape. */
static void take(sparcl_dense *x, sparcl_buf *values) {
    x->values = values;
    x->values_at = x->ld = 0;
}

/* Clip a packed array, the values of `of` where that is not NULL. */
static sparcl_status clip_whole(sparcl_ctx *ctx, sparcl_dense *x, const sparcl_rows *of,
                                int64_t width, double limit) {
    sparcl_dense norm = {.rank = 1, .dtype = x->dtype, .shape = {1}};
    sparcl_buf *to = NULL;
    SPC_TRY(spc_scratch_push(ctx, &norm.values, 1, sparcl_dtype_size(x->dtype)));
    SPC_TRY(push(ctx, &to, x, width));
    SPC_TRY(of ? sparcl_rows_reduce(ctx, SPARCL_REDUCE_NORM, &norm, of, -1)
               : sparcl_dense_reduce(ctx, SPARCL_REDUCE_NORM, &norm, x, -1));
    SPC_TRY(shorten(ctx, to, x, of, width, norm.values, limit));
    take(x, to);
    return SPARCL_OK;
}

static sparcl_status clip_each(sparcl_ctx *ctx, sparcl_dense *x, const sparcl_rows *of,
                               int64_t width, double limit) {
    sparcl_buf *to = NULL;
    SPC_TRY(push(ctx, &to, x, width));
    SPC_TRY(shorten_rows(ctx, to, x, of, width, limit));
    take(x, to);
    return SPARCL_OK;
}

/* The values of a row-sparse array. */
static sparcl_dense values_of(const sparcl_rows *rows) {
    sparcl_dense x = {.rank = rows->rank,
                      .dtype = rows->dtype,
                      .values = rows->values,
                      .values_at = rows->values_at};
    memcpy(x.shape, rows->shape, sizeof x.shape);
    x.shape[0] = rows->nnr;
    return x;
}

static void take_values(sparcl_rows *rows, const sparcl_dense *x) {
    rows->values = x->values;
    rows->values_at = x->values_at;
}

static sparcl_status clip_stored(sparcl_ctx *ctx, sparcl_rows *rows, int64_t width, double limit) {
    sparcl_dense x = values_of(rows);
    x.values_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &x.values, rows->nnr * width, sparcl_dtype_size(x.dtype)));
    SPC_TRY(sparcl_rows_clip(ctx, &x, rows, -limit, limit));
    take_values(rows, &x);
    return SPARCL_OK;
}

/* Rows of one index are added, or their mean is taken, where they do not stay apart. */
static sparcl_status add_duplicates(sparcl_ctx *ctx, const sparcl_optim *o, sparcl_rows *rows) {
    sparcl_rows sums;
    if ((sparcl_rows_flags(rows) & SPARCL_UNIQUE) || o->duplicates == SPARCL_DUPLICATES_SEPARATE ||
        o->duplicates == SPARCL_DUPLICATES_SQUARES)
        return SPARCL_OK;
    SPC_TRY(spc_coalesce_gradient(ctx, &sums, rows, o->duplicates == SPARCL_DUPLICATES_MEAN));
    *rows = sums;
    return SPARCL_OK;
}

sparcl_status spc_clip_rows(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_rows *from,
                            sparcl_rows *clipped) {
    const int64_t width = spc_shape_width(from->rank, from->shape);
    *clipped = *from;
    if (from->nnr == 0 || width == 0) return SPARCL_OK;
    if (clips_stored(o)) SPC_TRY(clip_stored(ctx, clipped, width, o->clip.value));
    if (has_limit(o->clip.norm)) {
        sparcl_dense x = values_of(clipped);
        SPC_TRY(clip_whole(ctx, &x, clipped, width, o->clip.norm));
        take_values(clipped, &x);
    }
    if (has_limit(o->clip.row_norm)) {
        SPC_TRY(add_duplicates(ctx, o, clipped));
        sparcl_dense x = values_of(clipped);
        SPC_TRY(clip_each(ctx, &x, clipped, width, o->clip.row_norm));
        take_values(clipped, &x);
    }
    return SPARCL_OK;
}

sparcl_status spc_clip_dense(sparcl_ctx *ctx, const sparcl_optim *o, const sparcl_dense *from,
                             int64_t width, sparcl_dense *clipped) {
    *clipped = *from;
    if (from->shape[0] == 0 || width == 0) return SPARCL_OK;
    if (has_limit(o->clip.norm)) {
        if (spc_dense_ld(from) != width) { /* norms of all elements are of arrays without gaps */
            sparcl_buf *to = NULL;
            SPC_TRY(push(ctx, &to, from, width));
            SPC_TRY(shorten(ctx, to, from, NULL, width, NULL, (double)INFINITY));
            take(clipped, to);
        }
        SPC_TRY(clip_whole(ctx, clipped, NULL, width, o->clip.norm));
    }
    return has_limit(o->clip.row_norm) ? clip_each(ctx, clipped, NULL, width, o->clip.row_norm)
                                       : SPARCL_OK;
}
