/* rule_adadelta.cl: Adadelta, for step.cl.
 *
 * States   v: squares of gradients; u: squares of updates
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_ADADELTA_COEFFICIENTS
#define STATES 2
/* missed.cl: none, v and u */
#define LAZY_FORM (SPC_LAZY_FADE_T | SPC_LAZY_FADE_U)
#define LAZY_STATES(s, t, u) u, s, t

#if FORM(SQUARE_LEFT)
#define SQUARE(g) (h.rest * (g) * (g))
#else
#define SQUARE(g) (h.rest * ((g) * (g)))
#endif
#if FORM(PRODUCT_FIRST)
#define UPDATE(T, n, above, below, g) DIVIDE##n((above) * (g), below)
#elif FORM(RECIPROCAL)
#define UPDATE(T, n, above, below, g) ((above)*DIVIDE##n((T)1, below) * (g))
#else
#define UPDATE(T, n, above, below, g) (DIVIDE##n(above, below) * (g))
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *v, T *u, T *third, T g, hyper h) {                                \
        *v = h.rho * *v + SQUARE(g);                                                               \
        T update = UPDATE(T, n, ROOT##n(*u + h.epsilon), ROOT##n(*v + h.epsilon), g);              \
        *u = h.rho * *u + SQUARE(update);                                                          \
        if (h.update_decay != 0) update += h.update_decay * *w;                                    \
        *w -= h.lr * update;                                                                       \
    }

#define RULE_OF_ROWS(T, n)                                                                         \
    static void rule_of_rows##n(T *w, T *v, T *u, T *third, run rows, long j, hyper h) {           \
        T squares = 0, updates = 0;                                                                \
        SUM_OF_ROWS(T, n, squares, g, SQUARE(g));                                                  \
        *v = h.rho * *v + squares;                                                                 \
        const T above = ROOT##n(*u + h.epsilon), below = ROOT##n(*v + h.epsilon);                  \
        EACH_ROW(T, n, g, {                                                                        \
            T update = UPDATE(T, n, above, below, g);                                              \
            updates = k == rows.begin ? SQUARE(update) : updates + SQUARE(update);                 \
            if (h.update_decay != 0 && k == rows.begin) update += h.update_decay * *w;             \
            *w -= h.lr * update;                                                                   \
        });                                                                                        \
        *u = h.rho * *u + updates;                                                                 \
    }
