/* parameter.c: the weights and the optimizer states of a parameter. */
#include "graph/parameter.h"

#include <string.h>

#include "base/macros.h"
#include "sparcl/views.h"

bool spc_parameter_catches_up(const spc_parameter *p) {
    return p->optim.rule == SPARCL_RULE_MOMENTUM ||
           (p->optim.rule == SPARCL_RULE_SGD && p->optim.l2 > 0);
}

bool spc_parameter_steps_all(const spc_parameter *p) {
    return p->optim.l2 > 0 && !spc_parameter_catches_up(p);
}

static sparcl_status open_zeros(sparcl_ctx *ctx, sparcl_dense *dense, int rank,
                                const int64_t *shape) {
    *dense = (sparcl_dense){.rank = rank};
    memcpy(dense->shape, shape, sizeof *shape * (size_t)rank);
    return sparcl_dense_zeros(ctx, dense);
}

sparcl_status spc_parameter_open(spc_parameter *p, sparcl_ctx *ctx, int rank, const int64_t *shape,
                                 const sparcl_optim *optim) {
    *p = (spc_parameter){.optim = *optim};
    p->optim.step = 0;
    p->optim.last_steps = NULL;
    p->optim.last_steps_at = 0;
    SPC_TRY(open_zeros(ctx, &p->weights, rank, shape));
    for (int s = 0; s < sparcl_rule_states(optim->rule); ++s)
        SPC_TRY(open_zeros(ctx, &p->states[s], rank, shape));
    return SPARCL_OK;
}

sparcl_status spc_parameter_set_row_sparse(spc_parameter *p, sparcl_ctx *ctx) {
    const int64_t bytes = p->weights.shape[0] * (int64_t)sizeof(int64_t);
    p->is_row_sparse = true;
    if (!spc_parameter_catches_up(p) || p->optim.last_steps) return SPARCL_OK;
    SPC_TRY(sparcl_buf_create(ctx, &p->optim.last_steps, bytes));
    return sparcl_buf_fill(ctx, p->optim.last_steps, 0, bytes, 0);
}

void spc_parameter_close(spc_parameter *p) {
    sparcl_dense_free(&p->weights);
    sparcl_dense_free(&p->states[0]);
    sparcl_dense_free(&p->states[1]);
    sparcl_buf_free(p->optim.last_steps);
}

sparcl_status spc_parameter_begin(spc_parameter *p, sparcl_ctx *ctx, const sparcl_rows *rows) {
    ++p->optim.step;
    if (!p->optim.last_steps) return SPARCL_OK;
    return sparcl_catch_up(ctx, &p->optim, &p->weights, p->states, rows);
}

sparcl_status spc_parameter_finish(spc_parameter *p, sparcl_ctx *ctx) {
    if (!p->optim.last_steps) return SPARCL_OK;
    sparcl_optim after = p->optim; /* rows catch up to the step before this one */
    ++after.step;
    return sparcl_catch_up(ctx, &after, &p->weights, p->states, NULL);
}
