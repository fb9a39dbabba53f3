/* sample.h: what a file begins with, from which its format is found. */
#ifndef SPC_DATA_SAMPLE_H
#define SPC_DATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

/* What a caller says of a file: nothing; what the columns are, if it is CSV; something that only
 * CSV has, such as the name of its label. */
typedef enum spc_csv_sign { SPC_NO_SIGN, SPC_CSV_IF_TABLE, SPC_CSV_IF_TEXT } spc_csv_sign;

/* The content, as far as it was read; or a part of it, without what a caller says. */
typedef struct spc_sample {
    const char *at, *end;
    spc_csv_sign sign;
} spc_sample;

bool spc_sample_begins(const spc_sample *sample, const char *bytes, size_t size);

/* The next line that is not blank and is no comment, up to a "#" in it; false after the last that
 * is complete, or all of the content. */
bool spc_sample_row(spc_sample *rest, spc_sample *row);

/* Whether the word is somewhere in it, in capital or small letters. */
bool spc_sample_has(const spc_sample *sample, const char *word);

#endif
