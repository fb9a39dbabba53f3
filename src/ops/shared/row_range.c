/* row_range.c: the range of kernels over rows, and how far they prefetch. */
#include "ops/shared/row_range.h"

#include "base/size.h"
#include "ops/shared/units.h"
#include "tune/tuned.h"

/* Overhead of a row, in elements. */
#define ROW_COST 16

/* For devices with short loops: a panel of a row may need a loop of its own, over the bits of a
 * number of steps, so a work-item gets few rows, whatever the tuning. */
#define SHORT_GRAIN 8192

const sparcl_tunable spc_tunable_rows_grain = {.name = "rows.grain",
                                               .description =
                                                   "minimum elements of rows per CPU worker",
                                               .kernels = SPARCL_CLASS_CPU,
                                               SPC_CLASSES(spc_work_classes),
                                               .minimum = 64,
                                               .maximum = 1 << 20,
                                               .candidates = {2048, 8192, 32768},
                                               .candidate_count = 3,
                                               .defaults = {{8192, 8192, 8192}}};

const sparcl_tunable spc_tunable_rows_prefetch = {
    .name = "rows.prefetch",
    .description = "prefetch distance for rows of a table or a gradient, in rows; 0: no prefetch",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_width_classes),
    .minimum = 0,
    .maximum = 256,
    .candidates = {0, 8, 16, 32, 64},
    .candidate_count = 5,
    .defaults = {{0, 16, 32, 16}}};

int32_t spc_rows_prefetch(const sparcl_ctx *ctx, int64_t width) {
    if (spc_ctx_is_gpu(ctx)) return 0; /* not used */
    const int32_t distance = spc_tuned(ctx, SPC_TUNE_ROWS_PREFETCH, spc_width_class(width));
    return distance > 0 ? distance : INT32_MAX;
}

spc_range spc_range_rows(const sparcl_ctx *ctx, int64_t rows, int64_t width) {
    if (!spc_ctx_is_gpu(ctx)) {
        const int64_t tuned = spc_tuned(ctx, SPC_TUNE_ROWS_GRAIN, spc_work_class(rows, width));
        const int64_t grain = spc_has_short_loops(ctx) ? spc_min_i64(tuned, SHORT_GRAIN) : tuned;
        const int64_t cost = spc_min_i64(width, grain) + ROW_COST;
        return spc_range_groups(ctx, spc_workers(ctx, rows, spc_max_i64(1, grain / cost)));
    }
    return spc_range_each(ctx, rows < (int64_t)1 << 40 ? rows * spc_min_i64(width, 32) : rows);
}

spc_range spc_range_vectors(const sparcl_ctx *ctx, int64_t rows, int64_t width) {
    if (!spc_ctx_is_gpu(ctx)) return spc_range_rows(ctx, rows, width);
    return spc_range_units(ctx, rows, spc_team_shift(width, width % 4 == 0));
}
