/* from_dense.cl: the elements of an array that exceed a threshold, as a sparse array. After scan.cl,
 * entries.cl and elements.cl.
 *
 * An element is kept where its bits under `mask`, as a number, exceed `limit`, or with `all`. (For
 * floats the mask leaves out the sign: then the order of bits is that of absolute values, and a NaN
 * is above all numbers.) Rows are processed in pieces of up to `piece` elements, `per_row` of them.
 *
 * Defines  keep_count, keep_write, keep_offsets (dense to csr and coo); keep_rows, flag_lines,
 *          copy_rows (row-sparse); keep_split (indices of rank 3 and more); prune_mark,
 *          prune_offsets, prune_write (csr to csr); mask_values
 * Range    keep_count, keep_write: FOR_EACH over pieces; copy_rows: FOR_EACH_PART; mask_values:
 *          FOR_ENTRIES; else FOR_EACH
 * Memory   sums: prefix sums of the counts, by piece, of the flags, by row, or of the marks, by word
 * Order    nothing is added
 */

#define KEEP(x) (all || (WORD)((x) & (WORD)mask) > (WORD)limit)
#define RULE    long mask, long limit, int all

/* Rows past the count of a row-sparse array have nothing. */
KERNEL keep_count(__global const WORD *from, long from_at, long ld, long m, long n, long piece,
                  long per_row, RULE, __global const long *stored, long stored_at,
                  __global int *counts) {
    const long rows = item_count(m, stored, stored_at);
    from += from_at;
    FOR_EACH(p, m * per_row) {
        const long row = p / per_row, first = (p - row * per_row) * piece;
        const long last = row < rows ? min(first + piece, n) : first;
        __global const WORD *x = from + row * ld;
        int count = 0;
        for (long j = first; j < last; ++j) count += KEEP(x[j]);
        counts[p] = count;
    }
}

/* Elements of a row that are looked at together. */
#define BLOCK 64

/* Write the elements first .. last - 1 of row x that are kept, from position `at` on; `rows` may be
 * NULL. */
static void write_piece(__global const WORD *x, long row, long first, long last, RULE,
                        __global INDEX *rows, __global INDEX *cols, __global WORD *values, long at,
                        long capacity) {
#if SPC_GPU
    for (long j = first; j < last && at < capacity; ++j) {
        if (!KEEP(x[j])) continue;
        if (rows) rows[at] = (INDEX)row;
        cols[at] = (INDEX)j;
        values[at++] = x[j];
    }
#else
    for (; first < last && at < capacity; first += BLOCK) {
        uchar kept[BLOCK];
        int found = 0;
        const int width = (int)min((long)BLOCK, last - first);
        if (width == BLOCK) {
            for (int i = 0; i < BLOCK; ++i) found += KEEP(x[first + i]);
            if (found == 0) continue;
            found = 0;
        }
        for (int i = 0; i < width; ++i) {
            kept[found] = (uchar)i;
            found += KEEP(x[first + i]);
        }
        const int count = (int)min((long)found, capacity - at);
        for (int i = 0; i < count; ++i) {
            cols[at + i] = (INDEX)(first + kept[i]);
            values[at + i] = x[first + kept[i]];
        }
        if (rows)
            for (int i = 0; i < count; ++i) rows[at + i] = (INDEX)row;
        at += count;
    }
#endif
}

KERNEL keep_write(__global const WORD *from, long from_at, long ld, long m, long n, long piece,
                  long per_row, RULE, __global const long *sums, __global INDEX *rows, long rows_at,
                  __global INDEX *cols, long cols_at, __global WORD *values, long values_at,
                  long capacity) {
    from += from_at;
    if (rows) rows += rows_at;
    cols += cols_at;
    values += values_at;
    FOR_EACH(p, m * per_row) {
        const long row = p / per_row, first = (p - row * per_row) * piece;
        if (sums[p] < sums[p + 1])
            write_piece(from + row * ld, row, first, min(first + piece, n), mask, limit, all, rows,
                        cols, values, sums[p], capacity);
    }
}

/* offsets[r] := where row r begins: stored row r, or with `ids` the first stored row with an index
 * of r or more, of those that are stored. */
KERNEL keep_offsets(__global const long *sums, long per_row, __global const INDEX *ids, long ids_at,
                    long stored_capacity, __global const long *stored, long stored_at,
                    __global OFFSET *offsets, long offsets_at, long rows, long capacity,
                    __global long *needed, long needed_at, int has_needed) {
    const long count = ids ? item_count(stored_capacity, stored, stored_at) : rows;
    if (ids) ids += ids_at;
    FOR_EACH(r, rows + 1) {
        const long row = ids ? find_index(ids, 0, count, r) : r;
        offsets[offsets_at + r] = (OFFSET)min(sums[row * per_row], capacity);
    }
    if (has_needed && get_global_id(0) == 0) needed[needed_at] = sums[count * per_row];
}

/* The number that is stored, and the one that is needed, of `n` flags. */
KERNEL keep_total(__global const long *sums, long n, long capacity, __global long *count,
                  long count_at, __global long *needed, long needed_at, int has_needed) {
    if (get_global_id(0) != 0) return;
    count[count_at] = min(sums[n], capacity);
    if (has_needed) needed[needed_at] = sums[n];
}

/* flags[r] := row r has an element that is kept. */
KERNEL keep_rows(__global const long *sums, long per_row, long rows, __global int *flags) {
    FOR_EACH(r, rows) flags[r] = sums[(r + 1) * per_row] > sums[r * per_row];
}

/* flags[r] := row r of a CSR matrix has entries. */
KERNEL flag_lines(__global const OFFSET *offsets, long offsets_at, long rows, __global int *flags) {
    offsets += offsets_at;
    FOR_EACH(r, rows) flags[r] = offsets[r + 1] > offsets[r];
}

/* The indices of the rows whose flag is 1. */
KERNEL copy_ids(__global const long *sums, long rows, __global INDEX *ids, long ids_at,
                long capacity) {
    ids += ids_at;
    FOR_EACH(r, rows) {
        const long at = sums[r];
        if (sums[r + 1] > at && at < capacity) ids[at] = (INDEX)r;
    }
}

KERNEL copy_rows(__global const long *sums, __global const WORD *from, long from_at, long ld,
                 __global WORD *to, long to_at, long capacity, long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        const long at = sums[row];
        if (sums[row + 1] == at || at >= capacity) continue;
        __global const WORD *source = from + from_at + row * ld + column;
        __global WORD *part = to + to_at + at * n + column;
        for (long j = 0; j < count; ++j) part[j] = source[j];
    }
}

/* The index of one dimension, of positions in a row: place / step, modulo size. */
KERNEL keep_split(__global const long *places, __global INDEX *to, long to_at, long step, long size,
                  long capacity, __global const long *count, long count_at) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(k, n) {
        const long whole = places[k] / step, times = whole / size;
        to[to_at + k] = (INDEX)(whole - times * size);
    }
}

/* --- csr to csr ------------------------------------------------------------------------------ */

/* A bit for each entry says whether it is kept. Words of bits follow the last entry as well, so that
 * there is one for the position after it. */
#define WORD_BITS 32

/* The number of kept entries before entry k. */
static long kept_before(__global const uint *marks, __global const OFFSET *sums, long k) {
    const uint below = (1u << k % WORD_BITS) - 1;
    return (long)sums[k / WORD_BITS] + (long)popcount(marks[k / WORD_BITS] & below);
}

/* marks: the bits of the entries, counts: how many of each word are 1. */
KERNEL prune_mark(__global const OFFSET *offsets, long offsets_at, long rows,
                  __global const WORD *values, long values_at, long capacity, RULE,
                  __global uint *marks, __global int *counts) {
    const long n = clamp((long)offsets[offsets_at + rows], 0L, capacity);
    values += values_at;
    FOR_EACH(w, capacity / WORD_BITS + 1) {
        __global const WORD *x = values + w * WORD_BITS;
        uint word = 0;
        if ((w + 1) * WORD_BITS <= n)
            for (int i = 0; i < WORD_BITS; ++i) word |= (uint)KEEP(x[i]) << i;
        else
            for (int i = 0; w * WORD_BITS + i < n; ++i) word |= (uint)KEEP(x[i]) << i;
        marks[w] = word;
        counts[w] = (int)popcount(word);
    }
}

/* (The sums are OFFSET where the matrix has 64-bit offsets, else int.) */
KERNEL prune_offsets(__global const uint *marks, __global const OFFSET *sums,
                     __global const OFFSET *offsets, long offsets_at, __global void *to, long to_at,
                     int to64, long rows, long capacity, __global long *needed, long needed_at) {
    offsets += offsets_at;
    FOR_EACH(r, rows + 1)
    store_int(to, to64, to_at + r, min(kept_before(marks, sums, offsets[r]), capacity));
    if (needed && get_global_id(0) == 0)
        needed[needed_at] = kept_before(marks, sums, offsets[rows]);
}

KERNEL prune_write(__global const uint *marks, __global const OFFSET *sums,
                   __global const INDEX *indices, long indices_at, __global const WORD *values,
                   long values_at, long n, __global void *to_indices, long to_indices_at, int to64,
                   __global WORD *to_values, long to_values_at, __global long *source,
                   long source_at, long capacity) {
    indices += indices_at;
    values += values_at;
    to_values += to_values_at;
#if SPC_GPU
    FOR_EACH(k, n) {
        const long at = kept_before(marks, sums, k);
        if (!(marks[k / WORD_BITS] >> k % WORD_BITS & 1) || at >= capacity) continue;
        store_int(to_indices, to64, to_indices_at + at, indices[k]);
        to_values[at] = values[k];
        if (source) source[source_at + at] = k;
    }
#else
    /* Each entry is written, and replaced by the next where it is not kept: no branch depends on
     * values. A worker ends with the last entry that it keeps. */
    const long words = n / WORD_BITS + 1, workers = get_global_size(0), w = get_global_id(0);
    const long begin = chunk_begin(words, workers, w), end = chunk_begin(words, workers, w + 1);
    const long all = min((long)sums[end], capacity);
    long at = sums[begin];
    for (long v = begin; v < end; ++v) {
        const long last = min((v + 1) * WORD_BITS, n);
        uint word = marks[v];
        for (long k = v * WORD_BITS; k < last && at < all; ++k, word >>= 1) {
            store_int(to_indices, to64, to_indices_at + at, indices[k]);
            to_values[at] = values[k];
            if (source) source[source_at + at] = k;
            at += word & 1;
        }
    }
#endif
}

/* --- the elements at a pattern --------------------------------------------------------------- */

KERNEL mask_values(__global const OFFSET *offsets, long offsets_at, long rows,
                   __global const INDEX *indices, long indices_at, __global const WORD *x,
                   long x_at, long ld, __global WORD *values, long values_at, long capacity) {
    offsets += offsets_at;
    indices += indices_at;
    x += x_at;
    const long n = clamp((long)offsets[rows], 0L, capacity);
    values += values_at;
    FOR_ENTRIES(k, row, offsets, rows, n) values[k] = x[row * ld + (long)indices[k]];
    FOR_EACH(rest, capacity - n) values[n + rest] = 0;
}
