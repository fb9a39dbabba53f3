/* export.h: the formats in which a data set is written. */
#ifndef SPC_DATA_EXPORT_H
#define SPC_DATA_EXPORT_H

#include "data/formats/formats.h"
#include "data/set/dataset.h"

typedef struct spc_writer spc_writer;

/* How a format is written: as text, or by a function of its own. */
typedef struct spc_writing {
    const char *(*needs)(const sparcl_data *data); /* what it needs and the data lacks; or NULL */
    sparcl_status (*head)(spc_writer *w);          /* the text before the rows; or NULL */
    sparcl_status (*row)(spc_writer *w, int64_t row);
    sparcl_status (*whole)(const sparcl_data *data, const char *path, sparcl_error *error);
} spc_writing;

/* spc_svmlight_writing and so on. */
#define SPC_WRITING(NAME, word, ...) extern const spc_writing spc_##word##_writing;
SPC_WRITTEN_FORMATS(SPC_WRITING)
#undef SPC_WRITING

SPARCL_MUST_CHECK sparcl_status spc_export_text(const sparcl_data *data, const char *path,
                                                const spc_writing *as, sparcl_error *error);

/* Append the entries of a row to `text`, as " index:value" or with their fields; `base` is the
 * first index. */
SPARCL_MUST_CHECK sparcl_status spc_export_entries(const sparcl_data *data, int64_t row,
                                                   int64_t base, spc_array *text,
                                                   sparcl_error *error);

#endif
