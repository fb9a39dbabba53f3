/* from_dense.c: dense and row-sparse arrays as CSR, COO and row-sparse ones, by a threshold. */
#include "base/size.h"
#include "launch/launch.h"
#include "ops/conversions/threshold.h"
#include "ops/shared/densify.h"
#include "ops/shared/moved.h"
#include "ops/shared/order.h"
#include "ops/shared/pair.h"
#include "prim/scan.h"
#include "sparcl/ops/conversions.h"

#define PROGRAM "scan+entries+elements+from_dense"

/* Elements of a piece of a row, which one work-item looks at. */
#define CPU_PIECE   4096
#define SHORT_PIECE 512
#define GPU_PIECE   32

/* Rows of n elements, of which `keep` stores some; `stored`: how many rows there are, or NULL. */
typedef struct source {
    const sparcl_buf *from;
    int64_t at, ld, m, n;
    const sparcl_buf *stored;
    int64_t stored_at;
    sparcl_dtype dtype;
    spc_keep keep;
    int64_t piece, per_row;
} source;

static void cut(sparcl_ctx *ctx, source *s) {
    s->piece = spc_ctx_is_gpu(ctx) ? GPU_PIECE : spc_has_short_loops(ctx) ? SHORT_PIECE : CPU_PIECE;
    s->per_row = spc_max_i64(1, spc_ceil_div(s->n, s->piece));
}

static source source_of(sparcl_ctx *ctx, const sparcl_dense *x, spc_keep keep) {
    source s = {.from = x->values,
                .at = x->values_at,
                .ld = spc_dense_ld(x),
                .m = x->shape[0],
                .n = spc_shape_width(x->rank, x->shape),
                .dtype = x->dtype,
                .keep = keep};
    if (x->rank == 1 && s.ld == 1) { /* one long row */
        s.n = s.m;
        s.m = 1;
    }
    cut(ctx, &s);
    return s;
}

static void add_source(spc_args *list, const source *s) {
    spc_args_add_array(list, SPC_IN(s->from), s->at);
    spc_args_add(list, SPC_I64(s->ld));
    spc_args_add(list, SPC_I64(s->m));
    spc_args_add(list, SPC_I64(s->n));
    spc_args_add(list, SPC_I64(s->piece));
    spc_args_add(list, SPC_I64(s->per_row));
    spc_args_add(list, SPC_I64(s->keep.mask));
    spc_args_add(list, SPC_I64(s->keep.limit));
    spc_args_add(list, SPC_I32(s->keep.all));
}

static spc_range range_of(const sparcl_ctx *ctx, const source *s) {
    const int64_t pieces = s->m * s->per_row;
    if (spc_ctx_is_gpu(ctx)) return spc_range_each(ctx, pieces);
    return spc_range_groups(ctx, spc_min_i64(spc_max_i64(1, pieces),
                                             spc_workers(ctx, s->m * s->n + pieces, CPU_PIECE)));
}

/* Prefix sums of the int32 numbers counts[0 .. n - 1], in scratch memory. */
static sparcl_status sum_counts(sparcl_ctx *ctx, const sparcl_buf *counts, int64_t n,
                                sparcl_buf **sums) {
    SPC_TRY(spc_scratch_push(ctx, sums, n + 1, sizeof(int64_t)));
    const spc_scan_job job = {.n = n,
                              .from_type = SPARCL_INDEX32,
                              .to_type = SPARCL_INDEX64,
                              .from = counts,
                              .to = *sums};
    return spc_scan(ctx, &job);
}

/* How many elements the pieces before each piece store. */
static sparcl_status count(sparcl_ctx *ctx, const source *s, sparcl_buf **sums) {
    sparcl_buf *counts = NULL;
    spc_args list = {.count = 0};
    SPC_TRY(spc_scratch_push(ctx, &counts, s->m * s->per_row, sizeof(int32_t)));
    add_source(&list, s);
    spc_args_add_array(&list, SPC_IN(s->stored), s->stored_at);
    spc_args_add(&list, SPC_OUT(counts));
    if (s->m > 0)
        SPC_TRY(spc_launch(ctx, PROGRAM, spc_word_options(s->dtype), "keep_count", range_of(ctx, s),
                           list.at, list.count));
    return sum_counts(ctx, counts, s->m * s->per_row, sums);
}

/* Where the entries go; rows may be NULL. */
typedef struct result {
    sparcl_itype index_type;
    sparcl_buf *rows, *cols, *values;
    int64_t rows_at, cols_at, values_at, capacity;
} result;

static sparcl_status write(sparcl_ctx *ctx, const source *s, const sparcl_buf *sums,
                           const result *to) {
    spc_args list = {.count = 0};
    if (s->m == 0 || s->n == 0 || to->capacity == 0) return SPARCL_OK;
    add_source(&list, s);
    spc_args_add(&list, SPC_IN(sums));
    spc_args_add_array(&list, SPC_OUT(to->rows), to->rows_at);
    spc_args_add_array(&list, SPC_OUT(to->cols), to->cols_at);
    spc_args_add_array(&list, SPC_OUT(to->values), to->values_at);
    spc_args_add(&list, SPC_I64(to->capacity));
    return spc_launch(ctx, PROGRAM,
                      spc_word_options(s->dtype) |
                          spc_itype_options(SPARCL_INDEX32, to->index_type),
                      "keep_write", range_of(ctx, s), list.at, list.count);
}

#define NEEDED_ARGS(m) SPC_OUT((m)->needed), SPC_I64((m)->needed_at), SPC_I32((m)->needed != NULL)

/* --- checks ------------------------------------------------------------------------------------
 */

static sparcl_status check_overlap(sparcl_ctx *ctx, const char *op, spc_spans results,
                                   const sparcl_moved **moved, const spc_spans *operands) {
    SPC_TRY(spc_check_needed(ctx, op, moved, &results));
    return spc_check_spans(ctx, op, &results, operands);
}

static spc_spans dense_operand(const sparcl_dense *from) {
    return (spc_spans){.count = 1, .at = {spc_dense_span(SPC_FROM, from)}};
}

static sparcl_status check_has_count(sparcl_ctx *ctx, const char *op, const sparcl_buf *count) {
    if (count) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has no count, expected one", op);
}

/* --- dense to csr ------------------------------------------------------------------------------
 */

/* `ids`: the row-sparse array that the rows are from, or NULL. */
static sparcl_status write_csr(sparcl_ctx *ctx, const sparcl_csr *to, const source *s,
                               const sparcl_rows *ids, const sparcl_moved *moved) {
    const result entries = {.index_type = to->index_type,
                            .cols = to->indices,
                            .cols_at = to->indices_at,
                            .values = to->values,
                            .values_at = to->values_at,
                            .capacity = to->nnz};
    sparcl_buf *sums = NULL;
    SPC_TRY(count(ctx, s, &sums));
    SPC_TRY(SPC_LAUNCH(
        ctx, PROGRAM, spc_itype_options(to->offset_type, ids ? ids->index_type : SPARCL_INDEX32),
        "keep_offsets", spc_range_each(ctx, to->rows + 1), SPC_IN(sums), SPC_I64(s->per_row),
        SPC_IN(ids ? ids->indices : NULL), SPC_I64(ids ? ids->indices_at : 0),
        SPC_I64(ids ? ids->nnr : 0), SPC_IN(ids ? ids->count : NULL),
        SPC_I64(ids ? ids->count_at : 0), SPC_OUT(to->offsets), SPC_I64(to->offsets_at),
        SPC_I64(to->rows), SPC_I64(to->nnz), NEEDED_ARGS(moved)));
    return write(ctx, s, sums, &entries);
}

static const uint32_t in_order = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;

sparcl_status sparcl_dense_to_csr(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_dense *from,
                                  double threshold, const sparcl_moved *moved) {
    static const char op[] = "dense_to_csr";
    spc_keep keep;
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    const int64_t shape[] = {to->rows, to->cols};
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, 2, shape, SPC_FROM, from->rank, from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_keep_of(ctx, op, from->dtype, threshold, &keep));
    const spc_spans operands = dense_operand(from);
    SPC_TRY(check_overlap(ctx, op, spc_csr_spans(SPC_TO, to), &moved, &operands));
    const source s = source_of(ctx, from, keep);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = write_csr(ctx, to, &s, NULL, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(to, in_order);
    return status;
}

/* --- row-sparse to csr -------------------------------------------------------------------------
 */

static sparcl_status rows_to_csr(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_rows *from,
                                 spc_keep keep, const sparcl_moved *moved) {
    sparcl_rows a;
    SPC_TRY(spc_rows_in_order(ctx, from, SPARCL_SORTED | SPARCL_UNIQUE, &a));
    source s = {.from = a.values,
                .at = a.values_at,
                .ld = a.shape[1],
                .m = a.nnr,
                .n = a.shape[1],
                .stored = a.count,
                .stored_at = a.count_at,
                .dtype = a.dtype,
                .keep = keep};
    cut(ctx, &s);
    return write_csr(ctx, to, &s, &a, moved);
}

sparcl_status sparcl_rows_to_csr(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_rows *from,
                                 double threshold, const sparcl_moved *moved) {
    static const char op[] = "rows_to_csr";
    spc_keep keep;
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    const int64_t shape[] = {to->rows, to->cols};
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, 2, shape, SPC_FROM, from->rank, from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_keep_of(ctx, op, from->dtype, threshold, &keep));
    const spc_spans operands = spc_rows_spans(SPC_FROM, from);
    SPC_TRY(check_overlap(ctx, op, spc_csr_spans(SPC_TO, to), &moved, &operands));
    SPC_TRY(spc_need_rows(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_rows_flags(from), "rows"));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = rows_to_csr(ctx, to, from, keep, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(to, in_order);
    return status;
}

/* --- dense to coo ------------------------------------------------------------------------------
 */

static sparcl_status write_total(sparcl_ctx *ctx, const sparcl_buf *sums, int64_t count,
                                 int64_t capacity, sparcl_buf *to, int64_t to_at,
                                 const sparcl_moved *moved) {
    return SPC_LAUNCH(ctx, PROGRAM, 0, "keep_total", spc_range_groups(ctx, 1), SPC_IN(sums),
                      SPC_I64(count), SPC_I64(capacity), SPC_OUT(to), SPC_I64(to_at),
                      NEEDED_ARGS(moved));
}

/* The indices of dimensions 1 and more, from positions in a row. */
static sparcl_status split(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_buf *places) {
    int64_t step = 1;
    for (int d = to->rank - 1; d > 0; step *= to->shape[d--])
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(SPARCL_INDEX32, to->index_type),
                           "keep_split", spc_range_each(ctx, to->nnz), SPC_IN(places),
                           SPC_OUT(to->indices[d]), SPC_I64(to->indices_at[d]), SPC_I64(step),
                           SPC_I64(to->shape[d]), SPC_I64(to->nnz), SPC_IN(to->count),
                           SPC_I64(to->count_at)));
    return SPARCL_OK;
}

static sparcl_status move_indices(sparcl_ctx *ctx, const sparcl_coo *to, int d,
                                  const sparcl_buf *from) {
    const spc_move move = {.to = to->indices[d],
                           .to_at = to->indices_at[d],
                           .to_size = sparcl_itype_size(to->index_type),
                           .from = from,
                           .from_size = sizeof(int64_t),
                           .place_type = SPARCL_INDEX32};
    return spc_move_array(ctx, &move, spc_coo_items(to));
}

static sparcl_status dense_to_coo(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_dense *from,
                                  const source *s, const sparcl_moved *moved) {
    const bool is_row = from->rank == 1 && s->m == 1 && s->n == from->shape[0];
    result entries = {.index_type = to->index_type,
                      .cols = to->indices[to->rank - 1],
                      .cols_at = to->indices_at[to->rank - 1],
                      .values = to->values,
                      .values_at = to->values_at,
                      .capacity = to->nnz};
    sparcl_buf *sums = NULL, *rows = NULL, *cols = NULL;
    SPC_TRY(count(ctx, s, &sums));
    SPC_TRY(write_total(ctx, sums, s->m * s->per_row, to->nnz, to->count, to->count_at, moved));
    if (to->rank == 2) {
        entries.rows = to->indices[0];
        entries.rows_at = to->indices_at[0];
    }
    if (to->rank == 2 || is_row) return write(ctx, s, sums, &entries);
    SPC_TRY(spc_scratch_push(ctx, &rows, to->nnz, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &cols, to->nnz, sizeof(int64_t)));
    entries.index_type = SPARCL_INDEX64;
    entries.rows = rows;
    entries.cols = cols;
    entries.rows_at = entries.cols_at = 0;
    SPC_TRY(write(ctx, s, sums, &entries));
    SPC_TRY(move_indices(ctx, to, 0, rows));
    return to->nnz > 0 ? split(ctx, to, cols) : SPARCL_OK;
}

sparcl_status sparcl_dense_to_coo(sparcl_ctx *ctx, sparcl_coo *to, const sparcl_dense *from,
                                  double threshold, const sparcl_moved *moved) {
    static const char op[] = "dense_to_coo";
    spc_keep keep;
    SPC_TRY(spc_check_coo_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(check_has_count(ctx, op, to->count));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_keep_of(ctx, op, from->dtype, threshold, &keep));
    const spc_spans operands = dense_operand(from);
    SPC_TRY(check_overlap(ctx, op, spc_coo_spans(SPC_TO, to), &moved, &operands));
    const source s = source_of(ctx, from, keep);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = dense_to_coo(ctx, to, from, &s, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_coo(to, in_order);
    return status;
}

/* --- to row-sparse -----------------------------------------------------------------------------
 */

/* `flags` of m rows: the indices of those that are stored, their number, and where each goes. */
static sparcl_status write_ids(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_buf *flags,
                               const sparcl_moved *moved, sparcl_buf **sums) {
    const int64_t m = to->shape[0];
    SPC_TRY(sum_counts(ctx, flags, m, sums));
    SPC_TRY(write_total(ctx, *sums, m, to->nnr, to->count, to->count_at, moved));
    if (m == 0 || to->nnr == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(SPARCL_INDEX32, to->index_type), "copy_ids",
                      spc_range_each(ctx, m), SPC_IN(*sums), SPC_I64(m), SPC_OUT(to->indices),
                      SPC_I64(to->indices_at), SPC_I64(to->nnr));
}

static sparcl_status dense_to_rows(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_dense *from,
                                   const source *s, const sparcl_moved *moved) {
    const int64_t m = from->shape[0], width = spc_shape_width(from->rank, from->shape);
    sparcl_buf *counts = NULL, *flags = NULL, *sums = NULL;
    SPC_TRY(count(ctx, s, &counts));
    SPC_TRY(spc_scratch_push(ctx, &flags, m, sizeof(int32_t)));
    if (m > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, 0, "keep_rows", spc_range_each(ctx, m), SPC_IN(counts),
                           SPC_I64(s->per_row), SPC_I64(m), SPC_OUT(flags)));
    SPC_TRY(write_ids(ctx, to, flags, moved, &sums));
    if (m == 0 || width == 0 || to->nnr == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_word_options(from->dtype), "copy_rows",
                      spc_range_each(ctx, m * width), SPC_IN(sums), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(spc_dense_ld(from)), SPC_OUT(to->values),
                      SPC_I64(to->values_at), SPC_I64(to->nnr), SPC_I64(m), SPC_I64(width));
}

sparcl_status sparcl_dense_to_rows(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_dense *from,
                                   double threshold, const sparcl_moved *moved) {
    static const char op[] = "dense_to_rows";
    spc_keep keep;
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_dense_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(check_has_count(ctx, op, to->count));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_keep_of(ctx, op, from->dtype, threshold, &keep));
    const spc_spans operands = dense_operand(from);
    SPC_TRY(check_overlap(ctx, op, spc_rows_spans(SPC_TO, to), &moved, &operands));
    source s = source_of(ctx, from, keep);
    s.m = from->shape[0]; /* also of a vector, whose rows have one element */
    s.n = spc_shape_width(from->rank, from->shape);
    cut(ctx, &s);
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = dense_to_rows(ctx, to, from, &s, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, in_order);
    return status;
}

static sparcl_status csr_to_rows(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_csr *from,
                                 const sparcl_moved *moved) {
    const int64_t m = from->rows, width = from->cols;
    const sparcl_dense stored = {.rank = 2,
                                 .dtype = to->dtype,
                                 .shape = {to->nnr, width},
                                 .values = to->values,
                                 .values_at = to->values_at};
    sparcl_buf *flags = NULL, *sums = NULL;
    sparcl_csr a;
    SPC_TRY(spc_scratch_push(ctx, &flags, m, sizeof(int32_t)));
    if (m > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(from->offset_type, SPARCL_INDEX32),
                           "flag_lines", spc_range_each(ctx, m), SPC_IN(from->offsets),
                           SPC_I64(from->offsets_at), SPC_I64(m), SPC_OUT(flags)));
    SPC_TRY(write_ids(ctx, to, flags, moved, &sums));
    SPC_TRY(spc_csr_in_order(ctx, from, true, &a));
    SPC_TRY(spc_zero_dense(ctx, &stored));
    const spc_scatter job = {.from = &a,
                             .line_step = width,
                             .index_step = 1,
                             .to = to->values,
                             .to_at = to->values_at,
                             .map = sums,
                             .limit = to->nnr};
    return spc_scatter_lines(ctx, &job);
}

sparcl_status sparcl_csr_to_rows(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_csr *from,
                                 const sparcl_moved *moved) {
    static const char op[] = "csr_to_rows";
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(check_has_count(ctx, op, to->count));
    const int64_t shape[] = {from->rows, from->cols};
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, SPC_FROM, 2, shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    const spc_spans operands = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(check_overlap(ctx, op, spc_rows_spans(SPC_TO, to), &moved, &operands));
    SPC_TRY(spc_need_csr(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_csr_flags(from), "csr"));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = csr_to_rows(ctx, to, from, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, in_order);
    return status;
}
