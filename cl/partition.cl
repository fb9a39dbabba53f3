/* partition.cl: rows or runs of items on few wide cores, divided into partitions of equal work. A
 * long row or run may be split between partitions.
 *
 * Defines  place, partition, blocks_of, partition_begin, find_partition, make_unsplit,
 *          partition_reaches, partition_of_group
 * Order    a row is split at its own blocks of SPC_BLOCK items, so partitions change no bit
 */

#if !SPC_GPU

/* A position: block `block` of row `row`. */
typedef struct {
    long row, block;
} place;

static long blocks_of(__global const OFFSET *offsets, long row) {
    return ((long)offsets[row + 1] - offsets[row] + SPC_BLOCK - 1) / SPC_BLOCK;
}

/* Where partition w begins. Work is rows + items; a partition begins at a block. */
static place partition_begin(__global const OFFSET *offsets, long rows, long partitions, long w) {
    const long at = chunk_begin(rows + (long)offsets[rows], partitions, w);
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

/* The partition of a group. PoCL gives the first half of the groups to its first thread, so every
 * second partition goes there: where neighbouring rows are similar, both threads get similar work.
 */
static long partition_of_group(long group, long groups) {
    const long evens = (groups + 1) / 2;
    return group < evens ? 2 * group : 2 * (group - evens) + 1;
}

/* The work of a partition: complete rows, and blocks of rows that begin before it or end after it.
 */
typedef struct {
    place begin, end;
    long head_blocks; /* blocks of row begin.row, which began earlier; one carry each */
    long first, last; /* complete rows */
    int has_tail;     /* row end.row begins here and ends in a later partition */
} partition;

static partition find_partition(__global const OFFSET *offsets, long rows, long partitions,
                                long w) {
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

/* Split no row: the partition in which a row begins does all of it. */
static void make_unsplit(partition *s) {
    s->first = s->begin.row += s->begin.block > 0;
    s->last = s->end.row += s->end.block > 0;
    s->begin.block = s->end.block = s->head_blocks = s->has_tail = 0;
}

/* The block of row `row` at which partition w begins, or the number of its blocks where w begins
 * after the row. w must not begin before the row. As partition_begin, without its search. */
static long partition_reaches(__global const OFFSET *offsets, long rows, long row, long partitions,
                          long w) {
    const long at = chunk_begin(rows + (long)offsets[rows], partitions, w);
    const long inside = at - row - (long)offsets[row];
    return min((inside + SPC_BLOCK - 1) / SPC_BLOCK, blocks_of(offsets, row));
}

#endif
