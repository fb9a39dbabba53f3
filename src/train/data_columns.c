/* data_columns.c: a model keeps how its training data became columns. */
#include "train/data_columns.h"

#include "model/model_columns.h"

sparcl_status spc_keep_data_columns(sparcl_model **model, const sparcl_data *data,
                                    sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const sparcl_model_info columns = {.hash_bits = info->hashed_ids ? info->hash_bits : 0,
                                       .id_count = info->id_count,
                                       .feature_ids =
                                           info->id_count > 0 ? sparcl_data_column_ids(data) : NULL,
                                       .csv_description = sparcl_data_csv_columns(data),
                                       .known_ids = sparcl_data_known_ids(data),
                                       .crosses = sparcl_data_crosses(data)};
    if (!*model ||
        (columns.hash_bits == 0 && spc_model_column_tensors(&columns) == 0 && !columns.crosses))
        return SPARCL_OK;
    const sparcl_status status = spc_model_set_columns(*model, &columns, error);
    if (status == SPARCL_OK) return SPARCL_OK;
    sparcl_model_free(*model);
    *model = NULL;
    return status;
}
