/* rule_adagrad.cl: Adagrad, for step.cl.
 *
 * States   s
 * Hyper    lr; a: epsilon inside the root; b: epsilon outside of it
 * Form     0: the rate times a quotient; 1: lr g is divided; 2: lr g times the reciprocal of the root
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 1

#if SPC_FORM == 0
#define MOVE(T, n, g, root) (h.lr * DIVIDE##n(g, root))
#elif SPC_FORM == 1
#define MOVE(T, n, g, root) DIVIDE##n(h.lr *(g), root)
#else
#define MOVE(T, n, g, root) (h.lr * (g)*DIVIDE##n((T)1, root))
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *s += g * g;                                                                               \
        *w -= MOVE(T, n, g, ROOT##n(*s + h.a) + h.b);                                              \
    }
