/* show_facts.h: what a model is, and how it was trained. */
#ifndef SPARCL_TOOL_SHOW_FACTS_H
#define SPARCL_TOOL_SHOW_FACTS_H

#include <jansson.h>
#include <stdbool.h>

#include "column_names.h"

/* An object with what the file at `path` says of its model, with lists for JSON. */
json_t *show_facts(const sparcl_model *model, const column_names *names, const char *path,
                   bool as_json);
/* A list with an object for each parameter: "name", "shape", "values", "bytes", "nonzero". */
json_t *show_parameters(const sparcl_model *model);
exit_code print_parameters(const json_t *list);

#endif
