/* rule_adagrad.cl: Adagrad, for step.cl.
 *
 * States   s
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_ADAGRAD_COEFFICIENTS
#define STATES 1
#define LAZY_FORM 0

#if FORM(UPDATE_DECAY)
#define UPDATE(T, n, g, root) (h.lr * (DIVIDE##n(g, root) + h.update_decay * *w))
#elif FORM(PRODUCT_FIRST)
#define UPDATE(T, n, g, root) DIVIDE##n(h.lr *(g), root)
#elif FORM(RECIPROCAL)
#define UPDATE(T, n, g, root) (h.lr * (g)*DIVIDE##n((T)1, root))
#else
#define UPDATE(T, n, g, root) (h.lr * DIVIDE##n(g, root))
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        if (!FORM(FROZEN)) *s += g * g;                                                            \
        *w -= UPDATE(T, n, g, ROOT##n(*s + h.epsilon_inside) + h.epsilon_outside);                 \
    }

#define RULE_OF_ROWS(T, n)                                                                         \
    static void rule_of_rows##n(T *w, T *s, T *t, T *u, run rows, long j, hyper h) {               \
        if (!FORM(FROZEN)) EACH_ROW(T, n, g, *s += g * g);                                         \
        const T root = ROOT##n(*s + h.epsilon_inside) + h.epsilon_outside;                         \
        EACH_ROW(T, n, g, {                                                                        \
            if (k > rows.begin) h.update_decay = 0;                                                \
            *w -= UPDATE(T, n, g, root);                                                           \
        });                                                                                        \
    }
