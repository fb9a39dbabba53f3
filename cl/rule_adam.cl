/* rule_adam.cl: Adam in the form of PyTorch's SparseAdam, for step.cl.
 *
 * States   m, v
 * Hyper    lr: lr sqrt(1 - beta2^t) / (1 - beta1^t); a: 1 - beta1; b: 1 - beta2; c: epsilon
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *v, T g, hyper h) {                                          \
        *m += (g - *m) * h.a;                                                                      \
        *v += (g * g - *v) * h.b;                                                                  \
        *w -= h.lr * DIVIDE##n(*m, ROOT##n(*v) + h.c);                                             \
    }
