/* rule_lars.cl: momentum whose rate has the ratio of the norms of the weights and of the gradient of
 * the whole table (LARS), for step.cl and table_ratio.cl.
 *
 * States   b; the gradient before it is clipped
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_LARS_COEFFICIENTS
#define STATES 2
#define UPDATES_AT 2

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *update, T *u, T g, hyper h) { *update = g; }

#define RATE_OF_TABLE                                                                              \
    static REAL rate_of_table(REAL weight, REAL gradient, hyper h) {                               \
        if (!(weight > 0 && gradient > 0)) return h.lr;                                            \
        return DIVIDE(h.lr * h.eta * weight, gradient + h.update_decay * weight + h.epsilon);      \
    }
#define RULE_OF_TABLE(T, n)                                                                        \
    static void rule_of_table##n(T *w, T *b, T update, REAL rate, hyper h) {                       \
        const T step = rate * CLIP(T, update, h.gradient_limit);                                   \
        const REAL decay = rate * h.update_decay;                                                  \
        if (FORM(WITHOUT_MOMENTUM)) {                                                              \
            if (h.update_decay != 0) *w *= 1 - decay;                                              \
            *w -= step;                                                                            \
        } else {                                                                                   \
            *b *= h.momentum;                                                                      \
            if (h.update_decay != 0) *b -= decay * *w;                                             \
            *b -= step;                                                                            \
            *w += *b;                                                                              \
        }                                                                                          \
    }
