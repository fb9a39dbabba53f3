/* bench.h: a measurement: its inputs on the device, one call, the work of that call, and the check
 * of its result. Specs have them; 'sparcl bench' runs them. */
#ifndef SPC_SPEC_BENCH_H
#define SPC_SPEC_BENCH_H

#include "spec/shared/harness.h"

/* The inputs of a measurement. Where it needs ids, these are the column indices of the matrix, in
 * the order stored. */
typedef struct spec_bench_input {
    const spec_matrix *matrix;
    int64_t n;          /* columns of the dense operand, or the width of the table's rows */
    sparcl_optim optim; /* of operations with RULES */
} spec_bench_input;

/* Parameters that an operation is timed with (WIDTHS, RULES); and the memory traffic that its bytes
 * are compared with: streams, or rows of n floats that are read (GATHER), or read twice and written
 * (UPDATE). */
enum { SPEC_BENCH_WIDTHS = 1, SPEC_BENCH_RULES = 2, SPEC_BENCH_GATHER = 4, SPEC_BENCH_UPDATE = 8 };

/* A call of an operation. */
typedef struct spec_bench {
    const char *name, *what; /* the help lists them */
    unsigned flags;          /* SPEC_BENCH_...: without _WIDTHS, n is 1 */
    const spec_op *op;
    int call;          /* its number */
    spec_case setting; /* what the case has beside sizes and kind */
} spec_bench;

/* A call that can be repeated, and the work of one call. */
typedef struct spec_bench_call {
    const spec_bench_input *input;
    double flops; /* multiplications and additions */
    double bytes; /* each array is read or written once; of B only the rows that are used */
    /* private: the case, and the case that runs */
    spec_case c;
    spec_test test;
} spec_bench_call;

/* Measurement 0, 1, ... of all operations; NULL after the last one. */
const spec_bench *spec_bench_at(int i);

/* After an error, the call is closed. */
sparcl_status spec_bench_open(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call);
sparcl_status spec_bench_run(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call);
sparcl_status spec_bench_check(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call,
                               spec_report *report);
/* Make the operands again, so that the check detects a call that writes nothing, and arrays that a
 * call updates have their initial contents. After an error the call is closed. */
sparcl_status spec_bench_reset(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call);
/* A call that is not open is allowed. */
void spec_bench_close(spec_bench_call *call);

#endif
