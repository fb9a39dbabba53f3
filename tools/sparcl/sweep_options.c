/* sweep_options.c: the options of sparcl sweep: its own, and those of sparcl train. */
#include "sweep_options.h"

#include <string.h>

#include "train_options.h"

enum { MAX_ROWS = 128 };

sweep_options sweep_given = {.jobs = 1};

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

tool_option sweep_rows[MAX_ROWS];

void fill_sweep_options(void) {
    int count = OWN;
    memcpy(sweep_rows, own, sizeof own);
    for (const tool_option *o = train_rows; o->name && count + 1 < MAX_ROWS; o++)
        if (!is_of_sweep(o->name)) sweep_rows[count++] = *o;
}

int sweep_first_option(void) {
    return OWN;
}
