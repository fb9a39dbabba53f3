/* bench.h: what is timed of an operation: its inputs on the device, one call, the work that the
 * call does, and the check of what it wrote. Operations with a line in spec_benches are in 'sparcl
 * bench'. */
#ifndef SPC_SPEC_BENCH_H
#define SPC_SPEC_BENCH_H

#include "spec/spec.h"

/* What an operation is timed on. Where it works on ids, they are the columns of the matrix's
 * entries, as they are stored. */
typedef struct spec_bench_input {
    const spec_matrix *matrix;
    int64_t n; /* columns of the dense operand, or the width of the table's rows */
    sparcl_rule rule;
} spec_bench_input;

/* What an operation is timed for, one by one; and which traffic its bytes are compared with: that
 * of streams, or of rows of n floats that are read (GATHER), or read twice and written (UPDATE). */
enum { SPEC_BENCH_WIDTHS = 1, SPEC_BENCH_RULES = 2, SPEC_BENCH_GATHER = 4, SPEC_BENCH_UPDATE = 8 };

/* A call that can be made again and again, and the work of one. */
typedef struct spec_bench_call {
    const spec_bench_input *input;
    void *state;  /* the operation's own; NULL: not open */
    double flops; /* multiplications and additions */
    double bytes; /* each array of the call read or written once, the rows of B that are used */
} spec_bench_call;

typedef struct spec_bench {
    const char *name, *what;
    unsigned each; /* SPEC_BENCH_...: without _WIDTHS, n is 1 */
    size_t state_size;
    /* Fill the state, which is all zeros: buffers on the device, filled, and the work of a call. */
    sparcl_status (*open)(sparcl_ctx *ctx, spec_bench_call *call);
    /* Enqueue one call. */
    sparcl_status (*run)(sparcl_ctx *ctx, const spec_bench_call *call);
    /* Compare what the last call wrote with the plain-C answer. */
    sparcl_status (*check)(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report);
    /* Free what the state holds, also where `open` has failed. */
    void (*close)(void *state);
    /* What spec_bench_renew does; or NULL: it opens operands anew. */
    sparcl_status (*spoil)(sparcl_ctx *ctx, const spec_bench_call *call);
} spec_bench;

/* All, NULL at the end. */
extern const spec_bench *const spec_benches[];

/* With an error nothing is left open. */
sparcl_status spec_bench_open(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call);
/* Overwrite what a call writes, so that the check finds a call that writes nothing; what a call
 * updates is as it was opened. With an error the call may be left closed. */
sparcl_status spec_bench_renew(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call);
/* Also a call that is not open. */
void spec_bench_close(const spec_bench *bench, spec_bench_call *call);

/* --- what operations share ---------------------------------------------------------------------
 */

/* As it is timed: f32, and 32-bit offsets and indices where they fit. */
sparcl_status spec_bench_put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m);
/* Rows that have entries, and columns; all columns without memory. */
int64_t spec_bench_rows_used(const spec_matrix *m);
int64_t spec_bench_cols_used(const spec_matrix *m);
/* Compare the matrix in the buffers of a view with the right one. */
sparcl_status spec_bench_compare_csr(sparcl_ctx *ctx, const sparcl_csr *view,
                                     const spec_matrix *want, spec_report *report);
/* Compare a buffer with the product of A and B, which has n columns. */
sparcl_status spec_bench_compare_product(sparcl_ctx *ctx, const char *what, const sparcl_buf *got,
                                         const spec_matrix *a, const double *b, int64_t n,
                                         spec_report *report);

#endif
