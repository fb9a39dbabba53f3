/* row_order.c: brings the entries of each row into ascending order, and adds duplicates. */
#include "data/set/row_order.h"

#include <math.h>
#include <string.h>

#include "base/size.h"
#include "data/set/repair.h"

enum { SHORT_ROW = 16 };

/* Memory to repair the longest row. */
typedef struct workspace {
    spc_array indices, sorting;
} workspace;

void spc_note_not_finite(sparcl_data *data) {
    const float *const values = data->values.at;
    int64_t k = 0;
    while (k < data->info.nnz && isfinite(values[k]))
        k++;
    data->bad_column = k;
}

void spc_row_insertion_sort(sparcl_data *data, int64_t from, int64_t to) {
    float *const values = data->values.at;
    int32_t *const fields = data->fields.at;
    for (int64_t i = from + 1; i < to; i++) {
        const int64_t index = spc_data_index(data, i);
        const float value = values[i];
        const int32_t field = fields ? fields[i] : 0;
        int64_t k = i;
        for (; k > from && spc_data_index(data, k - 1) > index; k--) {
            spc_data_set_index(data, k, spc_data_index(data, k - 1));
            values[k] = values[k - 1];
            if (fields) fields[k] = fields[k - 1];
        }
        spc_data_set_index(data, k, index);
        values[k] = value;
        if (fields) fields[k] = field;
    }
}

/* Repair the row at [from, to) and move it to `into`; *kept becomes its new length. */
static sparcl_status repair_row(sparcl_data *data, workspace *space, int64_t from, int64_t to,
                                int64_t into, int64_t *kept, sparcl_error *error) {
    float *const values = data->values.at;
    const size_t count = (size_t)(to - from);
    SPC_TRY(spc_array_reserve(&space->indices, count * sizeof(int64_t), &data->allocator, error));
    SPC_TRY(
        spc_array_reserve(&space->sorting, 2 * count * sizeof(spc_entry), &data->allocator, error));
    int64_t *const indices = space->indices.at;
    for (int64_t k = from; k < to; k++)
        indices[k - from] = spc_data_index(data, k);
    *kept = spc_repair_row(indices, values + from, NULL, to - from, space->sorting.at);
    for (int64_t k = 0; k < *kept; k++)
        spc_data_set_index(data, into + k, indices[k]);
    for (int64_t k = from; k < from + *kept; k++) /* a sum may have overflowed */
        if (!isfinite(values[k])) data->bad_column = spc_min_i64(data->bad_column, from);
    memmove(values + into, values + from, (size_t)*kept * sizeof *values);
    return SPARCL_OK;
}

/* True if the row is strictly ascending; otherwise *at becomes its first entry that is not. */
static bool in_order(const sparcl_data *data, int64_t from, int64_t to, bool *unsorted,
                     int64_t *at) {
    bool fine = true;
    *unsorted = false;
    for (int64_t k = from + 1; k < to; k++) {
        const int64_t before = spc_data_index(data, k - 1), index = spc_data_index(data, k);
        if (index > before) continue;
        if (fine) *at = k;
        fine = false;
        *unsorted |= index < before;
    }
    return fine;
}

static void move_row(sparcl_data *data, int64_t from, int64_t to, int64_t into) {
    float *const values = data->values.at;
    if (into == from) return;
    for (int64_t k = from; k < to; k++)
        spc_data_set_index(data, into + k - from, spc_data_index(data, k));
    memmove(values + into, values + from, (size_t)(to - from) * sizeof *values);
}

static void set_entries(sparcl_data *data, int64_t entries) {
    data->info.entries = entries;
    data->info.duplicates = data->info.nnz - entries;
    data->values.used = (size_t)entries * sizeof(float);
    data->indices.used = (size_t)entries * sparcl_itype_size(data->index_type);
}

static sparcl_status order_rows(sparcl_data *data, workspace *space, spc_disorder *first,
                                sparcl_error *error) {
    int64_t *const offsets = data->offsets.at;
    int64_t from = 0, into = 0;
    for (int64_t row = 0; row < data->info.rows; row++) {
        const int64_t to = offsets[row + 1];
        int64_t at = 0, kept = to - from;
        bool unsorted = false, still = false;
        bool ordered = in_order(data, from, to, &unsorted, &at);
        if (!ordered && first) {
            *first = (spc_disorder){row, at};
            return SPARCL_OK;
        }
        data->info.unsorted_rows += unsorted;
        if (unsorted && kept <= SHORT_ROW) {
            spc_row_insertion_sort(data, from, to);
            ordered = in_order(data, from, to, &still, &at);
        }
        if (ordered)
            move_row(data, from, to, into);
        else
            SPC_TRY(repair_row(data, space, from, to, into, &kept, error));
        into += kept;
        from = to;
        offsets[row + 1] = into;
    }
    set_entries(data, into);
    return SPARCL_OK;
}

sparcl_status spc_rows_order(sparcl_data *data, spc_disorder *first, sparcl_error *error) {
    workspace space = {{0}, {0}};
    if (first) *first = (spc_disorder){-1, -1};
    const sparcl_status status = order_rows(data, &space, first, error);
    spc_array_free(&space.indices, &data->allocator);
    spc_array_free(&space.sorting, &data->allocator);
    return status;
}
