/* table.h: the weights and the optimizer states on the device. */
#ifndef SPC_TRAIN_TABLE_H
#define SPC_TRAIN_TABLE_H

#include <stdbool.h>

#include "sparcl/sparcl.h"
#include "sparcl/train.h"

typedef struct spc_table {
    sparcl_ctx *ctx;
    sparcl_optim optim;   /* of the weights; .step is the number of the current step, or of the last
                               one */
    sparcl_dense weights; /* [columns, outputs] */
    sparcl_dense states[2];
    sparcl_dense bias; /* [outputs]; rank 0 without bias */
    sparcl_dense bias_states[2];
    /* used by a step */
    sparcl_dense gradient; /* all rows, where a step updates every row */
    sparcl_buf *rows;      /* otherwise the values of the gradient's rows, */
    int64_t capacity;      /* and their capacity */
    sparcl_dense bias_gradient;
    sparcl_buf *copies[3]; /* for spc_table_current_weights: weights, state, last steps */
} spc_table;

/* Zeroed tables; close also after a failure. */
sparcl_status spc_table_open(spc_table *table, sparcl_ctx *ctx, const sparcl_optim *optim,
                             int64_t columns, int64_t outputs, bool has_bias, sparcl_error *error);
void spc_table_close(spc_table *table);

/* True where rows that are not in a batch catch up in closed form, when they are next read. */
bool spc_table_catches_up(const spc_table *table);
/* True where a step must update every row: for rules without a closed form, with a nonzero l2. */
bool spc_table_steps_all(const spc_table *table);

/* Begin a step: the rows that its batch reads catch up to the previous step. */
sparcl_status spc_table_begin(spc_table *table, sparcl_pattern *pattern, sparcl_error *error);
/* Apply the step of the batch X with its residual. */
sparcl_status spc_table_step(spc_table *table, const sparcl_csr *x, sparcl_pattern *pattern,
                             const sparcl_dense *residual, sparcl_error *error);
/* All rows catch up to the last step. */
sparcl_status spc_table_finish(spc_table *table, sparcl_error *error);
/* The weights that training would return if it ended now. This does not change a bit of the table.
 * The view is valid until the next call. */
sparcl_status spc_table_current_weights(spc_table *table, sparcl_dense *weights,
                                        sparcl_error *error);

#endif
