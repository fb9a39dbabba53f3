/* live_line.h: the live line: one line on standard error that says what the command does now, is
 * redrawn, and goes away before other output. It is only on a terminal, and not with -q. A thread
 * draws it, so that it is there while a call of the library or a driver takes long. */
#ifndef SPARCL_TOOL_LIVE_LINE_H
#define SPARCL_TOOL_LIVE_LINE_H

#include <stdbool.h>

#include "sparcl/context.h"

/* -q: no notes and no progress, only errors. */
void set_quiet(void);
bool is_quiet(void);

/* A terminal that can move its cursor. */
bool live_line_is_possible(void);
/* Draw it or not, whatever standard error is. */
void live_line_force(bool on);

/* What begins now, without its end: it is shown if it takes longer than a moment, with the
 * seconds since it was said first. */
void live_line_begin(const char *text);
/* Where it is in bytes; size -1: not known. sparcl_data_desc.progress. */
void live_line_bytes(void *unused, int64_t bytes, int64_t size);
/* Kernels that are built meanwhile. */
void live_line_build(const sparcl_kernel_build *build);
/* The same, shown at once. */
void live_line_say(const char *line);
/* What was done, shown at once; its age is added when it has one. */
void live_line_report(const char *line);

/* Around other output: remove it, and draw it again below. */
void live_line_hold(void);
void live_line_release(void);
/* Nothing begins or runs now: remove it, or leave it on the screen, and go to the next line. */
void live_line_end(void);
void live_line_keep(void);

/* In a handler of signals: remove it; true: it was there. At the end nothing is drawn any more. */
bool live_line_clear_in_handler(void);
bool live_line_end_in_handler(void);

#endif
