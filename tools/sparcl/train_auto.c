/* train_auto.c: sparcl train without settings. */
#include "train_auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "live_line.h"
#include "message.h"
#include "not_finite.h"
#include "output.h"
#include "train_checkpoint.h"
#include "train_options.h"

/* Loss and accuracy are printed anyway. */
static bool shows_selected(void) {
    return train_given.select != SPARCL_SELECT_LOSS && train_given.select != SPARCL_SELECT_ACCURACY;
}

typedef struct shown_search {
    progress_state *progress;
    int tried;
    double next; /* seconds at which the live line is next drawn */
} shown_search;

static const char *name_of(const sparcl_tried *tried) {
    return tried->solver == SPARCL_SOLVER_LBFGS ? "C" : "lr";
}

static void show_running(shown_search *s, const sparcl_tried *t) {
    if (s->progress->format != PROGRESS_LIVE || spc_clock() < s->next) return;
    s->next = spc_clock() + 0.1;
    progress_say(s->progress, "%s %g, number %d of at most %d, fold %d, %s %lld", name_of(t),
                 t->value, s->tried + 1, t->most, t->fold + 1,
                 t->solver == SPARCL_SOLVER_LBFGS ? "iteration" : "step", (long long)t->step);
}

/* The squared loss is half of a mean square. NaN with other losses. */
static double rmse_of(const sparcl_tried *tried) {
    return train_given.loss == SPARCL_LOSS_SQUARED ? sqrt(2 * tried->loss) : (double)NAN;
}

static void print_tried(const sparcl_tried *tried) {
    fprintf(stderr, "%s %-6g %s loss %.6f", name_of(tried), tried->value,
            tried->fold < 0 ? "training" : "held-out", without_sign_of_nan(tried->loss));
    if (!isnan(tried->accuracy)) fprintf(stderr, ", accuracy %.4f", tried->accuracy);
    if (!isnan(rmse_of(tried))) fprintf(stderr, ", RMSE %.6g", rmse_of(tried));
    if (shows_selected())
        fprintf(stderr, ", %s %.4f", sparcl_select_name((sparcl_select)train_given.select),
                without_sign_of_nan(tried->selected));
    fputc('\n', stderr);
}

static int show_tried(void *user, const sparcl_tried *tried) {
    shown_search *const s = user;
    if (tried->is_running) {
        show_running(s, tried);
    } else if (s->progress->format != PROGRESS_NONE) {
        live_line_hold();
        print_tried(tried);
        live_line_release();
    }
    s->tried += !tried->is_running;
    return checkpoint_stop(true);
}

sparcl_status auto_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                         const sparcl_train_desc *desc, progress_state *progress,
                         sparcl_auto_result *result, sparcl_error *error) {
    shown_search shown = {.progress = progress};
    const sparcl_select select = (sparcl_select)train_given.select;
    sparcl_train_desc plain;
    sparcl_train_init(&plain, SPARCL_RULE_SGD);
    plain.loss = desc->loss;
    plain.batch = desc->batch;
    if (isnan(desc->optim.lr)) {
        plain.optim = desc->optim;
        plain.l2 = desc->l2;
        if (strcmp(train_given.kind, "linear") != 0) plain.architecture = desc->architecture;
    }
    plain.seed = desc->seed;
    plain.no_bias = desc->no_bias;
    plain.columns = desc->columns;
    plain.device_memory = desc->device_memory;
    plain.class_weights = desc->class_weights;
    plain.class_weight_count = desc->class_weight_count;
    plain.balance_classes = desc->balance_classes;
    plain.progress = desc->progress;
    plain.progress_user = desc->progress_user;
    const sparcl_status status =
        sparcl_train_auto(ctx, model, data, &plain, select, show_tried, &shown, result, error);
    if (status == SPARCL_OK && result->folds == 0)
        print_note("no rows were held out, as the others would lack a class: the rate is the best "
                   "one for the training rows, which says little of others; --lr sets it");
    if (status == SPARCL_OK && result->discarded > 0)
        print_note("lr %g was the best where rows were held out, but not with all rows: a smaller "
                   "one was taken; a few rows may be far from all others",
                   result->tried[result->best + result->discarded].value);
    return status;
}

static json_t *list_tried(const sparcl_auto_result *r) {
    json_t *const list = json_array();
    for (int i = 0; list && i < r->count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "value",
                                              json_number(r->tried[i].value), "loss",
                                              json_number(r->tried[i].loss), "accuracy",
                                              json_number(r->tried[i].accuracy), "rmse",
                                              json_number(rmse_of(&r->tried[i])), "selected",
                                              json_number(r->tried[i].selected)));
    return list;
}

void auto_describe(const sparcl_auto_result *r, json_t *object) {
    const sparcl_tried *const best = &r->tried[r->best];
    const bool is_lbfgs = r->solver == SPARCL_SOLVER_LBFGS;
    json_object_set_new(object, is_lbfgs ? "chosen_c" : "chosen_lr", json_number(best->value));
    json_object_set_new(object, "folds", json_integer(r->folds));
    if (r->folds == 0) return;
    json_object_set_new(object, "held_out_loss", json_number(best->loss));
    if (!isnan(best->accuracy))
        json_object_set_new(object, "held_out_accuracy", json_number(best->accuracy));
    if (!isnan(rmse_of(best)))
        json_object_set_new(object, "held_out_rmse", json_number(rmse_of(best)));
}

void auto_list(const sparcl_auto_result *r, json_t *object) {
    json_object_set_new(object, "tried", list_tried(r));
}
