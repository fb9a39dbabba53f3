/* train_log.c: the progress of a training as lines of a file, JSON or CSV. */
#include "train_log.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "train_history.h"

static exit_code cannot_write(const train_log *log) {
    print_error("%s: cannot be written: %s", log->path, strerror(errno));
    return EXIT_RUNTIME;
}

exit_code log_open(train_log *log, const char *path, int64_t every) {
    *log = (train_log){.path = path, .every = every};
    if (!path) return EXIT_OK;
    const size_t length = strlen(path);
    log->is_csv = length >= 4 && strcmp(path + length - 4, ".csv") == 0;
    log->file = fopen(path, "w");
    if (!log->file) return cannot_write(log);
    if (log->is_csv)
        fputs("epoch,step,rows,seconds,loss,valid_loss,lr,rows_per_second\n", log->file);
    return EXIT_OK;
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

void log_add(train_log *log, const sparcl_train_progress *now) {
    if (!log->file) return;
    const bool is_pass = now->epoch > log->last.epoch;
    if (!is_pass && (log->every == 0 || now->is_earlier || now->step % log->every != 0)) return;
    const double seconds = now->seconds - log->last.seconds;
    const double rate = seconds > 0 ? (double)(now->rows - log->last.rows) / seconds : (double)NAN;
    if (log->is_csv) {
        put_csv(log->file, now, rate);
    } else {
        json_t *const line = progress_describe(now);
        json_object_set_new(line, "rows_per_second", json_number(rate));
        json_dumpf(line, log->file, JSON_COMPACT);
        fputc('\n', log->file);
        json_decref(line);
    }
    fflush(log->file);
    log->last = *now;
}

exit_code log_close(train_log *log) {
    if (!log->file) return EXIT_OK;
    errno = 0;
    bool bad = ferror(log->file) != 0;
    bad |= fclose(log->file) != 0;
    log->file = NULL;
    return bad ? cannot_write(log) : EXIT_OK;
}
