/* pattern.h: what a pattern is made of: a matrix's entries in the order of their columns. */
#ifndef SPC_OPS_PATTERN_H
#define SPC_OPS_PATTERN_H

#include <stdbool.h>

#include "sparcl/ops.h"

struct sparcl_pattern {
    sparcl_ctx *ctx;
    int64_t rows, cols; /* of A */
    int64_t nnz;        /* of A; the device counts may be less */
    uint64_t stamp;     /* of A's structure when the pattern was built */
    sparcl_itype index_type, offset_type;
    sparcl_buf *starts;  /* [columns found + 1] OFFSET */
    sparcl_buf *row_of;  /* [nnz] INDEX: the row of each entry */
    sparcl_buf *perm;    /* [nnz] OFFSET: where the entry is in A */
    sparcl_buf *columns; /* [columns found] INDEX, ascending */
    sparcl_buf *found;   /* one int64 */
    sparcl_buf *values;  /* [nnz] A's values in the pattern's order, as they were with this stamp */
    uint64_t values_stamp;
};

/* The most columns that can be found. */
int64_t spc_pattern_capacity(const sparcl_pattern *pattern);

/* Bring the pattern's values up to those of A, whose pattern it is. */
sparcl_status spc_pattern_values(sparcl_ctx *ctx, sparcl_pattern *pattern, const sparcl_csr *a);

/*
 * The pattern of A, whose values are f32, in scratch memory of the caller's, with its values, and
 * without perm. `columns` and `found` are of its types and have room for its
 * columns and their number; NULL: they are in scratch memory, too. False in *done where it is to be
 * built as others are.
 */
sparcl_status spc_pattern_for_call(sparcl_ctx *ctx, sparcl_pattern *pattern, const sparcl_csr *a,
                                   sparcl_buf *columns, sparcl_buf *found, bool *done);

/* Is it the pattern of A, as A's index buffers stand now? Else E_ARG. */
sparcl_status spc_pattern_check(sparcl_ctx *ctx, const char *op, const sparcl_pattern *pattern,
                                const sparcl_csr *a);

#endif
