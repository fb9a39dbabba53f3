/* bucket.c: a stable sort for few wide cores, by buckets: how many, and how each is sorted. */
#include "prim/bucket.h"

#include "base/size.h"
#include "device/tuned.h"
#include "prim/sort.h"

/* As in cl/bucket.cl. */
#define MOST_BUCKET_BITS 11
#define KEY_BITS         32 /* of an item */
#define MOST_COLUMN_BITS 13 /* of a digit that is the only one */
/* Bits of a digit, which has a counter for each value: not many more than a bucket has items. */
#define LEAST_WIDTH      8
/* Items that pay for another part, and for another worker that sorts buckets. */
#define PART_GRAIN       16384
#define SHARE_GRAIN      8192

/* The items in their buckets. */
typedef struct buckets {
    sparcl_buf *items, *spare, *begins, *found;
    int count, low_bits; /* buckets, and the bits of a key that are left in one */
    int bit;             /* keys are sorted from this bit on */
    int passes, width;   /* digits, and their bits */
    bool alone;          /* one group does all */
    spc_range range;
} buckets;

/* Bits of a row are not sorted by. */
static int first_bit(const spc_bucket_source *s) {
    return s->offsets ? s->b_bits : 0;
}

/* So many that a bucket of `items` stays in cache, and that what is left of a key fits. */
static int bucket_bits(const spc_bucket_source *s, int64_t items) {
    const int bits = s->a_bits + s->b_bits, sorted = bits - first_bit(s);
    const int digit = s->offsets ? MOST_COLUMN_BITS : KEY_BITS;
    int high = 0;
    while (high < sorted && high < MOST_BUCKET_BITS &&
           (s->n >> high > items || bits - high > KEY_BITS || sorted - high > digit))
        ++high;
    return high;
}

bool spc_bucket_serves(const sparcl_ctx *ctx, const spc_bucket_source *s) {
    const bool fits = s->n > 0 && s->n <= INT32_MAX && first_bit(s) < KEY_BITS &&
                      s->a_bits + s->b_bits <= KEY_BITS + MOST_BUCKET_BITS &&
                      (!s->offsets || s->a_bits <= MOST_BUCKET_BITS + MOST_COLUMN_BITS);
    return fits && !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) &&
           spc_tuned(ctx, SPC_TUNE_SORT_BUCKETS, spc_bucket_class(s));
}

static bool is_small(const sparcl_ctx *ctx, int64_t n) {
    return n <= spc_tuned(ctx, SPC_TUNE_SORT_ALONE_ITEMS, 0) / spc_ctx_units(ctx);
}

/* Digits as wide as pays for the items of a bucket, all of one width; columns have one. */
static void plan_digits(buckets *b, int64_t items, bool columns, int widest) {
    const int bits = b->low_bits - b->bit;
    int most = columns ? MOST_COLUMN_BITS : LEAST_WIDTH;
    while (most < widest && items >> most > 1)
        ++most;
    b->passes = (int)spc_ceil_div(bits, most);
    b->width = b->passes > 0 ? (int)spc_ceil_div(bits, b->passes) : 0;
}

static sparcl_status plan(sparcl_ctx *ctx, const spc_bucket_source *s, buckets *b) {
    *b = (buckets){.bit = first_bit(s), .alone = !s->offsets && is_small(ctx, s->n)};
    const int class = spc_bucket_class(s);
    const int64_t most = b->alone ? s->n : spc_tuned(ctx, SPC_TUNE_SORT_BUCKET_ITEMS, class);
    const int widest =
        b->alone ? MOST_COLUMN_BITS : spc_tuned(ctx, SPC_TUNE_SORT_DIGIT_BITS, class);
    const int high = bucket_bits(s, most);
    b->count = 1 << high;
    b->low_bits = s->a_bits + s->b_bits - high;
    plan_digits(b, s->n >> high, s->offsets != NULL, widest);
    const int64_t shares = b->alone ? 1 : spc_max_i64(2, spc_workers(ctx, s->n, SHARE_GRAIN));
    b->range = spc_range_groups(ctx, shares);
    SPC_TRY(spc_scratch_push(ctx, &b->items, s->n, sizeof(int64_t)));
    if (!s->offsets) SPC_TRY(spc_scratch_push(ctx, &b->spare, s->n, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &b->found, b->count, sizeof(int32_t)));
    return spc_scratch_push(ctx, &b->begins, b->count + 1, sizeof(int32_t));
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
    spc_args_add(list, SPC_OUT(b->found));
    spc_args_add(list, SPC_I32(b->bit));
    spc_args_add(list, SPC_I32(b->passes));
    spc_args_add(list, SPC_I32(b->width));
}

static sparcl_status launch(sparcl_ctx *ctx, const char *kernel, sparcl_itype offset_type,
                            sparcl_itype index_type, spc_range range, const spc_args *list) {
    return spc_launch(ctx, "scan+bucket+bucket_order",
                      spc_options(SPARCL_F32, offset_type, index_type), kernel, range, list->at,
                      list->count);
}

static sparcl_status launch_columns(sparcl_ctx *ctx, const char *kernel, sparcl_itype offset_type,
                                    sparcl_itype index_type, spc_range range,
                                    const spc_args *list) {
    return spc_launch(ctx, "scan+bucket+bucket_columns",
                      spc_options(SPARCL_F32, offset_type, index_type) | SPC_VARIANT, kernel, range,
                      list->at, list->count);
}

/* The first level, unless one group does all. */
static sparcl_status fill(sparcl_ctx *ctx, const spc_bucket_source *s, buckets *b) {
    const spc_range range = spc_range_groups(ctx, spc_workers(ctx, s->n, PART_GRAIN));
    spc_args counts = {.count = 0}, moves = {.count = 0};
    sparcl_buf *table = NULL;
    SPC_TRY(plan(ctx, s, b));
    if (b->alone) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &table, range.global * b->count, sizeof(int32_t)));
    add_source(&counts, s);
    spc_args_add(&counts, SPC_I32(b->low_bits));
    spc_args_add(&counts, SPC_I32(b->count));
    moves = counts;
    spc_args_add(&counts, SPC_OUT(table));
    spc_args_add(&moves, SPC_IN(table));
    spc_args_add(&moves, SPC_OUT(b->items));
    spc_args_add(&moves, SPC_OUT(b->begins));
    if (s->offsets) {
        SPC_TRY(launch_columns(ctx, "bucket_count", s->offset_type, s->type, range, &counts));
        return launch_columns(ctx, "bucket_move", s->offset_type, s->type, range, &moves);
    }
    SPC_TRY(launch(ctx, "bucket_count", SPARCL_I32, s->type, range, &counts));
    return launch(ctx, "bucket_move", SPARCL_I32, s->type, range, &moves);
}

/* --- all items, and sums ---------------------------------------------------------------------- */

static void add_result(spc_args *list, const spc_bucket_result *to) {
    spc_args_add_array(list, SPC_OUT(to->a), to->a_at);
    spc_args_add_array(list, SPC_OUT(to->b), to->b_at);
    spc_args_add_array(list, SPC_OUT(to->payload), to->payload_at);
    spc_args_add_array(list, SPC_OUT(to->count), to->count_at);
}

static sparcl_status write_order(sparcl_ctx *ctx, const spc_bucket_source *s,
                                 const spc_bucket_result *to) {
    spc_args list = {.count = 0};
    buckets b;
    SPC_TRY(fill(ctx, s, &b));
    add_source(&list, s);
    add_buckets(&list, &b);
    add_result(&list, to);
    return launch(ctx, "bucket_order", SPARCL_I32, s->type, b.range, &list);
}

static sparcl_status write_sums(sparcl_ctx *ctx, const spc_bucket_source *s,
                                const spc_bucket_result *to) {
    spc_args sums = {.count = 0}, list = {.count = 0};
    buckets b;
    SPC_TRY(fill(ctx, s, &b));
    add_source(&sums, s);
    add_buckets(&sums, &b);
    add_result(&sums, to);
    SPC_TRY(launch(ctx, "bucket_sums", SPARCL_I32, s->type, b.range, &sums));
    if (b.alone) return SPARCL_OK;
    add_buckets(&list, &b);
    spc_args_add(&list, SPC_I32(s->b_bits));
    add_result(&list, to);
    return launch(ctx, "bucket_write_sums", SPARCL_I32, s->type, b.range, &list);
}

sparcl_status spc_bucket_order(sparcl_ctx *ctx, const spc_bucket_source *source,
                               const spc_bucket_result *to) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = write_order(ctx, source, to);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status spc_bucket_sums(sparcl_ctx *ctx, const spc_bucket_source *source,
                              const spc_bucket_result *to) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = write_sums(ctx, source, to);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- columns ---------------------------------------------------------------------------------- */

/* A small matrix with a counter for each column: cl/columns.cl. */
bool spc_bucket_is_direct(const sparcl_ctx *ctx, const spc_bucket_source *s,
                          const spc_bucket_columns *to) {
    return is_small(ctx, s->n) && s->columns <= 2 * s->n && s->type == to->index_type &&
           s->offset_type == to->offset_type;
}

static void add_values(spc_args *list, const spc_bucket_columns *to) {
    spc_args_add_array(list, SPC_IN(to->from_values), to->from_values_at);
    spc_args_add(list, SPC_OUT(to->values));
}

static sparcl_status write_directly(sparcl_ctx *ctx, const spc_bucket_source *s,
                                    const spc_bucket_columns *to) {
    const bool pattern = to->found != NULL;
    spc_args list = {.count = 0};
    sparcl_buf *ends = NULL;
    spc_args_add_array(&list, SPC_IN(s->a), s->a_at);
    spc_args_add_array(&list, SPC_IN(s->offsets), s->offsets_at);
    spc_args_add(&list, SPC_I64(s->rows));
    spc_args_add_array(&list, SPC_IN(s->payload), s->payload_at);
    spc_args_add(&list, SPC_I64(s->n));
    spc_args_add(&list, SPC_I64(s->columns));
    spc_args_add_array(&list, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(&list, SPC_OUT(to->payload), to->payload_at);
    if (pattern) {
        add_values(&list, to);
        SPC_TRY(spc_scratch_push(ctx, &ends, s->columns + 1, sparcl_itype_size(to->offset_type)));
        spc_args_add(&list, SPC_OUT(ends));
        spc_args_add(&list, SPC_OUT(to->present));
        spc_args_add(&list, SPC_OUT(to->offsets));
        spc_args_add(&list, SPC_OUT(to->found));
    } else {
        spc_args_add_array(&list, SPC_OUT(to->offsets), to->offsets_at);
    }
    return spc_launch(ctx, "scan+columns", spc_options(SPARCL_F32, to->offset_type, to->index_type),
                      pattern ? "columns_pattern" : "columns_csc", spc_range_groups(ctx, 1),
                      list.at, list.count);
}

static sparcl_status write_columns(sparcl_ctx *ctx, const spc_bucket_source *s,
                                   const spc_bucket_columns *to) {
    const bool pattern = to->found != NULL;
    spc_args moves = {.count = 0}, list = {.count = 0};
    buckets b;
    if (spc_bucket_is_direct(ctx, s, to)) return write_directly(ctx, s, to);
    SPC_TRY(fill(ctx, s, &b));
    add_buckets(&moves, &b);
    spc_args_add_array(&moves, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(&moves, SPC_OUT(to->payload), to->payload_at);
    if (!pattern) {
        spc_args_add_array(&moves, SPC_OUT(to->offsets), to->offsets_at);
        spc_args_add(&moves, SPC_I64(s->columns));
        return launch_columns(ctx, "bucket_columns", to->offset_type, to->index_type, b.range,
                              &moves);
    }
    SPC_TRY(
        launch_columns(ctx, "bucket_pattern", to->offset_type, to->index_type, b.range, &moves));
    add_buckets(&list, &b);
    spc_args_add(&list, SPC_OUT(to->present));
    spc_args_add(&list, SPC_OUT(to->offsets));
    spc_args_add(&list, SPC_OUT(to->found));
    return launch_columns(ctx, "bucket_write_pattern", to->offset_type, to->index_type, b.range,
                          &list);
}

sparcl_status spc_bucket_by_columns(sparcl_ctx *ctx, const spc_bucket_source *source,
                                    const spc_bucket_columns *to) {
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = write_columns(ctx, source, to);
    spc_scratch_release(ctx, mark);
    return status;
}
