/* detect.h: the format of a file, found from its content. */
#ifndef SPC_DATA_DETECT_H
#define SPC_DATA_DETECT_H

#include "data/formats/rating_names.h"
#include "data/io/input.h"

/* What a caller says of a file: nothing; what the columns are, if it is CSV; something that only
 * CSV has, such as the name of its label. */
typedef enum spc_csv_sign { SPC_NO_SIGN, SPC_CSV_IF_TABLE, SPC_CSV_IF_TEXT } spc_csv_sign;

/* The format of what `input` begins with, which is not consumed. What is not certain is LIBSVM
 * text, whose reader says what is wrong. E_FORMAT: it looks like a table of one column. */
SPARCL_MUST_CHECK sparcl_status spc_detect(spc_input *input, spc_csv_sign sign,
                                           sparcl_data_format *format, sparcl_error *error);

/* Whether a row of ratings, of what `input` begins with, has a word in place of a user's or an
 * item's id. A first line without digits is a heading, which may say where these are. */
SPARCL_MUST_CHECK sparcl_status spc_detect_word_ids(spc_input *input, spc_rating_heading *heading,
                                                    bool *words, sparcl_error *error);

#endif
