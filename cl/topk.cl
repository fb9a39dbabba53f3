/* topk.cl: the k largest elements of each row of a dense matrix. After scan.cl.
 *
 * Elements are compared by keys: unsigned numbers made of their bits, in the same order, where 0
 * equals -0 and a NaN is above all. The k-th largest of some keys is found from the highest bit on:
 * the largest number that k keys reach.
 *
 * Defines  topk
 * Macros   SPC_VARIANT: lanes: rows of at most 64 elements, by teams of eight
 * Range    topk: wide cores: FOR_EACH over rows; lanes: chunks of rows by group, or rows by team
 * Memory   wide cores: found, found_cols: `slots` keys, and columns, of candidates for each worker.
 *          Only an element above the k-th largest candidate becomes one; when there is no space,
 *          the best k are kept, in their order
 * Order    columns ascend; of equal elements the first ones are taken
 */

#define KEY_BITS ((int)sizeof(WORD) * 8)
#define TOP      ((WORD)((WORD)1 << (KEY_BITS - 1)))

/* `infinity`: its bits; bits above it, without the sign, are a NaN. */
ALWAYS_INLINE WORD key_of(WORD x, WORD infinity, int by_magnitude) {
    const WORD magnitude = x & (WORD)(TOP - 1);
    const WORD ordered = x & TOP ? (WORD)(TOP - magnitude) : (WORD)(TOP + magnitude);
    const WORD key = by_magnitude ? magnitude : ordered;
    return magnitude > infinity ? (WORD)~(WORD)0 : key;
}

/* Where row r of the result, which has k entries, begins and ends. */
static void put_offsets(__global OFFSET *offsets, long r, long k) {
    if (r == 0) offsets[0] = 0;
    offsets[r + 1] = (OFFSET)((r + 1) * k);
}

#if !SPC_GPU

/* Elements of a row that are looked at together. */
#define BLOCK 64

typedef struct {
    __global WORD *keys;
    __global INDEX *cols;
    int count;
    WORD above; /* keys up to this one are no candidates, if `is_full` */
    int is_full;
} candidates;

/* Keep the k largest, in their order. */
static void keep_best(candidates *c, int k) {
    __global WORD *keys = c->keys;
    const int count = c->count;
    WORD least = 0;
    int above = 0, kept = 0;
    for (int bit = KEY_BITS - 1; bit >= 0; --bit) {
        const WORD trial = least | (WORD)((WORD)1 << bit);
        int reached = 0;
        for (int i = 0; i < count; ++i) reached += keys[i] >= trial;
        if (reached >= k) least = trial;
        if (reached == k) break;
    }
    for (int i = 0; i < count; ++i) above += keys[i] > least;
    int equal = k - above; /* as many of those that equal it are kept */
    for (int i = 0; i < count; ++i) {
        const WORD key = keys[i];
        const int is_equal = key == least && equal > 0;
        equal -= is_equal;
        keys[kept] = key;
        c->cols[kept] = c->cols[i];
        kept += key > least || is_equal;
    }
    c->count = kept;
    c->above = least;
    c->is_full = 1;
}

KERNEL topk(__global const WORD *x, long x_at, long ld, long m, long n, long k, long infinity,
            int by_magnitude, __global WORD *found, __global INDEX *found_cols, long slots,
            __global OFFSET *offsets, long offsets_at, __global INDEX *indices, long indices_at,
            __global WORD *values, long values_at) {
    const WORD inf = (WORD)infinity;
    FOR_EACH(r, m) {
        put_offsets(offsets + offsets_at, r, k);
        __global const WORD *row = x + x_at + r * ld;
        candidates c = {found + get_global_id(0) * slots, found_cols + get_global_id(0) * slots, 0, 0,
                        0};
        for (long first = 0; first < n; first += BLOCK) {
            const int width = (int)min((long)BLOCK, n - first);
            if (c.is_full && width == BLOCK) {
                const WORD above = c.above;
                int candidates_here = 0;
                for (int i = 0; i < BLOCK; ++i)
                    candidates_here += key_of(row[first + i], inf, by_magnitude) > above;
                if (candidates_here == 0) continue;
            }
            if (c.count + BLOCK > slots) keep_best(&c, (int)k);
            if (!c.is_full) {
                for (int i = 0; i < width; ++i) {
                    c.keys[c.count + i] = key_of(row[first + i], inf, by_magnitude);
                    c.cols[c.count + i] = (INDEX)(first + i);
                }
                c.count += width;
                continue;
            }
            for (int i = 0; i < width; ++i) {
                const WORD key = key_of(row[first + i], inf, by_magnitude);
                c.keys[c.count] = key;
                c.cols[c.count] = (INDEX)(first + i);
                c.count += key > c.above;
            }
        }
        if (c.count > k) keep_best(&c, (int)k);
        for (long i = 0; i < k; ++i) {
            indices[indices_at + r * k + i] = c.cols[i];
            values[values_at + r * k + i] = row[c.cols[i]];
        }
    }
}

#else

#if SPC_VARIANT
#define TEAM       8
#define DIGIT_BITS 4

/* As group_scan, of the lanes of a team. */
INLINE OFFSET team_scan(__local OFFSET *sums, OFFSET x, OFFSET *total) {
    const int i = get_local_id(0), first = i / TEAM * TEAM;
    OFFSET before = 0, all = 0;
    sums[i] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = first; k < first + TEAM; ++k) {
        if (k == i) before = all;
        all += sums[k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *total = all;
    return before;
}
#else
#define TEAM       GROUP
#define DIGIT_BITS 8
#define team_scan  group_scan
#endif
#define TEAMS    (GROUP / TEAM)
#define DIGITS   (2 * TEAM) /* two of each lane */
#define OF_LANE  8          /* consecutive elements of a lane */
#define KEY_AT(j) key_of(row[j], inf, by_magnitude)

/* Of each of the `chunks` of a row, to k elements of its own of the result: the k-th largest key digit
 * by digit, from the highest: of keys that agree in the higher ones, how many have each digit. Then
 * the elements above it, and the first ones that equal it. Element j of a row is of column j, or of
 * column from_cols[j] of that row. offsets: NULL, or one chunk is a row. */
KERNEL topk(__global const WORD *x, long x_at, long ld, long m, long n, long k, long infinity,
            int by_magnitude, long chunks, __global const INDEX *from_cols,
            __global OFFSET *offsets, long offsets_at, __global INDEX *indices, long indices_at,
            __global WORD *values, long values_at) {
    __local OFFSET shared[GROUP];
    __local uint counts_of[2 * GROUP], chosen_of[2 * TEAMS];
    const WORD inf = (WORD)infinity;
    const int l = get_local_id(0), team = TEAMS == 1 ? 0 : l / TEAM, lane = l - team * TEAM;
    __local uint *const counts = counts_of + team * DIGITS, *const chosen = chosen_of + 2 * team;
    for (long set = get_group_id(0) * TEAMS; set < m * chunks; set += get_num_groups(0) * TEAMS) {
        const int live = TEAMS == 1 || set + team < m * chunks;
        const long u = live ? set + team : set; /* all lanes must meet barriers */
        const long r = u / chunks, chunk = u - r * chunks;
        const long begin = chunk_begin(n, chunks, chunk), end = chunk_begin(n, chunks, chunk + 1);
        if (offsets && (live & (lane == 0))) put_offsets(offsets + offsets_at, u, k);
        __global const WORD *row = x + x_at + r * ld;
        WORD least = 0, known = 0; /* its digits that are known, and the bits of these */
        uint rest = (uint)k;       /* as many of those that agree are taken */
        for (int shift = KEY_BITS - DIGIT_BITS; shift >= 0; shift -= DIGIT_BITS) {
            for (int d = lane; d < DIGITS; d += TEAM) counts[d] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            for (long j = begin + lane; j < end; j += TEAM) {
                const WORD key = KEY_AT(j);
                if ((key & known) == least) atomic_inc(&counts[key >> shift & (DIGITS - 1)]);
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            OFFSET total;
            const int high = DIGITS - 1 - 2 * lane;
            const uint of_high = counts[high], of_low = counts[high - 1];
            const uint above = (uint)team_scan(shared, (OFFSET)(of_high + of_low), &total);
            if (above < rest && above + of_high + of_low >= rest) {
                const int is_high = above + of_high >= rest;
                chosen[0] = is_high ? high : high - 1;
                chosen[1] = is_high ? above : above + of_high;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            least |= (WORD)((WORD)chosen[0] << shift);
            known |= (WORD)((WORD)(DIGITS - 1) << shift);
            rest -= chosen[1];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        __global INDEX *to = indices + (indices_at + u * k);
        __global WORD *to_values = values + (values_at + u * k);
        uint larger = 0, equal = 0; /* before this tile */
        for (long tile = begin; tile < end; tile += TEAM * OF_LANE) {
            const long first = tile + lane * OF_LANE;
            const long last = live ? min(first + OF_LANE, end) : first;
            uint mine = 0;
            OFFSET total;
            for (long j = first; j < last; ++j) {
                const WORD key = KEY_AT(j);
                mine += key > least ? 1u : key == least ? 1u << 16 : 0u;
            }
            const uint before = (uint)team_scan(shared, (OFFSET)mine, &total);
            uint more = larger + (before & 0xffffu), same = equal + (before >> 16);
            for (long j = first; j < last; ++j) {
                const WORD key = KEY_AT(j);
                if (key < least || (key == least && same >= rest)) continue;
                const long at = (long)more + min(same, rest);
                to[at] = from_cols ? from_cols[r * ld + j] : (INDEX)j;
                to_values[at] = row[j];
                more += key > least;
                same += key == least;
            }
            larger += (uint)total & 0xffffu;
            equal += (uint)total >> 16;
        }
    }
}

#endif
