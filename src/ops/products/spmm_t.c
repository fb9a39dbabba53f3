/* spmm_t.c: products with the transpose of a sparse matrix: dense and row-sparse results. */
#include "base/size.h"
#include "launch/launch.h"
#include "ops/products/columns_product.h"
#include "ops/products/pattern.h"
#include "ops/products/row_major.h"
#include "ops/products/scatter_product.h"
#include "ops/shared/order.h"
#include "ops/shared/product.h"
#include "ops/shared/product_choice.h"
#include "ops/shared/rows.h"
#include "prim/sort.h"
#include "tune/tuned.h"

/* The pattern of one call: given or built. */
typedef struct prepared {
    sparcl_pattern *pattern;
    sparcl_pattern *made;   /* built for this call: owned */
    sparcl_pattern scratch; /* or in scratch memory */
} prepared;

/* The given pattern, checked, or one built for this call; `columns` and `found` as in
 * spc_pattern_for_call. The caller releases scratch memory and frees p->made. */
static sparcl_status prepare(sparcl_ctx *ctx, const char *op, sparcl_pattern *given,
                             const sparcl_csr *a, sparcl_buf *columns, sparcl_buf *found,
                             prepared *p) {
    bool done = false;
    *p = (prepared){.pattern = given};
    if (given) {
        SPC_TRY(spc_pattern_check(ctx, op, given, a));
        return spc_pattern_values(ctx, given, a);
    }
    p->pattern = &p->scratch;
    SPC_TRY(spc_pattern_for_call(ctx, &p->scratch, a, columns, found, &done));
    if (done) return SPARCL_OK;
    SPC_TRY(sparcl_pattern_create(ctx, &p->made));
    p->pattern = p->made;
    SPC_TRY(sparcl_pattern_build(ctx, p->made, a));
    return spc_pattern_values(ctx, p->made, a);
}

static sparcl_status fill_empty_rows(sparcl_ctx *ctx, const spc_multiply_job *job) {
    const sparcl_pattern *p = job->pattern;
    const int64_t rows = job->all_rows;
    const sparcl_dtype dtype = job->a->dtype;
    return SPC_LAUNCH(ctx, "panel+scan+spmm_t", spc_options(dtype, SPARCL_INDEX32, p->index_type),
                      "fill_empty_rows",
                      spc_ctx_is_gpu(ctx) ? spc_range_rows(ctx, rows, job->n)
                                          : spc_range_each(ctx, rows * job->n),
                      SPC_IN(p->columns), SPC_IN(p->found), SPC_OUT(job->to), SPC_I64(job->to_at),
                      SPC_I64(job->to_ld), SPC_I64(rows), SPC_I64(job->n),
                      SPC_REAL(dtype, spc_times_zero(dtype, job->alpha)),
                      SPC_REAL(dtype, job->beta),
                      SPC_I32(spc_result_streams(ctx, rows, job->n, dtype)));
}

/* Rows without entries may be adjacent, so one partition may have to fill most of them: a large
 * result is filled by a separate launch, in equal chunks. */
const sparcl_tunable spc_tunable_spmm_t_fill = {
    .name = "spmm_t.fill",
    .description =
        "fill rows without entries in the launch of the transposed product itself: 0 no, 1 yes",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_size_classes),
    .minimum = 0,
    .maximum = 1,
    .candidates = {1, 0},
    .candidate_count = 2,
    .defaults = {{1, 1, 0}}};

static bool fills_in_product(const sparcl_ctx *ctx, const sparcl_dense *c, double beta) {
    const int64_t n = spc_shape_width(c->rank, c->shape);
    /* A partition may have any number of rows to fill: too many where loops are short. */
    if (beta != 0 || spc_ctx_is_gpu(ctx) || spc_has_short_loops(ctx)) return false;
    return spc_tuned(ctx, SPC_TUNE_SPMM_T_FILL,
                     spc_size_class(c->shape[0], n, sparcl_dtype_size(c->dtype)));
}

/* The product of row-major matrices. */
static sparcl_status multiply(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                              const void *arguments) {
    spc_multiply_job job = *(const spc_multiply_job *)arguments;
    job.fill_empty = fills_in_product(ctx, c, job.beta);
    job.b = b;
    job.to = c->values;
    job.to_at = c->values_at;
    job.to_ld = spc_dense_ld(c);
    job.n = spc_shape_width(c->rank, c->shape);
    if (!job.fill_empty) SPC_TRY(fill_empty_rows(ctx, &job));
    return spc_multiply(ctx, &job);
}

/* A product with a pattern: the given one, or one built for this call. */
static sparcl_status multiply_pattern(sparcl_ctx *ctx, const sparcl_dense *c, double alpha,
                                      const sparcl_csr *a, const sparcl_dense *b, double beta,
                                      sparcl_pattern *pattern) {
    prepared x;
    sparcl_status status = prepare(ctx, "spmm_t", pattern, a, NULL, NULL, &x);
    const spc_multiply_job job = {
        .a = a, .pattern = x.pattern, .all_rows = c->shape[0], .alpha = alpha, .beta = beta};
    if (status == SPARCL_OK) status = spc_in_row_major(ctx, c, b, beta != 0, multiply, &job);
    sparcl_pattern_free(x.made);
    return status;
}

sparcl_status sparcl_spmm_t(sparcl_ctx *ctx, const sparcl_dense *c, double alpha,
                            const sparcl_csr *a, const sparcl_dense *b, double beta,
                            sparcl_pattern *pattern) {
    SPC_TRY(spc_check_dense_of(ctx, "spmm_t", "C", c, SPC_FLOATS | SPC_ANY_ORDER));
    SPC_TRY(spc_check_csr_of(ctx, "spmm_t", "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "spmm_t", "B", b, SPC_FLOATS | SPC_ANY_ORDER));
    const int64_t n = spc_shape_width(c->rank, c->shape);
    const spc_product p = {c->rank, c->shape, b, n, a->rows, a->cols, "rows", "columns"};
    const spc_span result = spc_dense_span("C", c);
    SPC_TRY(spc_product_shapes(ctx, "spmm_t", "C", &p));
    SPC_TRY(spc_product_types(ctx, "spmm_t", "C", a->dtype, b->dtype, c->dtype));
    SPC_TRY(spc_product_alias(ctx, "spmm_t", &result, a, b));
    SPC_TRY(spc_need_csr(ctx, "spmm_t", "A", a, SPARCL_VALID));
    if (pattern) SPC_TRY(spc_pattern_check(ctx, "spmm_t", pattern, a));
    if (c->shape[0] == 0 || n == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const spc_scatter_job scatter = {a, alpha, beta};
    const sparcl_status status =
        !pattern && spc_scatter_applies(ctx, a, n)
            ? spc_in_row_major(ctx, c, b, beta != 0, spc_scatter_product, &scatter)
            : multiply_pattern(ctx, c, alpha, a, b, beta, pattern);
    spc_scratch_release(ctx, mark);
    return status;
}

static sparcl_status check_rows_result(sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_csr *a,
                                       const sparcl_dense *b) {
    const int64_t need = spc_min_i64(a->cols, a->nnz), n = spc_shape_width(r->rank, r->shape);
    const spc_product p = {r->rank, r->shape, b, n, a->rows, a->cols, "rows", "columns"};
    if (!r->count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "spmm_t_rows: R has no count, expected one");
    SPC_TRY(spc_product_shapes(ctx, "spmm_t_rows", "R", &p));
    if (r->nnr < need)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "spmm_t_rows: R has capacity for %lld rows, expected at least %lld: A "
                            "may have entries in "
                            "as many columns",
                            (long long)r->nnr, (long long)need);
    SPC_TRY(spc_product_types(ctx, "spmm_t_rows", "R", a->dtype, b->dtype, r->dtype));
    const spc_spans results = spc_rows_spans("R", r);
    spc_spans operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("B", b);
    return spc_check_spans(ctx, "spmm_t_rows", &results, &operands);
}

static sparcl_status copy_ids(sparcl_ctx *ctx, const sparcl_pattern *p, const sparcl_rows *r) {
    if (r->indices == p->columns && r->indices_at == 0 && r->index_type == p->index_type &&
        r->count == p->found && r->count_at == 0)
        return SPARCL_OK; /* R uses the pattern's own arrays */
    const spc_items found = {spc_pattern_capacity(p), p->found, 0};
    const spc_move ids = {.to = r->indices,
                          .to_at = r->indices_at,
                          .to_size = sparcl_itype_size(r->index_type),
                          .from = p->columns,
                          .from_size = sparcl_itype_size(p->index_type)};
    SPC_TRY(spc_write_count(ctx, r->count, r->count_at, found));
    return spc_move_array(ctx, &ids, found);
}

/* R with a pattern; if that is NULL, one is built. */
static sparcl_status multiply_rows(sparcl_ctx *ctx, const sparcl_rows *r, double alpha,
                                   const sparcl_csr *a, const sparcl_dense *b,
                                   sparcl_pattern *pattern) {
    const int64_t n = spc_shape_width(r->rank, r->shape);
    const bool fits = r->indices_at == 0 && r->count_at == 0 &&
                      r->index_type == spc_position_type(spc_max_i64(a->rows, a->cols));
    prepared x;
    sparcl_status status = prepare(ctx, "spmm_t_rows", pattern, a, fits ? r->indices : NULL,
                                   fits ? r->count : NULL, &x);
    const spc_multiply_job job = {.a = a,
                                  .pattern = x.pattern,
                                  .b = b,
                                  .to = r->values,
                                  .to_at = r->values_at,
                                  .to_ld = n,
                                  .n = n,
                                  .alpha = alpha};
    if (status == SPARCL_OK && x.pattern->found != r->count) status = copy_ids(ctx, x.pattern, r);
    if (status == SPARCL_OK && n > 0) status = spc_multiply(ctx, &job);
    sparcl_pattern_free(x.made);
    return status;
}

sparcl_status sparcl_spmm_t_rows(sparcl_ctx *ctx, sparcl_rows *r, double alpha, const sparcl_csr *a,
                                 const sparcl_dense *b, sparcl_pattern *pattern) {
    SPC_TRY(spc_check_rows_of(ctx, "spmm_t_rows", "R", r, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, "spmm_t_rows", "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "spmm_t_rows", "B", b, SPC_FLOATS | SPC_ANY_ORDER));
    SPC_TRY(check_rows_result(ctx, r, a, b));
    SPC_TRY(spc_need_csr(ctx, "spmm_t_rows", "A", a, SPARCL_VALID));
    const int mark = spc_scratch_mark(ctx);
    sparcl_dense own;
    sparcl_status status = spc_to_row_major(ctx, b, &own);
    if (status == SPARCL_OK)
        status = !pattern && spc_columns_product_applies(ctx, r, a)
                     ? spc_columns_product(ctx, r, alpha, a, &own)
                     : multiply_rows(ctx, r, alpha, a, &own, pattern);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(r, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}
