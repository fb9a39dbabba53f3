/* csr_shape.c: CSR matrices in another shape, and with an entry in each row, as COO arrays. */
#include "base/size.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/moved.h"
#include "sparcl/ops/conversions.h"
#include "sparcl/ops/structure.h"

/* --- another shape ---------------------------------------------------------------------------- */

static sparcl_status check_elements(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from) {
    int64_t of_to = 0, of_from = 0;
    if (!spc_mul_i64(to->rows, to->cols, &of_to) || !spc_mul_i64(from->rows, from->cols, &of_from))
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "csr_reshape: a matrix of more than 2^63 - 1 elements; positions in it "
                            "do not fit in 64 bits");
    if (of_to == of_from) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "csr_reshape: `to` has %lld elements, expected the %lld of `from`",
                        (long long)of_to, (long long)of_from);
}

/* Indices of its own for `count` entries, in scratch memory. */
static sparcl_status push_coo(sparcl_ctx *ctx, sparcl_coo *a, const sparcl_csr *like,
                              int64_t count) {
    const bool wide = like->rows > INT32_MAX || like->cols > INT32_MAX;
    *a = (sparcl_coo){.rank = 2,
                      .dtype = like->dtype,
                      .index_type = wide ? SPARCL_INDEX64 : SPARCL_INDEX32,
                      .shape = {like->rows, like->cols},
                      .nnz = count};
    SPC_TRY(spc_scratch_push(ctx, &a->indices[0], count, sparcl_itype_size(a->index_type)));
    SPC_TRY(spc_scratch_push(ctx, &a->indices[1], count, sparcl_itype_size(a->index_type)));
    return spc_scratch_push(ctx, &a->count, 1, sizeof(int64_t));
}

/* The positions of the entries take the way of values, sorted by the new rows. */
static sparcl_status reshape(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                             const sparcl_moved *moved) {
    sparcl_csr positions, places;
    sparcl_coo entries, shaped;
    SPC_TRY(spc_csr_with_positions(ctx, &positions, from));
    SPC_TRY(spc_csr_for_positions(ctx, &places, to, positions.dtype));
    SPC_TRY(spc_csr_as_coo(ctx, &positions, &entries));
    SPC_TRY(push_coo(ctx, &shaped, to, from->nnz));
    shaped.dtype = positions.dtype;
    shaped.values = positions.values;
    SPC_TRY(sparcl_coo_reshape(ctx, &shaped, &entries));
    SPC_TRY(sparcl_coo_to_csr(ctx, &places, &shaped));
    SPC_TRY(spc_csr_take_values(ctx, to, from, &places, moved));
    return moved->needed ? spc_csr_write_count(ctx, moved->needed, moved->needed_at, from)
                         : SPARCL_OK;
}

sparcl_status sparcl_csr_reshape(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                 const sparcl_moved *moved) {
    SPC_TRY(spc_check_csr_moved(ctx, "csr_reshape", to, from, &moved));
    SPC_TRY(check_elements(ctx, to, from));
    SPC_TRY(spc_check_capacity(ctx, "csr_reshape", to->nnz, from->nnz));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = reshape(ctx, to, from, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK)
        spc_prove_csr(to, SPARCL_VALID | SPARCL_SORTED | (sparcl_csr_flags(from) & SPARCL_UNIQUE));
    return status;
}

/* --- an entry in each row --------------------------------------------------------------------- */

static sparcl_status fill(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_csr *from,
                          double value, const sparcl_filled *more) {
    sparcl_coo entries, filled;
    SPC_TRY(spc_csr_as_coo(ctx, from, &entries));
    SPC_TRY(push_coo(ctx, &filled, to, to->nnz));
    filled.values = to->values;
    filled.values_at = to->values_at;
    SPC_TRY(sparcl_coo_fill_empty_rows(ctx, &filled, &entries, value, more));
    if (more && more->inverse && from->nnz > 0)
        SPC_TRY(spc_csr_pad(ctx, more->inverse, more->inverse_at, SPC_INDEX64, to->nnz - 1, from));
    const spc_take_ids columns = {
        filled.indices[1], 0, filled.index_type, 0, to->indices, to->indices_at, to->index_type};
    const spc_sorted_ids rows = {filled.indices[0], 0, filled.index_type};
    const spc_places all = {SPARCL_INDEX32, NULL, to->nnz, filled.count, 0};
    SPC_TRY(spc_take(ctx, all, &columns, NULL));
    return spc_write_offsets(ctx, to->offsets, to->offsets_at, to->offset_type, &rows, to->rows,
                             spc_coo_items(&filled));
}

sparcl_status sparcl_csr_fill_empty_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                                         double value, const sparcl_filled *more) {
    static const char op[] = "fill_empty_rows";
    const sparcl_moved *nothing = NULL;
    SPC_TRY(spc_check_csr_moved(ctx, op, to, from, &nothing));
    SPC_TRY(spc_check_same_size(ctx, op, to->rows, to->cols, from->rows, from->cols));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = fill(ctx, to, from, value, more);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK)
        spc_prove_csr(to, SPARCL_VALID | SPARCL_SORTED | (sparcl_csr_flags(from) & SPARCL_UNIQUE));
    return status;
}
