/* rule_lars.cl: momentum whose rate has the ratio of the norms of the weights and of the gradient of
 * the whole table (LARS), for step.cl and table_ratio.cl.
 *
 * States   b; the gradient before it is clipped
 * Hyper    lr; a: eta; b: epsilon; c: momentum; d: the limit of the gradient; i: a coupled decay,
 *          which is part of the rule
 * Form     1: without momentum
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2
#define MOVES_AT 2

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *move, T *u, T g, hyper h) { *move = g; }

#define RATE_OF_TABLE                                                                              \
    static REAL rate_of_table(REAL weight, REAL gradient, hyper h) {                               \
        if (!(weight > 0 && gradient > 0)) return h.lr;                                            \
        return DIVIDE(h.lr * h.a * weight, gradient + h.i * weight + h.b);                         \
    }
#define RULE_OF_TABLE(T, n)                                                                        \
    static void rule_of_table##n(T *w, T *b, T move, REAL rate, hyper h) {                         \
        const T step = rate * CLIP(T, move, h.d);                                                  \
        const REAL decay = rate * h.i;                                                             \
        if (SPC_FORM & 1) {                                                                        \
            if (h.i != 0) *w *= 1 - decay;                                                         \
            *w -= step;                                                                            \
        } else {                                                                                   \
            *b *= h.c;                                                                             \
            if (h.i != 0) *b -= decay * *w;                                                        \
            *b -= step;                                                                            \
            *w += *b;                                                                              \
        }                                                                                          \
    }
