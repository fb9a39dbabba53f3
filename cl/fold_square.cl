/* fold_square.cl: sums of squares. Defines what fold_sum.cl does. */
#define TERM(n, x, other, k) ((x) * (x))
#define FOLD(a, b)           ((a) + (b))
#define FOLD_START           0
#define FOLD_PICKS           0
