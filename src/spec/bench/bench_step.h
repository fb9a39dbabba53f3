/* bench_step.h: the operands of timed optimizer steps, and their check. */
#ifndef SPC_SPEC_BENCH_STEP_H
#define SPC_SPEC_BENCH_STEP_H

#include <math.h>
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/optim/half_states.h"
#include "spec/optim/rule_answer.h"

#define SPEC_STEP_TABLES (1 + SPARCL_MAX_STATES)

/* Elements of a table that are filled or compared at a time. */
#define SPEC_STEP_SLAB ((int64_t)1 << 20)

/* Steps that an exact lazy optimizer has had before the first call. */
#define SPEC_STEP_MISSED 3

typedef struct spec_step_operands {
    spec_rowset from;                 /* the gradient */
    sparcl_rows gradient, other, now; /* other: of the second set of rows; now: of the next call */
    sparcl_dense tables[SPEC_STEP_TABLES]; /* weights and states */
    sparcl_optim optim;
    bool is_exact;
    sparcl_bags bags;     /* of bag-step: the rows of the matrix */
    sparcl_dense g, sums; /* their gradient and result */
} spec_step_operands;

static inline int spec_step_tables(const spec_step_operands *x) {
    return 1 + sparcl_rule_states(x->optim.rule);
}

/* The type of table t. */
static inline sparcl_dtype spec_step_type(const spec_step_operands *x, int t) {
    return t == 0 ? SPARCL_F32 : spec_state_dtype(&x->optim, t - 1, SPARCL_F32);
}

/* The next numbers of a table's initial contents. They are not negative, because sums of squares
 * are not. */
static inline void spec_step_next_numbers(sparcl_dtype dtype, double *x, int64_t count,
                                          uint64_t *seed) {
    for (int64_t i = 0; i < count; ++i)
        x[i] = spec_store(dtype, fabs(spec_uniform(seed)));
}

/* The gradient of the bags of bag-step. */
static inline double *spec_step_bag_gradient(int64_t bags, int64_t width) {
    return spec_numbers(bags * width, 3);
}

/* Numbers of a row of table t: a state of rows has one. */
static inline int64_t spec_step_row_size(const spec_step_operands *x, int t) {
    return t > 0 && sparcl_rule_state_is_row(x->optim.rule, t - 1) ? 1 : x->from.width;
}

/* The numbers of a row: of the tables and of its gradient. */
typedef struct spec_step_row_numbers {
    spec_num *all, *g, *tables[SPEC_STEP_TABLES];
    spec_row row;
} spec_step_row_numbers;

static inline bool spec_step_make_row(spec_step_row_numbers *r, int64_t width) {
    r->all = calloc((size_t)width * (1 + SPEC_STEP_TABLES), sizeof *r->all);
    r->g = r->all;
    for (int t = 0; r->all && t < SPEC_STEP_TABLES; ++t)
        r->tables[t] = r->all + (1 + t) * width;
    r->row = (spec_row){.n = width, .w = r->tables[0]};
    for (int t = 1; r->all && t < SPEC_STEP_TABLES; ++t)
        r->row.s[t - 1] = r->tables[t];
    return r->all;
}

/* spec_bench.check */
sparcl_status spec_step_check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report);

#endif
