/* step.cl: one optimizer step on rows of a table and of its states. Before it come panel.cl and
 * rule_<name>.cl, which defines
 *   STATES   0, 1 or 2
 *   RULE(T, n)  rule##n(T *w, T *first state, T *second state, T gradient, rates r), where T has n
 *            elements and DIVIDE##n, ROOT##n are for it
 *
 * Defines  step_rows
 * Range    FOR_ROWS
 * Memory   ids, count, last: or NULL; without ids, row i is row i of the table
 * Order    docs/numerics.md, "Optimizer rules"
 */

typedef struct {
    REAL lr, a, b, c;
} rates;

#define DIVIDE1 DIVIDE
#define ROOT1 ROOT
#if SPC_OWN_DIVIDE && !SPC_F64 && !SPC_GPU
/* Element by element, not by halves: Oclgrind 21.10 takes half a vector for uninitialised. */
#define EACH2(f) f(s0), f(s1)
#define EACH4(f) EACH2(f), f(s2), f(s3)
#define EACH8(f) EACH4(f), f(s4), f(s5), f(s6), f(s7)
#define EACH16(f) EACH8(f), f(s8), f(s9), f(sa), f(sb), f(sc), f(sd), f(se), f(sf)
#define QUOTIENT(e) DIVIDE(a.e, b.e)
#define ROOT_OF(e) ROOT(x.e)
#define BY_ELEMENT(n)                                                                              \
    static REAL##n divide##n(REAL##n a, REAL##n b) {                                               \
        return (REAL##n)(EACH##n(QUOTIENT));                                                       \
    }                                                                                              \
    static REAL##n root##n(REAL##n x) {                                                            \
        return (REAL##n)(EACH##n(ROOT_OF));                                                        \
    }
BY_ELEMENT(2)
BY_ELEMENT(4)
BY_ELEMENT(8)
BY_ELEMENT(16)
#define DIVIDE2 divide2
#define DIVIDE4 divide4
#define DIVIDE8 divide8
#define DIVIDE16 divide16
#define ROOT2 root2
#define ROOT4 root4
#define ROOT8 root8
#define ROOT16 root16
#else
#define DIVIDE2 DIVIDE
#define DIVIDE4 DIVIDE
#define DIVIDE8 DIVIDE
#define DIVIDE16 DIVIDE
#define ROOT2 ROOT
#define ROOT4 ROOT
#define ROOT8 ROOT
#define ROOT16 ROOT
#endif

EACH_WIDTH(RULE)

/* n elements of a row. */
#define STEP_PANEL(T, n)                                                                           \
    static void step_panel##n(__global REAL *w, __global REAL *s, __global REAL *t,                \
                              __global const REAL *g, REAL l2, rates r) {                          \
        T x = LOAD##n(w), p = 0, q = 0, d = LOAD##n(g);                                            \
        if (STATES > 0) p = LOAD##n(s);                                                            \
        if (STATES > 1) q = LOAD##n(t);                                                            \
        if (l2 != 0) d += l2 * x;                                                                  \
        rule##n(&x, &p, &q, d, r);                                                                 \
        STORE##n(x, w);                                                                            \
        if (STATES > 0) STORE##n(p, s);                                                            \
        if (STATES > 1) STORE##n(q, t);                                                            \
    }
EACH_WIDTH(STEP_PANEL)

KERNEL step_rows(__global REAL *w, long w_at, long w_ld, __global REAL *s, long s_at, long s_ld,
            __global REAL *t, long t_at, long t_ld, __global const REAL *g, long g_at, long g_ld,
            __global const INDEX *ids, long ids_at, __global const long *count, long count_at,
            long room, long width, REAL l2, REAL lr, REAL a, REAL b, REAL c, __global long *last,
            long last_at, long number) {
    const long n = item_count(room, count, count_at);
    const rates r = {lr, a, b, c};
    FOR_ROWS(i, n, width) {
        const long row = ids ? (long)ids[ids_at + i] : i;
        __global REAL *to = w + (w_at + row * w_ld);
        __global REAL *first = s + (s_at + row * s_ld), *second = t + (t_at + row * t_ld);
        __global const REAL *from = g + (g_at + i * g_ld);
#define STEP(n, j) step_panel##n(to + j, first + j, second + j, from + j, l2, r)
        EACH_PANEL(j, width, STEP);
#undef STEP
        if (last && FIRST_LANE) last[last_at + row] = number;
    }
}
