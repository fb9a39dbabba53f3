/* rule_proximal.cl: rules that shrink weights, for step.cl: proximal gradient descent, proximal
 * Adagrad, Adagrad with dual averages.
 *
 * States   none; s; squares and the sum of gradients
 * Hyper    lr; a: l1; b: l2; c: the number of the step; d: it times lr
 * Form     0: gradient descent; 1: Adagrad; 2: dual averages
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES SPC_FORM

#define MAGNITUDE(T, x) ((x) < 0 ? -(x) : (x))
#define SIGN_OF(T, x) ((x) > 0 ? (T)1 : (x) < 0 ? (T)-1 : (x) - (x)) /* a NaN stays */
#define POSITIVE(T, x) ((x) < 0 ? (T)0 : (x))
#define SHRINK(T, n, rate)                                                                         \
    if (h.a != 0) *w = SIGN_OF(T, *w) * POSITIVE(T, MAGNITUDE(T, *w) - (rate)*h.a);                \
    *w = DIVIDE##n(*w, (T)(1 + h.b * (rate)))

#if SPC_FORM == 0
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w -= g * h.lr;                                                                            \
        SHRINK(T, n, h.lr);                                                                        \
    }
#elif SPC_FORM == 1
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *s += g * g;                                                                               \
        const T rate = h.lr * DIVIDE##n((T)1, ROOT##n(*s));                                        \
        *w -= g * rate;                                                                            \
        SHRINK(T, n, rate);                                                                        \
    }
#else
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *squares, T *sum, T *u, T g, hyper h) {                            \
        *sum += g;                                                                                 \
        *squares += g * g;                                                                         \
        const T mean = POSITIVE(T, DIVIDE##n(MAGNITUDE(T, *sum), (T)h.c) - h.a);                   \
        *w = DIVIDE##n(-(SIGN_OF(T, *sum) * mean), h.b + DIVIDE##n(ROOT##n(*squares), (T)h.d));    \
    }
#endif
