/* message.h: prints messages on standard error: errors, how to fix them, notes. */
#ifndef SPARCL_TOOL_MESSAGE_H
#define SPARCL_TOOL_MESSAGE_H

#include "exit_codes.h"
#include "sparcl/context.h"

#if defined(__GNUC__)
#define LIKE_PRINTF __attribute__((format(printf, 1, 2)))
#else
#define LIKE_PRINTF
#endif

/* Print an error, how to fix it, how to go on after an interruption, or a note. */
LIKE_PRINTF void print_error(const char *format, ...);
LIKE_PRINTF void print_remedy(const char *format, ...);
/* With -v. */
LIKE_PRINTF void print_detail(const char *format, ...);
/* How to go on with what was interrupted. */
LIKE_PRINTF void print_next(const char *format, ...);
LIKE_PRINTF void print_note(const char *format, ...);

/* The command that runs, whose page usage_error names; NULL: none. */
void set_command_name(const char *name);
/* Print an error of the command line; returns EXIT_USAGE. */
LIKE_PRINTF exit_code usage_error(const char *format, ...);

/* Print an error of the library and how to fix it; returns its exit code. */
exit_code report(const sparcl_error *error);
exit_code out_of_memory(void);
/* With the cause, which is errno; 0: the file ends early. */
exit_code cannot_read(const char *path);

/* Print an error of a call that used the device; if a kernel did not build, with the compiler's
 * output.
 */
exit_code report_device(const sparcl_ctx *ctx, const sparcl_error *error);

#endif
