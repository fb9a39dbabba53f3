/* known_pairs.h: a note where a ranking is evaluated with what users have. */
#ifndef SPARCL_TOOL_KNOWN_PAIRS_H
#define SPARCL_TOOL_KNOWN_PAIRS_H

#include "sparcl/data.h"

/* A note if pairs of `test`, of the file `path`, are also in `known`, which is called `where`; both
 * have a row for each user. */
void print_known_pairs(const char *path, const sparcl_data *test, const char *where,
                       const sparcl_data *known);

#endif
