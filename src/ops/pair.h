/* pair.h: what operations from one sparse view, `from`, to another, `to`, check alike. */
#ifndef SPC_OPS_PAIR_H
#define SPC_OPS_PAIR_H

#include "ops/check.h"

typedef enum spc_side { SPC_TO = 0, SPC_FROM = 1 } spc_side;

/* The arrays of the views of one side. */
#define SPC_MOST_SPANS (SPARCL_MAX_RANK + 3)
typedef struct spc_spans {
    size_t count;
    spc_span at[SPC_MOST_SPANS];
} spc_spans;

spc_spans spc_coo_spans(spc_side side, const sparcl_coo *a);
spc_spans spc_csr_spans(spc_side side, const sparcl_csr *a);
spc_spans spc_csc_spans(spc_side side, const sparcl_csc *a);

/* E_ALIAS when a result shares a byte with an operand, or with another result. */
sparcl_status spc_check_spans(sparcl_ctx *ctx, const char *op, const spc_spans *to,
                              const spc_spans *from);

/* E_DTYPE when the element types differ; E_SHAPE when `to` has less room than `from`. */
sparcl_status spc_check_same_dtype(sparcl_ctx *ctx, const char *op, sparcl_dtype to,
                                   sparcl_dtype from);
sparcl_status spc_check_room(sparcl_ctx *ctx, const char *op, int64_t to, int64_t from);
sparcl_status spc_check_same_size(sparcl_ctx *ctx, const char *op, int64_t to_rows, int64_t to_cols,
                                  int64_t from_rows, int64_t from_cols);

/* COO to COO: both views, their shapes, types and room; what is needed of the count is up to the
 * operation. */
sparcl_status spc_check_coo_pair(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                 const sparcl_coo *from);

#endif
