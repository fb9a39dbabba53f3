/* rule_adamax.cl: Adamax, for step.cl. After moments.cl.
 *
 * States   m; u: the largest gradient, decaying
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_ADAMAX_COEFFICIENTS
#define STATES 2

#define TERM MAGNITUDE
#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *u, T *third, T g, T all, hyper h) {                 \
        *m = NEXT_MEAN(*m, g);                                                                     \
        const T size = all + h.epsilon_inside, before = h.beta2 * *u;                              \
        *u = !(size <= before) ? size : before;                                                    \
        *w -= DIVIDE##n(h.lr * *m, h.correction1 * (*u + h.epsilon_outside));                      \
    }
