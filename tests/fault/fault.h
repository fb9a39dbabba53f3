/* fault.h: a scenario, which fault_scenarios.c has and the loop of fault.c runs, and what they
 * share. */
#ifndef TESTS_FAULT_H
#define TESTS_FAULT_H

#include "device_test.h"

#include "spec/shared/spec.h"

/* Ends with what it made freed again. The error record is for what the context does not report. */
typedef struct fault_scenario {
    const char *name;
    sparcl_status (*run)(sparcl_ctx *ctx, sparcl_error *error);
    bool is_warm; /* in a context that has its kernels, else each time in a new one */
} fault_scenario;

/* --- fault_scenarios.c ----------------------------------------------------------------------- */

/* All but the operations; the last has no name. */
extern const fault_scenario fault_scenarios[];
/* An operation's largest small case, until the next call. */
fault_scenario fault_scenario_of(const spec_op *op, bool is_warm);
/* The folder that scenarios write to, until the program ends; false where it cannot be created. */
bool fault_make_folder(void);
const char *fault_folder(void);

/* --- fault_graph.c --------------------------------------------------------------------------- */

sparcl_status fault_graph(sparcl_ctx *ctx, sparcl_error *error);

/* --- fault_proofs.c -------------------------------------------------------------------------- */

sparcl_status fault_proofs(sparcl_ctx *ctx, sparcl_error *error);
sparcl_status fault_structure(sparcl_ctx *ctx, sparcl_error *error);
sparcl_status fault_arrays(sparcl_ctx *ctx, sparcl_error *error);
sparcl_status fault_products(sparcl_ctx *ctx, sparcl_error *error);
sparcl_status fault_conversions(sparcl_ctx *ctx, sparcl_error *error);
sparcl_status fault_bags(sparcl_ctx *ctx, sparcl_error *error);

/* --- fault_train.c: with the training library ------------------------------------------------ */

sparcl_status fault_train(sparcl_ctx *ctx, sparcl_error *error);
sparcl_status fault_own(sparcl_ctx *ctx, sparcl_error *error);

/* --- fault.c --------------------------------------------------------------------------------- */

/* How scenarios open a context: with the allocator that fails. */
sparcl_ctx_desc fault_desc(void);
/* A scenario has found an error. */
void fault_found(const char *scenario, const char *what, const char *detail);

#endif
