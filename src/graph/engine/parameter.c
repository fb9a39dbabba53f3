/* parameter.c: the weights and the optimizer states of a parameter. */
#include "graph/engine/parameter.h"

#include <string.h>

#include "base/macros.h"
#include "optim/absent.h"
#include "sparcl/views.h"

/* Rows that a batch does not have move all the same, and catch up when they are read. */
static bool moves_absent(const sparcl_optim *o) {
    return spc_catches_up(o) && o->moves != SPARCL_MOVES_ALL && !spc_lazy_rests(o);
}

/* With constant coefficients powers of one step need no memory for each step, and take a momentum
 * with a coupled decay, which lazy does not. */
static bool has_powers(const spc_parameter *p) {
    return !p->varies && moves_absent(&p->optim);
}

static bool is_exact(const sparcl_optim *o) {
    return o->moves == SPARCL_MOVES_EXACT;
}

static bool is_lazy(const spc_parameter *p) {
    return !has_powers(p) && (is_exact(&p->optim) || (p->varies && moves_absent(&p->optim))) &&
           spc_lazy_takes(&p->optim);
}

bool spc_parameter_steps_all(const spc_parameter *p) {
    const sparcl_optim *const o = &p->optim;
    const bool decays = o->decay.weight > 0 && o->decay.kind == SPARCL_DECAY_COUPLED;
    return (decays || (p->varies && moves_absent(o))) && !has_powers(p) && !is_lazy(p);
}

/* Rows can have missed steps. */
static bool may_lag(const spc_parameter *p) {
    return !p->is_current && (p->optim.lazy.last_steps || p->optim.lazy.object);
}

static sparcl_status open_zeros(sparcl_ctx *ctx, sparcl_dense *dense, int rank,
                                const int64_t *shape, sparcl_dtype dtype) {
    *dense = (sparcl_dense){.rank = rank, .dtype = dtype};
    memcpy(dense->shape, shape, sizeof *shape * (size_t)rank);
    return sparcl_dense_zeros(ctx, dense);
}

sparcl_status spc_parameter_open(spc_parameter *p, sparcl_ctx *ctx, int rank, const int64_t *shape,
                                 sparcl_dtype dtype, const sparcl_optim *optim) {
    *p = (spc_parameter){.optim = *optim, .rate = optim->lr, .is_current = true};
    p->optim.step = 0;
    p->optim.lazy.last_steps = NULL;
    p->optim.lazy.object = NULL; /* it belongs to another table */
    p->optim.lazy.last_steps_at = 0;
    if (is_exact(optim) && spc_lazy_rests(optim)) p->optim.moves = SPARCL_MOVES_PRESENT;
    SPC_TRY(open_zeros(ctx, &p->weights, rank, shape, dtype));
    return sparcl_optim_create_states(ctx, optim, &p->weights, p->states);
}

static sparcl_status create_lazy(spc_parameter *p, sparcl_ctx *ctx) {
    sparcl_optim first = p->optim;
    first.step = 1;
    return sparcl_lazy_create(ctx, &p->optim.lazy.object, &first, &p->weights, 0);
}

sparcl_status spc_parameter_set_row_sparse(spc_parameter *p, sparcl_ctx *ctx) {
    const int64_t bytes = p->weights.shape[0] * (int64_t)sizeof(int64_t);
    p->is_row_sparse = true;
    if (p->optim.lazy.last_steps || p->optim.lazy.object) return SPARCL_OK;
    if (!has_powers(p)) return is_lazy(p) ? create_lazy(p, ctx) : SPARCL_OK;
    SPC_TRY(sparcl_buf_create(ctx, &p->optim.lazy.last_steps, bytes));
    return sparcl_buf_fill(ctx, p->optim.lazy.last_steps, 0, bytes, 0);
}

void spc_parameter_close(spc_parameter *p) {
    sparcl_dense_free(&p->weights);
    for (int s = 0; s < SPARCL_MAX_STATES; ++s)
        sparcl_dense_free(&p->states[s]);
    sparcl_buf_free(p->optim.lazy.last_steps);
    sparcl_lazy_free(p->optim.lazy.object);
    for (size_t i = 0; i < SPC_COUNT(p->copies); ++i)
        sparcl_buf_free(p->copies[i]);
}

void spc_parameter_begin(spc_parameter *p) {
    ++p->optim.step;
    p->is_current = false;
}

sparcl_status spc_parameter_catch_up(spc_parameter *p, sparcl_ctx *ctx, const sparcl_rows *rows) {
    if (!p->optim.lazy.last_steps && !p->optim.lazy.object) return SPARCL_OK;
    return sparcl_catch_up(ctx, &p->optim, &p->weights, p->states, rows);
}

static sparcl_status finish(sparcl_ctx *ctx, const sparcl_optim *optim, const sparcl_dense *weights,
                            const sparcl_dense *states) {
    sparcl_optim after = *optim; /* rows catch up to the step before this one */
    ++after.step;
    return sparcl_catch_up(ctx, &after, weights, states, NULL);
}

sparcl_status spc_parameter_finish(spc_parameter *p, sparcl_ctx *ctx) {
    if (!may_lag(p)) return SPARCL_OK;
    SPC_TRY(finish(ctx, &p->optim, &p->weights, p->states));
    p->is_current = true;
    return SPARCL_OK;
}

static sparcl_status copy(sparcl_ctx *ctx, sparcl_buf **to, const sparcl_buf *from) {
    const int64_t bytes = sparcl_buf_bytes(from);
    if (!*to) SPC_TRY(sparcl_buf_create(ctx, to, bytes));
    return sparcl_buf_copy(ctx, *to, 0, from, 0, bytes);
}

/* Works on copies, because catching up earlier would round differently. */
sparcl_status spc_parameter_current(spc_parameter *p, sparcl_ctx *ctx, sparcl_dense *weights) {
    sparcl_optim optim = p->optim;
    sparcl_dense state = p->states[0];
    *weights = p->weights;
    if (!may_lag(p)) return SPARCL_OK;
    SPC_TRY(copy(ctx, &p->copies[0], weights->values));
    if (optim.lazy.object) {
        weights->values = p->copies[0];
        return spc_lazy_peek(ctx, &optim, weights, p->states);
    }
    if (state.rank) SPC_TRY(copy(ctx, &p->copies[1], state.values));
    SPC_TRY(copy(ctx, &p->copies[2], optim.lazy.last_steps));
    weights->values = p->copies[0];
    state.values = p->copies[1];
    optim.lazy.last_steps = p->copies[2];
    return finish(ctx, &optim, weights, &state);
}
