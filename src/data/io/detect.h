/* detect.h: the format of a file, found from its content. */
#ifndef SPC_DATA_DETECT_H
#define SPC_DATA_DETECT_H

#include "data/formats/formats.h"
#include "data/formats/rating_names.h"
#include "data/io/input.h"
#include "data/io/sample.h"

/* spc_is_svmlight and so on: whether the content is of a format that is FOUND, and of none that is
 * more certain. */
#define SPC_IS_FOUND(word) bool spc_is_##word(const spc_sample *sample);
#define SPC_IS_NAMED(word)
#define SPC_IS(NAME, word, found, flags, to, endings, help) SPC_IS_##found(word)
SPC_FORMATS(SPC_IS)
#undef SPC_IS_FOUND
#undef SPC_IS_NAMED
#undef SPC_IS

/* The format of what `input` begins with, which is not consumed. What is not certain is LIBSVM
 * text, whose reader says what is wrong. E_FORMAT: it looks like a table of one column. */
SPARCL_MUST_CHECK sparcl_status spc_detect(spc_input *input, spc_csv_sign sign,
                                           sparcl_data_format *format, sparcl_error *error);

/* Whether a row of ratings, of what `input` begins with, has a word in place of a user's or an
 * item's id. A first line without digits is a heading, which may say where these are. */
SPARCL_MUST_CHECK sparcl_status spc_detect_word_ids(spc_input *input, spc_rating_heading *heading,
                                                    bool *words, sparcl_error *error);

#endif
