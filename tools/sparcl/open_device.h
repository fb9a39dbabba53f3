/* open_device.h: opening the selected device. */
#ifndef SPARCL_TOOL_OPEN_DEVICE_H
#define SPARCL_TOOL_OPEN_DEVICE_H

#include "exit_codes.h"
#include "options.h"
#include "sparcl/context.h"

#define OPTION_DEVICE(text)                                                                        \
    {                                                                                              \
        .name = "device", .type = OPTION_TEXT, .value = &(text), .argument = "D",                  \
        .choices = "auto|gpu|cpu|pocl",                                                            \
        .help = "auto, gpu, cpu, pocl, 0:0, part of a name (sparcl help device)"                   \
    }

/* The folder of the compiled kernels: SPARCL_CACHE_DIR, $XDG_CACHE_HOME/sparcl or ~/.cache/sparcl;
 * NULL, no cache, when none is known or SPARCL_CACHE_DIR is empty. */
const char *cache_folder(char *path, size_t bytes);

/* The context of a selector (NULL: what SPARCL_DEVICE says, else auto), with the tool's kernel
 * cache and what the environment says of kernels. Where several devices fit, the one taken is named
 * on standard error. */
sparcl_status open_context(const char *selector, sparcl_log_fn log, void *log_user,
                           sparcl_ctx **ctx, sparcl_error *error);

/* Open the device that the option, or else SPARCL_DEVICE, selects; where several fit, the one taken
 * is named on standard error. */
exit_code open_device(const char *selector, sparcl_ctx **ctx);
/* The same with what a description says beside the device, such as a tuning or a profile. */
exit_code open_device_as(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx);

#endif
