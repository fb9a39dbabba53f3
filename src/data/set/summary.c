/* summary.c: counts and hashes a data set after it was read. */
#include "data/set/summary.h"

#include <math.h>

#include "base/size.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static void count_special(sparcl_data *data) {
    const float *const values = data->values.at;
    const size_t count = data->values.used / sizeof *values;
    int64_t special = 0, nan = 0;
    for (size_t k = 0; k < count; k++)
        special += !isfinite(values[k]);
    if (special > 0)
        for (size_t k = 0; k < count; k++)
            nan += isnan(values[k]) != 0;
    data->info.nan_values = nan;
    data->info.inf_values = special - nan;
}

/* The smallest length that at least half of the rows do not exceed, by bisection.
 */
static int64_t find_median(const int64_t *offsets, int64_t rows, int64_t low, int64_t high) {
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        int64_t within = 0;
        for (int64_t i = 0; i < rows; i++)
            within += offsets[i + 1] - offsets[i] <= middle;
        if (within >= spc_ceil_div(rows, 2))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void count_rows(sparcl_data *data) {
    sparcl_data_info *info = &data->info;
    const int64_t *const offsets = data->offsets.at;
    if (info->rows == 0) return;
    info->row_nnz_min = info->row_nnz_max = offsets[1] - offsets[0];
    for (int64_t i = 1; i < info->rows; i++) {
        const int64_t length = offsets[i + 1] - offsets[i];
        info->row_nnz_min = spc_min_i64(info->row_nnz_min, length);
        info->row_nnz_max = spc_max_i64(info->row_nnz_max, length);
    }
    info->row_nnz_median = find_median(offsets, info->rows, info->row_nnz_min, info->row_nnz_max);
}

static void hash_array(XXH3_state_t *state, const spc_array *array) {
    if (array->used > 0) XXH3_64bits_update(state, array->at, array->used);
}

static uint64_t hash_all(const sparcl_data *data) {
    const sparcl_data_info *info = &data->info;
    const int64_t head[] = {info->rows, info->columns, info->entries, info->label_count,
                            data->label_offsets.used > 0};
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, head, sizeof head);
    hash_array(&state, &data->offsets);
    hash_array(&state, &data->indices);
    hash_array(&state, &data->values);
    hash_array(&state, &data->labels);
    hash_array(&state, &data->label_offsets);
    hash_array(&state, &data->fields);
    hash_array(&state, &data->weights);
    if (data->stream) XXH3_64bits_update(&state, data->stream->sums, sizeof data->stream->sums);
    return XXH3_64bits_digest(&state);
}

void spc_data_summarize(sparcl_data *data) {
    spc_array *const arrays[] = {
        &data->offsets,    &data->indices,     &data->values, &data->labels,  &data->label_offsets,
        &data->marks,      &data->rows,        &data->fields, &data->weights, &data->row_ids,
        &data->column_ids, &data->csv_columns, &data->crosses};
    for (size_t i = 0; i < SPC_COUNT(arrays); i++)
        spc_array_fit(arrays[i], &data->allocator);
    count_special(data);
    count_rows(data);
    data->info.fingerprint = hash_all(data);
}
