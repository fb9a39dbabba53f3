/* verbose.c: what a command uses, and how long each part of it takes. */
#include "verbose.h"

#include <stdio.h>
#include <string.h>

#include "message.h"

static struct {
    bool is_on;
    double begin, part_begin;
    char part[256]; /* "": none */
    long long kernels, loaded;
    double kernel_seconds;
} verbose;

void set_verbose(void) {
    verbose.is_on = true;
    verbose.begin = seconds_now();
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

void verbose_part(const char *name) {
    if (!verbose.is_on || strcmp(name, verbose.part) == 0) return;
    const double now = seconds_now();
    end_part(now);
    verbose.part_begin = now;
    snprintf(verbose.part, sizeof verbose.part, "%s", name);
}

void verbose_build(const sparcl_kernel_build *build) {
    verbose.kernels += build->is_done;
    verbose.loaded += build->is_done && build->is_loaded;
    verbose.kernel_seconds += build->seconds;
}

void verbose_end(void) {
    char of_them[48] = "";
    if (!verbose.is_on) return;
    const double now = seconds_now();
    end_part(now);
    print_detail("%8.3f s  in all", now - verbose.begin);
    if (verbose.loaded > 0)
        snprintf(of_them, sizeof of_them, ", %lld of them stored", verbose.loaded);
    if (verbose.kernels > 0)
        print_detail("%8.3f s  of it for %lld kernels%s", verbose.kernel_seconds, verbose.kernels,
                     of_them);
}
