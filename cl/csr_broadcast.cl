/* csr_broadcast.cl: the entries of a CSR matrix times, or divided by, a number for each row or each
 * column.
 *
 * Defines  broadcast_rows, broadcast_columns; after entries.cl
 * Range    broadcast_rows: one group for each chunk of `chunk` entries; broadcast_columns: FOR_EACH
 * Memory   z may be the values of the matrix: each element is read before it is written
 * Order    one operation for each entry
 */

#define SCALE(x, v) (divides ? DIVIDE(x, v) : (x) * (v))

/* Elements after the last entry become 0. Their indices are not read. */
KERNEL broadcast_columns(int divides, __global const OFFSET *offsets, long offsets_at, long rows,
                         __global const INDEX *indices, long indices_at,
                         __global const STORED *values, long values_at, long nnz,
                         __global const STORED *v, long v_at, __global STORED *z, long z_at) {
    const long end = offsets[offsets_at + rows];
    FOR_EACH(k, nnz) {
        REAL x = 0;
        if (k < end) {
            const REAL number = READ_AT(v, v_at + indices[indices_at + k]);
            x = READ_AT(values, values_at + k);
            x = SCALE(x, number);
        }
        WRITE_AT(z, z_at + k, x);
    }
}

#if SPC_GPU

KERNEL broadcast_rows(int divides, long chunk, __global const OFFSET *offsets, long offsets_at,
                      long rows, __global const STORED *values, long values_at, long nnz,
                      __global const STORED *v, long v_at, __global STORED *z, long z_at) {
    offsets += offsets_at;
    const long end = offsets[rows], begin = get_group_id(0) * chunk;
    const long last = min(begin + chunk, nnz);
    long low = 0, high = 0;
    if (begin < end) ROWS_OF_TILE(low, high, offsets, rows, begin, min(last, end));
    for (long k = begin + get_local_id(0); k < last; k += GROUP) {
        REAL x = 0;
        if (k < end) {
            const REAL number = READ_AT(v, v_at + row_of_entry(offsets, low, high, k));
            x = READ_AT(values, values_at + k);
            x = SCALE(x, number);
        }
        WRITE_AT(z, z_at + k, x);
    }
}

#else

KERNEL broadcast_rows(int divides, long chunk, __global const OFFSET *offsets, long offsets_at,
                      long rows, __global const STORED *values, long values_at, long nnz,
                      __global const STORED *v, long v_at, __global STORED *z, long z_at) {
    offsets += offsets_at;
    values += values_at;
    z += z_at;
    const long begin = get_group_id(0) * chunk, last = min(begin + chunk, nnz);
    const long end = min((long)offsets[rows], last);
    long k = begin;
    for (long row = k < end ? row_of_entry(offsets, 0, rows, k) : 0; k < end; ++row) {
        const long row_end = min((long)offsets[row + 1], end);
        const REAL number = READ_AT(v, v_at + row);
        for (; k < row_end; ++k) {
            const REAL x = READ_AT(values, k);
            WRITE_AT(z, k, SCALE(x, number));
        }
    }
    for (; k < last; ++k) WRITE_AT(z, k, 0);
}

#endif
