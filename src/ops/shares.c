/* shares.c: how many shares rows and their items are cut into, and what they carry. */
#include "ops/shares.h"

#include "base/size.h"
#include "device/launch.h"

/* A GPU group's share of rows and items; a CPU worker's least. */
#define GPU_SHARE   512
#define CPU_GRAIN   2048
/* Additions of a group that adds a carry up: devices with short loops (device/launch.c) stop soon.
 */
#define CARRY_STEPS 16384
/* As in cl/prelude.cl. */
#define BLOCK       256
/* Kernels for wide cores go over so many columns at once. */
#define WIDE        64

spc_shares spc_find_shares(const sparcl_ctx *ctx, int64_t rows, int64_t items, int64_t n) {
    const int64_t work = rows + items;
    spc_shares s;
    s.count = spc_ctx_is_gpu(ctx) ? spc_max_i64(1, work / GPU_SHARE)
                                  : spc_workers(ctx, work, spc_max_i64(64, CPU_GRAIN / n));
    /* A share may begin a block late and end a block late. */
    s.slots = spc_ceil_div(work, s.count) / BLOCK + 2;
    s.carry = s.count * s.slots + s.count;
    return s;
}

int64_t spc_carry_parts(const spc_shares *shares, int64_t items, int64_t n) {
    const int64_t longest = shares->count + items / BLOCK + 1; /* a row across all shares */
    return spc_ceil_div(n, spc_max_i64(1, CARRY_STEPS / longest));
}

int64_t spc_panel_room(const spc_shares *shares, int64_t n, size_t size, int64_t most) {
    const int64_t fit = spc_max_i64(4, most / (int64_t)size / shares->carry);
    if (fit >= n) return n;
    return fit < WIDE ? fit : fit / WIDE * WIDE;
}

int64_t spc_panel_at(int64_t room, int64_t n, int64_t j) {
    if (n - j <= room) return n - j;
    return n - j == room + 1 ? room - 1 : room;
}

int64_t spc_share_turns(const spc_shares *shares, int64_t rows, int64_t items, int64_t n) {
    return (spc_ceil_div(rows + items, shares->count) + BLOCK) * (n / WIDE + 5);
}
