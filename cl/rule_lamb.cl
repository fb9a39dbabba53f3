/* rule_lamb.cl: Adam whose rate has the ratio of the norms of the weights and of the updates of the
 * whole table (LAMB), for step.cl and table_ratio.cl. After moments.cl.
 *
 * States   m, v; the update
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_LAMB_COEFFICIENTS
#define STATES 3
#define UPDATES_AT 3

#define TERM SQUARE
#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *v, T *update, T g, T squares, hyper h) {            \
        *m = NEXT_MEAN(*m, g);                                                                     \
        *v = NEXT_SQUARE(*v, squares);                                                             \
        *update = DIVIDE##n(DIVIDE##n(*m, (T)h.correction1),                                       \
                            ROOT##n(DIVIDE##n(*v, (T)h.correction2)) + h.epsilon);                 \
        if (h.update_decay != 0) *update += h.update_decay * *w;                                   \
    }

#define RATE_OF_TABLE                                                                              \
    static REAL rate_of_table(REAL weight, REAL update, hyper h) {                                 \
        const REAL least = weight < h.lower_bound ? h.lower_bound : weight;                        \
        const REAL norm = least > h.upper_bound ? h.upper_bound : least;                           \
        if (!(norm > 0 && update > 0)) return h.lr;                                                \
        return FORM(PRODUCT_FIRST) ? DIVIDE(h.lr * norm, update) : DIVIDE(norm, update) * h.lr;    \
    }
#define RULE_OF_TABLE(T, n)                                                                        \
    static void rule_of_table##n(T *w, T *m, T update, REAL rate, hyper h) {                       \
        *w -= rate * update;                                                                       \
    }
