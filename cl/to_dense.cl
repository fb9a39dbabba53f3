/* to_dense.cl: sparse arrays as dense ones. After scan.cl, entries.cl, elements.cl and
 * entry_sums.cl.
 *
 * Defines  zero_part; place_entries (positions of entries of rank 3 and more), scatter_entries
 *          (coo), scatter_lines (csr and csc), on wide cores fill_lines (csr: a row is made 0 and
 *          gets its entries while it is in cache) and fill_columns (sorted csc: the same with a
 *          tile), place_rows, place_blocks
 * Range    zero_part, fill_lines, place_rows, place_blocks: FOR_EACH_PART; scatter_lines: FOR_ENTRIES;
 *          fill_columns: FOR_EACH
 *          over strips of rows and tiles of columns; else FOR_EACH
 * Order    docs/numerics.md, rule R: entries of one position are adjacent, unless `unique`
 */

KERNEL zero_part(__global VALUE *to, long to_at, long ld, long m, long n) {
    FOR_EACH_PART(row, column, count, m, n) {
        __global VALUE *part = to + to_at + row * ld + column;
        for (long j = 0; j < count; ++j) part[j] = 0;
    }
}

/* places[k] := its value so far (with `append`), + a[k] * a_step + b[k] * b_step; b may be NULL. */
KERNEL place_entries(__global long *places, int append, __global const INDEX *a, long a_at,
                     long a_step, __global const INDEX *b, long b_at, long b_step, long capacity,
                     __global const long *count, long count_at) {
    const long n = item_count(capacity, count, count_at);
    a += a_at;
    if (b) b += b_at;
    FOR_EACH(k, n) {
        const long place = (append ? places[k] : 0) + (long)a[k] * a_step;
        places[k] = b ? place + (long)b[k] * b_step : place;
    }
}

#define PLACE(k)                                                                                   \
    ((places ? places[k] : 0) + (long)a[k] * a_step + (b ? (long)b[k] * b_step : 0))

/* `places` and b may be NULL. */
KERNEL scatter_entries(__global const long *places, __global const INDEX *a, long a_at, long a_step,
                       __global const INDEX *b, long b_at, long b_step,
                       __global const VALUE *values, long values_at, __global VALUE *to, long to_at,
                       long capacity, __global const long *count, long count_at, int unique) {
    const long n = item_count(capacity, count, count_at);
    a += a_at;
    if (b) b += b_at;
    values += values_at;
    to += to_at;
    FOR_EACH(k, n) {
        const long place = PLACE(k);
        long end = k + 1;
        if (!unique) {
            if (k > 0 && PLACE(k - 1) == place) continue;
            while (end < n && PLACE(end) == place) ++end;
        }
        PUT_RUN(to + place, values, k, end);
    }
}

/* Entry k of line i goes to i * line_step + indices[k] * index_step, or with `map` to
 * map[i] * line_step + ..., unless map[i] is `limit` or more. */
KERNEL scatter_lines(__global const OFFSET *offsets, long offsets_at, long lines, long line_step,
                     __global const INDEX *indices, long indices_at, long index_step,
                     __global const VALUE *values, long values_at, __global VALUE *to, long to_at,
                     long capacity, __global const long *map, long limit, int unique) {
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    to += to_at;
    const long n = clamp((long)offsets[lines], 0L, capacity);
    FOR_ENTRIES(k, i, offsets, lines, n) {
        const long line = map ? map[i] : i;
        long end = k + 1;
        if (line >= limit) continue;
        if (!unique) {
            const long last = min((long)offsets[i + 1], n);
            if (k > offsets[i] && indices[k - 1] == indices[k]) continue;
            while (end < last && indices[end] == indices[k]) ++end;
        }
        PUT_RUN(to + line * line_step + (long)indices[k] * index_step, values, k, end);
    }
}

#if !SPC_GPU

/* Rows without `sorted` are `unique`. */
KERNEL fill_lines(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                  long indices_at, __global const VALUE *values, long values_at, __global VALUE *to,
                  long to_at, long ld, long m, long n, int sorted, int unique) {
    offsets += offsets_at;
    indices += indices_at;
    values += values_at;
    FOR_EACH_PART(row, column, count, m, n) {
        __global VALUE *line = to + to_at + row * ld;
        const long end = offsets[row + 1], stop = column + count;
        long k = offsets[row];
        for (long j = column; j < stop; ++j) line[j] = 0;
        if (sorted && column > 0) k = find_index(indices, k, end, column);
        for (long next; k < end; k = next) {
            const long j = indices[k];
            next = k + 1;
            while (!unique && next < end && indices[next] == j) ++next;
            if (j >= column && j < stop) {
                PUT_RUN(line + j, values, k, next);
            } else if (sorted && j >= stop) {
                break;
            }
        }
    }
}

#define STRIP_ROWS   512 /* in which the entries of a column are searched once */
#define TILE_ROWS    32
#define TILE_COLUMNS 512

/* A strip of `rows` rows from `row` on and `columns` columns. */
typedef struct {
    __global const OFFSET *offsets; /* of these columns */
    __global const INDEX *indices;
    __global const VALUE *values;
    __global VALUE *to; /* row 0 of these columns */
    long ld, row, rows, columns;
    int unique;
} dense_strip;

/* Rows row .. end - 1; next[c]: the first entry of column c that is not yet in its place. */
static void fill_tile(const dense_strip *s, long row, long end, OFFSET *next) {
    for (long i = row; i < end; ++i)
        for (long c = 0; c < s->columns; ++c) s->to[i * s->ld + c] = 0;
    for (long c = 0; c < s->columns; ++c) {
        const long last = s->offsets[c + 1];
        long k = next[c];
        for (long run; k < last && s->indices[k] < end; k = run) {
            const long i = s->indices[k];
            run = k + 1;
            while (!s->unique && run < last && s->indices[run] == i) ++run;
            PUT_RUN(s->to + (i * s->ld + c), s->values, k, run);
        }
        next[c] = (OFFSET)k;
    }
}

KERNEL fill_columns(__global const OFFSET *offsets, long offsets_at, __global const INDEX *indices,
                    long indices_at, __global const VALUE *values, long values_at,
                    __global VALUE *to, long to_at, long ld, long m, long n, int unique) {
    const long tiles = (n + TILE_COLUMNS - 1) / TILE_COLUMNS;
    OFFSET next[TILE_COLUMNS];
    indices += indices_at;
    FOR_EACH(t, (m + STRIP_ROWS - 1) / STRIP_ROWS * tiles) {
        const long strip = t / tiles, column = (t - strip * tiles) * TILE_COLUMNS;
        const dense_strip s = {offsets + (offsets_at + column),
                               indices,
                               values + values_at,
                               to + (to_at + column),
                               ld,
                               strip * STRIP_ROWS,
                               min(m - strip * STRIP_ROWS, (long)STRIP_ROWS),
                               min(n - column, (long)TILE_COLUMNS),
                               unique};
        for (long c = 0; c < s.columns; ++c)
            next[c] = (OFFSET)find_index(indices, s.offsets[c], s.offsets[c + 1], s.row);
        for (long i = 0; i < s.rows; i += TILE_ROWS)
            fill_tile(&s, s.row + i, s.row + min(i + TILE_ROWS, s.rows), next);
    }
}

#endif

/* Row i of `from` becomes row ids[i]. */
KERNEL place_rows(__global const INDEX *ids, long ids_at, __global const VALUE *from, long from_at,
                  __global VALUE *to, long to_at, long ld, long capacity,
                  __global const long *count, long count_at, long width) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH_PART(row, column, length, n, width) {
        __global const VALUE *source = from + from_at + row * width + column;
        __global VALUE *part = to + to_at + (long)ids[ids_at + row] * ld + column;
        for (long j = 0; j < length; ++j) part[j] = source[j];
    }
}

/* Blocks of a BSR matrix, row by row of each. */
KERNEL place_blocks(__global const OFFSET *offsets, long offsets_at, long lines,
                    __global const INDEX *indices, long indices_at, __global const VALUE *values,
                    long values_at, __global VALUE *to, long to_at, long ld, long block_rows,
                    long block_cols, long capacity) {
    offsets += offsets_at;
    indices += indices_at;
    const long n = clamp((long)offsets[lines], 0L, capacity);
    long i = 0;
    FOR_EACH_PART(row, column, length, n * block_rows, block_cols) {
        const long block = row / block_rows;
        i = find_offset(offsets, i, lines + 1, block + 1) - 1;
        const long target = i * block_rows + row - block * block_rows;
        __global const VALUE *source = values + values_at + row * block_cols + column;
        __global VALUE *part =
            to + to_at + target * ld + (long)indices[block] * block_cols + column;
        for (long j = 0; j < length; ++j) part[j] = source[j];
    }
}
