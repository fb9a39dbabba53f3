/* manifest.h: the manifest of a run: what it was, to explain it and to repeat it. */
#ifndef SPARCL_TOOL_MANIFEST_H
#define SPARCL_TOOL_MANIFEST_H

#include "options.h"
#include "sparcl/train.h"
#include "train_history.h"

typedef struct manifest_run {
    const sparcl_ctx *ctx;
    const char *train_path, *valid_path, *model_path;
    const sparcl_data *train, *valid; /* valid: or NULL */
    const tool_option *options;       /* of the command that runs */
    const sparcl_train_desc *desc;
    const train_history *history;
    json_t *result; /* as it is printed; borrowed */
    double began;   /* seconds since 1970 */
    double seconds; /* of the command so far */
} manifest_run;

/* Write the manifest of a run of sparcl train. */
exit_code manifest_save(const manifest_run *run, const char *path);

/* Where the options are from a manifest: are the data as they were? */
exit_code manifest_check_data(const sparcl_data *train);
/* Then also say whether the model is as it was. */
exit_code manifest_compare_model(const char *model_path);

#endif
