/* embedding_renorm.cl: rows of a table made shorter where their norm is too large. After panel.cl,
 * elements.cl and row_teams.cl.
 *
 * Defines  renorm_rows
 * Range    FOR_TEAM_ROWS
 * Memory   rows: distinct indices in range; found: their number
 * Order    docs/numerics.md, rule S with one column
 */

#define SUM_OF_ABS 1
#define ROOT_OF_SQUARES 2
#define LARGEST_ABS 3

/* No fabs: compilers make an intrinsic function of vectors of it, which Oclgrind does not have. The
 * sum with 0 is for -0. */
#define ABS(T, x) ((x) * ((x) >= 0 ? (T)(1) : (T)(-1)) + (REAL)0)

#define ABS_OF(T, n)                                                                               \
    ALWAYS_INLINE T abs##n(T x) {                                                                  \
        return ABS(T, x);                                                                          \
    }
ABS_OF(REAL, 1)
#if !SPC_GPU
ABS_OF(REAL8, 8)
#endif

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
    const long n = min(*found, capacity);
    const long added = norm_type == SUM_OF_ABS ? width : 0;
    const long squared = norm_type == ROOT_OF_SQUARES ? width : 0;
    FOR_TEAM_ROWS(u, n) {
        HAS_ROW(u, n);
        __global STORED *row = table + (table_at + (has_row ? (long)rows[u] : 0) * ld);
#define ABS_AT(w, j)    abs##w(GET##w(row + (j)))
#define SQUARE_AT(w, j) square##w(GET##w(row + (j)))
        SUM_ROW(sum, added, ABS_AT, FOLD_TREE)
        SUM_ROW(squares, squared, SQUARE_AT, FOLD_TREE)
        const REAL norm = norm_type == SUM_OF_ABS        ? sum
                          : norm_type == ROOT_OF_SQUARES ? ROOT(squares)
                          : has_row                      ? largest_abs(row, width)
                                                         : 0;
        ALL_HAVE_READ;
        if (norm > max_norm) {
            const REAL scale = DIVIDE(max_norm, norm + epsilon);
#define SCALE(w, j) SET##w(GET##w(row + (j)) * scale, row + (j));
            EACH_OF_ROW(j, width, SCALE)
        }
    }
}
