/* svmtake.h: cutting LIBSVM text into blocks of whole lines, each with room for what it may hold.
 */
#ifndef SPC_DATA_SVMTAKE_H
#define SPC_DATA_SVMTAKE_H

#include "data/dataset.h"
#include "data/input.h"
#include "data/svmblock.h"

/* Blocks are about this long, so that a block and its rows stay in the cache of one core. */
enum { SPC_SVM_BLOCK_BYTES = 256 * 1024 };

/* Where blocks come from; one thread at a time. All zero but `input` and `multilabel` at first. */
typedef struct spc_svm_source {
    spc_input *input;
    bool multilabel;
    bool at_end;     /* nothing is left */
    spc_array carry; /* the beginning of the line that the last block cut */
} spc_svm_source;

/* One block, used again and again. All zero at first. */
typedef struct spc_svm_load {
    spc_svm_block block;
    sparcl_status status; /* of taking it; not OK: the block ends where reading failed */
    sparcl_error failure; /* why; without the place when it is E_FORMAT */
    spc_array text, indices, values, row_ends, row_lines, label_ends, labels, sorting;
} spc_svm_load;

/* The next block; false when nothing is left. A failure is the last block. */
bool spc_svm_take(spc_svm_source *source, spc_svm_load *load);

/* Column, from 1, at which the text of a failed block ends; its line is block.lines from 0. */
int64_t spc_svm_end_column(const spc_svm_load *load);

void spc_svm_load_free(spc_svm_load *load, const sparcl_allocator *allocator);

#endif
