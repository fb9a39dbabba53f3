/* moments.cl: the moments of Adam and its kin, in the orders of several systems. Before rule_<name>.cl.
 *
 * Defines  NEXT_MEAN(m, g): the next m; SQUARE(g): what is added to v; NEXT_SQUARE(v, square): the next v
 * Hyper    a: 1 - beta1; b: 1 - beta2; c: beta1; d: beta2
 * Form     1: m = c m + a g, else m += a (g - m); 2: v = d v + b (g g), else v += b (g g - v); 4: b g g
 *          from the left
 * Order    docs/numerics.md, "Optimizer rules"
 */
#if SPC_FORM & 1
#define NEXT_MEAN(m, g) (h.c * (m) + h.a * (g))
#else
#define NEXT_MEAN(m, g) ((m) + ((g) - (m)) * h.a)
#endif
#if SPC_FORM & 4
#define SQUARE(g) (h.b * (g) * (g))
#elif SPC_FORM & 2
#define SQUARE(g) (h.b * ((g) * (g)))
#else
#define SQUARE(g) ((g) * (g))
#endif
#if SPC_FORM & 2
#define NEXT_SQUARE(v, square) (h.d * (v) + (square))
#else
#define NEXT_SQUARE(v, square) ((v) + ((square) - (v)) * h.b)
#endif
