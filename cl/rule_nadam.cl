/* rule_nadam.cl: NAdam, for step.cl. After moments.cl.
 *
 * States   m, v
 * Hyper    lr; a: 1 - beta1; b: 1 - beta2; c: beta1; d: beta2; e and f: g times e, divided by f; g and
 *          h: the same for m; i: what v is divided by; j: epsilon
 * Form     1, 2, 4: moments.cl; 8: quotients times e and g, else products are divided; 16: the two
 *          moves are made one after the other, with the rate and the divisors in e and g
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2
#define LAZY_FORM 2 /* missed.cl */

#if SPC_FORM & 8
#define PART(T, n, factor, x, divisor) ((factor)*DIVIDE##n(x, (T)(divisor)))
#else
#define PART(T, n, factor, x, divisor) DIVIDE##n((factor) * (x), (T)(divisor))
#endif

#if SPC_FORM & 16
#define MOVE(T, n)                                                                                 \
    *w -= DIVIDE##n(h.e * x, root);                                                                \
    *w -= DIVIDE##n(h.g * *m, root)
#else
#define MOVE(T, n)                                                                                 \
    *w -= DIVIDE##n(h.lr *(PART(T, n, h.g, *m, h.h) + PART(T, n, h.e, x, h.f)), root)
#endif

#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *v, T *u, T x, T squares, hyper h) {                 \
        *m = NEXT_MEAN(*m, x);                                                                     \
        *v = NEXT_SQUARE(*v, squares);                                                             \
        const T root = ROOT##n(DIVIDE##n(*v, (T)h.i)) + h.j;                                       \
        MOVE(T, n);                                                                                \
    }                                                                                              \
    static void rule##n(T *w, T *m, T *v, T *u, T x, hyper h) {                                    \
        rule_of_sums##n(w, m, v, u, x, SQUARE(x), h);                                              \
    }
#define RULE_OF_ROWS(T, n) RULE_OF_SUMS(T, n, SQUARE)
