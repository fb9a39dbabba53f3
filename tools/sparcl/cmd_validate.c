/* cmd_validate.c: sparcl validate: says all that is wrong with a data file, and repairs it. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "data_output.h"
#include "message.h"
#include "output.h"
#include "verbose.h"

static struct {
    input_options input;
    const char *fixed;
    int64_t most;
    int json;
} given = {.most = 20};

/* ---- problems ------------------------------------------------------------------------------- */

typedef struct problems {
    json_t *shown; /* an array, with --json */
    int64_t count;
    char last[sizeof(((sparcl_error *)0)->message)]; /* that was printed */
} problems;

static void note_problem(void *user, const char *message) {
    problems *const p = user;
    if (++p->count > given.most) return;
    if (given.json)
        json_array_append_new(p->shown, json_text(message));
    else
        print_error("%s", message);
    if (!given.json) snprintf(p->last, sizeof p->last, "%s", message);
}

static void print_rows_before(const char *path, int64_t rows) {
    if (rows > 0)
        print_note("%s: %" PRId64 " row%s before that can be read", path, rows,
                   rows > 1 ? "s" : "");
}

/* What ends the reading is a problem, too, and was printed as one. */
static exit_code stop_at(const problems *p, const char *path, int64_t rows,
                         const sparcl_error *error) {
    if (strcmp(p->last, error->message) != 0) return report(error);
    print_note("%s is not written: %s cannot be read to its end", given.fixed, path);
    print_rows_before(path, rows);
    return EXIT_CONTRACT;
}

static json_t *describe(const sparcl_validation *found, problems *p) {
    const bool fixed = given.fixed != NULL;
    json_t *const object = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I, s:b}", "format", found->format, "rows",
        (json_int_t)found->rows, "bad_rows", (json_int_t)found->bad_rows, "not_finite_rows",
        (json_int_t)found->not_finite_rows, "unlabelled_rows", (json_int_t)found->unlabelled_rows,
        "unsorted_rows", (json_int_t)found->unsorted_rows, "duplicates",
        (json_int_t)found->duplicates, "read_to_end", !found->unreadable, "problems",
        (json_int_t)p->count, "fixed", fixed);
    if (object && given.json) json_object_set(object, "messages", p->shown);
    return object;
}

static void print_summary(const problems *p, const sparcl_validation *found) {
    if (p->count > given.most)
        print_note("%" PRId64 " more problems are not shown (--max N shows more)",
                   p->count - given.most);
    if (given.fixed)
        print_note("%s: %" PRId64 " rows that cannot be read and %" PRId64
                   " with nan or inf are left out, %" PRId64 " without a label, %" PRId64
                   " rows are sorted, %" PRId64 " duplicates added",
                   given.fixed, found->bad_rows, found->not_finite_rows, found->unlabelled_rows,
                   found->unsorted_rows, found->duplicates);
    else if (p->count > 0 && !found->unreadable)
        print_remedy("correct the file, or write what can be repaired with --fix OUT");
}

/* A row that was left out may have had the only index 0, which says that a file counts from 0. */
static void print_base(const sparcl_data_desc *desc, const sparcl_validation *found) {
    sparcl_data *data = NULL;
    if (!given.fixed || found->bad_rows + found->not_finite_rows == 0 ||
        desc->index_base != SPARCL_BASE_AUTO ||
        sparcl_data_read(&data, given.fixed, desc, NULL) != SPARCL_OK)
        return;
    if (sparcl_data_get_info(data)->index_base == 1)
        print_note("%s: no index is 0, so it is read with indices from 1; if %s counts from 0, "
                   "read it with --index-base 0",
                   given.fixed, given.fixed);
    sparcl_data_free(data);
}

static exit_code check(const char *path, problems *p) {
    const sparcl_data_desc desc = describe_input(&given.input);
    sparcl_data_info info = {.rows = 0};
    sparcl_validation found = {
        .problem = note_problem, .user = p, .fixed = given.fixed, .info = &info};
    sparcl_error error = {0};
    begin_part("checking %s", path);
    if (sparcl_data_validate(path, &desc, &found, &error) != SPARCL_OK)
        return stop_at(p, path, found.rows, &error);
    if (found.unreadable) print_rows_before(path, found.rows);
    print_accepted(path, &info);
    print_summary(p, &found);
    print_base(&desc, &found);
    const exit_code code = print_object(describe(&found, p), given.json);
    return code != EXIT_OK || p->count == 0 || given.fixed ? code : EXIT_CONTRACT;
}

static exit_code run(int operand_count, const char *const *operands) {
    (void)operand_count;
    problems p = {.shown = json_array()};
    const exit_code code = check(operands[0], &p);
    json_decref(p.shown);
    return code;
}

/* ---- the table of the command --------------------------------------------------------------- */

static const char *const examples[] = {
    "all that is wrong with a file",
    "sparcl validate clicks.svm.gz",
    "and write it without that",
    "sparcl validate clicks.svm.gz --fix clean.svm",
    NULL,
};

static const tool_option options[] = {
    {.name = "fix",
     .type = OPTION_TEXT,
     .value = &given.fixed,
     .argument = "OUT",
     .file = FILE_WRITTEN,
     .help = "write good rows as they are, unsorted ones sorted, no others"},
    {.name = "max",
     .type = OPTION_COUNT,
     .value = &given.most,
     .argument = "N",
     .minimum = 1,
     .help = "show at most N problems, and count the others; default 20"},
    OPTION_JSON(given.json),
    OPTION_FORMAT(given.input),
    OPTION_HASH_BITS(given.input),
    OPTIONS_OF_CSV(given.input),
    OPTION_COLUMNS(given.input),
    OPTION_INDEX_BASE(given.input, OF_THE_FILE),
    OPTION_MULTILABEL(given.input),
    {0},
};

static const json_key keys[] = {
    {"format", "one of --format"},
    {"rows", "rows that can be read"},
    {"bad_rows", "rows that cannot; --fix leaves them out"},
    {"not_finite_rows", "other rows with nan or inf; --fix leaves them out"},
    {"unlabelled_rows", "other rows without a label, which rows have; --fix leaves them out"},
    {"unsorted_rows", "rows whose indices do not ascend; --fix sorts them"},
    {"duplicates", "duplicate indices inside a row; --fix adds them"},
    {"read_to_end", "false: the file cannot be read to its end; rows are those before that"},
    {"problems", "number of problems"},
    {"fixed", "true when --fix has written a file"},
    {"messages", "the first problems, as FILE:LINE:COLUMN: WHAT"},
    {0},
};

extern const tool_command command_validate;
const tool_command command_validate = {
    .name = "validate",
    .summary = "say all that is wrong with a data file, and repair it",
    .operands = "FILE [options]",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = options,
    .keys = keys,
    .notes =
        "Of text with a row in each line every row is checked; of other formats the first problem\n"
        "is shown, and --fix does not apply. Exits with 5 when anything is wrong, unless --fix "
        "has\n"
        "written OUT, which is complete or not there.",
    .run = run,
};
