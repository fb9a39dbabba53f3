/* coalesce.cl: sums of runs of entries that are adjacent in an order. After scan.cl.
 *
 * Defines  coalesce_blocks, coalesce_sums, coalesce_indices
 * Range    coalesce_blocks: FOR_EACH; the others on CPU class: one group per partition (the runs
 *          that begin in an equal range of the entries), on GPU class: FOR_EACH over runs
 * Memory   blocks: one REAL for each full SPC_BLOCK entries, and one more
 * Order    docs/numerics.md, rule R; SPC_BLOCK entries per block. The blocks of a run longer than
 *          that are summed first: a block has at most one entry whose position is a multiple of
 *          SPC_BLOCK, and its sum is stored under that multiple. Only a run's last block may have
 *          none.
 */

/* Run u, of *found runs, is entries starts[u] .. starts[u + 1] of the order. Entry k of the order
 * is places[k], or k where places is NULL. */
#define RUNS                                                                                       \
    __global const OFFSET *starts, __global const long *found, long found_at,                      \
        __global const OFFSET *places
#define PLACE(k) (places ? (long)places[k] : (long)(k))

#if SPC_GPU
#define FOR_EACH_RUN(u, runs) FOR_EACH(u, runs)
#else
#define FOR_EACH_RUN(u, runs)                                                                      \
    for (long n = starts[runs], partition = get_group_id(0), partitions = get_num_groups(0),       \
              u = find_offset(starts, 0, runs, chunk_begin(n, partitions, partition)),             \
              end = find_offset(starts, 0, runs, chunk_begin(n, partitions, partition + 1));       \
         u < end; ++u)
#endif

static REAL sum_block(__global const STORED *values, __global const OFFSET *places, long begin,
                      long end) {
    REAL sum = READ_AT(values, PLACE(begin));
    IN_ORDER
    for (long k = begin + 1; k < end; ++k) sum += READ_AT(values, PLACE(k));
    return sum;
}

KERNEL coalesce_blocks(RUNS, __global const STORED *values, long values_at,
                       __global REAL *blocks) {
    const long runs = found[found_at], n = starts[runs];
    values += values_at;
    FOR_EACH(b, (n + SPC_BLOCK - 1) / SPC_BLOCK) {
        const long at = b * SPC_BLOCK, u = find_offset(starts, 0, runs, at + 1) - 1;
        const long begin = starts[u], end = starts[u + 1];
        if (end - begin <= SPC_BLOCK) continue;
        const long first = begin + (at - begin) / SPC_BLOCK * SPC_BLOCK;
        blocks[b] = sum_block(values, places, first, min(first + SPC_BLOCK, end));
    }
}

KERNEL coalesce_sums(RUNS, __global const STORED *values, long values_at, __global STORED *to,
                     long to_at, __global const REAL *blocks) {
    const long runs = found[found_at];
    values += values_at;
    to += to_at;
    FOR_EACH_RUN(u, runs) {
        const long begin = starts[u], last = starts[u + 1];
        if (last - begin <= SPC_BLOCK) {
            WRITE_AT(to, u, sum_block(values, places, begin, last));
            continue;
        }
        REAL total = 0;
        IN_ORDER
        for (long first = begin; first < last; first += SPC_BLOCK) {
            const long at = (first + SPC_BLOCK - 1) / SPC_BLOCK;
            const REAL sum = at * SPC_BLOCK < last ? blocks[at]
                                                   : sum_block(values, places, first, last);
            total = first == begin ? sum : total + sum;
        }
        WRITE_AT(to, u, total);
    }
}

/* to[u] := the index of the first entry of run u. */
KERNEL coalesce_indices(RUNS, __global INDEX *to, long to_at, __global const INDEX *from,
                        long from_at) {
    const long runs = found[found_at];
    to += to_at;
    from += from_at;
    FOR_EACH_RUN(u, runs) to[u] = from[PLACE(starts[u])];
}
