/* block_reader.h: reads text with one row per line into a data set, with several threads. */
#ifndef SPC_DATA_BLOCKREADER_H
#define SPC_DATA_BLOCKREADER_H

#include "data/io/block.h"
#include "data/io/input.h"
#include "data/set/dataset.h"

/* Read all rows by these rules; `index_base` of the description is used where the rules leave it
 * open. */
SPARCL_MUST_CHECK sparcl_status spc_blocks_read(sparcl_data *data, spc_input *input,
                                                const spc_block_rules *rules,
                                                const sparcl_data_desc *desc, sparcl_error *error);

#endif
