/* concat.c: the rows of row-sparse arrays, one after the other. */
#include "base/size.h"
#include "ops/shared/order.h"
#include "ops/shared/product_choice.h"
#include "ops/shared/rows.h"
#include "sparcl/ops/structure.h"

static sparcl_status check_pair(sparcl_ctx *ctx, const char *name, const sparcl_rows *from,
                                const sparcl_rows *to) {
    SPC_TRY(spc_check_rows_of(ctx, "rows_concat", name, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_shape(ctx, "rows_concat", "to", to->rank, to->shape, name, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, "rows_concat", "to", to->dtype, name, from->dtype));
    const spc_spans result = spc_rows_spans("to", to), operand = spc_rows_spans(name, from);
    SPC_TRY(spc_check_spans(ctx, "rows_concat", &result, &operand));
    return spc_need_rows(ctx, "rows_concat", name, from, SPARCL_VALID);
}

static sparcl_status check_capacity(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *a,
                                    const sparcl_rows *b) {
    int64_t needed = 0;
    if (!to->count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "rows_concat: to has no count, expected one");
    if (spc_add_i64(a->nnr, b->nnr, &needed) && to->nnr >= needed) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "rows_concat: to has space for %lld rows, expected at least the %lld of a "
                        "and %lld of b",
                        (long long)to->nnr, (long long)a->nnr, (long long)b->nnr);
}

#define PROGRAM "panel+words+concat"

static uint32_t options_of(const sparcl_rows *to, const sparcl_rows *from) {
    return spc_word_options(to->dtype) | spc_itype_options(to->index_type, from->index_type);
}

/* Append the rows of `from`, after as many as there are already. */
static sparcl_status append(sparcl_ctx *ctx, const sparcl_rows *to, spc_items before,
                            const sparcl_rows *from) {
    const int64_t width = spc_shape_width(to->rank, to->shape);
    return SPC_LAUNCH(ctx, PROGRAM, options_of(to, from), "append_rows",
                      spc_range_vectors(ctx, spc_max_i64(from->nnr, 1), width),
                      SPC_I64(before.capacity), SPC_IN(before.count), SPC_I64(before.count_at),
                      SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_IN(from->count), SPC_I64(from->count_at),
                      SPC_I64(from->nnr), SPC_OUT(to->indices), SPC_I64(to->indices_at),
                      SPC_OUT(to->values), SPC_I64(to->values_at), SPC_OUT(to->count),
                      SPC_I64(to->count_at), SPC_I64(width),
                      SPC_I32(spc_result_streams(ctx, from->nnr, width, to->dtype)));
}

sparcl_status sparcl_rows_concat(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *a,
                                 const sparcl_rows *b) {
    SPC_TRY(spc_check_rows_of(ctx, "rows_concat", "to", to, SPC_ALL_TYPES));
    SPC_TRY(check_pair(ctx, "a", a, to));
    SPC_TRY(check_pair(ctx, "b", b, to));
    SPC_TRY(check_capacity(ctx, to, a, b));
    const sparcl_rows *const both[] = {a, b};
    if (!a->count && !b->count) {
        SPC_TRY(spc_rows_join(ctx, to, both, 2));
    } else {
        SPC_TRY(append(ctx, to, (spc_items){.capacity = 0}, a));
        SPC_TRY(append(ctx, to, (spc_items){a->nnr, a->count, a->count_at}, b));
    }
    spc_prove_rows(to, SPARCL_VALID);
    return SPARCL_OK;
}

/* --- several, whose rows the host counts ------------------------------------------------------ */

static bool have_one_type(const sparcl_rows *const *from, int count) {
    for (int i = 1; i < count; ++i)
        if (from[i]->index_type != from[0]->index_type) return false;
    return true;
}

/* Many lanes: all in one launch. */
static sparcl_status append_all(sparcl_ctx *ctx, const sparcl_rows *to,
                                const sparcl_rows *const *from, int count) {
    const int64_t width = spc_shape_width(to->rank, to->shape);
    const sparcl_rows none = {.nnr = 0};
    spc_args list = {.count = 0};
    int64_t most = 1;
    for (int i = 0; i < SPC_JOINED; ++i) {
        const sparcl_rows *const x = i < count ? from[i] : &none;
        SPC_ARGS_ADD(&list, SPC_IN(x->indices), SPC_I64(x->indices_at), SPC_IN(x->values),
                     SPC_I64(x->values_at), SPC_I64(x->nnr));
        most = spc_max_i64(most, x->nnr);
    }
    SPC_ARGS_ADD(&list, SPC_OUT(to->indices), SPC_I64(to->indices_at), SPC_OUT(to->values),
                 SPC_I64(to->values_at), SPC_OUT(to->count), SPC_I64(to->count_at), SPC_I64(width));
    return spc_launch(ctx, PROGRAM, options_of(to, from[0]), "append_all",
                      spc_range_vectors(ctx, most, width), list.at, list.count);
}

sparcl_status spc_rows_join(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *const *from,
                            int count) {
    spc_items before = {.capacity = 0};
    if (spc_ctx_is_gpu(ctx) && have_one_type(from, count)) return append_all(ctx, to, from, count);
    for (int i = 0; i < count; ++i) {
        SPC_TRY(append(ctx, to, before, from[i]));
        before.capacity += from[i]->nnr;
    }
    return SPARCL_OK;
}
