/* pattern.c: the sorted transpose of a sparsity pattern. */
#include "ops/products/pattern.h"

#include "base/memory.h"
#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/order.h"
#include "prim/segment.h"
#include "prim/sort.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/products.h"

sparcl_status sparcl_pattern_create(sparcl_ctx *ctx, sparcl_pattern **pattern) {
    if (!ctx || !pattern) return spc_ctx_fail(ctx, SPARCL_E_ARG, "pattern: pattern is NULL");
    *pattern = spc_alloc_zero(spc_ctx_allocator(ctx), 1, sizeof **pattern);
    if (!*pattern) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "pattern: no host memory");
    (*pattern)->ctx = ctx;
    (*pattern)->rows = -1; /* of no matrix yet */
    return SPARCL_OK;
}

void sparcl_pattern_free(sparcl_pattern *pattern) {
    if (!pattern) return;
    sparcl_buf_free(pattern->starts);
    sparcl_buf_free(pattern->row_of);
    sparcl_buf_free(pattern->perm);
    sparcl_buf_free(pattern->columns);
    sparcl_buf_free(pattern->found);
    sparcl_buf_free(pattern->values);
    spc_free(spc_ctx_allocator(pattern->ctx), pattern, sizeof *pattern);
}

int64_t spc_pattern_capacity(const sparcl_pattern *pattern) {
    return spc_min_i64(pattern->nnz, pattern->cols);
}

sparcl_status spc_pattern_check(sparcl_ctx *ctx, const char *op, const sparcl_pattern *pattern,
                                const sparcl_csr *a) {
    if (pattern->ctx == ctx && pattern->rows == a->rows && pattern->cols == a->cols &&
        pattern->nnz == a->nnz && pattern->stamp == spc_csr_stamp(a))
        return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG,
                        "%s: the pattern is not that of A as it is now; call sparcl_pattern_build",
                        op);
}

void spc_pattern_keep(sparcl_pattern *pattern, const sparcl_csr *a, bool with_values) {
    pattern->stamp = spc_csr_stamp(a);
    if (with_values && pattern->values_stamp) pattern->values_stamp = spc_csr_values_stamp(a);
}

sparcl_rows sparcl_pattern_columns(const sparcl_pattern *p) {
    sparcl_rows view = {.rank = 2,
                        .index_type = p->index_type,
                        .shape = {p->cols, 0},
                        .nnr = spc_pattern_capacity(p),
                        .indices = p->columns,
                        .count = p->found};
    if (p->stamp) spc_prove_rows(&view, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return view;
}

sparcl_status spc_grow_array(sparcl_ctx *ctx, sparcl_buf **buf, int64_t count, size_t size) {
    const int64_t bytes = count * (int64_t)size;
    if (*buf && sparcl_buf_bytes(*buf) >= bytes) return SPARCL_OK;
    sparcl_buf *larger = NULL;
    SPC_TRY(sparcl_buf_create(ctx, &larger, bytes));
    sparcl_buf_free(*buf);
    *buf = larger;
    return SPARCL_OK;
}

/* Memory for the pattern of `nnz` entries. */
static sparcl_status reserve(sparcl_ctx *ctx, sparcl_pattern *p, int64_t nnz) {
    const size_t index = sparcl_itype_size(p->index_type);
    const size_t offset = sparcl_itype_size(p->offset_type);
    const int64_t columns = spc_min_i64(nnz, p->cols);
    SPC_TRY(spc_grow_array(ctx, &p->starts, columns + 1, offset));
    SPC_TRY(spc_grow_array(ctx, &p->row_of, nnz, index));
    SPC_TRY(spc_grow_array(ctx, &p->perm, nnz, offset));
    SPC_TRY(spc_grow_array(ctx, &p->columns, columns, index));
    return spc_grow_array(ctx, &p->found, 1, sizeof(int64_t));
}

/* The number of entries on the device: with many lanes the last offset is read where it is. */
typedef struct entry_count {
    const sparcl_buf *buf;
    int64_t at;
    bool is_narrow;
} entry_count;

static sparcl_status find_count(sparcl_ctx *ctx, const sparcl_csr *a, entry_count *count) {
    sparcl_buf *own = NULL;
    *count = (entry_count){a->offsets, a->offsets_at + a->rows, a->offset_type == SPARCL_INDEX32};
    if (spc_ctx_is_gpu(ctx) || !count->is_narrow) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &own, 1, 8));
    *count = (entry_count){.buf = own};
    return spc_csr_write_count(ctx, own, 0, a);
}

static sparcl_status sort_entries(sparcl_ctx *ctx, const sparcl_pattern *p, const sparcl_csr *a,
                                  const entry_count *count, sparcl_buf *sorted) {
    spc_sort_job sort = spc_csr_sort_job(a);
    sort.count = count->buf;
    sort.count_at = count->at;
    sort.narrow_count = count->is_narrow;
    sort.keys = sorted;
    sort.payload_type = p->offset_type;
    sort.payload = p->perm;
    return spc_sort(ctx, &sort);
}

/* Runs of equal columns; their keys are narrowed or widened to the pattern's index type. */
static sparcl_status find_columns(sparcl_ctx *ctx, const sparcl_pattern *p, const sparcl_csr *a,
                                  const entry_count *count, const sparcl_buf *sorted) {
    const bool same = a->index_type == p->index_type;
    sparcl_buf *columns = p->columns;
    if (!same)
        SPC_TRY(spc_scratch_push(ctx, &columns, spc_pattern_capacity(p),
                                 sparcl_itype_size(a->index_type)));
    const spc_segment_job segment = {.n = a->nnz,
                                     .count = count->buf,
                                     .count_at = count->at,
                                     .narrow_count = count->is_narrow,
                                     .key_type = a->index_type,
                                     .keys = sorted,
                                     .start_type = p->offset_type,
                                     .starts = p->starts,
                                     .unique = columns,
                                     .found = p->found};
    SPC_TRY(spc_segments(ctx, &segment));
    if (same) return SPARCL_OK;
    const spc_move narrow = {.to = p->columns,
                             .to_size = sparcl_itype_size(p->index_type),
                             .from = columns,
                             .from_size = sparcl_itype_size(a->index_type)};
    return spc_move_array(ctx, &narrow, (spc_items){spc_pattern_capacity(p), p->found, 0});
}

static spc_bucket_columns columns_of(const sparcl_pattern *p) {
    return (spc_bucket_columns){.index_type = p->index_type,
                                .offset_type = p->offset_type,
                                .rows = p->row_of,
                                .payload = p->perm,
                                .offsets = p->starts,
                                .present = p->columns,
                                .found = p->found};
}

/* Where the entries are read in order, values of f32 are moved along: a product often follows. */
static sparcl_status build_by_buckets(sparcl_ctx *ctx, sparcl_pattern *p, const sparcl_csr *a,
                                      const spc_bucket_source *source) {
    spc_bucket_columns result = columns_of(p);
    const bool with_values = a->dtype == SPARCL_F32 && spc_bucket_is_direct(ctx, source, &result);
    if (with_values) {
        SPC_TRY(spc_grow_array(ctx, &p->values, a->nnz, sizeof(float)));
        result.from_values = a->values;
        result.from_values_at = a->values_at;
        result.values = p->values;
    }
    SPC_TRY(spc_bucket_by_columns(ctx, source, &result));
    if (with_values) p->values_stamp = spc_csr_values_stamp(a);
    return SPARCL_OK;
}

/* Set sizes and types for A; the pattern is invalid until it is built. */
static void describe(sparcl_pattern *p, const sparcl_csr *a) {
    p->rows = a->rows;
    p->cols = a->cols;
    p->nnz = a->nnz;
    p->stamp = p->values_stamp = 0;
    p->index_type = spc_position_type(spc_max_i64(a->rows, a->cols));
    p->offset_type = spc_position_type(a->nnz);
}

/* The values of A as words of 32 bits: its own, or as F32 in scratch memory. */
static sparcl_status as_words(sparcl_ctx *ctx, const sparcl_csr *a, sparcl_dense *words) {
    const sparcl_dense values = {.rank = 1,
                                 .dtype = a->dtype,
                                 .shape = {a->nnz},
                                 .values = a->values,
                                 .values_at = a->values_at};
    *words = values;
    if (a->dtype == SPARCL_F32) return SPARCL_OK;
    words->dtype = SPARCL_F32;
    words->values_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &words->values, a->nnz, sizeof(float)));
    return sparcl_copy(ctx, words, &values);
}

/* The values of a pattern, which are F32, as halves again. */
static sparcl_status as_halves(sparcl_ctx *ctx, sparcl_pattern *p, sparcl_dtype dtype) {
    const sparcl_dense words = {.rank = 1, .shape = {p->nnz}, .values = p->values};
    sparcl_dense halves = {.rank = 1, .dtype = dtype, .shape = {p->nnz}};
    SPC_TRY(spc_scratch_push(ctx, &halves.values, p->nnz, sparcl_dtype_size(dtype)));
    p->values = halves.values;
    return sparcl_copy(ctx, &halves, &words);
}

sparcl_status spc_pattern_for_call(sparcl_ctx *ctx, sparcl_pattern *p, const sparcl_csr *a,
                                   sparcl_buf *columns, sparcl_buf *found, bool *done) {
    spc_bucket_source source = spc_csr_bucket_source(a);
    sparcl_dense words;
    *p = (sparcl_pattern){.ctx = ctx};
    describe(p, a);
    *done = a->dtype != SPARCL_F64 && spc_bucket_applies(ctx, &source);
    if (!*done) return SPARCL_OK;
    const size_t index = sparcl_itype_size(p->index_type);
    const int64_t capacity = spc_pattern_capacity(p);
    p->columns = columns;
    p->found = found;
    SPC_TRY(as_words(ctx, a, &words));
    source.payload = words.values;
    source.payload_at = words.values_at;
    SPC_TRY(spc_scratch_push(ctx, &p->starts, capacity + 1, sparcl_itype_size(p->offset_type)));
    SPC_TRY(spc_scratch_push(ctx, &p->row_of, a->nnz, index));
    SPC_TRY(spc_scratch_push(ctx, &p->values, a->nnz, sizeof(float)));
    if (!columns) SPC_TRY(spc_scratch_push(ctx, &p->columns, capacity, index));
    if (!found) SPC_TRY(spc_scratch_push(ctx, &p->found, 1, sizeof(int64_t)));
    spc_bucket_columns result = columns_of(p);
    result.payload = p->values;
    SPC_TRY(spc_bucket_by_columns(ctx, &source, &result));
    return a->dtype == SPARCL_F32 ? SPARCL_OK : as_halves(ctx, p, a->dtype);
}

static sparcl_status build(sparcl_ctx *ctx, sparcl_pattern *p, const sparcl_csr *a) {
    sparcl_buf *sorted = NULL;
    entry_count count;
    SPC_TRY(spc_grow_array(ctx, &p->values, a->nnz, sparcl_dtype_size(a->dtype)));
    SPC_TRY(spc_scratch_push(ctx, &sorted, a->nnz, sparcl_itype_size(a->index_type)));
    SPC_TRY(find_count(ctx, a, &count));
    SPC_TRY(sort_entries(ctx, p, a, &count, sorted));
    const spc_entry_order moved = {.places = p->perm,
                                   .place_type = p->offset_type,
                                   .rows = p->row_of,
                                   .row_type = p->index_type,
                                   .values = p->values};
    SPC_TRY(spc_csr_move_entries(ctx, a, &moved));
    p->values_stamp = spc_csr_values_stamp(a);
    return find_columns(ctx, p, a, &count, sorted);
}

sparcl_status sparcl_pattern_build(sparcl_ctx *ctx, sparcl_pattern *pattern, const sparcl_csr *a) {
    if (!pattern) return spc_ctx_fail(ctx, SPARCL_E_ARG, "pattern: pattern is NULL");
    SPC_TRY(spc_check_csr_of(ctx, "pattern", "A", a, SPC_FLOATS));
    SPC_TRY(spc_need_csr(ctx, "pattern", "A", a, SPARCL_VALID));
    describe(pattern, a);
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = reserve(ctx, pattern, a->nnz);
    const spc_bucket_source source = spc_csr_bucket_source(a);
    if (status == SPARCL_OK)
        status = spc_bucket_applies(ctx, &source) ? build_by_buckets(ctx, pattern, a, &source)
                                                  : build(ctx, pattern, a);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK)
        pattern->stamp = spc_csr_stamp(a);
    else
        pattern->cols = pattern->nnz = 0; /* so that it has no columns */
    return status;
}

sparcl_status spc_pattern_reserve(sparcl_ctx *ctx, sparcl_pattern *p, const sparcl_csr *a,
                                  int64_t nnz) {
    describe(p, a);
    sparcl_status status = reserve(ctx, p, nnz);
    if (status == SPARCL_OK)
        status = spc_grow_array(ctx, &p->values, nnz, sparcl_dtype_size(a->dtype));
    if (status != SPARCL_OK) p->cols = p->nnz = 0;
    return status;
}

sparcl_status spc_pattern_values(sparcl_ctx *ctx, sparcl_pattern *p, const sparcl_csr *a) {
    const uint64_t stamp = spc_csr_values_stamp(a);
    const size_t size = sparcl_dtype_size(a->dtype);
    if (p->values_stamp == stamp) return SPARCL_OK;
    p->values_stamp = 0; /* invalid until they are moved */
    SPC_TRY(spc_grow_array(ctx, &p->values, p->nnz, size));
    const spc_entry_order moved = {.places = p->perm,
                                   .place_type = p->offset_type,
                                   .row_type = p->index_type,
                                   .values = p->values};
    SPC_TRY(spc_csr_move_entries(ctx, a, &moved));
    p->values_stamp = stamp;
    return SPARCL_OK;
}
