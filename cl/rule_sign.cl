/* rule_sign.cl: rules whose update is the sign of something, for step.cl: sign descent, Signum, Lion.
 *
 * States   none; b; m
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_SIGN_COEFFICIENTS
#define STATES (FORM(SIGNUM) || FORM(LION))

#if FORM(SIGNUM)
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *b, T *t, T *u, T g, hyper h) {                                    \
        *b = h.momentum * *b - h.update_decay * *w - h.rest * g;                                   \
        *w = h.weight_factor * *w + h.lr * SIGN_OF(T, *b);                                         \
    }
#elif FORM(LION)
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *m, T *t, T *u, T g, hyper h) {                                    \
        const T update = *m * h.beta1 + g * h.rest1;                                               \
        *w -= h.lr * SIGN_OF(T, update);                                                           \
        *m = *m * h.beta2 + g * h.rest2;                                                           \
    }
#else
#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *s, T *t, T *u, T g, hyper h) {                                    \
        *w = h.weight_factor * *w - h.lr * SIGN_OF(T, g);                                          \
    }
#endif
