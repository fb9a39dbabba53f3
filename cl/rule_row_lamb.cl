/* rule_row_lamb.cl: Adam with a rate for each row, by the norms of its weights and of its move (LAMB
 * of rows), for step.cl and by_row.cl.
 *
 * States   m, v
 * Hyper    lr; a: 1 - beta1; b: 1 - beta2; c: beta1; d: beta2; f: epsilon; g and h: what m and v are
 *          divided by; i: a decay that is part of the move; e: the rate of each row
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define STATES 2

/* The next m and v, and the move. */
#define RULE(T, n)                                                                                 \
    static T move##n(T w, T *m, T *v, T g, hyper h) {                                              \
        *m = h.c * *m + h.a * g;                                                                   \
        *v = h.d * *v + h.b * (g * g);                                                             \
        T move = DIVIDE##n(DIVIDE##n(*m, (T)h.g), ROOT##n(DIVIDE##n(*v, (T)h.h)) + h.f);           \
        if (h.i != 0) move += h.i * w;                                                             \
        return move;                                                                               \
    }                                                                                              \
    static void rule##n(T *w, T *m, T *v, T *u, T g, hyper h) {                                    \
        *w -= h.e * move##n(*w, m, v, g, h);                                                       \
    }

#define MOVE_OF_ROW(T, n)                                                                          \
    static T move_at##n(row x, long j, hyper h) {                                                  \
        T w = LOAD##n(x.w + j), m = READ_STATE(n, x.s + j), v = READ_STATE(n, x.t + j);                      \
        const T g = prepare##n(&w, x.from ? LOAD##n(x.from + j) : (T)0, h);                        \
        return move##n(w, &m, &v, g, h);                                                           \
    }
#if SPC_GPU
#define MOVES_OF_ROW MOVE_OF_ROW(REAL, 1)
#else
#define MOVES_OF_ROW MOVE_OF_ROW(REAL, 1) MOVE_OF_ROW(REAL8, 8)
#endif
#define MOVE_SQUARE(n, j) square##n(move_at##n(x, j, h))

#define ROW_RULE                                                                                   \
    MOVES_OF_ROW                                                                                   \
    static REAL move_squares(row x, hyper h) {                                                     \
        TEAM_OF(x)                                                                                 \
        SUM_ROW(sum, x.width, MOVE_SQUARE, FOLD_ASCENDING)                                         \
        return sum;                                                                                \
    }                                                                                              \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL weight = ROOT(weight_squares(x)), move = ROOT(move_squares(x, h));              \
        own->e = h.lr * (weight > 0 && move > 0 ? DIVIDE(weight, move) : (REAL)1);                 \
    }
