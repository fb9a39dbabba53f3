/* keep.c: the entries of a CSR matrix that are in some columns, rows or parts. */
#include "base/size.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/moved.h"

typedef long long ll; /* for %lld */

#define PROGRAM "scan+entries+keep"

/* An operation that keeps entries, checked. */
typedef struct keeping {
    const sparcl_csr *to, *from;
    const sparcl_moved *moved;
    int64_t shift;         /* that columns become less */
    const sparcl_buf *map; /* or NULL: what they become, int */
    spc_kept kept;
} keeping;

/* The positions of the entries of `from` to be marked. */
static sparcl_status open_kept(sparcl_ctx *ctx, keeping *k) {
    sparcl_buf *count = NULL;
    SPC_TRY(spc_scratch_push(ctx, &count, 1, sizeof(int64_t)));
    SPC_TRY(spc_csr_write_count(ctx, count, 0, k->from));
    return spc_kept_open(ctx, &k->kept, k->from->nnz, count, 0);
}

static sparcl_status write_offsets(sparcl_ctx *ctx, const keeping *k) {
    const sparcl_csr *const to = k->to, *const from = k->from;
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(k->kept.type, from->offset_type),
                      "kept_offsets", spc_range_each(ctx, from->rows + 1), SPC_IN(k->kept.places),
                      SPC_IN(k->kept.found), SPC_IN(from->offsets), SPC_I64(from->offsets_at),
                      SPC_I64(from->rows), SPC_OUT(to->offsets), SPC_I64(to->offsets_at),
                      SPC_I32(to->offset_type == SPARCL_INDEX64), SPC_I64(to->nnz),
                      SPC_OUT(k->moved->needed), SPC_I64(k->moved->needed_at));
}

static sparcl_status map_columns(sparcl_ctx *ctx, const keeping *k) {
    const sparcl_csr *const to = k->to, *const from = k->from;
    if (to->nnz == 0 || from->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(k->kept.type, from->index_type),
                      "map_columns", spc_range_each(ctx, spc_min_i64(to->nnz, from->nnz)),
                      SPC_IN(k->kept.places), SPC_IN(k->kept.found), SPC_IN(k->map),
                      SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_OUT(to->indices),
                      SPC_I64(to->indices_at), SPC_I32(to->index_type == SPARCL_INDEX64),
                      SPC_I64(to->nnz));
}

/* Move the marked entries. */
static sparcl_status finish_kept(sparcl_ctx *ctx, const keeping *k) {
    const sparcl_csr *const to = k->to, *const from = k->from;
    const spc_take_ids columns = {from->indices, from->indices_at, from->index_type, k->shift,
                                  to->indices,   to->indices_at,   to->index_type};
    const spc_take_values values = {.dtype = from->dtype,
                                    .from = from->values,
                                    .from_at = from->values_at,
                                    .to = to->values,
                                    .to_at = to->values_at,
                                    .source = k->moved->source,
                                    .source_at = k->moved->source_at};
    SPC_TRY(spc_kept_find(ctx, &k->kept));
    SPC_TRY(write_offsets(ctx, k));
    if (k->map) SPC_TRY(map_columns(ctx, k));
    return spc_take(ctx, spc_kept_places(&k->kept, to->nnz), k->map ? NULL : &columns, &values);
}

/* Release scratch memory; `to` has the marks of `from`. */
static sparcl_status close_kept(sparcl_ctx *ctx, int mark, sparcl_csr *to, const sparcl_csr *from,
                                sparcl_status status) {
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(to, sparcl_csr_flags(from));
    return status;
}

/* --- columns ---------------------------------------------------------------------------------- */

static sparcl_status check_columns(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                                   int64_t start) {
    if (to->rows != from->rows)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "slice_columns: `to` has %lld rows, expected the %lld of `from`",
                            (ll)to->rows, (ll)from->rows);
    if (start >= 0 && start <= from->cols && to->cols <= from->cols - start) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "slice_columns: `to` has the %lld columns from %lld on, expected them "
                        "among the %lld of `from`",
                        (ll)to->cols, (ll)start, (ll)from->cols);
}

static sparcl_status slice_columns(sparcl_ctx *ctx, keeping *k) {
    const sparcl_csr *const from = k->from;
    SPC_TRY(open_kept(ctx, k));
    SPC_TRY(spc_mark_range(ctx, &k->kept, false, from->indices, from->indices_at, from->index_type,
                           k->shift, k->shift + k->to->cols));
    return finish_kept(ctx, k);
}

sparcl_status sparcl_csr_slice_columns(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                       int64_t start, const sparcl_moved *moved) {
    SPC_TRY(spc_check_csr_moved(ctx, "slice_columns", to, from, &moved));
    SPC_TRY(check_columns(ctx, to, from, start));
    keeping k = {.to = to, .from = from, .moved = moved, .shift = start};
    const int mark = spc_scratch_mark(ctx);
    return close_kept(ctx, mark, to, from, slice_columns(ctx, &k));
}

/* Where the list has each column. */
static sparcl_status map_list(sparcl_ctx *ctx, const sparcl_list *list, sparcl_buf **map) {
    SPC_TRY(spc_scratch_push(ctx, map, list->limit, sizeof(int32_t)));
    if (list->limit > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, 0, "map_none", spc_range_each(ctx, list->limit),
                           SPC_OUT(*map), SPC_I64(list->limit)));
    if (list->count == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(SPARCL_INDEX32, list->index_type),
                      "map_listed", spc_range_each(ctx, list->count), SPC_OUT(*map),
                      SPC_IN(list->indices), SPC_I64(list->indices_at), SPC_I64(list->count));
}

sparcl_status spc_keep_columns(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                               const sparcl_list *list, const sparcl_moved *moved) {
    keeping k = {.to = to, .from = from, .moved = moved};
    sparcl_buf *map = NULL;
    SPC_TRY(map_list(ctx, list, &map));
    SPC_TRY(open_kept(ctx, &k));
    const uint32_t options = spc_itype_options(k.kept.type, from->index_type);
    if (from->nnz > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options, "mark_mapped", spc_range_each(ctx, from->nnz),
                           SPC_OUT(k.kept.marks), SPC_IN(map), SPC_IN(from->indices),
                           SPC_I64(from->indices_at), SPC_I64(from->nnz), SPC_IN(k.kept.count)));
    k.map = map;
    return finish_kept(ctx, &k);
}

/* --- rows ------------------------------------------------------------------------------------- */

static sparcl_status mark_listed(sparcl_ctx *ctx, sparcl_buf *rows, int64_t count,
                                 const sparcl_list *list) {
    if (count > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, 0, "mark_none", spc_range_each(ctx, count), SPC_OUT(rows),
                           SPC_I64(count)));
    if (list->count == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(SPARCL_INDEX32, list->index_type),
                      "mark_listed", spc_range_each(ctx, list->count), SPC_OUT(rows),
                      SPC_IN(list->indices), SPC_I64(list->indices_at), SPC_I64(list->count));
}

static sparcl_status retain_rows(sparcl_ctx *ctx, keeping *k, const sparcl_list *list) {
    const sparcl_csr *const from = k->from;
    sparcl_buf *rows = NULL;
    SPC_TRY(spc_scratch_push(ctx, &rows, from->rows, 1));
    SPC_TRY(mark_listed(ctx, rows, from->rows, list));
    SPC_TRY(open_kept(ctx, k));
    if (from->nnz > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(from->offset_type, SPARCL_INDEX32),
                           "mark_rows", spc_range_each(ctx, from->nnz), SPC_OUT(k->kept.marks),
                           SPC_IN(rows), SPC_IN(from->offsets), SPC_I64(from->offsets_at),
                           SPC_I64(from->rows), SPC_I64(from->nnz)));
    return finish_kept(ctx, k);
}

sparcl_status sparcl_csr_retain_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                     const sparcl_list *list, const sparcl_moved *moved) {
    SPC_TRY(spc_check_csr_moved(ctx, "retain_rows", to, from, &moved));
    SPC_TRY(spc_check_same_size(ctx, "retain_rows", to->rows, to->cols, from->rows, from->cols));
    spc_spans results = spc_csr_spans(SPC_TO, to);
    SPC_TRY(spc_check_moved(ctx, "retain_rows", &moved, to->nnz, &results));
    SPC_TRY(spc_check_row_list(ctx, "retain_rows", list, from->rows, &results));
    keeping k = {.to = to, .from = from, .moved = moved};
    const int mark = spc_scratch_mark(ctx);
    return close_kept(ctx, mark, to, from, retain_rows(ctx, &k, list));
}

/* --- parts ------------------------------------------------------------------------------------ */

static sparcl_status keep_part(sparcl_ctx *ctx, keeping *k, int64_t low, int64_t high) {
    const sparcl_csr *const from = k->from;
    SPC_TRY(open_kept(ctx, k));
    if (from->nnz > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_itype_options(from->offset_type, from->index_type),
                           "mark_part", spc_range_each(ctx, from->nnz), SPC_OUT(k->kept.marks),
                           SPC_IN(from->indices), SPC_I64(from->indices_at), SPC_I64(low),
                           SPC_I64(high), SPC_IN(from->offsets), SPC_I64(from->offsets_at),
                           SPC_I64(from->rows), SPC_I64(from->nnz)));
    return finish_kept(ctx, k);
}

sparcl_status sparcl_csr_triangle(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                  sparcl_part part, int64_t diagonal, const sparcl_moved *moved) {
    SPC_TRY(spc_check_csr_moved(ctx, "triangle", to, from, &moved));
    SPC_TRY(spc_check_same_size(ctx, "triangle", to->rows, to->cols, from->rows, from->cols));
    if ((unsigned)part > SPARCL_DIAGONAL)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "triangle: the part is %d, expected SPARCL_LOWER, UPPER or DIAGONAL",
                            (int)part);
    keeping k = {.to = to, .from = from, .moved = moved};
    const int mark = spc_scratch_mark(ctx);
    return close_kept(ctx, mark, to, from,
                      keep_part(ctx, &k, part == SPARCL_LOWER ? INT64_MIN : diagonal,
                                part == SPARCL_UPPER ? INT64_MAX : diagonal));
}
