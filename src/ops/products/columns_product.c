/* columns_product.c: launches of cl/columns_product.cl. */
#include "ops/products/columns_product.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/shared/csr_parts.h"
#include "prim/bucket.h"
#include "tune/tuned.h"

const sparcl_tunable spc_tunable_spmm_t_direct = {
    .name = "spmm_t.direct",
    .description =
        "maximum columns of a small row-sparse product without a pattern that a single launch "
        "computes, with a counter for each column of A; 0: never",
    .kernels = SPARCL_CLASS_CPU,
    SPC_CLASSES(spc_no_classes),
    .minimum = 0,
    .maximum = 64,
    .candidates = {0, 1, 8, 16, 32, 64},
    .candidate_count = 6,
    .defaults = {{32}}};

static int64_t width(const sparcl_rows *r) {
    return spc_shape_width(r->rank, r->shape);
}

bool spc_columns_product_applies(const sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_csr *a) {
    const spc_bucket_source source = spc_csr_bucket_source(a);
    const spc_bucket_columns columns = {.index_type = r->index_type, .offset_type = a->offset_type};
    return spc_bucket_applies(ctx, &source) && spc_bucket_is_direct(ctx, &source, &columns) &&
           a->cols <= a->nnz && width(r) > 0 &&
           width(r) <= spc_tuned(ctx, SPC_TUNE_SPMM_T_DIRECT, 0);
}

/* A product; or a row and a value, aligned. */
static size_t item_size(int64_t n, const sparcl_csr *a) {
    const size_t real = spc_real_size(a->dtype), index = sparcl_itype_size(a->index_type);
    return n == 1 ? real : 2 * (real > index ? real : index);
}

sparcl_status spc_columns_product(sparcl_ctx *ctx, const sparcl_rows *r, double alpha,
                                  const sparcl_csr *a, const sparcl_dense *b) {
    const spc_bucket_source source = spc_csr_bucket_source(a);
    const int64_t n = width(r), groups = spc_bucket_direct_groups(ctx, &source);
    const size_t offset = sparcl_itype_size(a->offset_type);
    sparcl_buf *splits = NULL, *ends = NULL, *seen = NULL, *items = NULL;
    spc_args list = {.count = 0};
    SPC_TRY(spc_scratch_push(ctx, &splits, groups > 1 ? groups * a->rows : 1, offset));
    SPC_TRY(spc_scratch_push(ctx, &ends, a->cols + 1, offset));
    SPC_TRY(spc_scratch_push(ctx, &seen, groups > 1 ? a->cols : 1, 1));
    SPC_TRY(spc_scratch_push(ctx, &items, a->nnz, item_size(n, a)));
    spc_args_add_array(&list, SPC_IN(a->indices), a->indices_at);
    spc_args_add_array(&list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add(&list, SPC_I64(a->rows));
    spc_args_add(&list, SPC_I64(a->nnz));
    spc_args_add(&list, SPC_I64(a->cols));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_I64(spc_dense_ld(b)));
    spc_args_add_array(&list, SPC_OUT(r->indices), r->indices_at);
    spc_args_add_array(&list, SPC_OUT(r->values), r->values_at);
    spc_args_add_array(&list, SPC_OUT(r->count), r->count_at);
    spc_args_add(&list, SPC_REAL(a->dtype, alpha));
    spc_args_add(&list, SPC_OUT(splits));
    spc_args_add(&list, SPC_OUT(ends));
    spc_args_add(&list, SPC_OUT(seen));
    spc_args_add(&list, SPC_OUT(items));
    if (n > 1) spc_args_add(&list, SPC_I64(n));
    return spc_launch(ctx, "panel+products+scan+columns+columns_product",
                      spc_options(a->dtype, a->offset_type, a->index_type),
                      n == 1 ? "columns_sum" : "columns_multiply", spc_range_groups(ctx, groups),
                      list.at, list.count);
}
