/* export.h: the formats in which a data set is written. */
#ifndef SPC_DATA_EXPORT_H
#define SPC_DATA_EXPORT_H

#include "data/set/dataset.h"

typedef struct spc_writer spc_writer;

/* What a format can hold besides a matrix, and how it is written as text. */
typedef struct spc_text_format {
    sparcl_data_format format;
    bool has_fields, has_weights, has_several;     /* several labels of a row */
    const char *(*needs)(const sparcl_data *data); /* what it needs and the data lacks; or NULL */
    sparcl_status (*head)(spc_writer *w);          /* the lines before the rows; or NULL */
    sparcl_status (*row)(spc_writer *w, int64_t row);
} spc_text_format;

/* NULL: it is no text format that is written. */
const spc_text_format *spc_text_format_of(sparcl_data_format format);
SPARCL_MUST_CHECK sparcl_status spc_export_text(const sparcl_data *data, const char *path,
                                                const spc_text_format *format, sparcl_error *error);

/* A csr matrix of SciPy, with the labels as the member labels.npy. */
SPARCL_MUST_CHECK sparcl_status spc_export_npz(const sparcl_data *data, const char *path,
                                               sparcl_error *error);

/* Append the entries of a row to `text`, as " index:value" or with their fields; `base` is the
 * first index. */
SPARCL_MUST_CHECK sparcl_status spc_export_entries(const sparcl_data *data, int64_t row,
                                                   int64_t base, spc_array *text,
                                                   sparcl_error *error);

#endif
