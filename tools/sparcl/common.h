/* common.h: what several commands do: open a device, read a data file, and say what went wrong. */
#ifndef SPARCL_TOOL_COMMON_H
#define SPARCL_TOOL_COMMON_H

#include "exit_codes.h"
#include "options.h"
#include "sparcl/context.h"
#include "sparcl/data.h"
#include "sparcl/model.h"
#include "sparcl/train.h"

#if defined(__GNUC__)
#define LIKE_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define LIKE_PRINTF
#endif

/* On standard error: what went wrong; what the user can do about it; what is good to know. Control
 * characters that came in with a file are not let through to the terminal. */
LIKE_PRINTF void complain(const char *format, ...);
LIKE_PRINTF void remedy(const char *format, ...);
LIKE_PRINTF void note(const char *format, ...);

/* Tell an error of the library and how to fix it; returns the exit code that belongs to it. */
exit_code report(const sparcl_error *error);
exit_code out_of_memory(void);

/* Of a clock that only goes forward. */
double seconds_now(void);

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
#define OPTION_DEVICE(text)                                                                        \
    {                                                                                              \
        .name = "device", .type = OPTION_TEXT, .value = &(text), .argument = "D",                  \
        .choices = "auto|gpu|cpu|pocl",                                                            \
        .help = "auto, gpu, cpu, pocl, 0:0, part of a name (sparcl help device)"                   \
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

/* The folder of the compiled kernels: SPARCL_CACHE_DIR, $XDG_CACHE_HOME/sparcl or ~/.cache/sparcl;
 * NULL, no cache, when none is known or SPARCL_CACHE_DIR is empty. */
const char *cache_folder(char *capacity, size_t bytes);

/* The context of a selector (NULL: what SPARCL_DEVICE says, else auto), with the tool's kernel
 * cache and what the environment says of kernels. Where several devices fit, the one taken is named
 * on standard error. */
sparcl_status open_context(const char *selector, sparcl_log_fn log, void *log_user,
                           sparcl_ctx **ctx, sparcl_error *error);

/* Open the device that the option, or else SPARCL_DEVICE, selects; where several fit, the one taken
 * is named on standard error. */
exit_code open_device(const char *selector, sparcl_ctx **ctx);
/* The same with what a description says beside the device, such as a tuning or a profile. */
exit_code open_device_as(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx);

/* An error of a call that used the device: a kernel that did not build shows its compiler's words.
 */
exit_code report_device(const sparcl_ctx *ctx, const sparcl_error *error);

#endif
