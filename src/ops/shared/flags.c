/* flags.c: properties of sparse views, which are proven until the view or its index buffers change.
 */
#include "ops/shared/check.h"

/* Mix one number into a fingerprint: the finalizer of MurmurHash3 (Austin Appleby, public domain).
 */
static uint64_t mix(uint64_t hash, uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash ^= hash >> 33;
    hash *= 0xff51afd7ed558ccdu;
    hash ^= hash >> 33;
    hash *= 0xc4ceb9fe1a85ec53u;
    return hash ^ (hash >> 33);
}

static uint64_t mix_array(uint64_t hash, const sparcl_buf *buf, int64_t at) {
    return mix(mix(hash, spc_buf_stamp(buf)), (uint64_t)at);
}

static uint64_t stamp_compressed(int64_t rows, int64_t cols, int64_t nnz, int types) {
    return mix(mix(mix(mix(1, (uint64_t)rows), (uint64_t)cols), (uint64_t)nnz), (uint64_t)types);
}

static uint64_t stamp_csr(const sparcl_csr *v) {
    const uint64_t hash =
        stamp_compressed(v->rows, v->cols, v->nnz, (int)v->offset_type * 2 + (int)v->index_type);
    return mix_array(mix_array(hash, v->offsets, v->offsets_at), v->indices, v->indices_at);
}

static uint64_t stamp_csc(const sparcl_csc *v) {
    const uint64_t hash = stamp_compressed(v->rows, v->cols, v->nnz,
                                           4 + (int)v->offset_type * 2 + (int)v->index_type);
    return mix_array(mix_array(hash, v->offsets, v->offsets_at), v->indices, v->indices_at);
}

static uint64_t stamp_coo(const sparcl_coo *v) {
    uint64_t hash = mix(mix(8, (uint64_t)v->nnz), (uint64_t)(v->rank * 2 + (int)v->index_type));
    for (int d = 0; d < v->rank && d < SPARCL_MAX_RANK; ++d)
        hash = mix_array(mix(hash, (uint64_t)v->shape[d]), v->indices[d], v->indices_at[d]);
    return mix_array(hash, v->count, v->count_at);
}

static uint64_t stamp_rows(const sparcl_rows *v) {
    uint64_t hash = mix(mix(9, (uint64_t)v->nnr), (uint64_t)v->index_type);
    hash = mix_array(mix(hash, (uint64_t)v->shape[0]), v->indices, v->indices_at);
    return mix_array(hash, v->count, v->count_at);
}

static uint64_t stamp_bsr(const sparcl_bsr *v) {
    const uint64_t hash = stamp_compressed(v->rows, v->cols, v->nnzb,
                                           12 + (int)v->offset_type * 2 + (int)v->index_type);
    const uint64_t blocks = mix(mix(hash, (uint64_t)v->block_rows), (uint64_t)v->block_cols);
    return mix_array(mix_array(blocks, v->offsets, v->offsets_at), v->indices, v->indices_at);
}

static uint64_t stamp_list(const sparcl_list *v) {
    const uint64_t hash =
        mix(mix(mix(10, (uint64_t)v->count), (uint64_t)v->limit), (uint64_t)v->index_type);
    return mix_array(hash, v->indices, v->indices_at);
}

/* Properties that the caller asserts (stamp 0) stay; a proof ends when its stamp is no longer
 * current. */
static bool holds(const sparcl_proof *proof, uint64_t stamp) {
    return proof->stamp == stamp || ((proof->flags & SPARCL_TRUSTED) && proof->stamp == 0);
}

static uint32_t flags_of(const sparcl_proof *proof, uint64_t stamp) {
    const uint32_t given = proof->flags & SPARCL_TRUSTED ? SPARCL_TRUSTED | SPARCL_VALID : 0u;
    return (holds(proof, stamp) ? proof->flags : 0u) | given;
}

static sparcl_proof prove(const sparcl_proof *old, uint32_t flags, uint64_t stamp) {
    const uint32_t kept = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    return (sparcl_proof){.flags = (flags & kept) | (old->flags & SPARCL_TRUSTED), .stamp = stamp};
}

static sparcl_status need(sparcl_ctx *ctx, const char *op, const char *name, const char *kind,
                          uint32_t have, uint32_t want) {
    const uint32_t missing = want & ~have;
    if (!missing) return SPARCL_OK;
    const char *what = missing & SPARCL_VALID    ? "checked"
                       : missing & SPARCL_SORTED ? "known to be sorted"
                                                 : "known to be without duplicates";
    return spc_ctx_fail(ctx, SPARCL_E_UNCHECKED,
                        "%s: %s is not %s; call sparcl_%s_validate, or set its proof to "
                        "{SPARCL_TRUSTED%s%s}",
                        op, name, what, kind, want & SPARCL_SORTED ? " | SPARCL_SORTED" : "",
                        want & SPARCL_UNIQUE ? " | SPARCL_UNIQUE" : "");
}

#define FLAGS_OF_KIND(kind)                                                                        \
    uint32_t sparcl_##kind##_flags(const sparcl_##kind *view) {                                    \
        return view ? flags_of(&view->proof, stamp_##kind(view)) : 0;                              \
    }                                                                                              \
    void spc_prove_##kind(sparcl_##kind *view, uint32_t flags) {                                   \
        view->proof = prove(&view->proof, flags, stamp_##kind(view));                              \
    }                                                                                              \
    sparcl_status spc_need_##kind(sparcl_ctx *ctx, const char *op, const char *name,               \
                                  const sparcl_##kind *view, uint32_t flags) {                     \
        return need(ctx, op, name, #kind, sparcl_##kind##_flags(view), flags);                     \
    }

FLAGS_OF_KIND(csr)
FLAGS_OF_KIND(csc)
FLAGS_OF_KIND(coo)
FLAGS_OF_KIND(rows)
FLAGS_OF_KIND(bsr)
FLAGS_OF_KIND(list)

int64_t spc_csr_longest(const sparcl_csr *view) {
    const bool known = view->proof.longest_row > 0 && holds(&view->proof, stamp_csr(view));
    return known ? (int64_t)view->proof.longest_row : INT64_MAX;
}

uint64_t spc_csr_values_stamp(const sparcl_csr *view) {
    return mix(mix_array(1, view->values, view->values_at), (uint64_t)view->dtype);
}

uint64_t spc_csr_stamp(const sparcl_csr *view) {
    return stamp_csr(view);
}
