/* bench_profile.h: the output of 'sparcl bench --profile': the time of each kernel of a call. */
#ifndef SPARCL_TOOL_BENCH_PROFILE_H
#define SPARCL_TOOL_BENCH_PROFILE_H

#include <stdbool.h>

#include "bench_time.h"
#include "exit_codes.h"
#include "spec/bench/bench.h"

/* Run some calls in a context that records times, and print the kernels and transfers per call, the
 * longest first, then what a call needs: of scratch memory, in a context of its own on the device
 * that `selector` selects. The buffers and kernels of the call are ready. */
exit_code bench_profile_print(sparcl_ctx *ctx, const char *selector, const spec_bench *bench,
                              const spec_bench_call *call, const char *name, bool as_json);

#endif
