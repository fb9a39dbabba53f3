/* rule_sgd.cl: stochastic gradient descent, for step.cl.
 *
 * Rates    lr
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 0

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T g, rates r) {                                          \
        *w -= r.lr * g;                                                                            \
    }
