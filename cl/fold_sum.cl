/* fold_sum.cl: sums. One of the files fold_X.cl, which say what a reduction computes. After panel.cl
 * and before reduce.cl or segment_reduce.cl.
 *
 * Defines  TERM(n, x, other, k): what n items, the elements x of an array, contribute; `other` is a
 *          second array and k the position of the first of them; FOLD(a, b): what two parts give
 *          together; FOLD_START: what nothing gives; FOLD_PICKS: the result is one of the items
 */
#define TERM(n, x, other, k) (x)
#define FOLD(a, b)           ((a) + (b))
#define FOLD_START           0
#define FOLD_PICKS           0
