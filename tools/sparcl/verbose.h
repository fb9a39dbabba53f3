/* verbose.h: the parts of a command. The live line names the part that runs; with -v each is
 * printed on standard error with its seconds, and what the command uses. */
#ifndef SPARCL_TOOL_VERBOSE_H
#define SPARCL_TOOL_VERBOSE_H

#include <stdbool.h>

#include "sparcl/context.h"
#include "sparcl/device.h"

/* -v: print them from now on. */
void set_verbose(void);
bool is_verbose(void);

/* The device that is opened. */
void verbose_device(const char *position, const sparcl_device *device,
                    const sparcl_platform *platform);
/* A part begins, and ends the one before. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void begin_part(const char *format, ...);
/* A kernel that is built meanwhile. sparcl_ctx_on_build. */
void part_builds(void *unused, const sparcl_kernel_build *build);
/* The command ends: its last part, its kernels, and the seconds of all. */
void verbose_end(void);

#endif
