/* linear_problem.c: the objective of a linear model on the rows of data, for L-BFGS. */
#include "train/linear_problem.h"

#include <stdlib.h>

#include "model/linear.h"
#include "train/row_weights.h"

static void close_rows(spc_linear_rows *rows) {
    spc_linear_objective_close(&rows->objective);
    spc_feed_close(&rows->feed);
    free(rows->targets);
    free(rows->weights);
}

void spc_linear_problem_close(spc_linear_problem *p) {
    close_rows(&p->train);
    close_rows(&p->valid);
    spc_scaling_close(&p->scaling);
    spc_compact_columns_close(&p->used);
    spc_curvature_close(&p->curvature);
}

/* `entries`: the same rows as rows->data. */
static sparcl_status open_objective(const spc_linear_problem *p, spc_linear_rows *rows,
                                    const sparcl_data *entries, int64_t columns,
                                    const spc_scaling *scaling, double l2, sparcl_error *error) {
    const spc_scaling *const s = &p->scaling;
    const int64_t limit = spc_feed_limit(p->ctx, p->desc->device_memory);
    const spc_feed_desc desc = {
        .targets = rows->targets, .weights = rows->weights, .columns = columns, .scaling = scaling};
    SPC_TRY(spc_feed_open(&rows->feed, p->ctx, entries, &desc, limit, error));
    return spc_linear_objective_open(&rows->objective, &rows->feed, p->desc->loss, l2, s->outputs,
                                     s->has_bias, error);
}

/* Labels far from 0 would be rounded more than their differences. */
static void center_labels(const spc_scaling *s, const sparcl_data *data, float *targets) {
    const double *const labels = sparcl_data_labels(data);
    for (int64_t i = 0; s->label_shift != 0 && i < sparcl_data_get_info(data)->rows; ++i)
        targets[i] = (float)(labels[i] - s->label_shift);
}

static sparcl_status open_train(spc_linear_problem *p, const spc_classes *classes,
                                sparcl_error *error) {
    spc_linear_rows *const r = &p->train;
    const sparcl_data *const entries = p->used.made ? p->used.made : r->data;
    SPC_TRY(spc_rows_make(&r->targets, &r->weights, p->desc, classes, r->data, true,
                          spc_has_weights(p->desc, NULL, r->data, NULL), error));
    const spc_scaled_rows rows = {entries,       r->targets,  r->weights,
                                  p->desc->loss, p->desc->l1, p->desc->l2};
    SPC_TRY(spc_scaling_open(&p->scaling, &rows, error));
    center_labels(&p->scaling, r->data, r->targets);
    SPC_TRY(spc_curvature_open(&p->curvature, &p->scaling, &rows, error));
    return open_objective(p, r, entries, p->used.count, &p->scaling, p->desc->l2, error);
}

static sparcl_status open_valid(spc_linear_problem *p, const spc_classes *classes,
                                sparcl_error *error) {
    spc_linear_rows *const r = &p->valid;
    if (!r->data) return SPARCL_OK;
    SPC_TRY(spc_check_width(r->data, p->used.all, error));
    SPC_TRY(spc_check_base(r->data, sparcl_data_get_info(p->train.data)->index_base, error));
    SPC_TRY(spc_rows_make(&r->targets, &r->weights, p->desc, classes, r->data, false,
                          sparcl_data_weights(r->data) != NULL, error));
    return open_objective(p, r, r->data, p->used.all, NULL, 0, error);
}

sparcl_status spc_linear_problem_open(spc_linear_problem *p, const spc_classes *classes,
                                      sparcl_error *error) {
    const sparcl_train_desc *const d = p->desc;
    int64_t columns = 0;
    SPC_TRY(spc_find_columns(d, p->train.data, &columns, error));
    SPC_TRY(spc_compact_columns_open(&p->used, p->train.data, columns, error));
    p->scaling =
        (spc_scaling){.columns = p->used.count,
                      .outputs = spc_outputs(SPARCL_TASK_LABELS, d->loss, classes->count, columns),
                      .has_bias = d->architecture == &spc_linear};
    SPC_TRY(open_train(p, classes, error));
    return open_valid(p, classes, error);
}
