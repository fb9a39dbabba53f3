/* sddmm.h: dot products at the entries of a sparse matrix. */
#ifndef SPC_OPS_SDDMM_H
#define SPC_OPS_SDDMM_H

#include "sparcl/tensor.h"

/* A sampled product, whose operands are checked. `chosen`: NULL, or the matrix [rows, d] of
 * positions of entries whose terms alone are added (INT32 or INT64). */
typedef struct spc_sddmm_job {
    const sparcl_dense *v;
    const sparcl_csr *a;
    const sparcl_dense *x, *y, *chosen;
    double alpha, beta;
} spc_sddmm_job;

/* E_SHAPE, E_DTYPE, E_ALIAS, E_UNCHECKED; `op` and the names of operands begin the messages. */
sparcl_status spc_check_sddmm(sparcl_ctx *ctx, const char *op, const spc_sddmm_job *job,
                              const char *v_name, const char *x_name, const char *y_name);
/* Checks nothing but the length of loops. */
sparcl_status spc_sddmm(sparcl_ctx *ctx, const char *op, const spc_sddmm_job *job);

#endif
