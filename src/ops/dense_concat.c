/* dense_concat.c: dense arrays one below the other or side by side, by copies. */
#include <stdio.h>

#include "base/size.h"
#include "ops/check.h"
#include "sparcl/dense_ops.h"
#include "sparcl/layers.h"

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

static sparcl_status copy_parts(sparcl_ctx *ctx, const join *j) {
    int64_t at = 0;
    SPC_TRY(check_join(ctx, j));
    for (int i = 0; i < j->count; ++i) {
        const sparcl_dense *const part = j->parts[i];
        sparcl_dense place = *j->whole;
        place.ld = spc_dense_ld(j->whole);
        place.shape[j->axis] = part->shape[j->axis];
        place.values_at += j->axis ? at : at * place.ld;
        at += part->shape[j->axis];
        if (spc_dense_count(&place) == 0) continue;
        SPC_TRY(j->splits ? sparcl_copy(ctx, part, &place) : sparcl_copy(ctx, &place, part));
    }
    return SPARCL_OK;
}

sparcl_status sparcl_dense_concat(sparcl_ctx *ctx, const sparcl_dense *to,
                                  const sparcl_dense *const *parts, int count, int axis) {
    const join j = {"dense_concat", to, parts, count, axis, false};
    return copy_parts(ctx, &j);
}

sparcl_status sparcl_dense_split(sparcl_ctx *ctx, const sparcl_dense *const *parts, int count,
                                 const sparcl_dense *from, int axis) {
    const join j = {"dense_split", from, parts, count, axis, true};
    return copy_parts(ctx, &j);
}
