/* csv_tfidf.h: columns of text whose sequences of words are weighted by how rare they are: tf-idf.
 */
#ifndef SPC_DATA_CSVTFIDF_H
#define SPC_DATA_CSVTFIDF_H

#include "data/formats/csv/csv.h"

/* In how many texts a hashed column occurs, where these are two or more. */
typedef struct spc_csv_frequency {
    int64_t column, count;
} spc_csv_frequency;

/* Before rows are read: the weights log((1 + N) / (1 + n)) + 1 of a column in n of N texts, of the
 * description; without them occurrences are counted. Columns that the description does not have are
 * in one text. E_MEMORY. */
SPARCL_MUST_CHECK sparcl_status spc_csv_begin_tfidf(spc_csv *csv);

/* After them: the description gets what was counted, and the file must be read again with it. */
SPARCL_MUST_CHECK sparcl_status spc_csv_finish_tfidf(spc_csv *csv, sparcl_data *data);

#endif
