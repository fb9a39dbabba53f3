/* rule_adam.cl: Adam and AMSGrad, for step.cl. After moments.cl.
 *
 * States   m, v; the largest v so far
 * Hyper    lr, with the bias correction that h.g and h.h do not have; a: 1 - beta1; b: 1 - beta2; c:
 *          beta1; d: beta2; e: epsilon inside the root; f: epsilon outside of it; g and h: what m and
 *          v, or the root, are divided by; i: a decay that is part of the move; j: a factor of that move
 * Form     1, 2, 4: moments.cl; 8: lr m is divided, else the quotient times lr; 16: m and v are
 *          divided, else the root; 32: with that decay; 64: the largest v
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define LARGEST (SPC_FORM & 64)
#define STATES (LARGEST ? 3 : 2)
#define LAZY_FORM (LARGEST ? 3 : 2) /* missed.cl */

#if SPC_FORM & 8
#define MOVE(n, m, root) DIVIDE##n(h.lr *(m), root)
#else
#define MOVE(n, m, root) (h.lr * DIVIDE##n(m, root))
#endif

#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *m, T *v, T *largest, T g, T squares, hyper h) {           \
        *m = NEXT_MEAN(*m, g);                                                                     \
        *v = NEXT_SQUARE(*v, squares);                                                             \
        if (LARGEST) *largest = !(*v <= *largest) ? *v : *largest;                                 \
        T mean = *m, square = (LARGEST ? *largest : *v) + h.e;                                     \
        if (SPC_FORM & 16) {                                                                       \
            mean = DIVIDE##n(mean, (T)h.g);                                                        \
            square = DIVIDE##n(square, (T)h.h);                                                    \
        }                                                                                          \
        T root = ROOT##n(square);                                                                  \
        if (!(SPC_FORM & 16) && h.h != 1) root = DIVIDE##n(root, (T)h.h);                          \
        T move = MOVE(n, mean, root + h.f);                                                        \
        if (SPC_FORM & 32) move = h.j * (move + h.i * *w);                                         \
        *w -= move;                                                                                \
    }                                                                                              \
    static void rule##n(T *w, T *m, T *v, T *largest, T g, hyper h) {                              \
        rule_of_sums##n(w, m, v, largest, g, SQUARE(g), h);                                        \
    }
#define RULE_OF_ROWS(T, n) RULE_OF_SUMS(T, n, SQUARE)
