/* pattern.h: the arrays of a pattern: the entries of a matrix, ordered by column. */
#ifndef SPC_OPS_PATTERN_H
#define SPC_OPS_PATTERN_H

#include <stdbool.h>

#include "sparcl/ops/products.h"

struct sparcl_pattern {
    sparcl_ctx *ctx;
    int64_t rows, cols; /* of A */
    int64_t nnz;        /* of A; the count on the device may be less */
    uint64_t stamp;     /* of A's structure when the pattern was built */
    sparcl_itype index_type, offset_type;
    sparcl_buf *starts;  /* [columns found + 1] OFFSET */
    sparcl_buf *row_of;  /* [nnz] INDEX: the row of each entry */
    sparcl_buf *perm;    /* [nnz] OFFSET: the position of the entry in A */
    sparcl_buf *columns; /* [columns found] INDEX, ascending */
    sparcl_buf *found;   /* one int64 */
    sparcl_buf *values;  /* [nnz] A's values in the pattern's order, at the time of values_stamp */
    uint64_t values_stamp;
};

/* The maximum of columns that have entries. */
int64_t spc_pattern_capacity(const sparcl_pattern *pattern);

/* A buffer for `count` elements; the old one is kept if it is large enough. */
sparcl_status spc_grow_array(sparcl_ctx *ctx, sparcl_buf **buf, int64_t count, size_t size);

/* Set sizes and types for A, with memory for `nnz` entries and their values; who writes these sets
 * the stamps. */
sparcl_status spc_pattern_reserve(sparcl_ctx *ctx, sparcl_pattern *pattern, const sparcl_csr *a,
                                  int64_t nnz);

/* Update the pattern's values from those of A. */
sparcl_status spc_pattern_values(sparcl_ctx *ctx, sparcl_pattern *pattern, const sparcl_csr *a);

/*
 * The pattern of A in scratch memory of the caller, with values, and without perm.
 * `columns` and `found` are of its types and large enough for its columns and their number; NULL:
 * they are in scratch memory, too. *done is false where this does not apply, and
 * sparcl_pattern_build is needed.
 */
sparcl_status spc_pattern_for_call(sparcl_ctx *ctx, sparcl_pattern *pattern, const sparcl_csr *a,
                                   sparcl_buf *columns, sparcl_buf *found, bool *done);

/* Is it the pattern of A with its current index buffers? Else E_ARG. */
sparcl_status spc_pattern_check(sparcl_ctx *ctx, const char *op, const sparcl_pattern *pattern,
                                const sparcl_csr *a);

/* A has not changed since the pattern was built, although its buffers were written elsewhere; nor
 * `with_values` have its values since the pattern got them. */
void spc_pattern_keep(sparcl_pattern *pattern, const sparcl_csr *a, bool with_values);

#endif
