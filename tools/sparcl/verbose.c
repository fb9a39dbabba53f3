/* verbose.c: the parts of a command, and what it uses. */
#include "verbose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "live_line.h"
#include "message.h"
#include "printable.h"

enum { PART_BYTES = 256 };

static struct {
    bool is_on;
    double begin, part_begin;
    char part[PART_BYTES]; /* "": none */
    long long kernels, loaded;
    double kernel_seconds;
} verbose;

void set_verbose(void) {
    verbose.is_on = true;
    verbose.begin = spc_clock();
}

bool is_verbose(void) {
    return verbose.is_on;
}

void verbose_device(const char *position, const sparcl_device *device,
                    const sparcl_platform *platform) {
    if (!verbose.is_on) return;
    print_detail("device %s: %s, %s, %s", position, device->name, platform->name, device->driver);
}

static void end_part(double now) {
    if (verbose.part[0] && now - verbose.part_begin >= 0.0005)
        print_detail("%8.3f s  %s", now - verbose.part_begin, verbose.part);
    verbose.part[0] = '\0';
}

static void print_parts(const char *name) {
    if (!verbose.is_on || strcmp(name, verbose.part) == 0) return;
    const double now = spc_clock();
    end_part(now);
    verbose.part_begin = now;
    snprintf(verbose.part, sizeof verbose.part, "%s", name);
}

void begin_part(const char *format, ...) {
    char text[PART_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_printable(text);
    print_parts(text);
    live_line_begin(text);
}

void part_builds(void *unused, const sparcl_kernel_build *build) {
    (void)unused;
    verbose.kernels += build->is_done;
    verbose.loaded += build->is_done && build->is_loaded;
    verbose.kernel_seconds += build->seconds;
    live_line_build(build);
}

void verbose_end(void) {
    char of_them[48] = "";
    if (!verbose.is_on) return;
    const double now = spc_clock();
    end_part(now);
    print_detail("%8.3f s  in all", now - verbose.begin);
    if (verbose.loaded > 0)
        snprintf(of_them, sizeof of_them, ", %lld of them stored", verbose.loaded);
    if (verbose.kernels > 0)
        print_detail("%8.3f s  of it for %lld kernels%s", verbose.kernel_seconds, verbose.kernels,
                     of_them);
}
