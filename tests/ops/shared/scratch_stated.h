/* scratch_stated.h: how much scratch memory the comments of the operations state, and arguments,
 * for test_scratch_bound. */
#ifndef TESTS_SCRATCH_STATED_H
#define TESTS_SCRATCH_STATED_H

#include "scratch_calls.h"

#define MIB ((int64_t)1 << 20)

/* --- what the comments say ------------------------------------------------------------------- */

/* Sizes of the call, and bytes of one element, index and offset. */
#define N       (c->n)
#define ROWS    (c->rows)
#define COLS    (c->cols)
#define WIDTH   (c->width)
#define ELEMENT ((int64_t)sparcl_dtype_size(c->dtype))
#define INDEX   ((int64_t)sparcl_itype_size(c->itype))
#define OFFSET  ((int64_t)sparcl_itype_size(c->otype))

static inline int64_t largest(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t smallest(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int bits_below(int64_t size) {
    int bits = 0;
    for (; size > 1; size = (size + 1) / 2)
        ++bits;
    return bits;
}

/* Entries with keys of `rank` dimensions: 48 bytes for each 64 bits of their indices. */
static inline int64_t sort_bytes(const call *c, int rank) {
    const int bits = (rank + 1) / 2 * bits_below(ROWS) + rank / 2 * bits_below(COLS);
    return (bits + 63) / 64 * 48 * N;
}

static inline int64_t csr_bytes(const call *c) {
    return N * (INDEX + ELEMENT) + (ROWS + 1) * OFFSET;
}

/* Numbers for each 256 items. */
static inline int64_t partial(const call *c, int64_t items, int64_t numbers) {
    return (items / 256 + 1) * numbers * ELEMENT;
}

static inline int64_t spmm_bytes(const call *c) {
    return largest(128 * MIB, (N + ROWS) / 5 * ELEMENT);
}

static inline int64_t pattern_bytes(const call *c) {
    return N * ((c->itype == SPARCL_INDEX64 ? 48 + 32 : 24 + 16) + ELEMENT);
}

static inline int64_t spmm_t_bytes(const call *c) {
    return largest(128 * MIB, (N + COLS) / 5 * ELEMENT) + pattern_bytes(c);
}

static inline int64_t coalesce_rows_bytes(const call *c) {
    return N * (c->itype == SPARCL_INDEX64 ? 48 : 28) + N * WIDTH * ELEMENT / 10;
}

/* --- arguments ------------------------------------------------------------------------------- */

#define IN_CSR         scratch_csr(c, scratch_operand, ROWS, COLS)
#define IN_CSC         scratch_csc(c, scratch_operand)
#define IN_COO         scratch_coo(c, scratch_operand, 2)
#define IN_CUBE        scratch_coo(c, scratch_operand, 3)
#define IN_ROWS        scratch_rows(c, scratch_operand)
#define IN_DENSE(rows) scratch_dense(c, scratch_operand, rows)
#define TO_CSR         scratch_csr(c, scratch_array, ROWS, COLS)
#define TO_CSC         scratch_csc(c, scratch_array)
#define TO_COO         scratch_coo(c, scratch_array, 2)
#define TO_CUBE        scratch_coo(c, scratch_array, 3)
#define TO_ROWS        scratch_rows(c, scratch_array)
#define TO_DENSE(rows) scratch_dense(c, scratch_array, rows)
#define SORTED(view)   ((view).proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE)

static inline sparcl_dense vector(call *c, scratch_make array_of, int64_t count) {
    return (sparcl_dense){.rank = 1,
                          .dtype = c->dtype,
                          .shape = {count},
                          .values = array_of(c, count, sparcl_dtype_size(c->dtype))};
}

#define IN_VECTOR(count) vector(c, scratch_operand, count)
#define TO_VECTOR(count) vector(c, scratch_array, count)

static inline sparcl_moved wanted(call *c) {
    return (sparcl_moved){.source = scratch_array(c, N, 8), .needed = scratch_array(c, 1, 8)};
}

#endif
