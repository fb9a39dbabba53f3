/* fold_zeros.cl: the number of items that are 0. Defines what fold_sum.cl does. */
#define TERM(n, x, other, k) ((x) == 0 ? (VECTOR(n))(1) : (VECTOR(n))(0))
#define FOLD(a, b)           ((a) + (b))
#define FOLD_START           0
#define FOLD_PICKS           0
