/* rule_row_adam.cl: Adam with one mean of squares for each row, for step.cl and by_row.cl.
 *
 * States   m; of rows: v
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define COEFFICIENTS SPC_ROW_ADAM_COEFFICIENTS
#define STATES 1

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.t;                                                                  \
        const REAL mean = DIVIDE(gradient_squares(x, h), (REAL)x.width);                           \
        const REAL v = h.beta2 * before + h.rest2 * mean;                                          \
        if (FIRST_LANE_OF(x)) *x.t = v;                                                            \
        own->row_root = ROOT(DIVIDE(v, h.correction2)) + h.epsilon;                                \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *t, T *u, T g, hyper h) {                                    \
        *m = h.beta1 * *m + h.rest1 * g;                                                           \
        T update = DIVIDE##n(DIVIDE##n(*m, (T)h.correction1), (T)h.row_root);                      \
        if (h.update_decay != 0) update += h.update_decay * *w;                                    \
        *w -= h.lr * update;                                                                       \
    }
