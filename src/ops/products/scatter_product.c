/* scatter_product.c: launches of cl/scatter_product.cl. */
#include "ops/products/scatter_product.h"

#include "base/size.h"
#include "launch/launch.h"
#include "tune/tuned.h"

#define PROGRAM "panel+products+scatter_product"

/* Maximum columns: a row of the result is a vector. */
#define MAX_COLUMNS 16
/* Maximum scratch memory, in bytes per entry: a pattern takes no less. */
#define ENTRY_BYTES 16

/* Each core searches its part of every row. Small matrices have fast patterns. */
const sparcl_tunable spc_tunable_spmm_t_scatter = {
    .name = "spmm_t.scatter",
    .description =
        "minimum entries per row and core, and 8192 times as many in all, of a transposed "
        "product that adds entries to the rows of its result without a pattern",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 0,
    .maximum = 1 << 20,
    .candidates = {0, 4, 8, 16, 1 << 20},
    .candidate_count = 5,
    .defaults = {{8}}};

/* Sorted rows are divided between the cores. */
static int64_t workers_of(const sparcl_ctx *ctx, const sparcl_csr *a) {
    return sparcl_csr_flags(a) & SPARCL_SORTED ? spc_ctx_units(ctx) : 1;
}

/* The numbers of entries are int. */
static bool is_large(const sparcl_ctx *ctx, const sparcl_csr *a) {
    const int64_t least = spc_tuned(ctx, SPC_TUNE_SPMM_T_SCATTER, 0);
    return a->nnz <= INT32_MAX && a->nnz >= 8192 * least &&
           a->nnz / spc_max_i64(a->rows, 1) >= least * spc_ctx_units(ctx);
}

/* Numbers of a row of C that are added to. */
static int64_t width_of(int64_t n) {
    return n == 1 ? 8 : n;
}

bool spc_scatter_applies(const sparcl_ctx *ctx, const sparcl_csr *a, int64_t n) {
    const int64_t real = (int64_t)spc_real_size(a->dtype);
    const bool is_vector = n > 0 && n <= MAX_COLUMNS && (n & (n - 1)) == 0;
    return is_vector && !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) &&
           workers_of(ctx, a) == spc_ctx_units(ctx) && is_large(ctx, a) &&
           a->cols <= ENTRY_BYTES * a->nnz / (real * (width_of(n) + n) + (int64_t)sizeof(int32_t));
}

sparcl_status spc_scatter_product(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                                  const void *arguments) {
    const spc_scatter_job *const job = arguments;
    const sparcl_csr *const a = job->a;
    const int64_t n = spc_shape_width(c->rank, c->shape), workers = workers_of(ctx, a);
    const size_t real = spc_real_size(a->dtype);
    sparcl_buf *sums = NULL, *totals = NULL, *counts = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, a->cols * width_of(n), real));
    SPC_TRY(spc_scratch_push(ctx, &totals, a->cols * n, real));
    SPC_TRY(spc_scratch_push(ctx, &counts, a->cols, sizeof(int32_t)));
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_options(a->dtype, a->offset_type, a->index_type), "scatter_multiply",
        spc_range_groups(ctx, workers), SPC_IN(a->offsets), SPC_I64(a->offsets_at),
        SPC_I64(a->rows), SPC_IN(a->indices), SPC_I64(a->indices_at), SPC_I64(a->cols),
        SPC_IN(a->values), SPC_I64(a->values_at), SPC_IN(b->values), SPC_I64(b->values_at),
        SPC_I64(spc_dense_ld(b)), SPC_OUT(c->values), SPC_I64(c->values_at),
        SPC_I64(spc_dense_ld(c)), SPC_I32(n), SPC_REAL(a->dtype, job->alpha),
        SPC_REAL(a->dtype, job->beta), SPC_OUT(sums), SPC_OUT(totals), SPC_OUT(counts));
}
