/* bucket.c: a stable sort for few wide cores, by buckets: their number, and how each is sorted. */
#include "prim/bucket.h"

#include "base/size.h"
#include "prim/sort.h"
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

/* A small matrix has at most this many counters of columns for each entry. */
#define MAX_COUNTERS 2

/* The items in their buckets. */
typedef struct buckets {
    sparcl_buf *items, *spare, *begins, *found;
    int64_t spare_size;  /* items per group */
    int count, low_bits; /* buckets, and the bits of a key within one */
    int split_bits;      /* each will be split into 2^split_bits buckets with short keys */
    int bit;             /* keys are sorted from this bit on */
    int passes, width;   /* number of digits, and their bits */
    bool serial;         /* one group does everything */
    bool wide;           /* items have 12 bytes */
    spc_range range;
} buckets;

/* Are entries sorted by column, in one digit? (With `low_memory`, equal keys only have to become
 * adjacent.) */
static bool has_one_digit(const spc_bucket_source *s) {
    return s->offsets && !s->low_memory;
}

/* Items are not sorted by the bits of their row. */
static int first_bit(const spc_bucket_source *s) {
    return s->offsets ? s->b_bits : 0;
}

/* Are keys too long for items of 8 bytes? */
static bool is_wide(const spc_bucket_source *s) {
    return s->a_bits + s->b_bits > NARROW_KEY_BITS + MAX_BUCKET_BITS ||
           first_bit(s) >= NARROW_KEY_BITS;
}

/* Bits of buckets, split in two steps, after which keys fit items of 8 bytes; 0 where that does not
 * pay. Two steps keep the buckets few: each needs a line of the L1 cache and a page of the TLB. */
static int split_bits(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    const int high = s->a_bits + s->b_bits - NARROW_KEY_BITS;
    const int items =
        spc_tuned(ctx, SPC_TUNE_SORT_BUCKET_ITEMS, spc_bucket_class(s)) / SPLIT_DIVISOR;
    const bool pays =
        is_wide(s) && !s->low_memory && high <= 2 * MAX_BUCKET_BITS && s->n >> high >= items;
    const bool fits = !s->offsets || (s->b_bits < NARROW_KEY_BITS &&
                                      NARROW_KEY_BITS - s->b_bits <= MAX_COLUMN_BITS);
    return pays && fits ? high : 0;
}

/* The minimum for which a bucket has at most `items` and the remaining bits of a key fit. */
static int bucket_bits(const spc_bucket_source *s, int64_t items) {
    const int bits = s->a_bits + s->b_bits, sorted = bits - first_bit(s);
    const int capacity = is_wide(s) ? WIDE_KEY_BITS : NARROW_KEY_BITS;
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

static bool is_small(const sparcl_ctx *ctx, int64_t n) {
    return n <= spc_tuned(ctx, SPC_TUNE_SORT_SERIAL_ITEMS, 0) / spc_ctx_units(ctx);
}

/* Digits of equal width, as wide as pays for the items of a bucket; columns have one digit. */
static void plan_digits(buckets *b, int64_t items, bool columns, int widest) {
    const int bits = b->low_bits - b->bit;
    int maximum = columns ? MAX_COLUMN_BITS : MIN_WIDTH;
    while (maximum < widest && items >> maximum > 1)
        ++maximum;
    b->passes = (int)spc_ceil_div(bits, maximum);
    b->width = b->passes > 0 ? (int)spc_ceil_div(bits, b->passes) : 0;
}

/* Minimum items per chunk. Half of them pay for another worker that sorts buckets. */
static int64_t chunk_grain(const sparcl_ctx *ctx) {
    return spc_tuned(ctx, SPC_TUNE_SCAN_GRAIN, 0);
}

int64_t spc_bucket_groups(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    if (!s->offsets && is_small(ctx, s->n)) return 1;
    return spc_max_i64(2, spc_workers(ctx, s->n, chunk_grain(ctx) / 2));
}

static size_t item_size(const buckets *b) {
    return b->wide ? 12 : 8;
}

/* Items of the second buffer of a group. */
static int64_t find_spare(const spc_bucket_source *s, const buckets *b) {
    const int64_t groups = b->range.global, item = (int64_t)item_size(b);
    const int64_t target = b->serial ? s->n : spc_ceil_div(s->n / SPARE_DIVISOR, groups);
    const int64_t capacity = spc_max_i64(MIN_SPARE, s->scratch_bytes - s->n * item);
    return s->scratch_bytes ? spc_min_i64(target, capacity / item / groups) : target;
}

static void plan(const sparcl_ctx *ctx, const spc_bucket_source *s, buckets *b) {
    *b = (buckets){
        .bit = first_bit(s), .serial = !s->offsets && is_small(ctx, s->n), .wide = is_wide(s)};
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

/* With `full_spare`, the second buffer is as large as the items. */
static sparcl_status push_buckets(sparcl_ctx *ctx, const spc_bucket_source *s, bool full_spare,
                                  buckets *b) {
    const size_t item = item_size(b);
    const int64_t all = (int64_t)b->count << b->split_bits;
    SPC_TRY(spc_scratch_push(ctx, &b->items, s->n, item));
    if (b->split_bits)
        SPC_TRY(spc_scratch_push(ctx, &b->spare, s->n, sizeof(int64_t)));
    else if (full_spare)
        SPC_TRY(spc_scratch_push(ctx, &b->spare, s->n, item));
    else if (!s->offsets)
        SPC_TRY(spc_scratch_push(ctx, &b->spare, b->spare_size * b->range.global, item));
    SPC_TRY(spc_scratch_push(ctx, &b->found, all, sizeof(int32_t)));
    return spc_scratch_push(ctx, &b->begins, all + 1, sizeof(int32_t));
}

static void add_source(spc_args *list, const spc_bucket_source *s) {
    spc_args_add_array(list, SPC_IN(s->a), s->a_at);
    if (s->offsets)
        spc_args_add_array(list, SPC_IN(s->offsets), s->offsets_at);
    else
        spc_args_add_array(list, SPC_IN(s->b), s->b_at);
    if (s->offsets) spc_args_add(list, SPC_I64(s->rows));
    spc_args_add(list, SPC_I32(s->b_bits));
    spc_args_add_array(list, SPC_IN(s->payload), s->payload_at);
    spc_args_add(list, SPC_I64(s->n));
    if (!s->offsets) spc_args_add_array(list, SPC_IN(s->count), s->count_at);
}

static void add_buckets(spc_args *list, const buckets *b) {
    spc_args_add(list, SPC_I32(b->low_bits));
    spc_args_add(list, SPC_I32(b->count));
    spc_args_add(list, SPC_OUT(b->items));
    spc_args_add(list, SPC_OUT(b->begins));
    spc_args_add(list, SPC_OUT(b->spare));
    spc_args_add(list, SPC_I32(b->spare_size));
    spc_args_add(list, SPC_OUT(b->found));
    spc_args_add(list, SPC_I32(b->bit));
    spc_args_add(list, SPC_I32(b->passes));
    spc_args_add(list, SPC_I32(b->width));
}

static sparcl_status launch(sparcl_ctx *ctx, const buckets *b, const char *kernel,
                            sparcl_itype index_type, spc_range range, const spc_args *list) {
    return spc_launch(ctx, "scan+bucket+bucket_order",
                      spc_options(SPARCL_F32, SPARCL_I32, index_type) |
                          (b->wide ? SPC_VALUE64 : 0u),
                      kernel, range, list->at, list->count);
}

static sparcl_status launch_columns(sparcl_ctx *ctx, const buckets *b, const char *kernel,
                                    sparcl_itype offset_type, sparcl_itype index_type,
                                    spc_range range, const spc_args *list) {
    return spc_launch(ctx, "scan+bucket+bucket_columns",
                      spc_options(SPARCL_F32, offset_type, index_type) | SPC_VARIANT |
                          (b->wide ? SPC_VALUE64 : 0u),
                      kernel, range, list->at, list->count);
}

/* Split items of 12 bytes into buckets of items of 8; the old ones become the second buffer. */
static sparcl_status split(sparcl_ctx *ctx, buckets *b) {
    const sparcl_buf *const begins = b->found;
    sparcl_buf *const items = b->items;
    spc_args list = {.count = 0};
    spc_args_add(&list, SPC_IN(items));
    spc_args_add(&list, SPC_IN(begins));
    spc_args_add(&list, SPC_I32(b->low_bits));
    spc_args_add(&list, SPC_I32(b->count));
    spc_args_add(&list, SPC_I32(b->split_bits));
    spc_args_add(&list, SPC_OUT(b->spare));
    spc_args_add(&list, SPC_OUT(b->begins));
    SPC_TRY(spc_launch(ctx, "scan+bucket+bucket_split", SPC_VALUE64, "bucket_split", b->range,
                       list.at, list.count));
    b->items = b->spare;
    b->spare = items;
    b->wide = false;
    b->count <<= b->split_bits;
    b->low_bits -= b->split_bits;
    return SPARCL_OK;
}

/* The first level, unless one group does everything; and a second one where keys are long. */
static sparcl_status fill(sparcl_ctx *ctx, const spc_bucket_source *s, bool full_spare,
                          buckets *b) {
    const spc_range range = spc_range_groups(ctx, spc_workers(ctx, s->n, chunk_grain(ctx)));
    spc_args counts = {.count = 0}, moves = {.count = 0};
    sparcl_buf *table = NULL;
    plan(ctx, s, b);
    SPC_TRY(push_buckets(ctx, s, full_spare, b));
    if (b->serial) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &table, range.global * b->count, sizeof(int32_t)));
    add_source(&counts, s);
    spc_args_add(&counts, SPC_I32(b->low_bits));
    spc_args_add(&counts, SPC_I32(b->count));
    moves = counts;
    spc_args_add(&counts, SPC_OUT(table));
    spc_args_add(&moves, SPC_IN(table));
    spc_args_add(&moves, SPC_OUT(b->items));
    spc_args_add(&moves, SPC_OUT(b->split_bits ? b->found : b->begins));
    if (s->offsets) {
        SPC_TRY(launch_columns(ctx, b, "bucket_count", s->offset_type, s->type, range, &counts));
        SPC_TRY(launch_columns(ctx, b, "bucket_move", s->offset_type, s->type, range, &moves));
    } else {
        SPC_TRY(launch(ctx, b, "bucket_count", s->type, range, &counts));
        SPC_TRY(launch(ctx, b, "bucket_move", s->type, range, &moves));
    }
    return b->split_bits ? split(ctx, b) : SPARCL_OK;
}

/* --- all items, and sums ---------------------------------------------------------------------- */

static void add_result(sparcl_ctx *ctx, const spc_bucket_source *s, spc_args *list,
                       const spc_bucket_result *to) {
    spc_args_add_array(list, SPC_OUT(to->a), to->a_at);
    spc_args_add_array(list, SPC_OUT(to->b), to->b_at);
    spc_args_add_array(list, SPC_OUT(to->payload), to->payload_at);
    spc_args_add_array(list, SPC_OUT(to->count), to->count_at);
    spc_args_add(list, SPC_I32(spc_tuned(ctx, SPC_TUNE_SORT_STREAM, spc_bucket_class(s))));
}

/* Keys of a large bucket are moved between items and result, so the result needs arrays for them.
 */
static sparcl_status push_keys(sparcl_ctx *ctx, const spc_bucket_source *s, spc_bucket_result *to) {
    const bool split_keys = is_wide(s) && s->type == SPARCL_I32;
    if (!to->a && (!to->b || split_keys))
        SPC_TRY(spc_scratch_push(ctx, &to->a, s->n, sparcl_itype_size(s->type)));
    if (!to->b && split_keys) return spc_scratch_push(ctx, &to->b, s->n, sizeof(int32_t));
    return SPARCL_OK;
}

static sparcl_status write_order(sparcl_ctx *ctx, const spc_bucket_source *s,
                                 spc_bucket_result *to) {
    spc_args list = {.count = 0};
    buckets b;
    SPC_TRY(push_keys(ctx, s, to));
    SPC_TRY(fill(ctx, s, false, &b));
    add_source(&list, s);
    add_buckets(&list, &b);
    add_result(ctx, s, &list, to);
    return launch(ctx, &b, "bucket_order", s->type, b.range, &list);
}

static sparcl_status write_sums(sparcl_ctx *ctx, const spc_bucket_source *s,
                                spc_bucket_result *to) {
    spc_args sums = {.count = 0}, list = {.count = 0};
    buckets b;
    SPC_TRY(push_keys(ctx, s, to));
    SPC_TRY(fill(ctx, s, false, &b));
    add_source(&sums, s);
    add_buckets(&sums, &b);
    add_result(ctx, s, &sums, to);
    SPC_TRY(launch(ctx, &b, "bucket_sums", s->type, b.range, &sums));
    if (b.serial) return SPARCL_OK;
    add_buckets(&list, &b);
    spc_args_add(&list, SPC_I32(s->b_bits));
    add_result(ctx, s, &list, to);
    return launch(ctx, &b, "bucket_write_sums", s->type, b.range, &list);
}

sparcl_status spc_bucket_order(sparcl_ctx *ctx, const spc_bucket_source *source,
                               const spc_bucket_result *to) {
    const int mark = spc_scratch_mark(ctx);
    spc_bucket_result result = *to;
    const sparcl_status status = write_order(ctx, source, &result);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status spc_bucket_sums(sparcl_ctx *ctx, const spc_bucket_source *source,
                              const spc_bucket_result *to) {
    const int mark = spc_scratch_mark(ctx);
    spc_bucket_result result = *to;
    const sparcl_status status = write_sums(ctx, source, &result);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- duplicate keys --------------------------------------------------------------------------- */

static sparcl_status find_duplicates(sparcl_ctx *ctx, const spc_bucket_source *s,
                                     sparcl_buf *minimum) {
    spc_args list = {.count = 0};
    buckets b;
    SPC_TRY(fill(ctx, s, !s->scratch_bytes, &b));
    if (!s->scratch_bytes) b.spare_size = s->n;
    add_source(&list, s);
    add_buckets(&list, &b);
    spc_args_add(&list, SPC_OUT(minimum));
    return spc_launch(ctx, "scan+bucket+bucket_order",
                      spc_options(SPARCL_F32, s->offset_type, s->type) |
                          (s->offsets ? SPC_VARIANT : 0u) | (b.wide ? SPC_VALUE64 : 0u),
                      "bucket_duplicates", b.range, list.at, list.count);
}

sparcl_status spc_bucket_duplicates(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    sparcl_buf *minimum) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = find_duplicates(ctx, source, minimum);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* A small matrix with a counter for each column: cl/columns.cl. */
bool spc_bucket_is_direct(const sparcl_ctx *ctx, const spc_bucket_source *s,
                          const spc_bucket_columns *to) {
    return is_small(ctx, s->n) && s->columns <= MAX_COUNTERS * s->n && s->type == to->index_type &&
           s->offset_type == to->offset_type;
}

static void add_values(spc_args *list, const spc_bucket_columns *to) {
    spc_args_add_array(list, SPC_IN(to->from_values), to->from_values_at);
    spc_args_add(list, SPC_OUT(to->values));
}

/* Two cores get half of the columns each where rows are sorted, so that a search finds the middle.
 */
int64_t spc_bucket_direct_groups(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    if (!s->ascends || spc_ctx_units(ctx) == 1) return 1;
    return spc_min_i64(2, spc_workers(ctx, s->n, chunk_grain(ctx) / 2));
}

static sparcl_status write_directly(sparcl_ctx *ctx, const spc_bucket_source *s,
                                    const spc_bucket_columns *to) {
    const bool pattern = to->found != NULL;
    const int64_t groups = spc_bucket_direct_groups(ctx, s);
    const int64_t split_rows = groups > 1 ? groups * s->rows : 1;
    spc_args list = {.count = 0};
    sparcl_buf *splits = NULL, *ends = NULL, *seen = NULL;
    SPC_TRY(spc_scratch_push(ctx, &splits, split_rows, sparcl_itype_size(s->offset_type)));
    spc_args_add_array(&list, SPC_IN(s->a), s->a_at);
    spc_args_add_array(&list, SPC_IN(s->offsets), s->offsets_at);
    spc_args_add(&list, SPC_I64(s->rows));
    spc_args_add(&list, SPC_I64(s->n));
    spc_args_add(&list, SPC_I64(s->columns));
    spc_args_add_array(&list, SPC_IN(s->payload), s->payload_at);
    spc_args_add_array(&list, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(&list, SPC_OUT(to->payload), to->payload_at);
    if (pattern) {
        add_values(&list, to);
        SPC_TRY(spc_scratch_push(ctx, &ends, s->columns + 1, sparcl_itype_size(to->offset_type)));
        SPC_TRY(spc_scratch_push(ctx, &seen, groups > 1 ? s->columns : 1, 1));
        spc_args_add(&list, SPC_OUT(splits));
        spc_args_add(&list, SPC_OUT(ends));
        spc_args_add(&list, SPC_OUT(seen));
        spc_args_add(&list, SPC_OUT(to->present));
        spc_args_add(&list, SPC_OUT(to->offsets));
        spc_args_add(&list, SPC_OUT(to->found));
    } else {
        spc_args_add(&list, SPC_OUT(splits));
        spc_args_add_array(&list, SPC_OUT(to->offsets), to->offsets_at);
    }
    return spc_launch(ctx, "scan+columns", spc_options(SPARCL_F32, to->offset_type, to->index_type),
                      pattern ? "columns_pattern" : "columns_csc", spc_range_groups(ctx, groups),
                      list.at, list.count);
}

static sparcl_status write_columns(sparcl_ctx *ctx, const spc_bucket_source *s,
                                   const spc_bucket_columns *to) {
    const bool pattern = to->found != NULL;
    spc_args moves = {.count = 0}, list = {.count = 0};
    buckets b;
    if (spc_bucket_is_direct(ctx, s, to)) return write_directly(ctx, s, to);
    SPC_TRY(fill(ctx, s, false, &b));
    add_buckets(&moves, &b);
    spc_args_add_array(&moves, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(&moves, SPC_OUT(to->payload), to->payload_at);
    if (!pattern) {
        spc_args_add_array(&moves, SPC_OUT(to->offsets), to->offsets_at);
        spc_args_add(&moves, SPC_I64(s->columns));
        return launch_columns(ctx, &b, "bucket_columns", to->offset_type, to->index_type, b.range,
                              &moves);
    }
    SPC_TRY(launch_columns(ctx, &b, "bucket_pattern", to->offset_type, to->index_type, b.range,
                           &moves));
    add_buckets(&list, &b);
    spc_args_add(&list, SPC_OUT(to->present));
    spc_args_add(&list, SPC_OUT(to->offsets));
    spc_args_add(&list, SPC_OUT(to->found));
    return launch_columns(ctx, &b, "bucket_write_pattern", to->offset_type, to->index_type, b.range,
                          &list);
}

sparcl_status spc_bucket_by_columns(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    const spc_bucket_columns *to) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = write_columns(ctx, source, to);
    spc_scratch_release(ctx, mark);
    return status;
}
