/* show_hashed.h: the names that are hashed to the columns that are shown. */
#ifndef SPARCL_TOOL_SHOW_HASHED_H
#define SPARCL_TOOL_SHOW_HASHED_H

#include <jansson.h>

#include "input_file.h"

/* Lists of entries with a "name" and a "column": those of columns from `first` on that hashes are
 * get the names that a data file has for them. It is read again; standard input cannot be. */
exit_code name_hashed(json_t *lists, int64_t first, const char *path, const input_options *options);
/* Say how these names can be had, where an entry is called by its hash. */
void print_hashed(const json_t *lists);

#endif
