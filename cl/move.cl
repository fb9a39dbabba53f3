/* move.cl: two matrices moved to other places, of whole arrays or to them. After words.cl and
 * elements.cl.
 *
 * Defines  move_pair
 * Range    FOR_EACH_PART over each of both matrices; by_rows, only on few wide cores, where both have
 *          the same rows: FOR_EACH over the rows of both, so that they are read or written in order
 * Memory   stream: results are written by non-temporal stores
 * Order    none: words are only moved
 */

typedef struct {
    __global const WORD *from;
    __global WORD *to;
    long from_ld, to_ld, m, n;
} matrix_move;

static void move_part_of_row(const matrix_move *a, long row, int stream) {
    move_words(a->from + row * a->from_ld, a->to + row * a->to_ld, a->n, stream);
}

static void move_parts(const matrix_move *a, int stream) {
    FOR_EACH_PART(row, column, count, a->m, a->n) {
        __global const WORD *from = a->from + row * a->from_ld + column;
        move_words(from, a->to + row * a->to_ld + column, count, stream);
    }
}

KERNEL move_pair(__global const WORD *from_a, long from_a_at, long from_a_ld, __global WORD *to_a,
                 long to_a_at, long to_a_ld, long m_a, long n_a, __global const WORD *from_b,
                 long from_b_at, long from_b_ld, __global WORD *to_b, long to_b_at, long to_b_ld,
                 long m_b, long n_b, int by_rows, int stream) {
    const matrix_move a = {from_a + from_a_at, to_a + to_a_at, from_a_ld, to_a_ld, m_a, n_a};
    const matrix_move b = {from_b + from_b_at, to_b + to_b_at, from_b_ld, to_b_ld, m_b, n_b};
#if !SPC_GPU
    if (by_rows && n_a == 16 && n_b == 16) { /* a vector each: 1.5 times as fast as move_words */
        FOR_EACH(row, m_a) {
            MOVE16(a.from + row * a.from_ld, a.to + row * a.to_ld);
            MOVE16(b.from + row * b.from_ld, b.to + row * b.to_ld);
        }
        return;
    }
    if (by_rows) {
        FOR_EACH(row, m_a) {
            move_part_of_row(&a, row, stream);
            move_part_of_row(&b, row, stream);
        }
        return;
    }
#endif
    move_parts(&a, stream);
    move_parts(&b, stream);
}
