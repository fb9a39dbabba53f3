/* rule_row_adagrad.cl: Adagrad with one sum of squares for each row, for step.cl and
 * by_row.cl.
 *
 * States   of rows: s
 * Hyper    lr; a: epsilon inside the root; b: epsilon outside of it; c: the root of each row, or its rate
 * Form     0: lr g is divided; 1: the quotient of lr and the root is a rate, and the coupled decay a
 *          factor of the weights (FBGEMM)
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define STATES 0
#define RATE_OF_ROW (SPC_FORM & 1)

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.s;                                                                  \
        const REAL sum = before + DIVIDE(gradient_squares(x, h), (REAL)x.width);                   \
        if (FIRST_LANE_OF(x)) *x.s = sum;                                                          \
        own->c = ROOT(sum + h.a) + h.b;                                                            \
        if (RATE_OF_ROW) {                                                                         \
            own->c = DIVIDE(h.lr, own->c);                                                         \
            if (h.decay != 0) own->keep = 1 - own->c * h.decay;                                    \
            own->decay = 0;                                                                        \
        }                                                                                          \
    }

#if RATE_OF_ROW
#define MOVE(T, n, g, h) (h.c * (g))
#else
#define MOVE(T, n, g, h) DIVIDE##n(h.lr *(g), (T)h.c)
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w -= MOVE(T, n, g, h);                                                                    \
    }
