/* compact.cl: the positions of the items that have a mark. After scan.cl.
 *
 * Defines  compact_count, compact_write
 * Range    both: one group per chunk; the same number of groups
 * Memory   sums: one OFFSET per chunk
 * Types    positions are OFFSET
 */

#define MARKS __global const uchar *marks, long capacity, __global const long *count, long count_at
#define OPEN_MARKS                                                                                 \
    const long n = item_count(capacity, count, count_at);                                          \
    const long w = get_group_id(0), chunks = get_num_groups(0);                                    \
    const long begin = chunk_begin(n, chunks, w), end = chunk_begin(n, chunks, w + 1)

#if SPC_GPU

KERNEL compact_count(MARKS, __global OFFSET *sums) {
    __local OFFSET shared[GROUP];
    OPEN_MARKS;
    OFFSET mine = 0, total;
    for (long i = begin + get_local_id(0); i < end; i += GROUP)
        mine += marks[i];
    group_scan(shared, mine, &total);
    if (get_local_id(0) == 0) sums[w] = total;
}

KERNEL compact_write(MARKS, __global OFFSET *places, __global long *found,
                     __global const OFFSET *sums) {
    __local OFFSET shared[GROUP];
    OPEN_MARKS;
    OFFSET before = group_sum(shared, sums, w);
    for (long tile = begin; tile < end; tile += GROUP * RUN) {
        const long first = tile + get_local_id(0) * RUN, last = min(first + RUN, end);
        OFFSET mine = 0, total;
        for (long i = first; i < last; ++i)
            mine += marks[i];
        mine = before + group_scan(shared, mine, &total);
        before += total;
        for (long i = first; i < last; ++i)
            if (marks[i]) places[mine++] = (OFFSET)i;
    }
    if (w == chunks - 1 && get_local_id(0) == 0) found[0] = before;
}

#else

KERNEL compact_count(MARKS, __global OFFSET *sums) {
    OPEN_MARKS;
    OFFSET sum = 0;
    for (long i = begin; i < end; ++i)
        sum += marks[i];
    sums[w] = sum;
}

/* Each position is written, and replaced by the next where there is no mark: no branch depends on
 * marks. A chunk ends with its last mark. */
KERNEL compact_write(MARKS, __global OFFSET *places, __global long *found,
                     __global const OFFSET *sums) {
    OPEN_MARKS;
    OFFSET place = 0;
    for (long v = 0; v < w; ++v)
        place += sums[v];
    const OFFSET last = chunks > 1 ? place + sums[w] : (OFFSET)n;
    for (long i = begin; i < end && place < last; ++i) {
        places[place] = (OFFSET)i;
        place += marks[i];
    }
    if (w == chunks - 1) found[0] = place;
}

#endif
