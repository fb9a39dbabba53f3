/* bucket_columns.cl: buckets of the entries of a CSR matrix, written ordered by column: CSC format,
 * or a pattern. After scan.cl and bucket.cl.
 *
 * Defines  bucket_columns; bucket_pattern, bucket_write_pattern
 * Range    one group per partition (cl/bucket.cl)
 * Types    indices of results are INDEX, offsets and starts OFFSET
 */
#if !SPC_GPU

/* The bucket and one digit, the bits from `bit` on, are the column; the bits below are the row. */
#define RESULT                                                                                     \
    __global INDEX *to_row, long to_row_at, __global uint *to_payload, long to_payload_at
#define OPEN_RESULT                                                                                \
    const ulong row_mask = (1UL << bit) - 1;                                                       \
    to_row += to_row_at;                                                                           \
    to_payload += to_payload_at

static void count_columns(uint *counts, __global const item *x, uint n, int bit, int width) {
    for (int c = 0; c < 1 << width; ++c) counts[c] = 0;
    for (uint i = 0; i < n; ++i) ++counts[KEY_FROM(x[i], bit)];
}

#define MOVE_COLUMNS(counter)                                                                      \
    for (uint i = 0; i < size; ++i) {                                                              \
        const item moved = x[i];                                                                   \
        const uint place = counts[counter]++;                                                      \
        to_row[place] = (INDEX)(KEY_OF(moved) & row_mask);                                         \
        to_payload[place] = PAYLOAD_OF(moved);                                                     \
    }

/* Write rows and payloads ordered by column, and the offsets of `columns` columns. */
KERNEL bucket_columns(BUCKETS, RESULT, __global OFFSET *to_offsets, long to_offsets_at,
                      long columns) {
    uint counts[MAX_COUNTS];
    OPEN_RESULT;
    to_offsets += to_offsets_at;
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], size = begins[d + 1] - begin;
        const long first = d << width, last = min(first + (1L << width), columns);
        __global const item *const x = items + begin;
        count_columns(counts, x, size, bit, width);
        sum_counts(counts, 1 << width, begin);
        for (long c = first; c < last; ++c) to_offsets[c] = (OFFSET)counts[c - first];
        MOVE_COLUMNS(KEY_FROM(moved, bit))
    }
    if (get_group_id(0) == 0) to_offsets[columns] = (OFFSET)begins[buckets];
}

/* Most columns of a mini-batch are empty, so counters are tested in segments. */
#define SEGMENT 16

static int is_empty(const uint *counts, int segment) {
    uint any = 0;
    for (int i = 0; i < SEGMENT; ++i) any |= counts[segment + i];
    return any == 0;
}

/* As sum_counts, but a count of 0 stays 0. */
static void sum_present(uint *counts, int size, uint begin) {
    for (int segment = 0; segment < size; segment += SEGMENT) {
        if (is_empty(counts, segment)) continue;
        for (int d = segment; d < segment + SEGMENT; ++d) {
            const uint count = counts[d];
            counts[d] = count > 0 ? begin : 0;
            begin += count;
        }
    }
}

/* Where the columns of a bucket are this many times its items, each has a bit, and only those that
 * have items have a counter. */
#define FEW_ITEMS 2
#define MAX_FEW   (MAX_COUNTS / FEW_ITEMS)
#define MAX_WORDS (MAX_COUNTS / 32)

/* The columns of a bucket that have items, and how many of them come before each word of bits. */
typedef struct {
    uint bits[MAX_WORDS], before[MAX_WORDS];
} column_set;

/* Returns the number of columns that have items. */
static uint mark_columns(column_set *set, __global const item *x, uint n, int bit, int width) {
    const int words = max(1 << width, 32) / 32;
    uint present = 0;
    for (int i = 0; i < words; ++i) set->bits[i] = 0;
    for (uint i = 0; i < n; ++i) {
        const uint c = (uint)KEY_FROM(x[i], bit);
        set->bits[c / 32] |= 1u << c % 32;
    }
    for (int i = 0; i < words; ++i) {
        set->before[i] = present;
        present += popcount(set->bits[i]);
    }
    return present;
}

/* The number of columns before column c that have items. */
static uint rank_of(const column_set *set, uint c) {
    return set->before[c / 32] + popcount(set->bits[c / 32] & ((1u << c % 32) - 1));
}
#define RANK_OF(x) rank_of(&set, (uint)KEY_FROM(x, bit))

/* The columns of few items, and their number. Returns the number of columns. */
static uint count_few(uint *counts, uint *columns, column_set *all, __global const item *x, uint n,
                      int bit, int width) {
    const uint present = mark_columns(all, x, n, bit, width);
    for (uint u = 0; u < present; ++u) counts[u] = 0;
    for (uint i = 0; i < n; ++i) {
        const uint c = (uint)KEY_FROM(x[i], bit), rank = rank_of(all, c);
        columns[rank] = c;
        ++counts[rank];
    }
    return present;
}

/* Write rows and payloads ordered by column. found[d] := number of columns of bucket d that have
 * items. Each of these columns, with the position of its first item, overwrites an item of the
 * bucket. */
KERNEL bucket_pattern(BUCKETS, RESULT) {
    uint counts[MAX_COUNTS], *const columns = counts + MAX_FEW;
    column_set set;
    OPEN_RESULT;
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], size = begins[d + 1] - begin;
        __global item *const x = items + begin;
        uint present = 0, u = 0, start = begin;
        if (size < (1u << width) / FEW_ITEMS) {
            present = count_few(counts, columns, &set, x, size, bit, width);
            sum_counts(counts, (int)present, begin);
            MOVE_COLUMNS(RANK_OF(moved))
            for (; u < present; ++u) {
                SET_ITEM(x[u], (ulong)columns[u], start);
                start = counts[u];
            }
            found[d] = present;
            continue;
        }
        count_columns(counts, x, size, bit, width);
        for (int c = 1 << width; c < SEGMENT; ++c) counts[c] = 0;
        for (int c = 0; c < 1 << width; ++c) present += counts[c] > 0;
        sum_present(counts, max(1 << width, SEGMENT), begin);
        MOVE_COLUMNS(KEY_FROM(moved, bit))
        for (int segment = 0; u < present; segment += SEGMENT) {
            if (is_empty(counts, segment)) continue;
            for (int c = segment; c < segment + SEGMENT && u < present; ++c) {
                const uint end = counts[c]; /* 0: a column without items, which the next one
                                             * overwrites */
                SET_ITEM(x[u], (ulong)c, start);
                u += end > start;
                start = max(start, end);
            }
        }
        found[d] = present;
    }
}

KERNEL bucket_write_pattern(BUCKETS, __global INDEX *columns, __global OFFSET *starts,
                            __global long *count) {
    long known = 0; /* buckets whose columns `place` counts */
    uint place = 0;
    FOR_EACH_BUCKET(d) {
        for (; known < d; ++known) place += found[known];
        __global const item *const x = items + begins[d];
        const long first = d << width;
        for (uint i = 0; i < found[d]; ++i) {
            columns[place + i] = (INDEX)(first + (long)KEY_OF(x[i]));
            starts[place + i] = (OFFSET)PAYLOAD_OF(x[i]);
        }
    }
    if (get_group_id(0) > 0) return;
    for (; known < buckets; ++known) place += found[known];
    starts[place] = (OFFSET)begins[buckets];
    *count = place;
}

#endif
