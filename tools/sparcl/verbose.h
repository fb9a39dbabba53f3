/* verbose.h: -v: what a command uses, and how long each part of it takes, on standard error. */
#ifndef SPARCL_TOOL_VERBOSE_H
#define SPARCL_TOOL_VERBOSE_H

#include <stdbool.h>

#include "sparcl/context.h"
#include "sparcl/device.h"

/* From now on; the functions below do nothing before. */
void set_verbose(void);
bool is_verbose(void);

/* The device that is opened. */
void verbose_device(const char *position, const sparcl_device *device,
                    const sparcl_platform *platform);
/* A part begins: the one before, if there is one, is printed with its seconds. */
void verbose_part(const char *name);
void verbose_build(const sparcl_kernel_build *build);
/* The command ends: its last part, its kernels, and the seconds of all. */
void verbose_end(void);

#endif
