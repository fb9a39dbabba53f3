/* text_formats.h: the formats of text with one row per line, read by several threads. */
#ifndef SPC_DATA_TEXTFORMATS_H
#define SPC_DATA_TEXTFORMATS_H

#include <stdbool.h>

#include "data/io/input.h"

/* Rows without a label are no rows of the data. */
bool spc_leaves_out_unlabelled(const sparcl_data_desc *desc);

/* csv.c: the reader of ratings whose users and items are words, each a column: a dictionary. */
SPARCL_MUST_CHECK sparcl_status spc_csv_read_ratings(sparcl_data *data, spc_input *input,
                                                     const sparcl_data_desc *desc,
                                                     sparcl_error *error);
/* The words of users and of items in a table whose only features are two dictionaries; of others
 * E_FORMAT, with the remedy. */
SPARCL_MUST_CHECK sparcl_status spc_pairs_count_words(const sparcl_data *data, int64_t *users,
                                                      int64_t *items, sparcl_error *error);

#endif
