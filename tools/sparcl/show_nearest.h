/* show_nearest.h: the columns, or users and items, whose vectors are the most similar. */
#ifndef SPARCL_TOOL_SHOW_NEAREST_H
#define SPARCL_TOOL_SHOW_NEAREST_H

#include <jansson.h>

#include "column_names.h"

/*
 * An object: "id", "of", the parameter that has the vectors, and "nearest", a list of objects
 * "name", "column" and "cosine", the largest one first: of columns that the model has seen, and of
 * the same kind, items for an item. `deviations` are those of columns of data, or NULL. EXIT_USAGE:
 * the model has no vectors, or none of this name.
 */
exit_code find_nearest(const sparcl_model *model, const column_names *names, const char *id,
                       int64_t top, const double *deviations, json_t **found);
exit_code print_nearest(const json_t *found);

#endif
