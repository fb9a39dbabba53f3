/* table.h: the weights on the device, with what the optimizer keeps beside them. */
#ifndef SPC_TRAIN_TABLE_H
#define SPC_TRAIN_TABLE_H

#include <stdbool.h>

#include "sparcl/sparcl.h"
#include "sparcl/train.h"

typedef struct spc_table {
    sparcl_ctx *ctx;
    sparcl_optim optim;   /* of the weights; .step is the number of the step in work, or the last */
    sparcl_dense weights; /* [columns, outputs] */
    sparcl_dense states[2];
    sparcl_dense bias; /* [outputs]; rank 0 without bias */
    sparcl_dense bias_states[2];
    /* work of a step */
    sparcl_dense gradient; /* all rows, where every row is stepped */
    sparcl_buf *rows;      /* else the rows that the batch has: the values, */
    int64_t capacity;      /* and for how many there is room */
    sparcl_dense bias_gradient;
    sparcl_buf *looked[3]; /* copies for spc_table_look: weights, state, last steps */
} spc_table;

/* Zeroed tables; close also after a failure. */
sparcl_status spc_table_open(spc_table *table, sparcl_ctx *ctx, const sparcl_optim *optim,
                             int64_t columns, int64_t outputs, bool has_bias, sparcl_error *error);
void spc_table_close(spc_table *table);

/* Does the rule move rows that a batch does not have in closed form, when they are next read? */
bool spc_table_catches_up(const spc_table *table);
/* Must a step move every row? So it is with rules without a closed form, where l2 is set. */
bool spc_table_steps_all(const spc_table *table);

/* A new step begins: bring the rows that its batch reads up to the one before. */
sparcl_status spc_table_begin(spc_table *table, sparcl_pattern *pattern, sparcl_error *error);
/* The step, from the batch X and its residual. */
sparcl_status spc_table_step(spc_table *table, const sparcl_csr *x, sparcl_pattern *pattern,
                             const sparcl_dense *residual, sparcl_error *error);
/* Bring every row up to the last step. */
sparcl_status spc_table_finish(spc_table *table, sparcl_error *error);
/* The weights as they would be if training ended now; what goes on with the table does not change a
 * bit for it. The view holds until the next look. */
sparcl_status spc_table_look(spc_table *table, sparcl_dense *weights, sparcl_error *error);

#endif
