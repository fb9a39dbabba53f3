/* parameter.h: a parameter: its weights, the states of its optimizer, and its steps. */
#ifndef SPC_GRAPH_PARAMETER_H
#define SPC_GRAPH_PARAMETER_H

#include <stdbool.h>

#include "base/memory.h"
#include "sparcl/optim.h"

typedef struct spc_parameter {
    sparcl_optim optim; /* .step: the number of the current step, or of the last one */
    double rate;        /* .lr is this one, or with `varies` any */
    bool varies;        /* the rates of steps differ */
    bool is_current;    /* no row has missed a step */
    bool is_row_sparse; /* the gradient has only the rows that a batch reads */
    sparcl_dense weights, states[SPARCL_MAX_STATES];
    sparcl_buf *copies[3]; /* for spc_parameter_current: weights, state, last steps */
} spc_parameter;

/* Tables of zeros; close also after a failure. Errors are those of the context. */
sparcl_status spc_parameter_open(spc_parameter *parameter, sparcl_ctx *ctx, int rank,
                                 const int64_t *shape, sparcl_dtype dtype,
                                 const sparcl_optim *optim);
/* The gradient will be row-sparse, so rows will miss steps. */
sparcl_status spc_parameter_set_row_sparse(spc_parameter *parameter, sparcl_ctx *ctx);
void spc_parameter_close(spc_parameter *parameter);

/* Must a step update every row? So it is with l2, or rates that vary, and without a closed form. */
bool spc_parameter_steps_all(const spc_parameter *parameter);

/* Begin the next step. */
void spc_parameter_begin(spc_parameter *parameter);
/* Rows that this step reads catch up to the step before. */
sparcl_status spc_parameter_catch_up(spc_parameter *parameter, sparcl_ctx *ctx,
                                     const sparcl_rows *rows);
/* All rows catch up to the last step. */
sparcl_status spc_parameter_finish(spc_parameter *parameter, sparcl_ctx *ctx);
/* The weights as if all rows had caught up; that changes nothing. Valid until the next call. */
sparcl_status spc_parameter_current(spc_parameter *parameter, sparcl_ctx *ctx,
                                    sparcl_dense *weights);

#endif
