/* train_log.c: the progress of a training as lines of a file, JSON or CSV, and for TensorBoard. */
#include "train_log.h"

#include <math.h>
#include <string.h>

#include "message.h"
#include "metric_names.h"
#include "output.h"
#include "progress.h"
#include "train_history.h"

static exit_code open_lines(train_log *log, const char *path) {
    const size_t length = strlen(path);
    log->is_csv = length >= 4 && strcmp(path + length - 4, ".csv") == 0;
    const exit_code code = out_open_growing(&log->lines, path);
    if (code == EXIT_OK && log->is_csv)
        fputs("epoch,step,rows,seconds,loss,valid_loss,lr,rows_per_second\n", log->lines.file);
    return code;
}

exit_code log_open(train_log *log, const char *path, const char *folder, int64_t every) {
    *log = (train_log){.every = every};
    const exit_code code = path ? open_lines(log, path) : EXIT_OK;
    return code == EXIT_OK ? event_file_open(&log->events, folder) : code;
}

/* A number; nothing for NaN. */
static void put_number(FILE *file, double x, const char *after) {
    char text[NUMBER_BYTES];
    fprintf(file, "%s%s", isfinite(x) ? shortest_number(text, x) : "", after);
}

static void put_csv(FILE *file, const sparcl_train_progress *now, double rate) {
    fprintf(file, "%lld,%lld,%lld,", (long long)now->epoch, (long long)now->step,
            (long long)now->rows);
    put_number(file, now->seconds, ",");
    put_number(file, now->loss, ",");
    put_number(file, now->valid_loss, ",");
    put_number(file, now->lr, ",");
    put_number(file, rate, "\n");
}

static void put_json(FILE *file, const sparcl_train_progress *now, double rate) {
    json_t *const line = progress_describe(now);
    json_object_set_new(line, "rows_per_second", json_number(rate));
    json_dumpf(line, file, JSON_COMPACT);
    fputc('\n', file);
    json_decref(line);
}

/* The columns of a line that are measured. */
static void put_events(event_file *events, const sparcl_train_progress *now, double rate) {
    event_file_add(events, now->step, "loss", now->loss);
    event_file_add(events, now->step, "valid_loss", now->valid_loss);
    event_file_add(events, now->step, "lr", now->lr);
    event_file_add(events, now->step, "rows_per_second", rate);
    event_file_flush(events);
}

void log_add(train_log *log, const sparcl_train_progress *now) {
    if (!log->lines.file && !log->events.out.file) return;
    const bool is_pass = now->epoch > log->last.epoch;
    if (!is_pass && (log->every == 0 || now->is_earlier || now->step % log->every != 0)) return;
    const double seconds = now->seconds - log->last.seconds;
    const double rate = seconds > 0 ? (double)(now->rows - log->last.rows) / seconds : (double)NAN;
    sparcl_train_progress shown = *now;
    shown.loss = progress_loss(now);
    if (log->lines.file) {
        (log->is_csv ? put_csv : put_json)(log->lines.file, &shown, rate);
        if (out_flush(&log->lines) != EXIT_OK) print_note("the run goes on without this log");
    }
    put_events(&log->events, &shown, rate);
    log->last = *now;
}

/* The losses of the passes are there. */
void log_add_result(train_log *log, const json_t *result) {
    const int64_t step = json_integer_value(json_object_get(result, "steps"));
    for (int i = 0; metric_names[i]; i++) {
        const char *const name = metric_names[i];
        const json_t *const value = json_object_get(result, name);
        if (json_is_number(value) && strcmp(name, "loss") != 0 && strcmp(name, "valid_loss") != 0)
            event_file_add(&log->events, step, name, json_number_value(value));
    }
}

exit_code log_close(train_log *log) {
    const exit_code events = event_file_close(&log->events);
    const exit_code lines = out_close(&log->lines, true);
    *log = (train_log){0};
    return lines != EXIT_OK ? lines : events;
}
