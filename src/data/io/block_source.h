/* block_source.h: splits text into blocks of complete lines, and allocates the arrays of each
 * block.
 */
#ifndef SPC_DATA_BLOCKSOURCE_H
#define SPC_DATA_BLOCKSOURCE_H

#include "data/io/block.h"
#include "data/io/input.h"
#include "data/set/dataset.h"

/* Blocks have about this size, so that a block and its rows stay in the cache of one core. */
#ifdef SPARCL_FUZZ /* short inputs have several blocks */
enum { SPC_BLOCK_BYTES = 64 };
#else
enum { SPC_BLOCK_BYTES = 256 * 1024 };
#endif

/* The source of blocks; used by one thread at a time. Initially all zero except `input` and
 * `rules`. */
typedef struct spc_block_source {
    spc_input *input;
    const spc_block_rules *rules;
    bool at_end;     /* no blocks are left */
    spc_array carry; /* the beginning of the line where the last block was split */
} spc_block_source;

/* A block, which is reused. Initially all zero. */
typedef struct spc_block_load {
    spc_block block;
    sparcl_status status; /* of loading it; not OK: the block ends where reading failed */
    sparcl_error failure; /* the reason; without the position when it is E_FORMAT */
    spc_array text, indices, values, fields, row_ends, row_lines, label_ends, labels, weights, tags,
        sorting, pairs, column_missing, factors, last_factors;
} spc_block_load;

/* Load the next block; false when none is left. A failed block is the last one. */
bool spc_block_next(spc_block_source *source, spc_block_load *load);

/* Column, from 1, at which the text of a failed block ends; its line is block.lines from 0. */
int64_t spc_block_end_column(const spc_block_load *load);

void spc_block_load_free(spc_block_load *load, const sparcl_allocator *allocator);

#endif
