/* rule_proximal.cl: rules that shrink weights, for step.cl: proximal gradient descent, proximal
 * Adagrad, Adagrad with dual averages.
 *
 * States   none; s; squares and the sum of gradients
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_PROXIMAL_COEFFICIENTS
#define STATES (FORM(DUAL_AVERAGES) ? 2 : FORM(PROXIMAL_ADAGRAD))

#define POSITIVE(T, x) ((x) < 0 ? (T)0 : (x))
#define SHRINK(T, n, rate)                                                                         \
    if (h.l1 != 0) *w = SIGN_OF(T, *w) * POSITIVE(T, MAGNITUDE(*w) - (rate)*h.l1);                 \
    *w = DIVIDE##n(*w, (T)(1 + h.l2 * (rate)))

#if FORM(DUAL_AVERAGES)
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *squares, T *sum, T *u, T g, hyper h) {                            \
        *sum += g;                                                                                 \
        *squares += g * g;                                                                         \
        const T mean = POSITIVE(T, DIVIDE##n(MAGNITUDE(*sum), (T)h.step) - h.l1);                  \
        *w = DIVIDE##n(-(SIGN_OF(T, *sum) * mean),                                                 \
                       h.l2 + DIVIDE##n(ROOT##n(*squares), (T)h.step_lr));                         \
    }
#elif FORM(PROXIMAL_ADAGRAD)
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *s += g * g;                                                                               \
        const T rate = h.lr * DIVIDE##n((T)1, ROOT##n(*s));                                        \
        *w -= g * rate;                                                                            \
        SHRINK(T, n, rate);                                                                        \
    }
#else
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w -= g * h.lr;                                                                            \
        SHRINK(T, n, h.lr);                                                                        \
    }
#endif
