/* partition.cl: rows or runs of items, cut into shares of equal work; long ones lie across shares.
 *
 * Defines  place, share, blocks_of, partition_begin, find_partition, make_whole, partition_reaches,
 *          partition_of_group
 * Order    a row is cut at its own blocks of SPC_BLOCK items, so the cut decides no bit
 */

/* A place: block `block` of row `row`. */
typedef struct {
    long row, block;
} place;

static long blocks_of(__global const OFFSET *offsets, long row) {
    return ((long)offsets[row + 1] - offsets[row] + SPC_BLOCK - 1) / SPC_BLOCK;
}

/* Where share w begins. Work is rows + items; a share begins at a block. */
static place partition_begin(__global const OFFSET *offsets, long rows, long partitions, long w) {
    const long at = part_begin(rows + (long)offsets[rows], partitions, w);
    long low = 0, high = rows; /* the last row with offsets[row] + row <= at */
    while (low < high) {
        const long middle = (low + high + 1) / 2;
        if ((long)offsets[middle] + middle <= at)
            low = middle;
        else
            high = middle - 1;
    }
    place begin = {low, 0};
    if (low == rows) return begin;
    const long inside = at - low - (long)offsets[low];
    begin.block = (inside + SPC_BLOCK - 1) / SPC_BLOCK;
    if (begin.block > 0 && begin.block >= blocks_of(offsets, low)) {
        begin.row = low + 1;
        begin.block = 0;
    }
    return begin;
}

/* The share of a group. PoCL gives its first thread the first half of the groups, so every other share
 * goes there: where rows are alike in places, threads get alike work. */
static long partition_of_group(long group, long groups) {
#if SPC_GPU
    return group;
#else
    const long evens = (groups + 1) / 2;
    return group < evens ? 2 * group : 2 * (group - evens) + 1;
#endif
}

/* What a share does: whole rows, and blocks of a row that it did not begin or does not end. */
typedef struct {
    place begin, end;
    long head_blocks; /* blocks of row begin.row that an earlier share began; each leaves a carry */
    long first, last; /* whole rows */
    int has_tail;     /* row end.row begins here and ends in a later share */
} partition;

static partition find_partition(__global const OFFSET *offsets, long rows, long partitions, long w) {
    partition s;
    s.begin = partition_begin(offsets, rows, partitions, w);
    s.end = partition_begin(offsets, rows, partitions, w + 1);
    const int inside_one_row = s.begin.row == s.end.row;
    s.head_blocks = 0;
    if (s.begin.block > 0)
        s.head_blocks = (inside_one_row ? s.end.block : blocks_of(offsets, s.begin.row)) -
                        s.begin.block;
    s.first = s.begin.row + (s.begin.block > 0);
    s.last = s.end.row;
    s.has_tail = s.end.block > 0 && (!inside_one_row || s.begin.block == 0);
    return s;
}

/* No row lies across shares: one is done where it begins. */
static void make_whole(partition *s) {
    s->first = s->begin.row += s->begin.block > 0;
    s->last = s->end.row += s->end.block > 0;
    s->begin.block = s->end.block = s->head_blocks = s->has_tail = 0;
}

/* With which block of row `row` share w begins, which does not begin before that row; the number of
 * its blocks where share w begins behind it. As partition_begin, without its search. */
static long partition_reaches(__global const OFFSET *offsets, long rows, long row, long partitions,
                          long w) {
    const long at = part_begin(rows + (long)offsets[rows], partitions, w);
    const long inside = at - row - (long)offsets[row];
    return min((inside + SPC_BLOCK - 1) / SPC_BLOCK, blocks_of(offsets, row));
}
