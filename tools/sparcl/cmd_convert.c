/* cmd_convert.c: sparcl convert: reads a data file and writes it in another format. */
#include "input_file.h"
#include "message.h"
#include "options.h"

#define TO_WORDS "sparcl|svmlight|libffm"

static struct {
    input_options input;
    int to;
} given;

static exit_code write_as(const sparcl_data *data, const char *path) {
    static const sparcl_data_format formats[] = {SPARCL_DATA_SPARCL, SPARCL_DATA_SVMLIGHT,
                                                 SPARCL_DATA_LIBFFM};
    const sparcl_data_format format = formats[given.to];
    sparcl_error error = {0};
    const sparcl_status status = format == SPARCL_DATA_SPARCL
                                     ? sparcl_data_save(data, path, &error)
                                     : sparcl_data_export(data, path, format, &error);
    return status == SPARCL_OK ? EXIT_OK : report(&error);
}

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    sparcl_data *data = NULL;
    exit_code code = read_input(operands[0], &given.input, &data);
    if (code == EXIT_OK) code = write_as(data, operands[1]);
    sparcl_data_free(data);
    return code;
}

/* ---- the table of the command --------------------------------------------------------------- */

static const char *const examples[] = {
    "the binary form, which is read without parsing",
    "sparcl convert train.svm.gz train.sparcl",
    "features and labels of an archive as LIBSVM text",
    "sparcl convert cora.npz:attr cora.svm --labels cora.npz:labels --to svmlight",
    NULL,
};

static const tool_option options[] = {
    {.name = "to",
     .type = OPTION_CHOICE,
     .value = &given.to,
     .choices = TO_WORDS,
     .help = "the format of OUT; default sparcl, the binary form"},
    OPTION_LABELS(given.input),
    OPTION_FORMAT(given.input),
    OPTION_COLUMNS(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_FILE),
    OPTION_WIDEN(given.input),
    OPTION_STRICT(given.input),
    OPTION_HASH_BITS(given.input),
    OPTION_SCALE(given.input),
    OPTION_SYMMETRIC(given.input),
    OPTION_COMPACT_IDS(given.input),
    OPTION_ID_MAP(given.input),
    {.name = "multilabel",
     .type = OPTION_FLAG,
     .value = &given.input.multilabel,
     .set = 1,
     .help = "accept rows with any number of labels"},
    {0},
};

extern const tool_command command_convert;
const tool_command command_convert = {
    .name = "convert",
    .summary = "write a data file in another format",
    .operands = "IN OUT [options]",
    .operands_min = 2,
    .operands_max = 2,
    .examples = examples,
    .options = options,
    .notes =
        "OUT is complete or not there. What the format cannot hold, such as weights in text, is\n"
        "refused.",
    .run = run,
};
