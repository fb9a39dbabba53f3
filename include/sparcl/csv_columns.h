/* csv_columns.h: what each column of the matrix is that was read from CSV (libsparcl-train). */
#ifndef SPARCL_CSV_COLUMNS_H
#define SPARCL_CSV_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "sparcl/status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
SPARCL_API SPARCL_MUST_CHECK sparcl_status sparcl_csv_columns_create(sparcl_csv_columns **columns,
                                                                     const char *description,
                                                                     int64_t width,
                                                                     sparcl_error *error);
/** Free it. NULL is allowed. */
SPARCL_API void sparcl_csv_columns_free(sparcl_csv_columns *columns);

/**
 * Write the name of column `column` of the matrix, from 0: "age" of a column of numbers,
 * "log(1 + |visits|)", "18 <= age < 65" of a range, "city=Paris" of a word; "hash 7" of words and
 * texts that are hashed, of which several may have the column; "" without a name. Writes at most
 * `bytes` bytes (at least 1) with a final 0, of a longer name the beginning, and returns `name`.
 */
SPARCL_API const char *sparcl_csv_columns_name(const sparcl_csv_columns *columns, int64_t column,
                                               char *name, size_t bytes);
/**
 * The column of the matrix to which a word or text is hashed, by "column=word", or "column=a b" of
 * words of a text in lower case; or a cross: "city=Paris^age" of a word and a number,
 * "city=Paris^age[1]" of the second range of a number. -1: no column of this name is hashed.
 */
SPARCL_API int64_t sparcl_csv_columns_hashed(const sparcl_csv_columns *columns, const char *name);
/**
 * The standard deviation of column `column` of the matrix, as far as the description says it: 1 of
 * numbers that it standardizes with a mean; NaN: it does not say it.
 */
SPARCL_API double sparcl_csv_columns_deviation(const sparcl_csv_columns *columns, int64_t column);

/**
 * Which of `count` columns are users, items and ratings by their names, such as "userId", "movieId"
 * and "rating", as data of the format "ratings" are read: found[0], [1] and [2], from 0; found[2]
 * is -1 where there are no ratings. Only the first 128 names are looked at. Returns 1 where names
 * say which are users and items; else 0: these are the first columns.
 */
SPARCL_API int sparcl_rating_columns(const char *const *names, int64_t count, int64_t found[3]);

/**
 * 1: the only features are two dictionaries, the words of users, then those of items, as of ratings
 * whose users and items are words. *users and *items become the numbers of words, and the columns
 * of the matrix are users + items; 0: they are something else, and both are unchanged.
 */
SPARCL_API int sparcl_csv_columns_pairs(const sparcl_csv_columns *columns, int64_t *users,
                                        int64_t *items);
/**
 * The word of a dictionary that has column `column` of the matrix, from 0, of *length bytes, which
 * may have any value and do not end in NUL; NULL: the column is none of a dictionary.
 */
SPARCL_API const char *sparcl_csv_columns_word(const sparcl_csv_columns *columns, int64_t column,
                                               size_t *length);

#ifdef __cplusplus
}
#endif

#endif
