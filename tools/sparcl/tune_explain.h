/* tune_explain.h: prints the current tuning. */
#ifndef SPARCL_TOOL_TUNE_EXPLAIN_H
#define SPARCL_TOOL_TUNE_EXPLAIN_H

#include <stdbool.h>

#include "exit_codes.h"
#include "sparcl/sparcl.h"

/* Print a table of the tunables with their descriptions, defaults, values and measurements; or the
 * same as JSON. */
exit_code tune_explain(sparcl_ctx *ctx, bool as_json);
/* Print the tuning as text for --tuning and desc.tuning. */
exit_code tune_print_text(const sparcl_ctx *ctx);

#endif
