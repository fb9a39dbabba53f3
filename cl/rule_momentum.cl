/* rule_momentum.cl: gradient descent with momentum, for step.cl.
 *
 * States   b
 * Hyper    lr; a: momentum; b: factor of the gradient in b; c: a decay that is part of b (MXNet's Nesterov), lr times
 *          it; d: momentum lr (TensorFlow's Nesterov), momentum + 1 (MXNet's)
 * Form     1: b has the rate in it; 2: Nesterov's; 4: Nesterov's, split into a sum; 8: with b
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 1
#define LAZY_FORM 1 /* missed.cl */
#define RATE_INSIDE (SPC_FORM & 1)
#define NESTEROV (SPC_FORM & 2)
#define SPLIT_NESTEROV (SPC_FORM & 4)

#if RATE_INSIDE && SPLIT_NESTEROV
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        const T old = h.a * *b;                                                                    \
        *w = *w - old + h.d * (old - h.lr * (g + h.c * *w));                                       \
        *b = old - h.lr * (g + h.c * *w);                                                          \
    }
#elif RATE_INSIDE
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        const T step = h.lr * g;                                                                   \
        *b *= h.a;                                                                                 \
        if (h.c != 0) *b -= h.c * *w;                                                              \
        *b -= step;                                                                                \
        *w += NESTEROV ? h.a * *b - step : *b;                                                     \
    }
#elif SPLIT_NESTEROV
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        *b = h.a * *b + g;                                                                         \
        *w -= h.lr * g + *b * h.d;                                                                 \
    }
#else
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        *b = h.a * *b + (SPC_FORM & 8 ? h.b * g : g);                                              \
        *w -= h.lr * (NESTEROV ? g + h.a * *b : *b);                                               \
    }
#endif
