/* rule_rmsprop.cl: RMSProp, for step.cl.
 *
 * States   v; with the mean, the mean; with momentum, b
 * Hyper    lr; a: 1 - rho; b: rho; c: momentum; d: epsilon inside the root; e: epsilon outside of it;
 *          f: the largest absolute value of a weight
 * Form     1: the mean; 2: momentum; 4: a g g from the left; 8: mean += a (g - mean), else b mean + a
 *          g; 16: epsilon is added to v, else to v - mean^2; 32: the rate is outside of b, and of the
 *          quotient; 64: lr g times the reciprocal of the root; 128: b is negative
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define CENTERED (SPC_FORM & 1)
#define MOMENTUM (SPC_FORM & 2)
#define RATE_OUTSIDE (SPC_FORM & 32)
#define STATES (1 + (CENTERED != 0) + (MOMENTUM != 0))
/* missed.cl: b, v and the mean */
#define LAZY_FORM (4 + (MOMENTUM != 0) + 2 * (CENTERED != 0))
#if CENTERED
#define LAZY_STATES(s, t, u) u, s, t
#else
#define LAZY_STATES(s, t, u) t, s, u
#endif

#if SPC_FORM & 4
#define SQUARE(g) (h.a * (g) * (g))
#else
#define SQUARE(g) (h.a * ((g) * (g)))
#endif
#if SPC_FORM & 8
#define MEAN_OF(g) (g)
#define NEXT_MEAN(m, mean) ((m) + ((mean) - (m)) * h.a)
#else
#define MEAN_OF(g) (h.a * (g))
#define NEXT_MEAN(m, mean) (h.b * (m) + (mean))
#endif
#if !CENTERED
#define INSIDE(v, m) ((v) + h.d)
#elif SPC_FORM & 16
#define INSIDE(v, m) ((v) + h.d - (m) * (m))
#else
#define INSIDE(v, m) ((v) - (m) * (m) + h.d)
#endif
#if RATE_OUTSIDE
#define QUOTIENT_OF(T, n, g, root) DIVIDE##n(g, root)
#elif SPC_FORM & 64
#define QUOTIENT_OF(T, n, g, root) (DIVIDE##n((T)1, root) * h.lr * (g))
#else
#define QUOTIENT_OF(T, n, g, root) DIVIDE##n(h.lr *(g), root)
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *v, T *second, T *third, T g, hyper h) {                           \
        T *const mean = second, *const b = CENTERED ? third : second;                              \
        *v = h.b * *v + SQUARE(g);                                                                 \
        if (CENTERED) *mean = NEXT_MEAN(*mean, MEAN_OF(g));                                        \
        T move = QUOTIENT_OF(T, n, g, ROOT##n(INSIDE(*v, *mean)) + h.e);                           \
        if (SPC_FORM & 128) move = -move;                                                          \
        if (MOMENTUM) *b = move = h.c * *b + move;                                                 \
        if (SPC_FORM & 128) move = -move;                                                          \
        *w -= RATE_OUTSIDE ? h.lr * move : move;                                                   \
        if (h.f < INFINITY) *w = CLIP(T, *w, h.f);                                                 \
    }

/* With momentum the moves of all rows are a part of it; without, each row moves the weights. */
#define RULE_OF_ROWS(T, n)                                                                         \
    static void rule_of_rows##n(T *w, T *v, T *second, T *third, run rows, long j, hyper h) {      \
        T *const mean = second, *const b = CENTERED ? third : second;                              \
        T squares = 0, sum = 0, moves = 0;                                                         \
        SUM_OF_ROWS(T, n, squares, g, SQUARE(g));                                                  \
        *v = h.b * *v + squares;                                                                   \
        if (CENTERED) SUM_OF_ROWS(T, n, sum, g, MEAN_OF(g));                                       \
        if (CENTERED) *mean = NEXT_MEAN(*mean, sum);                                               \
        const T root = ROOT##n(INSIDE(*v, *mean)) + h.e;                                           \
        EACH_ROW(T, n, g, {                                                                        \
            const T move = QUOTIENT_OF(T, n, g, root);                                             \
            moves = k == rows.begin ? move : moves + move;                                         \
            if (!MOMENTUM) *w -= RATE_OUTSIDE ? h.lr * move : move;                                \
        });                                                                                        \
        if (MOMENTUM) {                                                                            \
            *b = h.c * *b + (SPC_FORM & 128 ? -moves : moves);                                     \
            moves = SPC_FORM & 128 ? -*b : *b;                                                     \
            *w -= RATE_OUTSIDE ? h.lr * moves : moves;                                             \
        }                                                                                          \
        if (h.f < INFINITY) *w = CLIP(T, *w, h.f);                                                 \
    }
