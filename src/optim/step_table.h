/* step_table.h: steps whose rate has norms of the whole table: first the updates of the rows,
 * which are one state more; then the norms; then the weights. */
#ifndef SPC_OPTIM_STEP_TABLE_H
#define SPC_OPTIM_STEP_TABLE_H

#include "optim/rules.h"

/* The tables of the first half: those of a step, and its updates. They point into this. */
typedef struct spc_table_updates {
    spc_tables tables;
    sparcl_dense states[SPARCL_MAX_STATES];
} spc_table_updates;

/* Begin with updates in scratch memory, which are 0 unless the first half finds those of all rows.
 */
sparcl_status spc_table_begin(sparcl_ctx *ctx, spc_table_updates *updates, const spc_tables *tables,
                              bool finds_all);
/* Change the weights of the rows with a byte in `present` that is not 0; NULL: of all rows. */
sparcl_status spc_table_finish(sparcl_ctx *ctx, const spc_table_updates *updates,
                               const sparcl_buf *present);

#endif
