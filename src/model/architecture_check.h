/* architecture_check.h: the checks of a caller's architecture. */
#ifndef SPC_MODEL_ARCHITECTURE_CHECK_H
#define SPC_MODEL_ARCHITECTURE_CHECK_H

#include "base/macros.h"
#include "sparcl/architecture.h"

/* E_ARG; the message begins with `what`. */
sparcl_status spc_architecture_check(const sparcl_architecture *architecture, const char *what,
                                     sparcl_error *error);

/* The number of its parameters; and the index of one, -1: it is not in the list. */
int spc_architecture_count(const sparcl_architecture *architecture);
int spc_architecture_find(const sparcl_architecture *architecture, const char *name);

#endif
