/* rule_row_steps.cl: Adam whose bias correction counts the steps of each row, for step.cl and
 * by_row.cl. After pair_power.cl.
 *
 * States   m, v; of rows: the number of steps
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define COEFFICIENTS SPC_ROW_ADAM_COEFFICIENTS
#define STATES 2

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL n = *x.u + 1;                                                                   \
        MEET_LANES;                                                                                \
        if (FIRST_LANE_OF(x)) *x.u = n;                                                            \
        own->correction1 = FORM(UNCORRECTED) ? (REAL)1 : 1 - power_of_pairs(h.beta1, (long)n);      \
        own->correction2 = FORM(UNCORRECTED) ? (REAL)1 : 1 - power_of_pairs(h.beta2, (long)n);      \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *v, T *u, T g, hyper h) {                                    \
        *m = h.beta1 * *m + h.rest1 * g;                                                           \
        *v = h.beta2 * *v + h.rest2 * (g * g);                                                     \
        const T mean = DIVIDE##n(*m, (T)h.correction1);                                            \
        const T root = ROOT##n(DIVIDE##n(*v, (T)h.correction2)) + h.epsilon;                       \
        if (FORM(UPDATE_DECAY))                                                                    \
            *w -= h.lr * (DIVIDE##n(mean, root) + h.update_decay * *w);                            \
        else                                                                                       \
            *w -= DIVIDE##n(h.lr *mean, root);                                                     \
    }
