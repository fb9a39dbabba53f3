/* rule_row_steps.cl: Adam whose bias correction counts the steps of each row, for step.cl and
 * by_row.cl. After pair_power.cl.
 *
 * States   m, v; of rows: the number of steps
 * Hyper    lr; a: 1 - beta1; b: 1 - beta2; c: beta1; d: beta2; f: epsilon; i: a decay that is part
 *          of the move; g and h of each row: what m and v are divided by
 * Form     1: with that decay; 2: no bias correction
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define STATES 2

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL n = *x.u + 1;                                                                   \
        MEET_LANES;                                                                                \
        if (FIRST_LANE_OF(x)) *x.u = n;                                                            \
        own->g = SPC_FORM & 2 ? (REAL)1 : 1 - power_of_pairs(h.c, (long)n);                        \
        own->h = SPC_FORM & 2 ? (REAL)1 : 1 - power_of_pairs(h.d, (long)n);                        \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *v, T *u, T g, hyper h) {                                    \
        *m = h.c * *m + h.a * g;                                                                   \
        *v = h.d * *v + h.b * (g * g);                                                             \
        const T mean = DIVIDE##n(*m, (T)h.g), root = ROOT##n(DIVIDE##n(*v, (T)h.h)) + h.f;         \
        if (SPC_FORM & 1)                                                                          \
            *w -= h.lr * (DIVIDE##n(mean, root) + h.i * *w);                                       \
        else                                                                                       \
            *w -= DIVIDE##n(h.lr *mean, root);                                                     \
    }
