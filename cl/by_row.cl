/* by_row.cl: one optimizer step on rows of a table, where a rule needs a number of each row:
 * first the sums over the row, then its elements. After step.cl; rule_<name>.cl also defines
 *   BY_ROW
 *   ROW_RULE  hyper row_rule(row x, hyper h), which updates the states of the row and makes of h the
 *             numbers of its elements. It must not write to h: on rusticl (Mesa 22.3) that changes
 *             the caller's (observed).
 *
 * Defines  step_rows_by_row; step_separately_by_row: the rows of one index one after the other;
 *          step_absent_by_row: a step with a gradient of 0 for the rows without a flag
 * Range    FOR_EACH over the rows, over the runs, over the rows of the table
 * Memory   as in step.cl and absent.cl. A state of rows has an element for each row; the states of
 *          elements come first.
 * Order    docs/numerics.md, rule S as one of several columns, and "Optimizer rules"
 */

/* A row of the table and of its states, and its gradient; NULL: 0. */
typedef struct {
    __global REAL *w, *s, *t, *u;
    __global const REAL *from;
    long width;
} row;

/* The sum of the squares of TERM(j), over a row. */
#define SUM_SQUARES(TERM)                                                                          \
    REAL total = 0;                                                                                \
    IN_ORDER                                                                                       \
    for (long first = 0; first < x.width; first += SPC_BLOCK) {                                    \
        const long last = min(x.width, first + SPC_BLOCK);                                         \
        REAL sum = 0;                                                                              \
        IN_ORDER                                                                                   \
        for (long j = first; j < last; ++j) {                                                      \
            const REAL term = TERM(j);                                                             \
            sum += term * term;                                                                    \
        }                                                                                          \
        total += sum;                                                                              \
    }                                                                                              \
    return total;

/* Element j of the gradient after the dials. */
static REAL gradient_of(row x, long j, hyper h) {
    REAL w = x.w[j];
    return prepare1(&w, x.from ? x.from[j] : (REAL)0, h);
}

static REAL gradient_squares(row x, hyper h) {
#define GRADIENT_OF(j) gradient_of(x, j, h)
    SUM_SQUARES(GRADIENT_OF)
#undef GRADIENT_OF
}

static REAL weight_squares(row x) {
#define WEIGHT_OF(j) x.w[j]
    SUM_SQUARES(WEIGHT_OF)
#undef WEIGHT_OF
}

ROW_RULE

/* EACH_PANEL in one work-item. */
#if SPC_GPU
#define ONE_LANE const int lanes = 1, lane = 0
#else
#define ONE_LANE
#endif

/* A row that is longer than max_norm becomes as long as that. */
static void shorten(row x, REAL max_norm) {
    const REAL norm = ROOT(weight_squares(x));
    if (!(norm > max_norm)) return;
    const REAL scale = DIVIDE(max_norm, norm);
    for (long j = 0; j < x.width; ++j) x.w[j] *= scale;
}

static void step_row(row x, hyper given, REAL max_norm) {
    const hyper h = row_rule(x, given);
    ONE_LANE;
#define STEP_WITH(n, j, g) step_panel##n(x.w + (j), x.s + (j), x.t + (j), x.u + (j), g, h)
#define STEP(n, j)         STEP_WITH(n, j, LOAD##n(x.from + (j)))
#define STEP_ZERO(n, j)    STEP_WITH(n, j, (REAL)0)
    if (x.from) {
        EACH_PANEL(j, x.width, STEP);
    } else {
        EACH_PANEL(j, x.width, STEP_ZERO);
    }
#undef STEP_ZERO
#undef STEP
#undef STEP_WITH
    if (max_norm < INFINITY) shorten(x, max_norm);
}

#define ROW_OF(from) {w_row, s_row, t_row, u_row, from, width}

KERNEL step_rows_by_row(TABLES, ROWS, HYPER, LAST, REAL max_norm) {
    const hyper h = MAKE_HYPER(h_);
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, n) {
        const long id = ids ? (long)ids[ids_at + i] : i;
        FIND_ROW(id);
        const row x = ROW_OF(g + (g_at + i * g_ld));
        step_row(x, h, max_norm);
        if (last) last[last_at + id] = number;
    }
}

KERNEL step_separately_by_row(TABLES, __global const OFFSET *starts, __global const long *found,
                              __global const INDEX *keys, long keys_at, __global const REAL *from,
                              long from_at, __global const OFFSET *perm, long width, HYPER, LAST,
                              REAL max_norm) {
    const hyper h = MAKE_HYPER(h_);
    const run g = {from + from_at, perm, 0, 0, starts[found[0]], width, 0};
    FOR_EACH(i, found[0]) {
        const long id = (long)keys[keys_at + starts[i]];
        FIND_ROW(id);
        for (long k = starts[i]; k < starts[i + 1]; ++k) {
            const row x = ROW_OF(row_of(g, k));
            step_row(x, h, max_norm);
        }
        if (last) last[last_at + id] = number;
    }
}

KERNEL step_absent_by_row(TABLES, __global const uchar *present, long rows, long width, HYPER,
                          REAL max_norm) {
    const hyper h = MAKE_HYPER(h_);
    FOR_EACH(i, rows) {
        if (present[i]) continue;
        FIND_ROW(i);
        const row x = ROW_OF(0);
        step_row(x, h, max_norm);
    }
}
