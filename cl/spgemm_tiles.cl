/* spgemm_tiles.cl: the product of two CSR matrices on many lanes: rows whose work (their products, their
 * entries, and 1) is at most TILE_WORK. After spgemm.cl and scan.cl.
 *
 * A group takes as many consecutive rows as have TILE_WORK together: a tile. Its products, one after
 * another in the order in which they are added, are runs of ascending columns: one run for each
 * entry of A. The runs of a row are merged, two and two, in local memory, where equal columns keep
 * their order. Then the terms of a column are neighbours, which one lane adds.
 *
 * Defines  spgemm_team_work (of each row), spgemm_tile_symbolic (the entries of each row of the
 *          product), spgemm_tile_numeric; for spgemm_long.cl: TILE_WORK, RUN_OF, find_run, TAKE_TERM,
 *          PUT_TERM, MERGE_RUNS
 * Range    spgemm_team_work: a team of eight lanes for a row, and a group for one of more than
 *          TEAM_ENTRIES; the others: any number of groups, which have complete rows of about equal
 *          work
 * Order    docs/numerics.md, rule P
 */

#if SPC_GPU

#define TEAM_ENTRIES 256
#define TEAM_ROWS    (GROUP / 8)
/* The work of a tile (src/ops/products/spgemm_tiles.c). Positions and runs of a tile are numbers of ten bits. */
#define TILE_WORK    (4 * GROUP)

/* --- the work of rows ------------------------------------------------------------------------ */

/* The entries of A from k on, each `step`-th one, and the products with their rows of B. */
static long count_products(__global const INDEX *a_cols, __global const OFFSET *b_offsets, long k,
                           long end, int step) {
    long sum = 0;
    for (; k < end; k += step) {
        const long row = a_cols[k];
        sum += 1 + (long)b_offsets[row + 1] - b_offsets[row];
    }
    return sum;
}

/* The first row from r on with more than TEAM_ENTRIES, or last. */
static long next_wide_row(__global const OFFSET *a_offsets, long r, long last) {
    while (r < last && a_offsets[r + 1] - a_offsets[r] <= TEAM_ENTRIES) ++r;
    return r;
}

/* work[i] := the work of row i; long_work[i], unless it is NULL: the same, or 0 where it is at most
 * TILE_WORK. */
KERNEL spgemm_team_work(PATTERNS, __global long *work, __global long *long_work) {
    __local long sums[GROUP];
    const int lane = get_local_id(0) & 7;
#define PUT_WORK(i, products)                                                                      \
    {                                                                                              \
        const long all = 1 + (products);                                                           \
        work[i] = all;                                                                             \
        if (long_work) long_work[i] = all > TILE_WORK ? all : 0;                                   \
    }
    OPEN_PATTERNS;
    for (long first = get_group_id(0) * TEAM_ROWS; first < rows;
         first += get_num_groups(0) * TEAM_ROWS) {
        const long i = first + get_local_id(0) / 8, last = min(first + TEAM_ROWS, rows);
        const long begin = i < rows ? a_offsets[i] : 0, end = i < rows ? a_offsets[i + 1] : 0;
        const int is_own = i < rows && end - begin <= TEAM_ENTRIES;
        sums[get_local_id(0)] =
            count_products(a_cols, b_offsets, begin + lane, is_own ? end : begin, 8);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (is_own && lane == 0) {
            long sum = 0;
            for (int s = 0; s < 8; ++s) sum += sums[get_local_id(0) + s];
            PUT_WORK(i, sum)
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (long r = next_wide_row(a_offsets, first, last); r < last;
             r = next_wide_row(a_offsets, r + 1, last)) {
            sums[get_local_id(0)] = count_products(
                a_cols, b_offsets, (long)a_offsets[r] + get_local_id(0), a_offsets[r + 1], GROUP);
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) < 8)
                for (int s = get_local_id(0) + 8; s < GROUP; s += 8)
                    sums[get_local_id(0)] += sums[s];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (get_local_id(0) == 0) {
                long sum = 0;
                for (int s = 0; s < 8; ++s) sum += sums[s];
                PUT_WORK(r, sum)
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
#undef PUT_WORK
}

/* --- sorting a tile -------------------------------------------------------------------------- */

/* The four items of a lane, and the position of item k. */
#define EACH_OWN(M) M(0) M(1) M(2) M(3)
#define OWN(k) ((k)*GROUP + lane)
/* Of a position: the run that was there at first, and the runs first .. last - 1 of its row. */
#define RUN_OF(run, first, last)                                                                   \
    ((uint)(run) | (uint)(first) << 10 | (uint)((last)-1) << 20)

/* The last of the ascending numbers low .. high - 1 that is at most x; number `low` is. */
INLINE int find_run(__local const ushort *starts, int low, int high, int x) {
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (starts[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where the column at position p goes when each `width` runs of a row are merged with the next ones:
 * behind those of both sides that are lower, and behind equal ones of the left side. A position
 * stays in the runs in which it is. */
INLINE int find_place(__local const INDEX *columns, __local const ushort *starts, uint run_of,
                      int width, int p) {
    const int run = run_of & 1023, first = run_of >> 10 & 1023, last = (int)(run_of >> 20) + 1;
    const int left = first + ((run - first) & -2 * width), middle = left + width;
    if (middle >= last) return p;
    const int border = starts[middle], is_right = run >= middle;
    const INDEX column = columns[p] + is_right;
    int low = is_right ? starts[left] : border;
    int high = is_right ? border : starts[min(middle + width, last)];
    while (low < high) {
        const int at = (low + high) / 2;
        if (columns[at] < column)
            low = at + 1;
        else
            high = at;
    }
    return p - border + low;
}

#define TAKE_COLUMN(k) const INDEX column##k = OWN(k) < size ? columns[OWN(k)] : 0;
#define PUT_COLUMN(k)                                                                              \
    if (OWN(k) < size) columns[places[OWN(k)]] = column##k;
#define TAKE_TERM(k) const REAL term##k = OWN(k) < size ? terms[OWN(k)] : 0;
#define PUT_TERM(k)                                                                                \
    if (OWN(k) < size) terms[places[OWN(k)]] = term##k;
#define NO_TERM(k)

/* Sort the columns of rows that have at most `longest` runs (OWN_RUN(p): RUN_OF of position p), and
 * with TAKE_TERM and PUT_TERM their terms, which are in place after the next barrier. A lane has few
 * registers: places are in local memory, and columns are moved before terms. */
#define MERGE_RUNS(TAKE, PUT)                                                                      \
    for (int width = 1; width < longest; width *= 2) {                                             \
        for (int p = lane; p < size; p += GROUP)                                                   \
            places[p] = (ushort)find_place(columns, starts, OWN_RUN(p), width, p);                 \
        EACH_OWN(TAKE_COLUMN)                                                                      \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        EACH_OWN(PUT_COLUMN)                                                                       \
        EACH_OWN(TAKE)                                                                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        EACH_OWN(PUT)                                                                              \
    }

/* --- short rows ------------------------------------------------------------------------------ */

/* The work of short rows before row i. */
#define SHORT_WORK(i) (work[i] - (long_work ? long_work[i] : 0))

/* The first row of group w. Not more groups have rows than there are tiles. */
static long first_short_row(__global const long *work, __global const long *long_work, long rows,
                            long w) {
    const long all = SHORT_WORK(rows), tiles = (all + TILE_WORK - 1) / TILE_WORK;
    const long at = chunk_begin(all, min(max(tiles, 1L), (long)get_num_groups(0)), w);
    long low = 0, high = rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (SHORT_WORK(middle) < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first row from i on that is not long, or last. */
static long next_short_row(__global const long *work, long i, long last) {
    while (i < last && work[i + 1] - work[i] > TILE_WORK) ++i;
    return i;
}

/* The rows of the tile that begins at row i, which is short. starts_of[r]: entries of A before row
 * r of it. shape[1] is 0 after it. */
INLINE int take_rows(__global const long *work, __global const OFFSET *a_offsets, long i, long last,
                     __local ushort *starts_of, __local int *shape) {
    const int lane = get_local_id(0), most = (int)min(last - i, (long)TILE_WORK);
    const long end = work[i] + TILE_WORK;
    int own = 0;
    if (lane == 0) shape[0] = shape[1] = starts_of[0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = lane + 1; r <= most && work[i + r] <= end; r += GROUP) {
        starts_of[r] = (ushort)(a_offsets[i + r] - a_offsets[i]);
        own = r;
    }
    atomic_max(&shape[0], own);
    barrier(CLK_LOCAL_MEM_FENCE);
    return shape[0];
}

/* Lanes have consecutive runs, and positions. (PoCL 3.1 leaves out stores to local memory in loops over
 * those of a lane after a barrier, so there are no loops.) */
#define TAKE_LENGTH(k)                                                                             \
    OFFSET length##k = 0;                                                                          \
    if (first + k < runs) {                                                                        \
        const long row = a_cols[first + k];                                                        \
        length##k = b_offsets[row + 1] - b_offsets[row];                                           \
        mine += length##k;                                                                         \
    }
#define PUT_START(k)                                                                               \
    if (first + k <= runs) starts[first + k] = (ushort)mine;                                       \
    mine += length##k;

/* The runs of a tile begin at starts[0] .. starts[runs - 1]; returns where the last one ends, as
 * starts[runs] says. shape[1]: the most runs of a row. */
INLINE int take_runs(__global const INDEX *a_cols, __global const OFFSET *b_offsets, int rows,
                     __local const ushort *starts_of, __local ushort *starts,
                     __local OFFSET *shared, __local int *shape) {
    const int lane = get_local_id(0), runs = starts_of[rows], first = lane * 4;
    int longest = 0;
    OFFSET mine = 0, size;
    EACH_OWN(TAKE_LENGTH)
    for (int r = lane; r < rows; r += GROUP)
        longest = max(longest, starts_of[r + 1] - starts_of[r]);
    atomic_max(&shape[1], longest);
    mine = group_scan(shared, mine, &size);
    EACH_OWN(PUT_START)
    barrier(CLK_LOCAL_MEM_FENCE);
    return (int)size;
}

/* Of the four positions from `first` on, those where a column of a row begins, as bits. */
INLINE uint find_heads(__local const INDEX *columns, __local const ushort *starts,
                       __local const uint *run_of, int first, int size) {
    uint heads = 0;
    for (int p = first; p < min(first + 4, size); ++p)
        if (p == starts[run_of[p] >> 10 & 1023] || columns[p] != columns[p - 1])
            heads |= 1u << (p - first);
    return heads;
}

/* Rows, runs and products of a tile are at most TILE_WORK together, so their arrays are one. The
 * other ones are unused while sums of the lanes are found. */
#define NUMBERS_OF_TILE                                                                            \
    __local ushort starts_of[TILE_WORK + 3];                                                       \
    __local uint run_of[TILE_WORK] __attribute__((aligned(8)));                                    \
    __local int shape[2];                                                                          \
    __local OFFSET *const shared = (__local OFFSET *)run_of;                                       \
    const int lane = get_local_id(0)
#define OWN_RUN(p) run_of[p]

/* For each tile of this group: `own` rows from row i on, whose entries of A begin at `entry`. */
#define FOR_TILES                                                                                  \
    const long last_row = first_short_row(work, long_work, rows, get_group_id(0) + 1);             \
    const long first_row_of_all = first_short_row(work, long_work, rows, get_group_id(0));         \
    OPEN_PATTERNS;                                                                                 \
    int own;                                                                                       \
    for (long i = next_short_row(work, first_row_of_all, last_row); i < last_row;                  \
         i = next_short_row(work, i + own, last_row))

/* The columns of all products of the tile, sorted in each row. Product p is that of entry
 * entry + run of A and entry l of B, which TAKE_PRODUCT takes. The lane's positions are the four from
 * `first` on: `heads` are the bits of those where a column of a row begins, `before` are
 * in lower positions, `total` in all. */
#define OPEN_TILE_OF_ROWS(TAKE, PUT)                                                               \
    own = take_rows(work, a_offsets, i, last_row, starts_of, shape);                               \
    const long entry = a_offsets[i];                                                               \
    const int runs = starts_of[own], first = lane * 4;                                             \
    __local ushort *const starts = starts_of + own + 1, *const places = starts + runs + 1;         \
    const int size =                                                                               \
        take_runs(a_cols + entry, b_offsets, own, starts_of, starts, shared, shape);               \
    const int longest = shape[1];                                                                  \
    OFFSET before, total;                                                                          \
    for (int p = lane; p < size; p += GROUP) {                                                     \
        const int run = find_run(starts, 0, runs, p), r = find_run(starts_of, 0, own, run);        \
        const long l = (long)b_offsets[a_cols[entry + run]] + (p - starts[run]);                   \
        run_of[p] = RUN_OF(run, starts_of[r], starts_of[r + 1]);                                   \
        columns[p] = b_cols[l];                                                                    \
        TAKE_PRODUCT;                                                                              \
    }                                                                                              \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    MERGE_RUNS(TAKE, PUT)                                                                          \
    const uint heads = find_heads(columns, starts, run_of, first, size);                           \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    before = group_scan(shared, (OFFSET)popcount(heads), &total)

#define PUT_RANK(k)                                                                                \
    if (first + k < size) places[first + k] = (ushort)before;                                      \
    before += heads >> k & 1;
#define PUT_HEAD(k)                                                                                \
    if (heads >> k & 1) places[before++] = (ushort)(first + k);

/* counts_of[i] := the number of columns of row i of the product. */
KERNEL spgemm_tile_symbolic(PATTERNS, __global const long *work, __global const long *long_work,
                            __global long *counts_of) {
    __local INDEX columns[TILE_WORK];
    NUMBERS_OF_TILE;
#define TAKE_PRODUCT
    FOR_TILES {
        OPEN_TILE_OF_ROWS(NO_TERM, NO_TERM);
        /* places[p]: columns that begin before position p */
        EACH_OWN(PUT_RANK)
        if (lane == 0) places[size] = (ushort)total;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int r = lane; r < own; r += GROUP)
            counts_of[i + r] = places[starts[starts_of[r + 1]]] - places[starts[starts_of[r]]];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#undef TAKE_PRODUCT
}

KERNEL spgemm_tile_numeric(PATTERNS, __global const long *work, __global const long *long_work,
                           __global const STORED *a, long a_at, __global const STORED *b, long b_at,
                           __global const long *offsets, long capacity, __global INDEX *to_cols,
                           long to_cols_at, __global STORED *to, long to_at) {
    __local INDEX columns[TILE_WORK];
    __local REAL terms[TILE_WORK];
    NUMBERS_OF_TILE;
    a += a_at;
    b += b_at;
    to_cols += to_cols_at;
    to += to_at;
#define TAKE_PRODUCT terms[p] = READ_AT(a, entry + run) * READ_AT(b, l)
    FOR_TILES {
        OPEN_TILE_OF_ROWS(TAKE_TERM, PUT_TERM);
        const long place = offsets[i];
        EACH_OWN(PUT_HEAD)
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = lane; q < (int)total && place + q < capacity; q += GROUP) {
            const int begin = places[q], end = q + 1 < (int)total ? places[q + 1] : size;
            REAL sum = 0;
            IN_ORDER
            for (int p = begin; p < end; ++p) sum += terms[p];
            to_cols[place + q] = columns[begin];
            WRITE_AT(to, place + q, sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#undef TAKE_PRODUCT
}

#undef OWN_RUN
#endif
