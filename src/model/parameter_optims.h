/* parameter_optims.h: optimizers of single parameters. */
#ifndef SPC_MODEL_PARAMETER_OPTIMS_H
#define SPC_MODEL_PARAMETER_OPTIMS_H

#include <stdbool.h>

#include "sparcl/model.h"

/* That of a parameter; NULL: it has none of its own. */
const sparcl_parameter_optim *spc_find_parameter_optim(const sparcl_parameter_optim *list,
                                                       int count, const char *name);
/* The rate that training has where none is given: sparcl_train_init. */
void spc_set_training_rate(sparcl_optim *optim);
/* As sparcl_parameter_optims_parse takes them. False: the text did not fit. */
bool spc_print_parameter_optims(char *text, size_t capacity, const sparcl_parameter_optim *list,
                                int count);

#endif
