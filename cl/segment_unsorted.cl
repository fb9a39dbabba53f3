/* segment_unsorted.cl: one short row for each segment of rows of a dense array, by ids in no order, on
 * few wide cores. Each worker reads all ids, and folds the rows of the segments that it owns: the rows
 * are read in order, and nothing is sorted. After panel.cl, scan.cl, a file fold_X.cl and blocks.cl.
 *
 * Defines  segment_unsorted
 * Range    one group for each worker
 * Memory   counts: rows of each segment; sums: what the blocks before the last one give, in `slots`
 *          of a worker, for segments of more than SPC_BLOCK rows; slot: which slot such a segment has
 * Order    docs/numerics.md, rule R
 */
#if !SPC_GPU

/* So many ids after one another have the same owner. */
#define OWNED 32
/* Ids that a worker examines at once. */
#define CHUNK 1024

/* Frequent ids may be next to each other, so that owners are chosen by a hash. */
ALWAYS_INLINE uint owner_of(INDEX id, uint owners) {
    return (((uint)(id / OWNED) * 2654435761u) >> 16) * owners >> 16;
}

/* The segments of this worker. */
#define FOR_OWN(id)                                                                                \
    for (long block = 0; block < limit; block += OWNED)                                            \
        if (owner_of((INDEX)block, owners) == mine)                                                \
            for (long id = block; id < min(block + OWNED, limit); ++id)

/* The positions of a worker's ids among `count` ids; their number. */
static int find_own(__global const INDEX *ids, int count, uint owners, uint mine, int *found) {
    uchar is_own[CHUNK];
    int size = 0;
    for (int i = 0; i < count; ++i) is_own[i] = owner_of(ids[i], owners) == mine;
    for (int i = 0; i < count; ++i) {
        found[size] = i;
        size += is_own[i];
    }
    return size;
}

typedef struct {
    __global STORED *to;
    __global REAL *sums;
    __global int *slot;
    long to_ld, width;
    int next; /* the next free slot */
} results;

/* The last full block of a segment that has `count` rows is complete. */
static void keep_block(results *r, long id, long count) {
    __global const STORED *const block = r->to + id * r->to_ld;
    if (count == SPC_BLOCK) r->slot[id] = r->next++;
    __global REAL *const sum = r->sums + r->slot[id] * r->width;
    for (long j = 0; j < r->width; ++j) {
        const REAL item = READ_AT(block, j);
        sum[j] = count == SPC_BLOCK ? item : FOLD(sum[j], item);
    }
}

/* Begin a block with a row, or fold the row into it: n elements. */
#define BLOCK_PANEL(T, n)                                                                          \
    ALWAYS_INLINE void begin_panel##n(__global const STORED *x, __global STORED *block) {          \
        const T item = GET##n(x);                                                                  \
        SET##n(TERM(n, item, x, 0), block);                                                        \
    }                                                                                              \
    ALWAYS_INLINE void fold_panel##n(__global const STORED *x, __global STORED *block) {           \
        const T before = GET##n(block), item = GET##n(x), term = TERM(n, item, x, 0);              \
        SET##n(FOLD(before, term), block);                                                         \
    }
EACH_WIDTH(BLOCK_PANEL)

ALWAYS_INLINE void fold_row(__global const STORED *x, __global STORED *block, long width,
                            int is_first) {
#define BEGIN(n, j) begin_panel##n(x + (j), block + (j))
#define INTO(n, j)  fold_panel##n(x + (j), block + (j))
    if (is_first) {
        EACH_PANEL(j, width, BEGIN);
    } else {
        EACH_PANEL(j, width, INTO);
    }
#undef BEGIN
#undef INTO
}

#define FILL_PANEL(T, n)                                                                           \
    ALWAYS_INLINE void fill_panel##n(REAL number, __global STORED *to) {                           \
        SET##n((T)(number), to);                                                                   \
    }
EACH_WIDTH(FILL_PANEL)

/* The result of a segment of `count` rows, whose last block is in its place. */
static void finish_row(const results *r, long id, long count, int finish) {
    __global STORED *const to = r->to + id * r->to_ld;
    if (count == 0) {
        const REAL nothing = finish_number(finish, 0, 0, FOLD_PICKS ? 0 : FOLD_START);
#define FILL(n, j) fill_panel##n(nothing, to + (j))
        EACH_PANEL(j, r->width, FILL);
#undef FILL
    } else if (finish != 0 || count > SPC_BLOCK) {
        for (long j = 0; j < r->width; ++j) {
            REAL total = READ_AT(to, j);
            if (count > SPC_BLOCK) total = FOLD(r->sums[r->slot[id] * r->width + j], total);
            total = finish_number(finish, count, 0, total);
            WRITE_AT(to, j, total);
        }
    }
}

KERNEL segment_unsorted(__global const INDEX *ids, long ids_at, long items, long limit,
                        __global const STORED *x, long x_at, long ld, long width, int finish,
                        __global STORED *to, long to_at, long to_ld, __global OFFSET *counts,
                        __global int *slot, __global REAL *sums, long slots) {
    const uint owners = get_num_groups(0), mine = get_group_id(0);
    results r = {to + to_at, sums, slot, to_ld, width, (int)(mine * slots)};
    int own[CHUNK];
    x += x_at;
    ids += ids_at;
    FOR_OWN(id) counts[id] = 0;
    for (long first = 0; first < items; first += CHUNK) {
        const int size = (int)min(items - first, (long)CHUNK);
        const int found = find_own(ids + first, size, owners, mine, own);
        for (int i = 0; i < found; ++i) {
            const long k = first + own[i], id = ids[k], count = counts[id];
            const int is_first = count % SPC_BLOCK == 0;
            counts[id] = (OFFSET)(count + 1);
            if (is_first && count > 0) keep_block(&r, id, count);
            __global STORED *const block = r.to + id * to_ld;
            if (width == 1) {
                const REAL item = READ_AT(x, k * ld), term = TERM(1, item, x, 0);
                const REAL before = READ_AT(block, 0);
                WRITE_AT(block, 0, is_first ? term : FOLD(before, term));
            } else {
                fold_row(x + k * ld, block, width, is_first);
            }
        }
    }
    FOR_OWN(id) finish_row(&r, id, counts[id], finish);
}

#endif
