/* sddmm.c: dot products of rows of two dense matrices, at the entries of a sparse one. */
#include "ops/products/sddmm.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/shared/product_choice.h"
#include "sparcl/ops/products.h"

#define STEM "panel+products+entries+sddmm"

typedef long long ll; /* for %lld */

static int64_t depth(const sparcl_dense *x) {
    return spc_shape_width(x->rank, x->shape);
}

static sparcl_status check_shapes(sparcl_ctx *ctx, const char *op, const spc_sddmm_job *job,
                                  const char *v_name, const char *x_name, const char *y_name) {
    const sparcl_dense *const x = job->x, *const y = job->y, *const v = job->v;
    if (x->rank > 2 || y->rank != x->rank)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has rank %d and %s rank %d, expected 1 or 2 of both", op,
                            x_name, x->rank, y_name, y->rank);
    if (x->shape[0] != job->a->rows || y->shape[0] != job->a->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: A is %lld x %lld, %s has %lld rows and %s %lld, expected one for "
                            "each row and one for each column of A",
                            op, (ll)job->a->rows, (ll)job->a->cols, x_name, (ll)x->shape[0], y_name,
                            (ll)y->shape[0]);
    if (depth(x) != depth(y))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has %lld columns, %s has %lld", op, x_name,
                            (ll)depth(x), y_name, (ll)depth(y));
    if (v->rank != 1 || v->shape[0] != job->a->nnz || spc_dense_ld(v) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has rank %d, %lld elements and ld %lld, expected a packed "
                            "vector of the %lld entries of A",
                            op, v_name, v->rank, (ll)v->shape[0], (ll)spc_dense_ld(v),
                            (ll)job->a->nnz);
    return SPARCL_OK;
}

sparcl_status spc_check_sddmm(sparcl_ctx *ctx, const char *op, const spc_sddmm_job *job,
                              const char *v_name, const char *x_name, const char *y_name) {
    SPC_TRY(spc_check_dense_of(ctx, op, v_name, job->v, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, op, "A", job->a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, op, x_name, job->x, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, op, y_name, job->y, SPC_FLOATS));
    SPC_TRY(check_shapes(ctx, op, job, v_name, x_name, y_name));
    SPC_TRY(spc_check_same_dtype(ctx, op, x_name, job->x->dtype, y_name, job->y->dtype));
    SPC_TRY(spc_check_same_dtype(ctx, op, v_name, job->v->dtype, x_name, job->x->dtype));
    const spc_span result = spc_dense_span(v_name, job->v);
    /* The values of A are not read. */
    const spc_span operands[] = {spc_array_span("offsets", "A", job->a->offsets, job->a->offsets_at,
                                                job->a->rows + 1,
                                                sparcl_itype_size(job->a->offset_type)),
                                 spc_array_span("indices", "A", job->a->indices, job->a->indices_at,
                                                job->a->nnz, sparcl_itype_size(job->a->index_type)),
                                 spc_dense_span(x_name, job->x), spc_dense_span(y_name, job->y)};
    SPC_TRY(spc_check_alias(ctx, op, &result, operands, SPC_COUNT(operands)));
    return spc_need_csr(ctx, op, "A", job->a, SPARCL_VALID);
}

/* Work of an entry: the vectors of its dot product, and on devices with short loops the search of
 * its row. */
static int64_t work_of_entry(const sparcl_ctx *ctx, int64_t d) {
    return spc_ceil_div(d, 8) + (spc_has_short_loops(ctx) ? 64 : 2);
}

/* Minimum work of a worker. */
#define GRAIN 4096

static spc_range range_of(const sparcl_ctx *ctx, const spc_sddmm_job *job) {
    const int64_t n = job->a->nnz, d = depth(job->x);
    if (spc_ctx_is_gpu(ctx)) return spc_range_each(ctx, n);
    return spc_range_groups(ctx, spc_workers(ctx, n * work_of_entry(ctx, d), GRAIN));
}

/* Whole rows of Y are prefetched: of wide ones fewer, as they must stay in a core's first cache. */
enum { PREFETCHED_BYTES = 8 << 10 };

static int32_t distance_for(sparcl_ctx *ctx, const spc_sddmm_job *job, int64_t d) {
    const sparcl_dtype dtype = job->v->dtype;
    const int64_t row = spc_max_i64(1, d * (int64_t)sparcl_dtype_size(dtype));
    const int32_t distance = spc_prefetch_distance(ctx, job->y->shape[0], d, dtype);
    return (int32_t)spc_min_i64(distance, spc_max_i64(1, PREFETCHED_BYTES / row));
}

static void add_matrix(spc_args *list, const sparcl_dense *x) {
    spc_args_add_array(list, SPC_IN(x->values), x->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(x)));
}

sparcl_status spc_sddmm(sparcl_ctx *ctx, const char *op, const spc_sddmm_job *job) {
    const sparcl_csr *const a = job->a;
    const sparcl_dtype dtype = job->v->dtype;
    const int64_t d = depth(job->x);
    spc_args list = {.count = 0};
    if (a->nnz == 0) return SPARCL_OK;
    SPC_TRY(spc_check_iterations(ctx, op, d + 64));
    spc_args_add_array(&list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add_array(&list, SPC_IN(a->indices), a->indices_at);
    spc_args_add(&list, SPC_I64(a->rows));
    spc_args_add(&list, SPC_I64(a->nnz));
    add_matrix(&list, job->x);
    add_matrix(&list, job->y);
    spc_args_add(&list, SPC_I64(d));
    spc_args_add(&list, SPC_REAL(dtype, job->alpha));
    spc_args_add(&list, SPC_REAL(dtype, job->beta));
    spc_args_add_array(&list, SPC_OUT(job->v->values), job->v->values_at);
    if (!spc_ctx_is_gpu(ctx)) spc_args_add(&list, SPC_I32(distance_for(ctx, job, d)));
    if (job->chosen) {
        add_matrix(&list, job->chosen);
        spc_args_add(&list, SPC_I32(job->chosen->dtype == SPARCL_INT64));
    }
    const uint32_t options =
        spc_options(dtype, a->offset_type, a->index_type) | (job->chosen ? SPC_VARIANT : 0u);
    return spc_launch(ctx, STEM, options, "sddmm", range_of(ctx, job), list.at, list.count);
}

sparcl_status sparcl_sddmm(sparcl_ctx *ctx, const sparcl_dense *v, double alpha,
                           const sparcl_csr *a, const sparcl_dense *x, const sparcl_dense *y,
                           double beta) {
    const spc_sddmm_job job = {v, a, x, y, NULL, alpha, beta};
    SPC_TRY(spc_check_sddmm(ctx, "sddmm", &job, "v", "x", "y"));
    return spc_sddmm(ctx, "sddmm", &job);
}
