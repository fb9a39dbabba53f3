/* bias.cl: add a vector to each row of a dense matrix.
 *
 * Defines  add_bias
 * Range    FOR_EACH_PART over a matrix
 * Memory   y may be x: each element is read before it is written
 * Order    one addition for each element
 */

KERNEL add_bias(__global const STORED *x, long x_at, long x_ld, __global const STORED *bias,
                long bias_at, long bias_step, __global STORED *y, long y_at, long y_ld, long m,
                long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *from = x + x_at + row * x_ld + column;
        __global const STORED *add = bias + bias_at + column * bias_step;
        __global STORED *to = y + y_at + row * y_ld + column;
        long done = 0;
#if !SPC_GPU && !SPC_F16 && !SPC_BF16
        /* Vectors, which no compiler makes by itself where y may be x. */
        for (; done + 16 <= count; done += 16) {
            const REAL16 b = bias_step ? vload16(0, add + done) : (REAL16)(add[0]);
            STORE_SIXTEEN(REAL, vload16(0, from + done) + b, to + done);
        }
#endif
        for (; done < count; ++done) WRITE_AT(to, done, READ_AT(from, done) + READ_AT(add, done * bias_step));
    }
}
