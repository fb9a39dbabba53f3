/* rule_row_lars.cl: momentum with a rate for each row, by the norms of its weights and of its
 * gradient (LARS of rows), for step.cl and by_row.cl.
 *
 * States   b
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define COEFFICIENTS SPC_ROW_LARS_COEFFICIENTS
#define STATES 1

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL weight = ROOT(weight_squares(x)), gradient = ROOT(gradient_squares(x, h));      \
        if (weight > 0 && gradient > 0)                                                            \
            own->lr = DIVIDE(h.lr_eta * weight, gradient + h.update_decay * weight);               \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        if (h.update_decay != 0) g += h.update_decay * *w;                                         \
        *b = h.momentum * *b + h.lr * g;                                                           \
        *w -= *b;                                                                                  \
    }
