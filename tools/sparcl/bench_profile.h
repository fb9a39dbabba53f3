/* bench_profile.h: what 'sparcl bench --profile' tells: how long each kernel of a call takes. */
#ifndef SPARCL_TOOL_BENCH_PROFILE_H
#define SPARCL_TOOL_BENCH_PROFILE_H

#include <stdbool.h>

#include "bench_time.h"
#include "exit_codes.h"
#include "spec/bench.h"

/* Make some calls in a context that notes times, and tell the kernels and transfers of one, the
 * longest first. The buffers and kernels of the call are ready. */
exit_code bench_profile_print(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call,
                              const char *name, bool as_json);

#endif
