/* cmd_split.c: sparcl split: a data file in two parts, or in folds, of rows drawn at random. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_output.h"
#include "files.h"
#include "message.h"

static struct {
    input_options input;
    double fraction; /* negative: not given */
    int64_t folds;   /* 0: not given */
    uint64_t seed;
    const char *output;
    int to;
} given = {.fraction = -1, .to = TO_BY_NAME};

/* What is split, and where it was read. */
typedef struct whole_data {
    sparcl_data *data;
    const char *source;
} whole_data;

static exit_code write_part(const whole_data *all, const sparcl_data *part, const char *path) {
    return write_rows(all->data, part, all->source, &given.input, path, given.to);
}

static exit_code write_parts(const whole_data *all, sparcl_data *parts[2],
                             const char *const paths[2]) {
    exit_code code = write_part(all, parts[0], paths[0]);
    if (code == EXIT_OK) code = write_part(all, parts[1], paths[1]);
    sparcl_data_free(parts[0]);
    sparcl_data_free(parts[1]);
    return code;
}

static exit_code write_fraction(const whole_data *all, const char *held_path) {
    const char *const paths[2] = {given.output, held_path};
    sparcl_data *parts[2];
    sparcl_error error = {0};
    if (sparcl_data_split(all->data, given.fraction, given.seed, &parts[0], &parts[1], &error) !=
        SPARCL_OK)
        return report(&error);
    return write_parts(all, parts, paths);
}

/* PREFIX-0.train, or .test. */
static exit_code name_fold(char **path, int64_t fold, const char *ending) {
    const size_t bytes = strlen(given.output) + 32;
    *path = malloc(bytes);
    if (!*path) return out_of_memory();
    snprintf(*path, bytes, "%s-%" PRId64 "%s", given.output, fold, ending);
    return EXIT_OK;
}

static exit_code write_fold(const whole_data *all, int64_t fold) {
    char *rest = NULL, *held = NULL;
    sparcl_data *parts[2];
    sparcl_error error = {0};
    exit_code code = name_fold(&rest, fold, ".train");
    if (code == EXIT_OK) code = name_fold(&held, fold, ".test");
    if (code == EXIT_OK && sparcl_data_fold(all->data, given.folds, fold, given.seed, &parts[0],
                                            &parts[1], &error) != SPARCL_OK)
        code = report(&error);
    if (code == EXIT_OK) code = write_parts(all, parts, (const char *const[2]){rest, held});
    free(rest);
    free(held);
    return code;
}

extern const tool_command command_split;

static exit_code take_fold(int64_t fold, const char *ending) {
    char *path = NULL;
    exit_code code = name_fold(&path, fold, ending);
    if (code == EXIT_OK) code = files_add(path, path, FILE_WRITTEN, false);
    free(path);
    return code;
}

/* What is missing is reported later. */
static exit_code take_files(int operand_count, const char *const *operands) {
    exit_code code = EXIT_OK;
    if (given.output && given.folds == 0) code = files_add("-o", given.output, FILE_WRITTEN, true);
    if (code == EXIT_OK && given.output && given.folds == 0 && operand_count > 1)
        code = files_add("HELD", operands[1], FILE_WRITTEN, true);
    for (int64_t fold = 0; given.output && fold < given.folds && code == EXIT_OK; fold++) {
        code = take_fold(fold, ".train");
        if (code == EXIT_OK) code = take_fold(fold, ".test");
    }
    return code;
}

static exit_code check_given(int operand_count, const char *const *operands) {
    if (!given.output) return usage_error("-o is missing: -o REST HELD, or -o PREFIX with --folds");
    if ((given.fraction >= 0) == (given.folds > 0))
        return usage_error("expected one of --fraction and --folds");
    if (given.fraction > 1) return usage_error("--fraction is %g, expected 0 to 1", given.fraction);
    if (given.folds > 0 && is_standard_output(given.output))
        return usage_error("-o: expected how the names of files begin, for --folds, "
                           "found -, which is standard output");
    if (given.folds > 0 && operand_count > 1)
        return usage_error("\"%s\" is one too many: --folds has only -o PREFIX", operands[1]);
    if (given.folds == 0 && operand_count < 2)
        return usage_error("HELD is missing: --fraction has -o REST HELD");
    return EXIT_OK;
}

static exit_code run(int operand_count, const char *const *operands) {
    whole_data all = {.source = operands[0]};
    exit_code code = check_given(operand_count, operands);
    if (code == EXIT_OK) code = read_input(all.source, &given.input, &all.data);
    if (code == EXIT_OK && given.folds == 0) code = write_fraction(&all, operands[1]);
    for (int64_t fold = 0; code == EXIT_OK && fold < given.folds; fold++)
        code = write_fold(&all, fold);
    sparcl_data_free(all.data);
    return code;
}

/* ---- the table of the command --------------------------------------------------------------- */

static const char *const examples[] = {
    "a fifth of the rows to test with; rows of a table as they are",
    "sparcl split table.csv --fraction 0.2 -o train.csv test.csv",
    "the same, in the binary form",
    "sparcl split all.svm --fraction 0.2 --seed 1 -o train.sparcl test.sparcl",
    "cv-0.train, cv-0.test, ... cv-4.test as text",
    "sparcl split all.svm --folds 5 -o cv --to svmlight",
    NULL,
};

static const tool_option options[] = {
    {.name = "fraction",
     .type = OPTION_REAL,
     .value = &given.fraction,
     .argument = "X",
     .help = "the part of the rows in HELD, 0 to 1"},
    {.name = "folds",
     .type = OPTION_COUNT,
     .value = &given.folds,
     .argument = "K",
     .minimum = 2,
     .help = "K parts, each the .test of one fold and in the .train of the others"},
    {.name = "seed",
     .type = OPTION_SEED,
     .value = &given.seed,
     .argument = "N",
     .help = "of the random order of the rows; default 0"},
    OPTION_OUTPUT_AS(FILE_NONE, false, given.output, "REST",
                     "the file of the other rows; with --folds how the names begin"),
    OPTION_TO(given.to),
    OPTIONS_OF_INPUT(given.input),
    {0},
};

const tool_command command_split = {
    .name = "split",
    .summary = "split a data file in two, or in folds",
    .operands = "FILE (--fraction X -o REST HELD | --folds K -o PREFIX) [options]",
    .operands_min = 1,
    .operands_max = 2,
    .operand_inputs = 1,
    .files = take_files,
    .examples = examples,
    .options = options,
    .notes =
        "The seed and the number of a row decide where it goes, so it is the same on every\n"
        "machine. Rows keep their order. Each file is complete or not there. Text does not hold\n"
        "the number of columns: read its parts with --columns. Rows of CSV and ratings in files\n"
        "that end in .csv, and of Vowpal Wabbit in .vw, are copied as they are, after the heading.",
    .run = run,
};
