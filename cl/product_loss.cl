/* product_loss.cl: losses of the scores A b, where b is one column, and their gradient by the scores,
 * which are not stored. On few wide cores. After panel.cl, products.cl, elementary.cl and loss.cl.
 *
 * Defines  product_loss
 * Range    FOR_BLOCKS over rows
 * Order    docs/numerics.md, rule S, one column; then as loss_gradient
 */
#if !SPC_GPU

#define TERM_AT(i) values[k + i] * b[cols[k + i] * ldb]
#define EIGHT_AT                                                                                   \
    (REAL8)(b[cols[k] * ldb], b[cols[k + 1] * ldb], b[cols[k + 2] * ldb], b[cols[k + 3] * ldb],    \
            b[cols[k + 4] * ldb], b[cols[k + 5] * ldb], b[cols[k + 6] * ldb], b[cols[k + 7] * ldb])

ALWAYS_INLINE REAL row_score(__global const INDEX *cols, __global const REAL *values, long k,
                             long end, __global const REAL *b, long ldb) {
    REAL total = 0;
    IN_ORDER
    for (long last; k < end; k = last) {
        REAL8 s = 0;
        last = min(k + SPC_BLOCK, end);
        IN_ORDER
        for (; last - k >= 8; k += 8) s += LOAD8(values + k) * EIGHT_AT;
        ADD_REST8(s, last - k, TERM_AT);
        total += fold8(s);
    }
    return total;
}

KERNEL product_loss(int loss, __global const OFFSET *offsets, long offsets_at,
                    __global const INDEX *cols, long cols_at, __global const REAL *values,
                    long values_at, __global const REAL *b, long b_at, long ldb,
                    __global const REAL *bias, long bias_at, int has_bias,
                    __global const REAL *labels, long labels_at, REAL scale,
                    __global REAL *residual, long residual_at, __global REAL *losses,
                    long losses_at, long rows) {
    offsets += offsets_at;
    FOR_BLOCKS(first, count, rows) {
        REAL x[BLOCK], y[BLOCK], value[BLOCK], slope[BLOCK];
        for (long i = 0; i < count; ++i) {
            const REAL sum = row_score(cols + cols_at, values + values_at, offsets[first + i],
                                       offsets[first + i + 1], b + b_at, ldb);
            x[i] = has_bias ? sum + bias[bias_at] : sum;
            y[i] = labels[labels_at + first + i];
        }
        losses_of(loss, x, y, value, slope, count);
        for (long i = 0; i < count; ++i) residual[residual_at + first + i] = slope[i] * scale;
        for (long i = 0; i < count; ++i) losses[losses_at + first + i] = value[i];
    }
}

#endif
