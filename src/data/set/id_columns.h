/* id_columns.h: the columns of a data set whose indices are ids. */
#ifndef SPC_DATA_ID_COLUMNS_H
#define SPC_DATA_ID_COLUMNS_H

#include "data/set/id_table.h"

/* Make the ids of the table, those of the whole file, the columns of the data set. */
SPARCL_MUST_CHECK sparcl_status spc_id_columns_set(sparcl_data *data, spc_id_table *table,
                                                   const sparcl_data_desc *desc,
                                                   sparcl_error *error);
/* Number the indices, which are ids, in ascending order. */
SPARCL_MUST_CHECK sparcl_status spc_id_columns_number(sparcl_data *data,
                                                      const sparcl_data_desc *desc,
                                                      sparcl_error *error);
/* Keep the ids that the description, or its map, has for the columns. */
SPARCL_MUST_CHECK sparcl_status spc_id_columns_take(sparcl_data *data, const sparcl_data_desc *desc,
                                                    sparcl_error *error);

#endif
