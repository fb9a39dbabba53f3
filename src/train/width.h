/* width.h: why weights of very many columns cannot be held, and what would make them fewer. */
#ifndef SPC_TRAIN_WIDTH_H
#define SPC_TRAIN_WIDTH_H

#include "sparcl/context.h"
#include "sparcl/data.h"

/* After a training has failed with `status`: say so in *error where the number of columns is the
 * cause. Returns the status. */
sparcl_status spc_explain_width(const sparcl_ctx *ctx, const sparcl_data *data, int64_t outputs,
                                sparcl_status status, sparcl_error *error);

#endif
