/* batch_norm.cl: normalisation of the columns of a matrix, and its gradients. After norm.cl.
 *
 * Defines  column_rstd, norm_columns, norm_columns_gradient
 * Range    column_rstd: FOR_EACH over columns; norm_columns, norm_columns_gradient: FOR_EACH_PART
 *          over a matrix
 * Memory   statistics are REAL, all else STORED
 */

KERNEL column_rstd(__global const REAL *variances, long variances_at, long n, REAL epsilon,
                   __global REAL *rstds) {
    FOR_EACH(j, n) rstds[j] = rstd_of(variances[variances_at + j], epsilon);
}

KERNEL norm_columns(__global const STORED *x, long x_at, long x_ld, __global const STORED *gamma,
                    long gamma_at, __global const STORED *beta, long beta_at, __global STORED *y,
                    long y_at, long y_ld, long m, long n, __global const REAL *means, long means_at,
                    __global const REAL *rstds, long rstds_at) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *from = x + (x_at + row * x_ld + column);
        __global STORED *to = y + (y_at + row * y_ld + column);
        __global const REAL *mean = means + means_at + column, *rstd = rstds + rstds_at + column;
#define NORMAL(n, k)                                                                               \
    {                                                                                              \
        const VECTOR_##n normal = (GET##n(from + k) - LOAD##n(mean + k)) * LOAD##n(rstd + k);      \
        SET##n(normal * COLUMNS_OR(n, gamma, gamma_at + column + k, 1) +                           \
                   COLUMNS_OR(n, beta, beta_at + column + k, 0),                                   \
               to + k);                                                                            \
    }
        EACH_OF_PART(k, count, NORMAL)
#undef NORMAL
    }
}

/* a and b: the means of gy, and of gy times the normalised x. */
KERNEL norm_columns_gradient(__global const STORED *gy, long gy_at, long gy_ld,
                             __global const STORED *x, long x_at, long x_ld,
                             __global const STORED *gamma, long gamma_at,
                             __global const REAL *means, long means_at, __global const REAL *rstds,
                             long rstds_at, __global STORED *gx, long gx_at, long gx_ld, long m,
                             long n, __global const REAL *a, __global const REAL *b) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *from = x + (x_at + row * x_ld + column);
        __global const STORED *of = gy + (gy_at + row * gy_ld + column);
        __global STORED *to = gx + (gx_at + row * gx_ld + column);
        __global const REAL *mean = means + means_at + column, *rstd = rstds + rstds_at + column;
#define GRADIENT(n, k)                                                                             \
    {                                                                                              \
        const VECTOR_##n scale = LOAD##n(rstd + k);                                                \
        const VECTOR_##n normal = (GET##n(from + k) - LOAD##n(mean + k)) * scale;                  \
        SET##n((COLUMNS_OR(n, gamma, gamma_at + column + k, 1) * scale) *                          \
                   ((GET##n(of + k) - LOAD##n(a + column + k)) -                                   \
                    normal * LOAD##n(b + column + k)),                                             \
               to + k);                                                                            \
    }
        EACH_OF_PART(k, count, GRADIENT)
#undef GRADIENT
    }
}
