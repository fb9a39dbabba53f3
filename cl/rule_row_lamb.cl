/* rule_row_lamb.cl: Adam with a rate for each row, by the norms of its weights and of its update
 * (LAMB of rows), for step.cl and by_row.cl.
 *
 * States   m, v
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define COEFFICIENTS SPC_ROW_ADAM_COEFFICIENTS
#define STATES 2

/* The next m and v, and the update. */
#define RULE(T, n)                                                                                 \
    static T update##n(T w, T *m, T *v, T g, hyper h) {                                            \
        *m = h.beta1 * *m + h.rest1 * g;                                                           \
        *v = h.beta2 * *v + h.rest2 * (g * g);                                                     \
        T update = DIVIDE##n(DIVIDE##n(*m, (T)h.correction1),                                      \
                             ROOT##n(DIVIDE##n(*v, (T)h.correction2)) + h.epsilon);                \
        if (h.update_decay != 0) update += h.update_decay * w;                                     \
        return update;                                                                             \
    }                                                                                              \
    static void rule##n(T *w, T *m, T *v, T *u, T g, hyper h) {                                    \
        *w -= h.lr * update##n(*w, m, v, g, h);                                                    \
    }

#define UPDATE_OF_ROW(T, n)                                                                        \
    static T update_at##n(row x, long j, hyper h) {                                                \
        T w = LOAD##n(x.w + j), m = READ_STATE(n, x.s + j), v = READ_STATE(n, x.t + j);            \
        const T g = prepare##n(&w, x.from ? LOAD##n(x.from + j) : (T)0, h);                        \
        return update##n(w, &m, &v, g, h);                                                         \
    }
#if SPC_GPU
#define UPDATES_OF_ROW UPDATE_OF_ROW(REAL, 1)
#else
#define UPDATES_OF_ROW UPDATE_OF_ROW(REAL, 1) UPDATE_OF_ROW(REAL8, 8)
#endif
#define UPDATE_SQUARE(n, j) square##n(update_at##n(x, j, h))

#define ROW_RULE                                                                                   \
    UPDATES_OF_ROW                                                                                 \
    static REAL update_squares(row x, hyper h) {                                                   \
        TEAM_OF(x)                                                                                 \
        SUM_ROW(sum, x.width, UPDATE_SQUARE, FOLD_ASCENDING)                                       \
        return sum;                                                                                \
    }                                                                                              \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL weight = ROOT(weight_squares(x)), update = ROOT(update_squares(x, h));          \
        own->lr = h.lr * (weight > 0 && update > 0 ? DIVIDE(weight, update) : (REAL)1);            \
    }
