/* rule_sgd.cl: stochastic gradient descent, for step.cl.
 *
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_SGD_COEFFICIENTS
#define STATES 0
#define LAZY_FORM 0

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        if (FORM(WEIGHT_FACTOR)) *w *= h.weight_factor;                                            \
        *w -= h.lr * g;                                                                            \
    }
