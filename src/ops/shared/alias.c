/* alias.c: the byte ranges that an operation reads and writes, and a check for overlaps. */
#include "ops/shared/check.h"

spc_span spc_array_span(const char *array, const char *name, const sparcl_buf *buf, int64_t at,
                        int64_t count, size_t size) {
    return (spc_span){array, name, buf, at * (int64_t)size, count * (int64_t)size};
}

spc_span spc_dense_span(const char *name, const sparcl_dense *view) {
    return spc_array_span(NULL, name, view->values, view->values_at, spc_dense_count(view),
                          sparcl_dtype_size(view->dtype));
}

spc_span spc_list_span(const char *name, const sparcl_list *view) {
    return spc_array_span(NULL, name, view->indices, view->indices_at, view->count,
                          sparcl_itype_size(view->index_type));
}

static void add(spc_spans *spans, const char *array, const char *name, const sparcl_buf *buf,
                int64_t at, int64_t count, size_t size) {
    spans->at[spans->count++] = spc_array_span(array, name, buf, at, count, size);
}

spc_spans spc_coo_spans(const char *name, const sparcl_coo *view) {
    spc_spans spans = {0};
    for (int d = 0; d < view->rank; ++d)
        add(&spans, "indices", name, view->indices[d], view->indices_at[d], view->nnz,
            sparcl_itype_size(view->index_type));
    add(&spans, "values", name, view->values, view->values_at, view->nnz,
        sparcl_dtype_size(view->dtype));
    if (view->count) add(&spans, "count", name, view->count, view->count_at, 1, sizeof(int64_t));
    return spans;
}

spc_spans spc_csr_spans(const char *name, const sparcl_csr *view) {
    spc_spans spans = {0};
    add(&spans, "offsets", name, view->offsets, view->offsets_at, view->rows + 1,
        sparcl_itype_size(view->offset_type));
    add(&spans, "indices", name, view->indices, view->indices_at, view->nnz,
        sparcl_itype_size(view->index_type));
    add(&spans, "values", name, view->values, view->values_at, view->nnz,
        sparcl_dtype_size(view->dtype));
    return spans;
}

spc_spans spc_csc_spans(const char *name, const sparcl_csc *view) {
    const sparcl_csr transposed = spc_csc_transposed(view);
    return spc_csr_spans(name, &transposed);
}

spc_spans spc_rows_spans(const char *name, const sparcl_rows *view) {
    spc_spans spans = {0};
    const int64_t width = spc_shape_width(view->rank, view->shape);
    add(&spans, "indices", name, view->indices, view->indices_at, view->nnr,
        sparcl_itype_size(view->index_type));
    add(&spans, "values", name, view->values, view->values_at, view->nnr * width,
        sparcl_dtype_size(view->dtype));
    if (view->count) add(&spans, "count", name, view->count, view->count_at, 1, sizeof(int64_t));
    return spans;
}

spc_spans spc_bsr_spans(const char *name, const sparcl_bsr *view) {
    const sparcl_csr pattern = spc_bsr_pattern(view);
    spc_spans spans = spc_csr_spans(name, &pattern);
    spans.at[2] = spc_array_span("values", name, view->values, view->values_at, spc_bsr_count(view),
                                 sparcl_dtype_size(view->dtype));
    return spans;
}

static sparcl_status fail_overlap(sparcl_ctx *ctx, const char *op, const spc_span *a,
                                  const spc_span *b) {
    return spc_ctx_fail(ctx, SPARCL_E_ALIAS, "%s: %s%s%s%s overlaps %s%s%s%s", op,
                        a->array ? "the " : "", a->array ? a->array : "", a->array ? " of " : "",
                        a->name, b->array ? "the " : "", b->array ? b->array : "",
                        b->array ? " of " : "", b->name);
}

sparcl_status spc_check_alias(sparcl_ctx *ctx, const char *op, const spc_span *result,
                              const spc_span *operands, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (spc_buf_overlaps(result->buf, result->at, result->bytes, operands[i].buf,
                             operands[i].at, operands[i].bytes))
            return fail_overlap(ctx, op, result, &operands[i]);
    return SPARCL_OK;
}

/* For views of one shape and type. */
static bool is_same(const sparcl_dense *a, const sparcl_dense *b) {
    return a->values == b->values && a->values_at == b->values_at &&
           spc_dense_ld(a) == spc_dense_ld(b);
}

sparcl_status spc_check_in_place(sparcl_ctx *ctx, const char *op, const char *result_name,
                                 const sparcl_dense *result, const char *operand_name,
                                 const sparcl_dense *operand) {
    const spc_span to = spc_dense_span(result_name, result);
    const spc_span from = spc_dense_span(operand_name, operand);
    return is_same(result, operand) ? SPARCL_OK : spc_check_alias(ctx, op, &to, &from, 1);
}

sparcl_status spc_check_spans(sparcl_ctx *ctx, const char *op, const spc_spans *results,
                              const spc_spans *operands) {
    for (size_t i = 0; i < results->count; ++i) {
        SPC_TRY(spc_check_alias(ctx, op, &results->at[i], operands->at, operands->count));
        SPC_TRY(spc_check_alias(ctx, op, &results->at[i], results->at, i));
    }
    return SPARCL_OK;
}
