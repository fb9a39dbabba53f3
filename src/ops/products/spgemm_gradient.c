/* spgemm_gradient.c: gradients of products of two CSR matrices. */
#include "base/size.h"
#include "launch/launch.h"
#include "ops/products/pattern.h"
#include "ops/products/spgemm_parts.h"
#include "ops/shared/halves.h"
#include "ops/shared/partition.h"
#include "sparcl/ops/products.h"

static const char gradient_name[] = "spgemm_gradient";

static sparcl_status check_vector(sparcl_ctx *ctx, const char *name, const sparcl_dense *v,
                                  const sparcl_csr *x) {
    SPC_TRY(spc_check_entry_vector(ctx, gradient_name, name, v, x->nnz));
    return spc_check_same_dtype(ctx, gradient_name, name, v->dtype, "A", x->dtype);
}

static void add_product(spc_args *list, const sparcl_csr *c, const sparcl_dense *g) {
    spc_spgemm_add(list, c);
    spc_args_add_array(list, SPC_IN(g->values), g->values_at);
}

static spc_range range_of(const sparcl_ctx *ctx, int64_t entries) {
    const int64_t work = spc_has_short_loops(ctx) ? entries * 1024 : entries * 8;
    return spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, entries)
                               : spc_range_groups(ctx, spc_workers(ctx, work, SPC_SPGEMM_GRAIN));
}

/* Each term is found by bisection. */
static sparcl_status check_loops(sparcl_ctx *ctx, int64_t terms) {
    return spc_check_iterations(ctx, gradient_name, terms * 16);
}

static sparcl_status gradient_by_a(sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *g,
                                   const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b) {
    spc_args list = spc_spgemm_args(a, b);
    if (a->nnz == 0) return SPARCL_OK;
    SPC_TRY(check_loops(ctx, spc_min_i64(spc_csr_longest(b), spc_min_i64(b->nnz, b->cols))));
    add_product(&list, c, g);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_I64(a->nnz));
    spc_args_add_array(&list, SPC_OUT(ga->values), ga->values_at);
    return spc_spgemm_launch(ctx, a, "spgemm_gradient_a", range_of(ctx, a->nnz), &list);
}

static sparcl_status launch_by_b(sparcl_ctx *ctx, const sparcl_dense *gb, const sparcl_dense *g,
                                 const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b,
                                 const sparcl_pattern *p) {
    spc_args list = {.count = 0};
    spc_args_add(&list, SPC_IN(p->starts));
    spc_args_add(&list, SPC_IN(p->row_of));
    spc_args_add(&list, SPC_IN(p->perm));
    spc_args_add(&list, SPC_IN(p->columns));
    spc_args_add(&list, SPC_IN(p->found));
    spc_args_add(&list, SPC_I32(p->offset_type == SPARCL_INDEX64));
    spc_args_add(&list, SPC_I32(p->index_type == SPARCL_INDEX64));
    spc_spgemm_add(&list, b);
    spc_args_add(&list, SPC_I64(b->rows));
    add_product(&list, c, g);
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add(&list, SPC_I64(b->nnz));
    spc_args_add_array(&list, SPC_OUT(gb->values), gb->values_at);
    return spc_spgemm_launch(ctx, b, "spgemm_gradient_b", range_of(ctx, b->nnz), &list);
}

static sparcl_status gradient_by_b(sparcl_ctx *ctx, const sparcl_dense *gb, const sparcl_dense *g,
                                   const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b,
                                   sparcl_pattern *pattern) {
    const bool unique = sparcl_csr_flags(a) & SPARCL_UNIQUE;
    sparcl_pattern *made = NULL;
    sparcl_status status = SPARCL_OK;
    if (b->nnz == 0) return SPARCL_OK;
    SPC_TRY(check_loops(ctx, unique ? spc_min_i64(a->rows, a->nnz) : a->nnz));
    if (!pattern) {
        SPC_GO(sparcl_pattern_create(ctx, &made));
        SPC_GO(sparcl_pattern_build(ctx, made, a));
        pattern = made;
    }
    status = launch_by_b(ctx, gb, g, c, a, b, pattern);
done:
    sparcl_pattern_free(made);
    return status;
}

/* Each worker goes through all rows of A and C: with more cores than this, searches should be
 * faster. (Measured with two cores.) */
#define MAX_WORKERS 8

/* Whether a place for each column of C is small, and most time is for entries. */
static bool is_by_rows(const sparcl_ctx *ctx, const sparcl_csr *c, const sparcl_csr *a,
                       const sparcl_csr *b) {
    const int64_t place = (int64_t)sparcl_itype_size(c->offset_type);
    const int64_t longest = spc_max_i64(a->rows, spc_max_i64(b->rows, b->cols));
    return !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) && spc_ctx_units(ctx) <= MAX_WORKERS &&
           b->cols <= SPC_SPGEMM_BYTES / place && longest < a->nnz + b->nnz + c->nnz;
}

static int64_t gradient_workers(const sparcl_ctx *ctx, const sparcl_csr *c, const sparcl_csr *a,
                                int64_t bytes) {
    const int64_t most = spc_min_i64(spc_ctx_units(ctx), (a->nnz + c->nnz) / SPC_SPGEMM_GRAIN);
    return spc_max_i64(1, spc_min_i64(most, SPC_SPGEMM_BYTES / bytes));
}

static sparcl_status gradients_by_rows(sparcl_ctx *ctx, const sparcl_dense *ga,
                                       const sparcl_dense *gb, const sparcl_dense *g,
                                       const sparcl_csr *c, const sparcl_csr *a,
                                       const sparcl_csr *b) {
    const sparcl_dense none = {.rank = 1};
    const sparcl_dense *const to_a = ga ? ga : &none, *const to_b = gb ? gb : &none;
    const bool is_half = spc_is_half(a->dtype);
    const int64_t cols = spc_max_i64(1, b->cols);
    const size_t place = sparcl_itype_size(c->offset_type);
    const int64_t count = gradient_workers(ctx, c, a, cols * (int64_t)place);
    sparcl_buf *places = NULL, *sums = to_b->values;
    SPC_TRY(spc_scratch_push(ctx, &places, count * cols, place));
    if (gb && is_half) SPC_TRY(spc_scratch_push(ctx, &sums, b->nnz, sizeof(float)));
    spc_args list = spc_spgemm_args(a, b);
    add_product(&list, c, g);
    spc_args_add(&list, SPC_I64(b->rows));
    spc_args_add(&list, SPC_OUT(places));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_I64(a->nnz));
    spc_args_add_array(&list, SPC_OUT(to_a->values), to_a->values_at);
    spc_args_add(&list, SPC_I64(b->nnz));
    spc_args_add_array(&list, SPC_OUT(to_b->values), to_b->values_at);
    spc_args_add_array(&list, SPC_OUT(sums), is_half ? 0 : to_b->values_at);
    return spc_spgemm_launch(ctx, a, "spgemm_gradients", spc_range_groups(ctx, count), &list);
}

sparcl_status sparcl_spgemm_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                     const sparcl_dense *gb, const sparcl_dense *g,
                                     const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b,
                                     sparcl_pattern *pattern) {
    SPC_TRY(spc_spgemm_check(ctx, gradient_name, c, a, b));
    SPC_TRY(check_vector(ctx, "G", g, c));
    SPC_TRY(spc_need_csr(ctx, gradient_name, "C", c, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE));
    spc_spans operands = spc_spgemm_operands(a, b), results = {.count = 0};
    operands.at[operands.count++] = spc_dense_span("G", g);
    if (ga) {
        SPC_TRY(check_vector(ctx, "ga", ga, a));
        results.at[results.count++] = spc_dense_span("ga", ga);
    }
    if (gb) {
        SPC_TRY(check_vector(ctx, "gb", gb, b));
        results.at[results.count++] = spc_dense_span("gb", gb);
    }
    SPC_TRY(spc_check_spans(ctx, gradient_name, &results, &operands));
    if (pattern) SPC_TRY(spc_pattern_check(ctx, gradient_name, pattern, a));
    if (is_by_rows(ctx, c, a, b)) {
        const int mark = spc_scratch_mark(ctx);
        const sparcl_status status = gradients_by_rows(ctx, ga, gb, g, c, a, b);
        spc_scratch_release(ctx, mark);
        return status;
    }
    if (ga) SPC_TRY(gradient_by_a(ctx, ga, g, c, a, b));
    return gb ? gradient_by_b(ctx, gb, g, c, a, b, pattern) : SPARCL_OK;
}
