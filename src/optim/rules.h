/* rules.h: the table of optimizer rules, and the checks of every step on the host. */
#ifndef SPC_OPTIM_RULES_H
#define SPC_OPTIM_RULES_H

#include "launch/launch.h"
#include "ops/check.h"
#include "sparcl/optim.h"

/* The hyper-parameters of a rule's kernel, before they are rounded to its type; cl/rule_<name>.cl
 * defines a, b and c. */
typedef struct spc_hyper {
    double lr, a, b, c;
} spc_hyper;

typedef struct spc_rule {
    const char *stem;
    int states;
    sparcl_optim defaults; /* only the hyper-parameters */
    spc_hyper (*hyper)(const sparcl_optim *optim);
} spc_rule;

/* The operands of every step: an optimizer, a table and its states. */
typedef struct spc_tables {
    const spc_rule *rule;
    sparcl_optim optim;
    const sparcl_dense *weights;
    const sparcl_dense *states; /* rule->states of them */
    int64_t rows, width;
} spc_tables;

/* Check an optimizer, its table and states; and that these overlap neither each other nor
 * `operands`.
 */
sparcl_status spc_tables_open(sparcl_ctx *ctx, const char *op, spc_tables *tables,
                              const sparcl_optim *optim, const sparcl_dense *weights,
                              const sparcl_dense *states);
sparcl_status spc_tables_alias(sparcl_ctx *ctx, const char *op, const spc_tables *tables,
                               const spc_span *operands, size_t count);

/* x^n for n >= 0 by squaring. With IEEE 754 doubles it has the same bits everywhere, unlike
 * pow(). */
double spc_power(double x, int64_t n);

/* Three kernel arguments: a table of values, the position where they begin, the leading
 * dimension. */
#define SPC_TABLE_ARGS(view)                                                                       \
    SPC_OUT((view) ? (view)->values : NULL), SPC_I64((view) ? (view)->values_at : 0),              \
        SPC_I64((view) ? spc_dense_ld(view) : 0)

#endif
