/* pocl_cache.h: where PoCL keeps its programs. It aborts if these files are damaged, for example
 * after a full disk. */
#ifndef SPARCL_TOOL_POCL_CACHE_H
#define SPARCL_TOOL_POCL_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "sparcl/device.h"

/* Before the first call of OpenCL: without HOME and XDG_CACHE_HOME, PoCL 3.1 uses a folder in /tmp
 * that every user can make first. It gets another one. */
void pocl_cache_choose(void);

/* True if PoCL, which is installed, has no device because its folder cannot be written; `why` says
 * what is wrong. */
bool pocl_cache_is_why(const sparcl_device_list *list, char *why, size_t bytes);

/* The folder that PoCL uses; empty if it does not fit. */
void pocl_cache_folder(char *folder, size_t bytes);
/* The shell command that clears it. In the folder of POCL_CACHE_DIR it removes only PoCL's files.
 * Empty if it does not fit. */
void pocl_cache_command(char *command, size_t bytes);

/* The platform of the device that is opened. */
void pocl_cache_name_platform(const char *platform);
/* How to fix a damaged cache; NULL where no device of PoCL was opened. */
const char *pocl_cache_remedy(void);

#endif
