/* squares.cl: steps in which means see the sum of the rows of one index, and squares the sum of
 * their squares, as in Keras 3. After step.cl; rule_<name>.cl defines
 *   RULE_OF_ROWS(T, n)  rule_of_rows##n(T *w, T *first state, T *second state, T *third state,
 *                       run rows, long j, hyper h), for the n columns of `rows` from j on. EACH_ROW
 *                       and SUM_OF_ROWS are for it. One row must give the bits of RULE. Or TERM(g)
 *
 * Defines  step_squares
 * Range    FOR_ROWS over the runs
 * Memory   as step_separately of step.cl
 * Order    docs/numerics.md, "Optimizer rules"
 */

/* `what` for each of `rows`, where g is the gradient of the columns: a coupled decay is a part of
 * that of the first. */
#define EACH_ROW(T, n, g, what)                                                                    \
    IN_ORDER                                                                                       \
    for (long k = rows.begin; k < rows.end; ++k) {                                                 \
        const hyper given = h;                                                                     \
        {                                                                                          \
            hyper h = given;                                                                       \
            T kept = *w;                                                                           \
            if (k > rows.begin) h.decay = 0;                                                       \
            const T g = prepare##n(&kept, LOAD##n(row_of(rows, k) + j), h);                        \
            what;                                                                                  \
        }                                                                                          \
    }
/* sum = term of the first row + term of the second + ... */
#define SUM_OF_ROWS(T, n, sum, g, term)                                                            \
    EACH_ROW(T, n, g, sum = k == rows.begin ? term : sum + (term))
#ifdef TERM
#define RULE_OF_ROWS(T, n)                                                                         \
    static void rule_of_rows##n(T *w, T *p, T *q, T *r, run rows, long j, hyper h) {               \
        T sum = 0, terms = 0;                                                                      \
        SUM_OF_ROWS(T, n, sum, g, g);                                                              \
        SUM_OF_ROWS(T, n, terms, g, TERM(g));                                                      \
        rule_of_sums##n(w, p, q, r, sum, terms, h);                                                \
    }
#endif
EACH_WIDTH(RULE_OF_ROWS)

#define STEP_ROWS_OF_PANEL(T, n)                                                                   \
    ALWAYS_INLINE void step_rows_of_panel##n(                                                      \
        __global REAL *w, __global first_state *s, __global second_state *t,                       \
        __global third_state *u, run rows, long j, hyper h, long element) {                        \
        T x = LOAD##n(w), p = 0, q = 0, r = 0;                                                     \
        READ_STATES(n)                                                                             \
        prepare##n(&x, (T)0, h); /* the decay */                                                   \
        rule_of_rows##n(&x, &p, &q, &r, rows, j, h);                                               \
        STORE##n(x, w);                                                                            \
        WRITE_STATES(n)                                                                            \
    }
EACH_WIDTH(STEP_ROWS_OF_PANEL)

KERNEL step_squares(TABLES, __global const OFFSET *starts, __global const long *found,
                    __global const INDEX *keys, long keys_at, __global const REAL *from,
                    long from_at, __global const OFFSET *perm, long width, HYPER, LAST) {
    const hyper h = MAKE_HYPER(h_);
    FOR_ROWS(i, found[0], width) {
        const long row = (long)keys[keys_at + starts[i]];
        const run rows = {from + from_at, perm, starts[i], starts[i + 1], starts[found[0]], width, 0, 0};
        FIND_ROW(row);
#define STEP(n, j)                                                                                 \
    step_rows_of_panel##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), rows, j, h,          \
                          element_of_row + (j))
        EACH_PANEL(j, width, STEP);
#undef STEP
        if (last && FIRST_LANE) last[last_at + row] = number;
    }
}
