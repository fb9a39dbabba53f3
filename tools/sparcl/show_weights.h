/* show_weights.h: the largest weights of a model, by name. */
#ifndef SPARCL_TOOL_SHOW_WEIGHTS_H
#define SPARCL_TOOL_SHOW_WEIGHTS_H

#include <jansson.h>

#include "column_names.h"

/* What is shown. */
typedef struct weight_options {
    int64_t top;              /* of each class */
    const char *class_name;   /* only that one; NULL: all */
    const double *deviations; /* of the columns of data; NULL: those that the model knows */
} weight_options;

/*
 * A list with an object for each class, or one for all: "class", "bias", and "largest", a list of
 * objects "name", "column", "weight" and "importance". NULL in *list: the model has none for
 * columns. EXIT_USAGE: there is no such class.
 */
exit_code find_weights(const sparcl_model *model, const column_names *names,
                       const weight_options *options, json_t **list);
exit_code print_weights(const sparcl_model *model, const json_t *list);

#endif
