/* product_choice.h: how a sparse product is computed. No choice changes a bit of the result. */
#ifndef SPC_OPS_PRODUCT_CHOICE_H
#define SPC_OPS_PRODUCT_CHOICE_H

#include "ops/shared/product.h"

/* An upper bound of the entries of a row, of A or of its pattern. */
int64_t spc_product_longest(const spc_multiply_job *job);
/* The prefetch distance for rows of B, in entries; 0: no prefetch. */
int32_t spc_prefetch_distance(const sparcl_ctx *ctx, int64_t rows, int64_t n, sparcl_dtype dtype);
int32_t spc_product_prefetch(sparcl_ctx *ctx, const spc_multiply_job *job, int64_t n);
/* Is one column of B loaded element by element, not by gathers? */
bool spc_product_loads_scalars(sparcl_ctx *ctx, const spc_multiply_job *job, int64_t n);
/* Does one worker process each row, so that no launch has to add up carries? */
bool spc_product_is_unsplit(sparcl_ctx *ctx, const spc_multiply_job *job, int64_t rows,
                            int64_t partitions);
/* Should a result be written with non-temporal stores, because it is larger than the caches? */
int32_t spc_result_streams(const sparcl_ctx *ctx, int64_t rows, int64_t columns,
                           sparcl_dtype dtype);
/* Columns of a panel of B that is worth a copy; 0: none is. */
int64_t spc_product_packs(const sparcl_ctx *ctx, const spc_multiply_job *job);

#endif
