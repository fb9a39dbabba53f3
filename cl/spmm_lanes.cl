/* spmm_lanes.cl: the sums of spmm.cl on many lanes. After partition.cl and spmm.cl.
 *
 * Defines  spmm (several columns), spmm_column (one); spmm_fold (adds the sums of the blocks of long
 *          rows)
 * Range    spmm, spmm_column: FOR_UNITS over windows and rows; spmm_fold: over windows
 * Memory   parts, owner: partition.cl
 * Order    docs/numerics.md, rule S; SPC_BLOCK entries per block
 */
#if SPC_GPU

/* The result of a row, or of one of its blocks. */
typedef struct {
    __global STORED *c; /* the row of C */
    __global REAL *part;  /* where the sum of the block is stored; NULL: the row is complete */
    REAL alpha, beta;
} target;

#define FINISH(x, w, p)                                                                            \
    SET##w(to->beta == 0 ? to->alpha * (x) : to->alpha * (x) + to->beta * GET##w(p), p)

/* Rows of B that are loaded before they are added: more would not fit the registers of all GPUs. */
#if SPC_F64
#define AT_ONCE 1
#define EACH_ROW(M) M(0)
#else
#define AT_ONCE 4
#define EACH_ROW(M) M(0) M(1) M(2) M(3)
#endif
#define LOAD_ROW1(i) const REAL b##i = GET1(b + (SIZE)cols[k + i] * ldb);
#define LOAD_ROW4(i) const REAL4 b##i = GET4(b + (SIZE)cols[k + i] * ldb);
#define ADD_ROW(i)   sum += READ_AT(values, k + i) * b##i;

/* Columns j .. j + w of entries k .. end. */
#define SUM_COLUMNS(w, TYPE)                                                                       \
    ALWAYS_INLINE TYPE sum_columns##w(ENTRY_PARAMS, SIZE k, SIZE end, __global const STORED *b,    \
                                      SIZE ldb) {                                                  \
        TYPE total = 0;                                                                            \
        while (k < end) {                                                                          \
            const SIZE last = min(k + SPC_BLOCK, end);                                             \
            TYPE sum = 0;                                                                          \
            for (; k + AT_ONCE <= last; k += AT_ONCE) {                                            \
                EACH_ROW(LOAD_ROW##w)                                                              \
                EACH_ROW(ADD_ROW)                                                                  \
            }                                                                                      \
            IN_ORDER                                                                               \
            for (; k < last; ++k) sum += READ_AT(values, k) * GET##w(b + (SIZE)cols[k] * ldb);    \
            total += sum;                                                                          \
        }                                                                                          \
        return total;                                                                              \
    }                                                                                              \
    ALWAYS_INLINE void put_columns##w(const target *to, SIZE j, TYPE x) {                          \
        if (to->part) {                                                                            \
            STORE##w(x, to->part + j);                                                             \
        } else {                                                                                   \
            FINISH(x, w, to->c + j);                                                               \
        }                                                                                          \
    }

SUM_COLUMNS(1, REAL)
SUM_COLUMNS(4, REAL4)
EACH_WIDTH(SUM_BLOCKS)

#define RESULT __global STORED *c, long c_at, long ldc, long width, REAL alpha, REAL beta
#define OPEN_RESULT                                                                                \
    OPEN_MATRIX;                                                                                   \
    c += c_at;                                                                                     \
    const int lane = TEAM_LANE(shift)

KERNEL spmm(MATRIX, __global const STORED *b, long b_at, long ldb, RESULT, __global REAL *parts,
            __global SIZE *owner, long windows, int shift) {
    OPEN_RESULT;
    const int lanes = 1 << shift;
    b += b_at;
    FOURS((SPC_SMALL || !SPC_F64) && ((ldb | ldc) & 3) == 0 && ALIGNED(b) && ALIGNED(c));
    FOR_UNITS(u, (SIZE)windows + (SIZE)rows, shift) {
        unit p;
        find_unit(&p, offsets, rows, windows, u, owner, lane);
        if (p.row < 0) continue;
        const target to = {c + (SIZE)RESULT_ROW(p.row) * (SIZE)ldc,
                           p.slot < 0 ? 0 : parts + SLOT(p.slot), alpha, beta};
#define SUM_UNIT(w, j) put_columns##w(&to, j, sum_columns##w(ENTRY_ARGS, p.begin, p.end, b + j, ldb))
        PANELS(SUM_UNIT);
#undef SUM_UNIT
    }
}

/* --- one column ------------------------------------------------------------------------------ */

#define TERM(i) READ_AT(values, k + i) * READ_AT(b, (SIZE)cols[k + i] * ldb)

/* The sum of a row by one lane. */
ALWAYS_INLINE REAL sum_column(ENTRY_PARAMS, SIZE k, SIZE end, __global const STORED *b, SIZE ldb) {
    REAL total = 0;
    while (k < end) {
        const SIZE last = min(k + SPC_BLOCK, end);
        REAL p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0;
        IN_ORDER
        for (; k + 8 <= last; k += 8) {
            p0 += TERM(0), p1 += TERM(1), p2 += TERM(2), p3 += TERM(3);
            p4 += TERM(4), p5 += TERM(5), p6 += TERM(6), p7 += TERM(7);
        }
        if (k < last) p0 += TERM(0);
        if (k + 1 < last) p1 += TERM(1);
        if (k + 2 < last) p2 += TERM(2);
        if (k + 3 < last) p3 += TERM(3);
        if (k + 4 < last) p4 += TERM(4);
        if (k + 5 < last) p5 += TERM(5);
        if (k + 6 < last) p6 += TERM(6);
        k = last;
        total += ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7));
    }
    return total;
}

/* The partial sum of a lane of a team of eight. */
ALWAYS_INLINE REAL sum_eighth(ENTRY_PARAMS, SIZE k, SIZE end, __global const STORED *b, SIZE ldb) {
    REAL sum = 0;
    IN_ORDER
    for (; k < end; k += 8) sum += TERM(0);
    return sum;
}

/* Teams of eight lanes, with one partial sum each, or of one lane. A row without a known end of its
 * length that has several blocks after all is left to one lane: all lanes of a group must meet. */
KERNEL spmm_column(MATRIX, __global const STORED *b, long b_at, long ldb, RESULT,
                   __global REAL *parts, __global SIZE *owner, long windows, int shift) {
    __local REAL partial[GROUP];
    OPEN_RESULT;
    const SIZE units = (SIZE)windows + (SIZE)rows, teams = GROUP >> shift;
    __local REAL *s = partial + get_local_id(0);
    b += b_at;
    for (SIZE first = get_group_id(0) * teams; first < units; first += get_num_groups(0) * teams) {
        const SIZE u = first + ((SIZE)get_local_id(0) >> shift);
        unit p = {-1, 0, 0, -1};
        if (u < units) find_unit(&p, offsets, rows, windows, u, owner, lane);
        const int alone = shift == 0 || p.end - p.begin > SPC_BLOCK;
        if (!alone) *s = sum_eighth(ENTRY_ARGS, p.begin + lane, p.end, b, ldb);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (p.row >= 0 && lane == 0) {
            const target to = {c + (SIZE)RESULT_ROW(p.row) * (SIZE)ldc,
                               p.slot < 0 ? 0 : parts + SLOT(p.slot), alpha, beta};
            put_columns1(&to, 0,
                         alone ? sum_column(ENTRY_ARGS, p.begin, p.end, b, ldb)
                               : (REAL)(0) + (((s[0] + s[4]) + (s[2] + s[6])) +
                                              ((s[1] + s[5]) + (s[3] + s[7]))));
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* --- long rows ------------------------------------------------------------------------------- */

KERNEL spmm_fold(MATRIX, RESULT, __global const REAL *parts, __global const SIZE *owner,
                 long windows, int shift) {
    OPEN_RESULT;
    (void)rows;
    const int lanes = 1 << shift;
    FOURS(SPC_SMALL && (ldc & 3) == 0 && ALIGNED(c));
    FOR_UNITS(w, (SIZE)windows, shift) {
        long_row p;
        if (!find_long_row(&p, offsets, windows, w, owner)) continue;
        const target to = {c + (SIZE)RESULT_ROW(p.row) * (SIZE)ldc, 0, alpha, beta};
#define FOLD_LONG(w, j) put_columns##w(&to, j, sum_blocks##w(parts, &p, width, j))
        PANELS(FOLD_LONG);
#undef FOLD_LONG
    }
}

#endif
