/* predict_parts.h: the predictions of sparcl predict, and their lines. */
#ifndef SPARCL_TOOL_PREDICT_PARTS_H
#define SPARCL_TOOL_PREDICT_PARTS_H

#include "model_input.h"
#include "output.h"

/* A line for each row: the predicted label and, unless they are numbers, its probability. Numbers
 * do not depend on the locale: the tool never sets LC_NUMERIC. NaN is "nan" on every device. */
exit_code print_predictions(out_file *out, sparcl_loss loss, const double *label, const float *p,
                            int64_t rows);

/* Read the file part by part, and print the lines of each part. */
exit_code predict_parts(const loaded_model *loaded, const char *path, const input_options *options,
                        const char *output);

#endif
