/* loss_kind.h: what the labels of a loss are. */
#ifndef SPC_MODEL_LOSS_KIND_H
#define SPC_MODEL_LOSS_KIND_H

#include <stdbool.h>

#include "sparcl/ops/losses.h"

/* Labels are one of two classes, and there is one score. */
static inline bool spc_loss_is_binary(sparcl_loss loss) {
    return loss == SPARCL_LOSS_LOGISTIC || loss == SPARCL_LOSS_HINGE;
}

/* Labels are numbers, not classes. */
static inline bool spc_loss_has_numbers(sparcl_loss loss) {
    return loss == SPARCL_LOSS_SQUARED || loss == SPARCL_LOSS_POISSON;
}

#endif
