/* fold_min.cl: minima: the first of equal items; a NaN is smaller than all numbers. Defines what
 * fold_sum.cl does. */
#define TERM(n, x, other, k) (x)
#define FOLD(a, b)           ((((a) <= (b)) | ((a) != (a))) ? (a) : (b))
#define FOLD_START           INFINITY
#define FOLD_PICKS           1
