/* entries.h: COO arrays of the specs, on the host and on the device. */
#ifndef SPC_SPEC_ENTRIES_H
#define SPC_SPEC_ENTRIES_H

#include "spec/shared/spec.h"

/* Entries of an array of any rank. */
typedef struct spec_entries {
    int rank;
    int64_t shape[SPARCL_MAX_RANK];
    int64_t stored, capacity; /* the capacity of the view may exceed the count on the device */
    int64_t *indices[SPARCL_MAX_RANK];
    double *values;
} spec_entries;

/* A table of shapes of rank 1 to 8, with keys of 0 to 126 bits. Returns false when there is no such
 * shape.
 */
bool spec_entries_shape(int number, int *rank, int64_t shape[SPARCL_MAX_RANK]);
/* Does the shape need 64-bit indices? */
bool spec_entries_is_wide(int number);
/* Case number `i` of every shape with every number of entries: kind, size, shape and the index type
 * that it needs. `small` leaves out the last two numbers. False when there is no such case. */
bool spec_entries_case(spec_case *c, int i, const int64_t *sizes, int size_count, bool small);

/*
 * nnz entries (none where a dimension is 0) of shape `number`. UNIFORM: anywhere; RAGGED: three
 * indices per dimension; ONE_ROW: one first index, or all entries equal where the seed is even;
 * ONE_COL: one last index; DUPLICATE: a few entries, each several times; DIAGONAL: ascending, or
 * descending where the seed is even. With `more`, the capacity is larger than nnz.
 */
bool spec_entries_make(spec_entries *e, spec_kind kind, int number, int64_t nnz, bool more,
                       uint64_t seed);
void spec_entries_free(spec_entries *e);
/* An array of the same shape and capacity, without entries. */
bool spec_entries_like(spec_entries *to, const spec_entries *from);
/* Compare the indices of entries i and k. */
int spec_entries_compare(const spec_entries *e, int64_t i, int64_t k);
/* The sorted order of the entries (stable); NULL when out of memory. */
int64_t *spec_entries_order(const spec_entries *e);
/* The entries in random order. */
void spec_entries_shuffle(spec_entries *e, uint64_t seed);
/* to[at] := from[k] */
void spec_entries_copy(spec_entries *to, int64_t at, const spec_entries *from, int64_t k);

/* A trusted view with its own buffers, whose arrays begin at element `gap`. It has a count where
 * the capacity is larger than the number of entries, or with `count`. It is marked SORTED and
 * UNIQUE where it is. */
sparcl_status spec_put_entries(sparcl_ctx *ctx, sparcl_coo *view, const spec_entries *e,
                               const spec_case *c, int64_t gap, bool count);
/* Read the entries of a view, as many as its count. */
sparcl_status spec_get_entries(sparcl_ctx *ctx, const sparcl_coo *view, spec_entries *e);
/* Compare the entries with the expected ones; there are order->stored. */
void spec_compare_entries(spec_report *report, const spec_entries *got, const spec_entries *order,
                          const double *truth, const double *bound);

/* The entries of a matrix in the order stored, with space for `capacity`. */
bool spec_entries_of_matrix(spec_entries *e, const spec_matrix *m, int64_t capacity);
/* The elements of a dense array that are the sums of entries by rule R, packed; where not NULL,
 * truth and bound as in spec_rowset_sum. The array has `count` elements. */
bool spec_entries_dense(const spec_entries *e, sparcl_dtype dtype, double *order, double *truth,
                        double *bound, int64_t count);

/* The entries of a matrix of dense blocks, in the order of rows; `pattern` says where blocks are.
 * `to` has room for all their elements. */
void spec_expand_blocks(spec_matrix *to, const spec_matrix *pattern, const double *blocks,
                        int64_t block_rows, int64_t block_cols);

#endif
