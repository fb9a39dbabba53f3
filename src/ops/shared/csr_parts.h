/* csr_parts.h: conversions that other operations use. */
#ifndef SPC_OPS_CSR_PARTS_H
#define SPC_OPS_CSR_PARTS_H

#include "ops/shared/order.h"
#include "prim/bucket.h"
#include "prim/sort.h"

/* The arrays of a CSR matrix in scratch memory. */
sparcl_status spc_csr_push(sparcl_ctx *ctx, sparcl_csr *a);
/* rows[rows_at + k] := the row of entry k, in `type`, for all entries that `a` has. */
sparcl_status spc_csr_write_rows(sparcl_ctx *ctx, sparcl_buf *rows, int64_t rows_at,
                                 sparcl_itype type, const sparcl_csr *a);
/* Where the rows (NULL: nowhere) and values of entry places[k] of a CSR matrix go, for each k. */
typedef struct spc_entry_order {
    const sparcl_buf *places;
    sparcl_buf *rows, *values;
    int64_t rows_at, values_at;
    sparcl_itype place_type, row_type;
} spc_entry_order;

sparcl_status spc_csr_move_entries(sparcl_ctx *ctx, const sparcl_csr *a,
                                   const spc_entry_order *order);
/* count[count_at] := the number of entries of `a`, as int64. */
sparcl_status spc_csr_write_count(sparcl_ctx *ctx, sparcl_buf *count, int64_t count_at,
                                  const sparcl_csr *a);
/* to[to_at + k] := x for the elements k from the number of entries of `a` to its capacity; `type`
 * is the build option of the elements: SPC_INDEX64, or none for 32 bits, or that of a WORD. */
sparcl_status spc_csr_pad(sparcl_ctx *ctx, sparcl_buf *to, int64_t to_at, uint32_t type, int64_t x,
                          const sparcl_csr *a);
/* Ascending numbers on the device. */
typedef struct spc_sorted_ids {
    const sparcl_buf *buf;
    int64_t at;
    sparcl_itype type;
} spc_sorted_ids;

/* offsets[offsets_at + i] := how many of the ids are less than i, for i = 0 .. count. */
sparcl_status spc_write_offsets(sparcl_ctx *ctx, sparcl_buf *offsets, int64_t offsets_at,
                                sparcl_itype type, const spc_sorted_ids *ids, int64_t count,
                                spc_items items);
/* offsets[i] := where column i begins in a pattern, for i = 0 .. columns, in its offset type. */
sparcl_status spc_spread_offsets(sparcl_ctx *ctx, sparcl_buf *offsets,
                                 const sparcl_pattern *pattern);
/* ends := 0 and width times the number of items, as int64. */
sparcl_status spc_write_ends(sparcl_ctx *ctx, sparcl_buf *ends, int64_t width, spc_items items);
/* The entries of `a`, to be sorted by column; the payload is their positions. */
spc_bucket_source spc_csr_bucket_source(const sparcl_csr *a);
/* The same for prim/sort.h, without results: entries with equal columns keep their order. */
spc_sort_job spc_csr_sort_job(const sparcl_csr *a);

#endif
