/* rule_momentum.cl: gradient descent with momentum, for step.cl.
 *
 * States   b
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_MOMENTUM_COEFFICIENTS
#define STATES 1
#define LAZY_FORM SPC_LAZY_MOMENTUM

#if FORM(RATE_INSIDE) && FORM(SPLIT_NESTEROV)
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        const T old = h.momentum * *b;                                                             \
        *w = *w - old + h.nesterov_factor * (old - h.lr * (g + h.update_decay * *w));              \
        *b = old - h.lr * (g + h.update_decay * *w);                                               \
    }
#elif FORM(RATE_INSIDE)
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        const T step = h.lr * g;                                                                   \
        *b *= h.momentum;                                                                          \
        if (h.update_decay != 0) *b -= h.update_decay * *w;                                        \
        *b -= step;                                                                                \
        *w += FORM(NESTEROV) ? h.momentum * *b - step : *b;                                        \
    }
#elif FORM(SPLIT_NESTEROV)
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        *b = h.momentum * *b + g;                                                                  \
        *w -= h.lr * g + *b * h.nesterov_factor;                                                   \
    }
#else
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        *b = h.momentum * *b + (FORM(DAMPENED) ? h.rest * g : g);                                  \
        *w -= h.lr * (FORM(NESTEROV) ? g + h.momentum * *b : *b);                                  \
    }
#endif
