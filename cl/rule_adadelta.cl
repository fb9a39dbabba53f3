/* rule_adadelta.cl: Adadelta, for step.cl.
 *
 * States   v: squares of gradients; u: squares of moves
 * Hyper    lr; a: 1 - rho; b: rho; c: epsilon; d: a decay that is part of the move (MXNet)
 * Form     1: a g g from the left; 2: the root of u times g is divided; 4: the root of u times the
 *          reciprocal of the root of v, else their quotient, times g
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2
/* missed.cl: none, v and u */
#define LAZY_FORM 6
#define LAZY_STATES(s, t, u) u, s, t

#if SPC_FORM & 1
#define SQUARE(g) (h.a * (g) * (g))
#else
#define SQUARE(g) (h.a * ((g) * (g)))
#endif
#if SPC_FORM & 2
#define MOVE(T, n, above, below, g) DIVIDE##n((above) * (g), below)
#elif SPC_FORM & 4
#define MOVE(T, n, above, below, g) ((above)*DIVIDE##n((T)1, below) * (g))
#else
#define MOVE(T, n, above, below, g) (DIVIDE##n(above, below) * (g))
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *v, T *u, T *third, T g, hyper h) {                                \
        *v = h.b * *v + SQUARE(g);                                                                 \
        T move = MOVE(T, n, ROOT##n(*u + h.c), ROOT##n(*v + h.c), g);                              \
        *u = h.b * *u + SQUARE(move);                                                              \
        if (h.d != 0) move += h.d * *w;                                                            \
        *w -= h.lr * move;                                                                         \
    }

#define RULE_OF_ROWS(T, n)                                                                         \
    static void rule_of_rows##n(T *w, T *v, T *u, T *third, run rows, long j, hyper h) {           \
        T squares = 0, moves = 0;                                                                  \
        SUM_OF_ROWS(T, n, squares, g, SQUARE(g));                                                  \
        *v = h.b * *v + squares;                                                                   \
        const T above = ROOT##n(*u + h.c), below = ROOT##n(*v + h.c);                              \
        EACH_ROW(T, n, g, {                                                                        \
            T move = MOVE(T, n, above, below, g);                                                  \
            moves = k == rows.begin ? SQUARE(move) : moves + SQUARE(move);                         \
            if (h.d != 0 && k == rows.begin) move += h.d * *w;                                     \
            *w -= h.lr * move;                                                                     \
        });                                                                                        \
        *u = h.b * *u + moves;                                                                     \
    }
