/* absent.cl: what a step does to the rows that its gradient does not have. After step.cl.
 *
 * Defines  mark_rows (sets the flags of the gradient's rows), step_absent (a step with a gradient of
 *          0 for the rows without a flag; by_row.cl has its own), decay_absent (only the decay of their weights)
 * Range    mark_rows: FOR_EACH; step_absent, decay_absent: FOR_ROWS
 * Memory   ids, count: as in step.cl; present: a byte for each row of the table, 0 at first
 */

KERNEL mark_rows(__global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                 long capacity, __global uchar *present) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, n) present[ids[ids_at + i]] = 1;
}

#ifndef BY_ROW
KERNEL step_absent(TABLES, __global const uchar *present, long rows, long width, HYPER) {
    const hyper h = MAKE_HYPER(h_);
    FOURS(TABLES_ALIGNED);
    FOR_ROWS_OF_FOURS(i, rows) {
        if (present[i]) continue;
        FIND_ROW(i);
#define STEP(n, j) STEP_PANEL_OF_ROW(n, j, (REAL)0)
        PANELS(STEP);
#undef STEP
    }
}
#endif

#define DECAY_PANEL(T, n)                                                                          \
    ALWAYS_INLINE void decay_panel##n(__global REAL *w, hyper h) {                                 \
        T x = LOAD##n(w);                                                                          \
        prepare##n(&x, (REAL)0, h);                                                                      \
        STORE##n(x, w);                                                                            \
    }
EACH_WIDTH(DECAY_PANEL)

KERNEL decay_absent(__global REAL *w, long w_at, long w_ld, __global const uchar *present, long rows,
                    long width, HYPER) {
    const hyper h = MAKE_HYPER(h_);
    FOURS((w_ld & 3) == 0 && ALIGNED(w + w_at));
    FOR_ROWS_OF_FOURS(i, rows) {
        if (present[i]) continue;
        __global REAL *w_row = w + (w_at + i * w_ld);
#define DECAY(n, j) decay_panel##n(w_row + (j), h)
        PANELS(DECAY);
#undef DECAY
    }
}
