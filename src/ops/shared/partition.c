/* partition.c: the number of partitions of rows and their items, and the size of their carry. */
#include "ops/shared/partition.h"

#include "base/size.h"
#include "launch/launch.h"
#include "tune/tuned.h"

/* Maximum additions of a group that sums a carry: devices with short loops (device/list.h) stop
 * early. */
#define CARRY_STEPS 16384
/* Maximum columns of a panel of the kernels for wide cores. */
#define WIDE        64

/* Minimum rows plus entries per worker, for any number of columns. */
#define MIN_GRAIN 64

const sparcl_tunable spc_tunable_product_grain = {
    .name = "product.grain",
    .description = "minimum rows plus entries of a product, times columns, per CPU worker",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_work_classes),
    .minimum = 64,
    .maximum = 1 << 20,
    .candidates = {256, 512, 1024, 2048, 8192, 32768},
    .candidate_count = 6,
    .defaults = {{32768, 2048, 2048}}};

spc_partition spc_find_partition(const sparcl_ctx *ctx, int64_t rows, int64_t items, int64_t n) {
    const int64_t work = rows + items;
    const int64_t grain = spc_tuned(ctx, SPC_TUNE_PRODUCT_GRAIN, spc_work_class(work, n));
    spc_partition s;
    s.count = spc_workers(ctx, work, spc_max_i64(MIN_GRAIN, grain / n));
    /* A partition may begin up to a block late and end up to a block late. */
    s.slots = spc_ceil_div(work, s.count) / SPC_ROW_BLOCK + 2;
    s.carry = s.count * s.slots + s.count;
    return s;
}

int64_t spc_carry_chunks(const spc_partition *partitions, int64_t items, int64_t n) {
    const int64_t longest =
        partitions->count + items / SPC_ROW_BLOCK + 1; /* a row across all partitions */
    return spc_ceil_div(n, spc_max_i64(1, CARRY_STEPS / longest));
}

int64_t spc_panel_capacity(const spc_partition *partitions, int64_t n, size_t size,
                           int64_t maximum) {
    const int64_t fit = spc_max_i64(4, maximum / (int64_t)size / partitions->carry);
    if (fit >= n) return n;
    return fit < WIDE ? fit : fit / WIDE * WIDE;
}

int64_t spc_panel_at(int64_t capacity, int64_t n, int64_t j) {
    if (n - j <= capacity) return n - j;
    return n - j == capacity + 1 ? capacity - 1 : capacity;
}

int64_t spc_partition_iterations(const spc_partition *partitions, int64_t rows, int64_t items,
                                 int64_t n) {
    return (spc_ceil_div(rows + items, partitions->count) + SPC_ROW_BLOCK) * (n / WIDE + 5);
}
