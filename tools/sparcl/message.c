/* message.c: prints messages on standard error. */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "live_line.h"
#include "pocl_cache.h"
#include "printable.h"

static void say(const char *before, const char *format, va_list args) {
    char text[8192];
    vsnprintf(text, sizeof text, format, args);
    live_line_hold();
    fprintf(stderr, "%s%s\n", before, make_printable(text));
    live_line_release();
}

static void print_error_v(const char *format, va_list args) {
    live_line_end();
    say("sparcl: ", format, args);
}

void print_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_error_v(format, args);
    va_end(args);
}

static const char *command_name;

void set_command_name(const char *name) {
    command_name = name;
}

exit_code usage_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_error_v(format, args);
    va_end(args);
    fprintf(stderr, "  see: sparcl %s%s--help\n", command_name ? command_name : "",
            command_name ? " " : "");
    return EXIT_USAGE;
}

void print_remedy(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("  to fix it: ", format, args);
    va_end(args);
}

void print_detail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("sparcl: ", format, args);
    va_end(args);
}

void print_next(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say("  to go on: ", format, args);
    va_end(args);
}

void print_note(const char *format, ...) {
    va_list args;
    if (is_quiet()) return;
    va_start(args, format);
    say("sparcl: note: ", format, args);
    va_end(args);
}

exit_code cannot_read(const char *path) {
    print_error("%s: cannot be read: %s", path, errno ? strerror(errno) : "it ends early");
    return EXIT_RUNTIME;
}

exit_code out_of_memory(void) {
    print_error("out of host memory");
    print_remedy("close other programs, or use a smaller file");
    return EXIT_MEMORY;
}

/* A file that is read needs no space. */
static const char *remedy_for_file(const char *message) {
    return strstr(message, "cannot be opened") || strstr(message, "cannot be read")
               ? "check the name of the file and its permissions"
               : "check the path, its permissions and the free space on the disk";
}

static const char *remedy_for(sparcl_status status) {
    switch (status) {
    case SPARCL_E_DEVICE:
        return "choose one with --device; 'sparcl devices' lists them";
    case SPARCL_E_MEMORY:
        return "use a machine or a device with more memory, or for train a smaller --batch";
    case SPARCL_E_BUILD:
    case SPARCL_E_OPENCL:
        return "run 'sparcl doctor', or try another --device; 'sparcl devices' lists them";
    case SPARCL_E_DIVERGED:
        return "use a smaller --lr, or scale the values of the data";
    case SPARCL_E_ARG:
        return "see 'sparcl help'";
    case SPARCL_E_UNSUPPORTED:
        return "try another --device";
    case SPARCL_OK: /* the message of the others says how to fix it */
    case SPARCL_E_SHAPE:
    case SPARCL_E_DTYPE:
    case SPARCL_E_ALIAS:
    case SPARCL_E_UNCHECKED:
    case SPARCL_E_DATA:
    case SPARCL_E_IO: /* see above */
    case SPARCL_E_FORMAT:
    case SPARCL_E_INTERRUPTED:
        return NULL;
    }
    return NULL;
}

exit_code report(const sparcl_error *error) {
    const bool says_it = (error->status == SPARCL_E_MEMORY && strstr(error->message, "; ")) ||
                         (error->status == SPARCL_E_ARG && strstr(error->message, "; use "));
    const char *const known = says_it                        ? NULL
                              : error->status == SPARCL_E_IO ? remedy_for_file(error->message)
                                                             : remedy_for(error->status);
    const char *const cache = error->status == SPARCL_E_BUILD ? pocl_cache_remedy() : NULL;
    print_error("%s", error->message[0] ? error->message : sparcl_status_text(error->status));
    if (cache) print_remedy("%s", cache);
    if (known) print_remedy("%s", known);
    return exit_code_of(error->status);
}

exit_code report_device(const sparcl_ctx *ctx, const sparcl_error *error) {
    const char *const log = sparcl_ctx_build_log(ctx);
    live_line_end();
    if (error->status == SPARCL_E_BUILD && log[0])
        fprintf(stderr, "the compiler of %s reports:\n%s\n", sparcl_ctx_platform(ctx), log);
    return report(error);
}
