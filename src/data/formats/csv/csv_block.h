/* csv_block.h: parses the records of one block of CSV text. */
#ifndef SPC_DATA_CSVBLOCK_H
#define SPC_DATA_CSVBLOCK_H

#include "data/formats/csv/csv.h"
#include "data/io/block.h"

extern const spc_block_format spc_csv_format; /* its rules have a spc_csv as `plan` */

/* Give the words of dictionaries that the file has their numbers; blocks come in file order. */
SPARCL_MUST_CHECK sparcl_status spc_csv_learn(spc_block *block, const spc_block_rules *rules);

#endif
