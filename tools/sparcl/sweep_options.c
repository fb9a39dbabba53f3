/* sweep_options.c: the options of sparcl sweep: its own, and those of sparcl train. */
#include "sweep_options.h"

#include <string.h>

#include "train_options.h"

enum { MAX_ROWS = 128 };

sweep_options sweep_given = {.jobs = 1};

static const char *const examples[] = {
    "two optimizers with three rates each: six runs, their table and a page",
    "sparcl sweep a9a.svm -o runs --hold-out 0.2 --grid \"optimizer=sgd,adam lr=0.1,0.03,0.01\"",
    "a key of the model; a value with a key",
    "sparcl sweep x.svm -o runs --model fm --grid \"model.factors=8,16 "
    "optimizer=adam,adam:lr=0.01\"",
    "two runs at a time, the best accuracy first, all results as CSV",
    "sparcl sweep x.svm -o runs --grid lr=1,0.1 --jobs 2 --sort valid_accuracy --csv runs.csv",
    "what would be run?",
    "sparcl sweep x.svm -o runs --grid \"seed=1,2,3 lr=1,0.1\" --dry-run",
    NULL,
};

static const tool_option own[] = {
    {.name = "grid",
     .type = OPTION_TEXTS,
     .value = &sweep_given.grid,
     .argument = "GRID",
     .help = "what varies: \"OPTION=VALUE,VALUE,... ...\"; all combinations are run"},
    OPTION_OUTPUT_AS(FOLDER_WRITTEN, false, sweep_given.folder, "FOLDER",
                     "the folder of manifests, models and the page; required"),
    {.name = "jobs",
     .type = OPTION_COUNT,
     .value = &sweep_given.jobs,
     .argument = "N",
     .minimum = 1,
     .help = "runs at a time; default 1"},
    {.name = "sort",
     .type = OPTION_TEXT,
     .value = &sweep_given.sort,
     .argument = "METRIC",
     .choices = "valid_loss|valid_accuracy|valid_auc|loss|probe_accuracy|seconds_per_pass",
     .help = "order of the table: a key of the result; default valid_loss, or loss"},
    {.name = "csv",
     .type = OPTION_TEXT,
     .value = &sweep_given.csv,
     .argument = "FILE",
     .file = FILE_WRITTEN,
     .to_stdout = true,
     .help = "also write the table, with all numbers, as CSV; - is standard output"},
    OPTION_JSON_FILE(sweep_given.json),
    {.name = "stop-on-failure",
     .type = OPTION_FLAG,
     .value = &sweep_given.stops_on_failure,
     .set = 1,
     .help = "begin no further run after one that failed"},
    {.name = "dry-run",
     .type = OPTION_FLAG,
     .value = &sweep_given.dry_run,
     .set = 1,
     .help = "only print the commands of the runs that are not done"},
    {.name = "progress",
     .type = OPTION_CHOICE,
     .value = &sweep_given.is_quiet,
     .choices = "lines|none",
     .help = "default lines: one for each run that ends"},
    {.name = "config",
     .type = OPTION_TEXT,
     .value = &train_given.config,
     .argument = "FILE",
     .file = FILE_READ,
     .help = "options from a JSON object, or from a manifest"},
};
enum { OWN = sizeof own / sizeof *own };

/* What the sweep sets itself for each run, or has itself. */
static bool is_of_sweep(const char *name) {
    static const char *const names[] = {"svg",    "log",       "log-every", "manifest",
                                        "resume", "overwrite", "checkpoint"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    for (int i = 0; i < OWN; i++)
        if (strcmp(own[i].name, name) == 0) return true;
    return false;
}

static tool_option rows[MAX_ROWS];

void fill_sweep_options(void) {
    int count = OWN;
    memcpy(rows, own, sizeof own);
    for (const tool_option *o = command_train.options; o->name && count + 1 < MAX_ROWS; o++)
        if (!is_of_sweep(o->name)) rows[count++] = *o;
}

int sweep_first_option(void) {
    return OWN;
}

static const json_key keys[] = {
    {"sorted_by", "the metric"},
    {"runs", "a list, the best first, of:"},
    {"name", "what varies, as in the names of its files"},
    {"options", "what varies: name and value"},
    {"state", "done, failed, or not run"},
    {"exit_code", "of a run that failed"},
    {"manifest", "its file"},
    {"seconds", "of the run"},
    {"result", "as 'sparcl train --json' has it"},
    {0},
};

const tool_command command_sweep = {
    .name = "sweep",
    .summary = "train with all combinations of options, and compare",
    .operands = "TRAIN -o FOLDER --grid GRID [options of train]",
    .config = &train_given.config,
    .operand_key = "train",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = rows,
    .keys = keys,
    .notes =
        "GRID names any option of sparcl train, from --valid on in the list above, and values. A\n"
        "comma before KEY=VALUE belongs to the value, as in optimizer=adam:lr=0.1,beta1=0.8,sgd.\n"
        "model.KEY, optimizer.KEY and schedule.KEY vary a key in the text of these options. Flags\n"
        "are true or false. --grid may be given several times: one grid of all that they name.\n"
        "\n"
        "FOLDER has for each run NAME.json, its manifest, NAME.safetensors, the model, and\n"
        "NAME.txt, what the run has printed; and report.html, the page of sparcl report. The same\n"
        "command again runs what is not done: after an interrupt (exit 9) runs go on with their\n"
        "checkpoints, and runs that failed are tried again. A larger grid runs what is new.\n"
        "\n"
        "A run that fails is reported, and the others go on; the exit status is then that of the\n"
        "first one that failed.",
    .run = sweep_command,
};
