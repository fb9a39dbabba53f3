/* rule_adam.cl: Adam in the form of PyTorch's SparseAdam, for step.cl.
 *
 * States   m, v
 * Rates    lr: lr sqrt(1 - beta2^t) / (1 - beta1^t); a: 1 - beta1; b: 1 - beta2; c: epsilon
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *v, T g, rates r) {                                          \
        *m += (g - *m) * r.a;                                                                      \
        *v += (g * g - *v) * r.b;                                                                  \
        *w -= r.lr * DIVIDE##n(*m, ROOT##n(*v) + r.c);                                             \
    }
