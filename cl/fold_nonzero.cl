/* fold_nonzero.cl: products of the items that are not 0, for the gradient of products. Defines what
 * fold_sum.cl does. */
#define TERM(n, x, other, k) ((x) == 0 ? (VECTOR(n))(1) : (x))
#define FOLD(a, b)           ((a) * (b))
#define FOLD_START           1
#define FOLD_PICKS           0
