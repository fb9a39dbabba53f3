/* bsr.cl: matrices between CSR and BSR format. After scan.cl, elements.cl, entry_sums.cl and bitmap.cl.
 *
 * The rows of a block are merged: each has a cursor, at its next entry, and the next block is the
 * one of the lowest column at a cursor. On wide cores, unless rows are very wide, the columns of
 * blocks are bits, and each entry goes to the place of its block.
 *
 * Defines  bsr_count, bsr_write, bsr_mark, bsr_place, bsr_offsets (csr to bsr); bsr_rows,
 *          bsr_entries (bsr to csr)
 * Range    bsr_count, bsr_write, bsr_mark, bsr_place: FOR_EACH over the rows of blocks;
 *          bsr_entries: FOR_EACH_PART over the rows of all blocks; else FOR_EACH
 * Memory   cursors: one OFFSET for each row of the matrix; of each worker bits, and places: an INDEX
 *          for each column of blocks
 * Order    docs/numerics.md, rule R: entries of one position are adjacent, unless `unique`
 */

/* --- csr to bsr ------------------------------------------------------------------------------ */

/* The lowest column at the cursors of the rows first .. first + rows - 1; `none` past their end. */
static long lowest_column(__global const OFFSET *offsets, __global const INDEX *indices,
                          __global const OFFSET *cursors, long first, long rows, long none) {
    long lowest = none;
    for (long r = first; r < first + rows; ++r) {
        const OFFSET k = cursors[r];
        if (k < offsets[r + 1]) lowest = min(lowest, (long)indices[k]);
    }
    return lowest;
}

/* The column of blocks. (A division of 64 bits is slower.) */
#define COLUMN_OF(j) ((INDEX)(j) / (INDEX)block_cols)

/* counts[i] := the blocks of row i of blocks. */
KERNEL bsr_count(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                 long indices_at, __global OFFSET *cursors, long lines, long block_rows,
                 long block_cols, long cols, __global int *counts) {
    offsets += offsets_at;
    indices += indices_at;
    FOR_EACH(i, lines) {
        const long first = i * block_rows;
        int count = 0;
        for (long r = first; r < first + block_rows; ++r) cursors[r] = offsets[r];
        for (;;) {
            const long lowest =
                lowest_column(offsets, indices, cursors, first, block_rows, cols);
            if (lowest == cols) break;
            const long end = ((long)COLUMN_OF(lowest) + 1) * block_cols;
            ++count;
            for (long r = first; r < first + block_rows; ++r) {
                OFFSET k = cursors[r];
                while (k < offsets[r + 1] && indices[k] < end) ++k;
                cursors[r] = k;
            }
        }
        counts[i] = count;
    }
}

/* From prefix sums of the counts to offsets. */
KERNEL bsr_offsets(__global const long *sums, long lines, long capacity, __global OFFSET *to,
                   long to_at, __global long *needed, long needed_at, int has_needed) {
    FOR_EACH(i, lines + 1) to[to_at + i] = (OFFSET)min(sums[i], capacity);
    if (has_needed && get_global_id(0) == 0) needed[needed_at] = sums[lines];
}

KERNEL bsr_write(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                 long indices_at, __global const VALUE *values, long values_at,
                 __global OFFSET *cursors, long lines, long block_rows, long block_cols, long cols,
                 __global const long *sums, long capacity, __global void *to_indices,
                 long to_indices_at, int to64, __global VALUE *to, long to_at, int unique) {
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    FOR_EACH(i, lines) {
        const long first = i * block_rows, stop = min(sums[i + 1], capacity);
        for (long r = first; r < first + block_rows; ++r) cursors[r] = offsets[r];
        for (long at = sums[i]; at < stop; ++at) {
            const long lowest =
                lowest_column(offsets, indices, cursors, first, block_rows, cols);
            const long column = COLUMN_OF(lowest), begin = column * block_cols;
            __global VALUE *line = to + to_at + at * block_rows * block_cols;
            store_int(to_indices, to64, to_indices_at + at, column);
            for (long r = first; r < first + block_rows; ++r, line += block_cols) {
                const OFFSET row_end = offsets[r + 1];
                OFFSET k = cursors[r], next;
                for (long j = 0; j < block_cols; ++j) line[j] = 0;
                for (; k < row_end && indices[k] < begin + block_cols; k = next) {
                    next = k + 1;
                    while (!unique && next < row_end && indices[next] == indices[k]) ++next;
                    PUT_RUN(line + (indices[k] - begin), values, k, next);
                }
                cursors[r] = k;
            }
        }
    }
}

#if !SPC_GPU

/* `shift` is the logarithm of block_cols, or negative: a division is slower. */
#define BLOCK_OF(j) (shift < 0 ? COLUMN_OF(j) : (INDEX)(j) >> shift)

/* counts[i] := the blocks of row i of blocks. */
KERNEL bsr_mark(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                long indices_at, __global BITS *bits, long lines, long block_rows, long block_cols,
                int shift, long columns, __global int *counts) {
    const bitmap m = open_bitmap(bits, columns);
    offsets += offsets_at;
    indices += indices_at;
    FOR_EACH(i, lines) {
        const long begin = offsets[i * block_rows], end = offsets[(i + 1) * block_rows];
        int count = 0;
        for (long k = begin; k < end; ++k) count += mark_column(m, BLOCK_OF(indices[k]));
        for (long k = begin; k < end; ++k) m.columns[BLOCK_OF(indices[k]) >> LOG_BITS] = 0;
        counts[i] = count;
    }
}

/* Blocks from `capacity` on are left out. */
KERNEL bsr_place(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                 long indices_at, __global const VALUE *values, long values_at,
                 __global BITS *bits, long lines, long block_rows, long block_cols, int shift,
                 long columns, __global INDEX *places, __global const long *sums, long capacity,
                 __global void *to_indices, long to_indices_at, int to64, __global VALUE *to,
                 long to_at, int unique) {
    const bitmap m = open_bitmap(bits, columns);
    const long area = block_rows * block_cols;
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    places += get_group_id(0) * columns;
    FOR_EACH(i, lines) {
        const long first = i * block_rows, begin = min(sums[i], capacity);
        const INDEX stop = (INDEX)(min(sums[i + 1], capacity) - begin);
        __global VALUE *line = to + to_at + begin * area;
        INDEX place = 0;
        for (long k = offsets[first]; k < offsets[first + block_rows]; ++k)
            add_column(m, BLOCK_OF(indices[k]));
#define STORE_BLOCK(column)                                                                        \
    {                                                                                              \
        const long j = column;                                                                     \
        if (place < stop) store_int(to_indices, to64, to_indices_at + begin + place, j);           \
        places[j] = place++;                                                                       \
    }
        EACH_COLUMN(m, STORE_BLOCK)
#undef STORE_BLOCK
        for (long j = 0; j < stop * area; ++j) line[j] = 0;
        for (long r = 0; r < block_rows; ++r, line += block_cols) {
            const long end = offsets[first + r + 1];
            for (long k = offsets[first + r], next; k < end; k = next) {
                const INDEX column = BLOCK_OF(indices[k]), at = places[column];
                next = k + 1;
                while (!unique && next < end && indices[next] == indices[k]) ++next;
                if (at < stop)
                    PUT_RUN(line + at * area + (indices[k] - column * block_cols), values, k, next);
            }
        }
    }
}

#endif

/* --- bsr to csr ------------------------------------------------------------------------------ */

/* offsets of a CSR matrix of `rows` rows, and the entries before the blocks' row of each. */
KERNEL bsr_rows(__global const OFFSET *offsets, long offsets_at, long rows, long block_rows,
                long block_cols, long capacity, __global void *to, long to_at, int to64) {
    offsets += offsets_at;
    FOR_EACH(r, rows + 1) {
        const long i = r / block_rows, within = r - i * block_rows;
        const long begin = min((long)offsets[i], capacity);
        const long blocks = within ? min((long)offsets[i + 1], capacity) - begin : 0;
        store_int(to, to64, to_at + r, (begin * block_rows + within * blocks) * block_cols);
    }
}

/* Row `within` of block k goes behind that of the blocks before it in its row of blocks. */
KERNEL bsr_entries(__global const OFFSET *offsets, long offsets_at, long lines,
                   __global const INDEX *indices, long indices_at, __global const VALUE *values,
                   long values_at, long block_rows, long block_cols, long capacity,
                   __global void *to_indices, long to_indices_at, int to64, __global VALUE *to,
                   long to_at) {
    offsets += offsets_at;
    indices += indices_at;
    const long n = clamp((long)offsets[lines], 0L, capacity);
    long i = 0;
    FOR_EACH_PART(row, column, length, n * block_rows, block_cols) {
        const long block = row / block_rows, within = row - block * block_rows;
        i = find_offset(offsets, i, lines + 1, block + 1) - 1;
        const long begin = offsets[i], blocks = min((long)offsets[i + 1], n) - begin;
        const long at =
            (begin * block_rows + within * blocks + block - begin) * block_cols + column;
        const long first = (long)indices[block] * block_cols + column;
        __global const VALUE *from = values + values_at + row * block_cols + column;
        for (long j = 0; j < length; ++j) {
            store_int(to_indices, to64, to_indices_at + at + j, first + j);
            to[to_at + at + j] = from[j];
        }
    }
}
