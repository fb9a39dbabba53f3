/* bipartite.c: what users have, from an adjacency of users and items. */
#include <stdlib.h>

#include "base/error.h"
#include "data/dataset.h"

static sparcl_status check(const sparcl_data *data, int64_t users, sparcl_error *error) {
    const sparcl_data_info *const info = &data->info;
    const int64_t *const offsets = data->offsets.at;
    if (info->rows != info->columns || users < 1 || users >= info->rows)
        return spc_fail(
            error, SPARCL_E_FORMAT,
            "%s: expected a square matrix of users and items, with more than %lld rows, "
            "found %lld x %lld",
            data->name, (long long)users, (long long)info->rows, (long long)info->columns);
    for (int64_t i = 0; i < info->rows; ++i)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k)
            if ((i < users) == (spc_data_index(data, k) < users))
                return spc_fail(error, SPARCL_E_FORMAT,
                                "%s: expected entries between a user and an item, the first %lld "
                                "nodes being users, found one in row %lld, column %lld",
                                data->name, (long long)users, (long long)i,
                                (long long)spc_data_index(data, k));
    return SPARCL_OK;
}

sparcl_status sparcl_data_of_users(const sparcl_data *data, int64_t users, sparcl_data **part,
                                   sparcl_error *error) {
    if (part) *part = NULL;
    if (!data || !part)
        return spc_fail(error, SPARCL_E_ARG, "users: data or the pointer for the result is NULL");
    SPC_TRY(spc_data_check_entries(data, "users", error));
    SPC_TRY(check(data, users, error));
    const int64_t entries = ((const int64_t *)data->offsets.at)[users];
    int64_t *const items = malloc((size_t)entries * sizeof *items + 1);
    if (!items) return spc_fail_memory(error, "items", (size_t)entries * sizeof *items);
    for (int64_t k = 0; k < entries; ++k)
        items[k] = spc_data_index(data, k) - users;
    const sparcl_data_arrays arrays = {.rows = users,
                                       .columns = data->info.columns - users,
                                       .offsets = data->offsets.at,
                                       .index_type = SPARCL_I64,
                                       .indices = items,
                                       .values = data->values.at};
    const sparcl_status status = sparcl_data_create(part, &arrays, error);
    free(items);
    return status;
}
