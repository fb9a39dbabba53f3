/* step_late.cl: a step on rows that first catch up with the steps that they have missed: each row is
 * read and written once. After rule_<name>.cl, missed.cl or remade.cl, and step.cl.
 *
 * Defines  step_late_rows: the bits of lazy_rows, then step_rows; after remade.cl: of remake_rows,
 *          which is here: rows that have missed steps catch up
 * Range    FOR_ROWS
 * Memory   step.cl, lazy.cl; many lanes: from: the last step of each row of the gradient, or less
 *          than 0; else last: minus the last step of each row, which becomes `done` + 1
 * Order    docs/numerics.md, "Exact lazy steps" and "Optimizer rules"
 */

/* The states of a rule as those of missed.cl. */
#ifndef LAZY_STATES
#define LAZY_STATES(s, t, u) s, t, u
#endif

/* Many lanes have one element each: four would need too many registers. */
#if SPC_GPU
#define EACH_LATE_WIDTH(M)  M(REAL, 1)
#define SINGLES(call)       EACH_PANEL(j, width, call)
#define BY_LATE_WIDTH(loop) loop(SINGLES)
#else
#define EACH_LATE_WIDTH EACH_WIDTH
#define BY_LATE_WIDTH   BY_WIDTH
#endif

/* What a row needs of the steps that it has missed. */
#ifdef REMADE
EACH_WIDTH(REMAKE)
#define PAST hyper past
#define GIVEN past
#define FIND_PAST
#define BY_ELEMENTS 0
#define MISSED_PANEL(n) remake##n(&a, &p, &q, &r, past)
#else
#define PAST needs x, history past
#define GIVEN x, past
#define FIND_PAST const needs x = needs_of(past, sums, powers, since)
#define MISSED_PANEL(n)                                                                            \
    if (missed##n(&a, LAZY_STATES(&p, &q, &r), x, past)) {                                         \
        for (int e = 0; e < n; ++e)                                                                \
            catch_up1(w + e, LAZY_STATES(s + e, t + e, u + e), x, past);                           \
        step_panel##n(w, s, t, u, g, h, 0);                                                           \
        return;                                                                                    \
    }
#endif

#if BY_ELEMENTS
#define STEP_LATE(T, n)                                                                            \
    static void step_late##n(__global REAL *w, __global REAL *s, __global REAL *t,                 \
                             __global REAL *u, T g, hyper h, PAST) {                               \
        for (int e = 0; e < n; ++e) catch_up1(w + e, LAZY_STATES(s + e, t + e, u + e), GIVEN);     \
        step_panel##n(w, s, t, u, g, h, 0);                                                           \
    }
#else
#define STEP_LATE(T, n)                                                                            \
    ALWAYS_INLINE void step_late##n(__global REAL *w, __global REAL *s, __global REAL *t,          \
                                    __global REAL *u, T g, hyper h, PAST) {                        \
        T a = LOAD##n(w), p = 0, q = 0, r = 0;                                                     \
        READ_STATES(n)                                                                             \
        MISSED_PANEL(n);                                                                           \
        g = prepare##n(&a, g, h);                                                                  \
        rule##n(&a, &p, &q, &r, g, h);                                                             \
        STORE##n(a, w);                                                                            \
        WRITE_STATES(n)                                                                            \
    }
#endif
EACH_LATE_WIDTH(STEP_LATE)
#if SPC_HINTS
ALWAYS_INLINE void step_late64(__global REAL *w, __global REAL *s, __global REAL *t,
                               __global REAL *u, REAL64 g, hyper h, PAST) {
    step_late16(w, s, t, u, g.a, h, GIVEN);
    step_late16(w + 16, s + 16, t + 16, u + 16, g.b, h, GIVEN);
    step_late16(w + 32, s + 32, t + 32, u + 32, g.c, h, GIVEN);
    step_late16(w + 48, s + 48, t + 48, u + 48, g.d, h, GIVEN);
}
#endif

#define STEP(n, j) STEP_PANEL_OF_ROW(n, j, LOAD##n(g_row + (j)))
#define LATE(n, j)                                                                                 \
    step_late##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), LOAD##n(g_row + (j)), h, GIVEN)
/* Lanes read the step of a row that one of them would write. */
#if SPC_GPU
#define TAKE_LAST const int since = from[i]
#else
#define TAKE_LAST                                                                                  \
    const int old = -last[row], since = old < done ? old : -1;                                     \
    last[row] = -(done + 1)
#endif
#if SPC_HINTS
#define PREFETCH_LAST(i)                                                                           \
    if (ids && (i) + distance < i##_end) PREFETCH(last + ids[ids_at + (i) + distance]);
#else
#define PREFETCH_LAST(i)
#endif
#define LATE_ROWS(panels)                                                                          \
    FOR_ROWS(i, n, width) {                                                                        \
        PREFETCH_LAST(i)                                                                           \
        PREFETCH_LATER_ROW(i)                                                                      \
        const long row = ids ? (long)ids[ids_at + i] : i;                                          \
        FIND_ROW(row);                                                                             \
        TAKE_LAST;                                                                                 \
        __global const REAL *g_row = g + (g_at + i * g_ld);                                        \
        if (since < 0) {                                                                           \
            panels(STEP);                                                                          \
        } else {                                                                                   \
            FIND_PAST;                                                                             \
            panels(LATE);                                                                          \
        }                                                                                          \
    }

#ifdef REMADE
KERNEL step_late_rows(TABLES, ROWS, HYPER, int distance, __global const int *from,
                      __global int *last, int done, HYPER_OF(past_)) {
    const hyper h = MAKE_HYPER(h_), past = MAKE_HYPER(past_);
    const long n = item_count(capacity, count, count_at);
    BY_LATE_WIDTH(LATE_ROWS)
}

#define REMAKE_PANEL(T, n)                                                                         \
    ALWAYS_INLINE void remake_panel##n(__global REAL *w, __global REAL *s, __global REAL *t,       \
                                       __global REAL *u, hyper past, int moves_states) {           \
        T a = LOAD##n(w), p = 0, q = 0, r = 0;                                                     \
        READ_STATES(n)                                                                             \
        remake##n(&a, &p, &q, &r, past);                                                           \
        STORE##n(a, w);                                                                            \
        if (!moves_states) return;                                                                 \
        WRITE_STATES(n)                                                                            \
    }
EACH_WIDTH(REMAKE_PANEL)

KERNEL remake_rows(TABLES, __global const INDEX *ids, long ids_at, __global const long *count,
                   long count_at, long capacity, long width, __global const int *from,
                   HYPER_OF(past_), int moves_states) {
    const hyper past = MAKE_HYPER(past_);
    const long n = item_count(capacity, count, count_at);
    FOR_ROWS(i, n, width) {
        if (from[i] < 0) continue;
        const long row = ids ? (long)ids[ids_at + i] : i;
        FIND_ROW(row);
#define REMAKE_AT(n, j)                                                                            \
    remake_panel##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), past, moves_states)
        EACH_PANEL(j, width, REMAKE_AT);
#undef REMAKE_AT
    }
}
#else
KERNEL step_late_rows(TABLES, ROWS, HYPER, int distance, __global const int *from,
                      __global int *last, __global const REAL *sums, __global const REAL *steps,
                      __global const int *exponents, __global const REAL *series,
                      __global const REAL *powers, int done, int window, REAL unit,
                      REAL largest_epsilon, REAL limit, int decays) {
    const hyper h = MAKE_HYPER(h_);
    const history past = {steps, exponents,       series, done,   window,
                          unit,  largest_epsilon, limit,  decays, 1};
    const long n = item_count(capacity, count, count_at);
    BY_LATE_WIDTH(LATE_ROWS)
}
#endif
