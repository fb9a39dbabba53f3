/* used_columns.c: the columns that have an entry. */
#include "data/set/id_table.h"

int64_t sparcl_data_used_columns(const sparcl_data *data) {
    spc_id_table table = {.count = 0};
    if (!data || data->info.streamed) return -1;
    const sparcl_status status = spc_id_table_add_indices(&table, data, NULL, NULL);
    const int64_t count = table.count;
    spc_id_table_free(&table, NULL);
    return status == SPARCL_OK ? count : -1;
}
