/* rule_adagrad.cl: Adagrad, epsilon outside of the root, for step.cl.
 *
 * States   s
 * Hyper    lr; a: epsilon
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 1

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T g, hyper h) {                                          \
        *s += g * g;                                                                               \
        *w -= h.lr * DIVIDE##n(g, ROOT##n(*s) + h.a);                                              \
    }
