/* csv_shape.h: what the first records of text look like, that may be CSV; nothing is changed. */
#ifndef SPC_DATA_CSVSHAPE_H
#define SPC_DATA_CSVSHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "data/formats/csv/csv_text.h"

/* What there is in a column of the first record, and of the second. */
typedef enum spc_csv_look { SPC_CSV_NOTHING, SPC_CSV_A_NUMBER, SPC_CSV_A_WORD } spc_csv_look;

enum { SPC_CSV_LOOKS = 256 }; /* fields that are looked at; a record may have more */

typedef struct spc_csv_record {
    int64_t fields; /* 0: there is none */
    bool is_cut;    /* it goes on after the text */
    bool has_pairs; /* a word of it has a digit before a colon, as index:value has */
    bool counts;    /* its first field is empty, the others are 0, 1, ... */
    spc_csv_look looks[SPC_CSV_LOOKS];
    bool is_value[SPC_CSV_LOOKS]; /* it has digits, and no more letters */
} spc_csv_record;

typedef struct spc_csv_shape {
    char delimiter;
    const char *next; /* behind the first record */
    spc_csv_record first, second;
    int unnamed; /* columns that the heading does not name: -1: before it, where the first fields
                  * of the rows look as names of rows; 1: behind it, where each row ends in a
                  * delimiter; 0: none */
} spc_csv_shape;

spc_csv_shape spc_csv_shape_of(const char *text, const char *end, char delimiter);

/* The fields of a record that are looked at, and how many of them look so. */
static inline int64_t spc_csv_looked_at(const spc_csv_record *r) {
    return r->fields < SPC_CSV_LOOKS ? r->fields : SPC_CSV_LOOKS;
}
int64_t spc_csv_count_looks(const spc_csv_record *r, spc_csv_look look);

/* Behind lines of comments, which begin with "#", and have another number of fields than the next
 * line, or a heading below. */
const char *spc_csv_after_comments(const char *text, const char *end, char delimiter);

/* csv_title.c: behind titles, with blank lines and comments between them and the heading below,
 * which has two rows of as many fields; `text` where it is not clear that there are some. */
const char *spc_csv_after_titles(const char *text, const char *end, char delimiter);

/* The first record has names: words alone; or numbers beside words where the second record has
 * numbers under words; or 0, 1, ... after an empty name, where the second record has something
 * under that. The first name and the last one may be empty. */
bool spc_csv_has_names(const spc_csv_shape *shape);

/* The first two records have words alone, and some, but not all, of the first are those of a record
 * below: it is a row. */
bool spc_csv_repeats_first(const char *text, const char *end, char delimiter);

/* The text is a table: records of two fields and more, as many in the first two. */
bool spc_csv_is_table(const spc_csv_shape *shape);

/* A field that stands for a missing value: empty, or a word such as NA, nan, null or "?". */
bool spc_csv_is_missing(const char *at, size_t length);

#endif
