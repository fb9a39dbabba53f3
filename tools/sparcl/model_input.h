/* model_input.h: a model, a device, and data that the model is applied to. */
#ifndef SPARCL_TOOL_MODEL_INPUT_H
#define SPARCL_TOOL_MODEL_INPUT_H

#include "input_file.h"
#include "sparcl/context.h"
#include "sparcl/model.h"

typedef struct loaded_model {
    sparcl_ctx *ctx;
    sparcl_model *model;
} loaded_model;

/* Load a model and open a device; close it also after a failure. */
exit_code load_model(loaded_model *loaded, const char *path, const char *data_path,
                     const char *device);
void close_model(loaded_model *loaded);

/* Read ids and tables as the training data of the model was read, unless the options say it. */
void take_columns(input_options *options, const sparcl_model_info *info);

/* The options for reading a file with the model's width and, unless given, its index base. */
input_options input_of_model(const sparcl_model *model, const input_options *options);

/* What was read so may count from 1, though the model counts from 0: say so. */
void print_index_base(const char *path, const input_options *options, const sparcl_model *model,
                      const sparcl_data_info *info);

/* Load a model, open a device, read a data file for it, and call `work`. */
typedef exit_code (*model_work)(sparcl_ctx *ctx, const sparcl_model *model, const sparcl_data *data,
                                const char *path);
exit_code with_model(const char *model_path, const char *path, const input_options *options,
                     const char *device, model_work work);
/* The same with a model that is loaded. */
exit_code with_data(const loaded_model *loaded, const char *path, const input_options *options,
                    model_work work);

#endif
