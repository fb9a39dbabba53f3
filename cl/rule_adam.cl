/* rule_adam.cl: Adam and AMSGrad, for step.cl. After moments.cl.
 *
 * States   m, v; the largest v so far
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_ADAM_COEFFICIENTS
#define STATES (FORM(AMSGRAD) ? 3 : 2)
#define LAZY_FORM (SPC_LAZY_ROOT | SPC_LAZY_FADE_T | (FORM(AMSGRAD) ? SPC_LAZY_LARGEST : 0))

#if FORM(PRODUCT_FIRST)
#define UPDATE(n, m, root) DIVIDE##n(h.lr *(m), root)
#else
#define UPDATE(n, m, root) (h.lr * DIVIDE##n(m, root))
#endif

#define TERM SQUARE
#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *v, T *largest, T g, T squares, hyper h) {           \
        *m = NEXT_MEAN(*m, g);                                                                     \
        *v = NEXT_SQUARE(*v, squares);                                                             \
        if (FORM(AMSGRAD)) *largest = !(*v <= *largest) ? *v : *largest;                           \
        T mean = *m, square = (FORM(AMSGRAD) ? *largest : *v) + h.epsilon_inside;                  \
        if (FORM(CORRECTED_MEANS)) {                                                               \
            mean = DIVIDE##n(mean, (T)h.correction1);                                              \
            square = DIVIDE##n(square, (T)h.correction2);                                          \
        }                                                                                          \
        T root = ROOT##n(square);                                                                  \
        if (!FORM(CORRECTED_MEANS) && h.correction2 != 1)                                          \
            root = DIVIDE##n(root, (T)h.correction2);                                              \
        T update = UPDATE(n, mean, root + h.epsilon_outside);                                      \
        if (FORM(UPDATE_DECAY)) update = h.update_factor * (update + h.update_decay * *w);         \
        *w -= update;                                                                              \
    }
