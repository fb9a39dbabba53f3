/* moved.h: what operations of ops/structure.h and ops/structure.h share: checks, and entries moved
 * by their positions. */
#ifndef SPC_OPS_MOVED_H
#define SPC_OPS_MOVED_H

#include "launch/launch.h"
#include "ops/shared/order.h"
#include "ops/shared/pair.h"
#include "sparcl/ops/structure.h"

/* --- checks ----------------------------------------------------------------------------------- */

/* Check optional results, and add their spans to those of `to`; *moved is not NULL afterwards. */
sparcl_status spc_check_moved(sparcl_ctx *ctx, const char *op, const sparcl_moved **moved,
                              int64_t capacity, spc_spans *results);
/* The same of an operation that has no source. */
sparcl_status spc_check_needed(sparcl_ctx *ctx, const char *op, const sparcl_moved **moved,
                               spc_spans *results);
/* An optional array of int64 results. */
sparcl_status spc_check_int64s(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_buf *buf, int64_t at, int64_t count,
                               spc_spans *results);
/* Both matrices of an operation, of one element type, the optional results, and what overlaps. */
sparcl_status spc_check_csr_moved(sparcl_ctx *ctx, const char *op, const sparcl_csr *to,
                                  const sparcl_csr *from, const sparcl_moved **moved);
/* The same for COO arrays of any shapes. */
sparcl_status spc_check_coo_moved(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                  const sparcl_coo *from, const sparcl_moved **moved);
/* A list of indices below `limit`, which no result overlaps. */
sparcl_status spc_check_row_list(sparcl_ctx *ctx, const char *op, const sparcl_list *list,
                                 int64_t limit, const spc_spans *results);

/* --- entries by their positions --------------------------------------------------------------- */

/* As sparcl_coo_coalesce with SPARCL_SUM, of checked arrays. Pushes scratch memory. */
sparcl_status spc_coo_sum(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_coo *from);
/* As sparcl_coo_coalesce, for entries of which many have the same indices: SUM, MEAN, MAX or
 * MIN. `to` is not marked. */
sparcl_status spc_coo_fold(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                           const sparcl_coo *from, sparcl_duplicates how);

/* Positions on the device, in scratch memory: `count` of them, at most `capacity`. A negative one
 * is that of an entry of zeros. */
typedef struct spc_places {
    sparcl_itype type;
    const sparcl_buf *at; /* NULL: 0, 1, 2, ... */
    int64_t capacity;
    const sparcl_buf *count; /* NULL: all */
    int64_t count_at;
} spc_places;

/* One array of indices of a take, from and to. */
typedef struct spc_take_ids {
    const sparcl_buf *from;
    int64_t from_at;
    sparcl_itype from_type;
    int64_t shift; /* that they become less */
    sparcl_buf *to;
    int64_t to_at;
    sparcl_itype to_type;
} spc_take_ids;

/* Values of a take, and where they come from; arrays that are NULL are not moved. */
typedef struct spc_take_values {
    sparcl_dtype dtype;
    const sparcl_buf *from;
    int64_t from_at;
    sparcl_buf *to;
    int64_t to_at;
    sparcl_buf *source;
    int64_t source_at, base;
} spc_take_values;

/* One launch. Either may be NULL. */
sparcl_status spc_take(sparcl_ctx *ctx, spc_places places, const spc_take_ids *ids,
                       const spc_take_values *values);
/* Rows of `width` elements, without a source. */
sparcl_status spc_take_rows(sparcl_ctx *ctx, spc_places places, const spc_take_values *values,
                            int64_t width);
/* All arrays of a COO array, indices `start` (or NULL) less, and its count. */
sparcl_status spc_take_coo(sparcl_ctx *ctx, spc_places places, const sparcl_coo *to,
                           const sparcl_coo *from, const int64_t *start, const sparcl_moved *moved);

/* 0, 1, 2, ... as positions of n entries, which are values of 4 or 8 bytes to operations that move
 * values. Pushes scratch memory. */
sparcl_status spc_push_positions(sparcl_ctx *ctx, int64_t n, sparcl_buf **positions);

/* take.c: a matrix whose values are the positions of its entries, as bits of numbers of that size;
 * space for those of a result in place of its values; and the values at these positions. */
sparcl_status spc_csr_with_positions(sparcl_ctx *ctx, sparcl_csr *view, const sparcl_csr *a);
sparcl_status spc_csr_for_positions(sparcl_ctx *ctx, sparcl_csr *view, const sparcl_csr *to,
                                    sparcl_dtype dtype);
sparcl_status spc_csr_take_values(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                  const sparcl_csr *places, const sparcl_moved *moved);
/* A CSR matrix as a COO array with a count, marked as it is: its rows are in scratch memory. */
sparcl_status spc_csr_as_coo(sparcl_ctx *ctx, const sparcl_csr *a, sparcl_coo *view);

/* --- entries that are kept -------------------------------------------------------------------- */

/* The entries that an operation keeps: their marks, which it sets, and then their positions. */
typedef struct spc_kept {
    int64_t n; /* entries before */
    const sparcl_buf *count;
    int64_t count_at;
    sparcl_itype type;
    sparcl_buf *marks, *places, *found;
} spc_kept;

/* Pushes scratch memory. */
sparcl_status spc_kept_open(sparcl_ctx *ctx, spc_kept *kept, int64_t n, const sparcl_buf *count,
                            int64_t count_at);
sparcl_status spc_kept_find(sparcl_ctx *ctx, const spc_kept *kept);
/* Mark indices from `low` to `high` - 1; with `append` only where there is a mark already. */
sparcl_status spc_mark_range(sparcl_ctx *ctx, const spc_kept *kept, bool append,
                             const sparcl_buf *ids, int64_t at, sparcl_itype type, int64_t low,
                             int64_t high);
/* The positions, at most `capacity`. */
static inline spc_places spc_kept_places(const spc_kept *kept, int64_t capacity) {
    return (spc_places){.type = kept->type,
                        .at = kept->places,
                        .capacity = capacity < kept->n ? capacity : kept->n,
                        .count = kept->found};
}

/* retain.c: places[k] := where `from` stores the index of stored row k of `at`, or -1; marks[k],
 * where not NULL: does it? `from` without indices has all rows, else its own are ascending and
 * different.
 */
sparcl_status spc_find_stored(sparcl_ctx *ctx, const sparcl_rows *from, const sparcl_rows *at,
                              sparcl_buf *places, sparcl_buf *marks);

/* select_rows.c: sparcl_csr_take_rows without a source, checked. Pushes scratch memory. */
sparcl_status spc_csr_select_rows(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                  const sparcl_list *list, const sparcl_moved *moved);

/* keep.c: sparcl_csr_take_columns of a list without duplicates, checked. Pushes scratch memory. */
sparcl_status spc_keep_columns(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                               const sparcl_list *list, const sparcl_moved *moved);

/* The sparcl_coo_sort rule: a result has a count where the number of entries may differ from its
 * capacity. */
sparcl_status spc_check_coo_count(sparcl_ctx *ctx, const char *op, const sparcl_coo *to,
                                  const sparcl_coo *from);
/* min(found, capacity) and the number itself, to a count and to an optional result. */
sparcl_status spc_write_found(sparcl_ctx *ctx, const sparcl_buf *found, int64_t capacity,
                              sparcl_buf *count, int64_t count_at, const sparcl_moved *moved);

/* E_ARG: axes of an array, each at most once, are not such. *bits has one for each. */
sparcl_status spc_check_coo_axes(sparcl_ctx *ctx, const char *op, const sparcl_coo *from, int count,
                                 const int *axes, unsigned *bits);
/* to := the entries of `from` with `count` of its dimensions, without a new proof; and the flags
 * that say in which order they are. */
void spc_coo_take_axes(sparcl_coo *to, const sparcl_coo *from, int count, const int *axes);
uint32_t spc_coo_projected_order(const sparcl_coo *from, int count, const int *axes);

#endif
