/* made.c: random numbers as values of any element type. */
#include "spec/shared/made.h"

#include <math.h>

double spec_value(sparcl_dtype dtype, double x) {
    switch (dtype) {
    case SPARCL_INT32:
    case SPARCL_INT64:
        return (double)(int64_t)nearbyint(x * 1000); /* not -0 */
    case SPARCL_BOOL:
        return x >= -0.5;
    default:
        return spec_store(dtype, x);
    }
}

double spec_moved_value(sparcl_dtype dtype, double x) {
    return dtype == SPARCL_INT64 ? (double)(int64_t)nearbyint(x * 0x1p40 / 3)
                                 : spec_value(dtype, x);
}

void spec_store_values(sparcl_dtype dtype, double *x, int64_t count) {
    for (int64_t k = 0; k < count; ++k)
        x[k] = spec_value(dtype, x[k]);
}

void spec_matrix_store(spec_matrix *m, sparcl_dtype dtype) {
    spec_store_values(dtype, m->values, m->nnz);
}

sparcl_dtype spec_any_dtype(int i) {
    static const sparcl_dtype all[] = {SPARCL_F32,   SPARCL_F64, SPARCL_F32,  SPARCL_F16,
                                       SPARCL_INT64, SPARCL_F32, SPARCL_BF16, SPARCL_INT32,
                                       SPARCL_F32,   SPARCL_F64, SPARCL_BOOL};
    return all[(size_t)i % (sizeof all / sizeof all[0])];
}

sparcl_dtype spec_other_dtype(int i) {
    static const sparcl_dtype others[] = {SPARCL_F16, SPARCL_BF16, SPARCL_INT32, SPARCL_INT64,
                                          SPARCL_BOOL};
    return others[(size_t)i % (sizeof others / sizeof others[0])];
}
