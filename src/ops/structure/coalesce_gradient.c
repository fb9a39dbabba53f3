/* coalesce_gradient.c: the gradient of the entries that a coalesce has combined. */
#include "ops/shared/moved.h"
#include "sparcl/ops/structure.h"

static const char op[] = "coo_coalesce_gradient";

/* What a mode needs of the results of the coalesce. */
static bool needs_counts(sparcl_duplicates how) {
    return how == SPARCL_MEAN;
}
static bool needs_source(sparcl_duplicates how) {
    return how >= SPARCL_MAX;
}

static sparcl_status check_array(sparcl_ctx *ctx, const char *name, const sparcl_buf *buf,
                                 int64_t at, int64_t count, bool is_needed, spc_spans *operands) {
    if (!is_needed) return SPARCL_OK;
    if (!buf) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    return spc_check_int64s(ctx, op, name, buf, at, count, operands);
}

static sparcl_status check(sparcl_ctx *ctx, const sparcl_dense *to, sparcl_duplicates how,
                           const sparcl_dense *g, const sparcl_coo *from,
                           const sparcl_coalesced *more) {
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_entry_vector(ctx, op, "G", g, -1));
    SPC_TRY(spc_check_entry_vector(ctx, op, SPC_TO, to, from->nnz));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, "G", g->dtype));
    if ((unsigned)how > SPARCL_LAST)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: how is %d, expected SPARCL_SUM to SPARCL_LAST",
                            op, (int)how);
    if (!more) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: more is NULL", op);
    const int64_t n = g->shape[0];
    const spc_spans results = {.count = 1, .at = {spc_dense_span(SPC_TO, to)}};
    spc_spans operands = {.count = 1, .at = {spc_dense_span("G", g)}};
    SPC_TRY(check_array(ctx, "the inverse", more->inverse, more->inverse_at, from->nnz, true,
                        &operands));
    SPC_TRY(check_array(ctx, "the counts", more->counts, more->counts_at, n, needs_counts(how),
                        &operands));
    SPC_TRY(check_array(ctx, "the source", more->source, more->source_at, n, needs_source(how),
                        &operands));
    return spc_check_spans(ctx, op, &results, &operands);
}

sparcl_status sparcl_coo_coalesce_gradient(sparcl_ctx *ctx, const sparcl_dense *to,
                                           sparcl_duplicates how, const sparcl_dense *g,
                                           const sparcl_coo *from, const sparcl_coalesced *more) {
    SPC_TRY(check(ctx, to, how, g, from, more));
    if (from->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "coalesce_gradient", spc_dtype_options(to->dtype), "coalesce_gradient",
                      spc_range_each(ctx, from->nnz), SPC_I64(from->nnz), SPC_IN(from->count),
                      SPC_I64(from->count_at), SPC_IN(g->values), SPC_I64(g->values_at),
                      SPC_IN(more->inverse), SPC_I64(more->inverse_at),
                      SPC_IN(needs_counts(how) ? more->counts : NULL), SPC_I64(more->counts_at),
                      SPC_IN(needs_source(how) ? more->source : NULL), SPC_I64(more->source_at),
                      SPC_OUT(to->values), SPC_I64(to->values_at));
}
