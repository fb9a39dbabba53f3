/* rule_yogi.cl: Yogi, for step.cl.
 *
 * States   v, m
 * Hyper    lr, with the bias correction; a: 1 - beta1; b: 1 - beta2; c: beta1; e: epsilon inside the
 *          root; f: epsilon outside of it; h: what the root is divided by
 *          A rate of 0 changes no weight, also where the root is 0
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2

#define SIGN_OF(T, x) ((x) > 0 ? (T)1 : (x) < 0 ? (T)-1 : (x) - (x)) /* a NaN stays */

#define RULE(T, n)                                                                                 \
    static void rule##n(T *w, T *v, T *m, T *third, T g, hyper h) {                                \
        const T square = g * g, more = square - *v;                                                \
        *m = h.c * *m + h.a * g;                                                                   \
        *v += h.b * SIGN_OF(T, more) * square;                                                     \
        T root = ROOT##n(*v + h.e);                                                                \
        if (h.h != 1) root = DIVIDE##n(root, (T)h.h);                                              \
        if (h.lr != 0) *w -= DIVIDE##n((T)h.lr, root + h.f) * *m;                                                 \
    }
