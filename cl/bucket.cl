/* bucket.cl: the first level of a stable sort: items go to buckets by the highest bits of their
 * keys, and stay in order there. cl/bucket_sort.cl sorts each bucket. For CPU class. After scan.cl.
 *
 * Defines  bucket_count, bucket_move
 * Range    both: one group a part (an equal share of the items); the same number of groups
 * Memory   table[part][bucket]: counts from bucket_count. items: the low 32 bits of a key, without
 *          those of its bucket, above a payload of 32 bits
 * Types    indices are INDEX; with the variant offsets are OFFSET
 * Variant  items are the entries of a CSR matrix: a is the columns, b the row
 */

#define MOST_BUCKETS 2048

/* Keys are the bits of a, then the bits of b; b may be NULL. Without payload item i has i. */
#if SPC_VARIANT
#define SOURCE                                                                                     \
    __global const INDEX *a, long a_at, __global const OFFSET *offsets, long offsets_at,           \
        long rows, int b_bits, __global const uint *payload, long payload_at, long room
#define OPEN_SOURCE                                                                                \
    a += a_at;                                                                                     \
    offsets += offsets_at;                                                                         \
    if (payload) payload += payload_at;                                                            \
    const long n = clamp((long)offsets[rows], 0L, room)
#else
#define SOURCE                                                                                     \
    __global const INDEX *a, long a_at, __global const INDEX *b, long b_at, int b_bits,            \
        __global const uint *payload, long payload_at, long room, __global const long *count,      \
        long count_at
#define OPEN_SOURCE                                                                                \
    a += a_at;                                                                                     \
    if (b) b += b_at;                                                                              \
    if (payload) payload += payload_at;                                                            \
    const long n = item_count(room, count, count_at)
#endif

#define OPEN_PART                                                                                  \
    const long w = get_group_id(0), parts = get_num_groups(0);                                     \
    const long begin = part_begin(n, parts, w), end = part_begin(n, parts, w + 1)

/* Buckets are numbered by the bits of a key from `low_bits` on. */
KERNEL bucket_count(SOURCE, int low_bits, int buckets, __global uint *table) {
    uint found[MOST_BUCKETS];
    OPEN_SOURCE;
    OPEN_PART;
    for (int d = 0; d < buckets; ++d) found[d] = 0;
#if !SPC_VARIANT
    if (b && low_bits < b_bits) {
        for (long i = begin; i < end; ++i)
            ++found[((ulong)a[i] << b_bits | (ulong)b[i]) >> low_bits];
    } else
#endif
    {
        const int shift = low_bits - b_bits;
        for (long i = begin; i < end; ++i) ++found[(ulong)a[i] >> shift];
    }
    for (int d = 0; d < buckets; ++d) table[w * buckets + d] = found[d];
}

/* next[d] := where the items of bucket d of this part begin; begins[d]: where the bucket begins. */
static void find_places(uint *next, __global const uint *table, int buckets, long parts, long w,
                        __global uint *begins) {
    uint all[MOST_BUCKETS];
    for (int d = 0; d < buckets; ++d) next[d] = 0;
    for (long v = 0; v < w; ++v)
        for (int d = 0; d < buckets; ++d) next[d] += table[v * buckets + d];
    for (int d = 0; d < buckets; ++d) all[d] = next[d];
    for (long v = w; v < parts; ++v)
        for (int d = 0; d < buckets; ++d) all[d] += table[v * buckets + d];
    uint sum = 0;
    for (int d = 0; d < buckets; ++d) {
        next[d] += sum;
        if (w == 0) begins[d] = sum;
        sum += all[d];
    }
    if (w == 0) begins[buckets] = sum;
}

#define ITEM(key, payload) ((ulong)(uint)(key) << 32 | (payload))

KERNEL bucket_move(SOURCE, int low_bits, int buckets, __global const uint *table,
                   __global ulong *items, __global uint *begins) {
    uint next[MOST_BUCKETS];
    OPEN_SOURCE;
    OPEN_PART;
    const uint mask = (uint)((1UL << low_bits) - 1);
    find_places(next, table, buckets, parts, w, begins);
#if SPC_VARIANT
    const int shift = low_bits - b_bits;
    long k = begin;
    for (long r = find_offset(offsets, 0, rows + 1, begin + 1) - 1; k < end; ++r) {
        const long last = min((long)offsets[r + 1], end);
        for (; k < last; ++k) {
            const ulong column = (ulong)a[k];
            const uint key = (uint)(column << b_bits | (ulong)r) & mask;
            items[next[column >> shift]++] = ITEM(key, payload ? payload[k] : (uint)k);
        }
    }
#else
    for (long i = begin; i < end; ++i) {
        const ulong key = b ? (ulong)a[i] << b_bits | (ulong)b[i] : (ulong)a[i];
        items[next[key >> low_bits]++] = ITEM((uint)key & mask, payload ? payload[i] : (uint)i);
    }
#endif
}
