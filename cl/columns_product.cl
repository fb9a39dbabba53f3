/* columns_product.cl: the transpose of a small CSR matrix times B, without a pattern: only the rows
 * of the result that have entries. For CPU class. After products.cl and columns.cl.
 *
 * Defines  columns_sum (B has one column), columns_multiply (B has any number)
 * Range    as in columns.cl
 * Order    docs/numerics.md, rule S
 * Memory   as in columns.cl; products, items: one element per entry
 */
#if !SPC_GPU

#define PRODUCT                                                                                    \
    __global const STORED *values, long values_at, __global const STORED *b, long b_at, long ldb,  \
        __global INDEX *ids, long ids_at, __global STORED *to, long to_at, __global long *found,   \
        long found_at, REAL alpha, __global OFFSET *splits, __global OFFSET *ends,                 \
        __global uchar *seen
#define OPEN_PRODUCT                                                                               \
    OPEN_MATRIX;                                                                                   \
    values += values_at;                                                                           \
    b += b_at;                                                                                     \
    ids += ids_at;                                                                                 \
    to += to_at;                                                                                   \
    found += found_at;                                                                             \
    const OFFSET begin = count_entries(ends, &mine);                                               \
    const long first = count_before(seen, &mine);                                                  \
    const long last = first + count_columns(ends, &mine);                                          \
    if (mine.last == columns) *found = last

#define PRODUCT_AT(i) p[i]

static REAL sum_blocks(__global const REAL *p, OFFSET count) {
    REAL total = 0;
    IN_ORDER
    while (count > 0) {
        REAL8 s = 0;
        OFFSET left = min(count, (OFFSET)SPC_BLOCK);
        count -= left;
        IN_ORDER
        for (; left >= 8; left -= 8, p += 8) s += LOAD8(p);
        ADD_REST8(s, left, PRODUCT_AT);
        total += fold8(s);
    }
    return total;
}

/* The products are stored ordered by column, and summed there. */
KERNEL columns_sum(MATRIX, PRODUCT, __global REAL *products) {
    OPEN_PRODUCT;
    const OFFSET end = list_columns(ids, 0, ends, &mine, first, last, begin);
    OFFSET at = begin;
    for (long r = 0; r < mine.rows; ++r) {
        const REAL x = READ_AT(b, r * ldb);
        FOR_IN_RANGE(k, &mine, r) products[ends[mine.a[k] + 1]++] = READ_AT(values, k) * x;
    }
    for (long u = first; u < last; ++u) {
        const OFFSET next = ends[ids[u] + 1], count = next - at;
        const REAL sum = count <= 4 && end - at >= 4
                             ? fold4((REAL4)(0) + LOAD4(products + at), count)
                             : sum_blocks(products + at, count);
        WRITE_AT(to, u, alpha * sum);
        at = next;
    }
}

/* An entry, stored ordered by column. */
typedef struct {
    INDEX row;
    REAL value;
} item;

/* Columns j .. j + w of the rows first .. last of the result; the items of the first row begin at
 * k. */
#define PUT(w, i) SET##w(alpha *t##i, to + u * n + i * w);
#define MULTIPLY(name, w, each)                                                                    \
    static void multiply_##name(__global const item *items, OFFSET k, __global const OFFSET *ends, \
                                __global const INDEX *ids, long first, long last,                  \
                                __global const STORED *b, long ldb, __global STORED *to, long n,   \
                                REAL alpha) {                                                      \
        for (long u = first; u < last; ++u) {                                                      \
            const OFFSET end = ends[ids[u] + 1];                                                   \
            each(TOTAL, w) while (k < end) {                                                       \
                each(SUM, w)                                                                       \
                    IN_ORDER for (const OFFSET stop = min(end, k + SPC_BLOCK); k < stop; ++k) {    \
                    const REAL v = items[k].value;                                                 \
                    __global const STORED *from = b + items[k].row * ldb;                          \
                    each(MULTIPLY_ADD, w)                                                          \
                }                                                                                  \
                each(FOLD, w)                                                                      \
            }                                                                                      \
            each(PUT, w)                                                                           \
        }                                                                                          \
    }
MULTIPLY(32, 16, TWO)
MULTIPLY(16, 16, ONE)
MULTIPLY(8, 8, ONE)
MULTIPLY(4, 4, ONE)
MULTIPLY(2, 2, ONE)
MULTIPLY(1, 1, ONE)
#define PANEL(w, j) multiply_##w(items, begin, ends, ids, first, last, b + j, ldb, to + j, n, alpha)

/* The entries are stored ordered by column, and multiplied there. */
KERNEL columns_multiply(MATRIX, PRODUCT, __global item *items, long n) {
    OPEN_PRODUCT;
    list_columns(ids, 0, ends, &mine, first, last, begin);
    for (long r = 0; r < mine.rows; ++r)
        FOR_IN_RANGE(k, &mine, r) {
            const item x = {(INDEX)r, READ_AT(values, k)};
            items[ends[mine.a[k] + 1]++] = x;
        }
    if (n == 32) {
        PANEL(32, 0);
    } else {
        EACH_PANEL(j, n, PANEL);
    }
}

#endif
