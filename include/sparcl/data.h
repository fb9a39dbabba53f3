/* data.h: data sets: from files (data_read.h) or arrays, their parts and contents, written to
 * files, and copied to the device (libsparcl-train). */
#ifndef SPARCL_DATA_H
#define SPARCL_DATA_H

#include "sparcl/data_read.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A sparse matrix in the caller's memory, in CSR format, and the labels of its rows. */
typedef struct sparcl_data_arrays {
    int64_t rows, columns;   /**< the shape */
    const int64_t *offsets;  /**< [rows + 1], from 0 */
    sparcl_itype index_type; /**< of `indices` */
    const void *indices;     /**< [offsets[rows]], from 0, ascending and unique in a row */
    const float *values;     /**< [offsets[rows]] */
    const double *labels;    /**< [rows]; NULL: none */
    const float *weights;    /**< [rows], at least 0; NULL: none */
    const int32_t *fields;   /**< [offsets[rows]], at least 0: of each entry; NULL: none */
    int index_base; /**< 0 or 1: from what files of such data count columns; a model that is trained
                         with it is for such files */
} sparcl_data_arrays;

/**
 * A data set from arrays, which are copied. Its format is "memory".
 *
 * Errors    E_ARG: a size is negative, or a pointer is NULL; E_FORMAT: offsets or indices are not
 * as above, or a label or a weight is not finite, or a weight or a field is below 0: the message
 * says which; E_MEMORY. *data is then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_create(sparcl_data **data,
                                                              const sparcl_data_arrays *arrays,
                                                              sparcl_error *error);

/**
 * What users have, [users, items], from an adjacency of users and items, whose first `users` nodes
 * are the users: the rows of the users, without labels. Its format is "memory".
 *
 * Errors    E_ARG: a pointer is NULL; E_FORMAT: the matrix is not square, has no items, or an entry
 *           between two users or two items; E_MEMORY. *part is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_of_users(
    const sparcl_data *data, int64_t users, sparcl_data **part, sparcl_error *error);

/**
 * What users have, [users, items], from ratings: entry (user, item) is 1 where there is such a
 * rating, of whatever value, once or more often. Ratings without a known user or item are left out.
 * A table whose only features are two dictionaries is ratings, too: of users, then of items
 * (sparcl_csv_columns_pairs). Its format is "memory"; it has the ids of `data`
 * (sparcl_data_known_ids) or the description of its columns, and no labels.
 *
 * Errors    E_ARG: a pointer is NULL, or the data is streamed; E_FORMAT: the data are no ratings;
 *           E_MEMORY. *part is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_data_of_ratings(const sparcl_data *data, sparcl_data **part, sparcl_error *error);

/**
 * Check that all values are finite. If not, E_FORMAT: "file:line:column: ..." with the position of
 * the first value that is not (for .npz "file:data.npy[element]: ..."), and the number of such
 * values.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_data_check_finite(const sparcl_data *data, sparcl_error *error);

/** Free a data set. NULL is allowed. */
SPARCL_API void sparcl_data_free(sparcl_data *data);

/**
 * A data set in two: `fraction` of its rows, rounded to a whole number, and the rest. The seed and
 * the number of a row decide whether it is held, so they are the same on every machine. Both have
 * the columns, index base and label kinds of `data`, their rows in its order, and positions in its
 * file; what counts repairs and the smallest and largest index is of the whole file, or 0. To be
 * freed with sparcl_data_free; `data` is not needed for that.
 *
 * Errors    E_ARG: a pointer is NULL, or fraction is not 0 to 1; E_MEMORY. Both are then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_split(const sparcl_data *data,
                                                             double fraction, uint64_t seed,
                                                             sparcl_data **rest, sparcl_data **held,
                                                             sparcl_error *error);

/**
 * A fold of a data set, and the rest: fold 0 to folds - 1 has each row once, in parts of equal size
 * up to one row, drawn as in sparcl_data_split.
 *
 * Errors    E_ARG: a pointer is NULL, folds is less than 2, or fold not 0 to folds - 1; E_MEMORY.
 * Both are then NULL.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_fold(const sparcl_data *data, int64_t folds,
                                                            int64_t fold, uint64_t seed,
                                                            sparcl_data **rest, sparcl_data **held,
                                                            sparcl_error *error);

/**
 * A data set in two, in the order of the file: its first `rows` rows, and the rest. Otherwise as
 * sparcl_data_split.
 *
 * Errors    E_ARG: a pointer is NULL, or rows is not 0 to the number of rows; E_MEMORY. Both are
 * then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_cut(const sparcl_data *data,
                                                                        int64_t rows,
                                                                        sparcl_data **first,
                                                                        sparcl_data **rest,
                                                                        sparcl_error *error);

/**
 * `count` rows of a data set, none twice: those that sparcl_data_split with this seed holds when it
 * holds as many.
 *
 * Errors    E_ARG: a pointer is NULL, or count is not 0 to the number of rows; E_MEMORY. *part is
 * then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_sample(
    const sparcl_data *data, int64_t count, uint64_t seed, sparcl_data **part, sparcl_error *error);

/**
 * Write the lines of a text file that have the rows of `part`, a part of `data`, which was read
 * from it: bytes stay as they are. What stands before the first row, such as a heading, is written,
 * too, and comments with the row before them.
 *
 * Errors    E_ARG: a pointer is NULL, or data was not read from text with rows in lines of their
 *           own, or is itself a part; E_FORMAT: the file is damaged; E_IO; E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_copy_rows(const sparcl_data *data,
                                                                 const sparcl_data *part,
                                                                 const char *source,
                                                                 const char *path,
                                                                 sparcl_error *error);

/** The properties of the file; owned by the data set. */
SPARCL_API const sparcl_data_info *sparcl_data_get_info(const sparcl_data *data);

/** Row offsets [rows + 1]. */
SPARCL_API const int64_t *sparcl_data_offsets(const sparcl_data *data);
/** SPARCL_INDEX32 when columns <= 2^31 - 1, else SPARCL_INDEX64. */
SPARCL_API sparcl_itype sparcl_data_index_type(const sparcl_data *data);
/** Column indices from 0 [entries], of type int32_t or int64_t as sparcl_data_index_type says. */
SPARCL_API const void *sparcl_data_indices(const sparcl_data *data);
/** Values [entries]. */
SPARCL_API const float *sparcl_data_values(const sparcl_data *data);
/** The field of each entry [entries], as written in libFFM text; NULL without fields. */
SPARCL_EXPERIMENTAL_API const int32_t *sparcl_data_fields(const sparcl_data *data);
/** The weight of each row [rows], such as the importance in Vowpal Wabbit text; NULL: all are 1. */
SPARCL_API const float *sparcl_data_weights(const sparcl_data *data);
/**
 * The tag of a row from 0, as sparcl_data_desc.row_tag keeps them; "": it has none. NULL: tags were
 * not kept, or there is no such row. Splits, copies and files of a data set do not have its tags.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_data_row_tag(const sparcl_data *data, int64_t row);
/** The word that a label of CSV was, see sparcl_data_info.label_words; NULL: labels are numbers, or
 * this is none of them. */
SPARCL_API const char *sparcl_data_label_name(const sparcl_data *data, double label);
/**
 * Call `each` for every word of the label in a description of the columns of CSV, in their order: a
 * label is the number of its word. None: labels are numbers.
 *
 * Errors    E_ARG: description or each is NULL; E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_csv_label_words(const char *description, void (*each)(void *user, const char *word),
                       void *user, sparcl_error *error);
/** The ids of users [users], or of nodes [rows] after compact_ids, ascending; NULL: none. */
SPARCL_EXPERIMENTAL_API const int64_t *sparcl_data_row_ids(const sparcl_data *data);
/** The ids of items [items], or of features [id_count] after compact_ids; ascending; NULL: none. */
SPARCL_EXPERIMENTAL_API const int64_t *sparcl_data_column_ids(const sparcl_data *data);
/** Both, of ratings and of edges after compact_ids, for sparcl_data_desc.known_ids; the data set
 * owns them. All zero: it has none. */
SPARCL_EXPERIMENTAL_API sparcl_known_ids sparcl_data_known_ids(const sparcl_data *data);
/** The number of columns that have an entry; -1: the entries are not in memory, as those of
 * streamed data, or there is no memory for counting. */
SPARCL_EXPERIMENTAL_API int64_t sparcl_data_used_columns(const sparcl_data *data);
/**
 * Write the ids as a map for sparcl_data_desc.ids: lines "user TAB id" and "item TAB id", or
 * "node TAB id", or "feature TAB id", in the order of the columns. The file is complete or not
 * there.
 *
 * Errors    E_ARG: a pointer is NULL, or the data has no ids. E_IO. E_MEMORY.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_data_save_ids(const sparcl_data *data, const char *path, sparcl_error *error);
/**
 * Write the binary form of a data set, which reads back as the same data with the same fingerprint:
 * its arrays at multiples of 64 bytes, each with a checksum. The file is complete or not there. A
 * plain file is mapped by sparcl_data_read and used in place: it must not change as long as the
 * data set lives. Not in it are what counts repairs, positions in the source, the words of labels,
 * and how columns were made: sparcl_data_csv_columns and sparcl_data_crosses.
 *
 * Errors    E_ARG: a pointer is NULL. E_IO.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_save(const sparcl_data *data,
                                                            const char *path, sparcl_error *error);
/**
 * Write the data in a format, with numbers that read back as the same. Rows without labels in the
 * data get the label 0 in the formats that have labels.
 *
 *   SPARCL     the binary form, as sparcl_data_save
 *   SVMLIGHT   LIBSVM text; indices from 0 where the data was read from such text, or its binary
 *              form, and that counts from 0; else from 1
 *   LIBFFM     the same with the fields, which the data must have
 *   VW         Vowpal Wabbit text: indices from 0 as names, which are read as indices, and weights
 *   CSV        a table with a heading, zeros included, of at most 2^30 numbers
 *   ARRAY      a NumPy array (.npy) of float32, zeros included, of at most 2^30 numbers; without
 *              the labels
 *   MTX        Matrix Market, coordinate real general; without the labels
 *   NPZ        an archive that scipy.sparse.load_npz reads as a csr matrix; its member labels.npy
 *              has the labels
 *   EDGES      "node node weight" of a square matrix, with the ids of compact_ids; without the
 *              labels. Nodes after the last edge are lost
 *   RATINGS    "user,item,rating", with their ids, of data that was read from ratings
 *   ADJACENCY  "row column column ...", values are 1; without the labels
 *   SMTX       sizes, offsets and indices; values are 1; without the labels
 *
 * MTX and NPZ say how ids became their columns (sparcl_data_read, "ids"). The file is complete or
 * not there; the memory is that of the file.
 *
 * Errors    E_ARG: a pointer is NULL, or the format cannot hold what the data has: fields, weights,
 *           other values than 1 and the like; the message says which.
 *           E_IO. E_MEMORY.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_export(const sparcl_data *data,
                                                              const char *path,
                                                              sparcl_data_format format,
                                                              sparcl_error *error);
/**
 * The description of the columns of a CSV file, for sparcl_data_desc.csv_columns, with the words
 * that dictionaries have found; NULL when the data was not read from CSV.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_data_csv_columns(const sparcl_data *data);
/**
 * The columns of a CSV file that have missing values: lines NAME,COUNT in the order of the
 * description; NULL when there are none.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_data_csv_missing(const sparcl_data *data);
/**
 * What was guessed of the columns of a CSV file that may be wrong, a line each, such as columns of
 * numbers that have other values, too, and how to say it otherwise, by the first 256 KiB; and how
 * many lines are no UTF-8, whose bytes are kept. NULL: nothing.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_data_csv_notes(const sparcl_data *data);
/**
 * The crosses of namespaces with which Vowpal Wabbit text was read, for sparcl_data_desc.crosses;
 * NULL: none. Those of CSV are in the description of its columns.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_data_crosses(const sparcl_data *data);
/**
 * The names in the file that are hashed to a column, where they were kept
 * (sparcl_data_desc.named_columns): "namespace^name" of Vowpal Wabbit text, "name" without a
 * namespace, "column=word" of CSV, also of sequences of words, or the id; of crosses
 * "a^x*b^y", or "a=x^b" and "a=x^b[1]" of CSV, where b is a number or its second range, and the
 * words of texts are "...". Of several the first
 * three in the order of their bytes, "a, b, c, ..."; of a long one the beginning. NULL: the file
 * has none. Not to be called by several threads at a time.
 */
SPARCL_API const char *sparcl_data_column_name(const sparcl_data *data, int64_t column);
/**
 * Write that description. The file is complete or not there.
 *
 * Errors    E_ARG: a pointer is NULL, or the data has none. E_IO.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_data_save_columns(const sparcl_data *data, const char *path, sparcl_error *error);
/**
 * Write the labels as a NumPy array (.npy) of float64, for sparcl_data_desc.labels. The file is
 * complete or not there.
 *
 * Errors    E_ARG: a pointer is NULL, or the data has not one label for each row. E_IO.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_data_save_labels(const sparcl_data *data, const char *path, sparcl_error *error);
/** Labels [label_count] as written, row by row; NULL when there are none. */
SPARCL_API const double *sparcl_data_labels(const sparcl_data *data);
/** Offsets of the labels of each row [rows + 1]; NULL unless read as multilabel. */
SPARCL_EXPERIMENTAL_API const int64_t *sparcl_data_label_offsets(const sparcl_data *data);
/**
 * The position of the label of row `row`, for the beginning of a message: "file:line:1", for .npz
 * with labels "labels.npy[row]"; for any other row only the name of the file. Of a long path only
 * the end is kept. Writes at most `bytes` bytes (at least 1) with a final 0, and returns `place`.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_data_place(const sparcl_data *data, int64_t row,
                                                      char *place, size_t bytes);
/** The line of row `row` in the file, from 1; 0 when the format has no lines. */
SPARCL_API int64_t sparcl_data_line(const sparcl_data *data, int64_t row);

/**
 * Copy a data set to the device: *matrix becomes its matrix, *labels its labels. Free both as other
 * views (sparcl/views.h); *data may be freed before. `labels` may be NULL: then they are not
 * copied.
 *
 * Shapes    matrix [rows, columns] with `entries` entries; labels [rows].
 * Types     F32, offsets I64, indices of sparcl_data_index_type.
 * Aliasing  the buffers are new; the previous contents of the two views are overwritten, not freed.
 * Result    the matrix is validated, and marked VALID, SORTED and UNIQUE; labels are those of the
 *           file, rounded to float.
 * Host      waits for the device.
 * Errors    E_ARG: NULL, or labels are requested and there is not one per row. E_MEMORY, and errors
 *           of the core. Both views are then without buffers, and `error`, where not NULL, says
 *           why.
 */
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_data_upload(sparcl_ctx *ctx,
                                                              const sparcl_data *data,
                                                              sparcl_csr *matrix,
                                                              sparcl_dense *labels,
                                                              sparcl_error *error);

/* --- parts of files, and rows of streamed data ------------------------------------------------ */

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
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_data_parts_open(sparcl_data_parts **parts, const char *path, const sparcl_data_desc *desc,
                       int64_t bytes, sparcl_error *error);

/**
 * The next part, a data set with its own info and lines of the file, to be freed with
 * sparcl_data_free; *part is NULL after the last one.
 *
 * Errors    as sparcl_data_read, after all complete parts before; the same again when it is called
 *           again. *part is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status
sparcl_data_parts_next(sparcl_data_parts *parts, sparcl_data **part, sparcl_error *error);

/** End reading, also before the last part. NULL is allowed. */
SPARCL_EXPERIMENTAL_API void sparcl_data_parts_close(sparcl_data_parts *parts);

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

/* --- columns that were read from CSV ---------------------------------------------------------- */

/** The columns of a matrix that was read from CSV. Owned. */
typedef struct sparcl_csv_columns sparcl_csv_columns;

/**
 * The columns that a description gives a matrix: sparcl_model_info.csv_description of a model, or
 * sparcl_data_csv_columns of data. `width` is the number of its columns; where that is not as the
 * description says, columns at the end have no name.
 *
 * Errors    E_ARG: a pointer is NULL, or width is negative; E_FORMAT: the description is none, with
 *           the position in it; E_MEMORY. *columns is then NULL.
 */
SPARCL_EXPERIMENTAL_API SPARCL_MUST_CHECK sparcl_status sparcl_csv_columns_create(
    sparcl_csv_columns **columns, const char *description, int64_t width, sparcl_error *error);
/** Free it. NULL is allowed. */
SPARCL_EXPERIMENTAL_API void sparcl_csv_columns_free(sparcl_csv_columns *columns);

/**
 * Write the name of column `column` of the matrix, from 0: "age" of a column of numbers,
 * "log(1 + |visits|)", "18 <= age < 65" of a range, "city=Paris" of a word; "hash 7" of words and
 * texts that are hashed, of which several may have the column; "" without a name. Writes at most
 * `bytes` bytes (at least 1) with a final 0, of a longer name the beginning, and returns `name`.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_csv_columns_name(const sparcl_csv_columns *columns,
                                                            int64_t column, char *name,
                                                            size_t bytes);
/**
 * The column of the matrix to which a word or text is hashed, by "column=word", or "column=a b" of
 * words of a text in lower case; or a cross: "city=Paris^age" of a word and a number,
 * "city=Paris^age[1]" of the second range of a number. -1: no column of this name is hashed.
 */
SPARCL_EXPERIMENTAL_API int64_t sparcl_csv_columns_hashed(const sparcl_csv_columns *columns,
                                                          const char *name);
/**
 * The standard deviation of column `column` of the matrix, as far as the description says it: 1 of
 * numbers that it standardizes with a mean; NaN: it does not say it.
 */
SPARCL_EXPERIMENTAL_API double sparcl_csv_columns_deviation(const sparcl_csv_columns *columns,
                                                            int64_t column);

/**
 * Which of `count` columns are users, items and ratings by their names, such as "userId", "movieId"
 * and "rating", as data of the format "ratings" are read: found[0], [1] and [2], from 0; found[2]
 * is -1 where there are no ratings. Only the first 128 names are looked at. Returns 1 where names
 * say which are users and items; else 0: these are the first columns.
 */
SPARCL_EXPERIMENTAL_API int sparcl_rating_columns(const char *const *names, int64_t count,
                                                  int64_t found[3]);

/**
 * 1: the only features are two dictionaries, the words of users, then those of items, as of ratings
 * whose users and items are words. *users and *items become the numbers of words, and the columns
 * of the matrix are users + items; 0: they are something else, and both are unchanged.
 */
SPARCL_EXPERIMENTAL_API int sparcl_csv_columns_pairs(const sparcl_csv_columns *columns,
                                                     int64_t *users, int64_t *items);
/**
 * The word of a dictionary that has column `column` of the matrix, from 0, of *length bytes, which
 * may have any value and do not end in NUL; NULL: the column is none of a dictionary.
 */
SPARCL_EXPERIMENTAL_API const char *sparcl_csv_columns_word(const sparcl_csv_columns *columns,
                                                            int64_t column, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
