/* crash.h: what the tool says when the OpenCL driver ends the process, and where PoCL keeps its
 * compiled kernels: it aborts when these files are damaged, as after a full disk. */
#ifndef SPARCL_TOOL_CRASH_H
#define SPARCL_TOOL_CRASH_H

#include <stddef.h>

/* The folder as PoCL finds it; empty when it does not fit. */
void pocl_cache_folder(char *folder, size_t bytes);
/* The shell command that empties it. In a folder that POCL_CACHE_DIR names, it removes only what
 * PoCL has put there. Empty when it does not fit. */
void pocl_cache_command(char *command, size_t bytes);

/* From now on, a signal that ends the process says first how to fix a damaged cache, where the
 * platform is PoCL. The signal still ends the process. */
void crash_install(const char *platform);

#endif
