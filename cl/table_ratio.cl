/* table_ratio.cl: the second half of a step whose rate has norms of the whole table: the weights.
 * The first half, step.cl, stored the updates as the last state. After step.cl; rule_<name>.cl defines
 *   RATE_OF_TABLE  REAL rate_of_table(REAL norm of the weights, REAL norm of the updates, hyper h)
 *   RULE_OF_TABLE(T, n)  rule_of_table##n(T *w, T *first state, T update, REAL rate, hyper h); where
 *                        the updates are the third state, the first stays
 *
 * Defines  step_by_ratio
 * Range    FOR_ROWS
 * Memory   present: a byte for each row of the table, 0 where it stays; NULL: all change. weight_norm,
 *          update_norm: a number each
 * Order    docs/numerics.md, "Optimizer rules"
 */

RATE_OF_TABLE
EACH_WIDTH(RULE_OF_TABLE)

#define RATIO_PANEL(T, n)                                                                          \
    ALWAYS_INLINE void ratio_panel##n(__global REAL *w, __global first_state *s,                   \
                                      __global second_state *t, __global third_state *u,           \
                                      REAL rate, hyper h, long element) {                          \
        T x = LOAD##n(w), p = 0, q = 0, r = 0;                                                     \
        READ_STATES(n)                                                                             \
        rule_of_table##n(&x, &p, UPDATES_AT == 3 ? r : q, rate, h);                                  \
        STORE##n(x, w);                                                                            \
        if (UPDATES_AT == 3) return;                                                                 \
        RANDOM_WORDS_OF(n, h.element + element, h.number, h.seed)                                  \
        WRITE_STATE(n, 0, p, s);                                                                   \
    }
EACH_WIDTH(RATIO_PANEL)

KERNEL step_by_ratio(TABLES, __global const uchar *present, long rows, long width,
                     __global const REAL *weight_norm, __global const REAL *update_norm, HYPER) {
    const hyper h = MAKE_HYPER(h_);
    const REAL rate = rate_of_table(*weight_norm, *update_norm, h);
#define BY_RATIO(n, j)                                                                             \
    ratio_panel##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), rate, h,                    \
                   element_of_row + (j))
    FOURS(TABLES_ALIGNED);
    FOR_ROWS_OF_FOURS(i, rows) {
        if (present && !present[i]) continue;
        FIND_ROW(i);
        PANELS(BY_RATIO);
    }
#undef BY_RATIO
}
