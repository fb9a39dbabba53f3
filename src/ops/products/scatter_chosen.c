/* scatter_chosen.c: launches of cl/scatter_chosen.cl. */
#include "ops/products/scatter_chosen.h"

#include "base/size.h"
#include "ops/products/spmm_reduce.h"
#include "ops/shared/halves.h"

#define PROGRAM "scatter_chosen"

/* Minimum columns per worker: each goes through all entries, to count those of each column. */
#define MIN_COLUMNS 8
/* Chunks of rows per core, and the maximum of scratch memory for them. */
#define CHUNKS      4
#define MAX_BYTES   ((int64_t)64 << 20)

static bool applies(const sparcl_ctx *ctx, const spc_chosen_job *job) {
    return !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) && !spc_is_half(job->a->dtype);
}

/* --- by the dense matrix ---------------------------------------------------------------------- */

bool spc_scatter_chosen_applies(const sparcl_ctx *ctx, const spc_chosen_job *job) {
    const sparcl_csr *const a = job->a;
    return applies(ctx, job) && (sparcl_csr_flags(a) & SPARCL_UNIQUE) && a->nnz <= INT32_MAX &&
           spc_dense_width(job->g) >= MIN_COLUMNS * spc_ctx_units(ctx);
}

static spc_args pattern_args(const sparcl_csr *a) {
    spc_args list = {.count = 0};
    spc_args_add_array(&list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add(&list, SPC_I64(a->rows));
    spc_args_add_array(&list, SPC_IN(a->indices), a->indices_at);
    return list;
}

static sparcl_status launch(sparcl_ctx *ctx, const sparcl_csr *a, const char *kernel,
                            int64_t groups, const spc_args *list) {
    return spc_launch(ctx, PROGRAM, spc_options(a->dtype, a->offset_type, a->index_type), kernel,
                      spc_range_groups(ctx, groups), list->at, list->count);
}

sparcl_status spc_scatter_chosen(sparcl_ctx *ctx, const sparcl_dense *gb,
                                 const spc_chosen_job *job) {
    const sparcl_csr *const a = job->a;
    const int64_t n = spc_dense_width(gb), workers = spc_ctx_units(ctx);
    spc_args list = pattern_args(a);
    sparcl_buf *blocks = NULL, *counts = NULL;
    SPC_TRY(spc_scratch_push(ctx, &blocks, a->cols * n, sparcl_dtype_size(a->dtype)));
    SPC_TRY(spc_scratch_push(ctx, &counts, a->cols * workers, sizeof(int32_t)));
    spc_args_add(&list, SPC_I64(a->cols));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_add_matrix(&list, SPC_IN(job->g->values), job->g);
    spc_add_chosen(&list, SPC_IN(job->chosen->values), job->chosen);
    spc_add_matrix(&list, SPC_OUT(gb->values), gb);
    spc_args_add(&list, SPC_I64(n));
    spc_args_add(&list, SPC_OUT(blocks));
    spc_args_add(&list, SPC_OUT(counts));
    return launch(ctx, a, "scatter_chosen", workers, &list);
}

/* --- by the values ---------------------------------------------------------------------------- */

/* Bytes of the partial sums of the longest row, for all chunks. */
static int64_t parts_bytes(const sparcl_ctx *ctx, int64_t longest, sparcl_dtype dtype) {
    return longest * 8 * CHUNKS * spc_ctx_units(ctx) * (int64_t)sparcl_dtype_size(dtype);
}

bool spc_sum_chosen_applies(const sparcl_ctx *ctx, const spc_chosen_job *job) {
    const int64_t longest = spc_csr_longest(job->a);
    return applies(ctx, job) && longest <= MAX_BYTES &&
           parts_bytes(ctx, longest, job->a->dtype) <= MAX_BYTES;
}

sparcl_status spc_sum_chosen(sparcl_ctx *ctx, const sparcl_dense *gv, const spc_chosen_job *job) {
    const sparcl_csr *const a = job->a;
    const int64_t longest = spc_max_i64(1, spc_csr_longest(a));
    spc_args list = pattern_args(a);
    sparcl_buf *parts = NULL;
    if (a->nnz == 0) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &parts, parts_bytes(ctx, longest, a->dtype), 1));
    spc_add_matrix(&list, SPC_IN(job->g->values), job->g);
    spc_add_matrix(&list, SPC_IN(job->b->values), job->b);
    spc_add_chosen(&list, SPC_IN(job->chosen->values), job->chosen);
    spc_args_add_array(&list, SPC_OUT(gv->values), gv->values_at);
    spc_args_add(&list, SPC_I64(a->nnz));
    spc_args_add(&list, SPC_I64(spc_dense_width(job->g)));
    spc_args_add(&list, SPC_OUT(parts));
    spc_args_add(&list, SPC_I64(longest));
    return launch(ctx, a, "sum_chosen", CHUNKS * spc_ctx_units(ctx), &list);
}
