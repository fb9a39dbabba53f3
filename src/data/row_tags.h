/* row_tags.h: texts that name the rows of a data set. */
#ifndef SPC_DATA_ROW_TAGS_H
#define SPC_DATA_ROW_TAGS_H

#include "data/block.h"

/* Append those of the rows of a block. */
SPARCL_MUST_CHECK sparcl_status spc_row_tags_add(sparcl_data *data, const spc_block *block,
                                                 sparcl_error *error);

#endif
