/* rule_row_adam.cl: Adam with one mean of squares for each row, for step.cl and by_row.cl.
 *
 * States   m; of rows: v
 * Hyper    lr; a: 1 - beta1; b: 1 - beta2; c: beta1; d: beta2; f: epsilon; g and h: what m and v are
 *          divided by; i: a decay that is part of the move; e: the root of each row
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define STATES 1

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.t;                                                                  \
        const REAL mean = DIVIDE(gradient_squares(x, h), (REAL)x.width);                           \
        const REAL v = h.d * before + h.b * mean;                                                  \
        if (FIRST_LANE_OF(x)) *x.t = v;                                                            \
        own->e = ROOT(DIVIDE(v, h.h)) + h.f;                                                       \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *t, T *u, T g, hyper h) {                                    \
        *m = h.c * *m + h.a * g;                                                                   \
        T move = DIVIDE##n(DIVIDE##n(*m, (T)h.g), (T)h.e);                                         \
        if (h.i != 0) move += h.i * *w;                                                            \
        *w -= h.lr * move;                                                                         \
    }
