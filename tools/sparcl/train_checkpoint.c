/* train_checkpoint.c: the checkpoints of sparcl train: their options, and what is said of them. */
#include "train_checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "message.h"
#include "stop.h"
#include "train_options.h"

/* Without --checkpoint-every. */
static const double usual_seconds = 600;

/* A number and a unit of time: 90s, 10m, 2h. */
static bool read_time(const char *text, double *seconds) {
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    char *end = NULL;
    if (strspn(text, "0123456789.") + 1 != strlen(text)) return false;
    const double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (*end != units[i].letter) continue;
        *seconds = number * units[i].seconds;
        return end != text && isfinite(number) && number > 0;
    }
    return false;
}

static bool read_steps(const char *text, int64_t *steps) {
    if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 18) return false;
    *steps = strtoll(text, NULL, 10);
    return *steps > 0;
}

static exit_code report_checkpoint(const sparcl_error *error) {
    const exit_code code = report(error);
    if (error->status == SPARCL_E_FORMAT)
        print_remedy("use another file; to begin again, use --overwrite, or remove it and "
                     "FILE.previous");
    return code;
}

/* It may be hours of work. */
static exit_code refuse_existing(const checkpoint_options *o) {
    if (!o->path || o->resume || o->overwrite || train_given.dry_run) return EXIT_OK;
    sparcl_checkpoint_info info;
    sparcl_error error = {0};
    if (sparcl_checkpoint_find(o->path, &info, &error) != SPARCL_OK)
        return report_checkpoint(&error);
    if (!info.exists) return EXIT_OK;
    print_error("%s%s is there: this run would replace it", o->path,
                info.is_previous ? ".previous" : "");
    print_remedy("go on with it by --resume, or replace it by --overwrite");
    return EXIT_USAGE;
}

static exit_code take_every(checkpoint_options *o) {
    o->seconds = usual_seconds;
    if (!o->every) return EXIT_OK;
    o->seconds = 0;
    if (read_steps(o->every, &o->steps) || read_time(o->every, &o->seconds)) return EXIT_OK;
    return usage_error("--checkpoint-every: expected a number of steps such as 1000, or a time "
                       "such as 90s, 10m or 2h, found \"%s\"",
                       o->every);
}

exit_code checkpoint_take_options(void) {
    checkpoint_options *const o = &train_given.checkpoint;
    if (!o->path && (o->every || o->resume || o->overwrite))
        return usage_error("--%s needs --checkpoint FILE", o->every    ? "checkpoint-every"
                                                           : o->resume ? "resume"
                                                                       : "overwrite");
    if (o->resume && o->overwrite)
        return usage_error("--resume and --overwrite are both given, expected one");
    const exit_code code = take_every(o);
    return code == EXIT_OK ? refuse_existing(o) : code;
}

void checkpoint_describe(sparcl_train_desc *desc) {
    const checkpoint_options *const o = &train_given.checkpoint;
    if (!o->path || train_given.dry_run) return;
    desc->checkpoint = o->path;
    desc->checkpoint_steps = o->steps;
    desc->checkpoint_seconds = o->seconds;
    desc->resume = o->resume;
    desc->overwrite = o->overwrite;
}

exit_code checkpoint_announce(void) {
    const checkpoint_options *const o = &train_given.checkpoint;
    sparcl_checkpoint_info info;
    sparcl_error error = {0};
    if (!o->resume || train_given.dry_run) return EXIT_OK;
    if (sparcl_checkpoint_find(o->path, &info, &error) != SPARCL_OK)
        return report_checkpoint(&error);
    if (info.is_previous) print_note("%s", info.damage.message);
    const char *const suffix = info.is_previous ? ".previous" : "";
    if (info.exists && info.solver == SPARCL_SOLVER_LBFGS)
        print_note("going on with %s%s: %" PRId64 " iterations were done", o->path, suffix,
                   info.step);
    else if (info.exists)
        print_note("going on with %s%s: %" PRId64 " steps were done, in pass %" PRId64, o->path,
                   suffix, info.step, info.epoch + 1);
    else
        print_note("%s does not exist yet: the run begins", o->path);
    return EXIT_OK;
}

void checkpoint_watch(const sparcl_train_progress *now) {
    bool *const is_said = &train_given.checkpoint.failure_is_said;
    if (now->checkpoint_error && !*is_said)
        print_note("%s; the run goes on, and tries again", now->checkpoint_error);
    *is_said = now->checkpoint_error != NULL;
}

bool checkpoint_stop(bool has_more) {
    const bool is_requested = stop_was_requested();
    if (train_given.checkpoint.path && (has_more || is_requested))
        stop_set_mode(STOP_SOON);
    else
        stop_set_mode(STOP_AT_ONCE);
    return is_requested;
}

exit_code checkpoint_interrupted(void) {
    const char *const path = train_given.checkpoint.path;
    if (!path) {
        print_error("%s", files_interrupted());
        return EXIT_INTERRUPTED;
    }
    print_error("interrupted; no model was written, but the checkpoint %s", path);
    print_next("the same command with --resume");
    return EXIT_INTERRUPTED;
}
