/* violation.c: the passes over a sparse view that find violations of its contract. */
#include "ops/shared/violation.h"

#include "launch/launch.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/order.h"
#include "prim/chunks.h"
#include "prim/sort.h"

/* As in cl/validate.cl. */
enum { RANGE, UNSORTED, DUPLICATE, KINDS, LONGEST = 1 };

/* A list of at most this many numbers is sorted along with their positions. */
#define LIST_AT_ONCE (1 << 8)

/* The lowest position of each kind of violation, per chunk of a pass. */
typedef struct findings {
    int64_t chunks;
    spc_range range;
    sparcl_buf *found;
} findings;

static sparcl_status push_findings(sparcl_ctx *ctx, int64_t n, int kinds, findings *f) {
    f->chunks = spc_chunks(ctx, n);
    f->range = spc_range_groups(ctx, f->chunks);
    return spc_scratch_push(ctx, &f->found, f->chunks * kinds, sizeof(int64_t));
}

static sparcl_status read_min(sparcl_ctx *ctx, const findings *f, int kind, int64_t *minimum) {
    int64_t some[512];
    const int64_t maximum = (int64_t)SPC_COUNT(some);
    *minimum = SPC_NONE;
    if (spc_ctx_is_forecast(ctx)) return SPARCL_OK;
    for (int64_t at = 0; at < f->chunks; at += maximum) {
        const int64_t count = spc_min_i64(maximum, f->chunks - at);
        SPC_TRY(sparcl_buf_read(ctx, f->found, (kind * f->chunks + at) * (int64_t)sizeof *some,
                                count * (int64_t)sizeof *some, some));
        for (int64_t i = 0; i < count; ++i)
            *minimum = spc_min_i64(*minimum, some[i]);
    }
    return SPARCL_OK;
}

static sparcl_status read_violation(sparcl_ctx *ctx, const findings *f, spc_violation *violation) {
    SPC_TRY(read_min(ctx, f, RANGE, &violation->range));
    SPC_TRY(read_min(ctx, f, UNSORTED, &violation->unsorted));
    return read_min(ctx, f, DUPLICATE, &violation->duplicate);
}

static sparcl_status find_offset_violation(sparcl_ctx *ctx, const sparcl_csr *a, int64_t *place,
                                           int64_t *longest) {
    findings f;
    int64_t minimum = 0;
    SPC_TRY(push_findings(ctx, a->rows + 1, 2, &f));
    SPC_TRY(SPC_LAUNCH(ctx, "scan+validate",
                       spc_options(SPARCL_F32, a->offset_type, SPARCL_INDEX32), "validate_offsets",
                       f.range, SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows),
                       SPC_I64(a->nnz), SPC_OUT(f.found)));
    SPC_TRY(read_min(ctx, &f, RANGE, place));
    SPC_TRY(read_min(ctx, &f, LONGEST, &minimum));
    *longest = minimum == SPC_NONE ? 0 : -minimum;
    return SPARCL_OK;
}

sparcl_status spc_find_offset_violation(sparcl_ctx *ctx, const sparcl_csr *a, int64_t *place,
                                        int64_t *longest) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = find_offset_violation(ctx, a, place, longest);
    spc_scratch_release(ctx, mark);
    return status;
}

/* By buckets: positions are sorted along with the keys, and nothing is written. */
static sparcl_status find_in_buckets(sparcl_ctx *ctx, const spc_bucket_source *source,
                                     int64_t *place) {
    findings f = {.chunks = spc_bucket_groups(ctx, source)};
    SPC_TRY(spc_scratch_push(ctx, &f.found, f.chunks, sizeof(int64_t)));
    SPC_TRY(spc_bucket_duplicates(ctx, source, f.found));
    return read_min(ctx, &f, RANGE, place);
}

/* The lowest position of a key that equals the one before it; without positions, its index in
 * `keys`. */
static sparcl_status find_neighbours(sparcl_ctx *ctx, const spc_coo_order *order, int64_t n,
                                     int64_t *place) {
    findings f;
    SPC_TRY(push_findings(ctx, n, 1, &f));
    SPC_TRY(SPC_LAUNCH(ctx, "scan+validate",
                       spc_options(SPARCL_F32, order->place_type, SPARCL_INDEX32) |
                           (order->key_type == SPARCL_INDEX64 ? SPC_VALUE64 : 0u),
                       "validate_duplicates", f.range, SPC_IN(order->keys), SPC_IN(order->places),
                       SPC_I64(n), SPC_OUT(f.found)));
    return read_min(ctx, &f, RANGE, place);
}

/* Entries that are not in order: sort them, so that duplicates become adjacent. */
static sparcl_status find_duplicate(sparcl_ctx *ctx, const sparcl_coo *a, int64_t *place) {
    spc_coo_order order;
    spc_bucket_source source;
    if (spc_coo_bucket_source(ctx, a, &source)) {
        source.payload = NULL;
        return find_in_buckets(ctx, &source, place);
    }
    SPC_TRY(spc_coo_find_order(ctx, a, true, &order));
    return find_neighbours(ctx, &order, a->nnz, place);
}

/* The first duplicate number of a list. Checks the numbers before it, and up to seven times as many
 * after it. */
static sparcl_status find_first_duplicate(sparcl_ctx *ctx, const sparcl_coo *a,
                                          const sparcl_buf *sorted, int64_t *place) {
    sparcl_buf *seen = NULL;
    findings f;
    SPC_TRY(spc_scratch_push(ctx, &seen, a->nnz, sizeof(uint32_t)));
    SPC_TRY(push_findings(ctx, a->nnz, 1, &f));
    SPC_TRY(SPC_LAUNCH(ctx, "scan+validate", spc_options(SPARCL_F32, SPARCL_INDEX32, a->index_type),
                       "validate_unseen", spc_range_each(ctx, a->nnz), SPC_OUT(seen),
                       SPC_I64(a->nnz)));
    *place = SPC_NONE;
    for (int64_t begin = 0, end = 0; end < a->nnz && *place == SPC_NONE; begin = end) {
        end = spc_min_i64(a->nnz, spc_max_i64(LIST_AT_ONCE, 8 * begin));
        SPC_TRY(SPC_LAUNCH(ctx, "scan+validate",
                           spc_options(SPARCL_F32, SPARCL_INDEX32, a->index_type),
                           "validate_numbers", f.range, SPC_IN(a->indices[0]),
                           SPC_I64(a->indices_at[0]), SPC_I64(begin), SPC_I64(end), SPC_IN(sorted),
                           SPC_I64(a->nnz), SPC_OUT(seen), SPC_OUT(f.found)));
        SPC_TRY(read_min(ctx, &f, RANGE, place));
    }
    return SPARCL_OK;
}

/* Sorting numbers without their positions needs half of the memory. Most lists have no duplicates,
 * and then positions are not needed. */
static sparcl_status find_by_numbers(sparcl_ctx *ctx, const sparcl_coo *a, bool first,
                                     int64_t *place) {
    spc_coo_order order = {.place_type = SPARCL_INDEX32, .key_type = a->index_type};
    SPC_TRY(spc_scratch_push(ctx, &order.keys, a->nnz, sparcl_itype_size(a->index_type)));
    const int mark = spc_scratch_mark(ctx);
    const spc_sort_job job = {.n = a->nnz,
                              .key_type = a->index_type,
                              .bits = spc_key_bits(a->shape[0]),
                              .upper_bits_zero = true,
                              .from_keys = a->indices[0],
                              .from_keys_at = a->indices_at[0],
                              .keys = order.keys};
    SPC_TRY(spc_sort(ctx, &job));
    SPC_TRY(find_neighbours(ctx, &order, a->nnz, place));
    spc_scratch_release(ctx, mark);
    const bool is_unique = *place == SPC_NONE && !spc_ctx_is_forecast(ctx);
    return !first || is_unique ? SPARCL_OK : find_first_duplicate(ctx, a, order.keys, place);
}

static sparcl_status find_duplicate_number(sparcl_ctx *ctx, const sparcl_coo *a, bool first,
                                           int64_t *place) {
    spc_bucket_source source;
    if (spc_coo_bucket_source(ctx, a, &source)) {
        source.payload = NULL;
        source.low_memory = true;
        source.scratch_bytes = 1; /* the minimum */
        return find_in_buckets(ctx, &source, place);
    }
    if (a->nnz <= LIST_AT_ONCE || a->nnz >= UINT32_MAX || spc_has_short_loops(ctx))
        return find_duplicate(ctx, a, place);
    return find_by_numbers(ctx, a, first, place);
}

/* Adjacent duplicates are all duplicates only in a sorted view. */
static bool needs_sorting(const sparcl_ctx *ctx, spc_violation *violation) {
    if (spc_ctx_is_forecast(ctx)) return true;
    if (violation->unsorted == SPC_NONE) return false;
    violation->duplicate = SPC_NONE;
    return violation->range == SPC_NONE;
}

/* Columns that are not sorted within their rows: after a stable sort of all entries by column,
 * duplicates of a row are adjacent. */
static sparcl_status find_duplicate_columns(sparcl_ctx *ctx, const sparcl_csr *a, int64_t *place) {
    const sparcl_itype place_type = spc_position_type(a->nnz);
    spc_bucket_source source = spc_csr_bucket_source(a);
    sparcl_buf *places = NULL, *sorted = NULL;
    findings f;
    source.low_memory = true;
    if (spc_bucket_applies(ctx, &source)) return find_in_buckets(ctx, &source, place);
    SPC_TRY(spc_scratch_push(ctx, &places, a->nnz, sparcl_itype_size(place_type)));
    SPC_TRY(spc_scratch_push(ctx, &sorted, a->nnz, sparcl_itype_size(a->index_type)));
    spc_sort_job job = spc_csr_sort_job(a);
    job.keys = sorted;
    job.payload_type = place_type;
    job.payload = places;
    SPC_TRY(spc_sort(ctx, &job));
    SPC_TRY(push_findings(ctx, a->nnz, 1, &f));
    SPC_TRY(SPC_LAUNCH(ctx, "scan+validate",
                       spc_options(SPARCL_F32, a->offset_type, a->index_type) |
                           (place_type == SPARCL_INDEX64 ? SPC_VALUE64 : 0u),
                       "validate_duplicate_columns", f.range, SPC_IN(sorted), SPC_IN(places),
                       SPC_I64(a->nnz), SPC_IN(a->offsets), SPC_I64(a->offsets_at),
                       SPC_I64(a->rows), SPC_OUT(f.found)));
    return read_min(ctx, &f, RANGE, place);
}

static sparcl_status find_row_violation(sparcl_ctx *ctx, const sparcl_csr *a,
                                        spc_violation *violation) {
    findings f;
    SPC_TRY(push_findings(ctx, a->nnz, KINDS, &f));
    SPC_TRY(SPC_LAUNCH(ctx, "scan+validate", spc_options(SPARCL_F32, a->offset_type, a->index_type),
                       "validate_rows", f.range, SPC_IN(a->indices), SPC_I64(a->indices_at),
                       SPC_I64(a->nnz), SPC_I64(a->cols), SPC_IN(a->offsets),
                       SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_OUT(f.found)));
    SPC_TRY(read_violation(ctx, &f, violation));
    if (!needs_sorting(ctx, violation)) return SPARCL_OK;
    return find_duplicate_columns(ctx, a, &violation->duplicate);
}

sparcl_status spc_find_row_violation(sparcl_ctx *ctx, const sparcl_csr *a, int64_t n,
                                     spc_violation *violation) {
    const int mark = spc_scratch_mark(ctx);
    sparcl_csr entries = *a;
    entries.nnz = n;
    const sparcl_status status = find_row_violation(ctx, &entries, violation);
    spc_scratch_release(ctx, mark);
    return status;
}

/* rank, n and found, then three arguments per dimension. */
#define ENTRY_ARGS (3 + 3 * SPARCL_MAX_RANK)

static sparcl_status find_neighbour_violation(sparcl_ctx *ctx, const sparcl_coo *a,
                                              spc_violation *violation) {
    findings f;
    spc_arg args[ENTRY_ARGS];
    size_t n = 0;
    SPC_TRY(push_findings(ctx, a->nnz, KINDS, &f));
    args[n++] = SPC_I32(a->rank);
    args[n++] = SPC_I64(a->nnz);
    args[n++] = SPC_OUT(f.found);
    for (int d = 0; d < SPARCL_MAX_RANK; ++d) {
        args[n++] = SPC_IN(d < a->rank ? a->indices[d] : NULL);
        args[n++] = SPC_I64(d < a->rank ? a->indices_at[d] : 0);
        args[n++] = SPC_I64(d < a->rank ? a->shape[d] : 0);
    }
    SPC_TRY(spc_launch(ctx, "scan+validate", spc_options(SPARCL_F32, SPARCL_INDEX32, a->index_type),
                       "validate_entries", f.range, args, n));
    return read_violation(ctx, &f, violation);
}

static sparcl_coo first_entries(const sparcl_coo *a, int64_t n) {
    sparcl_coo entries = *a;
    entries.nnz = n;
    entries.count = NULL;
    entries.proof = (sparcl_proof){0};
    return entries;
}

sparcl_status spc_find_entry_violation(sparcl_ctx *ctx, const sparcl_coo *a, int64_t n,
                                       spc_violation *violation) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_coo entries = first_entries(a, n);
    sparcl_status status = find_neighbour_violation(ctx, &entries, violation);
    if (status == SPARCL_OK && needs_sorting(ctx, violation))
        status = find_duplicate(ctx, &entries, &violation->duplicate);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status spc_find_list_violation(sparcl_ctx *ctx, const sparcl_coo *a, int64_t n, bool first,
                                      spc_violation *violation) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_coo numbers = first_entries(a, n);
    sparcl_status status = find_neighbour_violation(ctx, &numbers, violation);
    if (status == SPARCL_OK && needs_sorting(ctx, violation))
        status = find_duplicate_number(ctx, &numbers, first, &violation->duplicate);
    spc_scratch_release(ctx, mark);
    return status;
}

static sparcl_status find_infinite(sparcl_ctx *ctx, sparcl_dtype dtype, const sparcl_buf *values,
                                   int64_t values_at, int64_t n, int64_t *place) {
    findings f;
    SPC_TRY(push_findings(ctx, n, 1, &f));
    SPC_TRY(SPC_LAUNCH(ctx, "scan+validate", spc_options(dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                       "validate_finite", f.range, SPC_IN(values), SPC_I64(values_at), SPC_I64(n),
                       SPC_OUT(f.found)));
    return read_min(ctx, &f, RANGE, place);
}

sparcl_status spc_find_infinite(sparcl_ctx *ctx, sparcl_dtype dtype, const sparcl_buf *values,
                                int64_t values_at, int64_t n, int64_t *place) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = find_infinite(ctx, dtype, values, values_at, n, place);
    spc_scratch_release(ctx, mark);
    return status;
}
