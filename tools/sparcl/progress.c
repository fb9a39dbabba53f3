/* progress.c: prints the progress of a run on standard error. */
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "live_line.h"
#include "verbose.h"

enum { LINE_BYTES = 256, LOSS_WIDTH = 12 };

static const double update_seconds = 0.1;

progress_state progress_begin(progress_form format) {
    if (is_quiet()) format = PROGRESS_NONE;
    if (format == PROGRESS_AUTO) format = live_line_is_possible() ? PROGRESS_LIVE : PROGRESS_LINES;
    live_line_force(format == PROGRESS_LIVE);
    return (progress_state){.format = format, .next_line = 1};
}

double progress_loss(const sparcl_train_progress *now) {
    double loss = now->loss;
    if (isnan(loss) && now->run && sparcl_train_pass_loss(now, &loss, NULL) != SPARCL_OK)
        return (double)NAN; /* the next step says why */
    return loss;
}

/* As wide as its column, at most. */
static void format_loss(char *text, size_t bytes, double loss) {
    if (isnan(loss))
        snprintf(text, bytes, "-");
    else if (snprintf(text, bytes, "%.6f", loss) > LOSS_WIDTH)
        snprintf(text, bytes, "%.6g", loss);
}

/* "1.4M": two or three digits are enough for a rate. */
static void format_rate(char *text, size_t bytes, double rate) {
    if (!(rate > 0) || isinf(rate))
        snprintf(text, bytes, "-");
    else if (rate < 1e3)
        snprintf(text, bytes, "%.0f", rate);
    else if (rate < 1e6)
        snprintf(text, bytes, "%.1fk", rate / 1e3);
    else
        snprintf(text, bytes, "%.1fM", rate / 1e6);
}

static void format_eta(char *text, size_t bytes, double seconds_left) {
    const long seconds = seconds_left < 3.6e6 ? (long)(seconds_left + 0.5) : 3600000;
    if (isnan(seconds_left))
        snprintf(text, bytes, "-");
    else if (seconds < 3600)
        snprintf(text, bytes, "%ld:%02ld", seconds / 60, seconds % 60);
    else
        snprintf(text, bytes, "%ld:%02ld:%02ld", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/* The rate and the remaining time are computed from the steps after the first report: kernels are
 * built before it. */
static double examples_per_second(const progress_state *progress,
                                  const sparcl_train_progress *now) {
    return (double)(now->rows - progress->first_rows) / (now->seconds - progress->first_seconds);
}

static double seconds_left(const progress_state *progress, const sparcl_train_progress *now) {
    const int64_t done = now->step - progress->first_step, left = now->steps - now->step;
    if (left == 0) return 0.0;
    return done > 0 ? (now->seconds - progress->first_seconds) / (double)done * (double)left : NAN;
}

/* L-BFGS ends when it has converged: the number of its iterations is not known. */
static void draw_iteration(progress_state *progress, const sparcl_train_progress *now) {
    char line[LINE_BYTES], loss[32], valid[32];
    if (now->seconds < progress->next_update) return;
    progress->next_update = now->seconds + update_seconds;
    format_loss(loss, sizeof loss, now->loss);
    format_loss(valid, sizeof valid, now->valid_loss);
    snprintf(line, sizeof line, "iteration %" PRId64 " of at most %" PRId64 "  loss %s%s%s",
             now->step, now->steps, loss, isnan(now->valid_loss) ? "" : "  valid ",
             isnan(now->valid_loss) ? "" : valid);
    live_line_report(line);
}

static void draw_live(progress_state *progress, const sparcl_train_progress *now) {
    char line[LINE_BYTES], loss[32], valid[32], rate[32], eta[32];
    if (now->step < now->steps && now->seconds < progress->next_update) return;
    progress->next_update = now->seconds + update_seconds;
    const double fraction = now->steps > 0 ? (double)now->step / (double)now->steps : 1.0;
    format_loss(loss, sizeof loss, progress_loss(now));
    format_loss(valid, sizeof valid, now->valid_loss);
    format_rate(rate, sizeof rate, examples_per_second(progress, now));
    format_eta(eta, sizeof eta, seconds_left(progress, now));
    snprintf(line, sizeof line,
             "%3.0f%%  ETA %s  loss %s%s%s  %s examples/s  pass %" PRId64 "/%" PRId64,
             100.0 * fraction, eta, loss, isnan(now->valid_loss) ? "" : "  valid ",
             isnan(now->valid_loss) ? "" : valid, rate, now->epoch, now->epochs);
    live_line_report(line);
}

/* After the last step. */
static void end_live(void) {
    live_line_keep();
    begin_part("catching up, and computing the loss of the model");
}

static void print_line(progress_state *progress, const sparcl_train_progress *now) {
    char loss[32], valid[32], rate[32], eta[32];
    if (now->step < progress->next_line && now->step < now->steps) return;
    while (progress->next_line <= now->step)
        progress->next_line *= 2;
    if (!progress->headed)
        fprintf(stderr, "%10s %8s %12s %12s %12s %10s %8s\n", "step", "pass", "examples", "loss",
                "valid", "examples/s", "ETA");
    progress->headed = true;
    format_loss(loss, sizeof loss, progress_loss(now));
    format_loss(valid, sizeof valid, now->valid_loss);
    format_rate(rate, sizeof rate, examples_per_second(progress, now));
    format_eta(eta, sizeof eta, seconds_left(progress, now));
    fprintf(stderr, "%10" PRId64 " %8" PRId64 " %12" PRId64 " %12s %12s %10s %8s\n", now->step,
            now->epoch, now->rows, loss, valid, rate, eta);
}

void progress_show(progress_state *progress, const sparcl_train_progress *now) {
    if (!progress->has_first) {
        progress->has_first = true;
        progress->first_seconds = now->seconds;
        progress->first_step = now->step;
        progress->first_rows = now->rows;
    }
    if (progress->format == PROGRESS_LIVE) {
        (now->run || now->is_earlier ? draw_live : draw_iteration)(progress, now);
        if (now->step == now->steps) end_live();
    } else if (progress->format == PROGRESS_LINES) {
        print_line(progress, now);
    }
}

void progress_say(const progress_state *progress, const char *format, ...) {
    char line[LINE_BYTES];
    va_list args;
    if (progress->format == PROGRESS_NONE) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (progress->format == PROGRESS_LIVE)
        live_line_say(line);
    else
        fprintf(stderr, "%s\n", line);
}
