/* class_weights.h: the option --class-weights. */
#ifndef SPARCL_TOOL_CLASS_WEIGHTS_H
#define SPARCL_TOOL_CLASS_WEIGHTS_H

#include "exit_codes.h"
#include "sparcl/train.h"

#define CLASS_WEIGHTS_ARGUMENT "balanced|LABEL=W,..."

/* Its text: "balanced", or a weight for each label, which is a number, or a word as in the data, in
 * quotes where it has an equals sign. It stays for the rest of the process. A usage error of the
 * command. */
exit_code class_weights_take(const char *text);
/* Find its labels in the data; a usage error, too. */
exit_code class_weights_find(const sparcl_data *train);
/* What was taken. */
void class_weights_describe(sparcl_train_desc *desc);

#endif
