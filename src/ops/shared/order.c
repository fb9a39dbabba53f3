/* order.c: the sorted order of a COO array's entries, and moving arrays to that order. */
#include "ops/shared/order.h"

#include "base/size.h"
#include "prim/scan.h"
#include "prim/sort.h"

/* The dimensions of one 64-bit key: first .. end - 1. */
typedef struct round {
    int first, end, bits;
} round;

static sparcl_itype type_of_size(size_t size) {
    return size == 8 ? SPARCL_INDEX64 : SPARCL_INDEX32;
}

static uint32_t item_options(sparcl_itype places, size_t from_size, size_t to_size) {
    const uint32_t word = to_size == 8   ? SPC_VALUE64
                          : to_size == 2 ? SPC_WORD16
                          : to_size == 1 ? SPC_WORD8
                                         : 0u;
    return spc_itype_options(places, type_of_size(from_size)) | word;
}

sparcl_status spc_move_array(sparcl_ctx *ctx, const spc_move *move, spc_items items) {
    if (items.capacity == 0) return SPARCL_OK;
    return SPC_LAUNCH(
        ctx, "scan+reorder", item_options(move->place_type, move->from_size, move->to_size),
        "reorder_gather", spc_range_each(ctx, items.capacity), SPC_OUT(move->to),
        SPC_I64(move->to_at), SPC_IN(move->from), SPC_I64(move->from_at), SPC_IN(move->places),
        SPC_I64(items.capacity), SPC_IN(items.count), SPC_I64(items.count_at));
}

sparcl_status spc_write_count(sparcl_ctx *ctx, sparcl_buf *to, int64_t to_at, spc_items items) {
    return SPC_LAUNCH(ctx, "scan+reorder", 0, "reorder_count", spc_range_groups(ctx, 1),
                      SPC_OUT(to), SPC_I64(to_at), SPC_I64(items.capacity), SPC_IN(items.count),
                      SPC_I64(items.count_at));
}

/* As many dimensions before `end` as fit one key; a dimension has at most 63 bits. */
static round last_round(const sparcl_coo *a, int end) {
    round r = {end, end, 0};
    while (r.first > 0 && r.bits + spc_key_bits(a->shape[r.first - 1]) <= 64)
        r.bits += spc_key_bits(a->shape[--r.first]);
    return r;
}

/* Run a kernel for two dimensions at a time; each run extends what is in `to`. */
static sparcl_status each_two(sparcl_ctx *ctx, const char *kernel, const sparcl_coo *a, round r,
                              const spc_coo_order *order, sparcl_buf *to, size_t to_size) {
    const uint32_t options =
        item_options(order->place_type, sparcl_itype_size(a->index_type), to_size);
    for (int d = r.first; d < r.end; d += 2) {
        const bool two = d + 1 < r.end;
        SPC_TRY(SPC_LAUNCH(ctx, "scan+reorder", options, kernel, spc_range_each(ctx, a->nnz),
                           SPC_OUT(to), SPC_I32(d > r.first), SPC_IN(a->indices[d]),
                           SPC_I64(a->indices_at[d]), SPC_I32(spc_key_bits(a->shape[d])),
                           SPC_IN(two ? a->indices[d + 1] : NULL),
                           SPC_I64(two ? a->indices_at[d + 1] : 0),
                           SPC_I32(two ? spc_key_bits(a->shape[d + 1]) : 0), SPC_IN(order->places),
                           SPC_I64(a->nnz), SPC_IN(a->count), SPC_I64(a->count_at)));
    }
    return SPARCL_OK;
}

/* For keys of more than 64 bits: the entries are in order, so the number of changes before an entry
 * serves as its key. */
static sparcl_status count_changes(sparcl_ctx *ctx, const sparcl_coo *a, spc_coo_order *order) {
    const round all = {0, a->rank, 0};
    order->key_type = order->place_type;
    const size_t size = sparcl_itype_size(order->key_type);
    SPC_TRY(spc_scratch_push(ctx, &order->keys, a->nnz + 1, size));
    SPC_TRY(each_two(ctx, "reorder_changes", a, all, order, order->keys, size));
    const spc_scan_job job = {.n = a->nnz,
                              .from_type = order->key_type,
                              .to_type = order->key_type,
                              .from = order->keys,
                              .to = order->keys};
    return spc_scan(ctx, &job);
}

static sparcl_status push_keys(sparcl_ctx *ctx, const sparcl_coo *a, int bits, sparcl_itype *type,
                               sparcl_buf **keys) {
    *type = bits > 32 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    return spc_scratch_push(ctx, keys, a->nnz, sparcl_itype_size(*type));
}

/* The keys of one round. On a GPU the sort reads one or two dimensions directly in the first round;
 * else keys are composed first (`made`). */
static sparcl_status set_keys(sparcl_ctx *ctx, const sparcl_coo *a, round r,
                              const spc_coo_order *order, spc_sort_job *job, sparcl_buf **made) {
    const int last = r.end - 1;
    *made = NULL;
    *job = (spc_sort_job){.n = a->nnz,
                          .count = a->count,
                          .count_at = a->count_at,
                          .key_type = r.bits > 32 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                          .bits = r.bits,
                          .upper_bits_zero = true};
    if (spc_ctx_is_gpu(ctx) && r.end - r.first <= 2 && !order->places) {
        const bool two = r.first < last;
        job->component_type = a->index_type;
        job->b_bits = two ? spc_key_bits(a->shape[last]) : 0;
        job->from_a = a->indices[r.first];
        job->from_a_at = a->indices_at[r.first];
        job->from_b = two ? a->indices[last] : NULL;
        job->from_b_at = two ? a->indices_at[last] : 0;
        return SPARCL_OK;
    }
    SPC_TRY(spc_scratch_push(ctx, made, a->nnz, sparcl_itype_size(job->key_type)));
    job->from_keys = job->reusable_keys = *made;
    return each_two(ctx, "reorder_keys", a, r, order, *made, sparcl_itype_size(job->key_type));
}

/* The array for sorted keys: the composed keys themselves where the sort works in place, else a new
 * one, and the composed keys become its scratch memory. */
static sparcl_status place_keys(sparcl_ctx *ctx, const sparcl_coo *a, round r, bool with_keys,
                                sparcl_buf *made, spc_coo_order *order, spc_sort_job *job) {
    const bool in_place = made && spc_sort_is_in_place(ctx, job);
    job->keys = in_place ? made : NULL;
    if (!with_keys) return SPARCL_OK;
    order->key_type = job->key_type;
    if (!in_place) SPC_TRY(push_keys(ctx, a, r.bits, &order->key_type, &job->keys));
    order->keys = job->keys;
    return SPARCL_OK;
}

/* Scratch memory for the sort. All scratch memory together, with composed keys and positions or
 * rows, is at most twice the bytes that are read. */
static int64_t sort_limit(const sparcl_coo *a, const spc_coo_order *order,
                          const spc_sort_job *job) {
    const size_t entry =
        (size_t)a->rank * sparcl_itype_size(a->index_type) + sparcl_dtype_size(a->dtype);
    const size_t places = (order->decodable ? 1 : 2) * sparcl_itype_size(order->place_type);
    const size_t used = places + sparcl_itype_size(job->key_type);
    return spc_max_i64(1, a->nnz * ((int64_t)(2 * entry) - (int64_t)used));
}

/* Sort by the keys of one round; entries with equal keys keep their order. */
static sparcl_status sort_round(sparcl_ctx *ctx, const sparcl_coo *a, round r, bool with_keys,
                                sparcl_buf *places, spc_coo_order *order) {
    sparcl_buf *made = NULL;
    spc_sort_job job;
    SPC_TRY(set_keys(ctx, a, r, order, &job, &made));
    job.payload_type = order->place_type;
    job.from_payload = order->places;
    job.payload = places;
    job.scratch_bytes = sort_limit(a, order, &job);
    SPC_TRY(place_keys(ctx, a, r, with_keys, made, order, &job));
    SPC_TRY(spc_sort(ctx, &job));
    order->places = places;
    return SPARCL_OK;
}

/* The last dimensions first. Positions alternate between two arrays. Keys are kept only if there is
 * a single round. */
static sparcl_status sort_rounds(sparcl_ctx *ctx, const sparcl_coo *a, bool with_keys,
                                 spc_coo_order *order) {
    const size_t size = sparcl_itype_size(order->place_type);
    sparcl_buf *places[2] = {NULL, NULL};
    round r = last_round(a, a->rank);
    SPC_TRY(spc_scratch_push(ctx, &places[0], a->nnz, size));
    if (order->decodable) return sort_round(ctx, a, r, with_keys, places[0], order);
    SPC_TRY(spc_scratch_push(ctx, &places[1], a->nnz, size));
    for (int i = 0; r.end > 0; r = last_round(a, r.first), i = !i) {
        const int mark = spc_scratch_mark(ctx);
        SPC_TRY(sort_round(ctx, a, r, false, places[i], order));
        spc_scratch_release(ctx, mark);
    }
    return SPARCL_OK;
}

sparcl_status spc_coo_find_order(sparcl_ctx *ctx, const sparcl_coo *a, bool with_keys,
                                 spc_coo_order *order) {
    const bool sorted = sparcl_coo_flags(a) & SPARCL_SORTED;
    const round r = last_round(a, a->rank);
    *order = (spc_coo_order){.place_type = spc_position_type(a->nnz), .decodable = r.first == 0};
    if (a->nnz == 0) return SPARCL_OK;
    if (sorted && order->decodable && with_keys) {
        SPC_TRY(push_keys(ctx, a, r.bits, &order->key_type, &order->keys));
        return each_two(ctx, "reorder_keys", a, r, order, order->keys,
                        sparcl_itype_size(order->key_type));
    }
    if (!sorted) SPC_TRY(sort_rounds(ctx, a, with_keys, order));
    return order->decodable || !with_keys ? SPARCL_OK : count_changes(ctx, a, order);
}

sparcl_status spc_coo_sort_values(sparcl_ctx *ctx, const sparcl_coo *a, const spc_bucket_result *to,
                                  spc_coo_order *order, bool *done) {
    const round r = last_round(a, a->rank);
    const size_t size = sparcl_dtype_size(a->dtype);
    sparcl_buf *made = NULL;
    spc_sort_job job;
    *order = (spc_coo_order){.place_type = spc_position_type(a->nnz), .decodable = true};
    *done = r.first == 0 && size >= 4 && (spc_ctx_is_gpu(ctx) || size == 4);
    if (!*done || a->nnz == 0) return SPARCL_OK;
    SPC_TRY(set_keys(ctx, a, r, order, &job, &made));
    job.payload_type = type_of_size(size);
    job.from_payload = a->values;
    job.from_payload_at = a->values_at;
    job.payload = to->payload;
    job.payload_at = to->payload_at;
    job.scratch_bytes = sort_limit(a, order, &job);
    if (to->a && job.from_a) {
        job.a = to->a;
        job.a_at = to->a_at;
        job.b = to->b;
        job.b_at = to->b_at;
    } else {
        SPC_TRY(place_keys(ctx, a, r, true, made, order, &job));
    }
    return spc_sort(ctx, &job);
}

static int64_t mask_of(const sparcl_coo *a, int d) {
    return (int64_t)(((uint64_t)1 << spc_key_bits(a->shape[d])) - 1);
}

/* The bits of a key after those of dimension d. */
static int shift_of(const sparcl_coo *a, int d) {
    int shift = 0;
    for (int e = d + 1; e < a->rank; ++e)
        shift += spc_key_bits(a->shape[e]);
    return shift;
}

sparcl_status spc_coo_decode(sparcl_ctx *ctx, const sparcl_coo *a, const sparcl_buf *keys,
                             sparcl_itype key_type, int first, int end, const sparcl_coo *to,
                             spc_items items) {
    const uint32_t options = item_options(SPARCL_INDEX32, sparcl_itype_size(to->index_type),
                                          sparcl_itype_size(key_type));
    for (int d = first; items.capacity > 0 && d < end; d += 2) {
        const bool two = d + 1 < end;
        SPC_TRY(SPC_LAUNCH(
            ctx, "scan+reorder", options, "reorder_decode", spc_range_each(ctx, items.capacity),
            SPC_OUT(to->indices[d]), SPC_I64(to->indices_at[d]), SPC_I32(shift_of(a, d)),
            SPC_I64(mask_of(a, d)), SPC_OUT(two ? to->indices[d + 1] : NULL),
            SPC_I64(two ? to->indices_at[d + 1] : 0), SPC_I32(two ? shift_of(a, d + 1) : 0),
            SPC_I64(two ? mask_of(a, d + 1) : 0), SPC_IN(keys), SPC_I64(items.capacity),
            SPC_IN(items.count), SPC_I64(items.count_at)));
    }
    return SPARCL_OK;
}

bool spc_coo_bucket_source(const sparcl_ctx *ctx, const sparcl_coo *a, spc_bucket_source *source) {
    const bool two = a->rank == 2;
    if (a->rank > 2) return false;
    *source = (spc_bucket_source){.n = a->nnz,
                                  .count = a->count,
                                  .count_at = a->count_at,
                                  .type = a->index_type,
                                  .a_bits = spc_key_bits(a->shape[0]),
                                  .b_bits = two ? spc_key_bits(a->shape[1]) : 0,
                                  .a = a->indices[0],
                                  .b = two ? a->indices[1] : NULL,
                                  .a_at = a->indices_at[0],
                                  .b_at = two ? a->indices_at[1] : 0,
                                  .payload = sparcl_dtype_size(a->dtype) == 4 ? a->values : NULL,
                                  .payload_at = a->values_at};
    return spc_bucket_applies(ctx, source);
}

spc_bucket_result spc_coo_bucket_result(const sparcl_coo *to) {
    const bool two = to->rank == 2;
    return (spc_bucket_result){.a = to->indices[0],
                               .b = two ? to->indices[1] : NULL,
                               .payload = to->values,
                               .count = to->count,
                               .count_at = to->count_at,
                               .a_at = to->indices_at[0],
                               .b_at = two ? to->indices_at[1] : 0,
                               .payload_at = to->values_at};
}
