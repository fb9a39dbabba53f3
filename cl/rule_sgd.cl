/* rule_sgd.cl: stochastic gradient descent, for step.cl.
 *
 * Hyper    lr; a: factor of the weights
 * Form     1: with the factor
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 0
#define LAZY_FORM 0 /* missed.cl */

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        if (SPC_FORM) *w *= h.a;                                                                   \
        *w -= h.lr * g;                                                                            \
    }
