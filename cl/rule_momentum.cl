/* rule_momentum.cl: gradient descent with momentum in PyTorch's form, for step.cl.
 *
 * States   b
 * Hyper    lr; a: momentum
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 1

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T g, hyper h) {                                          \
        *b = h.a * *b + g;                                                                         \
        *w -= h.lr * *b;                                                                           \
    }
