/* rule_adagrad.cl: Adagrad, epsilon outside of the root, for step.cl.
 *
 * States   s
 * Rates    lr; a: epsilon
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 1

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T g, rates r) {                                          \
        *s += g * g;                                                                               \
        *w -= r.lr * DIVIDE##n(g, ROOT##n(*s) + r.a);                                              \
    }
