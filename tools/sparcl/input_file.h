/* input_file.h: reading data files and models, and the options for it. */
#ifndef SPARCL_TOOL_INPUT_FILE_H
#define SPARCL_TOOL_INPUT_FILE_H

#include "exit_codes.h"
#include "options.h"
#include "sparcl/data.h"
#include "sparcl/model.h"

/* Whose width and index base hold, and so how a file that contradicts them is fixed. */
typedef enum input_role {
    INPUT_OWN,       /* the command line's, or the file's own */
    INPUT_VALIDATES, /* those of the training file */
    INPUT_APPLIED    /* those of the model */
} input_role;

/* How to read a data file; zero is the default. */
typedef struct input_options {
    input_role role;
    const char *labels;
    int64_t columns;
    int index_base; /* a sparcl_index_base */
    int strict, multilabel, widen;
} input_options;

#define OPTION_LABELS(in)                                                                          \
    {                                                                                              \
        .name = "labels", .type = OPTION_TEXT, .value = &(in).labels, .argument = "FILE",          \
        .help = "labels for an .npz file, as .npy"                                                 \
    }
#define OPTION_COLUMNS(in)                                                                         \
    {                                                                                              \
        .name = "columns", .type = OPTION_COUNT, .value = &(in).columns, .argument = "N",          \
        .minimum = 1, .help = "feature width; a wider file is refused"                             \
    }
#define OPTION_INDEX_BASE(in, text)                                                                \
    {                                                                                              \
        .name = "index-base", .type = OPTION_CHOICE, .value = &(in).index_base,                    \
        .choices = "auto|0|1", .help = text                                                        \
    }
#define OF_THE_FILE  "the first feature's index in the file; default: found out"
#define OF_THE_MODEL "the first feature's index in the file; default: as in the model"
#define OPTION_STRICT(in)                                                                          \
    {                                                                                              \
        .name = "strict", .type = OPTION_FLAG, .value = &(in).strict, .set = 1,                    \
        .help = "refuse unsorted or repeated indices"                                              \
    }
#define OPTION_WIDEN(in)                                                                           \
    {                                                                                              \
        .name = "widen", .type = OPTION_FLAG, .value = &(in).widen, .set = 1,                      \
        .help = "accept a file that is wider than --columns or the model"                          \
    }
/* Read a data file and say on standard error what was repaired or narrowed. What no option of the
 * command fixes is for its message to say; what one does is added. */
exit_code read_input(const char *path, const input_options *options, sparcl_data **data);

/* For squared loss: labels from a file of numbers that are not exactly a float32 are counted. */
void print_narrowed_labels(const char *path, sparcl_loss loss, const sparcl_data *data);

/* Load a model, open a device, read a data file as the model wants it (its width and, unless told,
 * its index base), and work with them. */
typedef exit_code (*model_work)(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                                const char *path);
exit_code with_model(const char *model_path, const char *path, const input_options *options,
                     const char *device, model_work work);

#endif
