/* shares.c: how many shares rows and their items are cut into, and what they carry. */
#include "ops/shares.h"

#include "base/size.h"
#include "launch/launch.h"
#include "tune/tuned.h"

/* Additions of a group that adds a carry up: devices with short loops (device/launch.c) stop soon.
 */
#define CARRY_STEPS 16384
/* Kernels for wide cores go over so many columns at once. */
#define WIDE        64

/* Rows of few columns cost less than columns tell. */
#define LEAST_GRAIN 64
/* A share that devices with short loops go over; one of few columns on many lanes, which keeps its
 * entries in local memory (cl/spmm_lanes.cl). */
#define SHORT_SHARE 1024
#define FEW         8
#define FEW_SHARE   512

const sparcl_tunable spc_tunable_share = {
    .name = "share",
    .what =
        "work in a share of a product: rows and entries of a GPU group; rows and entries, times "
        "columns, that pay for another CPU worker",
    SPC_CLASSES(spc_work_classes),
    .least = 64,
    .most = 1 << 20,
    .candidates = {256, 512, 1024, 2048, 8192, 32768},
    .candidate_count = 6,
    .defaults = {{32768, 2048, 2048}, {512, 512, 512}}};

static int64_t count_shares(const sparcl_ctx *ctx, int64_t work, int64_t n) {
    const int64_t share = spc_tuned(ctx, SPC_TUNE_SHARE, spc_work_class(work, n));
    if (!spc_ctx_is_gpu(ctx)) return spc_workers(ctx, work, spc_max_i64(LEAST_GRAIN, share / n));
    const int64_t most = n <= FEW ? FEW_SHARE : spc_has_short_loops(ctx) ? SHORT_SHARE : share;
    return spc_max_i64(1, spc_ceil_div(work, spc_min_i64(share, most)));
}

spc_shares spc_find_shares(const sparcl_ctx *ctx, int64_t rows, int64_t items, int64_t n) {
    const int64_t work = rows + items;
    spc_shares s;
    s.count = count_shares(ctx, work, n);
    /* A share may begin a block late and end a block late. */
    s.slots = spc_ceil_div(work, s.count) / SPC_ROW_BLOCK + 2;
    s.carry = s.count * s.slots + s.count;
    return s;
}

int64_t spc_carry_parts(const spc_shares *shares, int64_t items, int64_t n) {
    const int64_t longest = shares->count + items / SPC_ROW_BLOCK + 1; /* a row across all shares */
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
    return (spc_ceil_div(rows + items, shares->count) + SPC_ROW_BLOCK) * (n / WIDE + 5);
}
