/* sddmm.cl: v[k] := alpha * dot(x[i], y[j]) + beta * v[k] for each entry k, at (i, j), of a matrix in
 * CSR format. After panel.cl, products.cl and entries.cl.
 *
 * Defines  sddmm
 * Range    wide cores: the entries in equal chunks; many lanes: GROUP entries per group and step,
 *          eight lanes for each, or two with vectors of four
 * Memory   many lanes: the partial sums of GROUP entries
 * Order    docs/numerics.md, rule S with one column
 * Variant  chosen: [rows, d] positions of entries. Term j of entry k is 0 where chosen[i, j] is not k
 */

#define SDDMM                                                                                      \
    __global const OFFSET *offsets, long offsets_at, __global const INDEX *cols, long cols_at,     \
        long rows, long capacity, __global const STORED *x, long x_at, long ldx,                   \
        __global const STORED *y, long y_at, long ldy, long d, REAL alpha, REAL beta,              \
        __global STORED *v, long v_at
#if SPC_VARIANT
#define CHOSEN , __global const void *chosen, long chosen_at, long chosen_ld, int chosen64
#define IS_CHOSEN(i, j, k) (load_int(chosen, chosen64, chosen_at + (i) * chosen_ld + (j)) == (k))
#else
#define CHOSEN
#define IS_CHOSEN(i, j, k) 1
#endif

#define OPEN_SDDMM                                                                                 \
    offsets += offsets_at;                                                                         \
    cols += cols_at;                                                                               \
    x += x_at;                                                                                     \
    y += y_at;                                                                                     \
    v += v_at;                                                                                     \
    const long total = rows > 0 ? min((long)offsets[rows], capacity) : 0

static REAL finish_entry(REAL sum, REAL alpha, REAL beta, __global const STORED *v, long k) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * READ_AT(v, k);
}

#if SPC_GPU

/* Partial sums of an entry, and one more element, so that lanes that fold use different banks. */
#define PARTS 9

/* Partial sum `lane` of the terms first .. last - 1. */
#define PART_SUM(sum, row, column, k)                                                              \
    REAL sum = 0;                                                                                  \
    IN_ORDER                                                                                       \
    for (long j = first + (get_local_id(0) & 7); j < last; j += 8)                                 \
        if (IS_CHOSEN(row, j, k)) sum += READ_AT(x, (row) * ldx + j) * READ_AT(y, (column) * ldy + j)

#if SPC_VARIANT
#define ADD_FOURS(e)
#define IS_IN_FOURS 0
#else
/* Four partial sums of entry e, which two lanes have. */
#define ADD_FOURS(e)                                                                               \
    {                                                                                              \
        __global const STORED *from = x + own_rows[e] * ldx, *other = y + (long)cols[k] * ldy;     \
        REAL4 sum4 = 0;                                                                            \
        IN_ORDER                                                                                   \
        for (long j = first + 4 * (lane & 1); j < last; j += 8)                                    \
            sum4 += GET4(from + j) * GET4(other + j);                                              \
        vstore4(sum4, 0, parts + (e) * PARTS + 4 * (lane & 1));                                    \
    }
#define IS_IN_FOURS (((d | ldx | ldy) & 3) == 0 && ALIGNED(x) && ALIGNED(y))
#endif

KERNEL sddmm(SDDMM CHOSEN) {
    __local REAL parts[GROUP * PARTS];
    __local long own_rows[GROUP];
    OPEN_SDDMM;
    const int has_fours = IS_IN_FOURS, shift = has_fours ? 1 : 3; /* of lanes for an entry */
    const int lane = get_local_id(0);
    __local const REAL *p = parts + lane * PARTS;
    for (long tile = (long)get_group_id(0) * GROUP; tile < capacity; tile += get_global_size(0)) {
        const long own = tile + lane;
        long low = 0, high = 0;
        if (tile < total) ROWS_OF_TILE(low, high, offsets, rows, tile, min(tile + GROUP, total));
        if (own < total) own_rows[lane] = row_of_entry(offsets, low, high, own);
        barrier(CLK_LOCAL_MEM_FENCE);
        REAL sum = 0;
        IN_ORDER
        for (long first = 0; first < d; first += SPC_BLOCK) {
            const long last = min(first + SPC_BLOCK, d);
            for (int e = lane >> shift; e < GROUP; e += GROUP >> shift) {
                const long k = tile + e;
                if (k >= total) break;
                if (has_fours) {
                    ADD_FOURS(e)
                } else {
                    PART_SUM(part, own_rows[e], (long)cols[k], k);
                    parts[e * PARTS + (lane & 7)] = part;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            if (own < total)
                sum += ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (own < capacity)
            WRITE_AT(v, own, own < total ? finish_entry(sum, alpha, beta, v, own) : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

#else

#if SPC_VARIANT

/* The terms of a block that are chosen. */
#define BLOCK_SUM                                                                                  \
    REAL p[8] = {0, 0, 0, 0, 0, 0, 0, 0};                                                          \
    IN_ORDER                                                                                       \
    for (long j = 0; j < count; ++j)                                                               \
        if (IS_CHOSEN(row, first + j, k)) p[j & 7] += READ_AT(from, j) * READ_AT(other, j);        \
    const REAL block = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]))

#else

#define TERM(i) (READ_AT(from, j + (i)) * READ_AT(other, j + (i)))
#define BLOCK_SUM                                                                                  \
    REAL8 s = 0;                                                                                   \
    long j = 0;                                                                                    \
    for (; j + 8 <= count; j += 8) s += GET8(from + j) * GET8(other + j);                          \
    ADD_REST8(s, count - j, TERM)                                                                  \
    const REAL block = fold8(s)

#endif

#if SPC_HINTS
ALWAYS_INLINE void prefetch_stored(__global const STORED *row, long d) {
    for (long j = 0; j < d; j += 64 / (long)sizeof(STORED)) PREFETCH(row + j);
}
#else
#define prefetch_stored(row, d)
#endif

/* Entries of a row that are computed at once. */
#define TOGETHER 4

#if !SPC_VARIANT

/* The trees over the eight partial sums of four entries: fold8 of each. */
ALWAYS_INLINE REAL4 fold_four(REAL8 a, REAL8 b, REAL8 c, REAL8 d) {
    const REAL4 a4 = a.lo + a.hi, b4 = b.lo + b.hi, c4 = c.lo + c.hi, d4 = d.lo + d.hi;
    const REAL4 ab = (REAL4)(a4.lo, b4.lo) + (REAL4)(a4.hi, b4.hi);
    const REAL4 cd = (REAL4)(c4.lo, d4.lo) + (REAL4)(c4.hi, d4.hi);
    return (REAL4)(ab.even, cd.even) + (REAL4)(ab.odd, cd.odd);
}

/* The dot products of `from` and the rows of y at four columns; d is a multiple of eight. */
ALWAYS_INLINE REAL4 dot_four(__global const STORED *from, __global const STORED *y, long ldy,
                             __global const INDEX *cols, long d) {
    __global const STORED *const y0 = y + cols[0] * ldy, *const y1 = y + cols[1] * ldy;
    __global const STORED *const y2 = y + cols[2] * ldy, *const y3 = y + cols[3] * ldy;
    REAL4 sum = 0;
    IN_ORDER
    for (long j = 0; j < d;) {
        const long last = min(d, j + SPC_BLOCK);
        REAL8 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
        for (; j < last; j += 8) {
            const REAL8 x = GET8(from + j);
            s0 += x * GET8(y0 + j);
            s1 += x * GET8(y1 + j);
            s2 += x * GET8(y2 + j);
            s3 += x * GET8(y3 + j);
        }
        sum += fold_four(s0, s1, s2, s3);
    }
    return sum;
}

#endif

KERNEL sddmm(SDDMM, int distance CHOSEN) {
    OPEN_SDDMM;
    const long w = get_group_id(0), chunks = get_num_groups(0);
    const long end = chunk_begin(total, chunks, w + 1);
    long k = chunk_begin(total, chunks, w);
    long row = k < end ? row_of_entry(offsets, 0, rows, k) : 0;
    while (k < end) {
        row = next_row_of_entry(offsets, row, rows, k);
        const long row_end = min((long)offsets[row + 1], end);
#if !SPC_VARIANT
        for (; d % 8 == 0 && k + TOGETHER <= row_end; k += TOGETHER) {
            for (long e = k; distance > 0 && e < k + TOGETHER && e + distance < end; ++e)
                prefetch_stored(y + cols[e + distance] * ldy, d);
            const REAL4 sum = dot_four(x + row * ldx, y, ldy, cols + k, d);
            const REAL4 old = beta == 0 ? (REAL4)0 : GET4(v + k);
            SET4(beta == 0 ? alpha * sum : alpha * sum + beta * old, v + k);
        }
#endif
        for (; k < row_end; ++k) {
            REAL sum = 0;
            if (distance > 0 && k + distance < end) prefetch_stored(y + cols[k + distance] * ldy, d);
            IN_ORDER
            for (long first = 0; first < d; first += SPC_BLOCK) {
                const long count = min(d - first, (long)SPC_BLOCK);
                __global const STORED *from = x + row * ldx + first;
                __global const STORED *other = y + cols[k] * ldy + first;
                BLOCK_SUM;
                sum += block;
            }
            WRITE_AT(v, k, finish_entry(sum, alpha, beta, v, k));
        }
    }
    const long rest = capacity - total;
    for (k = chunk_begin(rest, chunks, w); k < chunk_begin(rest, chunks, w + 1); ++k)
        WRITE_AT(v, total + k, 0);
}

#endif
