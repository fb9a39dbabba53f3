/* units.c: the number of units of rows or runs, and their scratch memory. */
#include "ops/shared/units.h"

#include "base/size.h"
#include "ops/shared/partition.h"

/* Positions of elements, and a step past the last one, have 31 bits. */
#define SMALL_ELEMENTS ((int64_t)1 << 30)

/* Groups per compute unit: enough that those which finish early find another one. Units are taken
 * in turns beyond them, because most may not be there where their number is on the device. */
#define GROUPS_PER_UNIT 128

spc_units spc_find_units(int64_t rows, int64_t items, int64_t longest, int64_t elements) {
    const bool is_short = spc_min_i64(longest, items) <= SPC_ROW_BLOCK;
    const int64_t most = spc_max_i64(spc_max_i64(rows, items), elements);
    return (spc_units){.rows = rows,
                       .windows = is_short ? 0 : spc_ceil_div(items, SPC_ROW_BLOCK),
                       .small = most <= SMALL_ELEMENTS};
}

int64_t spc_units_columns(const spc_units *units, int64_t n, size_t size, int64_t maximum) {
    if (units->windows == 0) return n;
    const int64_t fit = spc_max_i64(4, maximum / (int64_t)size / (2 * units->windows));
    return fit >= n ? n : fit / 4 * 4;
}

int64_t spc_units_elements(const spc_units *units, int64_t n) {
    return 2 * units->windows * (spc_ceil_div(n, 4) * 4);
}

sparcl_status spc_units_reserve(sparcl_ctx *ctx, spc_units *units, int64_t n, size_t size) {
    const size_t row = units->small ? sizeof(int32_t) : sizeof(int64_t);
    if (units->windows == 0) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &units->parts, spc_units_elements(units, n), size));
    return spc_scratch_push(ctx, &units->owner, units->windows, row);
}

uint32_t spc_units_options(const spc_units *units) {
    return units->small ? SPC_SMALL : 0;
}

/* 32 lanes read 128 bytes or more at once. */
int spc_team_shift(int64_t width, bool aligned) {
    const int64_t fours = aligned ? width / 4 : 0, items = spc_max_i64(fours, width - 4 * fours);
    int shift = 0;
    while (shift < 5 && (int64_t)1 << shift < items)
        ++shift;
    return shift;
}

spc_range spc_range_units(const sparcl_ctx *ctx, int64_t count, int shift) {
    const int64_t groups = spc_ceil_div(count, SPC_GROUP >> shift);
    if (spc_has_short_loops(ctx)) return spc_range_groups(ctx, groups);
    return spc_range_groups(ctx, spc_min_i64(groups, spc_ctx_units(ctx) * GROUPS_PER_UNIT));
}
