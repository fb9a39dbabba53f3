/* rule_adagrad.cl: Adagrad, for step.cl.
 *
 * States   s
 * Hyper    lr; a: epsilon inside the root; b: epsilon outside of it; c: a decay that is part of the
 *          move
 * Form     0: the rate times a quotient; 1: lr g is divided; 2: lr g times the reciprocal of the root;
 *          4: as 0, with the decay; 8: s stays as it is
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 1
#define LAZY_FORM 0 /* missed.cl */

#if SPC_FORM & 4
#define MOVE(T, n, g, root) (h.lr * (DIVIDE##n(g, root) + h.c * *w))
#elif (SPC_FORM & 3) == 0
#define MOVE(T, n, g, root) (h.lr * DIVIDE##n(g, root))
#elif SPC_FORM & 1
#define MOVE(T, n, g, root) DIVIDE##n(h.lr *(g), root)
#else
#define MOVE(T, n, g, root) (h.lr * (g)*DIVIDE##n((T)1, root))
#endif

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        if (!(SPC_FORM & 8)) *s += g * g;                                                                               \
        *w -= MOVE(T, n, g, ROOT##n(*s + h.a) + h.b);                                              \
    }

#define RULE_OF_ROWS(T, n)                                                                         \
    static void rule_of_rows##n(T *w, T *s, T *t, T *u, run rows, long j, hyper h) {               \
        if (!(SPC_FORM & 8)) EACH_ROW(T, n, g, *s += g * g);                                       \
        const T root = ROOT##n(*s + h.a) + h.b;                                                    \
        EACH_ROW(T, n, g, {                                                                        \
            if (k > rows.begin) h.c = 0;                                                           \
            *w -= MOVE(T, n, g, root);                                                             \
        });                                                                                        \
    }
