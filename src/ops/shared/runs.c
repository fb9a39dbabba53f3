/* runs.c: find the runs of rows with equal indices, and divide long ones. */
#include "ops/shared/runs.h"

#include "base/size.h"
#include "ops/products/pattern.h"
#include "ops/structure/unique.h"
#include "prim/segment.h"
#include "prim/sort.h"

static sparcl_status sort_rows(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                               const sparcl_buf *places) {
    const int64_t index = (int64_t)sparcl_itype_size(from->index_type);
    const int64_t position = (int64_t)sparcl_itype_size(runs->position_type);
    const int64_t row =
        spc_shape_width(from->rank, from->shape) * (int64_t)sparcl_dtype_size(from->dtype);
    sparcl_buf *keys = NULL, *perm = NULL;
    runs->keys = from->indices;
    runs->keys_at = from->indices_at;
    runs->perm = places;
    if (sparcl_rows_flags(from) & SPARCL_SORTED) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &keys, from->nnr, sparcl_itype_size(from->index_type)));
    SPC_TRY(spc_scratch_push(ctx, &perm, from->nnr, sparcl_itype_size(runs->position_type)));
    const spc_sort_job job = {.n = from->nnr,
                              .count = from->count,
                              .count_at = from->count_at,
                              .key_type = from->index_type,
                              .bits = spc_key_bits(from->shape[0]),
                              .upper_bits_zero = true,
                              .from_keys = from->indices,
                              .from_keys_at = from->indices_at,
                              .keys = keys,
                              /* All scratch memory is at most twice the bytes read. */
                              .scratch_bytes =
                                  spc_max_i64(1, from->nnr * (2 * row + index - position)),
                              .payload_type = runs->position_type,
                              .from_payload = places,
                              .payload = perm};
    runs->keys = keys;
    runs->keys_at = 0;
    runs->perm = perm;
    return spc_sort(ctx, &job);
}

/* Rows are summed in panels of 16 columns, not of 64. */
static sparcl_status divide_among_cores(sparcl_ctx *ctx, spc_runs *runs, int64_t n) {
    const int64_t width = spc_max_i64(1, runs->width);
    runs->partitions = spc_find_partition(ctx, n, n, width);
    runs->carry_chunks =
        spc_has_short_loops(ctx) ? spc_carry_chunks(&runs->partitions, n, width) : 1;
    if (runs->width == 0) return SPARCL_OK;
    return spc_check_iterations(ctx, "coalescing rows",
                                spc_partition_iterations(&runs->partitions, n, n, 4 * width));
}

/* A run of all rows is the longest possible. */
static void divide_among_lanes(spc_runs *runs, const sparcl_rows *from) {
    const int64_t size = (int64_t)sparcl_dtype_size(from->dtype), n = from->nnr;
    const int64_t elements = from->values ? sparcl_buf_bytes(from->values) / size : 0;
    runs->units = spc_find_units(n, n, n, spc_max_i64(elements, n * runs->width));
}

static sparcl_status divide(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from) {
    if (!spc_ctx_is_gpu(ctx)) return divide_among_cores(ctx, runs, from->nnr);
    divide_among_lanes(runs, from);
    return SPARCL_OK;
}

static sparcl_status reserve_sums(sparcl_ctx *ctx, spc_runs *runs, sparcl_dtype dtype) {
    const size_t size = spc_real_size(dtype);
    if (spc_ctx_is_gpu(ctx)) return spc_units_reserve(ctx, &runs->units, runs->width, size);
    return spc_scratch_push(ctx, &runs->carry, runs->partitions.carry * runs->width, size);
}

/* Find runs; their number is stored in `found`, and their indices in `unique` unless that is NULL.
 */
static sparcl_status make_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                               const sparcl_buf *places, sparcl_buf *found, int64_t found_at,
                               sparcl_buf *unique, int64_t unique_at) {
    const int64_t n = from->nnr;
    *runs = (spc_runs){.position_type = spc_position_type(n),
                       .found = found,
                       .found_at = found_at,
                       .width = spc_shape_width(from->rank, from->shape)};
    SPC_TRY(divide(ctx, runs, from));
    SPC_TRY(sort_rows(ctx, runs, from, places)); /* the memory that it releases may be reused */
    SPC_TRY(spc_scratch_push(ctx, &runs->starts, n + 1, sparcl_itype_size(runs->position_type)));
    SPC_TRY(reserve_sums(ctx, runs, from->dtype));
    const spc_segment_job job = {.n = n,
                                 .count = from->count,
                                 .count_at = from->count_at,
                                 .key_type = from->index_type,
                                 .keys = runs->keys,
                                 .keys_at = runs->keys_at,
                                 .start_type = runs->position_type,
                                 .starts = runs->starts,
                                 .unique = unique,
                                 .unique_at = unique_at,
                                 .found = found,
                                 .found_at = found_at};
    return spc_segments(ctx, &job);
}

sparcl_status spc_find_placed_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                                   const sparcl_buf *places) {
    sparcl_buf *found = NULL;
    SPC_TRY(spc_scratch_push(ctx, &found, 1, sizeof(int64_t)));
    return make_runs(ctx, runs, from, places, found, 0, NULL, 0);
}

sparcl_status spc_find_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from) {
    return spc_find_placed_runs(ctx, runs, from, NULL);
}

sparcl_status spc_find_unique_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                                   const sparcl_rows *to) {
    return make_runs(ctx, runs, from, NULL, to->count, to->count_at, to->indices, to->indices_at);
}

sparcl_status spc_find_column_runs(sparcl_ctx *ctx, spc_runs *runs, const sparcl_rows *from,
                                   const sparcl_pattern *pattern) {
    const spc_ordered_runs columns = {.n = spc_pattern_capacity(pattern),
                                      .type = pattern->offset_type,
                                      .starts = pattern->starts,
                                      .found = pattern->found};
    sparcl_buf *keys = NULL;
    *runs = (spc_runs){.position_type = pattern->offset_type,
                       .perm = pattern->perm,
                       .starts = pattern->starts,
                       .found = pattern->found,
                       .width = spc_shape_width(from->rank, from->shape)};
    SPC_TRY(divide(ctx, runs, from));
    SPC_TRY(spc_scratch_push(ctx, &keys, from->nnr, sparcl_itype_size(pattern->index_type)));
    runs->keys = keys;
    SPC_TRY(reserve_sums(ctx, runs, from->dtype));
    return spc_write_keys(ctx, &columns, pattern->index_type, pattern->columns, keys);
}

/* --- launches --------------------------------------------------------------------------------- */

static int shift_of(const spc_runs *runs) {
    return spc_team_shift(runs->width, runs->width % 4 == 0);
}

uint32_t spc_runs_options(const spc_runs *runs) {
    return spc_units_options(&runs->units);
}

spc_range spc_runs_range(const sparcl_ctx *ctx, const spc_runs *runs) {
    if (!spc_ctx_is_gpu(ctx)) return spc_range_groups(ctx, runs->partitions.count);
    return spc_range_units(ctx, runs->units.windows + runs->units.rows, shift_of(runs));
}

void spc_runs_add_sums(const sparcl_ctx *ctx, spc_args *list, const spc_runs *runs) {
    if (spc_ctx_is_gpu(ctx))
        spc_units_add(list, &runs->units, shift_of(runs));
    else
        SPC_ARGS_ADD(list, SPC_OUT(runs->carry), SPC_I64(runs->partitions.slots),
                     SPC_I32(spc_rows_prefetch(ctx, runs->width)));
}

bool spc_runs_are_divided(const sparcl_ctx *ctx, const spc_runs *runs) {
    return spc_ctx_is_gpu(ctx) ? runs->units.windows > 0 : runs->partitions.count > 1;
}

spc_range spc_runs_block_range(const sparcl_ctx *ctx, const spc_runs *runs) {
    if (!spc_ctx_is_gpu(ctx))
        return spc_range_groups(ctx, runs->partitions.count * runs->carry_chunks);
    return spc_range_units(ctx, runs->units.windows, shift_of(runs));
}

void spc_runs_add_blocks(const sparcl_ctx *ctx, spc_args *list, const spc_runs *runs) {
    if (spc_ctx_is_gpu(ctx))
        spc_units_add_blocks(list, &runs->units, shift_of(runs));
    else
        SPC_ARGS_ADD(list, SPC_IN(runs->carry), SPC_I64(runs->partitions.slots),
                     SPC_I64(runs->carry_chunks));
}
