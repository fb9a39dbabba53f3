/* optimizer.h: the option --optimizer, and the help topic about optimizers. */
#ifndef SPARCL_TOOL_OPTIMIZER_H
#define SPARCL_TOOL_OPTIMIZER_H

#include <stdbool.h>
#include <stdio.h>

#include "exit_codes.h"
#include "sparcl/optim.h"

/* The names of all optimizers, separated by '|', after fill_optimizer_words. */
extern char optimizer_words[];
void fill_optimizer_words(void);

/* Parse the value of --optimizer; a wrong name is refused with the most similar one. */
exit_code read_optimizer(const char *text, sparcl_optim *optim);

/* The text sets `key`. */
bool optimizer_has_key(const char *text, const char *key);

/* The topic "optimizers". */
void print_optimizers(FILE *out);

#endif
