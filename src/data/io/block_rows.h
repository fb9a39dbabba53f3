/* block_rows.h: adds the rows of blocks to a data set, in file order, and hands over its parts; or
 * lets a format with pairs add them. */
#ifndef SPC_DATA_BLOCK_ROWS_H
#define SPC_DATA_BLOCK_ROWS_H

#include "data/io/block_source.h"

/* The rows that were added; used by one thread at a time. */
typedef struct spc_block_rows {
    sparcl_data *data;
    const char *name;
    const spc_block_rules *rules;
    const sparcl_data_desc *desc;
    sparcl_error *error;
    int64_t lines;            /* in the added blocks */
    int64_t minimum, maximum; /* indices as written, since the last part */
    spc_position at_width, past_width, not_finite, without_label;
    size_t part_bytes; /* of text since a sink took a part */
    bool has_parts;    /* a sink took one */
} spc_block_rows;

sparcl_status spc_block_rows_begin(spc_block_rows *rows);
/* Add a block, which was read or could not be loaded. */
sparcl_status spc_block_rows_add(spc_block_rows *rows, spc_block_load *load);
/* After the last block: find the index base and the width. */
sparcl_status spc_block_rows_end(spc_block_rows *rows);

#endif
