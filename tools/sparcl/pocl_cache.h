/* pocl_cache.h: where PoCL keeps its programs. */
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

#endif
