/* data_facts.h: what every data set that was read keeps: its arrays fit its counts. */
#ifndef DATA_FACTS_H
#define DATA_FACTS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sparcl/data.h"

static inline int64_t data_index(const sparcl_data *data, int64_t k) {
    const void *const indices = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_INDEX32 ? ((const int32_t *)indices)[k]
                                                          : ((const int64_t *)indices)[k];
}

/* Indices are as they are in the file, but for users and items, whose numbers follow one another.
 */
static inline bool data_has_limits(const sparcl_data *data, int64_t least, int64_t most) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    if (info->users > 0 || info->entries == 0) return true;
    if (info->hashed_ids || info->id_count > 0) return true; /* those are ids */
    return info->min_index <= least + info->index_base &&
           info->max_index >= most + info->index_base &&
           info->max_index - info->index_base < info->columns;
}

static inline bool data_has_lengths(const sparcl_data_info *info, const int64_t *offsets) {
    int64_t least = INT64_MAX, most = 0, shorter = 0, longer = 0;
    for (int64_t row = 0; row < info->rows; row++) {
        const int64_t length = offsets[row + 1] - offsets[row];
        if (length < 0) return false;
        least = length < least ? length : least;
        most = length > most ? length : most;
        shorter += length < info->row_nnz_median;
        longer += length > info->row_nnz_median;
    }
    if (info->rows == 0) return info->row_nnz_max == 0;
    return info->row_nnz_min == least && info->row_nnz_max == most && 2 * shorter <= info->rows &&
           2 * longer <= info->rows;
}

/* NULL, or what is wrong. */
static inline const char *data_fault(const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const int64_t *const offsets = sparcl_data_offsets(data);
    const float *const values = sparcl_data_values(data);
    int64_t least = INT64_MAX, most = -1, nan = 0, infinite = 0;
    if (offsets[0] != 0 || offsets[info->rows] != info->entries) return "offsets or entries";
    if (info->nnz != info->entries + info->duplicates) return "nnz or duplicates";
    if (!data_has_lengths(info, offsets)) return "row_nnz_min, row_nnz_median or row_nnz_max";
    if (info->streamed) return NULL;
    for (int64_t row = 0; row < info->rows; row++)
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
            const int64_t index = data_index(data, k);
            if (index < 0 || index >= info->columns) return "an index";
            if (k > offsets[row] && index <= data_index(data, k - 1)) return "the order of indices";
            least = index < least ? index : least;
            most = index > most ? index : most;
            nan += isnan(values[k]) != 0;
            infinite += isinf(values[k]) != 0;
        }
    if (nan != info->nan_values || infinite != info->inf_values) return "nan_values or inf_values";
    if (!data_has_limits(data, least, most)) return "min_index or max_index";
    return NULL;
}

#endif
