/* show_hashed.h: the names that are hashed to the columns of the largest weights. */
#ifndef SPARCL_TOOL_SHOW_HASHED_H
#define SPARCL_TOOL_SHOW_HASHED_H

#include <jansson.h>

#include "input_file.h"

/* Give the entries of a list of weights (show_weights.h) from `first` on, of columns that hashes
 * are, the names that a data file has for them. It is read again; standard input cannot be. */
exit_code name_hashed(json_t *weights, int64_t first, const char *path,
                      const input_options *options);
/* Say how these names can be had, where an entry is called by its hash. */
void print_hashed(const json_t *weights);

#endif
