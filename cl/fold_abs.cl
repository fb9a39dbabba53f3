/* fold_abs.cl: sums of absolute values. Defines what fold_sum.cl does. */
#define TERM(n, x, other, k) fabs(x)
#define FOLD(a, b)           ((a) + (b))
#define FOLD_START           0
#define FOLD_PICKS           0
