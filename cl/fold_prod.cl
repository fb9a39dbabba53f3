/* fold_prod.cl: products. Defines what fold_sum.cl does. */
#define TERM(n, x, other, k) (x)
#define FOLD(a, b)           ((a) * (b))
#define FOLD_START           1
#define FOLD_PICKS           0
