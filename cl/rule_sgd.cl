/* rule_sgd.cl: stochastic gradient descent, for step.cl.
 *
 * Hyper    lr; a: factor of the weights
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 0

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w = h.a * *w - h.lr * g;                                                                  \
    }
