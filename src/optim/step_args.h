/* step_args.h: arguments of the kernels of cl/step.cl and cl/step_late.cl. */
#ifndef SPC_OPTIM_STEP_ARGS_H
#define SPC_OPTIM_STEP_ARGS_H

#include "optim/rules.h"

/* The gradient: its values, and the row of the table that each of its rows belongs to. */
typedef struct spc_step_gradient {
    sparcl_itype index_type;
    const sparcl_buf *values, *ids, *count; /* ids and count may be NULL */
    int64_t values_at, ld, ids_at, count_at;
    int64_t rows, width;
} spc_step_gradient;

/* State i of a table; NULL where its rule has fewer. */
static inline const sparcl_dense *spc_state(const spc_tables *t, int i) {
    return i < spc_count_states(t) ? &t->states[i] : NULL;
}

/* A table without gaps between its rows, and its states, are processed as one array, in rows of
 * this many elements. */
#define SPC_CHUNK 4096

typedef struct spc_chunks {
    spc_tables tables;
    sparcl_dense weights, states[SPARCL_MAX_STATES];
} spc_chunks;

static inline bool spc_tables_have_gaps(const spc_tables *t) {
    bool gaps = spc_dense_ld(t->weights) != t->width;
    for (int i = 0; i < spc_count_states(t); ++i)
        gaps = gaps || spc_dense_ld(&t->states[i]) != t->width;
    return gaps;
}

/* The elements from `first` on, in rows of `width`. The tables point into *chunks. */
static inline void spc_chunks_open(spc_chunks *chunks, const spc_tables *t, int64_t first,
                                   int64_t width) {
    chunks->tables = *t;
    chunks->tables.weights = &chunks->weights;
    chunks->tables.states = chunks->states;
    chunks->tables.first = first;
    chunks->weights = *t->weights;
    for (int i = 0; i < spc_count_states(t); ++i)
        chunks->states[i] = t->states[i];
    for (int i = -1; i < spc_count_states(t); ++i) {
        sparcl_dense *const view = i < 0 ? &chunks->weights : &chunks->states[i];
        view->values_at += first;
        view->ld = width;
    }
}

/* Arguments of all kernels of cl/step.cl. */
#define TABLES(t)                                                                                  \
    SPC_TABLE_ARGS((t)->weights), SPC_TABLE_ARGS(spc_state(t, 0)),                                 \
        SPC_TABLE_ARGS(spc_state(t, 1)), SPC_TABLE_ARGS(spc_state(t, 2))
#define REAL(t, x)           SPC_REAL((t)->weights->dtype, x)
#define COEFFICIENT(t, y, i) REAL(t, (y).coefficients[i])
#define HYPER(t, y)                                                                                \
    REAL(t, (y).lr), COEFFICIENT(t, y, 0), COEFFICIENT(t, y, 1), COEFFICIENT(t, y, 2),             \
        COEFFICIENT(t, y, 3), COEFFICIENT(t, y, 4), COEFFICIENT(t, y, 5), COEFFICIENT(t, y, 6),    \
        COEFFICIENT(t, y, 7), COEFFICIENT(t, y, 8), COEFFICIENT(t, y, 9), REAL(t, (y).rescale),    \
        REAL(t, (y).clip), REAL(t, (y).decay), REAL(t, (y).clip_decayed), REAL(t, (y).keep),       \
        REAL(t, (y).shrink), REAL(t, (y).shrink_lr), SPC_I64((int64_t)(t)->optim.states.seed),     \
        SPC_I64((t)->optim.step), SPC_I64((t)->first)
#define LAST(t)                                                                                    \
    SPC_OUT((t)->optim.lazy.last_steps), SPC_I64((t)->optim.lazy.last_steps_at),                   \
        SPC_I64((t)->optim.step)
#define ROWS(g)                                                                                    \
    SPC_IN((g)->values), SPC_I64((g)->values_at), SPC_I64((g)->ld), SPC_IN((g)->ids),              \
        SPC_I64((g)->ids_at), SPC_IN((g)->count), SPC_I64((g)->count_at), SPC_I64((g)->rows),      \
        SPC_I64((g)->width)
#define ARRAY(view) SPC_OUT((view) ? (view)->values : NULL), SPC_I64((view) ? (view)->values_at : 0)
#define ARRAYS(t)                                                                                  \
    ARRAY((t)->weights), ARRAY(spc_state(t, 0)), ARRAY(spc_state(t, 1)), ARRAY(spc_state(t, 2))

/* States of elements that have 16 bits. */
static inline uint32_t spc_state_options_of(const spc_tables *t) {
    const sparcl_optim *const o = &t->optim;
    if (!spc_has_half_states(o)) return 0;
    return spc_state_options((int)o->states.type) |
           (o->states.rounding == SPARCL_ROUNDING_NEAREST ? SPC_VARIANT : 0);
}

/* Rules of rows find decays of their own, which are prepared for. */
static inline uint32_t spc_step_options(const spc_tables *t, const spc_hyper *h,
                                        sparcl_itype offset, sparcl_itype index) {
    return spc_options(t->weights->dtype, offset, index) | spc_form_options(h->form) |
           spc_state_options_of(t) |
           (t->rule->is_by_row ? SPC_PREPARE : spc_prepare_options(&t->optim, h));
}

/* The step of `lazy` on rows that are unique, which catch up in the same launch; false where there
 * is no such kernel. */
bool spc_step_can_be_late(const sparcl_ctx *ctx, const spc_tables *t, const sparcl_rows *rows);
sparcl_status spc_step_late(sparcl_ctx *ctx, const spc_tables *t, const spc_step_gradient *g,
                            const sparcl_rows *rows, const sparcl_lazy *lazy);
/* The same of a rule whose weights are made anew, once the rows are marked. */
sparcl_status spc_step_remade(sparcl_ctx *ctx, const spc_tables *tables,
                              const spc_step_gradient *gradient, const sparcl_lazy *lazy,
                              const sparcl_buf *from);

#endif
