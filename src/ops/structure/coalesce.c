/* coalesce.c: sum the entries of a COO array that have equal indices. */
#include "base/size.h"
#include "ops/shared/moved.h"
#include "ops/shared/partition.h"
#include "prim/segment.h"

/* Minimum entries per CPU worker. */
#define CPU_GRAIN 4096

/* The entries in order: their keys, and their values. */
typedef struct entries {
    spc_coo_order order;
    const sparcl_buf *values; /* of entry k of the order: values[places[k]], or values[k] */
    int64_t values_at;
} entries;

/* The runs of equal indices, and the range of the kernels over them. */
typedef struct runs {
    uint32_t options;
    spc_range range;
    sparcl_buf *starts, *blocks, *keys;
} runs;

/* Where keys are short, the values are sorted along with them; else they are gathered by position.
 */
static sparcl_status sort_entries(sparcl_ctx *ctx, const sparcl_coo *from, entries *e) {
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *values = NULL;
    bool done = false;
    if (!(sparcl_coo_flags(from) & SPARCL_SORTED)) {
        SPC_TRY(spc_scratch_push(ctx, &values, from->nnz, sparcl_dtype_size(from->dtype)));
        const spc_bucket_result to = {.payload = values};
        SPC_TRY(spc_coo_sort_values(ctx, from, &to, &e->order, &done));
        if (!done) spc_scratch_release(ctx, mark);
    }
    e->values = done ? values : from->values;
    e->values_at = done ? 0 : from->values_at;
    return done ? SPARCL_OK : spc_coo_find_order(ctx, from, true, &e->order);
}

static sparcl_status find_runs(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                               const spc_coo_order *order, runs *r) {
    r->options = spc_options(from->dtype, order->place_type, from->index_type);
    r->range = spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, from->nnz)
                                   : spc_range_groups(ctx, spc_workers(ctx, from->nnz, CPU_GRAIN));
    /* In this order they reuse the scratch memory of the sort. */
    SPC_TRY(spc_scratch_push(ctx, &r->keys, from->nnz, sparcl_itype_size(order->key_type)));
    SPC_TRY(spc_scratch_push(ctx, &r->starts, from->nnz + 1, sparcl_itype_size(order->place_type)));
    SPC_TRY(spc_scratch_push(ctx, &r->blocks, from->nnz / SPC_ROW_BLOCK + 1,
                             spc_real_size(from->dtype)));
    const spc_segment_job job = {.n = from->nnz,
                                 .count = from->count,
                                 .count_at = from->count_at,
                                 .key_type = order->key_type,
                                 .keys = order->keys,
                                 .start_type = order->place_type,
                                 .starts = r->starts,
                                 .unique = r->keys,
                                 .found = to->count,
                                 .found_at = to->count_at};
    return spc_segments(ctx, &job);
}

static sparcl_status sum_runs(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                              const entries *e, const runs *r) {
    SPC_TRY(SPC_LAUNCH(ctx, "scan+coalesce", r->options, "coalesce_blocks",
                       spc_range_each(ctx, from->nnz), SPC_IN(r->starts), SPC_IN(to->count),
                       SPC_I64(to->count_at), SPC_IN(e->order.places), SPC_IN(e->values),
                       SPC_I64(e->values_at), SPC_OUT(r->blocks)));
    return SPC_LAUNCH(ctx, "scan+coalesce", r->options, "coalesce_sums", r->range,
                      SPC_IN(r->starts), SPC_IN(to->count), SPC_I64(to->count_at),
                      SPC_IN(e->order.places), SPC_IN(e->values), SPC_I64(e->values_at),
                      SPC_OUT(to->values), SPC_I64(to->values_at), SPC_IN(r->blocks));
}

static sparcl_status write_indices(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from,
                                   const spc_coo_order *order, const runs *r) {
    const spc_items found = {from->nnz, to->count, to->count_at};
    if (order->decodable)
        return spc_coo_decode(ctx, from, r->keys, order->key_type, 0, from->rank, to, found);
    for (int d = 0; d < from->rank; ++d)
        SPC_TRY(SPC_LAUNCH(ctx, "scan+coalesce", r->options, "coalesce_indices", r->range,
                           SPC_IN(r->starts), SPC_IN(to->count), SPC_I64(to->count_at),
                           SPC_IN(order->places), SPC_OUT(to->indices[d]),
                           SPC_I64(to->indices_at[d]), SPC_IN(from->indices[d]),
                           SPC_I64(from->indices_at[d])));
    return SPARCL_OK;
}

static sparcl_status sum_by_buckets(sparcl_ctx *ctx, const sparcl_coo *to,
                                    const spc_bucket_source *source) {
    const spc_bucket_result result = spc_coo_bucket_result(to);
    return spc_bucket_sums(ctx, source, &result);
}

sparcl_status spc_coo_sum(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from) {
    spc_bucket_source source;
    entries e;
    runs r;
    if (from->nnz == 0) return spc_write_count(ctx, to->count, to->count_at, spc_coo_items(from));
    if (!(sparcl_coo_flags(from) & SPARCL_SORTED) && from->dtype == SPARCL_F32 &&
        spc_coo_bucket_source(ctx, from, &source))
        return sum_by_buckets(ctx, to, &source);
    SPC_TRY(sort_entries(ctx, from, &e));
    SPC_TRY(find_runs(ctx, to, from, &e.order, &r));
    SPC_TRY(sum_runs(ctx, to, from, &e, &r));
    return write_indices(ctx, to, from, &e.order, &r);
}
