/* unknown_labels.h: rows that are evaluated with a label that the model does not know. */
#ifndef SPARCL_TOOL_UNKNOWN_LABELS_H
#define SPARCL_TOOL_UNKNOWN_LABELS_H

#include "sparcl/apply.h"

/* Say how many there are, where there are some, with the first one of the data. */
void print_unknown_labels(const sparcl_model *model, const sparcl_data *data,
                          const sparcl_metrics *metrics);

#endif
