/* bag_max.cl: the largest element of each column of bags of rows of a table, and its entry. After
 * panel.cl, products.cl, bags.cl and partition.cl.
 *
 * Defines  bag_max; GPU class: bag_max_fold (of the blocks of long bags)
 * Range    bag_max: CPU class FOR_EACH over bags, GPU class FOR_UNITS over windows and bags;
 *          bag_max_fold: FOR_UNITS over windows
 * Memory   parts, owner: partition.cl; part_places: the entries of the parts
 */

#define MAXIMA                                                                                     \
    __global const STORED *table, long table_at, long ld, __global STORED *to, long to_at,         \
        long to_ld, long width, __global long *positions, long positions_at, long positions_ld

#if SPC_GPU

#define PARTS                                                                                      \
    __global long *part_places, __global REAL *parts, __global SIZE *owner, long windows, int shift

/* The same rule for entries and for the results of blocks. Entry -1: none. A NaN is better than a
 * number. */
ALWAYS_INLINE void take_larger(REAL *best, long *entry, REAL value, long at) {
    if (at < 0 || (*entry >= 0 && (*best != *best || value <= *best))) return;
    *best = value;
    *entry = at;
}

#define PUT_MAXIMUM(row, j)                                                                        \
    WRITE_AT(to, to_at + (long)(row)*to_ld + (j), best);                                           \
    if (positions) positions[positions_at + (long)(row)*positions_ld + (j)] = entry

KERNEL bag_max(BAGS, MAXIMA, PARTS) {
    OPEN_BAGS;
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);
    FOR_UNITS(u, (SIZE)(windows + bags), shift) {
        unit p;
        find_unit(&p, &b, bags, windows, u, owner, lane);
        if (p.row < 0) continue;
        for (SIZE j = lane; j < (SIZE)width; j += lanes) {
            REAL best = 0;
            long entry = -1;
            for (SIZE k = p.begin; k < p.end; ++k) {
                const long row = row_of(&b, k);
                if (row < 0) continue;
                take_larger(&best, &entry, READ_AT(table, table_at + row * ld + j), k);
            }
            if (p.slot < 0) {
                PUT_MAXIMUM(p.row, j);
            } else {
                parts[SLOT(p.slot) + j] = best;
                part_places[SLOT(p.slot) + j] = entry;
            }
        }
    }
}

KERNEL bag_max_fold(BAGS, MAXIMA, PARTS) {
    OPEN_BAGS;
    const int lanes = 1 << shift, lane = TEAM_LANE(shift);
    FOR_UNITS(w, (SIZE)windows, shift) {
        long_row p;
        if (!find_long_row(&p, &b, windows, w, owner)) continue;
        for (SIZE j = lane; j < (SIZE)width; j += lanes) {
            REAL best = parts[SLOT(p.first) + j];
            long entry = part_places[SLOT(p.first) + j];
            for (SIZE q = p.begin; q < p.end; ++q)
                take_larger(&best, &entry, parts[SLOT(q) + j], part_places[SLOT(q) + j]);
            PUT_MAXIMUM(p.row, j);
        }
    }
}

#else

/* A bag: its entries, columns of the table and of its result. */
typedef struct {
    long begin, end;
    __global const STORED *table;
    __global STORED *to;
    long ld;
} bag;

/* What a comparison of REAL, or of a vector of n, gives. */
#if SPC_F64
#define MASK_1  long
#define MASK_2  long2
#define MASK_4  long4
#define MASK_8  long8
#define MASK_16 long16
#else
#define MASK_1  int
#define MASK_2  int2
#define MASK_4  int4
#define MASK_8  int8
#define MASK_16 int16
#endif

/* entry: counted from the beginning of the bag; -1: none yet. A NaN is better than a number. */
#define MAX_PANEL(n)                                                                               \
    static void max_##n(const bag_list *b, bag x, __global long *positions) {                      \
        VECTOR_##n best = 0;                                                                       \
        MASK_##n entry = -1;                                                                       \
        int is_first = -1;                                                                         \
        for (long k = x.begin; k < x.end; ++k) {                                                   \
            const long row = row_of(b, k);                                                         \
            if (row < 0) continue;                                                                 \
            const VECTOR_##n value = GET##n(x.table + row * x.ld);                                 \
            const MASK_##n better = (value > best) | ((value != value) & (best == best)) |         \
                                    (MASK_##n)(is_first);                                          \
            best = better ? value : best;                                                          \
            entry = better ? (MASK_##n)((MASK_1)(k - x.begin)) : entry;                            \
            is_first = 0;                                                                          \
        }                                                                                          \
        SET##n(best, x.to);                                                                        \
        for (int j = 0; positions && j < n; ++j) {                                                 \
            const MASK_1 e = ((const MASK_1 *)&entry)[j];                                          \
            positions[j] = e < 0 ? -1 : x.begin + e;                                               \
        }                                                                                          \
    }

MAX_PANEL(1)
MAX_PANEL(4)
MAX_PANEL(16)

KERNEL bag_max(BAGS, MAXIMA) {
    OPEN_BAGS;
    FOR_EACH(i, bags) {
        bag x = {bag_begin(&b, i), bag_end(&b, i), table + table_at, to + (to_at + i * to_ld), ld};
        __global long *where = positions ? positions + (positions_at + i * positions_ld) : 0;
#define COLUMNS(n)                                                                                 \
    {                                                                                              \
        max_##n(&b, x, where);                                                                     \
        x.table += n, x.to += n, left -= n;                                                        \
        if (where) where += n;                                                                     \
    }
        for (long left = width; left > 0;)
            if (left >= 16) COLUMNS(16)
            else if (left >= 4) COLUMNS(4)
            else COLUMNS(1)
    }
}

#endif
