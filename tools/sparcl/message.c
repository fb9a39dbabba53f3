/* message.c: prints messages on standard error. */
#include "message.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "crash.h"
#include "live_line.h"

/* The bytes of the character at `at`, which a terminal shows; 0: it controls the terminal, or turns
 * the direction of the text. A byte that is no UTF-8 is as in ISO 8859. */
static size_t shown_bytes(const unsigned char *at) {
    size_t bytes = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    uint32_t code = bytes > 1 ? *at & (0x7fu >> bytes) : *at;
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) bytes = 0;
        code = code << 6 | (at[i] & 0x3f);
    }
    if (bytes == 0) return *at >= 0xa0;
    const bool controls = (code < ' ' && code != '\n' && code != '\t') || (code - 0x7f) <= 0x20;
    const bool turns = code - 0x202a <= 4 || code - 0x2066 <= 3 || code - 0x2028 <= 1;
    return controls || turns ? 0 : bytes;
}

char *make_printable(char *text) {
    for (unsigned char *at = (unsigned char *)text; *at;) {
        const size_t bytes = shown_bytes(at);
        if (bytes == 0) *at = '?';
        at += bytes > 0 ? bytes : 1;
    }
    return text;
}

int fitting_bytes(const char *text, int most) {
    int bytes = (int)strnlen(text, (size_t)most);
    for (int i = 0; i < 3 && bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80; i++)
        bytes--;
    return bytes;
}

static bool quiet;

void set_quiet(void) {
    quiet = true;
}

bool is_quiet(void) {
    return quiet;
}

static void say(const char *before, const char *format, va_list args) {
    char text[8192];
    vsnprintf(text, sizeof text, format, args);
    live_line_hold();
    fprintf(stderr, "%s%s\n", before, make_printable(text));
    live_line_release();
}

void print_error_v(const char *format, va_list args) {
    live_line_end();
    say("sparcl: ", format, args);
}

void print_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_error_v(format, args);
    va_end(args);
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
    if (quiet) return;
    va_start(args, format);
    say("sparcl: note: ", format, args);
    va_end(args);
}

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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
    const char *const cache = error->status == SPARCL_E_BUILD ? crash_remedy() : NULL;
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
