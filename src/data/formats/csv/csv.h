/* csv.h: what the columns of a CSV file mean, and its reader. */
#ifndef SPC_DATA_CSV_H
#define SPC_DATA_CSV_H

#include "data/formats/csv/csv_form.h"
#include "data/formats/csv/csv_ids.h"
#include "data/formats/csv/csv_text.h"
#include "data/formats/rating_names.h"
#include "data/io/hashes.h"
#include "data/io/input.h"
#include "data/io/word_set.h"
#include "data/set/crosses.h"
#include "data/set/kept_names.h"

typedef enum spc_csv_kind {
    SPC_CSV_LABEL,
    SPC_CSV_WEIGHT,
    SPC_CSV_SKIP,
    SPC_CSV_NUMERIC,
    SPC_CSV_LOG,
    SPC_CSV_BUCKETS,
    SPC_CSV_HASHED,
    SPC_CSV_DICTIONARY,
    SPC_CSV_TEXT,
    SPC_CSV_CROSS,
    SPC_CSV_TFIDF, /* in descriptions: a text whose words are weighted */
    SPC_CSV_AUTO,  /* in descriptions: what the values of other columns look like */
    SPC_CSV_KINDS
} spc_csv_kind;

/* The numbers at the beginning of a column, and how many words its other values have. */
typedef struct spc_csv_sample {
    int64_t texts, words;
    int64_t count, zeros;
    double least, most, sum, squares;
    double log_sum, log_squares; /* of the logarithms, as the kind log has them */
} spc_csv_sample;

typedef struct spc_csv_column {
    spc_csv_kind kind;
    int64_t field;      /* of a record; -1: the file does not have it */
    int64_t line;       /* of the description, from 1 */
    int32_t number;     /* among the columns of features: the field of their entries */
    int64_t first;      /* the index of its first column of the matrix */
    uint64_t seed;      /* of the hashes of its values */
    spc_array bounds;   /* double, ascending: of buckets */
    spc_word_set words; /* of a dictionary, or a label; of a cross the names of its columns */
    int64_t crossed[2]; /* the columns of a cross */
    bool is_crossed;    /* it is one of those of a cross */
    bool is_guessed;    /* from its values */
    bool learns;        /* the file has the words of the dictionary, or of the label */
    spc_array learnt;   /* int64_t: the index of each word as long as blocks are read */
    spc_csv_sample sample;
    spc_csv_form form; /* of its numbers */
    int ngrams;        /* text: sequences of up to that many words */
    bool is_weighted;  /* text: tf-idf */
    int64_t texts;     /* the rows in which they were counted; 0: they are to be counted */
    spc_array frequencies, weights, counts; /* of csv_tfidf.c */
    bool standardizes;  /* numbers: their mean and scale are computed when all are read */
    bool keeps_zeros;   /* numbers: a zero is an entry */
    double mean, scale; /* numbers: x becomes (x - mean) / scale; scale 0: it stays as it is */
} spc_csv_column;

/* How a file is read. */
typedef struct spc_csv {
    const sparcl_data_desc *desc;
    const char *name; /* of the file */
    const sparcl_allocator *allocator;
    sparcl_error *error;
    char delimiter;
    bool heading;      /* the first record has names */
    spc_array names;   /* spc_csv_field: the first record, or numbers in its place */
    spc_array columns; /* spc_csv_column, in the order of the description */
    spc_word_set column_names;
    spc_array fields; /* int32_t: the column of each field of a record */
    int bits;         /* of hashes; 0: no column is hashed */
    spc_owner *owners;
    spc_kept_names *kept; /* or NULL */
    int64_t width;        /* columns of the matrix; grows with the words of dictionaries */
    bool learns;          /* any column */
    bool has_text;        /* any column */
    bool counts;          /* words of a text are counted: the file will be read again */
    bool standardizes;    /* columns of numbers whose description has no mean and scale */
    spc_array moments;    /* of csv_numbers.c */
    spc_array missing;    /* int64_t: missing values of each column */
    spc_array notes;      /* char: what was guessed that may be wrong, a line each */
    int64_t lines;        /* in the blocks that were added, and before them */
    int64_t not_utf8, first_not_utf8; /* lines that are no UTF-8, the first one from 0 */
    char decimal;          /* the mark of columns that are guessed, where any is certain; or 0 */
    spc_crossing crossing; /* of the columns, where any is crossed */
    bool is_ratings;       /* fields are a user, an item, the label, and what is not used */
    spc_rating_fields ratings; /* where these are, of is_ratings */
    bool guesses;        /* the label is the first column, for want of anything that names it */
    int64_t tag;         /* the field of the tags of rows; -1: none */
    bool guesses_others; /* columns that the description does not name */
    int64_t others;      /* columns that are skipped, as csv_description does not have them */
    spc_csv_form others_form; /* of columns that the description does not name */
    int known_labels; /* columns with a name that labels usually have; 0 where it is given */
} spc_csv;

static inline spc_csv_column *spc_csv_columns(const spc_csv *csv) {
    return csv->columns.at;
}

static inline int64_t spc_csv_column_count(const spc_csv *csv) {
    return (int64_t)(csv->columns.used / sizeof(spc_csv_column));
}

static inline int64_t spc_csv_field_count(const spc_csv *csv) {
    return (int64_t)(csv->names.used / sizeof(spc_csv_field));
}

/* The line of the first record, from 1. */
static inline int64_t spc_csv_first_line(const spc_csv *csv) {
    return ((const spc_csv_field *)csv->names.at)->line + 1;
}

/* Whether the columns are not guessed, and where the description stands, for messages. */
static inline bool spc_csv_is_described(const spc_csv *csv) {
    return csv->desc->csv_columns || csv->desc->csv_description;
}

static inline const char *spc_csv_description_name(const spc_csv *csv) {
    return csv->desc->csv_columns ? csv->desc->csv_columns : "the columns of the training data";
}

/* The names of kinds, as descriptions have them. */
extern const char *const spc_csv_kind_names[SPC_CSV_KINDS];

/* Add a column without values. */
SPARCL_MUST_CHECK sparcl_status spc_csv_add_column(spc_csv *csv, const char *name, size_t length,
                                                   spc_csv_kind kind, int64_t line);

/* The number of a column, or -1. */
static inline int64_t spc_csv_find_column(const spc_csv *csv, const char *name, size_t length) {
    return spc_word_find(&csv->column_names, name, length);
}

/* csv_columns.c: read the description. *others becomes the kind of columns that it does not name,
 * or SPC_CSV_KINDS. */
SPARCL_MUST_CHECK sparcl_status spc_csv_read_description(spc_csv *csv, spc_csv_kind *others);

/* csv_places.c: whether ratings without the names of a model's columns are read by the places of
 * their fields: the first record is then a row where it has a known user or item. */
bool spc_csv_has_places(spc_csv *csv);
SPARCL_MUST_CHECK sparcl_status spc_csv_match_places(spc_csv *csv);

/* csv_plan.c: from the beginning of a file, decide what its columns are, and number those of the
 * matrix. */
SPARCL_MUST_CHECK sparcl_status spc_csv_plan(spc_csv *csv, spc_csv_text *text);

/* E_FORMAT at a field of the first record: why; or what is wrong with its name, "expected ...". */
sparcl_status spc_csv_refuse_at(const spc_csv *csv, const spc_csv_field *field, const char *why);
sparcl_status spc_csv_refuse_name(const spc_csv *csv, const spc_csv_field *field,
                                  const char *expected, const char *remedy);

enum { SPC_CSV_NAME_BYTES = 32 };

/* csv_label.c: the name of a field: without a heading the number of its column, from 1, in
 * `number`; one that the heading does not name, as pandas has it. */
const char *spc_csv_field_name(const spc_csv *csv, int64_t i, char number[SPC_CSV_NAME_BYTES],
                               size_t *length);
bool spc_csv_is_unnamed(const spc_csv *csv, int64_t i);

/* The field of the label: that of desc->csv_label, or without a description that of a
 * known name, of which there are *known, or the first; -1: the description says it. E_FORMAT: there
 * is none of this name or number. */
SPARCL_MUST_CHECK sparcl_status spc_csv_find_label(const spc_csv *csv, int64_t *field, int *known);

/* The heading has a name that labels usually have. */
bool spc_csv_has_label_name(const spc_csv *csv);

/* The field of the tags of rows, that of desc->row_tag; -1: none is wanted. E_FORMAT as above. */
SPARCL_MUST_CHECK sparcl_status spc_csv_find_tag(const spc_csv *csv, int64_t *field);

/* The field of the name or number that is given; `use` is what for. E_FORMAT: there is none. */
SPARCL_MUST_CHECK sparcl_status spc_csv_find_given(const spc_csv *csv, const char *given,
                                                   const char *use, int64_t *field);

/* csv_crosses.c: find the columns of the crosses that are described, and add those that
 * desc->crosses requests. */
SPARCL_MUST_CHECK sparcl_status spc_csv_find_crosses(spc_csv *csv);
SPARCL_MUST_CHECK sparcl_status spc_csv_plan_crosses(spc_csv *csv);

/* The name of the left (0) or right (1) column of a cross. */
void spc_csv_cross_name(const spc_csv_column *cross, int side, const char **name, size_t *length);

/* The crosses, as a row is read; its `crosses` are to be freed. */
SPARCL_MUST_CHECK sparcl_status spc_csv_make_crossing(const spc_csv *csv, spc_crossing *how);
spc_cross_room spc_csv_cross_room(const spc_block *block, const spc_block_rules *rules);

/* E_FORMAT: the description that was read says something else of this field (-1: none), or of the
 * label. */
SPARCL_MUST_CHECK sparcl_status spc_csv_check_label(const spc_csv *csv, int64_t field);

/* Number the columns of the matrix: first those of what is hashed, which all share; then those of
 * each column of the description. */
void spc_csv_number_columns(spc_csv *csv);

/* How many columns of the matrix a column of the file has of its own. */
int64_t spc_csv_own_width(const spc_csv_column *column);

/* csv.c */
void spc_csv_free(spc_csv *csv);

/* csv_finish.c: number the words of dictionaries by their columns, and write the description. */
SPARCL_MUST_CHECK sparcl_status spc_csv_finish(spc_csv *csv, sparcl_data *data);

#endif
