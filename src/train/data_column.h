/* data_column.h: the column of an entry of a data set. */
#ifndef SPC_TRAIN_DATA_COLUMN_H
#define SPC_TRAIN_DATA_COLUMN_H

#include "sparcl/data.h"

static inline int64_t spc_data_column(const sparcl_data *data, int64_t entry) {
    const void *const columns = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_I64 ? ((const int64_t *)columns)[entry]
                                                      : ((const int32_t *)columns)[entry];
}

#endif
