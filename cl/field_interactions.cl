/* field_interactions.cl: interactions of the entries of each row of a CSR matrix, and their
 * gradient. After entries.cl.
 *
 * Defines  field_interactions, field_interactions_gradient
 * Range    FOR_EACH over entries
 * Order    dot products from the first element to the last; entries of a row in ascending order
 */

#define MATRIX                                                                                     \
    __global const OFFSET *offsets, long offsets_at, __global const REAL *values, long values_at,  \
        long rows, long capacity, __global const void *fields, long fields_at, int field64,        \
        __global const REAL *e, long e_at, long ld, long width
#define OPEN_MATRIX                                                                                \
    offsets += offsets_at;                                                                         \
    values += values_at;                                                                           \
    e += e_at;                                                                                     \
    const long total = rows > 0 ? min((long)offsets[rows], capacity) : 0

#define FIELD_OF(p) load_int(fields, field64, fields_at + (p))
/* What entry p has for the field of entry q. */
#define BLOCK_FOR(p, q) (e + (p) * ld + FIELD_OF(q) * width)

static REAL dot_of(__global const REAL *x, __global const REAL *y, long width) {
    REAL sum = 0;
    IN_ORDER
    for (long j = 0; j < width; ++j) sum += x[j] * y[j];
    return sum;
}

/* t[p]: of the pairs of entry p and those after it in its row. */
KERNEL field_interactions(MATRIX, __global REAL *t, long t_at) {
    OPEN_MATRIX;
    FOR_ENTRIES(p, row, offsets, rows, total) {
        const long end = min((long)offsets[row + 1], total);
        REAL sum = 0;
        IN_ORDER
        for (long q = p + 1; q < end; ++q)
            sum += (values[p] * values[q]) * dot_of(BLOCK_FOR(p, q), BLOCK_FOR(q, p), width);
        t[t_at + p] = sum;
    }
    FOR_EACH(rest, capacity - total) t[t_at + total + rest] = 0;
}

/* Row p of the gradient: to the block of the field of each other entry q of its row its block for
 * the field of p is added, times the values of both and the gradient of the first of them. */
KERNEL field_interactions_gradient(MATRIX, __global const REAL *g, long g_at, __global REAL *to,
                                   long to_at, long to_ld, long columns) {
    OPEN_MATRIX;
    g += g_at;
    to += to_at;
    FOR_EACH(rest, capacity - total)
        for (long j = 0; j < columns; ++j) to[(total + rest) * to_ld + j] = 0;
    FOR_ENTRIES(p, row, offsets, rows, total) {
        __global REAL *mine = to + p * to_ld;
        for (long j = 0; j < columns; ++j) mine[j] = 0;
        const long begin = offsets[row], end = min((long)offsets[row + 1], total);
        for (long q = begin; q < end; ++q) {
            if (q == p) continue;
            const REAL factor = (values[p] * values[q]) * g[min(p, q)];
            __global const REAL *from = BLOCK_FOR(q, p);
            __global REAL *block = mine + FIELD_OF(q) * width;
            for (long j = 0; j < width; ++j) block[j] += factor * from[j];
        }
    }
}
