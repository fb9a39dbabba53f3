/* scan.cl: exclusive prefix sums: each chunk is summed, then scanned from where it begins.
 *
 * Defines  scan_sum, scan_write; for the files after it: find_index, find_offset; many lanes: INLINE,
 *          GROUP_SCAN, group_scan, group_sum, RUN
 * Range    both: one group per chunk; the same number of groups
 * Memory   sums: one OFFSET per chunk
 * Types    numbers are INDEX, sums OFFSET
 */

/* The first of the ascending numbers low .. count - 1 that is at least x, or count. A galloping
 * search, which is fast where the result is near `low`. */
#define FIND(name, TYPE)                                                                           \
    static long name(__global const TYPE *numbers, long low, long count, long x) {                 \
        long high = low;                                                                           \
        for (long step = 1; high < count && numbers[high] < x; step *= 2) {                        \
            low = high + 1;                                                                        \
            high += step;                                                                          \
        }                                                                                          \
        high = min(high, count);                                                                   \
        while (low < high) {                                                                       \
            const long middle = (low + high) / 2;                                                  \
            if (numbers[middle] < x)                                                               \
                low = middle + 1;                                                                  \
            else                                                                                   \
                high = middle;                                                                     \
        }                                                                                          \
        return low;                                                                                \
    }
FIND(find_index, INDEX)
FIND(find_offset, OFFSET)

#if SPC_GPU

/* For functions with local memory as an argument. Where such a function passes the array on to
 * another function, PoCL 3.1 makes it a variable of the program: a single one, which all groups
 * overwrite. */
#define INLINE static inline __attribute__((always_inline))

/* The sum of x over the lower lanes, and over all lanes. All lanes of the group must call it. Lanes
 * add those below them in sixteen neighbours, then the sums of sixteen below: four barriers, where a
 * tree would take fourteen and more. */
#define SIXTEEN_LANES 16

#define GROUP_SCAN(name, TYPE)                                                                     \
    INLINE TYPE name(__local TYPE *sums, TYPE x, TYPE *total) {                                    \
        const int i = get_local_id(0), own = i / SIXTEEN_LANES, first = own * SIXTEEN_LANES;       \
        TYPE before = 0, all = 0;                                                                  \
        sums[i] = x;                                                                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (int k = first; k < i; ++k) before += sums[k];                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        if (i == first + SIXTEEN_LANES - 1) sums[own] = before + x;                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (int k = 0; k < GROUP / SIXTEEN_LANES; ++k) {                                          \
            if (k == own) before += all;                                                           \
            all += sums[k];                                                                        \
        }                                                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        *total = all;                                                                              \
        return before;                                                                             \
    }
GROUP_SCAN(group_scan, OFFSET)

/* The sum of `count` numbers, on every lane. */
INLINE OFFSET group_sum(__local OFFSET *sums, __global const OFFSET *x, long count) {
    OFFSET mine = 0, total;
    for (long i = get_local_id(0); i < count; i += GROUP) mine += x[i];
    group_scan(sums, mine, &total);
    return total;
}

/* Consecutive items of a lane. */
#define RUN 8

KERNEL scan_sum(__global const INDEX *from, long from_at, long n, __global OFFSET *sums) {
    __local OFFSET shared[GROUP];
    from += from_at;
    const long w = get_group_id(0), chunks = get_num_groups(0);
    const long end = chunk_begin(n, chunks, w + 1);
    OFFSET mine = 0, total;
    for (long i = chunk_begin(n, chunks, w) + get_local_id(0); i < end; i += GROUP) mine += from[i];
    group_scan(shared, mine, &total);
    if (get_local_id(0) == 0) sums[w] = total;
}

KERNEL scan_write(__global const INDEX *from, long from_at, __global OFFSET *to, long to_at, long n,
                  __global const OFFSET *sums) {
    __local OFFSET shared[GROUP];
    from += from_at;
    to += to_at;
    const long w = get_group_id(0), chunks = get_num_groups(0);
    const long begin = chunk_begin(n, chunks, w), end = chunk_begin(n, chunks, w + 1);
    OFFSET before = group_sum(shared, sums, w);
    for (long tile = begin; tile < end; tile += GROUP * RUN) {
        const long first = tile + get_local_id(0) * RUN, last = min(first + RUN, end);
        OFFSET mine = 0, total;
        for (long i = first; i < last; ++i) mine += from[i];
        mine = before + group_scan(shared, mine, &total);
        before += total;
        for (long i = first; i < last; ++i) {
            const OFFSET x = from[i];
            to[i] = mine;
            mine += x;
        }
    }
    if (w == chunks - 1 && get_local_id(0) == 0) to[n] = before;
}

#else

KERNEL scan_sum(__global const INDEX *from, long from_at, long n, __global OFFSET *sums) {
    from += from_at;
    const long w = get_group_id(0), chunks = get_num_groups(0);
    const long end = chunk_begin(n, chunks, w + 1);
    OFFSET sum = 0;
    for (long i = chunk_begin(n, chunks, w); i < end; ++i) sum += from[i];
    sums[w] = sum;
}

KERNEL scan_write(__global const INDEX *from, long from_at, __global OFFSET *to, long to_at, long n,
                  __global const OFFSET *sums) {
    from += from_at;
    to += to_at;
    const long w = get_group_id(0), chunks = get_num_groups(0);
    const long end = chunk_begin(n, chunks, w + 1);
    OFFSET sum = 0;
    for (long v = 0; v < w; ++v) sum += sums[v];
    for (long i = chunk_begin(n, chunks, w); i < end; ++i) {
        const OFFSET x = from[i];
        to[i] = sum;
        sum += x;
    }
    if (w == chunks - 1) to[n] = sum;
}

#endif
