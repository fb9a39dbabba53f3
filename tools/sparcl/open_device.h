/* open_device.h: opens the selected device. */
#ifndef SPARCL_TOOL_OPEN_DEVICE_H
#define SPARCL_TOOL_OPEN_DEVICE_H

#include "exit_codes.h"
#include "options.h"
#include "sparcl/context.h"

#define OPTION_DEVICE(text)                                                                        \
    {                                                                                              \
        .name = "device", .type = OPTION_TEXT, .value = &(text), .argument = "D",                  \
        .choices = "auto|gpu|cpu|pocl",                                                            \
        .help = "auto, gpu, cpu, pocl, 0:0, or part of a name (sparcl help device)"                \
    }

/* The folder of the compiled kernels: SPARCL_CACHE_DIR, $XDG_CACHE_HOME/sparcl or ~/.cache/sparcl;
 * NULL, which means no cache, when none is known or SPARCL_CACHE_DIR is empty. */
const char *cache_folder(char *path, size_t bytes);

/* Open the device of a selector (NULL: SPARCL_DEVICE, else auto), with the tool's kernel cache, the
 * environment variables for kernels, and other settings of the context, such as a tuning or a
 * profile. Where several devices match, the selected one is printed on standard error. */
sparcl_status open_context(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx,
                           sparcl_error *error);

/* The same for a command: errors and warnings are printed. */
exit_code open_device(const char *selector, sparcl_ctx **ctx);
exit_code open_device_as(const char *selector, sparcl_ctx_desc desc, sparcl_ctx **ctx);

#endif
