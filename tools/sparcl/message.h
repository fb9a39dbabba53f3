/* message.h: messages on standard error: errors, how to fix them, notes. */
#ifndef SPARCL_TOOL_MESSAGE_H
#define SPARCL_TOOL_MESSAGE_H

#include "exit_codes.h"
#include "sparcl/context.h"

#if defined(__GNUC__)
#define LIKE_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define LIKE_PRINTF
#endif

/* On standard error: what went wrong; what the user can do about it; what is good to know. Control
 * characters that came in with a file are not let through to the terminal. */
LIKE_PRINTF void complain(const char *format, ...);
LIKE_PRINTF void print_remedy(const char *format, ...);
LIKE_PRINTF void note(const char *format, ...);

/* Print an error of the library and how to fix it; returns the exit code that belongs to it. */
exit_code report(const sparcl_error *error);
exit_code out_of_memory(void);

/* Of a clock that only goes forward. */
double seconds_now(void);

/* An error of a call that used the device: a kernel that did not build shows its compiler's words.
 */
exit_code report_device(const sparcl_ctx *ctx, const sparcl_error *error);

#endif
