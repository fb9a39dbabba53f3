/* folds.h: reductions of items in plain C, and their gradients. */
#ifndef SPC_SPEC_FOLDS_H
#define SPC_SPEC_FOLDS_H

#include "spec/shared/spec.h"

/* After the kinds of sparcl_reduction: dot products, and for the gradient of products those of the
 * items that are not 0, and the number of the others. */
enum { SPEC_FOLD_DOT = SPARCL_REDUCE_COUNT + 1, SPEC_FOLD_NONZERO, SPEC_FOLD_ZEROS };

typedef struct spec_folding {
    sparcl_dtype dtype;
    int kind;
    bool one_column; /* rule S with one column; else rule R */
    int64_t all;     /* items with those that are not stored; 0: only stored ones count */
} spec_folding;

/* The result, as it is stored, and for maxima and minima the first item that is it, or -1. */
typedef struct spec_folded {
    double order, truth, bound;
    int64_t position;
} spec_folded;

/* Of items that are stored; `other`: of dot products. */
spec_folded spec_fold(const spec_folding *f, const double *x, const double *other, int64_t length);

/* The gradients by the items, for the gradient g by the result y. */
void spec_fold_gradient(const spec_folding *f, const double *x, int64_t length, double g,
                        const spec_folded *y, double *order, double *truth, double *bound);

/* Numbers of a case, as they are stored; products have factors near 1, a few of them 0; of
 * numbers for maxima and minima some are NaN, or zeros. */
double *spec_fold_numbers(sparcl_dtype dtype, int kind, int64_t count, uint64_t seed);

#endif
