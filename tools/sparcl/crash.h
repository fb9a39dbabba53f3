/* crash.h: the message when the OpenCL driver ends the process, and the folder of PoCL's compiled
 * kernels: PoCL aborts if these files are damaged, for example after a full disk. */
#ifndef SPARCL_TOOL_CRASH_H
#define SPARCL_TOOL_CRASH_H

#include <stddef.h>

/* The folder that PoCL uses; empty if it does not fit. */
void pocl_cache_folder(char *folder, size_t bytes);
/* The shell command that clears it. In the folder of POCL_CACHE_DIR it removes only PoCL's files.
 * Empty if it does not fit. */
void pocl_cache_command(char *command, size_t bytes);

/* If the platform is PoCL, install a handler that prints how to fix a damaged cache before a signal
 * ends the process. The signal still ends it. */
void crash_install(const char *platform);
/* How to fix a damaged cache of PoCL; NULL before crash_install, and on other platforms. */
const char *crash_remedy(void);

#endif
