/* csr_arrays.h: rows in the caller's memory, checked. */
#ifndef SPC_TRAIN_CSR_ARRAYS_H
#define SPC_TRAIN_CSR_ARRAYS_H

#include "base/macros.h"
#include "sparcl/apply.h"
#include "sparcl/data.h"

static inline int64_t spc_index_at(const void *indices, sparcl_itype type, int64_t i) {
    return type == SPARCL_INDEX64 ? ((const int64_t *)indices)[i] : ((const int32_t *)indices)[i];
}

static inline void spc_set_index(void *indices, sparcl_itype type, int64_t i, int64_t index) {
    if (type == SPARCL_INDEX64)
        ((int64_t *)indices)[i] = index;
    else
        ((int32_t *)indices)[i] = (int32_t)index;
}

static inline int64_t spc_data_column(const sparcl_data *data, int64_t entry) {
    return spc_index_at(sparcl_data_indices(data), sparcl_data_index_type(data), entry);
}

/* The rows of a data set in memory. */
sparcl_csr_arrays spc_csr_arrays_of(const sparcl_data *data);

/* All of a data set in memory, for a data set that differs from it. */
sparcl_data_arrays spc_data_arrays_of(const sparcl_data *data);

/* Everything that sparcl_csr_arrays promises, for a matrix of `columns` and, where it is not 0,
 * entries of `fields`; of trusted rows only what costs nothing. E_ARG, E_FORMAT. */
sparcl_status spc_csr_arrays_check(const sparcl_csr_arrays *rows, int64_t columns, int64_t fields,
                                   sparcl_error *error);

#endif
