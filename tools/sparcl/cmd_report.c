/* cmd_report.c: sparcl report: a page that shows runs beside one another. */
#include <stdlib.h>

#include "message.h"
#include "options.h"
#include "report_page.h"

static struct { const char *output; } given;

/* More columns are wider than a screen. */
enum { MOST_BESIDE = 6 };

static exit_code run(int operand_count, const char *const *operands) {
    report_run *const runs = calloc((size_t)operand_count, sizeof *runs);
    exit_code code = runs ? EXIT_OK : out_of_memory();
    for (int i = 0; i < operand_count && code == EXIT_OK; i++)
        code = report_run_read(&runs[i], operands[i]);
    if (code == EXIT_OK)
        code = report_page_save(
            runs, operand_count,
            operand_count > MOST_BESIDE ? REPORT_RUNS_BELOW : REPORT_RUNS_BESIDE, given.output);
    for (int i = 0; i < operand_count && runs; i++)
        report_run_free(&runs[i]);
    free(runs);
    return code;
}

static const char *const examples[] = {
    "compare two runs: learning curves and a table",
    "sparcl report adam.json adagrad.json -o page.html",
    NULL,
};

static const tool_option options[] = {
    OPTION_OUTPUT(given.output, "FILE", "the HTML page; default: standard output"),
    {0},
};

extern const tool_command command_report;
const tool_command command_report = {
    .name = "report",
    .summary = "write a page that compares runs",
    .operands = "RUN... [-o FILE]",
    .operands_min = 1,
    .operands_max = MAX_OPERANDS,
    .examples = examples,
    .options = options,
    .notes =
        "RUN is a manifest (sparcl train --manifest), or a log (--log). The page is one\n"
        "file that needs no network: uPlot, which draws its curves, is in it. It has a ranking, "
        "the\n"
        "curves of loss, validation loss and learning rate, the calibration, ROC and\n"
        "precision-recall curves, a table with the options that differ, metrics (the best is\n"
        "marked) and seconds, and the times of runs with --profile. Runs of different data are\n"
        "ranked apart, with a warning.",
    .run = run,
};
