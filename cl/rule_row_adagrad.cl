/* rule_row_adagrad.cl: Adagrad with one sum of squares for each row, for step.cl and
 * by_row.cl.
 *
 * States   of rows: s
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define COEFFICIENTS SPC_ROW_ADAGRAD_COEFFICIENTS
#define STATES 0

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.s;                                                                  \
        const REAL sum = before + DIVIDE(gradient_squares(x, h), (REAL)x.width);                   \
        if (FIRST_LANE_OF(x)) *x.s = sum;                                                          \
        own->row_root = ROOT(sum + h.epsilon_inside) + h.epsilon_outside;                          \
        if (FORM(RATE_OF_ROW)) {                                                                   \
            own->lr = DIVIDE(h.lr, own->row_root);                                                 \
            if (h.decay != 0) own->keep = 1 - own->lr * h.decay;                                   \
            own->decay = 0;                                                                        \
        }                                                                                          \
    }

#if FORM(RATE_OF_ROW)
#define UPDATE(T, n, g) (h.lr * (g))
#else
#define UPDATE(T, n, g) DIVIDE##n(h.lr *(g), (T)h.row_root)
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) { *w -= UPDATE(T, n, g); }
