/* rule_ftrl.cl: FTRL, for step.cl. After elementary.cl.
 *
 * States   n: squares; z: the linear part
 * Order    docs/numerics.md, "Optimizer rules"
 */
#define COEFFICIENTS SPC_FTRL_COEFFICIENTS
#define STATES 2

#if FORM(POWER)
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
#define GROWN(n, x) POWER##n((x) + h.epsilon, h.power)
#else
#define GROWN(n, x) ROOT##n((x) + h.epsilon)
#endif

#define SQUARE(g) ((g) * (g))
#define TERM SQUARE
#if FORM(MXNET)
#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *squares, T *z, T *third, T g, T more, hyper h) {          \
        const T next = *squares + more, grown = GROWN(n, next);                                    \
        *z += g - DIVIDE##n((grown - GROWN(n, *squares)) * *w, (T)h.lr);                           \
        *squares = next;                                                                           \
        const T update = SIGN_OF(T, *z) * h.l1 - *z;                                               \
        const T kept = !(MAGNITUDE(*z) <= (T)h.l1) ? (T)1 : (T)0;                                  \
        *w = DIVIDE##n(update, DIVIDE##n(h.beta + grown, (T)h.lr) + h.l2) * kept;                  \
    }
#else
#if FORM(LINEAR_BY_RATE)
#define BY_RATE(T, n, x) (x)
#define LINEAR(T, n, g, growth, w) ((g)*h.lr - (growth) * (w))
#else
#define BY_RATE(T, n, x) DIVIDE##n(x, (T)h.lr)
#define LINEAR(T, n, g, growth, w) ((g)-BY_RATE(T, n, growth) * (w))
#endif
#define RULE(T, n)                                                                                 \
    static void rule_of_sums##n(T *w, T *squares, T *z, T *third, T g, T more, hyper h) {          \
        const T next = *squares + more, grown = GROWN(n, next);                                    \
        if (h.twice_l2_shrinkage != 0) g += h.twice_l2_shrinkage * *w;                             \
        *z += LINEAR(T, n, g, grown - GROWN(n, *squares), *w);                                     \
        *squares = next;                                                                           \
        *w = DIVIDE##n(CLIP(T, *z, h.l1) - *z, BY_RATE(T, n, grown) + (T)h.l2);                    \
    }
#endif
