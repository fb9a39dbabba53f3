/* input_file.h: reads data files, and defines the options for it. */
#ifndef SPARCL_TOOL_INPUT_FILE_H
#define SPARCL_TOOL_INPUT_FILE_H

#include <stdbool.h>

#include "data/formats/formats.h"
#include "exit_codes.h"
#include "options.h"
#include "sparcl/data.h"
#include "sparcl/ops/losses.h"

/* The origin of the expected width and index base, which decides how to fix a file that contradicts
 * them. */
typedef enum input_role {
    INPUT_OWN,       /* the command line, or the file itself */
    INPUT_VALIDATES, /* the training file */
    INPUT_APPLIED    /* the model */
} input_role;

/* The options for reading a data file; zero is the default. */
typedef struct input_options {
    input_role role;
    const char *labels, *weights, *spill;
    int format; /* position in FORMAT_WORDS */
    int64_t columns;
    int index_base; /* a sparcl_index_base */
    int strict, multilabel, widen, stream;
    int64_t hash_bits;
    int symmetric, compact_ids;
    const char *id_map;
    const int64_t *feature_ids; /* no option: those of the model, or of the training data; NULL */
    int64_t feature_id_count;
    sparcl_known_ids known_ids; /* no option: the same of users and items, or nodes */
    bool labelled_only;         /* no option: rows without a label are left out */
    bool ranks;                 /* no option: ratings become what users have */
    bool ratings;               /* no option: what may be CSV is ratings */
    const char *csv_columns, *csv_label, *row_tag;
    const char *crosses;         /* as sparcl_data_desc has them */
    const char *csv_description; /* no option: that of the model, or of the training data; NULL */
    int csv_heading;             /* a sparcl_heading */
    int csv_delimiter;           /* position in CSV_DELIMITERS */
    int csv_decimal;             /* position in CSV_DECIMALS */
    int csv_numbers;             /* a csv_numbers */
    int csv_tfidf;               /* position in counts, tfidf */
    int csv_fields;              /* no option: something reads the fields of entries */
    double scale;                /* 0: none */
    int64_t users;               /* 0: the file is no adjacency of users and items */
} input_options;

#define OPTION_LABELS(in)                                                                          \
    {                                                                                              \
        .name = "labels", .type = OPTION_TEXT, .value = &(in).labels, .argument = "FILE",          \
        .file = FILE_READ, .help = "labels of a file that has none: .npy, IDX or FILE.npz:MEMBER"  \
    }
#define OPTION_WEIGHTS(in)                                                                         \
    {                                                                                              \
        .name = "weights", .type = OPTION_TEXT, .value = &(in).weights, .argument = "FILE",        \
        .file = FILE_READ,                                                                         \
        .help = "weights of rows, as --labels: factors of losses and in metrics"                   \
    }
#define OR_FORMAT(NAME, word, ...) "|" #word
#define FORMAT_WORDS               "auto" SPC_FORMATS(OR_FORMAT)
#define OPTION_SPILL(in)                                                                           \
    {                                                                                              \
        .name = "spill", .type = OPTION_TEXT, .value = &(in).spill, .argument = "FOLDER",          \
        .file = FOLDER_USED,                                                                       \
        .help = "keep large arrays in files there: data may be larger than memory"                 \
    }
#define OPTION_STREAM(in)                                                                          \
    {                                                                                              \
        .name = "stream", .type = OPTION_FLAG, .value = &(in).stream, .set = 1,                    \
        .help = "text: keep no entries, read them again in each pass, in order"                    \
    }
#define OPTION_FORMAT(in)                                                                          \
    {                                                                                              \
        .name = "format", .type = OPTION_CHOICE, .value = &(in).format, .argument = "FORMAT",      \
        .choices = FORMAT_WORDS,                                                                   \
        .help = "as in 'sparcl help data'; default: found from the content"                        \
    }
#define OPTION_SYMMETRIC(in)                                                                       \
    {                                                                                              \
        .name = "symmetric", .type = OPTION_FLAG, .value = &(in).symmetric, .set = 1,              \
        .help = "edges: a pair of nodes is an edge in both directions"                             \
    }
#define OPTION_COMPACT_IDS(in)                                                                     \
    {                                                                                              \
        .name = "compact-ids", .type = OPTION_FLAG, .value = &(in).compact_ids, .set = 1,          \
        .help = "indices, edges: number the ids that occur, in ascending order"                    \
    }
#define OPTION_ID_MAP(in)                                                                          \
    {                                                                                              \
        .name = "id-map", .type = OPTION_TEXT, .value = &(in).id_map, .argument = "FILE",          \
        .file = FILE_READ, .help = "the numbers of ids, from 'inspect --save-ids'"                 \
    }
#define CSV_DELIMITERS "auto|comma|tab|semicolon|bar|blank|colon"
#define CSV_DECIMALS   "auto|point|comma"
#define OPTIONS_OF_CSV(in)                                                                         \
    {.name = "label",                                                                              \
     .type = OPTION_TEXT,                                                                          \
     .value = &(in).csv_label,                                                                     \
     .argument = "NAME|NUMBER",                                                                    \
     .help = "CSV: the column of the label; default: by its name"},                                \
        {.name = "csv-columns",                                                                    \
         .type = OPTION_TEXT,                                                                      \
         .value = &(in).csv_columns,                                                               \
         .argument = "FILE",                                                                       \
         .file = FILE_READ,                                                                        \
         .help = "CSV: what each column is, a line NAME,KIND each (sparcl help csv)"},             \
        {.name = "csv-heading",                                                                    \
         .type = OPTION_CHOICE,                                                                    \
         .value = &(in).csv_heading,                                                               \
         .choices = "auto|yes|no",                                                                 \
         .help = "CSV: the first record has the names of the columns"},                            \
        {.name = "csv-decimal",                                                                    \
         .type = OPTION_CHOICE,                                                                    \
         .value = &(in).csv_decimal,                                                               \
         .choices = CSV_DECIMALS,                                                                  \
         .help = "CSV: the decimal mark; default: found for each column"},                         \
    {                                                                                              \
        .name = "csv-delimiter", .type = OPTION_CHOICE, .value = &(in).csv_delimiter,              \
        .argument = "WORD", .choices = CSV_DELIMITERS,                                             \
        .help = "comma, tab, semicolon, bar, blank or colon; default: found"                       \
    }
/* As they are; counts over orders of magnitude as logarithms; with the mean 0 and the deviation 1;
 * or both. */
typedef enum csv_numbers {
    NUMBERS_RAW,
    NUMBERS_LOG,
    NUMBERS_STANDARDIZED,
    NUMBERS_AUTO
} csv_numbers;
#define CSV_NUMBERS "raw|log|standardized|auto"
#define OPTION_CSV_NUMBERS(in, text)                                                               \
    {                                                                                              \
        .name = "csv-numbers", .type = OPTION_CHOICE, .value = &(in).csv_numbers,                  \
        .choices = CSV_NUMBERS, .help = text                                                       \
    }
#define OPTION_CSV_TEXT(in)                                                                        \
    {                                                                                              \
        .name = "csv-text", .type = OPTION_CHOICE, .value = &(in).csv_tfidf,                       \
        .choices = "counts|tfidf",                                                                 \
        .help = "CSV: columns of text have counts of words (default), or tf-idf"                   \
    }
#define OPTION_CROSS(in)                                                                           \
    {                                                                                              \
        .name = "cross", .type = OPTION_LINES, .value = &(in).crosses, .argument = "A,B|all",      \
        .choices = "all",                                                                          \
        .help = "CSV, VW: products of two columns or namespaces; may be repeated"                  \
    }
#define OPTION_HASH_BITS(in)                                                                       \
    {                                                                                              \
        .name = "hash-bits", .type = OPTION_COUNT, .value = &(in).hash_bits, .argument = "N",      \
        .minimum = 1, .help = "hash names (default 18, or as --columns) or ids to 2^N columns"     \
    }
#define OPTION_USERS(in)                                                                           \
    {                                                                                              \
        .name = "users", .type = OPTION_COUNT, .value = &(in).users, .argument = "N",              \
        .minimum = 1, .help = "the file is an adjacency: N users, then the items"                  \
    }
#define OPTION_SCALE(in)                                                                           \
    {                                                                                              \
        .name = "scale", .type = OPTION_REAL, .value = &(in).scale, .argument = "X",               \
        .help = "multiply values, as 0.0039216 for bytes; default: as they are"                    \
    }
#define OPTION_COLUMNS(in)                                                                         \
    {                                                                                              \
        .name = "columns", .type = OPTION_COUNT, .value = &(in).columns, .argument = "N",          \
        .minimum = 1, .help = "number of features; a wider file is refused"                        \
    }
#define OPTION_INDEX_BASE(in, text)                                                                \
    {                                                                                              \
        .name = "index-base", .type = OPTION_CHOICE, .value = &(in).index_base,                    \
        .choices = "auto|0|1", .help = text                                                        \
    }
#define OF_THE_FILE  "the index of the first feature in the file; default: detected"
#define OF_THE_MODEL "the index of the first feature in the file; default: as in the model"
#define OPTION_STRICT(in)                                                                          \
    {                                                                                              \
        .name = "strict", .type = OPTION_FLAG, .value = &(in).strict, .set = 1,                    \
        .help = "refuse unsorted or duplicate indices"                                             \
    }
#define OPTION_WIDEN(in)                                                                           \
    {                                                                                              \
        .name = "widen", .type = OPTION_FLAG, .value = &(in).widen, .set = 1,                      \
        .help = "accept a file that is wider than --columns or the model"                          \
    }
/* What the options say of the file. */
sparcl_data_desc describe_input(const input_options *options);

/* False for standard input and pipes. (FILE.npz:MEMBER is read again.) */
bool is_read_again(const char *path);

/* Read a data file, and print on standard error what was repaired or rounded. After an error, also
 * print the option of the command that would help, if there is one. */
exit_code read_input(const char *path, const input_options *options, sparcl_data **data);

/* Write what a table is, from the description of its columns: "CSV; label y; numbers: 3; text: 1";
 * returns `text`. */
const char *describe_table(const char *description, char *text, size_t bytes);

/* How data without labels get some; `option` is the one for a file of labels. */
void print_label_remedy(const sparcl_data *data, const char *option);

/* For squared loss and labels of another file: print the number of labels that float32 does not
 * represent exactly. */
void print_narrowed_labels(const char *path, sparcl_loss loss, const sparcl_data *data);

/* What read_input prints: what was skipped and rounded in a good file, and also what was repaired.
 */
void print_accepted(const char *path, const sparcl_data_info *info);
void print_repairs(const char *path, const sparcl_data_info *info);
exit_code report_input(const sparcl_error *error, const char *path, const input_options *options);

#endif
