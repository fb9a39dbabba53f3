/* from_arrays.c: a data set from the caller's arrays. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/set/dataset.h"
#include "data/set/summary.h"

static int64_t index_at(const sparcl_data_arrays *from, int64_t k) {
    return from->index_type == SPARCL_INDEX64 ? ((const int64_t *)from->indices)[k]
                                              : ((const int32_t *)from->indices)[k];
}

static sparcl_status check_arguments(const sparcl_data_arrays *from, sparcl_error *error) {
    if (!from) return spc_fail(error, SPARCL_E_ARG, "data: the arrays are NULL");
    if (from->rows < 0 || from->columns < 0)
        return spc_fail(error, SPARCL_E_ARG, "data: the shape is %lld x %lld, expected at least 0",
                        (long long)from->rows, (long long)from->columns);
    if (from->index_type != SPARCL_INDEX32 && from->index_type != SPARCL_INDEX64)
        return spc_fail(error, SPARCL_E_ARG, "data: index_type is %d, expected a sparcl_itype",
                        (int)from->index_type);
    if (from->index_base != 0 && from->index_base != 1)
        return spc_fail(error, SPARCL_E_ARG, "data: index_base is %d, expected 0 or 1",
                        from->index_base);
    if (!from->offsets) return spc_fail(error, SPARCL_E_ARG, "data: offsets is NULL");
    return SPARCL_OK;
}

static sparcl_status check_offsets(const sparcl_data_arrays *from, sparcl_error *error) {
    if (from->offsets[0] != 0)
        return spc_fail(error, SPARCL_E_FORMAT, "data: offsets[0] is %lld, expected 0",
                        (long long)from->offsets[0]);
    for (int64_t i = 0; i < from->rows; ++i)
        if (from->offsets[i + 1] < from->offsets[i])
            return spc_fail(error, SPARCL_E_FORMAT,
                            "data: offsets[%lld] is %lld, expected at least the one before, %lld",
                            (long long)i + 1, (long long)from->offsets[i + 1],
                            (long long)from->offsets[i]);
    if (from->offsets[from->rows] > 0 && (!from->indices || !from->values))
        return spc_fail(error, SPARCL_E_ARG, "data: indices or values is NULL");
    return SPARCL_OK;
}

static sparcl_status check_indices(const sparcl_data_arrays *from, sparcl_error *error) {
    for (int64_t i = 0; i < from->rows; ++i) {
        int64_t before = -1;
        for (int64_t k = from->offsets[i]; k < from->offsets[i + 1]; ++k) {
            const int64_t index = index_at(from, k);
            if (index < 0 || index >= from->columns)
                return spc_fail(error, SPARCL_E_FORMAT,
                                "data: row %lld: index %lld, expected at least 0 and less than "
                                "%lld, the number of columns",
                                (long long)i, (long long)index, (long long)from->columns);
            if (index <= before)
                return spc_fail(error, SPARCL_E_FORMAT,
                                "data: row %lld: index %lld after %lld, expected the indices of a "
                                "row to ascend, each once",
                                (long long)i, (long long)index, (long long)before);
            before = index;
        }
    }
    return SPARCL_OK;
}

static sparcl_status check_labels(const sparcl_data_arrays *from, sparcl_error *error) {
    for (int64_t i = 0; from->labels && i < from->rows; ++i)
        if (!isfinite(from->labels[i]))
            return spc_fail(error, SPARCL_E_FORMAT,
                            "data: label %lld is %g, expected a finite number", (long long)i,
                            from->labels[i]);
    return SPARCL_OK;
}

static sparcl_status check_weights(const sparcl_data_arrays *from, sparcl_error *error) {
    for (int64_t i = 0; from->weights && i < from->rows; ++i)
        if (!(from->weights[i] >= 0 && isfinite(from->weights[i])))
            return spc_fail(error, SPARCL_E_FORMAT,
                            "data: weight %lld is %g, expected a finite number from 0",
                            (long long)i, (double)from->weights[i]);
    return SPARCL_OK;
}

/* `count`: more than the largest field. */
static sparcl_status check_fields(const sparcl_data_arrays *from, int64_t *count,
                                  sparcl_error *error) {
    *count = 0;
    for (int64_t k = 0; from->fields && k < from->offsets[from->rows]; ++k) {
        if (from->fields[k] < 0 || from->fields[k] == INT32_MAX)
            return spc_fail(error, SPARCL_E_FORMAT,
                            "data: field %lld is %ld, expected 0 to 2^31 - 2", (long long)k,
                            (long)from->fields[k]);
        if (from->fields[k] >= *count) *count = (int64_t)from->fields[k] + 1;
    }
    return SPARCL_OK;
}

static sparcl_status copy_indices(sparcl_data *to, const sparcl_data_arrays *from,
                                  sparcl_error *error) {
    const int64_t entries = to->info.entries;
    const size_t size = sparcl_itype_size(to->index_type);
    if (from->index_type == to->index_type)
        return spc_array_add(&to->indices, from->indices, (size_t)entries * size, &to->allocator,
                             error);
    SPC_TRY(spc_array_reserve(&to->indices, (size_t)entries * size + 1, &to->allocator, error));
    for (int64_t k = 0; k < entries; ++k)
        spc_data_set_index(to, k, index_at(from, k));
    to->indices.used = (size_t)entries * size;
    return SPARCL_OK;
}

static sparcl_status copy(sparcl_data *to, const sparcl_data_arrays *from, sparcl_error *error) {
    const size_t rows = (size_t)from->rows, entries = (size_t)from->offsets[rows];
    SPC_TRY(spc_array_add(&to->offsets, from->offsets, (rows + 1) * sizeof *from->offsets,
                          &to->allocator, error));
    SPC_TRY(copy_indices(to, from, error));
    SPC_TRY(spc_array_add(&to->values, from->values, entries * sizeof *from->values, &to->allocator,
                          error));
    if (from->weights)
        SPC_TRY(spc_array_add(&to->weights, from->weights, rows * sizeof *from->weights,
                              &to->allocator, error));
    if (from->fields)
        SPC_TRY(spc_array_add(&to->fields, from->fields, entries * sizeof *from->fields,
                              &to->allocator, error));
    if (!from->labels) return SPARCL_OK;
    to->info.label_count = from->rows;
    to->info.has_labels = 1;
    return spc_array_add(&to->labels, from->labels, rows * sizeof *from->labels, &to->allocator,
                         error);
}

/* The smallest and the largest index, as in a file. */
static void find_range(sparcl_data *to, const sparcl_data_arrays *from) {
    to->info.min_index = to->info.max_index = -1;
    for (int64_t k = 0; k < to->info.entries; ++k) {
        const int64_t index = index_at(from, k) + from->index_base;
        if (to->info.min_index < 0 || index < to->info.min_index) to->info.min_index = index;
        if (index > to->info.max_index) to->info.max_index = index;
    }
}

sparcl_status sparcl_data_create(sparcl_data **data, const sparcl_data_arrays *arrays,
                                 sparcl_error *error) {
    if (!data) return spc_fail(error, SPARCL_E_ARG, "data: the pointer for the result is NULL");
    int64_t fields = 0;
    *data = NULL;
    SPC_TRY(check_arguments(arrays, error));
    SPC_TRY(check_offsets(arrays, error));
    SPC_TRY(check_indices(arrays, error));
    SPC_TRY(check_labels(arrays, error));
    SPC_TRY(check_weights(arrays, error));
    SPC_TRY(check_fields(arrays, &fields, error));
    sparcl_data *const made = spc_alloc_zero(NULL, 1, sizeof *made);
    if (!made) return spc_fail_memory(error, "data", sizeof *made);
    made->info = (sparcl_data_info){.format = "memory",
                                    .rows = arrays->rows,
                                    .columns = arrays->columns,
                                    .nnz = arrays->offsets[arrays->rows],
                                    .entries = arrays->offsets[arrays->rows],
                                    .fields = fields,
                                    .index_base = arrays->index_base};
    made->index_type = arrays->columns <= INT32_MAX ? SPARCL_INDEX32 : SPARCL_INDEX64;
    memcpy(made->name, "memory", sizeof "memory");
    const sparcl_status status = copy(made, arrays, error);
    if (status != SPARCL_OK) {
        sparcl_data_free(made);
        return status;
    }
    find_range(made, arrays);
    spc_data_summarize(made);
    *data = made;
    return SPARCL_OK;
}
