/* data.h: reading data files into host memory, and from there to the device (libsparcl-train). */
#ifndef SPARCL_DATA_H
#define SPARCL_DATA_H

#include <stddef.h>

#include "sparcl/status.h"
#include "sparcl/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A data set in host memory: a sparse matrix in CSR form and one label a row. Owned. */
typedef struct sparcl_data sparcl_data;

/** The index of the first feature in a text file. */
typedef enum sparcl_index_base {
    SPARCL_BASE_AUTO = 0, /**< 0 when some index is 0, else 1 */
    SPARCL_BASE_0 = 1,
    SPARCL_BASE_1 = 2
} sparcl_index_base;

/** How to read a file. All zero is the default. */
typedef struct sparcl_data_desc {
    const char *labels; /**< a .npy file with one label a row, for .npz only; NULL: none */
    int64_t columns;    /**< feature width expected; 0: what the file needs. See `widen`. */
    sparcl_index_base index_base; /**< .npz always counts from 0 */
    int strict;                   /**< refuse unsorted or repeated indices, do not repair them */
    int multilabel;               /**< text: rows have any number of labels, "1,2" or none; without
                                       it a row must have one */
    int widen;                  /**< a file wider than `columns` raises the width, is not refused */
    int threads;                /**< 0: one for each processor; at most 16 are used */
    sparcl_allocator allocator; /**< called by one thread at a time, not always by the caller's */
    uint64_t reserved[2];
} sparcl_data_desc;

/** What was found in a file. */
typedef struct sparcl_data_info {
    const char *format;    /**< "svmlight" or "npz" */
    int64_t rows, columns; /**< the shape */
    int64_t nnz;           /**< entries as stored in the file, before repair */
    int64_t entries;       /**< entries as held: nnz - duplicates */
    int64_t duplicates; /**< repeated indices inside a row; values added up in file order, as f32 */
    int64_t unsorted_rows; /**< rows with an index below the one before it; they were sorted */
    int64_t nan_values, inf_values; /**< as held; both are read, a number past f32 is refused */
    int64_t row_nnz_min, row_nnz_median, row_nnz_max; /**< entries of a row, as held; the median is
                                                           the lower one; 0 without rows */
    int64_t min_index, max_index; /**< as written in the file; -1 without entries */
    int index_base;               /**< 0 or 1 */
    int has_labels;               /**< 0: no label was found or given */
    int64_t label_count;          /**< labels in all; rows unless read as multilabel */
    int64_t narrowed_values; /**< npz: values that were not exactly a float32, and were rounded.
                                Text is decimal and always rounded to the nearest: not counted, 0 */
    int float64_source;      /**< the file itself says that its values are float64 (npz) */
    uint64_t fingerprint;    /**< XXH3-64 over the shape, offsets, indices, values and labels as
                                  held; not over how they were written or compressed */
} sparcl_data_info;

/**
 * Read a data file: LIBSVM/svmlight text, or SciPy .npz (CSR, made by save_npz).
 *
 * gz, xz, bz2, zstd and lz4 are seen through; "-" is standard input. The format is found from the
 * content. Numbers do not depend on the locale. Indices of a row come out ascending and unique.
 *
 * Text      a row a line, "label index:value ...", split by blanks and tabs. "#" begins a comment;
 *           lines without more are skipped. "qid:N" after the label is skipped. Lines end in LF or
 *           CR LF; the last may lack it. A row without label, as told by `multilabel`, is one whose
 *           first word is an index:value.
 *           Lines of less than 2^28 bytes are read, longer ones may be refused.
 * Numbers   decimal, correctly rounded to float (labels: to double), or nan, inf, infinity in any
 *           case; labels must be finite.
 * Width     what the file needs, which is the largest index plus one, counted from 0, or the
 *           columns of the .npz shape; or `columns` of the description where that is larger.
 * Result    the same for every number of threads.
 * Errors    E_ARG: the description is wrong. E_IO: the file cannot be opened or read. E_FORMAT: it
 *           breaks its contract; the message is "file:line:column: expected ..., found ...; how to
 *           fix it", for .npz "file:member[element]: ...", lines and columns from 1, in bytes.
 *           E_MEMORY. On any error *data is NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_read(sparcl_data **data, const char *path,
                                                            const sparcl_data_desc *desc,
                                                            sparcl_error *error);

/**
 * Are all values finite? If not, E_FORMAT: "file:line:column: ..." with the place of the first
 * value that is not (for .npz "file:data.npy[element]: ..."), and how many there are.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_check_finite(const sparcl_data *data,
                                                                    sparcl_error *error);

/** Free a data set. NULL is allowed. */
SPARCL_API void sparcl_data_free(sparcl_data *data);

/** What was found in the file; it belongs to the data and lives as long as they. */
SPARCL_API const sparcl_data_info *sparcl_data_get_info(const sparcl_data *data);

/** Row offsets [rows + 1]. */
SPARCL_API const int64_t *sparcl_data_offsets(const sparcl_data *data);
/** SPARCL_I32 when columns <= 2^31 - 1, else SPARCL_I64. */
SPARCL_API sparcl_itype sparcl_data_index_type(const sparcl_data *data);
/** Column indices from 0 [entries], of type int32_t or int64_t as sparcl_data_index_type says. */
SPARCL_API const void *sparcl_data_indices(const sparcl_data *data);
/** Values [entries]. */
SPARCL_API const float *sparcl_data_values(const sparcl_data *data);
/** Labels [label_count] as written, those of a row together; NULL when there are none. */
SPARCL_API const double *sparcl_data_labels(const sparcl_data *data);
/** Where the labels of each row begin [rows + 1]; NULL unless read as multilabel. */
SPARCL_API const int64_t *sparcl_data_label_offsets(const sparcl_data *data);
/**
 * Where the label of row `row` stands, as messages begin: "file:line:1", for .npz with labels
 * "labels.npy[row]"; for any other row the name of the file alone. Of a long path the end is kept.
 * Writes at most `bytes` bytes (1 at least), the last one 0, and returns `place`.
 */
SPARCL_API const char *sparcl_data_place(const sparcl_data *data, int64_t row, char *place,
                                         size_t bytes);
/** The line of the file that row `row` came from, from 1; 0 when the format has no lines. */
SPARCL_API int64_t sparcl_data_line(const sparcl_data *data, int64_t row);

/**
 * Copy a data set to the device: *matrix becomes its matrix, *labels its labels. Both are then
 * freed as other views are (sparcl/views.h), and *data need not stay. `labels` may be NULL: they
 * are left out.
 *
 * Shapes    matrix [rows, columns] with `entries` entries; labels [rows].
 * Types     F32, offsets I64, indices of sparcl_data_index_type.
 * Aliasing  the buffers are new; what the two views held before is overwritten, not freed.
 * Result    the matrix is validated, and marked VALID, SORTED and UNIQUE; labels are those of the
 *           file, rounded to float.
 * Host      waits for the device.
 * Errors    E_ARG: NULL, or labels are requested and there is not one a row. E_MEMORY, and errors
 * of the core. Both views are then without buffers, and `error`, where not NULL, says why.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_upload(sparcl_ctx *ctx,
                                                              const sparcl_data *data,
                                                              sparcl_csr *matrix,
                                                              sparcl_dense *labels,
                                                              sparcl_error *error);

#ifdef __cplusplus
}
#endif

#endif
