/* csr_parts.c: rows, offsets and entries of CSR matrices, for conversions. */
#include "ops/shared/csr_parts.h"

#include "ops/products/pattern.h"

/* Minimum rows and entries per CPU worker. */
#define CPU_GRAIN 8192

static spc_range range_over(const sparcl_ctx *ctx, int64_t n) {
    return spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, n)
                               : spc_range_groups(ctx, spc_workers(ctx, n, CPU_GRAIN));
}

sparcl_status spc_csr_push(sparcl_ctx *ctx, sparcl_csr *a) {
    SPC_TRY(spc_scratch_push(ctx, &a->offsets, a->rows + 1, sparcl_itype_size(a->offset_type)));
    SPC_TRY(spc_scratch_push(ctx, &a->indices, a->nnz, sparcl_itype_size(a->index_type)));
    return spc_scratch_push(ctx, &a->values, a->nnz, sparcl_dtype_size(a->dtype));
}

sparcl_status spc_write_offsets(sparcl_ctx *ctx, sparcl_buf *offsets, int64_t offsets_at,
                                sparcl_itype type, const spc_sorted_ids *ids, int64_t count,
                                spc_items items) {
    return SPC_LAUNCH(ctx, "scan+entries+convert", spc_options(SPARCL_F32, type, ids->type),
                      "convert_offsets", range_over(ctx, count + items.capacity), SPC_OUT(offsets),
                      SPC_I64(offsets_at), SPC_IN(ids->buf), SPC_I64(ids->at), SPC_I64(count),
                      SPC_I64(items.capacity), SPC_IN(items.count), SPC_I64(items.count_at));
}

sparcl_status spc_spread_offsets(sparcl_ctx *ctx, sparcl_buf *offsets, const sparcl_pattern *p) {
    return SPC_LAUNCH(ctx, "scan+entries+convert",
                      spc_options(SPARCL_F32, p->offset_type, p->index_type), "convert_spread",
                      range_over(ctx, p->cols), SPC_OUT(offsets), SPC_IN(p->starts),
                      SPC_IN(p->columns), SPC_IN(p->found), SPC_I64(p->cols));
}

sparcl_status spc_write_ends(sparcl_ctx *ctx, sparcl_buf *ends, int64_t width, spc_items items) {
    return SPC_LAUNCH(ctx, "scan+entries+convert", 0, "convert_ends", spc_range_groups(ctx, 1),
                      SPC_OUT(ends), SPC_I64(width), SPC_I64(items.capacity), SPC_IN(items.count),
                      SPC_I64(items.count_at));
}

sparcl_status spc_csr_write_rows(sparcl_ctx *ctx, sparcl_buf *rows, int64_t rows_at,
                                 sparcl_itype type, const sparcl_csr *a) {
    if (a->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "scan+entries+convert", spc_options(SPARCL_F32, a->offset_type, type),
                      "convert_rows", range_over(ctx, a->nnz), SPC_OUT(rows), SPC_I64(rows_at),
                      SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows),
                      SPC_I64(a->nnz));
}

sparcl_status spc_csr_write_count(sparcl_ctx *ctx, sparcl_buf *count, int64_t count_at,
                                  const sparcl_csr *a) {
    return SPC_LAUNCH(
        ctx, "scan+entries+convert", spc_options(SPARCL_F32, a->offset_type, SPARCL_INDEX32),
        "convert_count", spc_range_groups(ctx, 1), SPC_OUT(count), SPC_I64(count_at),
        SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_I64(a->nnz));
}

sparcl_status spc_csr_move_entries(sparcl_ctx *ctx, const sparcl_csr *a, const spc_entry_order *m) {
    if (a->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, "scan+entries+convert",
                      spc_word_options(a->dtype) | spc_itype_options(a->offset_type, m->row_type),
                      "convert_entries", spc_range_each(ctx, a->nnz), SPC_OUT(m->rows),
                      SPC_I64(m->rows_at), SPC_OUT(m->values), SPC_I64(m->values_at),
                      SPC_IN(m->places), SPC_I32(m->place_type == SPARCL_INDEX64),
                      SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_I64(a->nnz),
                      SPC_IN(a->values), SPC_I64(a->values_at));
}

spc_bucket_source spc_csr_bucket_source(const sparcl_csr *a) {
    return (spc_bucket_source){.n = a->nnz,
                               .type = a->index_type,
                               .a_bits = spc_key_bits(a->cols),
                               .b_bits = spc_key_bits(a->rows),
                               .a = a->indices,
                               .a_at = a->indices_at,
                               .offsets = a->offsets,
                               .offsets_at = a->offsets_at,
                               .rows = a->rows,
                               .columns = a->cols,
                               .ascends = sparcl_csr_flags(a) & SPARCL_SORTED,
                               .offset_type = a->offset_type};
}

spc_sort_job spc_csr_sort_job(const sparcl_csr *a) {
    return (spc_sort_job){.n = a->nnz,
                          .key_type = a->index_type,
                          .bits = spc_key_bits(a->cols),
                          .upper_bits_zero = true,
                          .from_keys = a->indices,
                          .from_keys_at = a->indices_at};
}

sparcl_status spc_csr_pad(sparcl_ctx *ctx, sparcl_buf *to, int64_t to_at, uint32_t type, int64_t x,
                          const sparcl_csr *a) {
    return SPC_LAUNCH(
        ctx, "scan+entries+convert", spc_itype_options(a->offset_type, SPARCL_INDEX32) | type,
        "convert_pad", spc_range_each(ctx, a->nnz), SPC_OUT(to), SPC_I64(to_at), SPC_I64(x),
        SPC_IN(a->offsets), SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_I64(a->nnz));
}
