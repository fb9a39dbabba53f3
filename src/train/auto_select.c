/* auto_select.c: what settings are chosen by. */
#include "train/auto_select.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/size.h"

double spc_selected_of(sparcl_select select, const sparcl_metrics *m) {
    switch (select) {
    case SPARCL_SELECT_ACCURACY:
        return m->accuracy;
    case SPARCL_SELECT_AUC:
        return m->auc;
    case SPARCL_SELECT_F1:
        return m->f1;
    case SPARCL_SELECT_AVERAGE_PRECISION:
        return m->average_precision;
    default:
        return m->loss;
    }
}

const char *sparcl_select_name(sparcl_select select) {
    static const char *const names[] = {"loss", "accuracy", "auc", "f1", "average_precision"};
    return (unsigned)select < SPC_COUNT(names) ? names[select] : NULL;
}

/* Losses of two classes have all metrics, softmax two, others none. */
sparcl_status spc_select_check(sparcl_select select, sparcl_loss loss, sparcl_error *error) {
    const char *const name = sparcl_select_name(select);
    const bool has_two = loss == SPARCL_LOSS_LOGISTIC || loss == SPARCL_LOSS_HINGE;
    const bool is_of_classes = select == SPARCL_SELECT_ACCURACY || select == SPARCL_SELECT_F1;
    if (!name)
        return spc_fail(error, SPARCL_E_ARG, "train: select is %d, expected a sparcl_select",
                        (int)select);
    if (select == SPARCL_SELECT_LOSS || has_two || (is_of_classes && loss == SPARCL_LOSS_SOFTMAX))
        return SPARCL_OK;
    return spc_fail(error, SPARCL_E_ARG,
                    "train: select is %s, expected loss%s: %s loss has no such metric", name,
                    loss == SPARCL_LOSS_SOFTMAX ? ", accuracy or f1" : "", sparcl_loss_name(loss));
}

/* What is not defined is not noted. */
static sparcl_status note(sparcl_model *model, const char *key, double value, sparcl_error *error) {
    char text[SPC_DECIMAL_BYTES];
    if (!isfinite(value)) return SPARCL_OK;
    spc_decimal_print(text, value);
    return sparcl_model_set_note(model, key, text, error);
}

sparcl_status spc_note_choice(sparcl_model *model, sparcl_select select,
                              const sparcl_auto_result *result, sparcl_error *error) {
    const sparcl_tried *const best = &result->tried[result->best];
    const bool is_lbfgs = result->solver == SPARCL_SOLVER_LBFGS;
    char key[SPARCL_NOTE_KEY];
    SPC_TRY(note(model, is_lbfgs ? "chosen_c" : "chosen_lr", best->value, error));
    SPC_TRY(note(model, "folds", result->folds, error));
    if (result->folds == 0) return SPARCL_OK;
    SPC_TRY(note(model, "held_out_loss", best->loss, error));
    SPC_TRY(note(model, "held_out_accuracy", best->accuracy, error));
    snprintf(key, sizeof key, "held_out_%s", sparcl_select_name(select));
    return note(model, key, best->selected, error);
}
