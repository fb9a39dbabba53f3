/* partition.cl: rows or runs of items, divided into parts of similar work. A row is divided at its
 * own blocks of SPC_BLOCK items, so this changes no bit. On many lanes after panel.cl.
 *
 * Many lanes: a unit has at most one block, which a team of lanes computes. Unit windows + r is the
 * first block of row r. Unit w < windows is the later block of a row that begins in window w: items
 * w SPC_BLOCK .. (w + 1) SPC_BLOCK, counted from the first row's first. There is at most one, in the
 * row of the window's first item: later blocks of one row begin SPC_BLOCK items apart, those of two
 * rows further. So entries give the units, without a list. Without windows no row is divided: unit r
 * is all of row r.
 * Few wide cores: partitions of equal work, each of a worker; a long row may begin in one and end in
 * a later one.
 *
 * Defines  many lanes: unit, find_unit, FOR_UNITS, TEAM_LANE, SLOT; long_row, find_long_row: rows of
 *          several blocks, whose sums are added by a second kernel, FOR_UNITS over the windows, by what
 *          EACH_WIDTH(SUM_BLOCKS) defines: sum_blocks
 *          few wide cores: place, partition, blocks_of, partition_begin, find_partition,
 *          make_unsplit, partition_reaches, partition_of_group
 * Memory   owner: for each window the row whose second block begins in it, or -1; written by lane 0
 *          of the teams of the first kernel. parts: the sums of blocks of long rows. Slot w is that
 *          of the later block in window w, slot windows + w that of the first block of the row that
 *          begins in window w; a slot has `width` elements and up to three more (SLOT)
 */
#if SPC_GPU

/* Where rows begin; that of bags is bags.cl's. */
#ifndef ROW_LIST
#define ROW_LIST           __global const OFFSET *
#define ROW_BEGIN(list, r) ((SIZE)(list)[r])
#define ROW_OFFSETS(list)  (list)
#endif

typedef struct {
    SIZE row;        /* -1: none */
    SIZE begin, end; /* its items */
    SIZE slot;       /* of its sum; -1: it is a complete row */
} unit;

/* (No structs are returned: Oclgrind 21.10 does not support the code that LLVM makes of them.) */
ALWAYS_INLINE void first_block(unit *p, ROW_LIST list, SIZE rows, SIZE windows, SIZE row) {
    if (row >= rows) return;
    p->row = row;
    p->begin = ROW_BEGIN(list, row);
    p->end = ROW_BEGIN(list, row + 1);
    if (windows == 0 || p->end - p->begin <= SPC_BLOCK) return;
    p->slot = windows + (p->begin - ROW_BEGIN(list, 0)) / SPC_BLOCK;
    p->end = p->begin + SPC_BLOCK;
}

/* Returns the row whose second block this is, or -1. */
ALWAYS_INLINE SIZE later_block(unit *p, ROW_LIST list, SIZE rows, SIZE w) {
    const SIZE first = ROW_BEGIN(list, 0) + w * SPC_BLOCK;
    if (first >= ROW_BEGIN(list, rows)) return -1;
    const SIZE row = row_of_entry(ROW_OFFSETS(list), 0, rows, first), start = ROW_BEGIN(list, row);
    const SIZE blocks = (first - start + SPC_BLOCK - 1) / SPC_BLOCK;
    const SIZE begin = start + blocks * SPC_BLOCK, end = ROW_BEGIN(list, row + 1);
    if (blocks <= 0 || begin >= end) return -1;
    p->row = row;
    p->begin = begin;
    p->end = min(begin + SPC_BLOCK, end);
    p->slot = w;
    return blocks == 1 ? row : -1;
}

/* Unit u. Lane 0 also sets owner[w]. */
ALWAYS_INLINE void find_unit(unit *p, ROW_LIST list, SIZE rows, SIZE windows, SIZE u,
                      __global SIZE *owner, int lane) {
    p->row = p->slot = -1;
    p->begin = p->end = 0;
    if (u >= windows) {
        first_block(p, list, rows, windows, u - windows);
        return;
    }
    const SIZE second_of = later_block(p, list, rows, u);
    if (lane == 0) owner[u] = second_of;
}

#define SLOT(i) ((SIZE)(i) * (((SIZE)width + 3) & ~3))

/* Teams of 1 << shift lanes, which all execute the body. */
#define TEAM_LANE(shift) ((int)get_local_id(0) & ((1 << (shift)) - 1))
#define FOR_UNITS(u, count, shift)                                                                 \
    for (SIZE u = ((SIZE)get_group_id(0) * GROUP + (SIZE)get_local_id(0)) >> (shift),              \
              u##_step = ((SIZE)get_num_groups(0) * GROUP) >> (shift);                             \
         u < (count); u += u##_step)

/* A row of several blocks, which owns window w: its sum is that of slot `first`, then those of slots
 * begin .. end. */
typedef struct {
    SIZE row, first, begin, end;
} long_row;

/* False where the window has no owner. */
ALWAYS_INLINE int find_long_row(long_row *p, ROW_LIST list, SIZE windows, SIZE w,
                         __global const SIZE *owner) {
    const SIZE row = owner[w];
    if (row < 0) return 0;
    p->row = row;
    p->first = windows + w - 1;
    p->begin = w;
    p->end = w + (ROW_BEGIN(list, row + 1) - ROW_BEGIN(list, row) - 1) / SPC_BLOCK;
    return 1;
}

/* The sum of the blocks of a long row. */
#define SUM_BLOCKS(T, n)                                                                           \
    ALWAYS_INLINE T sum_blocks##n(__global const REAL *parts, const long_row *p, SIZE width,       \
                                  SIZE j) {                                                        \
        T sum = LOAD##n(parts + SLOT(p->first) + j);                                               \
        IN_ORDER                                                                                   \
        for (SIZE q = p->begin; q < p->end; ++q) sum += LOAD##n(parts + SLOT(q) + j);              \
        return sum;                                                                                \
    }

#else

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
