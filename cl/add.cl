/* add.cl: the sum of two dense arrays.
 *
 * Defines  add_dense
 * Range    FOR_EACH_PART over a matrix
 * Memory   z may be x or y: each element is read before it is written
 * Order    one addition for each element
 */

KERNEL add_dense(__global const STORED *x, long x_at, long x_ld, __global const STORED *y, long y_at,
                 long y_ld, __global STORED *z, long z_at, long z_ld, long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global const STORED *one = x + x_at + row * x_ld + column;
        __global const STORED *other = y + y_at + row * y_ld + column;
        __global STORED *to = z + z_at + row * z_ld + column;
        long done = 0;
#if !SPC_GPU && !SPC_F16 && !SPC_BF16
        /* Vectors, which no compiler makes by itself where z may be x. */
        for (; done + 16 <= count; done += 16)
            STORE_SIXTEEN(REAL, vload16(0, one + done) + vload16(0, other + done), to + done);
#endif
        for (; done < count; ++done) WRITE_AT(to, done, READ_AT(one, done) + READ_AT(other, done));
    }
}
