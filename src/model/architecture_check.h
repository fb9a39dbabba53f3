/* architecture_check.h: the checks of a caller's architecture. */
#ifndef SPC_MODEL_ARCHITECTURE_CHECK_H
#define SPC_MODEL_ARCHITECTURE_CHECK_H

#include "base/macros.h"
#include "sparcl/architecture.h"

/* E_ARG; the message begins with `what`. */
sparcl_status spc_architecture_check(const sparcl_architecture *architecture, const char *what,
                                     sparcl_error *error);

#endif
