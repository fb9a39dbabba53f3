/* bucket_plan.c: how many buckets a sort has, and by which digits each is sorted. */
#include "prim/bucket_plan.h"

#include "base/size.h"
#include "tune/tuned.h"

/* As in cl/bucket.cl. */
#define MAX_BUCKET_BITS 11
#define NARROW_KEY_BITS 32 /* of an item of 8 bytes */
#define WIDE_KEY_BITS   63 /* of an item of 12; a shift by 64 is undefined */
#define COLUMN_BITS     13 /* target width of a single digit, and its maximum */
#define MAX_COLUMN_BITS 14
#define MAX_WIDE_DIGIT  11 /* the counters of all digits of 63 bits fit */
/* Minimum bits of a digit. It has a counter for each value, so a bucket should have as many items.
 */
#define MIN_WIDTH       8

/* The second buffers of all groups have at most this fraction of the items. A bucket that is larger
 * than the buffer of its group uses its range of the result. */
#define SPARE_DIVISOR 4
/* Minimum bytes of the second buffers. */
#define MIN_SPARE     (3 << 18)
/* Splitting buckets to shorten their keys pays where the new ones have, on average, at least this
 * fraction of the items that stay in cache. */
#define SPLIT_DIVISOR 128

/* Are entries sorted by column, in one digit? (With `low_memory`, equal keys only have to become
 * adjacent.) */
static bool has_one_digit(const spc_bucket_source *s) {
    return s->offsets && !s->low_memory;
}

/* Items are not sorted by the bits of their row. */
static int first_bit(const spc_bucket_source *s) {
    return s->offsets ? s->b_bits : 0;
}

bool spc_bucket_is_wide(const spc_bucket_source *s) {
    return s->a_bits + s->b_bits > NARROW_KEY_BITS + MAX_BUCKET_BITS ||
           first_bit(s) >= NARROW_KEY_BITS;
}

/* Bits of buckets, split in two steps, after which keys fit items of 8 bytes; 0 where that does not
 * pay. Two steps keep the buckets few: each needs a line of the L1 cache and a page of the TLB. */
static int split_bits(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    const int high = s->a_bits + s->b_bits - NARROW_KEY_BITS;
    const int items =
        spc_tuned(ctx, SPC_TUNE_SORT_BUCKET_ITEMS, spc_bucket_class(s)) / SPLIT_DIVISOR;
    const bool pays = spc_bucket_is_wide(s) && !s->low_memory && high <= 2 * MAX_BUCKET_BITS &&
                      s->n >> high >= items;
    const bool fits = !s->offsets || (s->b_bits < NARROW_KEY_BITS &&
                                      NARROW_KEY_BITS - s->b_bits <= MAX_COLUMN_BITS);
    return pays && fits ? high : 0;
}

/* The minimum for which a bucket has at most `items` and the remaining bits of a key fit. */
static int bucket_bits(const spc_bucket_source *s, int64_t items) {
    const int bits = s->a_bits + s->b_bits, sorted = bits - first_bit(s);
    const int capacity = spc_bucket_is_wide(s) ? WIDE_KEY_BITS : NARROW_KEY_BITS;
    const int digit = has_one_digit(s) ? COLUMN_BITS : capacity;
    int high = 0;
    while (high < sorted && high < MAX_BUCKET_BITS &&
           (s->n >> high > items || bits - high > capacity || sorted - high > digit))
        ++high;
    return high;
}

bool spc_bucket_applies(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    const bool fits = s->n > 0 && s->n <= INT32_MAX && s->a_bits + s->b_bits <= 64 &&
                      (!has_one_digit(s) || s->a_bits <= MAX_BUCKET_BITS + MAX_COLUMN_BITS ||
                       split_bits(ctx, s) > 0);
    return fits && !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) &&
           spc_tuned(ctx, SPC_TUNE_SORT_BUCKETS, spc_bucket_class(s));
}

bool spc_bucket_is_small(const sparcl_ctx *ctx, int64_t n) {
    return n <= spc_tuned(ctx, SPC_TUNE_SORT_SERIAL_ITEMS, 0) / spc_ctx_units(ctx);
}

/* Digits of equal width, as wide as pays for the items of a bucket; columns have one digit. */
static void plan_digits(spc_buckets *b, int64_t items, bool columns, int widest) {
    const int bits = b->low_bits - b->bit;
    int maximum = columns ? MAX_COLUMN_BITS : MIN_WIDTH;
    while (maximum < widest && items >> maximum > 1)
        ++maximum;
    b->passes = (int)spc_ceil_div(bits, maximum);
    b->width = b->passes > 0 ? (int)spc_ceil_div(bits, b->passes) : 0;
}

int64_t spc_bucket_chunk_grain(const sparcl_ctx *ctx) {
    return spc_tuned(ctx, SPC_TUNE_SCAN_GRAIN, 0);
}

int64_t spc_bucket_groups(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    if (!s->offsets && spc_bucket_is_small(ctx, s->n)) return 1;
    return spc_max_i64(2, spc_workers(ctx, s->n, spc_bucket_chunk_grain(ctx) / 2));
}

size_t spc_bucket_item_size(const spc_buckets *b) {
    return b->wide ? 12 : 8;
}

/* Items of the second buffer of a group. */
static int64_t find_spare(const spc_bucket_source *s, const spc_buckets *b) {
    const int64_t groups = b->range.global, item = (int64_t)spc_bucket_item_size(b);
    const int64_t target = b->serial ? s->n : spc_ceil_div(s->n / SPARE_DIVISOR, groups);
    const int64_t capacity = spc_max_i64(MIN_SPARE, s->scratch_bytes - s->n * item);
    return s->scratch_bytes ? spc_min_i64(target, capacity / item / groups) : target;
}

void spc_bucket_plan(const sparcl_ctx *ctx, const spc_bucket_source *s, spc_buckets *b) {
    *b = (spc_buckets){.bit = first_bit(s),
                       .serial = !s->offsets && spc_bucket_is_small(ctx, s->n),
                       .wide = spc_bucket_is_wide(s)};
    const int split_keys = b->serial ? 0 : split_bits(ctx, s);
    const int class = spc_bucket_class(s);
    const int64_t items = b->serial ? s->n : spc_tuned(ctx, SPC_TUNE_SORT_BUCKET_ITEMS, class);
    const int tuned = spc_tuned(ctx, SPC_TUNE_SORT_DIGIT_BITS, class);
    const int widest = b->wide     ? (int)spc_min_i64(tuned, MAX_WIDE_DIGIT)
                       : b->serial ? COLUMN_BITS
                                   : tuned;
    b->range = spc_range_groups(ctx, spc_bucket_groups(ctx, s));
    b->spare_size = find_spare(s, b);
    const int64_t maximum = s->scratch_bytes ? spc_min_i64(items, b->spare_size) : items;
    const int high = split_keys ? split_keys : bucket_bits(s, maximum);
    b->low_bits = s->a_bits + s->b_bits - high;
    plan_digits(b, s->n >> high, has_one_digit(s), widest);
    b->split_bits = split_keys / 2;
    b->count = 1 << (high - b->split_bits);
    b->low_bits += b->split_bits;
}
