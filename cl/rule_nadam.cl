/* rule_nadam.cl: NAdam, for step.cl. After moments.cl.
 *
 * States   m, v
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_NADAM_COEFFICIENTS
#define STATES 2
#define LAZY_FORM (SPC_LAZY_ROOT | SPC_LAZY_FADE_T)

#if FORM(PRODUCT_FIRST)
#define PART(T, n, factor, x, divisor) DIVIDE##n((factor) * (x), (T)(divisor))
#else
#define PART(T, n, factor, x, divisor) ((factor)*DIVIDE##n(x, (T)(divisor)))
#endif

#if FORM(TWO_UPDATES)
#define UPDATE(T, n)                                                                               \
    *w -= DIVIDE##n(h.gradient_factor * g, root);                                                  \
    *w -= DIVIDE##n(h.mean_factor * *m, root)
#else
#define UPDATE(T, n)                                                                               \
    *w -= DIVIDE##n(h.lr *(PART(T, n, h.mean_factor, *m, h.mean_divisor) +                         \
                           PART(T, n, h.gradient_factor, g, h.gradient_divisor)),                  \
                    root)
#endif

#define TERM SQUARE
#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *v, T *u, T g, T squares, hyper h) {                 \
        *m = NEXT_MEAN(*m, g);                                                                     \
        *v = NEXT_SQUARE(*v, squares);                                                             \
        const T root = ROOT##n(DIVIDE##n(*v, (T)h.correction2)) + h.epsilon;                       \
        UPDATE(T, n);                                                                              \
    }
