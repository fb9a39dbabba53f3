/* bench_report.h: prints a measurement of 'sparcl bench' as a line of a table or of JSON. */
#ifndef SPARCL_TOOL_BENCH_REPORT_H
#define SPARCL_TOOL_BENCH_REPORT_H

#include <stdbool.h>

#include "bench_time.h"
#include "exit_codes.h"
#include "spec/bench/bench.h"

typedef struct bench_line {
    const spec_bench *bench;
    const spec_bench_call *call;
    const char *name; /* of the case */
    const bench_times *times;
    double limit; /* maximum bytes per second of the device */
    bool queued;
} bench_line;

void bench_print_heading(void);
/* The printed variant has the tunables that calls have read since sparcl_tune_reset_used. */
exit_code bench_report(sparcl_ctx *ctx, const bench_line *line, bool as_json);

#endif
