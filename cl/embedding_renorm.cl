/* embedding_renorm.cl: rows of a table made shorter where their norm is too large. After panel.cl
 * and bags.cl.
 *
 * Defines  renorm_rows
 * Range    FOR_EACH over the rows
 * Memory   rows: distinct indices in range; found: their number
 * Order    docs/numerics.md, rule S with one column
 */

#define SUM_OF_ABS 1
#define ROOT_OF_SQUARES 2
#define LARGEST_ABS 3

/* The sum of TERM(T, x), where x has type T, over a row. */
#define SUM_ROW(row, width, TERM)                                                                  \
    REAL total = 0;                                                                                \
    IN_ORDER                                                                                       \
    for (long first = 0; first < (width); first += SPC_BLOCK) {                                    \
        const long last = min((width), first + SPC_BLOCK);                                         \
        REAL p[8];                                                                                 \
        REAL8 s = 0;                                                                               \
        long j = first;                                                                            \
        for (; j + 8 <= last; j += 8) {                                                            \
            const REAL8 x = GET8((row) + j);                                                       \
            s += TERM(REAL8, x);                                                                   \
        }                                                                                          \
        vstore8(s, 0, p);                                                                          \
        IN_ORDER                                                                                   \
        for (; j < last; ++j) {                                                                    \
            const REAL x = READ_AT(row, j);                                                        \
            p[j & 7] += TERM(REAL, x);                                                             \
        }                                                                                          \
        total += fold_partial(p);                                                                  \
    }
#define SQUARE(T, x) ((x) * (x))
/* No fabs: compilers make an intrinsic function of vectors of it, which Oclgrind does not have. The
 * sum with 0 is for -0. */
#define ABS(T, x) ((x) * ((x) >= 0 ? (T)(1) : (T)(-1)) + (REAL)0)

static REAL sum_abs(__global const STORED *row, long width) {
    SUM_ROW(row, width, ABS)
    return total;
}

static REAL sum_squares(__global const STORED *row, long width) {
    SUM_ROW(row, width, SQUARE)
    return total;
}

/* A NaN is larger than all numbers. */
static REAL largest_abs(__global const STORED *row, long width) {
    REAL largest = 0;
    for (long j = 0; j < width; ++j) {
        const REAL x = READ_AT(row, j), size = ABS(REAL, x);
        largest = size > largest || size != size ? size : largest;
    }
    return largest;
}

KERNEL renorm_rows(__global const INDEX *rows, __global const long *found, long capacity,
                   __global STORED *table, long table_at, long ld, long width, int norm_type,
                   REAL max_norm, REAL epsilon) {
    FOR_EACH(u, min(*found, capacity)) {
        __global STORED *row = table + (table_at + (long)rows[u] * ld);
        const REAL norm = norm_type == SUM_OF_ABS        ? sum_abs(row, width)
                          : norm_type == ROOT_OF_SQUARES ? ROOT(sum_squares(row, width))
                                                         : largest_abs(row, width);
        if (!(norm > max_norm)) continue;
        const REAL scale = DIVIDE(max_norm, norm + epsilon);
        for (long j = 0; j < width; ++j) WRITE_AT(row, j, READ_AT(row, j) * scale);
    }
}
