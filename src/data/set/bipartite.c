/* bipartite.c: what users have, from an adjacency of users and items, or from ratings. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/formats/text_formats.h"
#include "data/formats/triplets.h"
#include "data/set/summary.h"

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
                                       .index_type = SPARCL_INDEX64,
                                       .indices = items,
                                       .values = data->values.at};
    const sparcl_status status = sparcl_data_create(part, &arrays, error);
    free(items);
    return status;
}

/* ---- ratings -------------------------------------------------------------------------------- */

static sparcl_status add_pairs(spc_triplets *pairs, const sparcl_data *data, int64_t users,
                               sparcl_error *error) {
    const int64_t *const offsets = data->offsets.at;
    for (int64_t row = 0; row < data->info.rows; row++) {
        const int64_t k = offsets[row];
        if (offsets[row + 1] - k == 2)
            SPC_TRY(spc_triplets_add(pairs, spc_data_index(data, k),
                                     spc_data_index(data, k + 1) - users, 1, &data->allocator,
                                     error));
    }
    return SPARCL_OK;
}

static sparcl_status fill(sparcl_data *to, const sparcl_data *from, sparcl_error *error) {
    const sparcl_allocator *const allocator = &to->allocator;
    spc_triplets pairs = {0};
    sparcl_status status;
    SPC_GO(spc_array_add(&to->row_ids, from->row_ids.at, from->row_ids.used, allocator, error));
    SPC_GO(spc_array_add(&to->column_ids, from->column_ids.at, from->column_ids.used, allocator,
                         error));
    SPC_GO(spc_array_add(&to->csv_columns, from->csv_columns.at, from->csv_columns.used, allocator,
                         error));
    SPC_GO(add_pairs(&pairs, from, to->info.users, error));
    SPC_GO(spc_triplets_to_rows(&pairs, to, error));
    for (int64_t k = 0; k < to->info.entries; k++)
        ((float *)to->values.at)[k] = 1;
    to->info.nnz = to->info.entries;
    to->info.duplicates = 0;
    spc_data_summarize(to);
done:
    spc_triplets_free(&pairs, &from->allocator);
    return status;
}

static sparcl_status count_pairs(const sparcl_data *data, int64_t *users, int64_t *items,
                                 sparcl_error *error) {
    if (data->csv_columns.used && data->info.users == 0)
        return spc_pairs_count_words(data, users, items, error);
    *users = data->info.users;
    *items = data->info.items;
    if (*users > 0 && sparcl_data_labels(data)) return SPARCL_OK;
    return spc_fail(error, SPARCL_E_FORMAT, "%s: expected ratings, found %s", data->name,
                    data->info.format);
}

sparcl_status sparcl_data_of_ratings(const sparcl_data *data, sparcl_data **part,
                                     sparcl_error *error) {
    if (part) *part = NULL;
    if (!data || !part)
        return spc_fail(error, SPARCL_E_ARG, "ratings: data or the pointer for the result is NULL");
    int64_t users = 0, items = 0;
    SPC_TRY(spc_data_check_entries(data, "ratings", error));
    SPC_TRY(count_pairs(data, &users, &items, error));
    sparcl_data *const made = spc_alloc_zero(NULL, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, "data", sizeof *made);
    made->info = (sparcl_data_info){
        .format = "memory", .rows = users, .columns = items, .users = users, .items = items};
    memcpy(made->name, data->name, sizeof made->name);
    const sparcl_status status = fill(made, data, error);
    if (status == SPARCL_OK)
        *part = made;
    else
        sparcl_data_free(made);
    return status;
}
