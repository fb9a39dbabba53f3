/* bucket_order.cl: buckets of items, sorted and written to the result: all items, or one per key
 * with the sum of its payloads. After scan.cl and bucket.cl.
 *
 * Defines  bucket_order; bucket_sums, bucket_write_sums; bucket_duplicates
 * Range    one group per partition (cl/bucket.cl); a single group fills the buckets, too
 * Types    indices are INDEX; items as in cl/bucket.cl
 * Order    docs/numerics.md, rule R, for the sums
 */
#if !SPC_GPU

/* The bits of a key from `b_bits` on go to `to_a`, those below to `to_b`. One of them may be NULL,
 * except where keys of 64 bits go to elements of 32 bits. */
#define RESULT                                                                                     \
    __global INDEX *to_a, long to_a_at, __global INDEX *to_b, long to_b_at,                        \
        __global uint *to_payload, long to_payload_at, __global long *to_count, long to_count_at,  \
        int stream
#define OPEN_RESULT                                                                                \
    if (to_a) to_a += to_a_at;                                                                     \
    if (to_b) to_b += to_b_at;                                                                     \
    to_payload += to_payload_at
#define SORT_BUCKET(d)                                                                             \
    sort_bucket(counts, items + begins[d], spare + get_group_id(0) * spare_size, spare_size,       \
                to_a ? to_a + begins[d] : to_a, (to_b ? to_b : to_a) + begins[d],                  \
                to_payload + begins[d], begins[d + 1] - begins[d], bit, passes, width)
#define PUT(i)                                                                                     \
    do {                                                                                           \
        const ulong key = high | KEY_OF(x[i]);                                                     \
        if (to_a) to_a[place + (i)] = (INDEX)(key >> b_bits);                                      \
        if (to_b) to_b[place + (i)] = (INDEX)(key & low);                                          \
        to_payload[place + (i)] = PAYLOAD_OF(x[i]);                                                \
    } while (0)

#if SPC_HINTS && !SPC_VALUE64
#if SPC_INDEX64
typedef long16 INDEX16;
#define TO_INDEX16(x) convert_long16(x)
#else
typedef int16 INDEX16;
#define TO_INDEX16(x) convert_int16(x)
#endif
#endif

/* Write items 0 .. n - 1 of a bucket, whose keys have the upper bits `high`, to the result from
 * position `place` on; with `stream`, by non-temporal stores. */
static void put_items(__global const item *x, uint n, ulong high, int b_bits, __global INDEX *to_a,
                      __global INDEX *to_b, __global uint *to_payload, uint place, int stream) {
    const ulong low = (1UL << b_bits) - 1;
    uint i = 0;
#if SPC_HINTS && !SPC_VALUE64
    if (stream) {
        for (; i < n && (place + i) % 16 != 0; ++i) PUT(i);
        for (; i + 16 <= n; i += 16) {
            const ulong16 sorted = vload16(0, x + i), key = sorted >> 32 | high;
            if (to_a) STREAM_SIXTEEN(INDEX, TO_INDEX16(key >> (ulong)b_bits), to_a + place + i);
            if (to_b) STREAM_SIXTEEN(INDEX, TO_INDEX16(key & low), to_b + place + i);
            STREAM_SIXTEEN(uint, convert_uint16(sorted), to_payload + place + i);
        }
    }
#endif
    for (; i < n; ++i) PUT(i);
}
#define PUT_ITEMS(x, n, d, place)                                                                  \
    put_items(x, n, (ulong)(d) << low_bits, b_bits, to_a, to_b, to_payload, place, stream)

KERNEL bucket_order(SOURCE, BUCKETS, RESULT) {
    OPEN_BUCKETS;
    OPEN_RESULT;
    FOR_EACH_BUCKET(d) {
        __global const item *const x = SORT_BUCKET(d);
        PUT_ITEMS(x, begins[d + 1] - begins[d], d, begins[d]);
    }
    if (to_count && get_group_id(0) == 0) to_count[to_count_at] = n;
}

/* The sum of the payloads of x[begin] .. x[end - 1], which are float. */
static uint sum_run(__global const item *x, uint begin, uint end) {
    float total = 0;
    IN_ORDER
    for (uint first = begin; first < end; first += SPC_BLOCK) {
        const uint last = min(first + SPC_BLOCK, end);
        float sum = as_float(PAYLOAD_OF(x[first]));
        IN_ORDER
        for (uint k = first + 1; k < last; ++k) sum += as_float(PAYLOAD_OF(x[k]));
        total = first == begin ? sum : total + sum;
    }
    return as_uint(total);
}

/* Write the distinct keys of a sorted bucket, with their sums, to `to`. Returns their number. */
static uint sum_bucket(__global item *to, __global const item *x, uint n) {
    uint u = 0;
    for (uint i = 0, end; i < n; i = end) {
        const item first = x[i];
        const ulong key = KEY_OF(first);
        end = i + 1;
        if (end < n && KEY_OF(x[end]) == key) {
            while (end < n && KEY_OF(x[end]) == key) ++end;
            const uint sum = sum_run(x, i, end);
            SET_ITEM(to[u], key, sum);
        } else {
            to[u] = first;
        }
        ++u;
    }
    return u;
}

/* found[d] := number of distinct keys of bucket d. Keys and sums overwrite its items; a single
 * group writes them to the result. */
KERNEL bucket_sums(SOURCE, BUCKETS, RESULT) {
    uint place = 0;
    OPEN_BUCKETS;
    OPEN_RESULT;
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], size = begins[d + 1] - begin;
        __global item *const to = items + begin;
        __global const item *const x = SORT_BUCKET(d);
        const uint u = sum_bucket(to, x, size);
        found[d] = u;
        if (partitions > 1) continue;
        PUT_ITEMS(to, u, d, place);
        place += u;
    }
    if (get_num_groups(0) == 1) to_count[to_count_at] = place;
}

KERNEL bucket_write_sums(BUCKETS, int b_bits, RESULT) {
    long known = 0; /* buckets whose keys `place` counts */
    uint place = 0;
    OPEN_RESULT;
    FOR_EACH_BUCKET(d) {
        for (; known < d; ++known) place += found[known];
        PUT_ITEMS(items + begins[d], found[d], d, place);
    }
    if (get_group_id(0) > 0) return;
    for (; known < buckets; ++known) place += found[known];
    to_count[to_count_at] = place;
}

/* The minimum payload of an item whose key also belongs to an item with a lower payload, or
 * LONG_MAX. Equal keys are adjacent. */
static long min_duplicate(__global const item *x, uint n) {
    long minimum = LONG_MAX;
    for (uint i = 0; i < n;) {
        const ulong key = KEY_OF(x[i]);
        long lowest = PAYLOAD_OF(x[i]);
        for (++i; i < n && KEY_OF(x[i]) == key; ++i) {
            const long payload = PAYLOAD_OF(x[i]);
            minimum = min(minimum, max(payload, lowest));
            lowest = min(lowest, payload);
        }
    }
    return minimum;
}

/* Partition the items begin .. end - 1: those without bit `bit` first. Returns where the others
 * begin. Each item is swapped with the first of the others, so that no branch depends on the bit.
 */
static uint partition_by_bit(__global item *x, uint begin, uint end, int bit) {
    uint others = begin;
    for (uint i = begin; i < end; ++i) {
        const item moved = x[i];
        x[i] = x[others];
        x[others] = moved;
        others += !(KEY_OF(moved) >> bit & 1);
    }
    return others;
}

/* The number of bits of the keys up to the highest one in which they differ. */
static int differing_bits(__global const item *x, uint begin, uint end) {
    const ulong key = KEY_OF(x[begin]);
    ulong differ = 0;
    for (uint i = begin + 1; i < end; ++i) differ |= KEY_OF(x[i]) ^ key;
    return 64 - (int)clz(differ);
}

/* As min_duplicate, of a bucket. A bucket that is larger than `spare` is partitioned in place by
 * its highest bits, until each range fits or has only one key. */
static long minimum_of_bucket(uint *counts, __global item *x, __global item *spare, uint spare_size,
                            uint n, int bit, int passes, int width) {
    uint ends[65]; /* of the ranges left, the next one last; a key has 64 bits */
    long minimum = LONG_MAX;
    int ranges = 1;
    ends[0] = n;
    for (uint begin = 0; ranges > 0;) {
        const uint end = ends[ranges - 1], size = end - begin;
        const int top = size > spare_size ? differing_bits(x, begin, end) : 0;
        if (top > bit) {
            ends[ranges] = partition_by_bit(x, begin, end, top - 1);
            ++ranges;
            continue;
        }
        __global const item *sorted = x + begin;
        if (size <= spare_size)
            sorted = sort_bucket(counts, x + begin, spare, spare_size, 0, 0, 0, size, bit, passes,
                                 width);
        minimum = min(minimum, min_duplicate(sorted, size));
        begin = end;
        --ranges;
    }
    return minimum;
}

/* minimum[group] := the minimum payload of an item whose key an earlier item has, or LONG_MAX.
 * Where `spare` is as large as `items`, each bucket has its own range of it. */
KERNEL bucket_duplicates(SOURCE, BUCKETS, __global long *minimum) {
    long first = LONG_MAX;
    OPEN_BUCKETS;
    const int full_spare = spare_size >= n;
    FOR_EACH_BUCKET(d) {
        const uint begin = begins[d], size = begins[d + 1] - begin;
        __global item *const buffer =
            spare + (full_spare ? (long)begin : get_group_id(0) * spare_size);
        first =
            min(first, minimum_of_bucket(counts, items + begin, buffer,
                                         full_spare ? size : spare_size, size, bit, passes, width));
    }
    minimum[get_group_id(0)] = first;
}

#endif
