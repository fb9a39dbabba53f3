/* spgemm.c: products of two CSR matrices in two phases. */
#include "base/memory.h"
#include "base/size.h"
#include "launch/launch.h"
#include "ops/products/spgemm_parts.h"
#include "ops/products/spgemm_tiles.h"
#include "ops/shared/bitmap.h"
#include "ops/shared/moved.h"
#include "ops/shared/partition.h"
#include "sparcl/ops/products.h"

typedef long long ll; /* for %lld */

sparcl_status sparcl_spgemm_create(sparcl_ctx *ctx, sparcl_spgemm **plan) {
    if (!ctx || !plan) return spc_ctx_fail(ctx, SPARCL_E_ARG, "spgemm: plan is NULL");
    *plan = spc_alloc_zero(spc_ctx_allocator(ctx), 1, sizeof **plan);
    if (!*plan) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "spgemm: no host memory");
    (*plan)->ctx = ctx;
    (*plan)->capacity = -1;
    return SPARCL_OK;
}

void sparcl_spgemm_free(sparcl_spgemm *plan) {
    if (!plan) return;
    sparcl_buf_free(plan->work);
    sparcl_buf_free(plan->offsets);
    sparcl_buf_free(plan->long_work);
    spc_free(spc_ctx_allocator(plan->ctx), plan, sizeof *plan);
}

/* --- checks ---------------------------------------------------------------------------------- */

static sparcl_status check_plan(sparcl_ctx *ctx, const char *op, const sparcl_spgemm *plan,
                                const sparcl_csr *a, const sparcl_csr *b) {
    if (!plan || plan->ctx != ctx)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: plan is %s", op,
                            plan ? "of another context" : "NULL");
    if (!a || (plan->a_stamp != 0 && plan->a_stamp == spc_csr_stamp(a) &&
               plan->b_stamp == spc_csr_stamp(b)))
        return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG,
                        "%s: the plan is not of A and B with their current index buffers, expected "
                        "sparcl_spgemm_symbolic to be called with them first",
                        op);
}

/* --- launches on wide cores (on many lanes: spgemm_tiles.c) ----------------------------------- */

/* Workers per unit. */
enum { PER_UNIT = 4 };

/* The workers, and their memory. */
typedef struct workers {
    int64_t count, words;
    sparcl_buf *bits, *sums;
} workers;

static sparcl_status open_workers(sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_csr *b,
                                  size_t sum_size, workers *w) {
    const int64_t work = a->nnz + a->rows, most = spc_spgemm_most_products(a, b) + a->rows;
    w->words = spc_bitmap_words(b->cols);
    const int64_t cols = spc_min_i64(b->cols, INT64_MAX / 32); /* no memory is as large */
    const int64_t bytes = w->words * SPC_BITMAP_WORD + cols * (int64_t)sum_size + 1;
    int64_t count = spc_min_i64(spc_ctx_units(ctx) * PER_UNIT, work / SPC_SPGEMM_GRAIN);
    if (spc_has_short_loops(ctx)) count = spc_ceil_div(most, SPC_SPGEMM_SHORT);
    w->count = spc_max_i64(1, spc_min_i64(count, SPC_SPGEMM_BYTES / bytes));
    /* Work of a worker, the longest row that it ends with, and the columns of both. */
    SPC_TRY(spc_check_iterations(ctx, "spgemm", 3 * (most / w->count) + w->words));
    SPC_TRY(spc_scratch_push(ctx, &w->bits, w->count * w->words, SPC_BITMAP_WORD));
    return sum_size > 0 ? spc_scratch_push(ctx, &w->sums, w->count * b->cols, sum_size) : SPARCL_OK;
}

/* --- the two phases -------------------------------------------------------------------------- */

static sparcl_status reserve(sparcl_ctx *ctx, sparcl_spgemm *plan, int64_t rows) {
    if (plan->capacity >= rows) return SPARCL_OK;
    sparcl_buf_free(plan->work);
    sparcl_buf_free(plan->offsets);
    sparcl_buf_free(plan->long_work);
    plan->work = plan->offsets = plan->long_work = NULL;
    plan->capacity = -1;
    SPC_TRY(sparcl_buf_create(ctx, &plan->work, (rows + 1) * 8));
    SPC_TRY(sparcl_buf_create(ctx, &plan->offsets, (rows + 1) * 8));
    plan->capacity = rows;
    return SPARCL_OK;
}

static sparcl_status count_work(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *a,
                                const sparcl_csr *b) {
    spc_args list = spc_spgemm_args(a, b);
    spc_args_add(&list, SPC_OUT(plan->work));
    SPC_TRY(spc_spgemm_launch(ctx, a, "spgemm_work", spc_range_each(ctx, a->rows + a->nnz), &list));
    return spc_spgemm_scan(ctx, plan->work, a->rows);
}

static sparcl_status count_columns(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *a,
                                   const sparcl_csr *b) {
    workers w = {0};
    spc_args list = spc_spgemm_args(a, b);
    SPC_TRY(open_workers(ctx, a, b, 0, &w));
    spc_args_add(&list, SPC_IN(plan->work));
    spc_args_add(&list, SPC_OUT(w.bits));
    spc_args_add(&list, SPC_OUT(plan->offsets));
    return spc_spgemm_launch(ctx, a, "spgemm_symbolic", spc_range_groups(ctx, w.count), &list);
}

/* The offsets of the product, of at least one row. */
static sparcl_status find_offsets(sparcl_ctx *ctx, sparcl_spgemm *plan, const sparcl_csr *a,
                                  const sparcl_csr *b) {
    if (spc_ctx_is_gpu(ctx)) {
        SPC_TRY(spc_spgemm_tiles_symbolic(ctx, plan, a, b));
    } else {
        SPC_TRY(count_work(ctx, plan, a, b));
        SPC_TRY(count_columns(ctx, plan, a, b));
    }
    return spc_spgemm_scan(ctx, plan->offsets, a->rows);
}

sparcl_status sparcl_spgemm_symbolic(sparcl_ctx *ctx, sparcl_spgemm *plan, const sparcl_csr *a,
                                     const sparcl_csr *b) {
    SPC_TRY(check_plan(ctx, "spgemm_symbolic", plan, NULL, NULL));
    SPC_TRY(spc_spgemm_check_operands(ctx, "spgemm_symbolic", a, b));
    const int mark = spc_scratch_mark(ctx);
    plan->a_stamp = plan->b_stamp = 0;
    plan->rows = a->rows;
    plan->cols = b->cols;
    SPC_TRY(reserve(ctx, plan, a->rows));
    const sparcl_status status =
        a->rows == 0 ? spc_spgemm_scan(ctx, plan->offsets, 0) : find_offsets(ctx, plan, a, b);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    plan->a_stamp = spc_csr_stamp(a);
    plan->b_stamp = spc_csr_stamp(b);
    return SPARCL_OK;
}

sparcl_status sparcl_spgemm_entries(sparcl_ctx *ctx, const sparcl_spgemm *plan, int64_t *entries) {
    SPC_TRY(check_plan(ctx, "spgemm_entries", plan, NULL, NULL));
    if (!entries) return spc_ctx_fail(ctx, SPARCL_E_ARG, "spgemm_entries: entries is NULL");
    if (plan->a_stamp == 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "spgemm_entries: the plan has no pattern, expected "
                            "sparcl_spgemm_symbolic to be called first");
    return sparcl_buf_read(ctx, plan->offsets, plan->rows * 8, 8, entries);
}

static sparcl_status write_offsets(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *c,
                                   const sparcl_moved *moved) {
    return SPC_LAUNCH(ctx, SPC_SPGEMM_STEM, spc_spgemm_options(c), "spgemm_offsets",
                      spc_range_each(ctx, c->rows + 1), SPC_IN(plan->offsets), SPC_I64(c->rows),
                      SPC_I64(c->nnz), SPC_OUT(c->offsets), SPC_I64(c->offsets_at),
                      SPC_OUT(moved->needed), SPC_I64(moved->needed_at),
                      SPC_I32(moved->needed != NULL));
}

static sparcl_status write_entries(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *c,
                                   const sparcl_csr *a, const sparcl_csr *b) {
    workers w = {0};
    spc_args list = spc_spgemm_args(a, b);
    SPC_TRY(open_workers(ctx, a, b, a->dtype == SPARCL_F64 ? 8 : 4, &w));
    spc_args_add(&list, SPC_IN(plan->work));
    spc_args_add(&list, SPC_OUT(w.bits));
    spc_args_add(&list, SPC_OUT(w.sums));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_IN(plan->offsets));
    spc_args_add(&list, SPC_I64(c->nnz));
    spc_args_add_array(&list, SPC_OUT(c->indices), c->indices_at);
    spc_args_add_array(&list, SPC_OUT(c->values), c->values_at);
    return spc_spgemm_launch(ctx, a, "spgemm_numeric", spc_range_groups(ctx, w.count), &list);
}

sparcl_status sparcl_spgemm_numeric(sparcl_ctx *ctx, const sparcl_spgemm *plan, sparcl_csr *c,
                                    const sparcl_csr *a, const sparcl_csr *b,
                                    const sparcl_moved *moved) {
    static const char name[] = "spgemm_numeric";
    SPC_TRY(spc_spgemm_check(ctx, name, c, a, b));
    SPC_TRY(check_plan(ctx, name, plan, a, b));
    const spc_spans operands = spc_spgemm_operands(a, b);
    spc_spans results = spc_csr_spans("C", c);
    SPC_TRY(spc_check_needed(ctx, name, &moved, &results));
    SPC_TRY(spc_check_spans(ctx, name, &results, &operands));
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = write_offsets(ctx, plan, c, moved);
    if (status == SPARCL_OK && c->nnz > 0 && a->rows > 0)
        status = spc_ctx_is_gpu(ctx) ? spc_spgemm_tiles_numeric(ctx, plan, c, a, b)
                                     : write_entries(ctx, plan, c, a, b);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(c, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}
