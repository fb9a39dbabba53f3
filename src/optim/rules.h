/* rules.h: the optimizer rules, a table row each, and what every step checks on the host. */
#ifndef SPC_OPTIM_RULES_H
#define SPC_OPTIM_RULES_H

#include "launch/launch.h"
#include "ops/check.h"
#include "sparcl/optim.h"

/* The hyper-parameters as a rule's kernel gets them, before they are narrowed; cl/rule_<name>.cl
 * says which is which. */
typedef struct spc_hyper {
    double lr, a, b, c;
} spc_hyper;

typedef struct spc_rule {
    const char *stem;
    int states;
    sparcl_optim defaults; /* the hyper-parameters only */
    spc_hyper (*hyper)(const sparcl_optim *optim);
} spc_rule;

/* What all steps have: an optimizer, a table and its states. */
typedef struct spc_tables {
    const spc_rule *rule;
    sparcl_optim optim;
    const sparcl_dense *weights;
    const sparcl_dense *states; /* rule->states of them */
    int64_t rows, width;
} spc_tables;

/* Check an optimizer, its table and states, and that they do not overlap each other nor `operands`.
 */
sparcl_status spc_tables_open(sparcl_ctx *ctx, const char *op, spc_tables *tables,
                              const sparcl_optim *optim, const sparcl_dense *weights,
                              const sparcl_dense *states);
sparcl_status spc_tables_alias(sparcl_ctx *ctx, const char *op, const spc_tables *tables,
                               const spc_span *operands, size_t count);

/* x^n for n >= 0 by squaring: the same bits wherever double is IEEE 754's, as pow() is not. */
double spc_power(double x, int64_t n);

/* Three kernel arguments: a table of values, where they begin, the leading dimension. */
#define SPC_TABLE_ARGS(view)                                                                       \
    SPC_OUT((view) ? (view)->values : NULL), SPC_I64((view) ? (view)->values_at : 0),              \
        SPC_I64((view) ? spc_dense_ld(view) : 0)

#endif
