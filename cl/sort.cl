/* sort.cl: one digit of a stable radix sort: count the digits of each chunk, then move the items.
 * After scan.cl.
 *
 * Defines  sort_count, sort_move
 * Range    both: one group per chunk (CPU class: an equal range of the items; GPU class: the same,
 *          in full tiles of TILE items)
 * Memory   table[digit][chunk]: counts from sort_count, their prefix sums for sort_move. CPU class:
 *          not used where there is one chunk, which only needs sort_move
 * Types    keys are KEY, payload PAYLOAD, positions OFFSET. Keys may be composed of two arrays, and
 *          split into two; elements of these have 32 bits, or 64 with `wide`
 * Variant  there is no payload
 */

#if SPC_INDEX64
typedef ulong KEY;
#else
typedef uint KEY;
#endif

#if SPC_VALUE64
typedef ulong PAYLOAD;
#else
typedef uint PAYLOAD;
#endif

#define DIGIT(key) ((int)((key) >> shift) & mask)

/* A digit is the bits `mask` of a key from bit `shift` on. Where a is not NULL, keys are the bits
 * of a, then b_bits of b, which may be NULL. */
#define KEYS                                                                                       \
    __global const KEY *keys, long keys_at, __global const int *a, long a_at,                      \
        __global const int *b, long b_at, int wide, int b_bits, long capacity,                     \
        __global const long *count, long count_at, int shift, int mask
#define OPEN_KEYS                                                                                  \
    if (keys) keys += keys_at
#define COMPONENT(x, i) (KEY)(wide ? ((__global const long *)(x))[x##_at + (i)] : (x)[x##_at + (i)])
#define KEY_AT(i)                                                                                  \
    (a ? (b ? COMPONENT(a, i) << b_bits | COMPONENT(b, i) : COMPONENT(a, i)) : keys[i])
#define PUT_COMPONENT(x, i, component)                                                             \
    do {                                                                                           \
        if (wide)                                                                                  \
            ((__global long *)(x))[x##_at + (i)] = (long)(component);                              \
        else                                                                                       \
            (x)[x##_at + (i)] = (int)(component);                                                  \
    } while (0)
#define MOVES                                                                                      \
    __global const PAYLOAD *payload, long payload_at, __global KEY *to_keys, long to_keys_at,      \
        __global PAYLOAD *to_payload, long to_payload_at, __global int *to_a, long to_a_at,        \
        __global int *to_b, long to_b_at
#define OPEN_MOVES                                                                                 \
    if (payload) payload += payload_at;                                                            \
    if (to_keys) to_keys += to_keys_at;                                                            \
    if (to_payload) to_payload += to_payload_at

/* Move item i to position `place`. */
#if SPC_VARIANT
#define MOVE(place, i) to_keys[place] = KEY_AT(i)
#else
#define MOVE(place, i)                                                                             \
    do {                                                                                           \
        const KEY key = KEY_AT(i);                                                                 \
        if (to_keys) to_keys[place] = key;                                                         \
        if (to_a) PUT_COMPONENT(to_a, place, (ulong)key >> b_bits);                                \
        if (to_b) PUT_COMPONENT(to_b, place, key & ((1UL << b_bits) - 1));                         \
        to_payload[place] = payload ? payload[i] : (PAYLOAD)(i);                                   \
    } while (0)
#endif

#if SPC_GPU

#define MAX_DIGITS 256
#define RUN_ITEMS 16 /* consecutive items of a lane */
#define TILE (GROUP * RUN_ITEMS)
/* Items and counts of adjacent lanes are in different banks. */
#define SPREAD(i) ((i) + (i) / 32)
#define NIBBLES 16

/* The chunk of a group is an equal range of the tiles. */
#define OPEN_CHUNK                                                                                 \
    const int lane = get_local_id(0);                                                              \
    const long chunk = get_group_id(0), chunks = get_num_groups(0);                                \
    const long n = item_count(capacity, count, count_at), tiles = (capacity + TILE - 1) / TILE;    \
    const long begin = min(chunk_begin(tiles, chunks, chunk) * TILE, n);                           \
    const long end = min(chunk_begin(tiles, chunks, chunk + 1) * TILE, n);                         \
    OPEN_KEYS

KERNEL sort_count(KEYS, __global OFFSET *table) {
    __local uint found[MAX_DIGITS];
    OPEN_CHUNK;
    for (int d = lane; d <= mask; d += GROUP) found[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (long i = begin + lane; i < end; i += GROUP) atomic_inc(&found[DIGIT(KEY_AT(i))]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = lane; d <= mask; d += GROUP) table[d * chunks + chunk] = (OFFSET)found[d];
}

/* Exclusive prefix sums of NIBBLES * GROUP numbers, in place. */
INLINE void scan_counts(__local uint *counts, __local OFFSET *shared) {
    const int first = get_local_id(0) * NIBBLES;
    OFFSET sum = 0, total;
    for (int k = 0; k < NIBBLES; ++k) sum += counts[SPREAD(first + k)];
    sum = group_scan(shared, sum, &total);
    for (int k = 0; k < NIBBLES; ++k) {
        const uint x = counts[SPREAD(first + k)];
        counts[SPREAD(first + k)] = (uint)sum;
        sum += x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Sort the tile by the four bits from `bit` on. A lane has consecutive items and its own column of
 * counts, so the sort is stable. */
INLINE void sort_nibble(__local uint *sorted, __local const uint *items, __local uint *counts,
                        __local OFFSET *shared, int bit) {
    const int lane = get_local_id(0);
    for (int k = 0; k < NIBBLES; ++k) counts[SPREAD(k * GROUP + lane)] = 0;
    for (int k = 0; k < RUN_ITEMS; ++k) {
        const uint item = items[SPREAD(lane * RUN_ITEMS + k)];
        ++counts[SPREAD((item >> bit) % NIBBLES * GROUP + lane)];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    scan_counts(counts, shared);
    for (int k = 0; k < RUN_ITEMS; ++k) {
        const uint item = items[SPREAD(lane * RUN_ITEMS + k)];
        const uint place = counts[SPREAD((item >> bit) % NIBBLES * GROUP + lane)]++;
        sorted[SPREAD(place)] = item;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* A tile is sorted in local memory first (as digit and index in the tile, 16 bits each), so that
 * items of one digit are stored next to each other. next[d]: position of the next item of digit d;
 * base[d]: the same, minus its index in the sorted tile. */
KERNEL sort_move(KEYS, MOVES, __global const OFFSET *table) {
    __local uint items[SPREAD(TILE)], sorted[SPREAD(TILE)], counts[SPREAD(NIBBLES * GROUP)];
    __local OFFSET shared[GROUP], base[MAX_DIGITS], next[MAX_DIGITS];
    OPEN_CHUNK;
    OPEN_MOVES;
    for (int d = lane; d <= mask; d += GROUP) next[d] = table[d * chunks + chunk];
    for (long first = begin; first < end; first += TILE) {
        const int size = (int)min(end - first, (long)TILE);
        for (int j = lane; j < TILE; j += GROUP)
            items[SPREAD(j)] =
                j < size ? (uint)DIGIT(KEY_AT(first + j)) << 16 | (uint)j : 0xffffffffu;
        barrier(CLK_LOCAL_MEM_FENCE);
        sort_nibble(sorted, items, counts, shared, 16);
        sort_nibble(items, sorted, counts, shared, 20);
        for (int j = lane; j < size; j += GROUP) {
            const uint d = items[SPREAD(j)] >> 16;
            if (j == 0 || items[SPREAD(j - 1)] >> 16 != d) base[d] = next[d] - j;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = lane; j < size; j += GROUP) {
            const uint item = items[SPREAD(j)], d = item >> 16;
            const long i = first + (item & 0xffffu), place = base[d] + j;
            MOVE(place, i);
            if (j == size - 1 || items[SPREAD(j + 1)] >> 16 != d) next[d] = place + 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else

#define MAX_DIGITS 2048

#define OPEN_CHUNK                                                                                 \
    const long n = item_count(capacity, count, count_at);                                          \
    const long w = get_group_id(0), chunks = get_num_groups(0);                                    \
    const OFFSET begin = chunk_begin(n, chunks, w), end = chunk_begin(n, chunks, w + 1);           \
    OPEN_KEYS

KERNEL sort_count(KEYS, __global OFFSET *table) {
    OFFSET found[MAX_DIGITS];
    OPEN_CHUNK;
    for (int d = 0; d <= mask; ++d) found[d] = 0;
    for (OFFSET i = begin; i < end; ++i) ++found[DIGIT(KEY_AT(i))];
    for (int d = 0; d <= mask; ++d) table[d * chunks + w] = found[d];
}

KERNEL sort_move(KEYS, MOVES, __global const OFFSET *table) {
    OFFSET next[MAX_DIGITS];
    OPEN_CHUNK;
    OPEN_MOVES;
    if (chunks == 1) { /* there is no table */
        OFFSET sum = 0;
        for (int d = 0; d <= mask; ++d) next[d] = 0;
        for (OFFSET i = begin; i < end; ++i) ++next[DIGIT(KEY_AT(i))];
        for (int d = 0; d <= mask; ++d) {
            const OFFSET x = next[d];
            next[d] = sum;
            sum += x;
        }
    } else {
        for (int d = 0; d <= mask; ++d) next[d] = table[d * chunks + w];
    }
    for (OFFSET i = begin; i < end; ++i) {
        const OFFSET place = next[DIGIT(KEY_AT(i))]++;
        MOVE(place, i);
    }
}

#endif
