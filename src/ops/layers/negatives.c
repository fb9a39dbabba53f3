/* negatives.c: columns that rows of a CSR matrix do not have, drawn at random. */
#include "sparcl/ops/layers.h"

#include "launch/launch.h"
#include "ops/shared/check.h"

typedef long long ll; /* for %lld */

#define PROGRAM "philox+negatives"

static const char op[] = "negative_samples";

static sparcl_status check_sizes(sparcl_ctx *ctx, const sparcl_list *to, const sparcl_csr *a,
                                 const sparcl_list *rows, int64_t first) {
    if (to->count != rows->count || to->limit != a->cols || rows->limit != a->rows)
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE,
            "%s: `to` has %lld numbers below %lld, `rows` %lld below %lld, expected as many in "
            "both, below the %lld columns and the %lld rows of A",
            op, (ll)to->count, (ll)to->limit, (ll)rows->count, (ll)rows->limit, (ll)a->cols,
            (ll)a->rows);
    if (a->cols > (int64_t)1 << 32)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: A has %lld columns, expected at most 2^32",
                            op, (ll)a->cols);
    if (first >= 0 && (first < a->cols || rows->count == 0)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: first is %lld, expected 0 to %lld", op, (ll)first,
                        (ll)a->cols - 1);
}

static sparcl_status check(sparcl_ctx *ctx, const sparcl_list *to, const sparcl_csr *a,
                           const sparcl_list *rows, int64_t first) {
    SPC_TRY(spc_check_list(ctx, op, "`to`", to));
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_ALL_TYPES));
    SPC_TRY(spc_check_list(ctx, op, "`rows`", rows));
    SPC_TRY(check_sizes(ctx, to, a, rows, first));
    spc_spans operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_list_span("`rows`", rows);
    const spc_spans results = {1, {spc_list_span("`to`", to)}};
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_list(ctx, op, "`rows`", rows, SPARCL_VALID));
    return spc_need_csr(ctx, op, "A", a, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
}

sparcl_status sparcl_negative_samples(sparcl_ctx *ctx, sparcl_list *to, const sparcl_csr *a,
                                      const sparcl_list *rows, int64_t first, uint64_t seed,
                                      uint64_t offset) {
    SPC_TRY(check(ctx, to, a, rows, first));
    if (to->count > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(a->offset_type, a->index_type),
                           "negative_samples", spc_range_each(ctx, to->count), SPC_IN(a->offsets),
                           SPC_I64(a->offsets_at), SPC_IN(a->indices), SPC_I64(a->indices_at),
                           SPC_IN(rows->indices), SPC_I64(rows->indices_at),
                           SPC_I32(rows->index_type == SPARCL_INDEX64), SPC_I64(to->count),
                           SPC_I64(first), SPC_I64(a->cols), SPC_I64((int64_t)seed),
                           SPC_I64((int64_t)offset), SPC_OUT(to->indices), SPC_I64(to->indices_at),
                           SPC_I32(to->index_type == SPARCL_INDEX64)));
    spc_prove_list(to, SPARCL_VALID);
    return SPARCL_OK;
}
