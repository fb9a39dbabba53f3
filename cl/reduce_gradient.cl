/* reduce_gradient.cl: gradients of reductions by their items, element by element. After panel.cl,
 * scan.cl, blocks.cl and elements.cl.
 *
 * Defines  reduce_gradient; many lanes: gradients_beside, of up to four matrices
 * Range    CPU class: a contiguous chunk of all elements for each worker; GPU class: FOR_EACH_PART
 *          over items and their elements
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

/* Elements 0 .. count of items 0 .. rows. From an item to the next one, gy and y move by `g_ld` and
 * `y_ld`; from an element to the next one by `step`, which is 0 or 1. */
typedef struct {
    long rows, count, step;
    __global STORED *to;
    __global const STORED *x, *gy, *y;
    long to_ld, x_ld, g_ld, y_ld;
} block;

/* body(n, j) for each vector of each item of block b, elements j .. j + n. */
#if SPC_GPU
#define EACH(body) EACH_NUMBER(body)
#else
/* A loop without other ones after it is up to twice as fast. */
#define EACH(body)                                                                                 \
    if (b.count % 16 == 0) {                                                                       \
        EACH_ITEM(for (long j = 0; j < b.count; j += 16) body(16, j))                              \
    } else {                                                                                       \
        EACH_ITEM(EACH_OF_PART(j, b.count, body))                                                  \
    }
#endif
#define EACH_NUMBER(body) EACH_ITEM(for (long j = 0; j < b.count; ++j) body(1, j))
#define EACH_ITEM(loop)                                                                            \
    for (long i = 0; i < b.rows; ++i) {                                                            \
        __global STORED *const to = b.to + i * b.to_ld;                                            \
        __global const STORED *const x = b.x + i * b.x_ld, *const y = b.y + i * b.y_ld;            \
        __global const STORED *const gy = b.gy + i * b.g_ld;                                       \
        const REAL g = READ_AT(gy, 0);                                                             \
        (void)x, (void)y, (void)gy, (void)g;                                                       \
        loop                                                                                       \
    }
/* Our own division is of numbers. */
#if SPC_OWN_DIVIDE
#define EACH_QUOTIENT(body) EACH_NUMBER(body)
#else
#define EACH_QUOTIENT(body) EACH(body)
#endif

#define X(n, j) GET##n(x + (j))
#define Y(n, j) (b.step ? GET##n(y + (j)) : (VECTOR(n))READ_AT(y, 0))
#define G(n, j) (b.step ? GET##n(gy + (j)) : (VECTOR(n))g)

#define SET_ZERO(n, j)     SET##n((VECTOR(n))0, to + (j));
#define SET_SUM(n, j)      SET##n(G(n, j), to + (j));
#define SET_QUOTIENT(n, j) SET##n(DIVIDE(G(n, j), (VECTOR(n))divisor), to + (j));
#define SET_SQUARE(n, j)   SET##n((X(n, j) + X(n, j)) * G(n, j), to + (j));
#define SET_PRODUCT(n, j)  SET##n(X(n, j) * G(n, j), to + (j));
#define SET_NORM(n, j)                                                                             \
    {                                                                                              \
        const VECTOR(n) divisor = Y(n, j), part = DIVIDE(X(n, j), divisor) * G(n, j);              \
        SET##n(divisor == 0 ? (VECTOR(n))0 : part, to + (j));                                      \
    }
#define SET_NORM1(n, j)                                                                            \
    {                                                                                              \
        const VECTOR(n) value = X(n, j), one = 1;                                                  \
        const VECTOR(n) negative = value < 0 ? -one : value, sign = value > 0 ? one : negative;    \
        SET##n(sign *G(n, j), to + (j));                                                           \
    }

ALWAYS_INLINE void set_block(int kind, block b, REAL divisor) {
    switch (kind) {
    case SUM:
        EACH(SET_SUM) break;
    case MEAN:
    case SQRTN:
        EACH_QUOTIENT(SET_QUOTIENT) break;
    case SQUARE_SUM:
        EACH(SET_SQUARE) break;
    case NORM:
        EACH_QUOTIENT(SET_NORM) break;
    case NORM1:
        EACH(SET_NORM1) break;
    default:
        EACH(SET_PRODUCT) break;
    }
}

/* Of a product; `others` and `zeros` are those of element 0. */
ALWAYS_INLINE void set_product(block b, __global const REAL *others, __global const REAL *zeros) {
#define SET_FACTOR(n, j)                                                                           \
    {                                                                                              \
        const long at = (j)*b.step;                                                                \
        SET##n(product_gradient(X(n, j), G(n, j), others[at], zeros[at]), to + (j));               \
    }
    EACH_NUMBER(SET_FACTOR)
}

/* Of a maximum or minimum. Item 0 is item k of all, `positions` are those of element 0. */
ALWAYS_INLINE void set_picked(block b, long k, __global const long *positions) {
#define SET_PICKED(n, j) SET##n(positions[(j)*b.step] == k ? G(n, j) : (REAL)0, to + (j));
    if (b.rows == 1) {
        EACH_NUMBER(SET_PICKED)
        return;
    }
    EACH(SET_ZERO)
    for (long j = 0; j < b.count; ++j) {
        const long i = positions[j * b.step] - k;
        if (i >= 0 && i < b.rows) WRITE_AT(b.to + i * b.to_ld, j, READ_AT(b.gy, j * b.step));
    }
}

/* What the gradient of a mean is divided by. `counts` has a number for each run. */
static REAL divisor_of(int kind, __global const REAL *counts, long u, long all) {
    const REAL count = counts ? counts[u] : (REAL)max(all, 1L);
    return kind == SQRTN ? ROOT(count) : count;
}

#define PICKS(kind)   ((kind) == MAX || (kind) == MIN)
#define DIVIDES(kind) ((kind) == MEAN || (kind) == SQRTN)

#if SPC_GPU
#define FOR_EACH_BLOCK(k, rows, column, count)                                                     \
    long rows = 1;                                                                                 \
    FOR_EACH_PART(k, column, count, capacity, width)
#else

/* A worker's elements are at .. end: the rest of an item, or as many whole items as the body sets
 * `rows` to. */
#define FOR_EACH_BLOCK(k, rows, column, count)                                                     \
    for (long k = at / width, column = at - k * width, rows = 1, count;                            \
         (count = min(width - column, end - at)) > 0;                                              \
         at += rows * count, k += rows, column = 0, rows = 1)

/* Does the gradient by an item depend on its run only, and the one that is picked? */
#define FILLS(kind) ((kind) == SUM || DIVIDES(kind) || PICKS(kind))

/* For such kinds, items k .. end, which are numbers. Vectors may reach past a run: the next runs
 * overwrite that. */
static void fill_runs(int kind, RUN_PARAMS, long k, long end, __global const STORED *gy,
                      __global const REAL *counts, long all, __global const long *positions,
                      __global STORED *to) {
    for (long u = 0; k < end;) {
        u = run_of(RUN_ARGS, u, k);
        const long first = k, last = min((long)offsets[u + 1], end);
        const REAL g = READ_AT(gy, u);
        const REAL part = DIVIDES(kind) ? DIVIDE(g, divisor_of(kind, counts, u, all)) : g;
        const REAL16 value = PICKS(kind) ? 0 : part;
        for (; k < last && k + 16 <= end; k += 16) SET16(value, to + k);
        for (; k < last; ++k) SET1(value.s0, to + k);
        k = last;
        const long picked = PICKS(kind) ? positions[u] : -1;
        if (picked >= first && picked < last) WRITE_AT(to, picked, g);
    }
}
#endif

/* Element j of item k, which is in run ids[k], or in that of the runs: gy and y have an element for
 * each run at u * ld + j * step. Items past the last one, up to `capacity`, become 0. `counts`,
 * `others` and `zeros` have a number for each run, or for each of its elements. */
KERNEL reduce_gradient(int kind, __global const OFFSET *offsets, long offsets_at, long runs,
                       long length, __global const INDEX *ids, long ids_at,
                       __global const STORED *x, long x_at, long x_ld, __global const STORED *gy,
                       long gy_at, long gy_ld, __global const STORED *y, long y_at, long y_ld,
                       long step, __global const REAL *counts, long all,
                       __global const long *positions, long positions_at,
                       __global const REAL *others, __global const REAL *zeros, __global STORED *to,
                       long to_at, long to_ld, long capacity, long width) {
    offsets += offsets ? offsets_at : 0;
    ids += ids ? ids_at : 0;
    positions += positions ? positions_at : 0;
    x += x_at, gy += gy_at, y += y_at, to += to_at;
    const long items = offsets ? min((long)offsets[runs], capacity) : capacity;
    const long columns = step ? width : 1;
    const int is_run = !offsets && !ids && length == 1; /* each item */
    long u = 0;
#if !SPC_GPU
    const long workers = get_global_size(0), worker = get_global_id(0);
    const long end = chunk_begin(capacity * width, workers, worker + 1), last = end / width;
    long at = chunk_begin(capacity * width, workers, worker);
    if (offsets && !ids && width == 1 && to_ld == 1 && FILLS(kind) && at < items) {
        fill_runs(kind, RUN_ARGS, at, min(end, items), gy, counts, all, positions, to);
        at = min(end, items);
    }
#endif
    FOR_EACH_BLOCK(k, rows, column, count) {
        const int is_item = k < items;
        if (is_item) u = ids ? (long)ids[k] : run_of(RUN_ARGS, u, k);
        const long first = column * step;
        block b = {rows,
                   count,
                   step,
                   to + k * to_ld + column,
                   x ? x + k * x_ld + column : x,
                   gy + u * gy_ld + first,
                   y ? y + u * y_ld + first : y,
                   to_ld,
                   x_ld,
                   is_run ? gy_ld : 0,
                   is_run ? y_ld : 0};
#if !SPC_GPU
        if (count == width) {
            const long stop = !is_item ? capacity
                              : ids    ? k + 1
                              : is_run ? items
                                       : run_end(RUN_ARGS, u);
            b.rows = rows = min(last, stop) - k;
        }
        if (width == 1 && to_ld == 1 && x_ld == 1 && !PICKS(kind)) { /* items are one row */
            b.rows = 1;
            b.count = rows;
            b.step = is_run;
        }
#endif
        if (!is_item) {
            EACH(SET_ZERO)
        } else if (PICKS(kind)) {
            set_picked(b, k, positions + u * columns + first);
        } else if (kind == PROD) {
            set_product(b, others + u * columns + first, zeros + u * columns + first);
        } else {
            set_block(kind, b, DIVIDES(kind) ? divisor_of(kind, counts, u, all) : 1);
        }
    }
}

#if SPC_GPU

#define GRADIENT(x)                                                                                \
    __global const STORED *x, long x##_at, __global const STORED *x##_gy, long x##_gy_at,          \
        __global STORED *to_##x, long to_##x##_at

/* By each row of packed matrices, as reduce_gradient. The last ones may not be there. */
KERNEL gradients_beside(int kind, GRADIENT(a), GRADIENT(b), GRADIENT(c), GRADIENT(d), long matrices,
                        long rows, long width) {
    FOR_EACH_PART(k, column, count, matrices * rows, width) {
        const int which = (k >= rows) + (k >= 2 * rows) + (k >= 3 * rows);
        const long row = k - which * rows, at = row * width + column;
        __global STORED *const to = BESIDE(which, to_a + to_a_at, to_b + to_b_at, to_c + to_c_at,
                                           to_d + to_d_at);
        __global const STORED *const x = BESIDE(which, a + a_at, b + b_at, c + c_at, d + d_at);
        __global const STORED *const gy =
            BESIDE(which, a_gy + a_gy_at, b_gy + b_gy_at, c_gy + c_gy_at, d_gy + d_gy_at);
        const block own = {1, count, 0, to + at, x + at, gy + row, 0, 0, 0, 0, 0};
        set_block(kind, own, 1);
    }
}

#endif
