/* moments.cl: the moments of Adam and its kin, in the orders of several systems. Before rule_<name>.cl.
 *
 * Defines  NEXT_MEAN(m, g): the next m; SQUARE(g): what is added to v; NEXT_SQUARE(v, square): the next v
 * Order    docs/numerics.md, "Optimizer rules"
 */
#if FORM(MEAN_WEIGHTED)
#define NEXT_MEAN(m, g) (h.beta1 * (m) + h.rest1 * (g))
#else
#define NEXT_MEAN(m, g) ((m) + ((g) - (m)) * h.rest1)
#endif
#if FORM(SQUARE_LEFT)
#define SQUARE(g) (h.rest2 * (g) * (g))
#elif FORM(SQUARE_WEIGHTED)
#define SQUARE(g) (h.rest2 * ((g) * (g)))
#else
#define SQUARE(g) ((g) * (g))
#endif
#if FORM(SQUARE_WEIGHTED)
#define NEXT_SQUARE(v, square) (h.beta2 * (v) + (square))
#else
#define NEXT_SQUARE(v, square) ((v) + ((square) - (v)) * h.rest2)
#endif
