/* progress.c: prints the progress of a run on standard error. */
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "message.h"

enum { LINE_BYTES = 256, MIN_WIDTH = 20 };

static const double update_seconds = 0.1;

static int terminal_width(void) {
    struct winsize size;
    const char *const columns = getenv("COLUMNS");
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    const int width = columns ? atoi(columns) : 0;
    return width >= MIN_WIDTH ? width : 80;
}

static bool can_be_live(void) {
    const char *const term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

progress_state progress_begin(progress_form format) {
    const char *const no_color = getenv("NO_COLOR");
    if (is_quiet()) format = PROGRESS_NONE;
    if (format == PROGRESS_AUTO) format = can_be_live() ? PROGRESS_LIVE : PROGRESS_LINES;
    return (progress_state){.format = format,
                            .color = format == PROGRESS_LIVE && !(no_color && no_color[0]),
                            .next_line = 1};
}

static void format_loss(char *text, size_t bytes, double loss) {
    if (isnan(loss))
        snprintf(text, bytes, "-");
    else
        snprintf(text, bytes, "%.6f", loss);
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

/* Draw the live line. One column stays empty: a full line would wrap on some terminals. */
static void draw(const progress_state *progress, const char *line) {
    fprintf(stderr, "\r%s%.*s%s\x1b[K", progress->color ? "\x1b[2m" : "", terminal_width() - 1,
            line, progress->color ? "\x1b[0m" : "");
    fflush(stderr);
}

static void draw_live(progress_state *progress, const sparcl_train_progress *now) {
    char line[LINE_BYTES], loss[32], valid[32], rate[32], eta[32];
    if (now->step < now->steps && now->seconds < progress->next_update) return;
    progress->next_update = now->seconds + update_seconds;
    const double fraction = now->steps > 0 ? (double)now->step / (double)now->steps : 1.0;
    format_loss(loss, sizeof loss, now->loss);
    format_loss(valid, sizeof valid, now->valid_loss);
    format_rate(rate, sizeof rate, examples_per_second(progress, now));
    format_eta(eta, sizeof eta, seconds_left(progress, now));
    snprintf(line, sizeof line,
             "%3.0f%%  ETA %s  loss %s%s%s  %s examples/s  pass %" PRId64 "/%" PRId64,
             100.0 * fraction, eta, loss, isnan(now->valid_loss) ? "" : "  valid ",
             isnan(now->valid_loss) ? "" : valid, rate, now->epoch, now->epochs);
    draw(progress, line);
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
    format_loss(loss, sizeof loss, now->loss);
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
    if (progress->format == PROGRESS_LIVE)
        draw_live(progress, now);
    else if (progress->format == PROGRESS_LINES)
        print_line(progress, now);
}

void progress_end(progress_state *progress) {
    if (progress->format == PROGRESS_LIVE && progress->next_update > 0.0) fputc('\n', stderr);
}

void progress_say(progress_state *progress, const char *format, ...) {
    char line[LINE_BYTES];
    va_list args;
    if (progress->format == PROGRESS_NONE) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (progress->format == PROGRESS_LIVE)
        draw(progress, line);
    else
        fprintf(stderr, "%s\n", line);
}

void progress_clear(progress_state *progress) {
    if (progress->format == PROGRESS_LIVE) fputs("\r\x1b[K", stderr);
}
