/* placed.c: what conversions that place entries share: kernels by types, duplicates, sorted rows.
 */
#include "launch/launch.h"
#include "ops/shared/densify.h"
#include "sparcl/ops/conversions.h"

uint32_t spc_place_options(sparcl_dtype dtype, sparcl_itype offset, sparcl_itype index) {
    const uint32_t values =
        dtype > SPARCL_BF16 ? spc_word_options(dtype) | SPC_VARIANT : spc_dtype_options(dtype);
    return values | spc_itype_options(offset, index);
}

sparcl_status spc_check_duplicates(sparcl_ctx *ctx, const char *op, sparcl_dtype dtype,
                                   uint32_t flags, const char *kind) {
    if (dtype <= SPARCL_BF16 || (flags & SPARCL_UNIQUE)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_UNCHECKED,
                        "%s: `from` is %s and not known to be without duplicates, which are not "
                        "added; call sparcl_%s_validate with SPARCL_UNIQUE",
                        op, spc_dtype_name(dtype), kind);
}

sparcl_status spc_csr_in_order(sparcl_ctx *ctx, const sparcl_csr *from, bool any_order,
                               sparcl_csr *sorted) {
    const uint32_t flags = sparcl_csr_flags(from);
    const size_t index = sparcl_itype_size(from->index_type);
    const sparcl_itype wide = from->rows > INT32_MAX ? SPARCL_INDEX64 : from->index_type;
    sparcl_coo entries = {.rank = 2,
                          .dtype = from->dtype,
                          .index_type = wide,
                          .shape = {from->rows, from->cols},
                          .nnz = from->nnz};
    *sorted = *from;
    if ((flags & SPARCL_SORTED) || (any_order && (flags & SPARCL_UNIQUE))) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &entries.indices[0], from->nnz,
                             sparcl_itype_size(entries.index_type)));
    SPC_TRY(spc_scratch_push(ctx, &entries.indices[1], from->nnz,
                             sparcl_itype_size(entries.index_type)));
    SPC_TRY(spc_scratch_push(ctx, &entries.values, from->nnz, sparcl_dtype_size(from->dtype)));
    SPC_TRY(spc_scratch_push(ctx, &entries.count, 1, sizeof(int64_t)));
    SPC_TRY(sparcl_csr_to_coo(ctx, &entries, from));
    SPC_TRY(spc_scratch_push(ctx, &sorted->offsets, from->rows + 1,
                             sparcl_itype_size(from->offset_type)));
    SPC_TRY(spc_scratch_push(ctx, &sorted->indices, from->nnz, index));
    SPC_TRY(spc_scratch_push(ctx, &sorted->values, from->nnz, sparcl_dtype_size(from->dtype)));
    sorted->offsets_at = sorted->indices_at = sorted->values_at = 0;
    sorted->proof = (sparcl_proof){0};
    return sparcl_coo_to_csr(ctx, sorted, &entries);
}
