/* segment.cl: the runs of equal keys in a sorted array. After scan.cl.
 *
 * Defines  segment_count, segment_write
 * Range    both: one group per chunk; the same number of groups
 * Memory   sums: one OFFSET per chunk
 * Types    keys are INDEX, positions OFFSET
 */

#define KEYS                                                                                       \
    __global const INDEX *keys, long keys_at, long capacity, __global const void *count,           \
        long count_at, int count64
#define OPEN_KEYS                                                                                  \
    const long n = item_count_of(capacity, count, count64, count_at);                              \
    const long w = get_group_id(0), chunks = get_num_groups(0);                                    \
    const long begin = chunk_begin(n, chunks, w), end = chunk_begin(n, chunks, w + 1);             \
    keys += keys_at

static int begins_run(__global const INDEX *keys, long i) {
    return i == 0 || keys[i] != keys[i - 1];
}

#if SPC_GPU

KERNEL segment_count(KEYS, __global OFFSET *sums) {
    __local OFFSET shared[GROUP];
    OPEN_KEYS;
    OFFSET mine = 0, total;
    for (long i = begin + get_local_id(0); i < end; i += GROUP) mine += begins_run(keys, i);
    group_scan(shared, mine, &total);
    if (get_local_id(0) == 0) sums[w] = total;
}

KERNEL segment_write(KEYS, __global OFFSET *starts, __global INDEX *unique,
                     long unique_at, __global long *found, long found_at,
                     __global const OFFSET *sums) {
    __local OFFSET shared[GROUP];
    OPEN_KEYS;
    if (unique) unique += unique_at;
    OFFSET before = group_sum(shared, sums, w);
    for (long tile = begin; tile < end; tile += GROUP * RUN) {
        const long first = tile + get_local_id(0) * RUN, last = min(first + RUN, end);
        OFFSET mine = 0, total;
        for (long i = first; i < last; ++i) mine += begins_run(keys, i);
        mine = before + group_scan(shared, mine, &total);
        before += total;
        for (long i = first; i < last; ++i) {
            if (!begins_run(keys, i)) continue;
            starts[mine] = i;
            if (unique) unique[mine] = keys[i];
            ++mine;
        }
    }
    if (w == chunks - 1 && get_local_id(0) == 0) {
        starts[before] = n;
        found[found_at] = before;
    }
}

#else

KERNEL segment_count(KEYS, __global OFFSET *sums) {
    OPEN_KEYS;
    OFFSET sum = 0;
    for (long i = begin; i < end; ++i) sum += begins_run(keys, i);
    sums[w] = sum;
}

KERNEL segment_write(KEYS, __global OFFSET *starts, __global INDEX *unique,
                     long unique_at, __global long *found, long found_at,
                     __global const OFFSET *sums) {
    OPEN_KEYS;
    if (unique) unique += unique_at;
    OFFSET place = 0;
    for (long v = 0; v < w; ++v) place += sums[v];
    for (long i = begin; i < end; ++i) {
        if (!begins_run(keys, i)) continue;
        starts[place] = i;
        if (unique) unique[place] = keys[i];
        ++place;
    }
    if (w == chunks - 1) {
        starts[place] = n;
        found[found_at] = place;
    }
}

#endif
