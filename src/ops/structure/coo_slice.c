/* coo_slice.c: a part of a COO array, and several along one axis. */
#include "base/size.h"
#include "ops/shared/moved.h"
#include "sparcl/ops/structure.h"

typedef long long ll; /* for %lld */

static sparcl_status check_count(sparcl_ctx *ctx, const char *op, const sparcl_coo *to) {
    if (to->count) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has no count, expected one", op);
}

static sparcl_status check_rank(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                const sparcl_coo *from) {
    if (to->rank == from->rank) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has rank %d, `from` has %d", op, to->rank,
                        from->rank);
}

/* --- a slice ---------------------------------------------------------------------------------- */

static sparcl_status check_slice(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                 const int64_t *start) {
    SPC_TRY(check_count(ctx, "coo_slice", to));
    SPC_TRY(check_rank(ctx, "coo_slice", to, from));
    if (!start) return spc_ctx_fail(ctx, SPARCL_E_ARG, "coo_slice: start is NULL");
    for (int d = 0; d < from->rank; ++d)
        if (start[d] < 0 || start[d] > from->shape[d] || to->shape[d] > from->shape[d] - start[d])
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                                "coo_slice: `to` has %lld indices of dimension %d from %lld on, "
                                "expected them among the %lld of `from`",
                                (ll)to->shape[d], d, (ll)start[d], (ll)from->shape[d]);
    return SPARCL_OK;
}

static sparcl_status slice(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                           const int64_t *start, const sparcl_moved *moved) {
    spc_kept kept;
    bool append = false;
    SPC_TRY(spc_kept_open(ctx, &kept, from->nnz, from->count, from->count_at));
    for (int d = 0; d < from->rank; ++d) {
        if (d + 1 < from->rank || append)
            if (start[d] == 0 && to->shape[d] == from->shape[d]) continue; /* all indices */
        SPC_TRY(spc_mark_range(ctx, &kept, append, from->indices[d], from->indices_at[d],
                               from->index_type, start[d], start[d] + to->shape[d]));
        append = true;
    }
    SPC_TRY(spc_kept_find(ctx, &kept));
    SPC_TRY(spc_take_coo(ctx, spc_kept_places(&kept, to->nnz), to, from, start, moved));
    return spc_write_found(ctx, kept.found, to->nnz, to->count, to->count_at, moved);
}

sparcl_status sparcl_coo_slice(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                               const int64_t *start, const sparcl_moved *moved) {
    SPC_TRY(spc_check_coo_moved(ctx, "coo_slice", to, from, &moved));
    SPC_TRY(check_slice(ctx, to, from, start));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = slice(ctx, to, from, start, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_coo(to, sparcl_coo_flags(from));
    return status;
}

/* --- several arrays --------------------------------------------------------------------------- */

/* One operand: its shape beside that of the result, and the sum of the sizes along the axis. */
static sparcl_status check_operand(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                   int i, int axis, int64_t *size) {
    SPC_TRY(check_rank(ctx, "coo_concat", to, from));
    for (int d = 0; d < to->rank; ++d)
        if (d != axis && to->shape[d] != from->shape[d])
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                                "coo_concat: dimension %d of `to` is %lld, of from[%d] %lld", d,
                                (ll)to->shape[d], i, (ll)from->shape[d]);
    if (spc_add_i64(*size, from->shape[axis], size)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "coo_concat: the sizes of dimension %d add up to more than 2^63 - 1", axis);
}

static sparcl_status check_concat(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                  int count, int axis, const sparcl_moved **moved) {
    int64_t size = 0;
    SPC_TRY(spc_check_coo_of(ctx, "coo_concat", SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(check_count(ctx, "coo_concat", to));
    if (count < 1 || !from)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "coo_concat: `from` is %s%d arrays, expected 1 or more",
                            from ? "" : "NULL instead of ", count);
    if (axis < 0 || axis >= to->rank)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "coo_concat: axis is %d, expected 0 to %d", axis,
                            to->rank - 1);
    for (int i = 0; i < count; ++i) {
        SPC_TRY(spc_check_coo_moved(ctx, "coo_concat", to, &from[i], moved));
        SPC_TRY(check_operand(ctx, to, &from[i], i, axis, &size));
    }
    if (size == to->shape[axis]) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "coo_concat: dimension %d of `to` is %lld, expected %lld, the sum of those "
                        "of `from`",
                        axis, (ll)to->shape[axis], (ll)size);
}

/* Where an operand goes: bases[i] is its first entry, on the device. */
typedef struct place {
    sparcl_buf *bases;
    int64_t i, shift, source; /* shift: that indices of the axis become more */
    int axis;
} place;

/* Dimensions d and d + 1 of an operand, and with d = 0 its values. */
static sparcl_status place_two(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from, int d,
                               const place *p, const sparcl_moved *moved) {
    const bool two = d + 1 < to->rank;
    const int e = two ? d + 1 : d;
    return SPC_LAUNCH(
        ctx, "reshape",
        spc_word_options(from->dtype) | spc_itype_options(SPARCL_INDEX32, from->index_type),
        "place_entries", spc_range_each(ctx, spc_max_i64(1, from->nnz)), SPC_OUT(p->bases),
        SPC_I64(p->i), SPC_I64(from->nnz), SPC_IN(from->count), SPC_I64(from->count_at),
        SPC_I64(to->nnz), SPC_IN(from->indices[d]), SPC_I64(from->indices_at[d]),
        SPC_I64(d == p->axis ? p->shift : 0), SPC_OUT(to->indices[d]), SPC_I64(to->indices_at[d]),
        SPC_IN(two ? from->indices[e] : NULL), SPC_I64(from->indices_at[e]),
        SPC_I64(e == p->axis ? p->shift : 0), SPC_OUT(two ? to->indices[e] : NULL),
        SPC_I64(to->indices_at[e]), SPC_I32(to->index_type == SPARCL_INDEX64), SPC_IN(from->values),
        SPC_I64(from->values_at), SPC_OUT(d == 0 ? to->values : NULL), SPC_I64(to->values_at),
        SPC_OUT(d == 0 ? moved->source : NULL), SPC_I64(moved->source_at), SPC_I64(p->source));
}

static sparcl_status concat(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                            int count, int axis, const sparcl_moved *moved) {
    place p = {.axis = axis};
    SPC_TRY(spc_scratch_push(ctx, &p.bases, (int64_t)count + 1, sizeof(int64_t)));
    for (; p.i < count; ++p.i) {
        const sparcl_coo *const a = &from[p.i];
        for (int d = 0; d < to->rank; d += 2)
            SPC_TRY(place_two(ctx, to, a, d, &p, moved));
        p.shift += a->shape[axis];
        p.source += a->nnz;
    }
    const spc_items all = {INT64_MAX, p.bases, count}, fit = {to->nnz, p.bases, count};
    SPC_TRY(spc_write_count(ctx, to->count, to->count_at, fit));
    return moved->needed ? spc_write_count(ctx, moved->needed, moved->needed_at, all) : SPARCL_OK;
}

/* What the result is marked as: different entries stay different, and along the first axis sorted
 * arrays stay in order. */
static uint32_t concat_flags(const sparcl_coo *from, int count, int axis) {
    uint32_t flags = SPARCL_VALID | SPARCL_UNIQUE | (axis == 0 ? SPARCL_SORTED : 0u);
    for (int i = 0; i < count; ++i)
        flags &= sparcl_coo_flags(&from[i]);
    return flags;
}

sparcl_status sparcl_coo_concat(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from, int count,
                                int axis, const sparcl_moved *moved) {
    SPC_TRY(check_concat(ctx, to, from, count, axis, &moved));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = concat(ctx, to, from, count, axis, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_coo(to, concat_flags(from, count, axis));
    return status;
}
