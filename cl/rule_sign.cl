/* rule_sign.cl: rules that move by the sign of something, for step.cl: sign descent, Signum, Lion.
 *
 * States   none; b; m
 * Hyper    lr; a: 1 - beta1, or momentum; b: 1 - beta2, or 1 - momentum; c: beta1, or a decay that is
 *          part of b; d: beta2, or a factor of the weights
 * Form     0: sign descent; 1: Signum; 2: Lion
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES (SPC_FORM > 0)

#define SIGN_OF(T, x) ((x) > 0 ? (T)1 : (x) < 0 ? (T)-1 : (x) - (x)) /* a NaN stays */

#if SPC_FORM == 0
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w = h.d * *w - h.lr * SIGN_OF(T, g);                                                      \
    }
#elif SPC_FORM == 1
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        *b = h.a * *b - h.c * *w - h.b * g;                                                        \
        *w = h.d * *w + h.lr * SIGN_OF(T, *b);                                                     \
    }
#else
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *t, T *u, T g, hyper h) {                                    \
        const T move = *m * h.c + g * h.a;                                                         \
        *w -= h.lr * SIGN_OF(T, move);                                                             \
        *m = *m * h.d + g * h.b;                                                                   \
    }
#endif
