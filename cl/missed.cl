/* missed.cl: the steps that a row has missed, for exact lazy optimizers. After hyper.cl and panel.cl.
 *
 * Defines  history, needs, needs_of: what all rows share, and what a row needs that has had step
 *          `from` last; missed1 to missed16: an element or a vector of a row catches up, in
 *          registers: not 0: some elements must be replayed, and nothing has changed; catch_up1 to
 *          catch_up16: the same in memory, with replays
 * Macros   LAZY_FORM, bits of hyper.cl; SPC_FORM unless the rule defines it; 0: only the weights decay
 * Memory   entry t of sums: S_0 to S_3 of a row whose last step is t; entry t of steps: rate,
 *          epsilon, the share of a weight that decays, mantissa of the product of 1 - share, as a sum
 *          of two numbers; exponents: of that product; entry d of series: r_0^d to r_3^d, beta1^d,
 *          beta2^(d/2); powers: of a factor of the first state, then of the second: x^k, x^(2^11 k),
 *          x^(2^22 k) for k below 2^11 each
 * Order    docs/numerics.md, "Exact lazy steps"
 */
#ifndef LAZY_FORM
#define LAZY_FORM SPC_FORM
#endif
#define LEVEL 2048
#define NUMBERS_OF_STEP 5
#define MIN_EXPONENT (SPC_F64 ? -1000 : -100)
#define MAX_EXPONENT (SPC_F64 ? 1000 : 100)
#define HAS_ROOT (LAZY_FORM & SPC_LAZY_ROOT)
/* Which states a row reads, and writes. */
#define HAS_MOMENTUM (LAZY_FORM & SPC_LAZY_MOMENTUM)
#define READS_S (HAS_ROOT || HAS_MOMENTUM)
#define READS_T (LAZY_FORM & SPC_LAZY_FADE_T)
#define READS_U (HAS_LARGEST || FADES_U)
#define FADES_U (LAZY_FORM & SPC_LAZY_FADE_U)
#define HAS_LARGEST (LAZY_FORM & SPC_LAZY_LARGEST)

/* What all rows of a launch share, and what a row needs. */
typedef struct {
    __global const REAL *steps;
    __global const int *exponents;
    __global const REAL *series;
    int done, window;
    REAL unit, largest_epsilon, limit;
    int decays; /* 0: no weight has decayed, so that the products of 1 - share are 1 */
    int moves_states;
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
    if (!h.decays) return 1;
    return DIVIDE(h.steps[NUMBERS_OF_STEP * (long)to + 3], h.steps[NUMBERS_OF_STEP * (long)from + 3]) *
           scale(h, to, from);
}

/* 1 minus that, without the rounding error of a number near 1. */
static REAL lost(history h, int to, int from) {
    if (!h.decays) return 0;
    __global const REAL *a = h.steps + NUMBERS_OF_STEP * (long)from + 3, *b = h.steps + NUMBERS_OF_STEP * (long)to + 3;
    const REAL scaling = scale(h, to, from);
    return DIVIDE((a[0] - b[0] * scaling) + (a[1] - b[1] * scaling), a[0]);
}

static REAL power_of(__global const REAL *powers, int k) {
    if (k < LEVEL) return powers[k]; /* times 1 and 1 */
    return powers[k & (LEVEL - 1)] * powers[LEVEL + (k >> 11 & (LEVEL - 1))] *
           powers[2 * LEVEL + (k >> 22)];
}

static needs needs_of(history h, __global const REAL *sums, __global const REAL *powers, int from) {
    needs x = {from, kept(h, h.done, from), lost(h, h.done, from), 1, 1, 0, 0, 0, 0};
#if READS_S || READS_T
    const int missed = h.done - from;
#endif
#if READS_S
    const long t = from;
    const REAL settled = missed > h.window ? kept(h, h.done, from + h.window) : 1;
    x.first = power_of(powers, missed);
    x.s0 = sums[4 * t] * settled;
#endif
#if READS_T
    x.second = power_of(powers + 3 * LEVEL, missed);
#endif
#if HAS_ROOT
    x.s1 = sums[4 * t + 1] * settled;
    x.s2 = sums[4 * t + 2] * settled;
    x.s3 = sums[4 * t + 3] * settled;
#endif
    return x;
}

#if HAS_ROOT
/* The movement of an element step by step, where the series does not hold (`needed`). */
static REAL replay(REAL mean, REAL root, history h, int from, int needed) {
    const int end = h.done - from, n = needed ? min(end, h.window) : 0;
    REAL moved = 0;
    IN_ORDER
    for (int d = 1; d <= n; ++d) {
        __global const REAL *step = h.steps + NUMBERS_OF_STEP * ((long)from + d), *power = h.series + 6 * (long)d;
        moved -= step[2] * moved;
        moved += DIVIDE(step[0] * (mean * power[4]), root * power[5] + step[1]);
    }
    return end > n ? moved * kept(h, h.done, from + n) : moved;
}
#endif

/* A weight after the decay. */
#define KEEP(w) (x.lost > 0 && x.lost <= (REAL)0.5 ? (w) - (w)*x.lost : (w)*x.keep)

#if HAS_ROOT
#define REPLAY1(needed)                                                                            \
    const int again = needed;                                                                      \
    const REAL replayed = replay(*s, root, h, x.from, again);                                      \
    moved = again ? replayed : moved
#define REPLAY2(needed)                                                                            \
    if (any(needed)) return 1
#define REPLAY4 REPLAY2
#define REPLAY8 REPLAY2
#define REPLAY16 REPLAY2
#define MOVE_ROW(T, n)                                                                             \
    const T root = ROOT(HAS_LARGEST ? *u : *t);                                                    \
    const T inverse = DIVIDE((T)1, root), small = h.unit * inverse;                                \
    T moved = *s * inverse * (x.s0 - small * (x.s1 - small * (x.s2 - small * x.s3)));              \
    moved = *s == 0 ? (T)0 : moved;                                                                \
    REPLAY##n((*s != 0) & (h.largest_epsilon > h.limit * root));                                   \
    *w = KEEP(*w) - moved;                                                                         \
    *s *= x.first;
#elif HAS_MOMENTUM
#define MOVE_ROW(T, n)                                                                             \
    *w = KEEP(*w) - *s * x.s0;                                                                     \
    *s *= x.first;
#else
#define MOVE_ROW(T, n) *w = KEEP(*w);
#endif

#define MISSED(T, n)                                                                               \
    ALWAYS_INLINE int missed##n(T *w, T *s, T *t, T *u, needs x, history h) {                      \
        MOVE_ROW(T, n)                                                                             \
        if (READS_T) *t *= x.second;                                                               \
        if (FADES_U) *u *= x.second;                                                               \
        return 0;                                                                                  \
    }

/* Vectors in which some elements are replayed go element by element. */
#define CATCH_UP(T, n)                                                                             \
    static void catch_up##n(__global REAL *w, __global REAL *s, __global REAL *t,                  \
                            __global REAL *u, needs x, history h) {                                \
        T a = LOAD##n(w), p = 0, q = 0, r = 0;                                                     \
        if (READS_S) p = LOAD##n(s);                                                               \
        if (READS_T) q = LOAD##n(t);                                                               \
        if (READS_U) r = LOAD##n(u);                                                               \
        if (missed##n(&a, &p, &q, &r, x, h)) {                                                     \
            for (int e = 0; e < n; ++e) catch_up1(w + e, s + e, t + e, u + e, x, h);               \
            return;                                                                                \
        }                                                                                          \
        STORE##n(a, w);                                                                            \
        if (!h.moves_states) return;                                                               \
        if (READS_S) STORE##n(p, s);                                                               \
        if (READS_T) STORE##n(q, t);                                                               \
        if (FADES_U) STORE##n(r, u);                                                               \
    }

/* Where divisions are computed from integers, one element at a time. */
#define BY_ELEMENTS (SPC_OWN_DIVIDE && !SPC_GPU)
MISSED(REAL, 1)
static void catch_up1(__global REAL *w, __global REAL *s, __global REAL *t, __global REAL *u,
                      needs x, history h) {
    REAL a = *w, p = 0, q = 0, r = 0;
    if (READS_S) p = *s;
    if (READS_T) q = *t;
    if (READS_U) r = *u;
    missed1(&a, &p, &q, &r, x, h);
    *w = a;
    if (!h.moves_states) return;
    if (READS_S) *s = p;
    if (READS_T) *t = q;
    if (FADES_U) *u = r;
}
#if !BY_ELEMENTS && !SPC_GPU
#define EACH_VECTOR(M) M(REAL2, 2) M(REAL4, 4) M(REAL8, 8) M(REAL16, 16)
EACH_VECTOR(MISSED)
EACH_VECTOR(CATCH_UP)
#endif
