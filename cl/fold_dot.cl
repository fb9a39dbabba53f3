/* fold_dot.cl: dot products with a second array. Defines what fold_sum.cl does. */
#define TERM(n, x, other, k) ((x) * GET##n((other) + (k)))
#define FOLD(a, b)           ((a) + (b))
#define FOLD_START           0
#define FOLD_PICKS           0
