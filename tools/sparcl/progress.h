/* progress.h: prints the progress of a run on standard error: one live line on a terminal,
 * otherwise lines (of a training at steps 1, 2, 4, 8, ...). */
#ifndef SPARCL_TOOL_PROGRESS_H
#define SPARCL_TOOL_PROGRESS_H

#include <stdbool.h>

#include "sparcl/train.h"

/* In the order of the words of the option --progress. */
typedef enum progress_form {
    PROGRESS_AUTO,
    PROGRESS_LIVE,
    PROGRESS_LINES,
    PROGRESS_NONE
} progress_form;
#define PROGRESS_WORDS "auto|live|lines|none"

typedef struct progress_state {
    progress_form format;
    bool headed;        /* the heading of the lines was printed */
    int64_t next_line;  /* step at which the next line is printed */
    double next_update; /* seconds at which the live line is next drawn */
    bool has_first;     /* the fields of the first report are set */
    double first_seconds;
    int64_t first_step, first_rows;
} progress_state;

/* Of the option --progress; the live line of the command is there, or not, as it says. */
progress_state progress_begin(progress_form format);

/* The loss to show: of the last pass; in the first one of its rows so far, each computed before the
 * step with it, which waits for the device. */
double progress_loss(const sparcl_train_progress *now);
void progress_show(progress_state *progress, const sparcl_train_progress *now);
/* Show what a command without steps does now, one line for each call; the live line is redrawn. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void progress_say(const progress_state *progress, const char *format, ...);

#endif
