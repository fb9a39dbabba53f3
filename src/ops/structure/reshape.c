/* reshape.c: COO arrays in another shape: transposes, reshapes, dimensions of size 1. */
#include "base/size.h"
#include "ops/shared/coo_positions.h"
#include "ops/shared/moved.h"
#include "sparcl/ops/structure.h"

#include <string.h>

typedef long long ll; /* for %lld */

#define ITEM_ARGS(a) SPC_I64((a)->nnz), SPC_IN((a)->count), SPC_I64((a)->count_at)

/* --- transposes ------------------------------------------------------------------------------- */

static sparcl_status check_axes(sparcl_ctx *ctx, const sparcl_coo *from, const int *axes) {
    unsigned seen = 0;
    if (!axes) return spc_ctx_fail(ctx, SPARCL_E_ARG, "permute: axes is NULL");
    for (int d = 0; d < from->rank; ++d) {
        if (axes[d] < 0 || axes[d] >= from->rank || (seen & 1u << axes[d]))
            return spc_ctx_fail(ctx, SPARCL_E_ARG,
                                "permute: axes[%d] is %d, expected each of 0 to %d once", d,
                                axes[d], from->rank - 1);
        seen |= 1u << axes[d];
    }
    return SPARCL_OK;
}

sparcl_status sparcl_coo_permute_view(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                                      const int *axes) {
    bool same = true;
    if (!to) return spc_ctx_fail(ctx, SPARCL_E_ARG, "permute: `to` is NULL");
    SPC_TRY(spc_check_coo_of(ctx, "permute", SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(check_axes(ctx, from, axes));
    const sparcl_coo a = *from;
    const uint32_t flags = sparcl_coo_flags(&a);
    *to = a;
    for (int d = 0; d < a.rank; ++d) {
        to->shape[d] = a.shape[axes[d]];
        to->indices[d] = a.indices[axes[d]];
        to->indices_at[d] = a.indices_at[axes[d]];
        same &= axes[d] == d;
    }
    if (flags) spc_prove_coo(to, same ? flags : flags & ~(uint32_t)SPARCL_SORTED);
    return SPARCL_OK;
}

static sparcl_status sort_by_positions(sparcl_ctx *ctx, const sparcl_coo *to,
                                       const sparcl_coo *from, const sparcl_moved *moved) {
    spc_coo_order order;
    SPC_TRY(spc_coo_find_order(ctx, from, false, &order));
    const spc_places places = {order.place_type, order.places, from->nnz, from->count,
                               from->count_at};
    SPC_TRY(spc_take_coo(ctx, places, to, from, NULL, moved));
    return to->count ? spc_write_count(ctx, to->count, to->count_at, spc_coo_items(from))
                     : SPARCL_OK;
}

/* Values that sparcl_coo_sort takes are sorted along with the indices, which is faster. */
static sparcl_status sort(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                          const sparcl_moved *moved) {
    if (from->dtype <= SPARCL_F64)
        return sparcl_coo_sort(ctx, to, from, moved->source, moved->source_at);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = sort_by_positions(ctx, to, from, moved);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_coo_permute(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                                 const int *axes, const sparcl_moved *moved) {
    sparcl_coo view;
    SPC_TRY(spc_check_coo_moved(ctx, "permute", to, from, &moved));
    SPC_TRY(sparcl_coo_permute_view(ctx, &view, from, axes));
    SPC_TRY(spc_check_same_shape(ctx, "permute", SPC_TO, to->rank, to->shape,
                                 "the transpose of `from`", view.rank, view.shape));
    SPC_TRY(
        spc_check_same_itype(ctx, "permute", SPC_TO, to->index_type, SPC_FROM, from->index_type));
    SPC_TRY(spc_check_coo_count(ctx, "permute", to, from));
    SPC_TRY(sort(ctx, to, &view, moved));
    if (moved->needed)
        SPC_TRY(spc_write_count(ctx, moved->needed, moved->needed_at, spc_coo_items(from)));
    spc_prove_coo(to, SPARCL_VALID | SPARCL_SORTED | (sparcl_coo_flags(from) & SPARCL_UNIQUE));
    return SPARCL_OK;
}

/* --- reshapes --------------------------------------------------------------------------------- */

bool spc_coo_elements(const sparcl_coo *a, int64_t *elements) {
    for (int d = 0; d < a->rank; ++d)
        if (a->shape[d] == 0) return *elements = 0, true;
    *elements = 1;
    for (int d = 0; d < a->rank; ++d)
        if (!spc_mul_i64(*elements, a->shape[d], elements)) return false;
    return true;
}

static sparcl_status check_elements(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from) {
    int64_t of_to = 0, of_from = 0;
    if (!spc_coo_elements(to, &of_to) || !spc_coo_elements(from, &of_from))
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "reshape: an array of more than 2^63 - 1 elements; positions in it do "
                            "not fit in 64 bits");
    if (of_to == of_from) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "reshape: `to` has %lld elements, expected the %lld of `from`", (ll)of_to,
                        (ll)of_from);
}

sparcl_status spc_coo_linearize(sparcl_ctx *ctx, const sparcl_coo *a, sparcl_buf *linear) {
    for (int d = 0; d < a->rank; d += 2) {
        const int e = d + 1 < a->rank ? d + 1 : -1;
        SPC_TRY(SPC_LAUNCH(
            ctx, "reshape", spc_itype_options(SPARCL_INDEX32, a->index_type), "linearize",
            spc_range_each(ctx, a->nnz), SPC_OUT(linear), SPC_I32(d > 0), SPC_IN(a->indices[d]),
            SPC_I64(a->indices_at[d]), SPC_I64(a->shape[d]), SPC_IN(e < 0 ? NULL : a->indices[e]),
            SPC_I64(e < 0 ? 0 : a->indices_at[e]), SPC_I64(e < 0 ? 1 : a->shape[e]), ITEM_ARGS(a)));
    }
    return SPARCL_OK;
}

/* From the last dimensions to the first. */
sparcl_status spc_coo_delinearize(sparcl_ctx *ctx, const sparcl_coo *to, spc_items items,
                                  const sparcl_buf *linear) {
    int64_t stride = 1;
    for (int d = to->rank - 1; d >= 0; d -= 2) {
        const int e = d - 1;
        SPC_TRY(SPC_LAUNCH(ctx, "reshape", spc_itype_options(SPARCL_INDEX32, to->index_type),
                           "delinearize", spc_range_each(ctx, items.capacity), SPC_IN(linear),
                           SPC_I64(stride), SPC_OUT(to->indices[d]), SPC_I64(to->indices_at[d]),
                           SPC_I64(to->shape[d]), SPC_OUT(e < 0 ? NULL : to->indices[e]),
                           SPC_I64(e < 0 ? 0 : to->indices_at[e]),
                           SPC_I64(e < 0 ? 1 : to->shape[e]), SPC_I64(items.capacity),
                           SPC_IN(items.count), SPC_I64(items.count_at)));
        stride *= to->shape[d] * (e < 0 ? 1 : to->shape[e]);
    }
    return SPARCL_OK;
}

static bool shares_values(const sparcl_coo *to, const sparcl_coo *from) {
    return to->values == from->values && to->values_at == from->values_at;
}

static sparcl_status check_reshape_alias(sparcl_ctx *ctx, const sparcl_coo *to,
                                         const sparcl_coo *from) {
    sparcl_coo result = *to;
    if (shares_values(to, from)) result.values = NULL;
    const spc_spans results = spc_coo_spans(SPC_TO, &result);
    const spc_spans operands = spc_coo_spans(SPC_FROM, from);
    return spc_check_spans(ctx, "reshape", &results, &operands);
}

static sparcl_status reshape(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from) {
    const spc_take_values values = {.dtype = from->dtype,
                                    .from = from->values,
                                    .from_at = from->values_at,
                                    .to = shares_values(to, from) ? NULL : to->values,
                                    .to_at = to->values_at};
    const spc_places all = {SPARCL_INDEX32, NULL, from->nnz, from->count, from->count_at};
    sparcl_buf *linear = NULL;
    int64_t elements = 0;
    (void)spc_coo_elements(from, &elements);
    if (to->count) SPC_TRY(spc_write_count(ctx, to->count, to->count_at, spc_coo_items(from)));
    if (from->nnz == 0 || elements == 0) return SPARCL_OK; /* no entry */
    SPC_TRY(spc_scratch_push(ctx, &linear, from->nnz, sizeof(int64_t)));
    SPC_TRY(spc_coo_linearize(ctx, from, linear));
    SPC_TRY(spc_coo_delinearize(ctx, to, spc_coo_items(from), linear));
    return spc_take(ctx, all, NULL, &values);
}

sparcl_status sparcl_coo_reshape(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from) {
    SPC_TRY(spc_check_coo_of(ctx, "reshape", SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_coo_of(ctx, "reshape", SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_dtype(ctx, "reshape", SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(check_elements(ctx, to, from));
    SPC_TRY(spc_check_coo_count(ctx, "reshape", to, from));
    SPC_TRY(check_reshape_alias(ctx, to, from));
    SPC_TRY(spc_need_coo(ctx, "reshape", SPC_FROM, from, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = reshape(ctx, to, from);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_coo(to, sparcl_coo_flags(from));
    return status;
}

/* --- dimensions of size 1 --------------------------------------------------------------------- */

/* Move dimensions from `at` on by `by`. */
static void move_dimensions(sparcl_coo *a, int at, int by) {
    const size_t count = (size_t)(a->rank - at);
    memmove(&a->shape[at + by], &a->shape[at], count * sizeof a->shape[0]);
    memmove(&a->indices[at + by], &a->indices[at], count * sizeof a->indices[0]);
    memmove(&a->indices_at[at + by], &a->indices_at[at], count * sizeof a->indices_at[0]);
    a->rank += by;
}

static sparcl_status check_expand(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                  int axis) {
    SPC_TRY(spc_check_coo_of(ctx, "expand_dims", SPC_FROM, from, SPC_ALL_TYPES));
    if (!to) return spc_ctx_fail(ctx, SPARCL_E_ARG, "expand_dims: `to` is NULL");
    if (from->rank == SPARCL_MAX_RANK)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "expand_dims: `from` has rank %d, expected at most %d", from->rank,
                            SPARCL_MAX_RANK - 1);
    if (axis < 0 || axis > from->rank)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "expand_dims: axis is %d, expected 0 to %d", axis,
                            from->rank);
    const size_t size = sparcl_itype_size(from->index_type);
    SPC_TRY(spc_check_buf(ctx, "expand_dims", "the new dimension", to->indices[axis],
                          to->indices_at[axis], from->nnz, size));
    const spc_spans result = {.count = 1,
                              .at = {spc_array_span(NULL, "the new dimension", to->indices[axis],
                                                    to->indices_at[axis], from->nnz, size)}};
    const spc_spans operands = spc_coo_spans(SPC_FROM, from);
    return spc_check_spans(ctx, "expand_dims", &result, &operands);
}

sparcl_status sparcl_coo_expand_dims(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                                     int axis) {
    SPC_TRY(check_expand(ctx, to, from, axis));
    const int64_t size = (int64_t)sparcl_itype_size(from->index_type);
    const uint32_t flags = sparcl_coo_flags(from);
    sparcl_buf *const zeros = to->indices[axis];
    const int64_t at = to->indices_at[axis];
    if (from->nnz > 0) SPC_TRY(sparcl_buf_fill(ctx, zeros, at * size, from->nnz * size, 0));
    *to = *from;
    move_dimensions(to, axis, 1);
    to->shape[axis] = 1;
    to->indices[axis] = zeros;
    to->indices_at[axis] = at;
    if (flags) spc_prove_coo(to, flags);
    return SPARCL_OK;
}

static void remove_dimension(sparcl_coo *a, int axis) {
    move_dimensions(a, axis + 1, -1);
    a->indices[a->rank] = NULL;
    a->shape[a->rank] = a->indices_at[a->rank] = 0;
}

sparcl_status sparcl_coo_squeeze(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                                 int axis) {
    if (!to) return spc_ctx_fail(ctx, SPARCL_E_ARG, "squeeze: `to` is NULL");
    SPC_TRY(spc_check_coo_of(ctx, "squeeze", SPC_FROM, from, SPC_ALL_TYPES));
    if (axis < -1 || axis >= from->rank)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "squeeze: axis is %d, expected -1 to %d", axis,
                            from->rank - 1);
    if (axis >= 0 && (from->shape[axis] != 1 || from->rank == 1))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "squeeze: dimension %d of %d has size %lld, expected 1, and others",
                            axis, from->rank, (ll)from->shape[axis]);
    sparcl_coo a = *from;
    const uint32_t flags = sparcl_coo_flags(from);
    for (int d = a.rank - 1; d >= 0; --d)
        if (a.rank > 1 && a.shape[d] == 1 && (axis < 0 || axis == d)) remove_dimension(&a, d);
    *to = a;
    if (flags) spc_prove_coo(to, flags);
    return SPARCL_OK;
}

/* --- another shape for the same indices ------------------------------------------------------- */

/* Work-items that look for the largest index; the host combines theirs. */
enum { SEEKERS = 32 };

static sparcl_status find_largest(sparcl_ctx *ctx, const sparcl_coo *a, int d, int64_t *largest) {
    const spc_range range = spc_range_groups(ctx, SEEKERS);
    int64_t found[SEEKERS * SPC_GROUP];
    sparcl_buf *each = NULL;
    *largest = -1;
    SPC_TRY(spc_scratch_push(ctx, &each, range.global, sizeof(int64_t)));
    SPC_TRY(SPC_LAUNCH(ctx, "reshape", spc_itype_options(SPARCL_INDEX32, a->index_type),
                       "largest_index", range, SPC_IN(a->indices[d]), SPC_I64(a->indices_at[d]),
                       ITEM_ARGS(a), SPC_OUT(each)));
    if (spc_ctx_is_forecast(ctx)) return SPARCL_OK;
    SPC_TRY(sparcl_buf_read(ctx, each, 0, range.global * 8, found));
    for (int64_t i = 0; i < range.global; ++i)
        *largest = spc_max_i64(*largest, found[i]);
    return SPARCL_OK;
}

static sparcl_status fit_dimension(sparcl_ctx *ctx, const sparcl_coo *a, int d,
                                   const int64_t *shape, int64_t *size) {
    int64_t largest = -1;
    *size = shape ? shape[d] : 1;
    if (a->nnz == 0 || (shape && shape[d] >= a->shape[d])) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = find_largest(ctx, a, d, &largest);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    if (!shape) *size = spc_max_i64(1, largest + 1);
    if (*size > largest) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DATA,
                        "reset_shape: an index of dimension %d is %lld, expected less than %lld, "
                        "its new size",
                        d, (ll)largest, (ll)*size);
}

sparcl_status sparcl_coo_reset_shape(sparcl_ctx *ctx, sparcl_coo *view, const int64_t *shape) {
    SPC_TRY(spc_check_coo_of(ctx, "reset_shape", "the array", view, SPC_ALL_TYPES));
    SPC_TRY(spc_need_coo(ctx, "reset_shape", "the array", view, SPARCL_VALID));
    sparcl_coo a = *view;
    if (shape) {
        memcpy(a.shape, shape, (size_t)a.rank * sizeof *shape);
        SPC_TRY(spc_check_coo_of(ctx, "reset_shape", "the new shape", &a, SPC_ALL_TYPES));
    }
    for (int d = 0; d < a.rank; ++d)
        SPC_TRY(fit_dimension(ctx, view, d, shape, &a.shape[d]));
    const uint32_t flags = sparcl_coo_flags(view);
    *view = a;
    spc_prove_coo(view, flags);
    return SPARCL_OK;
}
