/* reduce_gradient.cl: gradients of reductions by their items, element by element. After scan.cl,
 * blocks.cl and elements.cl.
 *
 * Defines  reduce_gradient
 * Range    FOR_EACH_PART over items and their elements
 * Order    docs/numerics.md, each operation rounded once
 */

#define SUM 0
#define MEAN 1
#define SQRTN 2
#define MAX 3
#define MIN 4
#define PROD 5
#define SQUARE_SUM 6
#define NORM 7
#define NORM1 8
#define DOT 9 /* of two arrays, by the other one, which is x */

/* The gradient by an item x whose product is of `others`, the items that are not 0, and `zeros`. */
static REAL product_gradient(REAL x, REAL g, REAL others, REAL zeros) {
    if (zeros == 0) return g * DIVIDE(others, x);
    return zeros == 1 && x == 0 ? g * others : 0;
}

static REAL sign_of(REAL x) {
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

/* Element j of item k, which is in run ids[k], or in that of the runs: gy and y have an element for
 * each run at u * ld + j * step. Items past the last one, up to `capacity`, become 0. `counts`,
 * `others` and `zeros` have a number for each run, or for each of its elements. */
KERNEL reduce_gradient(int kind, __global const OFFSET *offsets, long offsets_at, long runs,
                       long length, __global const INDEX *ids, long ids_at,
                       __global const STORED *x, long x_at, long x_ld, __global const STORED *gy,
                       long gy_at, long gy_ld, __global const STORED *y, long y_at, long y_ld,
                       long step, __global const REAL *counts, long all,
                       __global const long *positions, long positions_at,
                       __global const REAL *others, __global const REAL *zeros,
                       __global STORED *to, long to_at, long to_ld, long capacity, long width) {
    offsets += offsets ? offsets_at : 0;
    ids += ids ? ids_at : 0;
    const long items = offsets ? min((long)offsets[runs], capacity) : capacity;
    const long columns = step ? width : 1;
    long u = 0;
    FOR_EACH_PART(k, column, count, capacity, width) {
        __global STORED *const result = to + to_at + k * to_ld;
        if (k >= items) {
            for (long j = column; j < column + count; ++j) WRITE_AT(result, j, (REAL)0);
            continue;
        }
        u = ids ? (long)ids[k] : run_of(RUN_ARGS, u, k);
        __global const STORED *const from = x + x_at + k * x_ld;
        __global const STORED *const g = gy + gy_at + u * gy_ld, *const r = y + y_at + u * y_ld;
        const REAL divisor = counts ? counts[u] : (REAL)max(all, 1L);
#define EACH(value)                                                                                \
    for (long j = column; j < column + count; ++j) {                                               \
        const long at = u * columns + j * step;                                                    \
        (void)at;                                                                                  \
        WRITE_AT(result, j, value);                                                                \
    }
#define X READ_AT(from, j)
#define G READ_AT(g, j *step)
#define R READ_AT(r, j *step)
        switch (kind) {
        case SUM: EACH(G) break;
        case MEAN: EACH(DIVIDE(G, divisor)) break;
        case SQRTN: EACH(DIVIDE(G, ROOT(divisor))) break;
        case MAX:
        case MIN: EACH(positions[positions_at + at] == k ? G : (REAL)0) break;
        case PROD: EACH(product_gradient(X, G, others[at], zeros[at])) break;
        case SQUARE_SUM: EACH((X + X) * G) break;
        case NORM: EACH(R == 0 ? (REAL)0 : DIVIDE(X, R) * G) break;
        case NORM1: EACH(sign_of(X) * G) break;
        default: EACH(X * G) break;
        }
    }
}
