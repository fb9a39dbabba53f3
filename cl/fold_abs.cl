/* fold_abs.cl: sums of absolute values. Defines what fold_sum.cl does. */
/* No fabs: compilers make an intrinsic function of vectors of it, which Oclgrind does not have. The
 * sum with 0 is for -0. */
#define TERM(n, x, other, k)                                                                       \
    ((x) * ((x) >= 0 ? (VECTOR(n))(1) : (VECTOR(n))(-1)) + (REAL)0)
#define FOLD(a, b) ((a) + (b))
#define FOLD_START 0
#define FOLD_PICKS 0
