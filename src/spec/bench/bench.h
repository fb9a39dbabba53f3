/* bench.h: a timed operation: its inputs on the device, one call, the work of that call, and the
 * check of its result. 'sparcl bench' runs the operations in spec_benches. */
#ifndef SPC_SPEC_BENCH_H
#define SPC_SPEC_BENCH_H

#include "spec/shared/entries.h"
#include "spec/shared/harness.h"
#include "spec/shared/rowset.h"
#include "spec/shared/spec.h"

/* The inputs of a timed operation. Where it needs ids, these are the column indices of the matrix,
 * in the order stored. */
typedef struct spec_bench_input {
    const spec_matrix *matrix;
    int64_t n;          /* columns of the dense operand, or the width of the table's rows */
    sparcl_optim optim; /* of operations with RULES */
} spec_bench_input;

/* Parameters that an operation is timed with (WIDTHS, RULES); and the memory traffic that its bytes
 * are compared with: streams, or rows of n floats that are read (GATHER), or read twice and written
 * (UPDATE). */
enum { SPEC_BENCH_WIDTHS = 1, SPEC_BENCH_RULES = 2, SPEC_BENCH_GATHER = 4, SPEC_BENCH_UPDATE = 8 };

/* A call that can be repeated, and the work of one call. */
typedef struct spec_bench_call {
    const spec_bench_input *input;
    void *state;  /* private to the operation; NULL: not open */
    double flops; /* multiplications and additions */
    double bytes; /* each array is read or written once; of B only the rows that are used */
    /* Of a measurement that a spec describes: its case, and the case that runs. */
    spec_case c;
    spec_test test;
} spec_bench_call;

typedef struct spec_bench {
    const char *name, *what; /* the help lists them */
    unsigned flags;          /* SPEC_BENCH_...: without _WIDTHS, n is 1 */
    size_t state_size;
    /* Fill in the state, which is zeroed: create and fill the device buffers; and the work of a
     * call. */
    sparcl_status (*open)(sparcl_ctx *ctx, spec_bench_call *call);
    /* Enqueue one call. */
    sparcl_status (*run)(sparcl_ctx *ctx, const spec_bench_call *call);
    /* Compare the result of the last call with the plain-C answer. */
    sparcl_status (*check)(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report);
    /* Free the contents of the state, also after `open` has failed. */
    void (*close)(void *state);
    /* The implementation of spec_bench_reset; NULL: it closes and opens the operands. */
    sparcl_status (*reset)(sparcl_ctx *ctx, const spec_bench_call *call);
    /* A call of a spec: its number, and what its case has beside sizes and kind. `op` NULL: the
     * functions above. */
    const spec_op *op;
    int call;
    spec_case setting;
} spec_bench;

/* The operation `id`, whose state is an `operands`; the file has close_operands and poison. */
#define SPEC_BENCH(id, text, about, flag_set, opened, ran, checked)                                \
    const spec_bench spec_bench_##id = {.name = (text),                                            \
                                        .what = (about),                                           \
                                        .flags = (flag_set),                                       \
                                        .state_size = sizeof(operands),                            \
                                        .open = opened,                                            \
                                        .run = ran,                                                \
                                        .check = checked,                                          \
                                        .close = close_operands,                                   \
                                        .reset = poison};
/* The same from two expressions of ctx, call and x, the state; the file has check, too. */
#define SPEC_BENCH_CALLS(id, text, about, flag_set, OPEN, RUN)                                     \
    static sparcl_status open_##id(sparcl_ctx *ctx, spec_bench_call *call) {                       \
        return OPEN;                                                                               \
    }                                                                                              \
    static sparcl_status run_##id(sparcl_ctx *ctx, const spec_bench_call *call) {                  \
        operands *const x = call->state;                                                           \
        return RUN;                                                                                \
    }                                                                                              \
    SPEC_BENCH(id, text, about, flag_set, open_##id, run_##id, check)

/* Timed operation 0, 1, ...; NULL after the last one. */
const spec_bench *spec_bench_at(int i);

/* After an error, the call is closed. */
sparcl_status spec_bench_open(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call);
sparcl_status spec_bench_run(sparcl_ctx *ctx, const spec_bench *bench, const spec_bench_call *call);
sparcl_status spec_bench_check(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call,
                               spec_report *report);
/* Overwrite the result of a call, so that the check detects a call that writes nothing. Arrays that
 * a call updates get their initial contents. After an error the call may be closed. */
sparcl_status spec_bench_reset(sparcl_ctx *ctx, const spec_bench *bench, spec_bench_call *call);
/* A call that is not open is allowed. */
void spec_bench_close(const spec_bench *bench, spec_bench_call *call);

/* --- functions for operations ----------------------------------------------------------------- */

/* Upload a matrix for timing: f32, and 32-bit offsets and indices where they fit. */
sparcl_status spec_bench_put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m);
bool spec_bench_copy(spec_matrix *to, const spec_matrix *m);
/* For each row and each of n columns an entry of the row, or -1 where it has none; NULL when out of
 * memory. */
int64_t *spec_bench_chosen(const spec_matrix *m, int64_t n);
/* The bytes of a CSR matrix in F32. */
double spec_bench_csr_bytes(const sparcl_csr *a);
/* Overwrite the arrays of a result. */
sparcl_status spec_bench_poison_csr(sparcl_ctx *ctx, const sparcl_csr *view);
sparcl_status spec_bench_poison_coo(sparcl_ctx *ctx, const sparcl_coo *view);
sparcl_status spec_bench_poison_rows(sparcl_ctx *ctx, const sparcl_rows *view);
/* Compare a dense array in F32, of rank 1 or 2, with the expected numbers. Sets equality only. */
sparcl_status spec_bench_compare_dense(sparcl_ctx *ctx, const char *what, const sparcl_dense *view,
                                       const double *want, spec_report *report);
/* The same for the rows of a view. */
sparcl_status spec_bench_compare_rows(sparcl_ctx *ctx, const sparcl_rows *view,
                                      const spec_rowset *want, spec_report *report);
/* Compare the matrix in the buffers of a view with the expected one. */
sparcl_status spec_bench_compare_csr(sparcl_ctx *ctx, const sparcl_csr *view,
                                     const spec_matrix *want, spec_report *report);

#endif
