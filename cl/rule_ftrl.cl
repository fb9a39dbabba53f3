/* rule_ftrl.cl: FTRL, for step.cl. After elementary.cl.
 *
 * States   n: squares; z: the linear part
 * Hyper    lr; a: l1; b: what is added to the divisor; c: beta; d: 2 l2_shrinkage; e: the power of n,
 *          less 1/2; f: epsilon inside the root
 * Form     0: TensorFlow's; 1: MXNet's; 2: the linear part is multiplied by the rate (TensorFlow);
 *          4: a power that is not the root
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define STATES 2

#if SPC_FORM & 4
/* x^(1/2 + p): the logarithm's error matters as little as p is small. */
static REAL power_of(REAL x, REAL p) {
    if (p == -0.5f) return 1;
    return x == 0 ? x : ROOT(x) * own_exp(p * own_log(x));
}
#define POWER1(x, p) power_of(x, p)
#define POWERS2(f) f(s0), f(s1)
#define POWERS4(f) POWERS2(f), f(s2), f(s3)
#define POWERS8(f) POWERS4(f), f(s4), f(s5), f(s6), f(s7)
#define POWERS16(f) POWERS8(f), f(s8), f(s9), f(sa), f(sb), f(sc), f(sd), f(se), f(sf)
#define POWER_AT(e) power_of(x.e, p)
#define POWERS(n)                                                                                  \
    static REAL##n power##n(REAL##n x, REAL p) {                                                   \
        return (REAL##n)(POWERS##n(POWER_AT));                                                     \
    }
POWERS(2)
POWERS(4)
POWERS(8)
POWERS(16)
#define POWER2 power2
#define POWER4 power4
#define POWER8 power8
#define POWER16 power16
#define GROWN(n, x) POWER##n((x) + h.f, h.e)
#else
#define GROWN(n, x) ROOT##n((x) + h.f)
#endif

#define MAGNITUDE(T, x) ((x) < 0 ? -(x) : (x))
#define SIGN_OF(T, x) ((x) > 0 ? (T)1 : (x) < 0 ? (T)-1 : (x) - (x)) /* a NaN stays */

#if SPC_FORM & 1
#define RULE_FROM(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *squares, T *z, T *third, T g, T more, hyper h) {          \
        const T next = *squares + more, grown = GROWN(n, next);                                    \
        *z += g - DIVIDE##n((grown - GROWN(n, *squares)) * *w, (T)h.lr);                           \
        *squares = next;                                                                           \
        const T move = SIGN_OF(T, *z) * h.a - *z;                                                  \
        const T kept = !(MAGNITUDE(T, *z) <= (T)h.a) ? (T)1 : (T)0;                                \
        *w = DIVIDE##n(move, DIVIDE##n(h.c + grown, (T)h.lr) + h.b) * kept;                        \
    }
#elif SPC_FORM & 2
#define RULE_FROM(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *squares, T *z, T *third, T g, T more, hyper h) {          \
        const T next = *squares + more, grown = GROWN(n, next);                                    \
        if (h.d != 0) g += h.d * *w;                                                               \
        *z += g * h.lr - (grown - GROWN(n, *squares)) * *w;                                        \
        *squares = next;                                                                           \
        *w = DIVIDE##n(CLIP(T, *z, h.a) - *z, grown + (T)h.b);                                     \
    }
#else
#define RULE_FROM(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *squares, T *z, T *third, T g, T more, hyper h) {          \
        const T next = *squares + more, grown = GROWN(n, next);                                    \
        if (h.d != 0) g += h.d * *w;                                                               \
        *z += g - DIVIDE##n(grown - GROWN(n, *squares), (T)h.lr) * *w;                             \
        *squares = next;                                                                           \
        *w = DIVIDE##n(CLIP(T, *z, h.a) - *z, DIVIDE##n(grown, (T)h.lr) + (T)h.b);                 \
    }
#endif

#define SQUARE(g) ((g) * (g))
#define RULE(T, n)                                                                                 \
    RULE_FROM(T, n)                                                                                \
    static void rule##n(T *w, T *squares, T *z, T *third, T g, hyper h) {                          \
        rule_of_sums##n(w, squares, z, third, g, SQUARE(g), h);                                    \
    }
#define RULE_OF_ROWS(T, n) RULE_OF_SUMS(T, n, SQUARE)
