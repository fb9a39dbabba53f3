/* id_columns.c: the columns of a data set whose indices are ids. */
#include "data/set/id_columns.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/size.h"
#include "data/set/ids.h"

static sparcl_status refuse_width(const sparcl_data *data, int64_t wanted, sparcl_error *error) {
    return spc_fail(error, SPARCL_E_FORMAT,
                    "%s: expected at most %" PRId64 " different ids, found %" PRId64 "; %" PRId64
                    " columns were requested",
                    data->name, wanted, data->info.id_count, wanted);
}

sparcl_status spc_id_columns_set(sparcl_data *data, spc_id_table *table,
                                 const sparcl_data_desc *desc, sparcl_error *error) {
    SPC_TRY(spc_id_table_number(table, &data->column_ids, &data->allocator, error));
    data->info.id_count = table->count;
    data->info.columns = spc_max_i64(desc->columns, table->count);
    if (desc->columns > 0 && table->count > desc->columns && !desc->widen)
        return refuse_width(data, desc->columns, error);
    return SPARCL_OK;
}

/* In place; indices of 64 bits become those of 32 where the columns allow it. */
static void renumber(sparcl_data *data, const spc_id_table *table) {
    const int64_t count = (int64_t)(data->indices.used / sparcl_itype_size(data->index_type));
    const bool narrow = data->info.columns <= INT32_MAX;
    char *const into = data->indices.at;
    for (int64_t k = 0; k < count; k++) {
        if (k + SPC_ID_TABLE_AHEAD < count)
            spc_id_table_prefetch(table, spc_data_index(data, k + SPC_ID_TABLE_AHEAD));
        const int64_t wide = spc_id_table_find(table, spc_data_index(data, k));
        const int32_t number = (int32_t)wide;
        if (narrow)
            memcpy(into + (size_t)k * sizeof number, &number, sizeof number);
        else
            spc_data_set_index(data, k, wide);
    }
    if (!narrow) return;
    data->index_type = SPARCL_INDEX32;
    data->indices.used = (size_t)count * sizeof(int32_t);
}

sparcl_status spc_id_columns_number(sparcl_data *data, const sparcl_data_desc *desc,
                                    sparcl_error *error) {
    spc_id_table table = {.count = 0};
    sparcl_status status;
    SPC_GO(spc_id_table_add_indices(&table, data, &data->allocator, error));
    SPC_GO(spc_id_columns_set(data, &table, desc, error));
    if (data->info.columns > INT32_MAX) SPC_GO(spc_data_widen(data, error));
    renumber(data, &table);
done:
    spc_id_table_free(&table, &data->allocator);
    return status;
}

sparcl_status spc_id_columns_take(sparcl_data *data, const sparcl_data_desc *desc,
                                  sparcl_error *error) {
    return desc->ids ? spc_ids_take_map(data, desc->ids, SPC_ID_KINDS, SPC_ID_FEATURE, error)
                     : spc_array_add(&data->column_ids, desc->feature_ids,
                                     (size_t)desc->feature_id_count * sizeof *desc->feature_ids,
                                     &data->allocator, error);
}
