/* append.c: CSR matrices one below another, beside each other, and as blocks of a diagonal; and
 * some rows of one. */
#include "base/size.h"
#include "ops/shared/moved.h"

typedef long long ll; /* for %lld */

#define PROGRAM "scan+entries+append"

/* The result, and what of it is complete. */
typedef struct assembly {
    const char *op;
    const sparcl_csr *to;
    const sparcl_moved *moved;
    int64_t rows, columns, entries; /* so far; of the operands' capacities */
} assembly;

static uint32_t options_of(const sparcl_csr *from) {
    return spc_word_options(from->dtype) | spc_itype_options(from->offset_type, from->index_type);
}

#define ENTRIES_OF(from)                                                                           \
    SPC_IN((from)->offsets), SPC_I64((from)->offsets_at), SPC_IN((from)->indices),                 \
        SPC_I64((from)->indices_at), SPC_IN((from)->values), SPC_I64((from)->values_at),           \
        SPC_I64((from)->nnz)
#define RESULT_OF(a)                                                                               \
    SPC_OUT((a)->to->indices), SPC_I64((a)->to->indices_at),                                       \
        SPC_I32((a)->to->index_type == SPARCL_INDEX64), SPC_OUT((a)->to->values),                  \
        SPC_I64((a)->to->values_at), SPC_I64((a)->to->nnz), SPC_OUT((a)->moved->source),           \
        SPC_I64((a)->moved->source_at)
#define OFFSETS_OF(a)                                                                              \
    SPC_OUT((a)->to->offsets), SPC_I64((a)->to->offsets_at),                                       \
        SPC_I32((a)->to->offset_type == SPARCL_INDEX64)

/* --- one below another ------------------------------------------------------------------------ */

/* `rows` rows of a matrix from `first` on, their columns `shift` to the right. */
static sparcl_status append_rows(sparcl_ctx *ctx, assembly *a, const sparcl_csr *from,
                                 int64_t first, int64_t rows, int64_t shift) {
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options_of(from), "append_rows_of",
                       spc_range_each(ctx, spc_max_i64(rows, from->nnz)), ENTRIES_OF(from),
                       SPC_I64(first), SPC_I64(rows), SPC_I64(shift), SPC_I64(a->entries),
                       OFFSETS_OF(a), SPC_I64(a->rows), RESULT_OF(a), SPC_OUT(a->moved->needed),
                       SPC_I64(a->moved->needed_at)));
    a->rows += rows;
    a->columns += from->cols;
    a->entries += from->nnz;
    return SPARCL_OK;
}

/* No row and no entry so far. */
static sparcl_status begin(sparcl_ctx *ctx, const assembly *a) {
    const int64_t size = (int64_t)sparcl_itype_size(a->to->offset_type);
    if (a->moved->needed)
        SPC_TRY(sparcl_buf_fill(ctx, a->moved->needed, a->moved->needed_at * 8, 8, 0));
    return sparcl_buf_fill(ctx, a->to->offsets, a->to->offsets_at * size, size, 0);
}

sparcl_status sparcl_csr_slice_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                    int64_t start, const sparcl_moved *moved) {
    SPC_TRY(spc_check_csr_moved(ctx, "slice_rows", to, from, &moved));
    if (to->cols != from->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "slice_rows: `to` has %lld columns, expected the %lld of `from`",
                            (ll)to->cols, (ll)from->cols);
    if (start < 0 || start > from->rows || to->rows > from->rows - start)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "slice_rows: `to` has the %lld rows from %lld on, expected them among "
                            "the %lld of `from`",
                            (ll)to->rows, (ll)start, (ll)from->rows);
    assembly a = {.op = "slice_rows", .to = to, .moved = moved};
    SPC_TRY(begin(ctx, &a));
    SPC_TRY(append_rows(ctx, &a, from, start, to->rows, 0));
    spc_prove_csr(to, sparcl_csr_flags(from));
    return SPARCL_OK;
}

/* --- several matrices ------------------------------------------------------------------------- */

/* Which sizes of the operands add up. */
enum { ADD_ROWS = 1, ADD_COLUMNS = 2 };

static sparcl_status check_size(sparcl_ctx *ctx, const char *op, const char *what, int64_t to,
                                int64_t sum) {
    if (to == sum) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has %lld %s, expected %lld", op, (ll)to,
                        what, (ll)sum);
}

/* Each operand, and the sums of their sizes. */
static sparcl_status check_operands(sparcl_ctx *ctx, const char *op, const sparcl_csr *to,
                                    const sparcl_csr *from, int count, unsigned adds,
                                    const sparcl_moved **moved) {
    int64_t rows = 0, columns = 0, entries = 0;
    for (int i = 0; i < count; ++i) {
        SPC_TRY(spc_check_csr_moved(ctx, op, to, &from[i], moved));
        if (!spc_add_i64(rows, from[i].rows, &rows) ||
            !spc_add_i64(columns, from[i].cols, &columns) ||
            !spc_add_i64(entries, from[i].nnz, &entries))
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: the sizes add up to more than 2^63 - 1",
                                op);
        if (!(adds & ADD_ROWS)) SPC_TRY(check_size(ctx, op, "rows", to->rows, from[i].rows));
        if (!(adds & ADD_COLUMNS)) SPC_TRY(check_size(ctx, op, "columns", to->cols, from[i].cols));
    }
    if (adds & ADD_ROWS) SPC_TRY(check_size(ctx, op, "rows", to->rows, rows));
    return adds & ADD_COLUMNS ? check_size(ctx, op, "columns", to->cols, columns) : SPARCL_OK;
}

static sparcl_status check_several(sparcl_ctx *ctx, const char *op, const sparcl_csr *to,
                                   const sparcl_csr *from, int count, unsigned adds,
                                   const sparcl_moved **moved) {
    SPC_TRY(spc_check_csr_of(ctx, op, SPC_TO, to, SPC_ALL_TYPES));
    if (count < 0 || (!from && count > 0))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: `from` is %s of %d matrices, expected 0 or more", op,
                            from ? "an array" : "NULL instead", count);
    spc_spans results = spc_csr_spans(SPC_TO, to);
    const spc_spans none = {.count = 0};
    SPC_TRY(spc_check_moved(ctx, op, moved, to->nnz, &results));
    SPC_TRY(spc_check_spans(ctx, op, &results, &none));
    return check_operands(ctx, op, to, from, count, adds, moved);
}

/* What all operands are marked as. */
static uint32_t common_flags(const sparcl_csr *from, int count) {
    uint32_t flags = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    for (int i = 0; i < count; ++i)
        flags &= sparcl_csr_flags(&from[i]);
    return flags;
}

sparcl_status sparcl_csr_concat_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                     int count, const sparcl_moved *moved) {
    SPC_TRY(check_several(ctx, "concat_rows", to, from, count, ADD_ROWS, &moved));
    assembly a = {.op = "concat_rows", .to = to, .moved = moved};
    SPC_TRY(begin(ctx, &a));
    for (int i = 0; i < count; ++i)
        SPC_TRY(append_rows(ctx, &a, &from[i], 0, from[i].rows, 0));
    spc_prove_csr(to, common_flags(from, count));
    return SPARCL_OK;
}

sparcl_status sparcl_csr_block_diagonal(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                        int count, const sparcl_moved *moved) {
    SPC_TRY(check_several(ctx, "block_diagonal", to, from, count, ADD_ROWS | ADD_COLUMNS, &moved));
    assembly a = {.op = "block_diagonal", .to = to, .moved = moved};
    SPC_TRY(begin(ctx, &a));
    for (int i = 0; i < count; ++i)
        SPC_TRY(append_rows(ctx, &a, &from[i], 0, from[i].rows, a.columns));
    spc_prove_csr(to, common_flags(from, count));
    return SPARCL_OK;
}

/* --- beside each other ------------------------------------------------------------------------ */

/* The offsets of the result are the sums of the operands'. */
static sparcl_status sum_offsets(sparcl_ctx *ctx, const assembly *a, const sparcl_csr *from,
                                 int count, sparcl_buf *sums) {
    const int64_t rows = a->to->rows;
    for (int i = 0; i < count; ++i)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options_of(&from[i]), "add_offsets",
                           spc_range_each(ctx, rows + 1), SPC_IN(from[i].offsets),
                           SPC_I64(from[i].offsets_at), SPC_I64(rows), SPC_I32(i > 0),
                           SPC_OUT(sums)));
    return SPC_LAUNCH(ctx, PROGRAM, options_of(&from[0]), "cut_sums", spc_range_each(ctx, rows + 1),
                      SPC_IN(sums), SPC_I64(rows), OFFSETS_OF(a), SPC_I64(a->to->nnz),
                      SPC_OUT(a->moved->needed), SPC_I64(a->moved->needed_at));
}

/* Where the entries of each row go alternates between two arrays. */
static sparcl_status place_all(sparcl_ctx *ctx, assembly *a, const sparcl_csr *from, int count) {
    const int64_t rows = a->to->rows;
    sparcl_buf *starts[2];
    SPC_TRY(spc_scratch_push(ctx, &starts[0], rows + 1, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &starts[1], rows + 1, sizeof(int64_t)));
    SPC_TRY(sum_offsets(ctx, a, from, count, starts[0]));
    for (int i = 0; i < count; ++i) {
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, options_of(&from[i]), "place_beside",
                           spc_range_each(ctx, spc_max_i64(rows, from[i].nnz)),
                           ENTRIES_OF(&from[i]), SPC_I64(rows), SPC_I64(a->columns),
                           SPC_I64(a->entries), SPC_IN(starts[i % 2]), SPC_OUT(starts[1 - i % 2]),
                           RESULT_OF(a)));
        a->columns += from[i].cols;
        a->entries += from[i].nnz;
    }
    return SPARCL_OK;
}

sparcl_status sparcl_csr_concat_columns(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                        int count, const sparcl_moved *moved) {
    SPC_TRY(check_several(ctx, "concat_columns", to, from, count, ADD_COLUMNS, &moved));
    assembly a = {.op = "concat_columns", .to = to, .moved = moved};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    if (count > 0)
        status = place_all(ctx, &a, from, count);
    else if ((status = begin(ctx, &a)) == SPARCL_OK) /* all rows are empty */
        status = sparcl_buf_fill(ctx, to->offsets,
                                 to->offsets_at * (int64_t)sparcl_itype_size(to->offset_type),
                                 (to->rows + 1) * (int64_t)sparcl_itype_size(to->offset_type), 0);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(to, common_flags(from, count));
    return status;
}
