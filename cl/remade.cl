/* remade.cl: the steps that a row has missed, where each step makes the weights anew from the states,
 * as FTRL does: only the last of them counts. In place of missed.cl, before rule_<name>.cl.
 *
 * Defines  REMADE, REMAKE(T, n): remake##n: an element or a vector of a row takes that step, whose
 *          settings are `past`, with a gradient of 0, in registers. Its decay changes nothing
 * Order    docs/numerics.md, "Exact lazy steps"
 */
#define REMADE
#define REMAKE(T, n)                                                                               \
    ALWAYS_INLINE void remake##n(T *w, T *s, T *t, T *u, hyper past) {                             \
        const T none = 0;                                                                          \
        rule##n(w, s, t, u, none, past);                                                           \
    }
