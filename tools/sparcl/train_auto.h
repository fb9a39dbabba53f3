/* train_auto.h: sparcl train without settings. */
#ifndef SPARCL_TOOL_TRAIN_AUTO_H
#define SPARCL_TOOL_TRAIN_AUTO_H

#include <jansson.h>

#include "exit_codes.h"
#include "progress.h"
#include "sparcl/auto.h"

/* Call as sparcl_train; what is tried is printed on standard error, and what is being tried in the
 * live line. */
sparcl_status auto_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                         const sparcl_train_desc *desc, progress_state *progress,
                         sparcl_auto_result *result, sparcl_error *error);
/* Add what was chosen to an object, and all that was tried. */
void auto_describe(const sparcl_auto_result *result, json_t *object);
void auto_list(const sparcl_auto_result *result, json_t *object);

#endif
