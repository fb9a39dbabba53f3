/* sort.cl: one digit of a stable radix sort: count the digits of each chunk, then move the items.
 * After scan.cl.
 *
 * Defines  sort_count, sort_move; many lanes: sort_small, all digits of at most TILE items
 * Range    sort_small: one group; the others: one group per chunk (CPU class: an equal range of the
 *          items; GPU class: the same, in full tiles of TILE items)
 * Memory   table[digit][chunk]: counts from sort_count, for sort_move their prefix sums, or with
 *          `counted` (GPU class) as they are. CPU class: not used where there is one chunk, which only
 *          needs sort_move
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
        __global const void *count, long count_at, int count64, int shift, int mask
#define COMPONENT(x, i) (KEY)(wide ? ((__global const long *)(x))[x##_at + (i)] : (x)[x##_at + (i)])
#define KEY_AT(i)                                                                                  \
    (a ? (b ? COMPONENT(a, i) << b_bits | COMPONENT(b, i) : COMPONENT(a, i)) : keys[keys_at + (i)])
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

/* Move item i to position `place`. */
#if SPC_VARIANT
#define MOVE(place, i) to_keys[to_keys_at + (place)] = KEY_AT(i)
#else
#define MOVE(place, i)                                                                             \
    do {                                                                                           \
        const KEY key = KEY_AT(i);                                                                 \
        if (to_keys) to_keys[to_keys_at + (place)] = key;                                          \
        if (to_a) PUT_COMPONENT(to_a, place, (ulong)key >> b_bits);                                \
        if (to_b) PUT_COMPONENT(to_b, place, key & ((1UL << b_bits) - 1));                         \
        to_payload[to_payload_at + (place)] =                                                      \
            payload ? payload[payload_at + (i)] : (PAYLOAD)(i);                                    \
    } while (0)
#endif

#if SPC_GPU

#define MAX_DIGITS 256
#define RUN_ITEMS  8 /* consecutive items of a lane */
#define TILE       (GROUP * RUN_ITEMS)
/* A loop that is unrolled further takes the registers of other groups. */
#if defined(__clang__)
#define UNROLL_TWO _Pragma("unroll 1")
#else
#define UNROLL_TWO
#endif
#define EACH_ITEM(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
/* Items and counts of adjacent lanes are in different banks. */
#define SPREAD(i) ((i) + (i) / 32)
#define SPARE     (SPREAD(TILE) - 1) /* no item's */

/* The chunk of a group is an equal range of the tiles. */
#define OPEN_CHUNK                                                                                 \
    const int lane = get_local_id(0), chunk = get_group_id(0), chunks = get_num_groups(0);         \
    const OFFSET n = item_count_of(capacity, count, count64, count_at);                            \
    const OFFSET tiles = (OFFSET)((capacity + TILE - 1) / TILE);                                   \
    const OFFSET own_tiles = (tiles + chunks - 1) / chunks;                                        \
    const OFFSET begin = (OFFSET)min((long)own_tiles * chunk * TILE, (long)n);                     \
    const OFFSET end = (OFFSET)min((long)own_tiles * (chunk + 1) * TILE, (long)n)

KERNEL sort_count(KEYS, __global OFFSET *table) {
    __local uint found[MAX_DIGITS];
    OPEN_CHUNK;
    for (int d = lane; d <= mask; d += GROUP) found[d] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (OFFSET i = begin + lane; i < end; i += GROUP) atomic_inc(&found[DIGIT(KEY_AT(i))]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = lane; d <= mask; d += GROUP) table[d * chunks + chunk] = (OFFSET)found[d];
}

/* SPREAD of lane * RUN_ITEMS + k, and of k * GROUP + lane. */
#define IN_ROW(k)    (row + (k))
#define IN_COLUMN(k) (column + (k) * SPREAD(GROUP))
#define NIBBLE(k)    (own##k >> bit)
#define TAKE_ITEM(k) const uint own##k = items[IN_ROW(k)];
/* Which item of its nibble it is in this lane. */
#define COUNT_ITEM(k)                                                                              \
    {                                                                                              \
        const uint at = 4 * (NIBBLE(k) & 7), upper = NIBBLE(k) & 8;                                \
        ranks |= ((upper ? upper_counts : counts) >> at & 15) << 4 * k;                            \
        counts += upper ? 0 : 1u << at;                                                            \
        upper_counts += upper ? 1u << at : 0;                                                      \
    }
#define PUT_COUNTS(k)                                                                              \
    items[IN_COLUMN(k)] = (counts >> 4 * k & 15) | (upper_counts >> 4 * k & 15) << 16;
#define ADD_COUNTS(k) sum += (OFFSET)items[IN_ROW(k)];
#define SCAN_COUNTS(k)                                                                             \
    {                                                                                              \
        const uint x = items[IN_ROW(k)];                                                           \
        items[IN_ROW(k)] = before;                                                                 \
        before += x;                                                                               \
    }
#define FIND_PLACE(k)                                                                              \
    const uint place##k = (items[IN_COLUMN(NIBBLE(k) & 7)] >> 2 * (NIBBLE(k) & 8) & 0xffffu) +     \
                          (ranks >> 4 * k & 15);
#define PUT_ITEM(k) items[SPREAD(place##k)] = own##k;

/* Sort the tile by the four bits from `bit` on, in place. A lane has consecutive items, and counts
 * them by nibble in registers, so the sort is stable. The counts of nibbles k and k + 8 share a word
 * (of all lanes by k): their prefix sums are found together. */
INLINE void sort_nibble(__local uint *items, __local OFFSET *shared, int bit) {
    const int lane = get_local_id(0), row = SPREAD(lane * RUN_ITEMS), column = SPREAD(lane);
    uint counts = 0, upper_counts = 0, ranks = 0; /* of four bits each */
    OFFSET sum = 0, total;
    EACH_ITEM(TAKE_ITEM)
    EACH_ITEM(COUNT_ITEM)
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH_ITEM(PUT_COUNTS)
    if (lane == 0) items[SPARE] = (uint)bit;
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH_ITEM(ADD_COUNTS)
    sum = group_scan(shared, sum, &total);
    uint before = (uint)sum + ((uint)total << 16); /* nibbles from 8 on come after the others */
    EACH_ITEM(SCAN_COUNTS)
    barrier(CLK_LOCAL_MEM_FENCE);
    bit = (int)items[SPARE];
    EACH_ITEM(FIND_PLACE)
    barrier(CLK_LOCAL_MEM_FENCE);
    EACH_ITEM(PUT_ITEM)
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Where the items of each digit of a chunk begin: the table has it, or the counts of few chunks. */
INLINE void find_next(__global const OFFSET *table, int counted, int digits, int chunks, int chunk,
                      __local OFFSET *shared, __local OFFSET *next) {
    const int added = counted ? chunks : 0;
    OFFSET lower = 0, total;
    for (int first = 0; first < digits; first += GROUP) {
        const int d = first + get_local_id(0);
        OFFSET before = 0, all = 0;
        for (int c = 0; d < digits && c < added; ++c) {
            if (c == chunk) before = all;
            all += table[d * chunks + c];
        }
        before += lower + group_scan(shared, all, &total);
        if (d < digits) next[d] = counted ? before : table[d * chunks + chunk];
        lower += total;
    }
}

/* A tile is sorted in local memory first (as digit and index in the tile, 16 bits each), so that
 * items of one digit are stored next to each other. next[d]: position of the next item of digit d;
 * while a tile is moved, minus the index of the first one in the sorted tile. */
KERNEL sort_move(KEYS, MOVES, __global const OFFSET *table, int counted) {
    __local uint items[SPREAD(TILE)];
    __local OFFSET shared[GROUP], next[MAX_DIGITS];
    OPEN_CHUNK;
    find_next(table, counted, mask + 1, chunks, chunk, shared, next);
    for (OFFSET first = begin; first < end; first += TILE) {
        const int size = (int)min(end - first, (OFFSET)TILE);
        UNROLL_TWO
        for (int j = lane; j < TILE; j += GROUP)
            items[SPREAD(j)] =
                j < size ? (uint)DIGIT(KEY_AT(first + j)) << 16 | (uint)j : 0xffffffffu;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int bit = 16; bit == 16 || mask >> (bit - 16) > 0; bit += 4)
            sort_nibble(items, shared, bit);
        UNROLL_TWO
        for (int j = lane; j < size; j += GROUP) {
            const uint d = items[SPREAD(j)] >> 16;
            if (j == 0 || items[SPREAD(j - 1)] >> 16 != d) next[d] -= j;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL_TWO
        for (int j = lane; j < size; j += GROUP) {
            const uint item = items[SPREAD(j)];
            const OFFSET i = first + (OFFSET)(item & 0xffffu), place = next[item >> 16] + j;
            MOVE(place, i);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL_TWO
        for (int j = lane; j < size; j += GROUP) {
            const uint d = items[SPREAD(j)] >> 16;
            if (j == size - 1 || items[SPREAD(j + 1)] >> 16 != d) next[d] += j + 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Sixteen bits of the keys at a time, beside the indices of the items; `shift` is the number of all
 * bits. Places without an item stay behind all items, as the sort is stable. */
KERNEL sort_small(KEYS, MOVES) {
    __local uint items[SPREAD(TILE)];
    __local OFFSET shared[GROUP];
    const int lane = get_local_id(0), n = (int)item_count_of(capacity, count, count64, count_at);
    for (int j = lane; j < TILE; j += GROUP) items[SPREAD(j)] = (uint)j;
    for (int from = 0; from == 0 || from < shift; from += 16) {
        const int width = min(shift - from, 16);
        UNROLL_TWO
        for (int j = lane; j < TILE; j += GROUP) {
            const uint i = items[SPREAD(j)] & 0xffffu;
            const uint digit = (int)i < n ? (uint)(KEY_AT(i) >> from) & ((1u << width) - 1) : 0xffffu;
            items[SPREAD(j)] = digit << 16 | i;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int bit = 0; bit < width; bit += 4) sort_nibble(items, shared, 16 + bit);
    }
    UNROLL_TWO
    for (int j = lane; j < n; j += GROUP) {
        const uint i = items[SPREAD(j)] & 0xffffu;
        MOVE(j, i);
    }
}

#else

#define MAX_DIGITS 2048

#define OPEN_CHUNK                                                                                 \
    const long n = item_count_of(capacity, count, count64, count_at);                              \
    const long w = get_group_id(0), chunks = get_num_groups(0);                                    \
    const OFFSET begin = chunk_begin(n, chunks, w), end = chunk_begin(n, chunks, w + 1)

KERNEL sort_count(KEYS, __global OFFSET *table) {
    OFFSET found[MAX_DIGITS];
    OPEN_CHUNK;
    for (int d = 0; d <= mask; ++d) found[d] = 0;
    for (OFFSET i = begin; i < end; ++i) ++found[DIGIT(KEY_AT(i))];
    for (int d = 0; d <= mask; ++d) table[d * chunks + w] = found[d];
}

KERNEL sort_move(KEYS, MOVES, __global const OFFSET *table, int counted) {
    OFFSET next[MAX_DIGITS];
    OPEN_CHUNK;
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
