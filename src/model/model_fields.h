/* model_fields.h: the metadata of a model file, which contain everything that determines the
 * weights.
 */
#ifndef SPC_MODEL_MODEL_FIELDS_H
#define SPC_MODEL_MODEL_FIELDS_H

#include <stdbool.h>

#include "sparcl/model.h"

#define SPC_MODEL_FORMAT "sparcl.1"
#define SPC_NOTE_CLIP    "clip_global_norm"

/* Beside the fields there are the format, the kind, the labels and, where the model has them, the
 * solver, the number of fields of the data, the settings of the optimizer, of those of single
 * parameters, of the schedule, and of the architecture, and the limit of all gradients together. */
enum { SPC_MODEL_FIELDS = 17, SPC_MODEL_NOTES = SPC_MODEL_FIELDS + 3, SPC_NOTE_BYTES = 40 };

/* Field i, below SPC_MODEL_FIELDS: its key, its value as text, and back; false: the text is wrong,
 * and what was expected. */
const char *spc_model_field_key(int i);
void spc_model_field_print(char text[SPC_NOTE_BYTES], const sparcl_model_info *info, int i);
bool spc_model_field_parse(const char *text, int i, sparcl_model_info *info);
const char *spc_model_field_expected(int i);

/* Only digits, without a leading zero: the only form in which integers are written. */
bool spc_parse_digits(const char *text, uint64_t maximum, uint64_t *value);

#endif
