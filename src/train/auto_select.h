/* auto_select.h: what settings are chosen by. */
#ifndef SPC_TRAIN_AUTO_SELECT_H
#define SPC_TRAIN_AUTO_SELECT_H

#include "sparcl/apply.h"
#include "sparcl/auto.h"
#include "sparcl/ops/losses.h"

/* E_ARG: the loss does not have the metric. */
sparcl_status spc_select_check(sparcl_select select, sparcl_loss loss, sparcl_error *error);

/* That one of the metrics; NaN where it is not defined for the rows. */
double spc_selected_of(sparcl_select select, const sparcl_metrics *metrics);

/* Notes of a model: what was chosen, and what came of it on the rows that were held out. */
sparcl_status spc_note_choice(sparcl_model *model, sparcl_select select,
                              const sparcl_auto_result *result, sparcl_error *error);

#endif
