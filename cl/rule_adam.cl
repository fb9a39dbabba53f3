/* rule_adam.cl: Adam and AMSGrad, for step.cl.
 *
 * States   m, v; the largest v so far
 * Hyper    lr, with the bias correction that h.g and h.h do not have; a: 1 - beta1; b: 1 - beta2; c:
 *          beta1; d: beta2; e: epsilon inside the root; f: epsilon outside of it; g and h: what m and
 *          v, or the root, are divided by
 * Form     1: m = c m + a g, else m += a (g - m); 2: v = d v + b (g g), else v += b (g g - v);
 *          4: b g g from the left; 8: lr m is divided, else the quotient times lr; 16: m and v are
 *          divided, else the root; 64: the largest v
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define LARGEST (SPC_FORM & 64)
#define STATES (LARGEST ? 3 : 2)

#if SPC_FORM & 1
#define NEXT_MEAN(m, g) (h.c * (m) + h.a * (g))
#else
#define NEXT_MEAN(m, g) ((m) + ((g) - (m)) * h.a)
#endif
#if !(SPC_FORM & 2)
#define NEXT_SQUARE(v, g) ((v) + ((g) * (g) - (v)) * h.b)
#elif SPC_FORM & 4
#define NEXT_SQUARE(v, g) (h.d * (v) + h.b * (g) * (g))
#else
#define NEXT_SQUARE(v, g) (h.d * (v) + h.b * ((g) * (g)))
#endif
#if SPC_FORM & 8
#define MOVE(n, m, root) DIVIDE##n(h.lr *(m), root)
#else
#define MOVE(n, m, root) (h.lr * DIVIDE##n(m, root))
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *v, T *largest, T g, hyper h) {                              \
        *m = NEXT_MEAN(*m, g);                                                                     \
        *v = NEXT_SQUARE(*v, g);                                                                   \
        if (LARGEST) *largest = !(*v <= *largest) ? *v : *largest;                                 \
        T mean = *m, square = (LARGEST ? *largest : *v) + h.e;                                     \
        if (SPC_FORM & 16) {                                                                       \
            mean = DIVIDE##n(mean, (T)h.g);                                                        \
            square = DIVIDE##n(square, (T)h.h);                                                    \
        }                                                                                          \
        T root = ROOT##n(square);                                                                  \
        if (!(SPC_FORM & 16) && h.h != 1) root = DIVIDE##n(root, (T)h.h);                          \
        *w -= MOVE(n, mean, root + h.f);                                                           \
    }
