/* rule_adamax.cl: Adamax, for step.cl.
 *
 * States   m; u: the largest gradient, decaying
 * Hyper    lr; a: 1 - beta1; c: beta1; d: beta2; e: epsilon that is added to the gradient; f: epsilon
 *          that is added to u; g: a factor of the divisor
 * Form     1: m = c m + a g, else m += a (g - m)
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2

#if SPC_FORM & 1
#define NEXT_MEAN(m, x) (h.c * (m) + h.a * (x))
#else
#define NEXT_MEAN(m, x) ((m) + ((x) - (m)) * h.a)
#endif

#define MAGNITUDE(x) ((x) < 0 ? -(x) : (x))

#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *u, T *third, T x, T all, hyper h) {                 \
        *m = NEXT_MEAN(*m, x);                                                                     \
        const T size = all + h.e, before = h.d * *u;                                               \
        *u = !(size <= before) ? size : before;                                                    \
        *w -= DIVIDE##n(h.lr * *m, h.g * (*u + h.f));                                              \
    }                                                                                              \
    static void rule##n(T *w, T *m, T *u, T *third, T x, hyper h) {                                \
        rule_of_sums##n(w, m, u, third, x, MAGNITUDE(x), h);                                       \
    }
#define RULE_OF_ROWS(T, n) RULE_OF_SUMS(T, n, MAGNITUDE)
