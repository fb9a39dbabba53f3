/* data_output.h: writes data files, and defines the options of commands that do. */
#ifndef SPARCL_TOOL_DATA_OUTPUT_H
#define SPARCL_TOOL_DATA_OUTPUT_H

#include <stdbool.h>

#include "input_file.h"

#define OR_TO(NAME, word, found, flags, to, ...) "|" to
#define OPTION_TO(number)                                                                          \
    {                                                                                              \
        .name = "to", .type = OPTION_CHOICE, .value = &(number),                                   \
        .choices = &(SPC_WRITTEN_FORMATS(OR_TO))[1],                                               \
        .help = "the format; default: of the ending of the name, else sparcl (binary)"             \
    }
#define OPTION_MULTILABEL(in)                                                                      \
    {                                                                                              \
        .name = "multilabel", .type = OPTION_FLAG, .value = &(in).multilabel, .set = 1,            \
        .help = "accept rows with any number of labels"                                            \
    }
/* The options for reading any data file. */
#define OPTIONS_OF_INPUT(in)                                                                       \
    OPTION_LABELS(in), OPTION_WEIGHTS(in), OPTION_SPILL(in), OPTION_FORMAT(in),                    \
        OPTION_COLUMNS(in), OPTION_INDEX_BASE(in, OF_THE_FILE), OPTION_WIDEN(in),                  \
        OPTION_STRICT(in), OPTION_HASH_BITS(in), OPTION_CROSS(in), OPTION_SCALE(in),               \
        OPTION_SYMMETRIC(in), OPTION_COMPACT_IDS(in), OPTION_ID_MAP(in), OPTIONS_OF_CSV(in),       \
        OPTION_MULTILABEL(in)

enum { TO_BY_NAME = -1 };

/* Whether what is written has the fields of entries, and is no file without them. */
bool writes_fields(const char *path, int to);

/* Write a part of the data of a source; `to` is the number that OPTION_TO gives, or TO_BY_NAME.
 * Rows of CSV and of Vowpal Wabbit that stay what they are stay as they are. Errors are printed. */
exit_code write_rows(const sparcl_data *data, const sparcl_data *part, const char *source,
                     const input_options *input, const char *path, int to);

/* Write a data set that was read with these options, and the labels as a NumPy array to `labels`,
 * which may be NULL. What would lose the labels is refused. */
exit_code write_data_and_labels(const sparcl_data *data, const input_options *input,
                                const char *path, int to, const char *labels);

#endif
