/* dense_elements.h: what the element-wise operations share. */
#ifndef SPC_OPS_DENSE_ELEMENTS_H
#define SPC_OPS_DENSE_ELEMENTS_H

#include "launch/launch.h"
#include "ops/shared/check.h"

/* The elements of an array as a matrix [m, n]; one row where no view of it has gaps. */
typedef struct spc_elements {
    int64_t m, n;
} spc_elements;

bool spc_is_packed(const sparcl_dense *x);
spc_elements spc_elements_of(const sparcl_dense *x, bool has_gaps);

/* The work-items for `count` elements, each as long as moving `cost` elements. */
spc_range spc_range_elements(const sparcl_ctx *ctx, int64_t count, int64_t cost);

/* Are both of one shape and one type (of `types`)? */
sparcl_status spc_check_dense_pair(sparcl_ctx *ctx, const char *op, const char *a_name,
                                   const sparcl_dense *a, const char *b_name, const sparcl_dense *b,
                                   spc_types types);

/* Arguments of a kernel: the elements, where they begin, and the leading dimension. */
#define SPC_DENSE_IN(v)  SPC_IN((v)->values), SPC_I64((v)->values_at), SPC_I64(spc_dense_ld(v))
#define SPC_DENSE_OUT(v) SPC_OUT((v)->values), SPC_I64((v)->values_at), SPC_I64(spc_dense_ld(v))

/* The stored values as a dense array. */
sparcl_dense spc_csr_values(const sparcl_csr *a);
sparcl_dense spc_rows_values(const sparcl_rows *a);

#endif
