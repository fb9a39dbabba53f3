/* cmd_sample.c: sparcl sample: rows of a data file that are drawn at random. */
#include "data_output.h"
#include "message.h"

static struct {
    input_options input;
    int64_t rows; /* 0: not given */
    uint64_t seed;
    const char *output;
    int to;
} given = {.to = TO_BY_NAME};

static exit_code write_sample(const sparcl_data *data, const char *source) {
    sparcl_data *part = NULL;
    sparcl_error error = {0};
    if (sparcl_data_sample(data, given.rows, given.seed, &part, &error) != SPARCL_OK)
        return report(&error);
    const exit_code code = write_rows(data, part, source, &given.input, given.output, given.to);
    sparcl_data_free(part);
    return code;
}

extern const tool_command command_sample;

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    sparcl_data *data = NULL;
    if (!given.output) return usage_error("-o OUT is missing: the file to write");
    if (given.rows == 0) return usage_error("-n N is missing: the number of rows to draw");
    exit_code code = read_input(operands[0], &given.input, &data);
    if (code == EXIT_OK) code = write_sample(data, operands[0]);
    sparcl_data_free(data);
    return code;
}

/* ---- the table of the command --------------------------------------------------------------- */

static const char *const examples[] = {
    "1000 rows to try things with",
    "sparcl sample clicks.svm.gz -n 1000 -o few.svm",
    NULL,
};

static const tool_option options[] = {
    {.name = "rows",
     .letter = 'n',
     .type = OPTION_COUNT,
     .value = &given.rows,
     .argument = "N",
     .minimum = 1,
     .help = "the number of rows; required"},
    {.name = "seed",
     .type = OPTION_SEED,
     .value = &given.seed,
     .argument = "S",
     .help = "of the random order of the rows; default 0"},
    OPTION_OUTPUT(given.output, "OUT", "the file to write; required"),
    OPTION_TO(given.to),
    OPTIONS_OF_INPUT(given.input),
    {0},
};

const tool_command command_sample = {
    .name = "sample",
    .summary = "draw rows of a data file at random",
    .operands = "FILE -n N -o OUT [options]",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = options,
    .notes =
        "No row is drawn twice, and rows keep their order. OUT is complete or not there. Rows of\n"
        "CSV and ratings in OUT.csv, and of Vowpal Wabbit in OUT.vw, are copied as they are.",
    .run = run,
};
