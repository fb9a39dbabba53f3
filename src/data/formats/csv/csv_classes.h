/* csv_classes.h: labels of CSV that are words. */
#ifndef SPC_DATA_CSVCLASSES_H
#define SPC_DATA_CSVCLASSES_H

#include "data/formats/csv/csv.h"
#include "data/io/block.h"

/* Where labels are words that no description has, a label is the place of its word in the text of
 * the block until the block is added: number its words, in file order. */
SPARCL_MUST_CHECK sparcl_status spc_csv_learn_labels(spc_csv *csv, spc_block *block);

/* Number the words that were learnt in their order, as bytes, and say how many labels are. */
SPARCL_MUST_CHECK sparcl_status spc_csv_finish_labels(spc_csv *csv, sparcl_data *data);

#endif
