/* cmd_sweep.c: sparcl sweep: trains with all combinations of options, and compares. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "live_line.h"
#include "message.h"
#include "model_kind.h"
#include "optimizer.h"
#include "output.h"
#include "report_page.h"
#include "sparcl/optim.h"
#include "sparcl/train.h"
#include "sweep_options.h"
#include "sweep_run.h"
#include "sweep_table.h"
#include "train_options.h"

typedef struct sweep_job {
    sweep_grid grid;
    sweep_point *points; /* [grid.point_count] */
    int made;
    int lock; /* the folder, open; -1 */
} sweep_job;

/* ---- the options of all runs ---------------------------------------------------------------- */

/* What was given of an option, or NULL. */
static json_t *given_value(const tool_option *option, int number) {
    if (option_origin_of(number) == FROM_DEFAULT) return NULL;
    if (option->type != OPTION_FLAG) return json_string(option_text(number));
    return *(const int *)option->value == option->set ? json_true() : NULL;
}

static exit_code collect_given(const char *path, json_t **all) {
    *all = json_pack("{s:s}", "train", path);
    if (!*all) return usage_error("the name of the data is not in UTF-8: \"%s\"", path);
    for (int i = sweep_first_option(); sweep_rows[i].name; i++) {
        const tool_option *const option = &sweep_rows[i];
        json_t *const value = given_value(option, i);
        if (value) json_object_set_new(*all, option->name, value);
        if (!value && option->type != OPTION_FLAG && option_origin_of(i) != FROM_DEFAULT)
            return usage_error("--%s: its value is not in UTF-8", option->name);
    }
    return EXIT_OK;
}

/* Texts with keys, of which a part may be from the grid, are tried before any run begins. */
static exit_code check_settings(const json_t *settings) {
    const char *const model = json_string_value(json_object_get(settings, "model"));
    const char *const optimizer = json_string_value(json_object_get(settings, "optimizer"));
    const char *const schedule = json_string_value(json_object_get(settings, "schedule"));
    const sparcl_architecture *architecture = NULL;
    sparcl_optim optim;
    sparcl_schedule rates;
    sparcl_error error = {0};
    exit_code code = model ? read_model_kind(model, &architecture) : EXIT_OK;
    sparcl_architecture_free(architecture);
    if (code == EXIT_OK && optimizer) code = read_optimizer(optimizer, &optim);
    if (code == EXIT_OK && schedule && sparcl_schedule_parse(&rates, schedule, &error) != SPARCL_OK)
        code = usage_error("--schedule: %s", error.message);
    return code;
}

static exit_code check_given(const char *path) {
    if (!sweep_given.folder) return usage_error("-o FOLDER is missing: the folder of the runs");
    if (sweep_given.grid.count == 0)
        return usage_error("--grid is missing, such as --grid \"lr=0.1,0.01\"");
    if (strcmp(path, "-") == 0)
        return usage_error("TRAIN is standard input, expected a file: each run reads it");
    return EXIT_OK;
}

/* ---- the points ----------------------------------------------------------------------------- */

static exit_code refuse_same_names(const sweep_job *job) {
    json_t *const names = json_object();
    exit_code code = EXIT_OK;
    for (int i = 0; i < job->made && code == EXIT_OK; i++) {
        if (json_object_get(names, job->points[i].name))
            code = usage_error("--grid: two points have the name %s", job->points[i].name);
        json_object_set_new(names, job->points[i].name, json_true());
    }
    json_decref(names);
    return code;
}

static exit_code make_points(sweep_job *job, const json_t *all) {
    exit_code code = EXIT_OK;
    job->points = calloc((size_t)job->grid.point_count, sizeof *job->points);
    if (!job->points) return out_of_memory();
    while (job->made < job->grid.point_count && code == EXIT_OK) {
        sweep_point *const point = &job->points[job->made];
        code = point_make(point, &job->grid, job->made++, all, sweep_given.folder);
        if (code == EXIT_OK) code = check_settings(point->settings);
    }
    return code == EXIT_OK ? refuse_same_names(job) : code;
}

/* What was done before. */
static exit_code find_points(sweep_job *job) {
    exit_code code = EXIT_OK;
    for (int i = 0; i < job->made && code == EXIT_OK; i++)
        code = point_find(&job->points[i]);
    return code;
}

/* What the runs that are not done will write. */
static exit_code take_files(const sweep_job *job) {
    static const char *const endings[] = {"json", "safetensors", "txt", "checkpoint"};
    exit_code code = EXIT_OK;
    for (int i = 0; i < job->made; i++)
        for (size_t e = 0; e < sizeof endings / sizeof *endings && code == EXIT_OK; e++) {
            if (job->points[i].state == SWEEP_DONE) continue;
            char *const path = point_file(sweep_given.folder, &job->points[i], endings[e]);
            code = path ? files_add(path, path, FILE_WRITTEN, false) : out_of_memory();
            free(path);
        }
    return code == EXIT_OK ? files_check() : code;
}

/* Words in quotes where a shell would not take them as they are. */
static void print_word(const char *word) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_-./=:,+@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[2]){*word, '\0'}, stdout);
    putchar('\'');
}

static exit_code print_commands(const sweep_job *job) {
    for (int i = 0; i < job->made; i++) {
        if (job->points[i].state == SWEEP_DONE) continue;
        char **const arguments = point_arguments(&job->points[i], sweep_given.folder);
        if (!arguments) return out_of_memory();
        for (char **a = arguments; *a; a++) {
            if (a > arguments) putchar(' ');
            print_word(*a);
        }
        putchar('\n');
        free_arguments(arguments);
    }
    return flush_results();
}

/* ---- the folder ----------------------------------------------------------------------------- */

static exit_code cannot_use(const char *folder) {
    print_error("%s: cannot be used as the folder of a sweep: %s", folder, strerror(errno));
    print_remedy("choose a folder that exists and is writable, or a new one in such a "
                 "folder");
    return EXIT_RUNTIME;
}

/* One sweep at a time works in a folder; the lock ends with the process. */
static exit_code open_folder(sweep_job *job) {
    const char *const folder = sweep_given.folder;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) return cannot_use(folder);
    job->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (job->lock < 0 || access(folder, W_OK | X_OK) != 0) return cannot_use(folder);
    if (flock(job->lock, LOCK_EX | LOCK_NB) == 0) return EXIT_OK;
    if (errno != EWOULDBLOCK) return EXIT_OK; /* a file system without locks */
    print_error("%s: another sweep works in this folder", folder);
    print_remedy("wait for its end, or use another folder with -o");
    return EXIT_RUNTIME;
}

/* ---- the results ---------------------------------------------------------------------------- */

/* The page of the runs that are done, in the order of the table. */
static exit_code save_page(const sweep_job *job) {
    report_run *const runs = calloc((size_t)job->made, sizeof *runs);
    const size_t bytes = strlen(sweep_given.folder) + 16;
    char *const path = malloc(bytes);
    int count = 0;
    exit_code code = runs && path ? EXIT_OK : out_of_memory();
    for (int i = 0; i < job->made && code == EXIT_OK; i++)
        if (job->points[i].state == SWEEP_DONE) runs[count++] = job->points[i].run;
    if (code == EXIT_OK) snprintf(path, bytes, "%s/report.html", sweep_given.folder);
    if (code == EXIT_OK && count > 0) code = report_page_save(runs, count, REPORT_RUNS_BELOW, path);
    if (code == EXIT_OK && count > 0 && !sweep_given.is_quiet)
        print_note("%s compares the runs", path);
    free(path);
    free(runs);
    return code;
}

static const char *fingerprint_of(const sweep_point *point) {
    const json_t *const data = json_object_get(point->run.facts, "data");
    return json_string_value(json_object_get(json_object_get(data, "train"), "fingerprint"));
}

/* A file may have changed between two calls of the command. */
static void compare_data(const sweep_job *job) {
    const sweep_point *first = NULL;
    for (int i = 0; i < job->made; i++) {
        const sweep_point *const point = &job->points[i];
        if (point->state != SWEEP_DONE || !fingerprint_of(point)) continue;
        if (!first) first = point;
        if (strcmp(fingerprint_of(first), fingerprint_of(point)) == 0) continue;
        print_note("the data of %s and %s differ: the file has changed between the runs",
                   first->name, point->name);
        return;
    }
}

static void note_own_rows(const sweep_table *table) {
    const bool is_own = !sweep_given.sort && strcmp(table->metric, "loss") == 0;
    if (is_own && !sweep_given.is_quiet && table->count > 1 && table->points[0].state == SWEEP_DONE)
        print_note("the runs are in the order of the loss on the rows that they were trained on; "
                   "--hold-out 0.2, --valid FILE or --valid-nodes N orders them by others");
}

static void note_losses(const sweep_table *table) {
    bool differ = false;
    for (int a = 0; a < table->grid->axis_count; a++)
        differ |= strcmp(table->grid->axes[a].name, "loss") == 0;
    if (differ && strstr(table->metric, "loss") && !sweep_given.is_quiet)
        print_note("losses of different functions cannot be compared: --sort valid_rmse, or "
                   "valid_accuracy of classes, orders the runs");
}

static exit_code show_results(sweep_job *job) {
    sweep_table table = {&job->grid, job->points, job->made, NULL};
    const exit_code sorted = sweep_table_sort(&table, sweep_given.sort);
    exit_code code = sorted == EXIT_USAGE ? EXIT_OK : sorted;
    compare_data(job);
    note_own_rows(&table);
    note_losses(&table);
    if (code == EXIT_OK && !is_standard_output(sweep_given.csv) &&
        !is_standard_output(sweep_given.json))
        code = sweep_table_print(&table);
    if (code == EXIT_OK && sweep_given.csv) code = sweep_table_save_csv(&table, sweep_given.csv);
    if (code == EXIT_OK && sweep_given.json) code = sweep_table_save_json(&table, sweep_given.json);
    if (code == EXIT_OK) code = save_page(job);
    return code == EXIT_OK ? sorted : code;
}

/* That of the first point that failed. */
static exit_code failure_of(const sweep_job *job) {
    const sweep_point *first = NULL;
    for (int i = 0; i < job->made; i++) {
        const sweep_point *const point = &job->points[i];
        if (point->state == SWEEP_FAILED && (!first || point->number < first->number))
            first = point;
    }
    return first ? first->code : EXIT_OK;
}

static exit_code say_interrupted(const sweep_job *job) {
    int done = 0;
    for (int i = 0; i < job->made; i++)
        done += job->points[i].state == SWEEP_DONE;
    print_error("interrupted; %d of %d runs are done", done, job->made);
    print_next("the same command");
    return EXIT_INTERRUPTED;
}

/* ---- the command ---------------------------------------------------------------------------- */

static exit_code run_all(sweep_job *job) {
    sweep_work work = {.points = job->points,
                       .count = job->made,
                       .folder = sweep_given.folder,
                       .jobs = sweep_given.jobs < job->made ? sweep_given.jobs : job->made,
                       .stops_on_failure = sweep_given.stops_on_failure,
                       .is_quiet = sweep_given.is_quiet};
    exit_code code = open_folder(job);
    if (code == EXIT_OK) code = find_points(job);
    if (code == EXIT_OK) code = take_files(job);
    if (code == EXIT_OK) code = sweep_run(&work);
    if (code == EXIT_INTERRUPTED) return say_interrupted(job);
    if (code == EXIT_OK) code = show_results(job);
    return code == EXIT_OK ? failure_of(job) : code;
}

static exit_code run(int operand_count, const char *const *operands) {
    sweep_job job = {.lock = -1};
    json_t *all = NULL;
    (void)operand_count;
    if (is_quiet()) sweep_given.is_quiet = 1;
    if (sweep_given.is_quiet) live_line_force(false);
    exit_code code = check_given(operands[0]);
    if (code != EXIT_OK) return code;
    code = collect_given(operands[0], &all);
    if (code == EXIT_OK)
        code = grid_parse(&job.grid, sweep_rows + sweep_first_option(), &sweep_given.grid);
    if (code == EXIT_OK) code = make_points(&job, all);
    if (code == EXIT_OK && sweep_given.dry_run) {
        code = find_points(&job);
        if (code == EXIT_OK) code = print_commands(&job);
    } else if (code == EXIT_OK) {
        code = run_all(&job);
    }
    for (int i = 0; i < job.made; i++)
        point_free(&job.points[i]);
    free(job.points);
    grid_free(&job.grid);
    json_decref(all);
    if (job.lock >= 0) close(job.lock);
    return code;
}

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

extern const tool_command command_sweep;
const tool_command command_sweep = {
    .name = "sweep",
    .summary = "train with all combinations of options, and compare",
    .operands = "TRAIN -o FOLDER --grid GRID [options of train]",
    .config = &train_given.config,
    .operand_key = "train",
    .operands_min = 1,
    .operands_max = 1,
    .examples = examples,
    .options = sweep_rows,
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
    .run = run,
};
