/* model_kind.h: the option --model, and the help topic about models. */
#ifndef SPARCL_TOOL_MODEL_KIND_H
#define SPARCL_TOOL_MODEL_KIND_H

#include <stdbool.h>
#include <stdio.h>

#include "exit_codes.h"
#include "sparcl/architecture.h"

/* The names of all models, separated by '|', after fill_model_words. */
extern char model_words[];
void fill_model_words(void);

/* Parse the value of --model; a wrong name or key is refused with the most similar one. */
exit_code read_model_kind(const char *text, const sparcl_architecture **architecture);

/* The text of the optimizer where none is given, by a value of --model. */
const char *usual_optimizer(const char *text);
/* The passes where none are given. */
int64_t usual_epochs(const char *text);
/* Whether a value of --model is a model of one number for each row, which has no softmax loss. */
bool has_one_score(const char *text);
/* Whether a value of --model is a model of labels of rows. */
bool predicts_labels(const char *text);

/* The topic "models". */
void print_models(FILE *out);

#endif
