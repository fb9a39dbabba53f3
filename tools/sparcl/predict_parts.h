/* predict_parts.h: predictions on a file that is read part by part. */
#ifndef SPARCL_TOOL_PREDICT_PARTS_H
#define SPARCL_TOOL_PREDICT_PARTS_H

#include "model_input.h"
#include "predict_lines.h"

/* Read the file part by part, and print the lines of each part. */
exit_code predict_parts(const loaded_model *loaded, const char *path, const input_options *options,
                        const line_options *lines, const char *output);

#endif
