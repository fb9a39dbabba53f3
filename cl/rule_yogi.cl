/* rule_yogi.cl: Yogi, for step.cl. A rate of 0 changes no weight, also where the root is 0.
 *
 * States   v, m
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_ADAM_COEFFICIENTS
#define STATES 2

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *v, T *m, T *third, T g, hyper h) {                                \
        const T square = g * g, more = square - *v;                                                \
        *m = h.beta1 * *m + h.rest1 * g;                                                           \
        *v += h.rest2 * SIGN_OF(T, more) * square;                                                 \
        T root = ROOT##n(*v + h.epsilon_inside);                                                   \
        if (h.correction2 != 1) root = DIVIDE##n(root, (T)h.correction2);                          \
        if (h.lr != 0) *w -= DIVIDE##n((T)h.lr, root + h.epsilon_outside) * *m;                    \
    }
