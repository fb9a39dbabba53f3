/* csv_guess.h: guesses the columns of a CSV file that nothing describes. */
#ifndef SPC_DATA_CSVGUESS_H
#define SPC_DATA_CSVGUESS_H

#include "data/formats/csv/csv.h"

/* What the values of a column are, at the beginning of a file. */
typedef struct spc_csv_evidence {
    int64_t values, plain; /* without missing ones; those that are plain numbers */
    int64_t read[2];       /* those that are numbers with a decimal point, and with a comma */
    spc_csv_sample numbers[2];
    char unit[SPC_CSV_UNIT_BYTES]; /* of the first number, and of all that are counted in read */
    spc_csv_field marked;          /* the first number with a mark or a unit; at NULL: none */
    bool has_mark;                 /* a number has a point or a comma */
    spc_csv_field other[3];        /* the first that is not plain, nor one of `read` */
    bool others_differ[3];         /* from it */
    spc_csv_values ids;            /* of csv_ids.c */
    spc_word_set words;            /* the different values */
} spc_csv_evidence;

/* Add the columns; `text` is what comes after the first record. Notes are added to csv->notes. */
SPARCL_MUST_CHECK sparcl_status spc_csv_guess(spc_csv *csv, spc_csv_text text, int64_t label);

/* The same of the columns that the description does not name; the text stays as it is. */
SPARCL_MUST_CHECK sparcl_status spc_csv_guess_others(spc_csv *csv, spc_csv_text text,
                                                     int64_t label);

/* csv_guess_form.c: decide from evidence [columns] which columns are numbers, how these are
 * written, and which labels are words. */
void spc_csv_guess_forms(spc_csv *csv, const spc_csv_evidence *evidence);

/* How many values are numbers in this form, and the first one that is none, of `other`. */
int64_t spc_csv_form_count(const spc_csv_evidence *e, const spc_csv_form *form);
const spc_csv_field *spc_csv_form_other(const spc_csv_evidence *e, const spc_csv_form *form);

/* The form in which most values are numbers; *is_open: marks do not say which of two. */
spc_csv_form spc_csv_best_form(const spc_csv *csv, const spc_csv_evidence *e, bool *is_open);

/* csv_notes.c: what was decided that may be wrong, a line each. */
SPARCL_MUST_CHECK sparcl_status spc_csv_note_guesses(spc_csv *csv,
                                                     const spc_csv_evidence *evidence);

#endif
