/* fold_max.cl: maxima: the first of equal items; a NaN is larger than all numbers. Defines what
 * fold_sum.cl does. */
#define TERM(n, x, other, k) (x)
#define FOLD(a, b)           ((((a) >= (b)) | ((a) != (a))) ? (a) : (b))
#define FOLD_START           -INFINITY
#define FOLD_PICKS           1
