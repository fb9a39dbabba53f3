/* reorder.c: sort the entries of a COO array lexicographically. */
#include "ops/shared/order.h"
#include "ops/shared/pair.h"
#include "sparcl/ops/structure.h"

typedef struct permutation {
    sparcl_buf *buf;
    int64_t at;
} permutation;

/* Where the number of entries may differ from nnz, the result needs a count. */
static sparcl_status check_count(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from) {
    if (to->count || (!from->count && to->nnz == from->nnz)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "coo_sort: `to` has no count, expected one because `from` has %s",
                        from->count ? "one" : "fewer entries");
}

static sparcl_status check_alias(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                 permutation p) {
    spc_spans results = spc_coo_spans(SPC_TO, to);
    const spc_spans operands = spc_coo_spans(SPC_FROM, from);
    if (p.buf)
        SPC_TRY(spc_check_buf(ctx, "coo_sort", "the permutation", p.buf, p.at, to->nnz,
                              sizeof(int64_t)));
    results.at[results.count++] =
        spc_array_span(NULL, "the permutation", p.buf, p.at, to->nnz, sizeof(int64_t));
    return spc_check_spans(ctx, "coo_sort", &results, &operands);
}

static sparcl_status move_values(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                 const spc_coo_order *order) {
    const size_t size = sparcl_dtype_size(from->dtype);
    const spc_move move = {to->values,      to->values_at, size,          from->values,
                           from->values_at, size,          order->places, order->place_type};
    return spc_move_array(ctx, &move, spc_coo_items(from));
}

/* Entry k of `to` becomes entry places[k] of `from`. */
static sparcl_status move_entries(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                  const spc_coo_order *order) {
    const size_t size = sparcl_itype_size(from->index_type);
    for (int d = 0; d < from->rank; ++d) {
        const spc_move move = {to->indices[d],   to->indices_at[d],   size,
                               from->indices[d], from->indices_at[d], size,
                               order->places,    order->place_type};
        SPC_TRY(spc_move_array(ctx, &move, spc_coo_items(from)));
    }
    return move_values(ctx, to, from, order);
}

static sparcl_status write_permutation(sparcl_ctx *ctx, permutation p, const sparcl_coo *from,
                                       const spc_coo_order *order) {
    const spc_move move = {.to = p.buf,
                           .to_at = p.at,
                           .to_size = sizeof(int64_t),
                           .from_size = sizeof(int32_t),
                           .places = order->places,
                           .place_type = order->place_type};
    return spc_move_array(ctx, &move, spc_coo_items(from));
}

/* Indices are sorted along with the values, or with positions where more than values of 4 bytes
 * must be moved. */
static sparcl_status sort_by_buckets(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                     permutation p, spc_bucket_source *source) {
    const bool direct = sparcl_dtype_size(from->dtype) == 4 && !p.buf;
    spc_bucket_result result = spc_coo_bucket_result(to);
    spc_coo_order order = {.place_type = SPARCL_INDEX32};
    if (!direct) {
        SPC_TRY(spc_scratch_push(ctx, &order.places, from->nnz, sizeof(int32_t)));
        source->payload = NULL;
        result.payload = order.places;
        result.payload_at = 0;
    }
    SPC_TRY(spc_bucket_order(ctx, source, &result));
    if (!direct) SPC_TRY(move_values(ctx, to, from, &order));
    return p.buf ? write_permutation(ctx, p, from, &order) : SPARCL_OK;
}

static sparcl_status sort_by_keys(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                  permutation p) {
    spc_coo_order order = {.place_type = SPARCL_INDEX32};
    bool done = false;
    const bool sorted = sparcl_coo_flags(from) & SPARCL_SORTED;
    const spc_bucket_result result = spc_coo_bucket_result(to);
    if (!sorted && !p.buf) SPC_TRY(spc_coo_sort_values(ctx, from, &result, &order, &done));
    if (order.keys)
        SPC_TRY(spc_coo_decode(ctx, from, order.keys, order.key_type, 0, from->rank, to,
                               spc_coo_items(from)));
    if (!done && !sorted) SPC_TRY(spc_coo_find_order(ctx, from, false, &order));
    if (!done) SPC_TRY(move_entries(ctx, to, from, &order));
    return p.buf ? write_permutation(ctx, p, from, &order) : SPARCL_OK;
}

static sparcl_status sort_entries(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                  permutation p) {
    spc_bucket_source source;
    const bool sorted = sparcl_coo_flags(from) & SPARCL_SORTED;
    if (!sorted && spc_coo_bucket_source(ctx, from, &source))
        return sort_by_buckets(ctx, to, from, p, &source);
    SPC_TRY(sort_by_keys(ctx, to, from, p));
    return to->count ? spc_write_count(ctx, to->count, to->count_at, spc_coo_items(from))
                     : SPARCL_OK;
}

sparcl_status sparcl_coo_sort(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_coo *from,
                              sparcl_buf *permutation_buf, int64_t permutation_at) {
    const permutation p = {permutation_buf, permutation_at};
    SPC_TRY(spc_check_coo_pair(ctx, "coo_sort", to, from, SPC_ALL_TYPES));
    SPC_TRY(check_count(ctx, to, from));
    SPC_TRY(check_alias(ctx, to, from, p));
    SPC_TRY(spc_need_coo(ctx, "coo_sort", "`from`", from, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = sort_entries(ctx, to, from, p);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    const uint32_t unique = sparcl_coo_flags(from) & SPARCL_UNIQUE;
    spc_prove_coo(to, SPARCL_VALID | SPARCL_SORTED | unique);
    return SPARCL_OK;
}
