/* lazy.cl: the dense steps that rows have missed, for exact lazy optimizers. After hyper.cl,
 * panel.cl and missed.cl.
 *
 * Defines  record_step (a new step: the tables move to it), mark_last (the steps of rows, as they
 *          were and as they will be), lazy_rows (brings rows from `from` up to step `done`)
 * Range    record_step: FOR_EACH over the window; mark_last: FOR_EACH; lazy_rows: FOR_ROWS
 * Memory   ids, count: may be NULL, as in step.cl; last: minus the last step of each row, unchanged
 *          with mark 0; moves_states: 0: only the weights are written; low: the low parts of sums, a
 *          ring over the window; the others: missed.cl
 * Form     LAZY_FORM of missed.cl
 * Order    docs/numerics.md, "Exact lazy steps"
 */
/* high + low += x, with the rounding error of the sum in *low. */
#define ADD_TO(high, low, x)                                                                       \
    do {                                                                                           \
        const REAL x_ = (x), sum = (high) + x_, part = sum - (high);                               \
        low += ((high) - (sum - part)) + (x_ - part);                                              \
        high = sum;                                                                                \
    } while (0)

KERNEL record_step(__global REAL *sums, __global REAL *low, __global REAL *steps,
                   __global int *exponents, __global const REAL *series, int step, int window,
                   REAL f0, REAL f1, REAL f2, REAL f3, REAL rate, REAL epsilon, REAL share,
                   REAL mantissa, REAL rest_of_mantissa, int exponent) {
    const REAL term[4] = {f0, f1, f2, f3};
    FOR_EACH(i, min(window, step)) {
        const long d = i + 1, t = step - d, slot = t % window;
        for (int q = 0; q < 4; ++q) {
            REAL high = d == 1 ? 0 : sums[4 * t + q], rest = d == 1 ? 0 : low[4 * slot + q];
            const REAL lost = share * high;
            rest -= share * rest;
            ADD_TO(high, rest, series[6 * d + q] * term[q]);
            ADD_TO(high, rest, -lost);
            const REAL sum = high + rest;
            low[4 * slot + q] = rest - (sum - high);
            sums[4 * t + q] = sum;
        }
    }
    if (get_global_id(0) != 0) return;
    steps += NUMBERS_OF_STEP * (long)step;
    steps[0] = rate;
    steps[1] = epsilon;
    steps[2] = share;
    steps[3] = mantissa;
    steps[4] = rest_of_mantissa;
    exponents[step] = exponent;
}

/* Of the places of a row that is stored twice, one finds what the row has missed. */
KERNEL mark_last(__global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                 long capacity, volatile __global int *last, int done, int mark,
                 __global int *from) {
    const long n = item_count(capacity, count, count_at);
    FOR_EACH(i, n) {
        const int old = -atomic_min(last + (ids ? (long)ids[ids_at + i] : i), -mark);
        from[i] = old < done ? old : -1;
    }
}

#if BY_ELEMENTS
#define EACH_CATCH_UP(j, width, call) for (long j = 0; j < (width); ++j) call(1, j)
#else
#define EACH_CATCH_UP EACH_PANEL
#endif

KERNEL lazy_rows(__global REAL *w, long w_at, long w_ld, __global REAL *s, long s_at, long s_ld,
                 __global REAL *t, long t_at, long t_ld, __global REAL *u, long u_at, long u_ld,
                 __global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                 long capacity, long width, __global const int *from, __global const REAL *sums,
                 __global const REAL *steps, __global const int *exponents,
                 __global const REAL *series, __global const REAL *powers, int done, int window,
                 REAL unit, REAL largest_epsilon, REAL limit, int decays, int moves_states) {
    const history h = {steps, exponents,       series, done,   window,
                       unit,  largest_epsilon, limit,  decays, moves_states};
    const long n = item_count(capacity, count, count_at);
    FOR_ROWS(i, n, width) {
        if (from[i] < 0) continue;
        const long row = ids ? (long)ids[ids_at + i] : i;
        const needs x = needs_of(h, sums, powers, from[i]);
        __global REAL *w_row = w + (w_at + row * w_ld), *s_row = s + (s_at + row * s_ld),
                      *t_row = t + (t_at + row * t_ld), *u_row = u + (u_at + row * u_ld);
#define LAZY(n, j) catch_up##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), x, h)
        EACH_CATCH_UP(j, width, LAZY);
#undef LAZY
    }
}
