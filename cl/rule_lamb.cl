/* rule_lamb.cl: Adam whose rate has the ratio of the norms of the weights and of the moves of the
 * whole table (LAMB), for step.cl and table_ratio.cl. After moments.cl.
 *
 * States   m, v; the move
 * Hyper    lr; a: 1 - beta1; b: 1 - beta2; c: beta1; d: beta2; e: the lower bound of the norm of the
 *          weights; f: epsilon; g and h: what m and v are divided by; i: a decay that is part of the
 *          move; j: the upper bound
 * Form     1, 2, 4: moments.cl; 8: lr times the norm is divided, else the quotient times lr
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 3
#define MOVES_AT 3

#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *v, T *move, T g, T squares, hyper h) {              \
        *m = NEXT_MEAN(*m, g);                                                                     \
        *v = NEXT_SQUARE(*v, squares);                                                             \
        *move = DIVIDE##n(DIVIDE##n(*m, (T)h.g), ROOT##n(DIVIDE##n(*v, (T)h.h)) + h.f);            \
        if (h.i != 0) *move += h.i * *w;                                                           \
    }                                                                                              \
    static void rule##n(T *w, T *m, T *v, T *move, T g, hyper h) {                                 \
        rule_of_sums##n(w, m, v, move, g, SQUARE(g), h);                                           \
    }
#define RULE_OF_ROWS(T, n) RULE_OF_SUMS(T, n, SQUARE)

#define RATE_OF_TABLE                                                                              \
    static REAL rate_of_table(REAL weight, REAL move, hyper h) {                                   \
        const REAL least = weight < h.e ? h.e : weight, norm = least > h.j ? h.j : least;          \
        if (!(norm > 0 && move > 0)) return h.lr;                                                  \
        return SPC_FORM & 8 ? DIVIDE(h.lr * norm, move) : DIVIDE(norm, move) * h.lr;               \
    }
#define RULE_OF_TABLE(T, n)                                                                        \
    static void rule_of_table##n(T *w, T *m, T move, REAL rate, hyper h) {                         \
        *w -= rate * move;                                                                         \
    }
