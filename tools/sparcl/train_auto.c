/* train_auto.c: sparcl train without settings. */
#include "train_auto.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "not_finite.h"
#include "output.h"
#include "progress.h"
#include "train_checkpoint.h"
#include "train_options.h"

bool auto_is_wanted(void) {
    const train_options *const g = &train_given;
    const bool has_steps = g->optimizer || g->own || g->exact || g->patience || g->epochs >= 0 ||
                           g->batch >= 0 || !isnan(g->lr) || !isnan(g->momentum) ||
                           !isnan(g->beta1) || !isnan(g->beta2) || !isnan(g->epsilon);
    const bool is_limited = g->start || g->schedule_text || g->max_hours > 0 ||
                            g->checkpoint.path || g->dry_run || !isnan(g->clip_value) ||
                            !isnan(g->clip_norm) || !isnan(g->clip_global_norm);
    return g->solver < 0 && !has_steps && !is_limited && g->l2 == 0 && g->l1 == 0 &&
           strcmp(g->kind, "linear") == 0 && !g->graph;
}

static int print_tried(void *user, const sparcl_tried *tried) {
    (void)user;
    if (train_given.progress != PROGRESS_NONE) {
        fprintf(stderr, "%s %-6g held-out loss %.6f",
                tried->solver == SPARCL_SOLVER_LBFGS ? "C" : "lr", tried->value,
                without_sign_of_nan(tried->loss));
        if (!isnan(tried->accuracy)) fprintf(stderr, ", accuracy %.4f", tried->accuracy);
        fputc('\n', stderr);
    }
    return checkpoint_stop();
}

sparcl_status auto_train(sparcl_ctx *ctx, sparcl_model **model, const sparcl_data *data,
                         const sparcl_train_desc *desc, sparcl_auto_result *result,
                         sparcl_error *error) {
    sparcl_train_desc plain;
    sparcl_train_init(&plain, SPARCL_RULE_SGD);
    plain.loss = desc->loss;
    plain.seed = desc->seed;
    plain.no_bias = desc->no_bias;
    plain.columns = desc->columns;
    plain.device_memory = desc->device_memory;
    plain.progress = desc->progress;
    plain.progress_user = desc->progress_user;
    return sparcl_train_auto(ctx, model, data, &plain, print_tried, NULL, result, error);
}

static json_t *list_tried(const sparcl_auto_result *r) {
    json_t *const list = json_array();
    for (int i = 0; list && i < r->count; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:o}", "value", json_number(r->tried[i].value),
                                        "loss", json_number(r->tried[i].loss), "accuracy",
                                        json_number(r->tried[i].accuracy)));
    return list;
}

void auto_describe(const sparcl_auto_result *r, json_t *object) {
    const sparcl_tried *const best = &r->tried[r->best];
    const bool is_lbfgs = r->solver == SPARCL_SOLVER_LBFGS;
    json_object_set_new(object, is_lbfgs ? "chosen_c" : "chosen_lr", json_number(best->value));
    json_object_set_new(object, "folds", json_integer(r->folds));
    json_object_set_new(object, "held_out_loss", json_number(best->loss));
    json_object_set_new(object, "held_out_accuracy", json_number(best->accuracy));
}

void auto_list(const sparcl_auto_result *r, json_t *object) {
    json_object_set_new(object, "tried", list_tried(r));
}
