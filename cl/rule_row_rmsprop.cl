/* rule_row_rmsprop.cl: RMSProp with one mean of squares for each row, whose weights shrink by the
 * number of steps that it was absent (FBGEMM's RMSProp-AR), for step.cl and by_row.cl.
 *
 * States   of rows: v; the number of the row's last step
 * Hyper    lr; a: lr ar_alpha; b: 1 - rho; c: rho; d: min_shrinkage; f: epsilon; i: the number of the
 *          step; e: the rate of each row
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define STATES 0

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.s, last = *x.t;                                                     \
        const REAL mean = DIVIDE(gradient_squares(x, h), (REAL)x.width);                           \
        const REAL v = h.c * before + h.b * mean;                                                  \
        const REAL gap = last == 0 ? (REAL)1 : h.i - last;                                         \
        if (FIRST_LANE_OF(x)) {                                                                    \
            *x.s = v;                                                                              \
            *x.t = h.i;                                                                            \
        }                                                                                          \
        own->e = DIVIDE(h.lr, ROOT(v) + h.f);                                                      \
        own->keep = h.keep * min((REAL)1, max(h.d, 1 - h.a * gap));                                \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w -= h.e * g;                                                                             \
    }
