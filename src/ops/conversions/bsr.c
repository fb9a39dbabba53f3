/* bsr.c: matrices between CSR and BSR format. */
#include "base/size.h"
#include "ops/shared/bitmap.h"
#include "ops/shared/densify.h"
#include "ops/shared/moved.h"
#include "ops/shared/pair.h"
#include "prim/scan.h"
#include "sparcl/ops/conversions.h"

#define PROGRAM "scan+elements+entry_sums+bitmap+bsr"

/* --- csr to bsr --------------------------------------------------------------------------------
 */

/* A conversion, checked. `from` is in order. */
typedef struct blocking {
    const sparcl_bsr *to;
    const sparcl_csr *from;
    uint32_t options;
    int64_t lines, columns; /* rows and columns of blocks */
    sparcl_buf *cursors, *needed;
    int64_t needed_at;
    bool has_bits; /* the columns of blocks are bits, not merged */
    int64_t workers;
    int32_t shift; /* the logarithm of block_cols, or -1 */
    sparcl_buf *bits, *places;
} blocking;

/* Maximum memory of the bits and places of all workers. */
#define WORKER_BYTES ((int64_t)64 << 20)

static void add_from(spc_args *list, const sparcl_csr *from, bool with_values) {
    spc_args_add_array(list, SPC_IN(from->offsets), from->offsets_at);
    spc_args_add_array(list, SPC_IN(from->indices), from->indices_at);
    if (with_values) spc_args_add_array(list, SPC_IN(from->values), from->values_at);
}

/* By entries too, so that long rows are divided among workers. */
static spc_range range_of(const sparcl_ctx *ctx, const blocking *b) {
    if (spc_ctx_is_gpu(ctx)) return spc_range_each(ctx, b->lines);
    if (spc_has_short_loops(ctx)) return spc_range_groups(ctx, b->lines);
    const int64_t work = b->from->rows + b->from->nnz;
    return spc_range_groups(ctx,
                            spc_min_i64(spc_max_i64(1, b->lines), spc_workers(ctx, work, 2048)));
}

/* Use bits, on wide cores that have the memory; else the rows of a block are merged. */
static sparcl_status open_blocking(sparcl_ctx *ctx, blocking *b) {
    const int64_t words = spc_bitmap_words(b->columns);
    const int64_t columns = spc_min_i64(b->columns, INT64_MAX / 32); /* no memory is as large */
    const int64_t bytes = 8 * words + (int64_t)sparcl_itype_size(b->from->index_type) * columns;
    const int64_t most = WORKER_BYTES / (bytes + 1);
    b->has_bits = !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) && most >= spc_ctx_units(ctx);
    if (!b->has_bits)
        return spc_scratch_push(ctx, &b->cursors, b->from->rows,
                                sparcl_itype_size(b->from->offset_type));
    b->workers = spc_min_i64(range_of(ctx, b).global, most);
    b->shift = -1;
    for (int shift = 0; shift < 31; ++shift)
        if (b->to->block_cols == (int64_t)1 << shift) b->shift = shift;
    SPC_TRY(spc_scratch_push(ctx, &b->bits, b->workers * words, 8));
    return spc_scratch_push(ctx, &b->places, b->workers * b->columns,
                            sparcl_itype_size(b->from->index_type));
}

static void add_blocks(spc_args *list, const blocking *b) {
    spc_args_add(list, SPC_OUT(b->has_bits ? b->bits : b->cursors));
    spc_args_add(list, SPC_I64(b->lines));
    spc_args_add(list, SPC_I64(b->to->block_rows));
    spc_args_add(list, SPC_I64(b->to->block_cols));
    if (b->has_bits) spc_args_add(list, SPC_I32(b->shift));
    spc_args_add(list, SPC_I64(b->has_bits ? b->columns : b->from->cols));
}

static sparcl_status launch(sparcl_ctx *ctx, const blocking *b, const char *with_bits,
                            const char *merged, const spc_args *list) {
    return spc_launch(ctx, PROGRAM, b->options, b->has_bits ? with_bits : merged,
                      b->has_bits ? spc_range_groups(ctx, b->workers) : range_of(ctx, b), list->at,
                      list->count);
}

static sparcl_status count_blocks(sparcl_ctx *ctx, const blocking *b, sparcl_buf **sums) {
    sparcl_buf *counts = NULL;
    spc_args list = {.count = 0};
    SPC_TRY(spc_scratch_push(ctx, &counts, b->lines, sizeof(int32_t)));
    SPC_TRY(spc_scratch_push(ctx, sums, b->lines + 1, sizeof(int64_t)));
    add_from(&list, b->from, false);
    add_blocks(&list, b);
    spc_args_add(&list, SPC_OUT(counts));
    if (b->lines > 0) SPC_TRY(launch(ctx, b, "bsr_mark", "bsr_count", &list));
    const spc_scan_job job = {.n = b->lines,
                              .from_type = SPARCL_INDEX32,
                              .to_type = SPARCL_INDEX64,
                              .from = counts,
                              .to = *sums};
    return spc_scan(ctx, &job);
}

static sparcl_status write_blocks(sparcl_ctx *ctx, const blocking *b, const sparcl_buf *sums) {
    const sparcl_bsr *const to = b->to;
    spc_args list = {.count = 0};
    if (b->lines == 0 || to->nnzb == 0) return SPARCL_OK;
    add_from(&list, b->from, true);
    add_blocks(&list, b);
    if (b->has_bits) spc_args_add(&list, SPC_OUT(b->places));
    spc_args_add(&list, SPC_IN(sums));
    spc_args_add(&list, SPC_I64(to->nnzb));
    spc_args_add_array(&list, SPC_OUT(to->indices), to->indices_at);
    spc_args_add(&list, SPC_I32(to->index_type == SPARCL_INDEX64));
    spc_args_add_array(&list, SPC_OUT(to->values), to->values_at);
    spc_args_add(&list, SPC_I32((sparcl_csr_flags(b->from) & SPARCL_UNIQUE) != 0));
    return launch(ctx, b, "bsr_place", "bsr_write", &list);
}

static sparcl_status csr_to_bsr(sparcl_ctx *ctx, blocking *b) {
    const sparcl_bsr *const to = b->to;
    sparcl_buf *sums = NULL;
    sparcl_csr sorted;
    SPC_TRY(spc_csr_in_order(ctx, b->from, false, &sorted));
    b->from = &sorted;
    SPC_TRY(open_blocking(ctx, b));
    SPC_TRY(count_blocks(ctx, b, &sums));
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(to->offset_type, SPARCL_INDEX32),
                       "bsr_offsets", spc_range_each(ctx, b->lines + 1), SPC_IN(sums),
                       SPC_I64(b->lines), SPC_I64(to->nnzb), SPC_OUT(to->offsets),
                       SPC_I64(to->offsets_at), SPC_OUT(b->needed), SPC_I64(b->needed_at),
                       SPC_I32(b->needed != NULL)));
    return write_blocks(ctx, b, sums);
}

/* A work-item merges the rows of a block: at most all their entries, each a block of its own. */
static int64_t merge_iterations(const sparcl_bsr *to, const sparcl_csr *from) {
    const int64_t longest = spc_min_i64(spc_min_i64(from->nnz, spc_csr_longest(from)), INT32_MAX);
    const int64_t rows = spc_min_i64(to->block_rows, INT32_MAX);
    const int64_t entries = spc_min_i64(longest * rows, spc_min_i64(from->nnz, INT32_MAX));
    const int64_t blocks = spc_min_i64(entries, to->cols / to->block_cols);
    int64_t elements = to->block_rows * to->block_cols;
    if (!spc_mul_i64(blocks, 3 * rows + spc_min_i64(elements, INT64_MAX / 2), &elements))
        return INT64_MAX;
    return rows + entries + spc_min_i64(elements, INT64_MAX / 2);
}

sparcl_status sparcl_csr_to_bsr(sparcl_ctx *ctx, sparcl_bsr *to, const sparcl_csr *from,
                                const sparcl_moved *moved) {
    static const char op[] = "csr_to_bsr";
    SPC_TRY(spc_check_bsr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->rows, from->cols));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    spc_spans results = spc_bsr_spans(SPC_TO, to), operands = spc_csr_spans(SPC_FROM, from);
    SPC_TRY(spc_check_needed(ctx, op, &moved, &results));
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_csr(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(spc_check_duplicates(ctx, op, from->dtype, sparcl_csr_flags(from), "csr"));
    SPC_TRY(spc_check_iterations(ctx, op, merge_iterations(to, from)));
    blocking b = {
        .to = to,
        .from = from,
        .options = spc_place_options(from->dtype, from->offset_type, from->index_type),
        .lines = to->rows / to->block_rows,
        .columns = to->cols / to->block_cols,
        .needed = moved->needed,
        .needed_at = moved->needed_at,
    };
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = csr_to_bsr(ctx, &b);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_bsr(to, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

/* --- bsr to csr --------------------------------------------------------------------------------
 */

static sparcl_status expand(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_bsr *from) {
    const int64_t lines = from->rows / from->block_rows, n = spc_bsr_count(from);
    const uint32_t options = spc_itype_options(from->offset_type, from->index_type) |
                             spc_word_options(from->dtype) | SPC_VARIANT;
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "bsr_rows", spc_range_each(ctx, from->rows + 1),
                       SPC_IN(from->offsets), SPC_I64(from->offsets_at), SPC_I64(from->rows),
                       SPC_I64(from->block_rows), SPC_I64(from->block_cols), SPC_I64(from->nnzb),
                       SPC_OUT(to->offsets), SPC_I64(to->offsets_at),
                       SPC_I32(to->offset_type == SPARCL_INDEX64)));
    if (n == 0 || lines == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, options, "bsr_entries", spc_range_each(ctx, n),
                      SPC_IN(from->offsets), SPC_I64(from->offsets_at), SPC_I64(lines),
                      SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(from->block_rows),
                      SPC_I64(from->block_cols), SPC_I64(from->nnzb), SPC_OUT(to->indices),
                      SPC_I64(to->indices_at), SPC_I32(to->index_type == SPARCL_INDEX64),
                      SPC_OUT(to->values), SPC_I64(to->values_at));
}

sparcl_status sparcl_bsr_to_csr(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_bsr *from) {
    static const char op[] = "bsr_to_csr";
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    SPC_TRY(spc_check_bsr_of(ctx, op, SPC_FROM, from, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->rows, from->cols));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, SPC_FROM, from->dtype));
    SPC_TRY(spc_check_capacity(ctx, op, to->nnz, spc_bsr_count(from)));
    const spc_spans results = spc_csr_spans(SPC_TO, to), operands = spc_bsr_spans(SPC_FROM, from);
    SPC_TRY(spc_check_spans(ctx, op, &results, &operands));
    SPC_TRY(spc_need_bsr(ctx, op, SPC_FROM, from, SPARCL_VALID));
    SPC_TRY(expand(ctx, to, from));
    const uint32_t flags = sparcl_bsr_flags(from); /* equal blocks are no longer adjacent */
    spc_prove_csr(to, flags & SPARCL_UNIQUE ? flags : SPARCL_VALID);
    return SPARCL_OK;
}
