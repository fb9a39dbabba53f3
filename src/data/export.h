/* export.h: the formats in which a data set is written that are no text. */
#ifndef SPC_DATA_EXPORT_H
#define SPC_DATA_EXPORT_H

#include "data/dataset.h"

/* A csr matrix of SciPy, with the labels as the member labels.npy. */
SPARCL_MUST_CHECK sparcl_status spc_export_npz(const sparcl_data *data, const char *path,
                                               sparcl_error *error);

/* Append the entries of a row to `text`, as " index:value" or with their fields; `base` is the
 * first index. */
SPARCL_MUST_CHECK sparcl_status spc_export_entries(const sparcl_data *data, int64_t row,
                                                   int64_t base, spc_array *text,
                                                   sparcl_error *error);

#endif
