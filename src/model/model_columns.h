/* model_columns.h: how data became the columns of a model: hashed or numbered ids, the description
 * of the columns of CSV. */
#ifndef SPC_MODEL_MODEL_COLUMNS_H
#define SPC_MODEL_MODEL_COLUMNS_H

#include "base/file.h"
#include "model/model_object.h"
#include "model/safetensors.h"

#define SPC_NOTE_HASH_BITS "hash_bits"
#define SPC_NOTE_CROSSES   "crosses"

/* What is wrong with hash_bits and ids; NULL: nothing. */
const char *spc_model_columns_wrong(const sparcl_model_info *info);

/* Copy them into a model. E_MEMORY. */
sparcl_status spc_model_set_columns(sparcl_model *model, const sparcl_model_info *info,
                                    sparcl_error *error);
void spc_data_columns_free(spc_data_columns *columns);

/* What a file has of it: up to SPC_ID_LISTS tensors before the parameters, whose number is
 * returned, and, since its length is that of a text, one behind them. False: there is none. */
size_t spc_model_ids_tensors(const sparcl_model_info *info, spc_tensor *tensors, spc_bytes *parts);
/* The number of all of these. */
int spc_model_column_tensors(const sparcl_model_info *info);
bool spc_model_description_tensor(const sparcl_model_info *info, spc_tensor *tensor,
                                  spc_bytes *part);
/* Those of a file, into *columns and *info; the result is to be freed also after an error. */
sparcl_status spc_model_read_columns(const spc_tensors *in, spc_data_columns *columns,
                                     sparcl_model_info *info, sparcl_error *error);

#endif
