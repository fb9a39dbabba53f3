/* dense_concat.c: dense arrays one below the other or side by side. */
#include <stdio.h>

#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/shared/product_choice.h"
#include "sparcl/ops/structure.h"

typedef long long ll; /* for %lld */

/* Parts along an axis of a whole array: operands of a concatenation, results of a split. */
typedef struct join {
    const char *op;
    const sparcl_dense *whole, *const *parts;
    int count, axis;
    bool splits;
} join;

static sparcl_status check_part(sparcl_ctx *ctx, const join *j, int i, int64_t *at) {
    const sparcl_dense *const part = j->parts[i], *const whole = j->whole;
    char name[32];
    snprintf(name, sizeof name, "part %d", i);
    SPC_TRY(spc_check_dense_of(ctx, j->op, name, part, SPC_ALL_TYPES));
    if (part->dtype != whole->dtype)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: part %d is %s and the whole %s, expected one "
                            "type",
                            j->op, i, spc_dtype_name(part->dtype), spc_dtype_name(whole->dtype));
    bool fits = part->rank == whole->rank;
    for (int d = 0; fits && d < whole->rank; ++d)
        fits = d == j->axis || part->shape[d] == whole->shape[d];
    if (!fits)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: part %d differs from the whole in its rank or along another axis "
                            "than %d",
                            j->op, i, j->axis);
    if (spc_add_i64(*at, part->shape[j->axis], at)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: the sizes of the parts add up to more than 2^63 - 1", j->op);
}

static sparcl_status check_overlaps(sparcl_ctx *ctx, const join *j, int i) {
    const spc_span part = spc_dense_span("a part", j->parts[i]);
    const spc_span whole = spc_dense_span("the whole", j->whole);
    SPC_TRY(spc_check_alias(ctx, j->op, &part, &whole, 1));
    for (int k = 0; j->splits && k < i; ++k) {
        const spc_span other = spc_dense_span("another part", j->parts[k]);
        SPC_TRY(spc_check_alias(ctx, j->op, &part, &other, 1));
    }
    return SPARCL_OK;
}

static sparcl_status check_join(sparcl_ctx *ctx, const join *j) {
    int64_t size = 0;
    SPC_TRY(spc_check_dense_of(ctx, j->op, "the whole", j->whole, SPC_ALL_TYPES));
    if (j->axis < 0 || j->axis > 1)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the axis is %d, expected 0 or 1", j->op,
                            j->axis);
    if (j->whole->rank > 2 || j->axis >= j->whole->rank)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: the whole has rank %d, expected 2, or 1 for "
                            "axis 0",
                            j->op, j->whole->rank);
    if (j->count < 0 || (j->count > 0 && !j->parts))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: there are %d parts, expected 0 or more", j->op,
                            j->count);
    for (int i = 0; i < j->count; ++i)
        SPC_TRY(check_part(ctx, j, i, &size));
    for (int i = 0; i < j->count; ++i)
        SPC_TRY(check_overlaps(ctx, j, i));
    if (size == j->whole->shape[j->axis]) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: the parts have %lld %s, the whole %lld, expected as many", j->op,
                        (ll)size, j->axis ? "columns" : "rows", (ll)j->whole->shape[j->axis]);
}

/* --- moves --------------------------------------------------------------------------------------
 */

/* A part and its place in the whole array, as matrices of which rows may have gaps. */
typedef struct move {
    const sparcl_dense *from, *to;
    int64_t from_at, to_at, from_ld, to_ld, m, n;
} move;

static move move_of(const join *j, const sparcl_dense *part, int64_t at) {
    const int64_t whole_ld = spc_dense_ld(j->whole), part_ld = spc_dense_ld(part);
    const int64_t place = j->whole->values_at + (j->axis ? at : at * whole_ld);
    int64_t m = part->shape[0], n = spc_shape_width(part->rank, part->shape);
    if (whole_ld == n && part_ld == n) { /* packed arrays are one long row */
        n *= m;
        m = 1;
    }
    if (j->splits) return (move){j->whole, part, place, part->values_at, whole_ld, part_ld, m, n};
    return (move){part, j->whole, part->values_at, place, part_ld, whole_ld, m, n};
}

#define MOVE(a)                                                                                    \
    SPC_IN((a)->from->values), SPC_I64((a)->from_at), SPC_I64((a)->from_ld),                       \
        SPC_OUT((a)->to->values), SPC_I64((a)->to_at), SPC_I64((a)->to_ld), SPC_I64((a)->m),       \
        SPC_I64((a)->n)

/* From this number of rows on each worker has whole ones. */
#define MANY_ROWS 1024
/* Narrower rows are not written by non-temporal stores: only what is aligned is, not their ends. */
#define WIDE_ROW  64

static sparcl_status launch_moves(sparcl_ctx *ctx, const join *j, const move *a, const move *b) {
    const sparcl_dense *const whole = j->whole;
    const bool by_rows = j->axis == 1 && a->m == b->m && a->m >= MANY_ROWS &&
                         !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
    const bool streams =
        spc_min_i64(a->n, b->n) >= WIDE_ROW &&
        spc_result_streams(ctx, whole->shape[0], spc_shape_width(whole->rank, whole->shape),
                           whole->dtype);
    return SPC_LAUNCH(ctx, "words+elements+move", spc_word_options(whole->dtype), "move_pair",
                      spc_range_each(ctx, a->m * a->n + b->m * b->n), MOVE(a), MOVE(b),
                      SPC_I32(by_rows), SPC_I32(streams));
}

/* Two parts at a time, the last with an empty one. */
static sparcl_status move_parts(sparcl_ctx *ctx, const join *j) {
    int64_t at = 0;
    move waiting;
    bool waits = false;
    SPC_TRY(check_join(ctx, j));
    for (int i = 0; i < j->count; ++i) {
        const move next = move_of(j, j->parts[i], at);
        at += j->parts[i]->shape[j->axis];
        if (next.m == 0 || next.n == 0) continue;
        if (waits) SPC_TRY(launch_moves(ctx, j, &waiting, &next));
        waiting = next;
        waits = !waits;
    }
    if (!waits) return SPARCL_OK;
    move none = waiting;
    none.m = 0;
    return launch_moves(ctx, j, &waiting, &none);
}

sparcl_status sparcl_dense_concat(sparcl_ctx *ctx, const sparcl_dense *to,
                                  const sparcl_dense *const *parts, int count, int axis) {
    const join j = {"dense_concat", to, parts, count, axis, false};
    return move_parts(ctx, &j);
}

sparcl_status sparcl_dense_split(sparcl_ctx *ctx, const sparcl_dense *const *parts, int count,
                                 const sparcl_dense *from, int axis) {
    const join j = {"dense_split", from, parts, count, axis, true};
    return move_parts(ctx, &j);
}
