/* regular.h: opens a file for reading, unless it is a pipe, a device or a folder. */
#ifndef SPC_MODEL_REGULAR_H
#define SPC_MODEL_REGULAR_H

#include <stdio.h>

#include "base/macros.h"

/* E_IO, E_MEMORY: *file is NULL. */
sparcl_status spc_open_regular(FILE **file, const char *path, sparcl_error *error);

#endif
