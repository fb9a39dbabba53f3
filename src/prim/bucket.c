/* bucket.c: a stable sort for few wide cores, by buckets: how many, and how each is sorted. */
#include "prim/bucket.h"

#include "base/size.h"
#include "prim/sort.h"

/* As in cl/bucket.cl and cl/bucket_sort.cl. */
#define MOST_BUCKET_BITS 11
#define KEY_BITS         32 /* of an item */
#define MOST_COLUMN_BITS 13 /* of a digit that is the only one */
/* Items of a bucket: two copies of them stay in the cache of a core. */
#define BUCKET_ITEMS     8192
/* Bits of a digit, which has a counter for each value: not many more than a bucket has items. */
#define LEAST_WIDTH      8
#define MOST_WIDTH       11
/* Items that pay for another part, and for another worker that sorts buckets. */
#define PART_GRAIN       16384
#define SHARE_GRAIN      8192

/* Bits of a row are not sorted by. */
static int first_bit(const spc_bucket_source *s) {
    return s->offsets ? s->b_bits : 0;
}

/* So many that a bucket stays in cache, and that what is left of a key fits. */
static int bucket_bits(const spc_bucket_source *s) {
    const int bits = s->a_bits + s->b_bits, sorted = bits - first_bit(s);
    const int digit = s->offsets ? MOST_COLUMN_BITS : KEY_BITS;
    int high = 0;
    while (high < sorted &&
           (s->n >> high > BUCKET_ITEMS || bits - high > KEY_BITS || sorted - high > digit))
        ++high;
    return high;
}

bool spc_bucket_serves(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    const bool fits = s->n > 0 && s->n <= INT32_MAX && first_bit(s) < KEY_BITS &&
                      s->a_bits + s->b_bits <= KEY_BITS + MOST_BUCKET_BITS &&
                      (!s->offsets || s->a_bits <= MOST_BUCKET_BITS + MOST_COLUMN_BITS);
    return fits && !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
}

/* Digits as wide as pays for the items of a bucket, all of one width; columns have one. */
static void plan_digits(spc_buckets *b, int64_t items, bool columns) {
    const int bits = b->low_bits - b->bit;
    int most = columns ? MOST_COLUMN_BITS : LEAST_WIDTH;
    while (most < MOST_WIDTH && items >> most > 1)
        ++most;
    b->passes = (int)spc_ceil_div(bits, most);
    b->width = b->passes > 0 ? (int)spc_ceil_div(bits, b->passes) : 0;
}

static sparcl_status plan(sparcl_ctx *ctx, const spc_bucket_source *s, spc_buckets *b) {
    const int high = (int)spc_min_i64(MOST_BUCKET_BITS, bucket_bits(s));
    *b = (spc_buckets){
        .count = 1 << high, .low_bits = s->a_bits + s->b_bits - high, .bit = first_bit(s)};
    plan_digits(b, s->n >> high, s->offsets != NULL);
    b->range = spc_range_groups(ctx, spc_min_i64(b->count, spc_workers(ctx, s->n, SHARE_GRAIN)));
    SPC_TRY(spc_scratch_push(ctx, &b->items, s->n, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &b->spare, s->n, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &b->found, b->count, sizeof(int32_t)));
    return spc_scratch_push(ctx, &b->begins, b->count + 1, sizeof(int32_t));
}

typedef struct arguments {
    spc_arg at[24];
    size_t count;
} arguments;

static void add(arguments *list, spc_arg arg) {
    list->at[list->count++] = arg;
}

static void add_array(arguments *list, spc_arg buf, int64_t at) {
    add(list, buf);
    add(list, SPC_I64(at));
}

static void add_source(arguments *list, const spc_bucket_source *s, const spc_buckets *b) {
    add_array(list, SPC_IN(s->a), s->a_at);
    if (s->offsets)
        add_array(list, SPC_IN(s->offsets), s->offsets_at);
    else
        add_array(list, SPC_IN(s->b), s->b_at);
    if (s->offsets) add(list, SPC_I64(s->rows));
    add(list, SPC_I32(s->b_bits));
    add_array(list, SPC_IN(s->payload), s->payload_at);
    add(list, SPC_I64(s->n));
    if (!s->offsets) add_array(list, SPC_IN(s->count), s->count_at);
    add(list, SPC_I32(b->low_bits));
    add(list, SPC_I32(b->count));
}

sparcl_status spc_bucket_fill(sparcl_ctx *ctx, const spc_bucket_source *s, spc_buckets *b) {
    const spc_range range = spc_range_groups(ctx, spc_workers(ctx, s->n, PART_GRAIN));
    const uint32_t options =
        spc_options(SPARCL_F32, s->offset_type, s->type) | (s->offsets ? SPC_VARIANT : 0u);
    arguments counts = {.count = 0}, moves = {.count = 0};
    sparcl_buf *table = NULL;
    SPC_TRY(plan(ctx, s, b));
    SPC_TRY(spc_scratch_push(ctx, &table, range.global * b->count, sizeof(int32_t)));
    add_source(&counts, s, b);
    add(&counts, SPC_OUT(table));
    add_source(&moves, s, b);
    add(&moves, SPC_IN(table));
    add(&moves, SPC_OUT(b->items));
    add(&moves, SPC_OUT(b->begins));
    SPC_TRY(
        spc_launch(ctx, "scan+bucket", options, "bucket_count", range, counts.at, counts.count));
    return spc_launch(ctx, "scan+bucket", options, "bucket_move", range, moves.at, moves.count);
}

/* --- the second level ------------------------------------------------------------------------- */

static void add_buckets(arguments *list, const spc_buckets *b) {
    add(list, SPC_OUT(b->items));
    add(list, SPC_OUT(b->spare));
    add(list, SPC_IN(b->begins));
    add(list, SPC_I32(b->count));
    add(list, SPC_I32(b->low_bits));
    add(list, SPC_I32(b->bit));
    add(list, SPC_I32(b->passes));
    add(list, SPC_I32(b->width));
}

static void add_result(arguments *list, const spc_bucket_result *to) {
    add(list, SPC_I32(to->b_bits));
    add_array(list, SPC_OUT(to->a), to->a_at);
    add_array(list, SPC_OUT(to->b), to->b_at);
    add_array(list, SPC_OUT(to->payload), to->payload_at);
}

static sparcl_status launch(sparcl_ctx *ctx, const spc_buckets *b, const char *kernel,
                            sparcl_itype offset_type, sparcl_itype index_type,
                            const arguments *list) {
    return spc_launch(ctx, "scan+bucket_sort", spc_options(SPARCL_F32, offset_type, index_type),
                      kernel, b->range, list->at, list->count);
}

sparcl_status spc_bucket_write_order(sparcl_ctx *ctx, const spc_buckets *b,
                                     const spc_bucket_result *to) {
    arguments list = {.count = 0};
    add_buckets(&list, b);
    add_result(&list, to);
    return launch(ctx, b, "bucket_order", SPARCL_I32, to->type, &list);
}

sparcl_status spc_bucket_write_sums(sparcl_ctx *ctx, const spc_buckets *b,
                                    const spc_bucket_result *to, sparcl_buf *count,
                                    int64_t count_at) {
    arguments sums = {.count = 0}, list = {.count = 0};
    add_buckets(&sums, b);
    add(&sums, SPC_OUT(b->found));
    SPC_TRY(launch(ctx, b, "bucket_sums", SPARCL_I32, to->type, &sums));
    add_buckets(&list, b);
    add(&list, SPC_IN(b->found));
    add_result(&list, to);
    add_array(&list, SPC_OUT(count), count_at);
    return launch(ctx, b, "bucket_write_sums", SPARCL_I32, to->type, &list);
}

sparcl_status spc_bucket_write_columns(sparcl_ctx *ctx, const spc_buckets *b,
                                       const spc_bucket_result *to, sparcl_buf *offsets,
                                       int64_t offsets_at, sparcl_itype offset_type,
                                       int64_t columns) {
    arguments list = {.count = 0};
    add_buckets(&list, b);
    add_array(&list, SPC_OUT(to->b), to->b_at);
    add_array(&list, SPC_OUT(to->payload), to->payload_at);
    add_array(&list, SPC_OUT(offsets), offsets_at);
    add(&list, SPC_I64(columns));
    return launch(ctx, b, "bucket_columns", offset_type, to->type, &list);
}

sparcl_status spc_bucket_write_pattern(sparcl_ctx *ctx, const spc_buckets *b,
                                       const spc_bucket_result *to, sparcl_buf *starts,
                                       sparcl_itype start_type, sparcl_buf *count) {
    arguments moves = {.count = 0}, list = {.count = 0};
    add_buckets(&moves, b);
    add_array(&moves, SPC_OUT(to->b), to->b_at);
    add_array(&moves, SPC_OUT(to->payload), to->payload_at);
    add(&moves, SPC_OUT(b->found));
    SPC_TRY(launch(ctx, b, "bucket_pattern", start_type, to->type, &moves));
    add_buckets(&list, b);
    add(&list, SPC_IN(b->found));
    add(&list, SPC_OUT(to->a));
    add(&list, SPC_OUT(starts));
    add(&list, SPC_OUT(count));
    return launch(ctx, b, "bucket_write_pattern", start_type, to->type, &list);
}
