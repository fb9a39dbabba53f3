/* rule_row_rmsprop.cl: RMSProp with one mean of squares for each row, whose weights shrink by the
 * number of steps that it was absent (FBGEMM's RMSProp-AR), for step.cl and by_row.cl.
 *
 * States   of rows: v; the number of the row's last step
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define BY_ROW
#define COEFFICIENTS SPC_ROW_RMSPROP_COEFFICIENTS
#define STATES 0

#define ROW_RULE                                                                                   \
    static void row_rule(row x, hyper h, hyper *own) {                                             \
        const REAL before = *x.s, last = *x.t;                                                     \
        const REAL mean = DIVIDE(gradient_squares(x, h), (REAL)x.width);                           \
        const REAL v = h.rho * before + h.rest * mean;                                             \
        const REAL gap = last == 0 ? (REAL)1 : h.step - last;                                      \
        if (FIRST_LANE_OF(x)) {                                                                    \
            *x.s = v;                                                                              \
            *x.t = h.step;                                                                         \
        }                                                                                          \
        own->lr = DIVIDE(h.lr, ROOT(v) + h.epsilon);                                               \
        own->keep = h.keep * min((REAL)1, max(h.min_shrinkage, 1 - h.shrinkage * gap));            \
    }

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) { *w -= h.lr * g; }
