/* compact_columns.c: a data set with only those columns that have entries. */
#include "train/compact_columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/csr_arrays.h"

/* Entries for each column, up to which a copy of them costs no more than vectors of columns. */
enum { ENTRIES_PER_COLUMN = 16 };

/* numbers[j]: 1 + the number of column j among those that are used; 0: it is not. */
static int64_t number_columns(const sparcl_data *data, int64_t all, int64_t *numbers) {
    int64_t count = 0;
    for (int64_t k = 0; k < sparcl_data_get_info(data)->entries; ++k)
        numbers[spc_data_column(data, k)] = 1;
    for (int64_t j = 0; j < all; ++j)
        if (numbers[j]) numbers[j] = ++count;
    return count;
}

static sparcl_status make(spc_compact_columns *used, const sparcl_data *data,
                          const int64_t *numbers, sparcl_error *error) {
    sparcl_data_arrays arrays = spc_data_arrays_of(data);
    const int64_t entries = sparcl_data_get_info(data)->entries;
    const size_t bytes = (size_t)entries * sparcl_itype_size(arrays.index_type);
    void *const indices = malloc(bytes + 1);
    used->columns = malloc((size_t)used->count * sizeof *used->columns + 1);
    if (!indices || !used->columns) {
        free(indices);
        return spc_fail_memory(error, "columns that are used", bytes);
    }
    for (int64_t j = 0; j < used->all; ++j)
        if (numbers[j]) used->columns[numbers[j] - 1] = j;
    for (int64_t k = 0; k < entries; ++k)
        spc_set_index(indices, arrays.index_type, k, numbers[spc_data_column(data, k)] - 1);
    arrays.columns = used->count;
    arrays.indices = indices;
    const sparcl_status status = sparcl_data_create(&used->made, &arrays, error);
    free(indices);
    return status;
}

sparcl_status spc_compact_columns_open(spc_compact_columns *used, const sparcl_data *data,
                                       int64_t all, sparcl_error *error) {
    *used = (spc_compact_columns){.all = all, .count = all};
    if (sparcl_data_get_info(data)->entries > ENTRIES_PER_COLUMN * all) return SPARCL_OK;
    int64_t *const numbers = calloc((size_t)all + 1, sizeof *numbers);
    if (!numbers) return spc_fail_memory(error, "columns that are used", (size_t)all * 8);
    const int64_t count = number_columns(data, all, numbers);
    sparcl_status status = SPARCL_OK;
    if (count > 0 && count <= all / 2) {
        used->count = count;
        status = make(used, data, numbers, error);
    }
    free(numbers);
    return status;
}

void spc_compact_columns_close(spc_compact_columns *used) {
    sparcl_data_free(used->made);
    free(used->columns);
    *used = (spc_compact_columns){0};
}

/* --- parameters ------------------------------------------------------------------------------- */

void spc_compact_columns_take(const spc_compact_columns *used, int64_t outputs, int64_t others,
                              const double *all, double *taken) {
    const int64_t count = used->all * outputs + others;
    if (!used->columns) {
        memcpy(taken, all, (size_t)count * sizeof *taken);
        return;
    }
    const size_t row = (size_t)outputs * sizeof *taken;
    for (int64_t i = 0; i < used->count; ++i)
        memcpy(taken + i * outputs, all + used->columns[i] * outputs, row);
    memcpy(taken + used->count * outputs, all + used->all * outputs,
           (size_t)others * sizeof *taken);
}

void spc_compact_columns_put(const spc_compact_columns *used, int64_t outputs, int64_t others,
                             const double *taken, double *all) {
    const int64_t count = used->all * outputs + others;
    if (!used->columns) {
        memcpy(all, taken, (size_t)count * sizeof *all);
        return;
    }
    const size_t row = (size_t)outputs * sizeof *taken;
    for (int64_t i = 0; i < used->count; ++i)
        memcpy(all + used->columns[i] * outputs, taken + i * outputs, row);
    memcpy(all + used->all * outputs, taken + used->count * outputs,
           (size_t)others * sizeof *taken);
}
