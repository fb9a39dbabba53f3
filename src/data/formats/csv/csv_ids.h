/* csv_ids.h: finds columns of CSV that are ids of rows, and not quantities. */
#ifndef SPC_DATA_CSVIDS_H
#define SPC_DATA_CSVIDS_H

#include "data/formats/csv/csv_text.h"
#include "data/io/word_set.h"

/* What the values of a column were so far; all zero: there were none. */
typedef struct spc_csv_values {
    int64_t count;      /* without missing ones */
    bool other;         /* one is no whole number */
    bool jumps;         /* one is not the one before it plus 1 */
    bool is_large;      /* one is beyond 2^53, from where on double does not hold all */
    bool repeats;       /* two are equal, from the first large one on */
    int64_t last;       /* where it does not jump */
    spc_word_set words; /* from the first large one on, until one repeats: few columns have any */
} spc_csv_values;

/* What is done with whole numbers instead of computing with them. */
typedef enum spc_csv_use { SPC_CSV_COMPUTE, SPC_CSV_LEAVE_OUT, SPC_CSV_HASH } spc_csv_use;

SPARCL_MUST_CHECK sparcl_status spc_csv_values_add(spc_csv_values *values,
                                                   const spc_csv_field *field,
                                                   const sparcl_allocator *allocator,
                                                   sparcl_error *error);

/* Numbers of more than 20 rows that count up, and large ones that all differ, are left out; large
 * ones that repeat are names. */
spc_csv_use spc_csv_values_use(const spc_csv_values *values);

void spc_csv_values_free(spc_csv_values *values, const sparcl_allocator *allocator);

#endif
