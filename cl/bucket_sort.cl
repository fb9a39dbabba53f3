/* bucket_sort.cl: the second level of a stable sort: the items of each bucket of cl/bucket.cl are
 * sorted by the rest of their keys, in cache, and written out. For CPU class. After scan.cl.
 *
 * Defines  bucket_order; bucket_sums, bucket_write_sums; bucket_columns; bucket_pattern,
 *          bucket_write_pattern
 * Range    one group a share (the buckets that begin in an equal share of the items)
 * Memory   items, spare: the buckets are sorted from one to the other and back; found: a number a
 *          bucket
 * Types    indices of results are INDEX, offsets and places OFFSET
 * Order    docs/numerics.md, rule R, for the sums
 */

#define MOST_COUNTS 8192
#define SHORT_BUCKET 24

/* Sort by digits of `width` bits from bit `bit` of the low key bits on; counts has room for all
 * digits. The result is in x or y. */
#define BUCKETS                                                                                    \
    __global ulong *items, __global ulong *spare, __global const uint *begins, int buckets,        \
        int low_bits, int bit, int passes, int width
#define DIGIT(item, p) ((uint)((item) >> (32 + bit + (p) * width)) & mask)

static void sort_short(__global ulong *x, uint n, int bit) {
    for (uint i = 1; i < n; ++i) {
        const ulong item = x[i];
        uint k = i;
        for (; k > 0 && x[k - 1] >> (32 + bit) > item >> (32 + bit); --k) x[k] = x[k - 1];
        x[k] = item;
    }
}

static void count_digits(uint *counts, __global const ulong *x, uint n, int bit, int passes,
                         int width) {
    const uint mask = (1u << width) - 1;
    for (int i = 0; i < passes << width; ++i) counts[i] = 0;
    uint *const c1 = counts + (1 << width), *const c2 = c1 + (1 << width);
    if (passes == 1) {
        for (uint i = 0; i < n; ++i) ++counts[DIGIT(x[i], 0)];
    } else if (passes == 2) {
        for (uint i = 0; i < n; ++i) {
            const ulong item = x[i];
            ++counts[DIGIT(item, 0)];
            ++c1[DIGIT(item, 1)];
        }
    } else {
        for (uint i = 0; i < n; ++i) {
            const ulong item = x[i];
            ++counts[DIGIT(item, 0)];
            ++c1[DIGIT(item, 1)];
            ++c2[DIGIT(item, 2)];
            for (int p = 3; p < passes; ++p) ++counts[((uint)p << width) + DIGIT(item, p)];
        }
    }
}

static __global ulong *sort_bucket(uint *counts, __global ulong *x, __global ulong *y, uint n,
                                   int bit, int passes, int width) {
    const uint mask = (1u << width) - 1;
    if (passes == 0) return x;
    if (n <= SHORT_BUCKET) {
        sort_short(x, n, bit);
        return x;
    }
    count_digits(counts, x, n, bit, passes, width);
    for (int p = 0; p < passes; ++p) {
        uint *const next = counts + (p << width);
        uint sum = 0;
        if (next[DIGIT(x[0], p)] == n) continue; /* all in one */
        for (uint d = 0; d <= mask; ++d) {
            const uint found = next[d];
            next[d] = sum;
            sum += found;
        }
        for (uint i = 0; i < n; ++i) {
            const ulong item = x[i];
            y[next[DIGIT(item, p)]++] = item;
        }
        __global ulong *const sorted = y;
        y = x;
        x = sorted;
    }
    return x;
}

/* The first bucket that begins at `place` or later. */
static int bucket_from(__global const uint *begins, int buckets, long place) {
    int low = 0, high = buckets;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (begins[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#define FOR_EACH_BUCKET(d)                                                                         \
    for (int d = bucket_from(begins, buckets,                                                      \
                             part_begin(begins[buckets], get_num_groups(0), get_group_id(0))),     \
             d##_end = get_group_id(0) + 1 == get_num_groups(0)                                    \
                           ? buckets                                                               \
                           : bucket_from(begins, buckets,                                          \
                                         part_begin(begins[buckets], get_num_groups(0),            \
                                                    get_group_id(0) + 1));                         \
         d < d##_end; ++d)

/* The bits of a key from `b_bits` on go to `a`, those below to `b`, which may be NULL. */
#define RESULT                                                                                     \
    int b_bits, __global INDEX *a, long a_at, __global INDEX *b, long b_at,                        \
        __global uint *payload, long payload_at
#define OPEN_RESULT                                                                                \
    if (a) a += a_at;                                                                              \
    if (b) b += b_at;                                                                              \
    payload += payload_at
#define PUT(place, high, item)                                                                     \
    do {                                                                                           \
        const ulong key = (high) | (item) >> 32;                                                   \
        if (a) a[place] = (INDEX)(key >> b_bits);                                                  \
        if (b) b[place] = (INDEX)(key & ((1UL << b_bits) - 1));                                    \
        payload[place] = (uint)(item);                                                             \
    } while (0)

KERNEL bucket_order(BUCKETS, RESULT) {
    uint counts[MOST_COUNTS];
    OPEN_RESULT;
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], n = begins[d + 1] - begin;
        __global const ulong *const x =
            sort_bucket(counts, items + begin, spare + begin, n, bit, passes, width);
        const ulong high = (ulong)d << low_bits;
        for (uint i = 0; i < n; ++i) PUT(begin + i, high, x[i]);
    }
}

/* --- sums of equal keys ---------------------------------------------------------------------- */

/* The payloads of x[begin] .. x[end - 1], which are float, as one. */
static uint sum_run(__global const ulong *x, uint begin, uint end) {
    float total = 0;
    IN_ORDER
    for (uint first = begin; first < end; first += SPC_BLOCK) {
        const uint last = min(first + SPC_BLOCK, end);
        float sum = as_float((uint)x[first]);
        IN_ORDER
        for (uint k = first + 1; k < last; ++k) sum += as_float((uint)x[k]);
        total = first == begin ? sum : total + sum;
    }
    return as_uint(total);
}

/* Sort each bucket; its distinct keys, with their sums, go to its place in `items`. */
KERNEL bucket_sums(BUCKETS, __global uint *found) {
    uint counts[MOST_COUNTS];
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], n = begins[d + 1] - begin;
        __global const ulong *const x =
            sort_bucket(counts, items + begin, spare + begin, n, bit, passes, width);
        __global ulong *const to = items + begin;
        uint u = 0;
        for (uint i = 0, end; i < n; i = end) {
            ulong item = x[i];
            end = i + 1;
            if (end < n && x[end] >> 32 == item >> 32) {
                while (end < n && x[end] >> 32 == item >> 32) ++end;
                item = item >> 32 << 32 | sum_run(x, i, end);
            }
            to[u++] = item;
        }
        found[d] = u;
    }
}

KERNEL bucket_write_sums(BUCKETS, __global const uint *found, RESULT, __global long *count,
                         long count_at) {
    int known = 0; /* the number of results in the buckets before `known` */
    uint place = 0;
    OPEN_RESULT;
    FOR_EACH_BUCKET(d) {
        for (; known < d; ++known) place += found[known];
        __global const ulong *const x = items + begins[d];
        const ulong high = (ulong)d << low_bits;
        for (uint i = 0; i < found[d]; ++i) PUT(place + i, high, x[i]);
    }
    if (get_group_id(0) + 1 < get_num_groups(0)) return;
    for (; known < buckets; ++known) place += found[known];
    count[count_at] = place;
}

/* --- columns --------------------------------------------------------------------------------- */

/* Sort by the bits from `bit` on, one digit, which with the bucket are a column; those below are the
 * row. */
#define COLUMNS                                                                                    \
    __global INDEX *row_of, long row_of_at, __global uint *payload, long payload_at
#define OPEN_COLUMNS                                                                               \
    row_of += row_of_at;                                                                           \
    payload += payload_at

/* counts[c] := how many items column c of the bucket has, then where they begin; to `begin` is
 * added. */
static void count_columns(uint *counts, __global const ulong *x, uint n, int bit, int width) {
    for (int c = 0; c < 1 << width; ++c) counts[c] = 0;
    for (uint i = 0; i < n; ++i) ++counts[x[i] >> (32 + bit)];
}

static void begin_columns(uint *counts, uint begin, int width) {
    for (int c = 0; c < 1 << width; ++c) {
        const uint count = counts[c];
        counts[c] = begin;
        begin += count;
    }
}

#define MOVE_COLUMNS                                                                               \
    for (uint i = 0; i < n; ++i) {                                                                 \
        const ulong item = x[i];                                                                   \
        const uint place = counts[item >> (32 + bit)]++;                                           \
        row_of[place] = (INDEX)(item >> 32 & row_mask);                                            \
        payload[place] = (uint)item;                                                               \
    }

/* Rows and payloads by columns, and where each of `columns` columns begins. */
KERNEL bucket_columns(BUCKETS, COLUMNS, __global OFFSET *offsets, long offsets_at, long columns) {
    uint counts[MOST_COUNTS];
    OPEN_COLUMNS;
    offsets += offsets_at;
    const ulong row_mask = (1UL << bit) - 1;
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], n = begins[d + 1] - begin;
        const long first = (long)d << width, last = min(first + (1L << width), columns);
        __global const ulong *const x = items + begin;
        count_columns(counts, x, n, bit, width);
        begin_columns(counts, begin, width);
        for (long c = first; c < last; ++c) offsets[c] = (OFFSET)counts[c - first];
        MOVE_COLUMNS
    }
    if (get_group_id(0) + 1 == get_num_groups(0)) offsets[columns] = (OFFSET)begins[buckets];
}

/* Rows and payloads by columns; the bucket's columns that have items, each above where its items
 * begin, go to its place in `spare`. */
KERNEL bucket_pattern(BUCKETS, COLUMNS, __global uint *found) {
    uint counts[MOST_COUNTS];
    OPEN_COLUMNS;
    const ulong row_mask = (1UL << bit) - 1;
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], n = begins[d + 1] - begin;
        __global const ulong *const x = items + begin;
        __global ulong *const to = spare + begin;
        uint present = 0, place = begin, u = 0;
        count_columns(counts, x, n, bit, width);
        for (int c = 0; c < 1 << width; ++c) present += counts[c] > 0;
        for (int c = 0; u < present; ++c) { /* one without items is overwritten */
            to[u] = (ulong)c << 32 | place;
            u += counts[c] > 0;
            place += counts[c];
        }
        begin_columns(counts, begin, width);
        MOVE_COLUMNS
        found[d] = present;
    }
}

KERNEL bucket_write_pattern(BUCKETS, __global const uint *found, __global INDEX *columns,
                            __global OFFSET *starts, __global long *count) {
    int known = 0; /* the number of columns in the buckets before `known` */
    uint place = 0;
    FOR_EACH_BUCKET(d) {
        for (; known < d; ++known) place += found[known];
        __global const ulong *const x = spare + begins[d];
        const long first = (long)d << width;
        for (uint i = 0; i < found[d]; ++i) {
            columns[place + i] = (INDEX)(first + (long)(x[i] >> 32));
            starts[place + i] = (OFFSET)(uint)x[i];
        }
    }
    if (get_group_id(0) + 1 < get_num_groups(0)) return;
    for (; known < buckets; ++known) place += found[known];
    starts[place] = (OFFSET)begins[buckets];
    *count = place;
}
