/* block_case.h: matrices of dense blocks, in cases of conversions. */
#ifndef SPC_SPEC_BLOCK_CASE_H
#define SPC_SPEC_BLOCK_CASE_H

#include "spec/shared/harness_sparse.h"

typedef struct spec_blocks {
    int64_t rows, cols, block_rows, block_cols;
    int64_t needed;      /* how many blocks have an entry */
    spec_matrix pattern; /* where blocks are: the first of these */
    double *values;      /* [blocks, block_rows, block_cols] */
} spec_blocks;

enum { SPEC_BLOCK_SIZE = 4 }; /* rows and columns of blocks of measurements */

/* Of a measurement: the matrix with sizes that such blocks divide, sorted, without duplicates. */
spec_matrix spec_widened(spec_test *t);
/* b->pattern and b->values of a matrix of the sizes of b; room for a part of the blocks. */
void spec_blocks_fill(spec_test *t, spec_blocks *b, const spec_matrix *m, double part);
/* Those of the case: its rows and columns of blocks, and entries; values from `seed`. */
void spec_blocks_draw(spec_test *t, spec_blocks *b, uint64_t seed);
/* A view of them. */
sparcl_bsr spec_blocks_view(spec_test *t, const spec_blocks *b);
double spec_blocks_bytes(const spec_blocks *b);

#endif
