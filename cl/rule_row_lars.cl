/* rule_row_lars.cl: momentum with a rate for each row, by the norms of its weights and of its
 * gradient (LARS of rows), for step.cl and by_row.cl.
 *
 * States   b
 * Hyper    lr; a: lr eta; c: momentum; i: a coupled decay, which is part of the rule; e: the rate of
 *          each row
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define STATES 1

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL weight = ROOT(weight_squares(x)), gradient = ROOT(gradient_squares(x, h));      \
        own->e = weight > 0 && gradient > 0 ? DIVIDE(h.a * weight, gradient + h.i * weight) : h.lr; \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        if (h.i != 0) g += h.i * *w;                                                               \
        *b = h.c * *b + h.e * g;                                                                   \
        *w -= *b;                                                                                  \
    }
