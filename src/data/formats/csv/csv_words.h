/* csv_words.h: the words of a text as hashed columns. */
#ifndef SPC_DATA_CSVWORDS_H
#define SPC_DATA_CSVWORDS_H

#include <stdatomic.h>
#include <stdint.h>

#include "data/io/hashes.h"
#include "data/set/kept_names.h"

enum { SPC_CSV_NGRAM_MAX = 3, SPC_CSV_NGRAM_USUAL = 2 };

typedef _Atomic uint32_t spc_csv_count;

typedef struct spc_csv_hashing {
    int ngrams;            /* sequences of up to that many words */
    uint64_t seed;         /* of the hashes */
    int bits;              /* of the columns */
    spc_owner *owners;     /* of the columns, or NULL */
    spc_kept_names *kept;  /* or NULL */
    spc_name_part name;    /* of the column of the file */
    const float *weights;  /* of the columns, or NULL: 1 */
    spc_csv_count *counts; /* of texts that have a column, or NULL */
} spc_csv_hashing;

/*
 * Columns, ascending, and values of a text, which is changed: one for each different sequence of
 * words, how often it occurs, times its weight, divided by the root of the sum of the squares. A
 * word is two or more bytes of ASCII letters, which are taken in lower case, digits, "_", and bytes
 * of other characters; the name of a sequence has one blank between words. Returns their number, at
 * most length + 1.
 */
int64_t spc_csv_hash_words(const spc_csv_hashing *how, char *text, size_t length, int64_t *columns,
                           float *values);

#endif
