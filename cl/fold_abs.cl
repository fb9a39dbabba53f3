/* fold_abs.cl: sums of absolute values. Defines what fold_sum.cl does. */
/* Also of -0, and without a function of vectors. */
#define TERM(n, x, other, k) ((x) > 0 ? (x) : (REAL)0 - (x))
#define FOLD(a, b)           ((a) + (b))
#define FOLD_START           0
#define FOLD_PICKS           0
