/* model_file.h: reads model files, and distinguishes them from data files. */
#ifndef SPARCL_TOOL_MODEL_FILE_H
#define SPARCL_TOOL_MODEL_FILE_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/model.h"

/* Whether a file begins as models do; false for what cannot be read, and for pipes. */
bool is_model_file(const char *path);

/* Load a model. `other` is the path of the data that the model is for, or NULL: the two may be in
 * the wrong order. */
exit_code read_model(const char *path, const char *other, sparcl_model **model);

#endif
