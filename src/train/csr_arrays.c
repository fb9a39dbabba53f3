/* csr_arrays.c: checks rows in the caller's memory. */
#include "train/csr_arrays.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/size.h"

static bool is_type(sparcl_itype type) {
    return type == SPARCL_INDEX32 || type == SPARCL_INDEX64;
}

static sparcl_status check_sizes(const sparcl_csr_arrays *x, sparcl_error *error) {
    if (!spc_is_struct_size(x->size, sizeof *x))
        return spc_fail(error, SPARCL_E_ARG, "predict: size is %zu, expected 0 or %zu", x->size,
                        sizeof *x);
    if (x->rows < 0 || (x->rows > 0 && !x->offsets))
        return spc_fail(error, SPARCL_E_ARG, "predict: rows is %lld, expected at least 0%s",
                        (long long)x->rows, x->rows > 0 ? ", with offsets, which are NULL" : "");
    if (!is_type(x->offset_type) || !is_type(x->index_type))
        return spc_fail(error, SPARCL_E_ARG,
                        "predict: offset_type is %d and index_type %d, expected SPARCL_INDEX32 or "
                        "SPARCL_INDEX64",
                        (int)x->offset_type, (int)x->index_type);
    return SPARCL_OK;
}

static sparcl_status check_offsets(const sparcl_csr_arrays *x, sparcl_error *error) {
    for (int64_t i = 0; i < x->rows; ++i) {
        const int64_t begin = spc_index_at(x->offsets, x->offset_type, i);
        const int64_t end = spc_index_at(x->offsets, x->offset_type, i + 1);
        if (begin < 0 || end < begin)
            return spc_fail(error, SPARCL_E_FORMAT,
                            "predict: row %lld: offsets are %lld and %lld, expected them to ascend "
                            "from 0",
                            (long long)i, (long long)begin, (long long)end);
    }
    return SPARCL_OK;
}

static sparcl_status check_row(const sparcl_csr_arrays *x, int64_t row, int64_t columns,
                               sparcl_error *error) {
    const int64_t begin = spc_index_at(x->offsets, x->offset_type, row);
    const int64_t end = spc_index_at(x->offsets, x->offset_type, row + 1);
    int64_t before = -1;
    for (int64_t k = begin; k < end; ++k) {
        const int64_t column = spc_index_at(x->indices, x->index_type, k);
        if (column < 0 || column >= columns)
            return spc_fail(error, SPARCL_E_FORMAT,
                            "predict: row %lld, entry %lld: column %lld, expected 0 to %lld; the "
                            "model has no others",
                            (long long)row, (long long)(k - begin), (long long)column,
                            (long long)columns - 1);
        if (column <= before)
            return spc_fail(error, SPARCL_E_FORMAT,
                            "predict: row %lld, entry %lld: column %lld after column %lld, "
                            "expected ascending columns, each once; sort the row",
                            (long long)row, (long long)(k - begin), (long long)column,
                            (long long)before);
        if (!isfinite(x->values[k]))
            return spc_fail(error, SPARCL_E_FORMAT,
                            "predict: row %lld, entry %lld: %g, expected a finite number",
                            (long long)row, (long long)(k - begin), (double)x->values[k]);
        before = column;
    }
    return SPARCL_OK;
}

static sparcl_status check_fields(const sparcl_csr_arrays *x, int64_t row, int64_t fields,
                                  sparcl_error *error) {
    const int64_t begin = spc_index_at(x->offsets, x->offset_type, row);
    const int64_t end = spc_index_at(x->offsets, x->offset_type, row + 1);
    for (int64_t k = begin; k < end; ++k)
        if (x->fields[k] < 0 || x->fields[k] >= fields)
            return spc_fail(error, SPARCL_E_FORMAT,
                            "predict: row %lld, entry %lld: field %ld, expected 0 to %lld; the "
                            "model has no others",
                            (long long)row, (long long)(k - begin), (long)x->fields[k],
                            (long long)fields - 1);
    return SPARCL_OK;
}

sparcl_status spc_csr_arrays_check(const sparcl_csr_arrays *x, int64_t columns, int64_t fields,
                                   sparcl_error *error) {
    SPC_TRY(check_sizes(x, error));
    if (x->rows == 0) return SPARCL_OK;
    if (!x->is_trusted) SPC_TRY(check_offsets(x, error));
    const int64_t entries = spc_index_at(x->offsets, x->offset_type, x->rows) -
                            spc_index_at(x->offsets, x->offset_type, 0);
    if (entries > 0 && (!x->indices || !x->values))
        return spc_fail(error, SPARCL_E_ARG, "predict: %lld entries, but indices or values is NULL",
                        (long long)entries);
    if (entries > 0 && fields > 0 && !x->fields)
        return spc_fail(error, SPARCL_E_ARG,
                        "predict: fields is NULL, expected those of the entries, which the model "
                        "reads");
    for (int64_t i = 0; i < x->rows && !x->is_trusted; ++i) {
        SPC_TRY(check_row(x, i, columns, error));
        if (fields > 0) SPC_TRY(check_fields(x, i, fields, error));
    }
    return SPARCL_OK;
}

sparcl_csr_arrays spc_csr_arrays_of(const sparcl_data *data) {
    return (sparcl_csr_arrays){.rows = sparcl_data_get_info(data)->rows,
                               .offset_type = SPARCL_INDEX64,
                               .offsets = sparcl_data_offsets(data),
                               .index_type = sparcl_data_index_type(data),
                               .indices = sparcl_data_indices(data),
                               .values = sparcl_data_values(data),
                               .fields = sparcl_data_fields(data),
                               .is_trusted = 1};
}

sparcl_data_arrays spc_data_arrays_of(const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    return (sparcl_data_arrays){.rows = info->rows,
                                .columns = info->columns,
                                .offsets = sparcl_data_offsets(data),
                                .index_type = sparcl_data_index_type(data),
                                .indices = sparcl_data_indices(data),
                                .values = sparcl_data_values(data),
                                .labels = sparcl_data_labels(data),
                                .weights = sparcl_data_weights(data),
                                .fields = sparcl_data_fields(data),
                                .index_base = info->index_base};
}
