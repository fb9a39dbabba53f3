/* cmd_split.c: sparcl split and sparcl sample: parts of a data file, drawn at random. */
#include "input_file.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "save_data.h"

static struct {
    input_options input;
    double fraction;
    int64_t folds, fold, rows;
    uint64_t seed;
    int to;
} given = {.fraction = 0.2};

extern const tool_command command_split, command_sample;

/* Write both parts; a path may be NULL. */
static exit_code write_parts(sparcl_data *rest, sparcl_data *held, const char *rest_path,
                             const char *held_path) {
    exit_code code = rest_path ? save_data(rest, rest_path, given.to) : EXIT_OK;
    if (code == EXIT_OK) code = save_data(held, held_path, given.to);
    if (code == EXIT_OK)
        code = print_object(json_pack("{s:I, s:I}", "rest_rows",
                                      (json_int_t)sparcl_data_get_info(rest)->rows, "rows",
                                      (json_int_t)sparcl_data_get_info(held)->rows),
                            false);
    sparcl_data_free(rest);
    sparcl_data_free(held);
    return code;
}

/* ---- split ---------------------------------------------------------------------------------- */

static exit_code check_split(void) {
    if (!(given.fraction >= 0 && given.fraction <= 1))
        return usage_error(&command_split, "--fraction is %g, expected 0 to 1", given.fraction);
    if (given.folds == 1 || given.fold < 0 || (given.folds > 0 && given.fold >= given.folds))
        return usage_error(&command_split,
                           "--fold %lld of --folds %lld, expected 0 to less than at least 2 folds",
                           (long long)given.fold, (long long)given.folds);
    return EXIT_OK;
}

static exit_code split(int operand_count, const char *const *operands) {
    sparcl_data *data = NULL, *rest = NULL, *held = NULL;
    sparcl_error error = {0};
    (void)operand_count;
    exit_code code = check_split();
    if (code == EXIT_OK) code = read_input(operands[0], &given.input, &data);
    if (code != EXIT_OK) return code;
    const sparcl_status status =
        given.folds > 0
            ? sparcl_data_fold(data, given.folds, given.fold, given.seed, &rest, &held, &error)
            : sparcl_data_split(data, given.fraction, given.seed, &rest, &held, &error);
    sparcl_data_free(data);
    if (status != SPARCL_OK) return report(&error);
    return write_parts(rest, held, operands[1], operands[2]);
}

/* ---- sample --------------------------------------------------------------------------------- */

static exit_code sample(int operand_count, const char *const *operands) {
    sparcl_data *data = NULL, *rest = NULL, *held = NULL;
    sparcl_error error = {0};
    (void)operand_count;
    if (given.rows == 0)
        return usage_error(&command_sample, "--rows N is missing: how many rows are drawn");
    exit_code code = read_input(operands[0], &given.input, &data);
    if (code != EXIT_OK) return code;
    const int64_t rows = sparcl_data_get_info(data)->rows;
    const double fraction = rows > given.rows ? (double)given.rows / (double)rows : 1;
    const sparcl_status status =
        sparcl_data_split(data, fraction, given.seed, &rest, &held, &error);
    sparcl_data_free(data);
    if (status != SPARCL_OK) return report(&error);
    return write_parts(rest, held, NULL, operands[1]);
}

/* ---- the tables of the commands -------------------------------------------------------------- */

static const char *const split_examples[] = {
    "a fifth of the rows to test with",
    "sparcl split all.svm train.sparcl test.sparcl --fraction 0.2 --seed 1",
    "the first of five folds",
    "sparcl split all.svm train-0.svm test-0.svm --folds 5 --fold 0 --to svmlight",
    NULL,
};
static const char *const sample_examples[] = {
    "a thousand rows",
    "sparcl sample all.svm.gz some.svm --rows 1000 --to svmlight",
    NULL,
};

#define OPTION_DRAW                                                                                \
    {                                                                                              \
        .name = "seed", .type = OPTION_SEED, .value = &given.seed, .argument = "N",                \
        .help = "of the rows that are drawn; default 0"                                            \
    }
#define DATA_OPTIONS                                                                               \
    OPTION_LABELS(given.input), OPTION_FORMAT(given.input), OPTION_COLUMNS(given.input),           \
        OPTION_INDEX_BASE(given.input, OF_THE_FILE), OPTION_HASH_BITS(given.input),                \
        OPTION_STRICT(given.input)

static const tool_option split_options[] = {
    {.name = "fraction",
     .type = OPTION_REAL,
     .value = &given.fraction,
     .argument = "X",
     .help = "of the rows that HELD gets; default 0.2"},
    {.name = "folds",
     .type = OPTION_COUNT,
     .value = &given.folds,
     .argument = "K",
     .minimum = 2,
     .help = "HELD is one of K folds, which have each row once"},
    {.name = "fold",
     .type = OPTION_COUNT,
     .value = &given.fold,
     .argument = "I",
     .help = "which one, from 0; default 0"},
    OPTION_DRAW,
    OPTION_TO(given.to),
    DATA_OPTIONS,
    {0},
};
static const tool_option sample_options[] = {
    {.name = "rows",
     .type = OPTION_COUNT,
     .value = &given.rows,
     .argument = "N",
     .minimum = 1,
     .help = "how many; all where the file has fewer; required"},
    OPTION_DRAW,
    OPTION_TO(given.to),
    DATA_OPTIONS,
    {0},
};

const tool_command command_split = {
    .name = "split",
    .summary = "write a data file in two parts",
    .operands = "FILE REST HELD [options]",
    .operands_min = 3,
    .operands_max = 3,
    .examples = split_examples,
    .options = split_options,
    .notes = "Which rows are drawn depends on the seed and their number only; both parts keep the\n"
             "order of the file. 'sparcl train --hold-out' draws the same rows.",
    .run = split,
};
const tool_command command_sample = {
    .name = "sample",
    .summary = "write some rows of a data file",
    .operands = "FILE OUT --rows N [options]",
    .operands_min = 2,
    .operands_max = 2,
    .examples = sample_examples,
    .options = sample_options,
    .notes = "Rows are drawn without replacement, as in 'sparcl split', and keep their order.",
    .run = sample,
};
