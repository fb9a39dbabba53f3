/* bucket.cl: a stable sort for few wide cores. Items go to buckets by the highest bits of their
 * keys. Then each bucket is sorted by the remaining bits, in cache, and written to the result by
 * bucket_order.cl or bucket_columns.cl, which come after this file. For CPU class. After scan.cl.
 *
 * Defines  bucket_count, bucket_move; for the files after it OPEN_BUCKETS, FOR_EACH_BUCKET,
 *          sort_bucket, sum_counts
 * Range    bucket_count, bucket_move: one group per chunk (an equal range of the items), the same
 *          number of groups in both. Kernels that process buckets: one group per partition (the
 *          buckets that begin in an equal range of the items)
 * Memory   table[chunk][bucket]: counts. items: a key without the bits of its bucket, and a payload
 *          of 32 bits. spare: spare_size items per group, the second buffer for sorting its
 *          buckets. found: one number per bucket
 * Types    indices are INDEX, offsets OFFSET; SPC_VALUE64: the key of an item has 64 bits, not 32
 * Variant  items are the entries of a CSR matrix: a is the columns, b the row
 */
#if !SPC_GPU

#define MAX_BUCKETS 2048
#define MAX_COUNTS 16384
#define SHORT_BUCKET 24

/* --- items ----------------------------------------------------------------------------------- */

#if SPC_VALUE64
typedef struct {
    uint low, high, payload;
} item;
#define KEY_OF(x) ((ulong)(x).high << 32 | (x).low)
#define KEY_FROM(x, bit) (KEY_OF(x) >> (bit))
#define PAYLOAD_OF(x) ((x).payload)
#define SET_ITEM(x, key, value)                                                                    \
    do {                                                                                           \
        const ulong wide = (key);                                                                  \
        (x).low = (uint)wide;                                                                      \
        (x).high = (uint)(wide >> 32);                                                             \
        (x).payload = (value);                                                                     \
    } while (0)
#else
typedef ulong item; /* the key above the payload */
#define KEY_OF(x) ((x) >> 32)
#define KEY_FROM(x, bit) ((x) >> (32 + (bit)))
#define PAYLOAD_OF(x) ((uint)(x))
#define SET_ITEM(x, key, value) ((x) = (ulong)(uint)(key) << 32 | (value))
#endif

/* Keys in the arrays of a result, whose elements are INDEX. `upper` has the upper half of keys that
 * do not fit one element. */
#if SPC_VALUE64 && !SPC_INDEX64
#define GET_KEY(i) ((ulong)(uint)upper[i] << 32 | (uint)keys[i])
#define SET_KEY(i, key)                                                                            \
    do {                                                                                           \
        upper[i] = (INDEX)((key) >> 32);                                                           \
        keys[i] = (INDEX)(key);                                                                    \
    } while (0)
#elif SPC_VALUE64
#define GET_KEY(i) ((ulong)keys[i])
#define SET_KEY(i, key) (keys[i] = (INDEX)(key))
#else
#define GET_KEY(i) ((ulong)(uint)keys[i])
#define SET_KEY(i, key) (keys[i] = (INDEX)(key))
#endif

/* --- the first level ------------------------------------------------------------------------- */

/* Keys are the bits of a, then the bits of b; b may be NULL. Without a payload array, the payload
 * of item i is i. A key from an earlier pass may use all bits of its type, so it is read as
 * unsigned. */
#if SPC_INDEX64
#define BITS(x) ((ulong)(x))
#else
#define BITS(x) ((ulong)(uint)(x))
#endif
#define KEY_OF_ENTRY(i) (b ? BITS(a[i]) << b_bits | BITS(b[i]) : BITS(a[i]))
#if SPC_VARIANT
#define SOURCE                                                                                     \
    __global const INDEX *a, long a_at, __global const OFFSET *offsets, long offsets_at,           \
        long rows, int b_bits, __global const uint *payload, long payload_at, long capacity
#define OPEN_SOURCE                                                                                \
    offsets += offsets_at;                                                                         \
    if (payload) payload += payload_at;                                                            \
    const long n = clamp((long)offsets[rows], 0L, capacity);                                       \
    a += a_at
#define KEYS_OF __global const INDEX *a, __global const OFFSET *offsets, long rows, int b_bits
#define KEYS_ARGS a, offsets, rows, b_bits
#else
#define SOURCE                                                                                     \
    __global const INDEX *a, long a_at, __global const INDEX *b, long b_at, int b_bits,            \
        __global const uint *payload, long payload_at, long capacity, __global const long *count,  \
        long count_at
#define OPEN_SOURCE                                                                                \
    if (b) b += b_at;                                                                              \
    if (payload) payload += payload_at;                                                            \
    const long n = item_count(capacity, count, count_at);                                          \
    a += a_at
#define KEYS_OF __global const INDEX *a, __global const INDEX *b, int b_bits
#define KEYS_ARGS a, b, b_bits
#endif

/* found[d] := number of the items begin .. end - 1 in bucket d, which is the bits of a key from
 * `low_bits` on. */
static void count_buckets(uint *found, KEYS_OF, long begin, long end, int low_bits, int buckets) {
    for (int d = 0; d < buckets; ++d) found[d] = 0;
#if !SPC_VARIANT
    if (b && low_bits < b_bits) {
        for (long i = begin; i < end; ++i)
            ++found[KEY_OF_ENTRY(i) >> low_bits];
        return;
    }
#endif
    const int shift = low_bits - b_bits;
    for (long i = begin; i < end; ++i) ++found[BITS(a[i]) >> shift];
}

/* Prefetch the next cache line of a bucket, which is written soon: stores wait for their lines, in
 * order. */
#define PREFETCH_AFTER(items, place) PREFETCH(&(items)[(place) + 8])

/* Move each item of bucket d to position next[d]++. */
static void move_items(uint *next, KEYS_OF, __global const uint *payload, long begin, long end,
                       int low_bits, __global item *items) {
    const ulong mask = (1UL << low_bits) - 1;
#if SPC_VARIANT
    const int shift = low_bits - b_bits;
    long k = begin;
    for (long r = find_offset(offsets, 0, rows + 1, begin + 1) - 1; k < end; ++r) {
        const long last = min((long)offsets[r + 1], end);
        for (; k < last; ++k) {
            const ulong column = BITS(a[k]);
            const uint place = next[column >> shift]++;
            PREFETCH_AFTER(items, place);
            SET_ITEM(items[place], (column << b_bits | (ulong)r) & mask,
                     payload ? payload[k] : (uint)k);
        }
    }
#else
    for (long i = begin; i < end; ++i) {
        const ulong key = KEY_OF_ENTRY(i);
        const uint place = next[key >> low_bits]++;
        PREFETCH_AFTER(items, place);
        SET_ITEM(items[place], key & mask, payload ? payload[i] : (uint)i);
    }
#endif
}

/* Exclusive prefix sums in place, which start at `begin`. */
static void sum_counts(uint *counts, int size, uint begin) {
    for (int d = 0; d < size; ++d) {
        const uint count = counts[d];
        counts[d] = begin;
        begin += count;
    }
}

#define OPEN_CHUNK                                                                                 \
    const long w = get_group_id(0), chunks = get_num_groups(0);                                    \
    const long begin = chunk_begin(n, chunks, w), end = chunk_begin(n, chunks, w + 1)

KERNEL bucket_count(SOURCE, int low_bits, int buckets, __global uint *table) {
    uint found[MAX_BUCKETS];
    OPEN_SOURCE;
    OPEN_CHUNK;
    count_buckets(found, KEYS_ARGS, begin, end, low_bits, buckets);
    for (int d = 0; d < buckets; ++d) table[w * buckets + d] = found[d];
}

/* Every group sums the counts of all chunks. begins[d]: where bucket d begins. */
KERNEL bucket_move(SOURCE, int low_bits, int buckets, __global const uint *table,
                   __global item *items, __global uint *begins) {
    uint next[MAX_BUCKETS], all[MAX_BUCKETS];
    OPEN_SOURCE;
    OPEN_CHUNK;
    for (int d = 0; d < buckets; ++d) next[d] = 0;
    for (long v = 0; v < w; ++v)
        for (int d = 0; d < buckets; ++d) next[d] += table[v * buckets + d];
    for (int d = 0; d < buckets; ++d) all[d] = next[d];
    for (long v = w; v < chunks; ++v)
        for (int d = 0; d < buckets; ++d) all[d] += table[v * buckets + d];
    sum_counts(all, buckets, 0);
    for (int d = 0; d < buckets; ++d) next[d] += all[d];
    move_items(next, KEYS_ARGS, payload, begin, end, low_bits, items);
    if (w > 0) return;
    for (int d = 0; d < buckets; ++d) begins[d] = all[d];
    begins[buckets] = (uint)n;
}

#if !SPC_VARIANT
#define FILL(key_of, payload_of)                                                                   \
    for (long i = 0; i < n; ++i) {                                                                 \
        const ulong key = key_of;                                                                  \
        SET_ITEM(items[i], key, payload_of);                                                       \
    }
#define LONG_KEY (BITS(a[i]) << b_bits | BITS(b[i]))

/* Loops of their own, without conditions: of conditions LLVM makes vector loads with a mask, and
 * such a load from NULL takes 100 cycles, although the mask is 0. */
static void fill_in_order(KEYS_OF, __global const uint *payload, long n, __global item *items) {
    if (b && payload) {
        FILL(LONG_KEY, payload[i])
    } else if (b) {
        FILL(LONG_KEY, (uint)i)
    } else if (payload) {
        FILL(BITS(a[i]), payload[i])
    } else {
        FILL(BITS(a[i]), (uint)i)
    }
}
#endif

/* Both steps by a single group. With one bucket, the items keep their order. */
static void fill_serially(KEYS_OF, __global const uint *payload, long n, int low_bits, int buckets,
                          __global item *items, __global uint *begins) {
    uint next[MAX_BUCKETS];
#if !SPC_VARIANT
    if (buckets == 1) {
        begins[0] = 0;
        begins[1] = (uint)n;
        fill_in_order(KEYS_ARGS, payload, n, items);
        return;
    }
#endif
    count_buckets(next, KEYS_ARGS, 0, n, low_bits, buckets);
    sum_counts(next, buckets, 0);
    for (int d = 0; d < buckets; ++d) begins[d] = next[d];
    begins[buckets] = (uint)n;
    move_items(next, KEYS_ARGS, payload, 0, n, low_bits, items);
}

/* --- the second level ------------------------------------------------------------------------ */

/* Keys are sorted by their bits from `bit` on, in digits of `width` bits. */
#define BUCKETS                                                                                    \
    int low_bits, int buckets, __global item *items, __global uint *begins,                        \
        __global item *spare, int spare_size, __global uint *found, int bit, int passes, int width
#define OPEN_BUCKETS                                                                               \
    uint counts[MAX_COUNTS];                                                                       \
    OPEN_SOURCE;                                                                                   \
    if (get_num_groups(0) == 1)                                                                    \
        fill_serially(KEYS_ARGS, payload, n, low_bits, buckets, items, begins)

/* The first bucket that begins at position `place` or later. */
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

/* The partition of this group. The first group gets the largest bucket, so that this one is not
 * started last. */
static long my_partition(__global const uint *begins, int buckets) {
    const long partitions = get_num_groups(0), n = begins[buckets];
    const long size = max((n + partitions - 1) / partitions, 1L);
    uint largest = 0, at = 0;
    for (int d = 0; d < buckets; ++d) {
        const uint items = begins[d + 1] - begins[d];
        at = items > largest ? begins[d] : at;
        largest = max(items, largest);
    }
    const long partition = get_group_id(0) + at / size;
    return partition < partitions ? partition : partition - partitions;
}

#define FOR_EACH_BUCKET(d)                                                                         \
    for (long partition = my_partition(begins, buckets), partitions = get_num_groups(0),           \
              d = bucket_from(begins, buckets,                                                     \
                              chunk_begin(begins[buckets], partitions, partition)),                \
              d##_end =                                                                            \
                  partition + 1 == partitions                                                      \
                      ? buckets                                                                    \
                      : bucket_from(begins, buckets,                                               \
                                    chunk_begin(begins[buckets], partitions, partition + 1));      \
         d < d##_end; ++d)

#define DIGIT(x, p) ((uint)KEY_FROM(x, bit + (p) * width) & mask)

static void sort_short(__global item *x, uint n, int bit) {
    for (uint i = 1; i < n; ++i) {
        const item moved = x[i];
        uint k = i;
        for (; k > 0 && KEY_FROM(x[k - 1], bit) > KEY_FROM(moved, bit); --k) x[k] = x[k - 1];
        x[k] = moved;
    }
}

/* Count all digits in one pass over the items. */
static void count_digits(uint *counts, __global const item *x, uint n, int bit, int passes,
                         int width) {
    const uint mask = (1u << width) - 1;
    for (int i = 0; i < passes << width; ++i) counts[i] = 0;
    uint *const c1 = counts + (1 << width), *const c2 = c1 + (1 << width);
    if (passes == 1) {
        for (uint i = 0; i < n; ++i) ++counts[DIGIT(x[i], 0)];
    } else if (passes == 2) {
        for (uint i = 0; i < n; ++i) {
            const item counted = x[i];
            ++counts[DIGIT(counted, 0)];
            ++c1[DIGIT(counted, 1)];
        }
    } else {
        for (uint i = 0; i < n; ++i) {
            const item counted = x[i];
            ++counts[DIGIT(counted, 0)];
            ++c1[DIGIT(counted, 1)];
            ++c2[DIGIT(counted, 2)];
            for (int p = 3; p < passes; ++p) ++counts[((uint)p << width) + DIGIT(counted, p)];
        }
    }
}

static void move_digit(uint *next, __global item *to, __global const item *x, uint n, int bit,
                       uint mask) {
    uint i = 0;
    for (; i + 4 <= n; i += 4) {
        const item x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        to[next[(uint)KEY_FROM(x0, bit) & mask]++] = x0;
        to[next[(uint)KEY_FROM(x1, bit) & mask]++] = x1;
        to[next[(uint)KEY_FROM(x2, bit) & mask]++] = x2;
        to[next[(uint)KEY_FROM(x3, bit) & mask]++] = x3;
    }
    for (; i < n; ++i) to[next[(uint)KEY_FROM(x[i], bit) & mask]++] = x[i];
}

#define RESULT_ARRAYS __global INDEX *upper, __global INDEX *keys, __global uint *payload

static void move_to_result(uint *next, RESULT_ARRAYS, __global const item *x, uint n, int bit,
                           uint mask) {
    for (uint i = 0; i < n; ++i) {
        const item moved = x[i];
        const ulong key = KEY_OF(moved);
        const uint place = next[(uint)(key >> bit) & mask]++;
        SET_KEY(place, key);
        payload[place] = PAYLOAD_OF(moved);
    }
}

static void move_from_result(uint *next, __global item *x, RESULT_ARRAYS, uint n, int bit,
                             uint mask) {
    for (uint i = 0; i < n; ++i) {
        const ulong key = GET_KEY(i);
        const uint place = next[(uint)(key >> bit) & mask]++;
        SET_ITEM(x[place], key, payload[i]);
    }
}

/* Sort by the lowest digit first, with `spare` as the second buffer. A bucket that is larger than
 * `spare` uses its range of the result instead, whose separate arrays are slower. Returns where the
 * sorted items are: x or `spare`. */
static __global item *sort_bucket(uint *counts, __global item *x, __global item *spare,
                                  uint spare_size, RESULT_ARRAYS, uint n, int bit, int passes,
                                  int width) {
    const uint mask = (1u << width) - 1;
    __global item *from = x, *to = spare;
    int in_result = 0;
    if (passes == 0) return x;
    if (n <= SHORT_BUCKET) {
        sort_short(x, n, bit);
        return x;
    }
    const ulong key = KEY_OF(x[0]);
    count_digits(counts, x, n, bit, passes, width);
    for (int p = 0; p < passes; ++p) {
        uint *const next = counts + (p << width);
        const int shift = bit + p * width;
        if (next[(uint)(key >> shift) & mask] == n) continue; /* all items have this digit */
        sum_counts(next, 1 << width, 0);
        if (n <= spare_size) {
            move_digit(next, to, from, n, shift, mask);
            __global item *const sorted = to;
            to = from;
            from = sorted;
        } else {
            if (in_result)
                move_from_result(next, x, upper, keys, payload, n, shift, mask);
            else
                move_to_result(next, upper, keys, payload, x, n, shift, mask);
            in_result = !in_result;
        }
    }
    if (in_result)
        for (uint i = 0; i < n; ++i) SET_ITEM(x[i], GET_KEY(i), payload[i]);
    return from;
}

#endif
