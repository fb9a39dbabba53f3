/* lazy.cl: the dense steps that rows have missed, for exact lazy optimizers. After panel.cl.
 *
 * Defines  record_step (a new step: the tables move to it), mark_last (the steps of rows, as they
 *          were and as they will be), lazy_rows (brings rows from `from` up to step `done`)
 * Range    record_step: FOR_EACH over the window; mark_last: FOR_EACH; lazy_rows: FOR_ROWS
 * Memory   ids, count: may be NULL, as in step.cl; last: minus the last step of each row; entry t of sums: S_0 to S_3 of a row whose last step is
 *          t; low: their low parts, a ring over the window; entry t of steps: rate, epsilon, the share
 *          of a weight that decays, mantissa of the product of 1 - share, as a sum of two numbers; exponents: of
 *          that product;
 *          entry d of series: r_0^d to r_3^d, beta1^d, beta2^(d/2); powers: of a factor of the first
 *          state, then of the second: x^k, x^(2^11 k), x^(2^22 k) for k below 2^11 each
 * Form     0: only the weights decay; 1: momentum; 2: Adam; 3: AMSGrad
 * Order    docs/numerics.md, "Exact lazy steps"
 */
#define LEVEL 2048
#define STEP 5
#define MIN_EXPONENT (SPC_F64 ? -1000 : -100)
#define MAX_EXPONENT (SPC_F64 ? 1000 : 100)

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
    steps += STEP * (long)step;
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

/* What all rows of a launch share, and what a row needs. */
typedef struct {
    __global const REAL *steps;
    __global const int *exponents;
    __global const REAL *series;
    int done, window;
    REAL unit, largest_epsilon, limit;
} history;
typedef struct {
    int from;
    REAL keep, lost, first, second, s0, s1, s2, s3;
} needs;

/* A power of two between the exponents of `to` and `from`. */
static REAL scale(history h, int to, int from) {
    const int exponent = clamp(h.exponents[to] - h.exponents[from], MIN_EXPONENT, MAX_EXPONENT);
#if SPC_F64
    return as_double((ulong)(exponent + 1023) << 52);
#else
    return as_float((uint)(exponent + 127) << 23);
#endif
}

/* The product of 1 - share of the steps after `from`, up to `to`. */
static REAL kept(history h, int to, int from) {
    return DIVIDE(h.steps[STEP * (long)to + 3], h.steps[STEP * (long)from + 3]) *
           scale(h, to, from);
}

/* 1 minus that, without the rounding error of a number near 1. */
static REAL lost(history h, int to, int from) {
    __global const REAL *a = h.steps + STEP * (long)from + 3, *b = h.steps + STEP * (long)to + 3;
    const REAL scaling = scale(h, to, from);
    return DIVIDE((a[0] - b[0] * scaling) + (a[1] - b[1] * scaling), a[0]);
}

static REAL power_of(__global const REAL *powers, int k) {
    return powers[k & (LEVEL - 1)] * powers[LEVEL + (k >> 11 & (LEVEL - 1))] *
           powers[2 * LEVEL + (k >> 22)];
}

static needs needs_of(history h, __global const REAL *sums, __global const REAL *powers, int from) {
    needs x = {from, kept(h, h.done, from), lost(h, h.done, from), 1, 1, 0, 0, 0, 0};
#if SPC_FORM > 0
    const long t = from;
    const int missed = h.done - from;
    const REAL settled = missed > h.window ? kept(h, h.done, from + h.window) : 1;
    x.first = power_of(powers, missed);
    x.s0 = sums[4 * t] * settled;
#endif
#if SPC_FORM > 1
    x.second = power_of(powers + 3 * LEVEL, missed);
    x.s1 = sums[4 * t + 1] * settled;
    x.s2 = sums[4 * t + 2] * settled;
    x.s3 = sums[4 * t + 3] * settled;
#endif
    return x;
}

#if SPC_FORM > 1
/* The movement of an element step by step, where the series does not hold (`needed`). */
static REAL replay(REAL mean, REAL root, history h, int from, int needed) {
    const int end = h.done - from, n = needed ? min(end, h.window) : 0;
    REAL moved = 0;
    IN_ORDER
    for (int d = 1; d <= n; ++d) {
        __global const REAL *step = h.steps + STEP * ((long)from + d), *power = h.series + 6 * (long)d;
        moved -= step[2] * moved;
        moved += DIVIDE(step[0] * (mean * power[4]), root * power[5] + step[1]);
    }
    return end > n ? moved * kept(h, h.done, from + n) : moved;
}
#endif

/* Panels in which some elements are replayed go element by element. */
#define BY_ELEMENT(n, needed)                                                                      \
    if (any(needed)) {                                                                             \
        for (int e = 0; e < n; ++e) lazy_panel1(w + e, s + e, t + e, u + e, x, h);                 \
        return;                                                                                    \
    }
#define REPLAY1(needed)                                                                            \
    const int again = needed;                                                                      \
    const REAL replayed = replay(m, root, h, x.from, again);                                       \
    moved = again ? replayed : moved
#define REPLAY2(needed) BY_ELEMENT(2, needed)
#define REPLAY4(needed) BY_ELEMENT(4, needed)
#define REPLAY8(needed) BY_ELEMENT(8, needed)
#define REPLAY16(needed) BY_ELEMENT(16, needed)

/* A weight after the decay. */
#define KEEP(w) (x.lost > 0 && x.lost <= (REAL)0.5 ? (w) - (w)*x.lost : (w)*x.keep)

#if SPC_FORM == 0
#define LAZY_PANEL(T, n)                                                                           \
    static void lazy_panel##n(__global REAL *w, __global REAL *s, __global REAL *t,                \
                              __global REAL *u, needs x, history h) {                              \
        STORE##n(KEEP(LOAD##n(w)), w);                                                          \
    }
#elif SPC_FORM == 1
#define LAZY_PANEL(T, n)                                                                           \
    static void lazy_panel##n(__global REAL *w, __global REAL *s, __global REAL *t,                \
                              __global REAL *u, needs x, history h) {                              \
        const T b = LOAD##n(s);                                                                    \
        STORE##n(KEEP(LOAD##n(w)) - b * x.s0, w);                                               \
        STORE##n(b * x.first, s);                                                                  \
    }
#else
#define LAZY_PANEL(T, n)                                                                           \
    static void lazy_panel##n(__global REAL *w, __global REAL *s, __global REAL *t,                \
                              __global REAL *u, needs x, history h) {                              \
        const T m = LOAD##n(s), v = LOAD##n(t);                                                    \
        const T root = sqrt_of##n(SPC_FORM == 3 ? LOAD##n(u) : v);                                 \
        const T small = DIVIDE((T)h.unit, root);                                                   \
        T moved = DIVIDE(m, root) * (x.s0 - small * (x.s1 - small * (x.s2 - small * x.s3)));       \
        moved = m == 0 ? (T)0 : moved;                                                             \
        REPLAY##n((m != 0) & (h.largest_epsilon > h.limit * root));                                \
        STORE##n(KEEP(LOAD##n(w)) - moved, w);                                                  \
        STORE##n(m * x.first, s);                                                                  \
        STORE##n(v * x.second, t);                                                                 \
    }
#define sqrt_of1 ROOT
#define sqrt_of2 ROOT
#define sqrt_of4 ROOT
#define sqrt_of8 ROOT
#define sqrt_of16 ROOT
#endif

/* Where divisions are computed from integers, one element at a time. */
#if SPC_OWN_DIVIDE && !SPC_GPU
LAZY_PANEL(REAL, 1)
#define EACH_LAZY_PANEL(j, width, call) for (long j = 0; j < (width); ++j) call(1, j)
#else
EACH_WIDTH(LAZY_PANEL)
#define EACH_LAZY_PANEL EACH_PANEL
#endif

KERNEL lazy_rows(__global REAL *w, long w_at, long w_ld, __global REAL *s, long s_at, long s_ld,
                 __global REAL *t, long t_at, long t_ld, __global REAL *u, long u_at, long u_ld,
                 __global const INDEX *ids, long ids_at, __global const long *count, long count_at,
                 long capacity, long width, __global const int *from, __global const REAL *sums,
                 __global const REAL *steps, __global const int *exponents,
                 __global const REAL *series, __global const REAL *powers, int done, int window,
                 REAL unit, REAL largest_epsilon, REAL limit) {
    const history h = {steps, exponents, series, done, window, unit, largest_epsilon, limit};
    const long n = item_count(capacity, count, count_at);
    FOR_ROWS(i, n, width) {
        if (from[i] < 0) continue;
        const long row = ids ? (long)ids[ids_at + i] : i;
        const needs x = needs_of(h, sums, powers, from[i]);
        __global REAL *w_row = w + (w_at + row * w_ld), *s_row = s + (s_at + row * s_ld),
                      *t_row = t + (t_at + row * t_ld), *u_row = u + (u_at + row * u_ld);
#define LAZY(n, j) lazy_panel##n(w_row + (j), s_row + (j), t_row + (j), u_row + (j), x, h)
        EACH_LAZY_PANEL(j, width, LAZY);
#undef LAZY
    }
}
