/* gemm.cl: C := alpha * op(A) * op(B) + beta * C, all dense. After panel.cl.
 *
 * Element (i, k) of op(A) is a[i * a_row + k * a_step], element (k, j) of op(B) is
 * b[k * b_step + j * b_col].
 *
 * Defines  gemm (many columns), gemv (one column); wide cores: transpose (for operands that are not
 *          read along their rows); lanes: gemm_add (blocks of k that had groups of their own)
 * Types    A and B of gemm on wide cores, which reads each element many times, are REAL also where
 *          values have 16 bits; all others are STORED
 * Range    wide cores: FOR_EACH over tiles; lanes: one group per tile
 * Order    docs/numerics.md, rule S
 */

#define SIDES(T)                                                                                   \
    __global const T *a, long a_at, long a_row, long a_step, __global const T *b, long b_at,       \
        long b_step, long b_col, __global STORED *c, long c_at, long ldc, long m, long n,          \
        long length, REAL alpha, REAL beta

/* Store a sum as alpha * sum + beta * C. With beta == 0, C is not read. */
#define FINISH(n, sum, to)                                                                         \
    SET##n(beta == 0 ? alpha * (sum) : alpha * (sum) + beta * GET##n(to), to)

#if !SPC_GPU

/* Rows of a tile: each loaded element of B is used for all of them. */
#define TILE 4

/* The rows of op(A) of a tile. Rows past the end are the last row again. */
typedef struct {
    __global const REAL *r0, *r1, *r2, *r3;
    long step, length;
} tile_rows;

/* TILE rows times n adjacent columns of B. */
#define TILE_SUM(T, n)                                                                             \
    static void tile_sum##n(tile_rows a, __global const REAL *b, long ldb, T total[TILE]) {        \
        T t0 = 0, t1 = 0, t2 = 0, t3 = 0;                                                          \
        IN_ORDER                                                                                   \
        for (long first = 0; first < a.length; first += SPC_BLOCK) {                               \
            const long last = min(first + SPC_BLOCK, a.length);                                    \
            T s0 = 0, s1 = 0, s2 = 0, s3 = 0;                                                      \
            IN_ORDER                                                                               \
            for (long k = first; k < last; ++k) {                                                  \
                const T x = LOAD##n(b + k * ldb);                                                  \
                const long at = k * a.step;                                                        \
                s0 += a.r0[at] * x;                                                                \
                s1 += a.r1[at] * x;                                                                \
                s2 += a.r2[at] * x;                                                                \
                s3 += a.r3[at] * x;                                                                \
            }                                                                                      \
            t0 += s0, t1 += s1, t2 += s2, t3 += s3;                                                \
        }                                                                                          \
        total[0] = t0, total[1] = t1, total[2] = t2, total[3] = t3;                                \
    }
EACH_WIDTH(TILE_SUM)

/* 32 columns: eight sums in registers for each step of k. */
static void tile_sum32(tile_rows a, __global const REAL *b, long ldb, REAL16 left[TILE],
                       REAL16 right[TILE]) {
    for (int i = 0; i < TILE; ++i) left[i] = right[i] = 0;
    for (long first = 0; first < a.length; first += SPC_BLOCK) {
        const long last = min(first + SPC_BLOCK, a.length);
        REAL16 s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
        for (long k = first; k < last; ++k) {
            const REAL16 x = vload16(0, b + k * ldb), y = vload16(1, b + k * ldb);
            const long at = k * a.step;
            const REAL a0 = a.r0[at], a1 = a.r1[at], a2 = a.r2[at], a3 = a.r3[at];
            s0 += a0 * x, t0 += a0 * y;
            s1 += a1 * x, t1 += a1 * y;
            s2 += a2 * x, t2 += a2 * y;
            s3 += a3 * x, t3 += a3 * y;
        }
        left[0] += s0, left[1] += s1, left[2] += s2, left[3] += s3;
        right[0] += t0, right[1] += t1, right[2] += t2, right[3] += t3;
    }
}

/* The elements of C of a tile: up to TILE rows, from `to` on. */
typedef struct {
    __global STORED *to;
    long ld, rows;
    REAL alpha, beta;
} tile_out;

#define TILE_PUT(T, n)                                                                             \
    static void tile_put##n(tile_rows a, __global const REAL *b, long ldb, tile_out c) {           \
        const REAL alpha = c.alpha, beta = c.beta;                                                 \
        T sum[TILE];                                                                               \
        tile_sum##n(a, b, ldb, sum);                                                               \
        for (long i = 0; i < c.rows; ++i) FINISH(n, sum[i], c.to + i * c.ld);                      \
    }
EACH_WIDTH(TILE_PUT)

static void tile_put32(tile_rows a, __global const REAL *b, long ldb, tile_out c) {
    const REAL alpha = c.alpha, beta = c.beta;
    REAL16 left[TILE], right[TILE];
    tile_sum32(a, b, ldb, left, right);
    for (long i = 0; i < c.rows; ++i) {
        FINISH(16, left[i], c.to + i * c.ld);
        FINISH(16, right[i], c.to + i * c.ld + 16);
    }
}

/* Tiles of 32 columns. Tiles of the same columns follow each other, so that B stays in cache. */
KERNEL gemm(SIDES(REAL)) {
    const long down = (m + TILE - 1) / TILE;
    FOR_EACH(t, down * ((n + 31) / 32)) {
        const long panel = t / down, i = (t - panel * down) * TILE, column = panel * 32;
        const tile_out out = {c + (c_at + i * ldc + column), ldc, min((long)TILE, m - i), alpha,
                              beta};
        __global const REAL *rows = a + (a_at + i * a_row), *from = b + (b_at + column);
        const tile_rows four = {rows,
                                rows + min(1l, out.rows - 1) * a_row,
                                rows + min(2l, out.rows - 1) * a_row,
                                rows + (out.rows - 1) * a_row,
                                a_step,
                                length};
        if (n - column >= 32) {
            tile_put32(four, from, b_step, out);
            continue;
        }
        tile_out panel_out = out;
#define TILE_PANEL(w, j) panel_out.to = out.to + j, tile_put##w(four, from + j, b_step, panel_out)
        EACH_PANEL(j, n - column, TILE_PANEL);
#undef TILE_PANEL
    }
}

/* to [rows, cols] := the transpose of `from` [cols, rows], packed, in squares of 16. */
KERNEL transpose(__global const STORED *from, long from_at, long ld, __global REAL *to, long rows,
                 long cols) {
    const long down = (rows + 15) / 16;
    FOR_EACH(t, down * ((cols + 15) / 16)) {
        const long panel = t / down, first = (t - panel * down) * 16, column = panel * 16;
        for (long j = column; j < min(column + 16, cols); ++j)
            for (long i = first; i < min(first + 16, rows); ++i)
                to[i * cols + j] = READ_AT(from, from_at + j * ld + i);
    }
}

/* STEP(p<l>, k) for each k, where l is k mod 8. */
#define EACH_STEP(k, first, last)                                                                  \
    long k = first;                                                                                \
    IN_ORDER                                                                                       \
    for (; k + 8 <= last; k += 8) {                                                                \
        STEP(p0, k), STEP(p1, k + 1), STEP(p2, k + 2), STEP(p3, k + 3);                            \
        STEP(p4, k + 4), STEP(p5, k + 5), STEP(p6, k + 6), STEP(p7, k + 7);                        \
    }                                                                                              \
    if (k < last) STEP(p0, k);                                                                     \
    if (k + 1 < last) STEP(p1, k + 1);                                                             \
    if (k + 2 < last) STEP(p2, k + 2);                                                             \
    if (k + 3 < last) STEP(p3, k + 3);                                                             \
    if (k + 4 < last) STEP(p4, k + 4);                                                             \
    if (k + 5 < last) STEP(p5, k + 5);                                                             \
    if (k + 6 < last) STEP(p6, k + 6)

/* (In memory, not by halves of the vector: Oclgrind 21.10 fails on such shuffles.) */
static REAL fold_eight(REAL8 sum) {
    REAL p[8];
    vstore8(sum, 0, p);
    for (int step = 4; step > 0; step /= 2)
        for (int l = 0; l < step; ++l) p[l] += p[l + step];
    return p[0];
}

/* One row times one column. */
static REAL dot_row(__global const STORED *a, long a_step, __global const STORED *b, long b_step,
                    long length) {
    REAL total = 0;
#define STEP(p, k) p += READ_AT(a, (k) * a_step) * READ_AT(b, (k) * b_step)
    IN_ORDER
    for (long first = 0; first < length; first += SPC_BLOCK) {
        const long last = min(first + SPC_BLOCK, length);
        REAL p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0;
        EACH_STEP(k, first, last);
        total += ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7));
    }
#undef STEP
    return total;
}

/* The same for packed operands and full blocks: the eight partial sums are the elements of a
 * vector. */
static REAL dot_blocks(__global const STORED *a, __global const STORED *b, long blocks) {
    REAL total = 0;
    IN_ORDER
    for (long block = 0; block < blocks; ++block, a += SPC_BLOCK, b += SPC_BLOCK) {
        REAL8 sum = 0;
        for (int k = 0; k < SPC_BLOCK / 8; ++k) sum += GET8(a + 8 * k) * GET8(b + 8 * k);
        total += fold_eight(sum);
    }
    return total;
}

static REAL row_times_column(__global const STORED *a, long a_step, __global const STORED *b,
                             long b_step, long length) {
    if (a_step != 1 || b_step != 1) return dot_row(a, a_step, b, b_step, length);
    const long blocks = length / SPC_BLOCK, full = blocks * SPC_BLOCK;
    const REAL total = dot_blocks(a, b, blocks);
    return full == length ? total : total + dot_row(a + full, 1, b + full, 1, length - full);
}

/* 16 rows whose elements are adjacent for each k. */
static REAL16 dot_rows(__global const STORED *a, long a_step, __global const STORED *b, long b_step,
                       long length) {
    REAL16 total = 0;
#define STEP(p, k) p += GET16(a + (k) * a_step) * READ_AT(b, (k) * b_step)
    for (long first = 0; first < length; first += SPC_BLOCK) {
        const long last = min(first + SPC_BLOCK, length);
        REAL16 p0 = 0, p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0, p7 = 0;
        EACH_STEP(k, first, last);
        total += ((p0 + p4) + (p2 + p6)) + ((p1 + p5) + (p3 + p7));
    }
#undef STEP
    return total;
}

KERNEL gemv(SIDES(STORED)) {
    a += a_at;
    b += b_at;
    c += c_at;
    FOR_EACH(t, (m + 15) / 16) {
        const long first = t * 16, last = min(first + 16, m);
        if (a_row == 1 && last - first == 16) {
            REAL sums[16];
            vstore16(dot_rows(a + first, a_step, b, b_step, length), 0, sums);
            for (long i = first; i < last; ++i) FINISH(1, sums[i - first], c + i * ldc);
        } else {
            for (long i = first; i < last; ++i)
                FINISH(1, row_times_column(a + i * a_row, a_step, b, b_step, length), c + i * ldc);
        }
    }
}

#else

/* A group computes a square of C, a lane two rows and four columns of it. */
#define SQUARE 32
#define SLICE  16 /* steps of k in local memory at once; divides SPC_BLOCK */
#define LD     (SQUARE + 4) /* of local memory: rows are aligned, and begin in other banks */

/* What a lane reads of a slice of op(A) or op(B): four elements `apart`, the first one at k, x, so
 * that adjacent lanes read adjacent elements. */
typedef struct {
    __global const STORED *from;
    long apart;
    int k, x, inside; /* so many of the square's rows or columns are in the matrix */
    int is_along;     /* adjacent elements are of adjacent k, not of adjacent x */
    int place, places; /* in local memory: of the first one, and apart */
} slice_lane;

#define SLICE_LANE(name, base, step, k_step, rest)                                                 \
    slice_lane name = {base, 0, 0, 0, min((long)SQUARE, rest), (k_step) == 1, 0, 0};               \
    name.k = name.is_along ? id & (SLICE - 1) : id / SQUARE;                                       \
    name.x = name.is_along ? id / SLICE : id & (SQUARE - 1);                                       \
    name.apart = name.is_along ? GROUP / SLICE * (step) : GROUP / SQUARE * (k_step);               \
    name.from += name.k * (k_step) + name.x * (step);                                              \
    name.place = name.k * LD + name.x;                                                             \
    name.places = name.is_along ? GROUP / SLICE : GROUP / SQUARE * LD

/* How many of its elements are inside. Others contribute 0 * 0, which changes no sum that began
 * at 0. */
static int slice_count(slice_lane lane, long steps) {
    const int k = (int)min(steps, (long)SLICE) - lane.k, x = lane.inside - lane.x;
    const int apart = lane.is_along ? GROUP / SLICE : GROUP / SQUARE;
    return k <= 0 || x <= 0 ? 0 : ((lane.is_along ? x : k) + apart - 1) / apart;
}

#define FOUR_OF(M, x) M(x, 0) M(x, 1) M(x, 2) M(x, 3)
#define LOAD(x, i)    next_##x.s##i = i < count_##x ? READ_AT(x##_lane.from, i * x##_lane.apart) : 0;
#define KEEP(x, i)    x##s[x##_lane.place + i * x##_lane.places] = next_##x.s##i;
#define LOAD_SLICE                                                                                 \
    count_a = slice_count(a_lane, last - k);                                                       \
    count_b = slice_count(b_lane, last - k);                                                       \
    FOUR_OF(LOAD, a)                                                                               \
    FOUR_OF(LOAD, b)
#define PUT(i, j)                                                                                  \
    if (row + i < m && column + j < n) {                                                           \
        if (is_split)                                                                              \
            sums[(block * m + row + i) * n + column + j] = total##i.s##j;                    \
        else                                                                                       \
            FINISH(1, total##i.s##j, c + (c_at + (row + i) * ldc + column + j));                   \
    }

/* All k; or where is_split, a block of k: its sums go to sums [block, m, n]. The next slice is read
 * while this one is added. */
KERNEL gemm(SIDES(STORED), __global REAL *sums, int is_split) {
    __local REAL2 a_slice[SLICE * LD / 2];
    __local REAL4 b_slice[SLICE * LD / 4];
    __local REAL *as = (__local REAL *)a_slice, *bs = (__local REAL *)b_slice;
    const long down = (m + SQUARE - 1) / SQUARE, squares = down * ((n + SQUARE - 1) / SQUARE);
    const long block = get_group_id(0) / squares, square = get_group_id(0) - block * squares;
    const long panel = square / down, i0 = (square - panel * down) * SQUARE, j0 = panel * SQUARE;
    const long first = is_split ? block * SPC_BLOCK : 0;
    const long last = is_split ? min(first + SPC_BLOCK, length) : length;
    const int id = get_local_id(0), pair = id / (SQUARE / 4), four = id & (SQUARE / 4 - 1);
    SLICE_LANE(a_lane, a + (a_at + i0 * a_row + first * a_step), a_row, a_step, m - i0);
    SLICE_LANE(b_lane, b + (b_at + j0 * b_col + first * b_step), b_col, b_step, n - j0);
    REAL4 next_a, next_b, total0 = 0, total1 = 0, sum0 = 0, sum1 = 0;
    long k = first;
    int count_a, count_b;
    LOAD_SLICE
    while (k < last) {
        barrier(CLK_LOCAL_MEM_FENCE);
        FOUR_OF(KEEP, a)
        FOUR_OF(KEEP, b)
        barrier(CLK_LOCAL_MEM_FENCE);
        k += SLICE;
        a_lane.from += SLICE * a_step;
        b_lane.from += SLICE * b_step;
        LOAD_SLICE
#pragma unroll 2
        for (int s = 0; s < SLICE; ++s) {
            const REAL2 x = a_slice[s * (LD / 2) + pair];
            const REAL4 y = b_slice[s * (LD / 4) + four];
            sum0 += x.s0 * y;
            sum1 += x.s1 * y;
        }
        if ((k & (SPC_BLOCK - 1)) != 0 && k < last) continue;
        total0 += sum0, sum0 = 0;
        total1 += sum1, sum1 = 0;
    }
    const long row = i0 + 2 * pair, column = j0 + 4 * four;
    PUT(0, 0) PUT(0, 1) PUT(0, 2) PUT(0, 3)
    PUT(1, 0) PUT(1, 1) PUT(1, 2) PUT(1, 3)
}

/* C of the sums [blocks, m, n] of blocks of k. */
KERNEL gemm_add(__global const REAL *sums, long blocks, __global STORED *c, long c_at, long ldc,
                long m, long n, REAL alpha, REAL beta) {
    FOR_EACH(e, m * n) {
        const long row = e / n, column = e - row * n;
        REAL total = 0;
        IN_ORDER
        for (long block = 0; block < blocks; ++block) total += sums[block * m * n + e];
        FINISH(1, total, c + (c_at + row * ldc + column));
    }
}

/* 8 lanes compute a row, each one of the eight partial sums. */
KERNEL gemv(SIDES(STORED)) {
    __local REAL p[GROUP];
    const int id = get_local_id(0), l = id & 7;
    const long row = get_group_id(0) * (GROUP / 8) + id / 8;
    __global const STORED *from = a + (a_at + min(row, m - 1) * a_row);
    REAL total = 0;
    b += b_at;
    IN_ORDER
    for (long first = 0; first < length; first += SPC_BLOCK) {
        const long last = min(first + SPC_BLOCK, length);
        REAL sum = 0;
        IN_ORDER
        for (long k = first + l; k < last; k += 8) sum += READ_AT(from, k * a_step) * READ_AT(b, k * b_step);
        p[id] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int step = 4; step > 0; step /= 2) {
            if (l < step) p[id] += p[id + step];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (l == 0) total += p[id];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0 && row < m) FINISH(1, total, c + (c_at + row * ldc));
}

#endif
