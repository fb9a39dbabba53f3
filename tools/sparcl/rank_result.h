/* rank_result.h: how good the first items of each user are, as JSON and notes. */
#ifndef SPARCL_TOOL_RANK_RESULT_H
#define SPARCL_TOOL_RANK_RESULT_H

#include <jansson.h>

#include "options.h"
#include "sparcl/apply.h"

enum { RANK_K = 20 }; /* the default of --k */

#define OPTION_K(variable)                                                                         \
    {                                                                                              \
        .name = "k", .type = OPTION_COUNT, .value = &(variable), .argument = "K", .minimum = 1,    \
        .help = "of a ranking: how many items of each user; default 20"                            \
    }

/* Add the metrics to an object, each key after `prefix`. */
void rank_describe(json_t *object, const char *prefix, const sparcl_rank_metrics *metrics);

/* A note if pairs of the file `path` that were evaluated are also in what is called `known`. */
void print_known_pairs(const char *path, const char *known, const sparcl_rank_metrics *metrics);

/* A note if the items that most users have are better for all; returns whether they are. */
bool print_worse_ranking(const sparcl_rank_metrics *metrics);

#endif
