/* data_columns.h: a model keeps how its training data became columns. */
#ifndef SPC_TRAIN_DATA_COLUMNS_H
#define SPC_TRAIN_DATA_COLUMNS_H

#include "sparcl/data.h"
#include "sparcl/model.h"

/* *model, which may be NULL, has the hash bits, the ids, or the description of the columns, of the
 * data; after an error it is freed, and NULL. */
sparcl_status spc_keep_data_columns(sparcl_model **model, const sparcl_data *data,
                                    sparcl_error *error);

#endif
