/* tune_explain.h: the tuning in force, told. */
#ifndef SPARCL_TOOL_TUNE_EXPLAIN_H
#define SPARCL_TOOL_TUNE_EXPLAIN_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/sparcl.h"

/* A table with what each tunable does, its defaults, its values, and how they were found; or the
 * same as JSON. */
exit_code tune_explain(sparcl_ctx *ctx, bool as_json);
/* As the text that --tuning and desc.tuning take. */
exit_code tune_print_text(const sparcl_ctx *ctx);

#endif
