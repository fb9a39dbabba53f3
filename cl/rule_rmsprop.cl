/* rule_rmsprop.cl: RMSProp, for step.cl.
 *
 * States   v; with the mean, the mean; with momentum, b
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_RMSPROP_COEFFICIENTS
#define STATES (1 + (FORM(CENTERED) != 0) + (FORM(MOMENTUM) != 0))
/* missed.cl: b, v and the mean */
#define LAZY_FORM                                                                                  \
    (SPC_LAZY_FADE_T | (FORM(MOMENTUM) ? SPC_LAZY_MOMENTUM : 0) |                                  \
     (FORM(CENTERED) ? SPC_LAZY_FADE_U : 0))
#if FORM(CENTERED)
#define LAZY_STATES(s, t, u) u, s, t
#else
#define LAZY_STATES(s, t, u) t, s, u
#endif

#if FORM(SQUARE_LEFT)
#define SQUARE(g) (h.rest * (g) * (g))
#else
#define SQUARE(g) (h.rest * ((g) * (g)))
#endif
#if FORM(MEAN_ADDED)
#define MEAN_OF(g) (g)
#define NEXT_MEAN(m, mean) ((m) + ((mean) - (m)) * h.rest)
#else
#define MEAN_OF(g) (h.rest * (g))
#define NEXT_MEAN(m, mean) (h.rho * (m) + (mean))
#endif
#if !FORM(CENTERED)
#define INSIDE(v, m) ((v) + h.epsilon_inside)
#elif FORM(EPSILON_FIRST)
#define INSIDE(v, m) ((v) + h.epsilon_inside - (m) * (m))
#else
#define INSIDE(v, m) ((v) - (m) * (m) + h.epsilon_inside)
#endif
#if FORM(RATE_OUTSIDE)
#define UPDATE(T, n, g, root) DIVIDE##n(g, root)
#elif FORM(RECIPROCAL)
#define UPDATE(T, n, g, root) (DIVIDE##n((T)1, root) * h.lr * (g))
#else
#define UPDATE(T, n, g, root) DIVIDE##n(h.lr *(g), root)
#endif
#define SIGNED(x) (FORM(NEGATIVE) ? -(x) : (x))
#define RATED(x) (FORM(RATE_OUTSIDE) ? h.lr * (x) : (x))

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *v, T *second, T *third, T g, hyper h) {                           \
        T *const mean = second, *const b = FORM(CENTERED) ? third : second;                        \
        *v = h.rho * *v + SQUARE(g);                                                               \
        if (FORM(CENTERED)) *mean = NEXT_MEAN(*mean, MEAN_OF(g));                                  \
        T update = UPDATE(T, n, g, ROOT##n(INSIDE(*v, *mean)) + h.epsilon_outside);                \
        if (FORM(MOMENTUM)) {                                                                      \
            *b = h.momentum * *b + SIGNED(update);                                                 \
            update = SIGNED(*b);                                                                   \
        }                                                                                          \
        *w -= RATED(update);                                                                       \
        if (h.weight_limit < INFINITY) *w = CLIP(T, *w, h.weight_limit);                           \
    }

/* With momentum the updates of all rows are a part of it; without, each row changes the weights. */
#define RULE_OF_ROWS(T, n)                                                                         \
    static void rule_of_rows##n(T *w, T *v, T *second, T *third, run rows, long j, hyper h) {      \
        T *const mean = second, *const b = FORM(CENTERED) ? third : second;                        \
        T squares = 0, sum = 0, updates = 0;                                                       \
        SUM_OF_ROWS(T, n, squares, g, SQUARE(g));                                                  \
        *v = h.rho * *v + squares;                                                                 \
        if (FORM(CENTERED)) SUM_OF_ROWS(T, n, sum, g, MEAN_OF(g));                                 \
        if (FORM(CENTERED)) *mean = NEXT_MEAN(*mean, sum);                                         \
        const T root = ROOT##n(INSIDE(*v, *mean)) + h.epsilon_outside;                             \
        EACH_ROW(T, n, g, {                                                                        \
            const T update = UPDATE(T, n, g, root);                                                \
            updates = k == rows.begin ? update : updates + update;                                 \
            if (!FORM(MOMENTUM)) *w -= RATED(update);                                              \
        });                                                                                        \
        if (FORM(MOMENTUM)) {                                                                      \
            *b = h.momentum * *b + SIGNED(updates);                                                \
            *w -= RATED(SIGNED(*b));                                                               \
        }                                                                                          \
        if (h.weight_limit < INFINITY) *w = CLIP(T, *w, h.weight_limit);                           \
    }
