/* densify.h: what conversions to dense arrays, BSR and row-sparse arrays share. */
#ifndef SPC_OPS_DENSIFY_H
#define SPC_OPS_DENSIFY_H

#include "launch/launch.h"
#include "ops/shared/check.h"

/* The programs that move or add values of a type. */
uint32_t spc_place_options(sparcl_dtype dtype, sparcl_itype offset, sparcl_itype index);

/* Integers are not added: then `unique` is needed, as E_UNCHECKED says. */
sparcl_status spc_check_duplicates(sparcl_ctx *ctx, const char *op, sparcl_dtype dtype,
                                   uint32_t flags, const char *kind);

/* *sorted := the matrix itself where it is SORTED, or UNIQUE and `any_order`; else its entries in
 * order, in scratch memory that the caller releases. */
sparcl_status spc_csr_in_order(sparcl_ctx *ctx, const sparcl_csr *from, bool any_order,
                               sparcl_csr *sorted);

/* The same for a row-sparse array that lacks one of the properties `flags`: its rows are added. */
sparcl_status spc_rows_in_order(sparcl_ctx *ctx, const sparcl_rows *from, uint32_t flags,
                                sparcl_rows *sums);

/* Where the entries of a compressed matrix go: in order, or without duplicates. */
typedef struct spc_scatter {
    const sparcl_csr *from;
    int64_t line_step, index_step; /* elements of `to` from one row, or column, to the next */
    sparcl_buf *to;
    int64_t to_at;
    const sparcl_buf *map; /* int64: the line that row i becomes; NULL: i */
    int64_t limit;         /* lines from this one on are left out */
} spc_scatter;
sparcl_status spc_scatter_lines(sparcl_ctx *ctx, const spc_scatter *job);

/* to := a checked matrix, whatever the policy of the context is. */
sparcl_status spc_csr_place(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_csr *from);
/* The same; it pushes scratch memory. */
sparcl_status spc_coo_place(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_coo *from);

/* to := 0, or its gaps between rows as they are. */
sparcl_status spc_zero_dense(sparcl_ctx *ctx, const sparcl_dense *to);

#endif
