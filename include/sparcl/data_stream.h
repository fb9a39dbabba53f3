/* data_stream.h: reads data files part by part, and the rows of streamed data (libsparcl-train).
 *
 * A thread reads the next part while the caller works on one, so that at most three parts are in
 * memory.
 */
#ifndef SPARCL_DATA_STREAM_H
#define SPARCL_DATA_STREAM_H

#include "sparcl/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The parts of a file, in turn. Owned; one thread at a time may use it. */
typedef struct sparcl_data_parts sparcl_data_parts;

/**
 * Begin to read a file, or standard input ("-"), in parts of complete rows, of about `bytes` bytes
 * of text, decompressed; 0: 4 MiB. The rows of all parts together are those of sparcl_data_read.
 * Formats other than svmlight, libffm, indices, vw and csv come as one part.
 *
 * Of svmlight, libffm and indices the description must have `columns` and `index_base`, which a
 * first part does not show. Fixed for all parts are also the hash bits, and of CSV the description
 * of the columns (its dictionaries need their words). `weights`, `spill` and `allocator` must be
 * zero, and so must `labels` of these formats; the texts of the description must stay valid until
 * the end.
 *
 * Errors    E_ARG: NULL, bytes is negative, or the description is not as above; E_MEMORY, also
 *           where no thread can be had. *parts is then NULL. sparcl_data_parts_next says what is
 *           wrong with the file.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_parts_open(sparcl_data_parts **parts,
                                                                  const char *path,
                                                                  const sparcl_data_desc *desc,
                                                                  int64_t bytes,
                                                                  sparcl_error *error);

/**
 * The next part, a data set with its own info and lines of the file, to be freed with
 * sparcl_data_free; *part is NULL after the last one.
 *
 * Errors    as sparcl_data_read, after all complete parts before; the same again when it is called
 *           again. *part is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_parts_next(sparcl_data_parts *parts,
                                                                  sparcl_data **part,
                                                                  sparcl_error *error);

/** End reading, also before the last part. NULL is allowed. */
SPARCL_API void sparcl_data_parts_close(sparcl_data_parts *parts);

/** Copies the entries of rows. Owned; one thread at a time may use it. */
typedef struct sparcl_row_reader sparcl_row_reader;

/** Begin; the data set, streamed or in memory, must stay valid. E_ARG: NULL; E_MEMORY. */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_row_reader_open(sparcl_row_reader **reader,
                                                                  const sparcl_data *data,
                                                                  sparcl_error *error);

/**
 * Copy the entries of rows first .. first + rows - 1: their number n is a difference of
 * sparcl_data_offsets. Of streamed data, rows that follow those before are read without a pause;
 * with others the file is read from its beginning.
 *
 * Shapes    indices [n], of sparcl_data_index_type; values [n]; fields [n], which may be NULL.
 * Errors    E_ARG: NULL, rows are outside the data set, or fields are requested and there are none;
 *           E_FORMAT: the file has changed; E_IO, E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_row_reader_read(sparcl_row_reader *reader,
                                                                  int64_t first, int64_t rows,
                                                                  void *indices, float *values,
                                                                  int32_t *fields,
                                                                  sparcl_error *error);

/** NULL is allowed. */
SPARCL_API void sparcl_row_reader_close(sparcl_row_reader *reader);

#ifdef __cplusplus
}
#endif

#endif
