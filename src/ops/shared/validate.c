/* validate.c: check a sparse view on the device and mark it with the proven properties. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/size.h"
#include "ops/shared/check.h"
#include "ops/shared/violation.h"

#define ALL_FLAGS (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE | SPARCL_FINITE)

sparcl_status spc_check_want(sparcl_ctx *ctx, const char *op, uint32_t want) {
    if (!(want & ~(uint32_t)ALL_FLAGS)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG,
                        "%s: want is %" PRIu32 ", expected SPARCL_VALID, SORTED, "
                        "UNIQUE and FINITE, combined with |",
                        op, want);
}

static sparcl_status read_int(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, sparcl_itype type,
                              int64_t *x) {
    int32_t narrow = 0;
    if (type == SPARCL_INDEX64) return sparcl_buf_read(ctx, buf, at * 8, 8, x);
    SPC_TRY(sparcl_buf_read(ctx, buf, at * 4, 4, &narrow));
    *x = narrow;
    return SPARCL_OK;
}

/* The number of items of a view, which may have a count on the device. */
static sparcl_status read_count(sparcl_ctx *ctx, const sparcl_buf *count, int64_t at,
                                int64_t capacity, int64_t *n) {
    *n = capacity;
    if (!count || spc_ctx_is_forecast(ctx)) return SPARCL_OK;
    SPC_TRY(read_int(ctx, count, at, SPARCL_INDEX64, n));
    if (*n >= 0 && *n <= capacity) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DATA,
                        "validate: A.count is %" PRId64 ", expected 0 to %" PRId64, *n, capacity);
}

/* The properties that a view without range violations has. */
static uint32_t proven_flags(const spc_violation *d) {
    return SPARCL_VALID | (d->unsorted == SPC_NONE ? SPARCL_SORTED : 0u) |
           (d->duplicate == SPC_NONE ? SPARCL_UNIQUE : 0u);
}

/* The position of the first violation of the requested properties. */
static int64_t first_violation(const spc_violation *d, uint32_t want) {
    int64_t first = d->range;
    if (want & SPARCL_SORTED) first = spc_min_i64(first, d->unsorted);
    if (want & SPARCL_UNIQUE) first = spc_min_i64(first, d->duplicate);
    return first;
}

/* A value that is NaN or infinite. */
static sparcl_status read_infinite(sparcl_ctx *ctx, sparcl_dtype dtype, const sparcl_buf *values,
                                   int64_t at, double *x) {
    float narrow = 0;
    uint16_t half = 0;
    if (dtype == SPARCL_F64) return sparcl_buf_read(ctx, values, at * 8, 8, x);
    if (dtype == SPARCL_F32) {
        SPC_TRY(sparcl_buf_read(ctx, values, at * 4, 4, &narrow));
        *x = (double)narrow;
        return SPARCL_OK;
    }
    SPC_TRY(sparcl_buf_read(ctx, values, at * 2, 2, &half));
    *x = half & (dtype == SPARCL_F16 ? 0x3ff : 0x7f) ? NAN : half & 0x8000 ? -INFINITY : INFINITY;
    return SPARCL_OK;
}

static sparcl_status check_finite(sparcl_ctx *ctx, uint32_t want, sparcl_dtype dtype,
                                  const sparcl_buf *values, int64_t at, int64_t n) {
    int64_t place = SPC_NONE;
    double x = 0;
    if (!(want & SPARCL_FINITE) || n == 0 || dtype > SPARCL_BF16) return SPARCL_OK;
    SPC_TRY(spc_find_infinite(ctx, dtype, values, at, n, &place));
    if (place == SPC_NONE) return SPARCL_OK;
    SPC_TRY(read_infinite(ctx, dtype, values, at + place, &x));
    return spc_ctx_fail(ctx, SPARCL_E_DATA,
                        "validate: A.values[%" PRId64 "] is %g, expected a finite number", place,
                        x);
}

/* --- csr and csc -------------------------------------------------------------------------------
 */

static sparcl_status fail_offset(sparcl_ctx *ctx, const sparcl_csr *a, int64_t r) {
    int64_t x = 0, before = 0;
    SPC_TRY(read_int(ctx, a->offsets, a->offsets_at + r, a->offset_type, &x));
    if (r > 0) SPC_TRY(read_int(ctx, a->offsets, a->offsets_at + r - 1, a->offset_type, &before));
    if (r == 0)
        return spc_ctx_fail(ctx, SPARCL_E_DATA, "validate: A.offsets[0] is %" PRId64 ", expected 0",
                            x);
    if (x < before)
        return spc_ctx_fail(ctx, SPARCL_E_DATA,
                            "validate: A.offsets[%" PRId64 "] is %" PRId64 " after %" PRId64
                            ", expected at least as much",
                            r, x, before);
    return spc_ctx_fail(ctx, SPARCL_E_DATA,
                        "validate: A.offsets[%" PRId64 "] is %" PRId64
                        ", expected at most the %" PRId64 " entries of A",
                        r, x, a->nnz);
}

/* The row of entry k: the last with offsets[row] <= k. */
static sparcl_status find_row(sparcl_ctx *ctx, const sparcl_csr *a, int64_t k, int64_t *row) {
    int64_t low = 0, high = a->rows;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        int64_t x = 0;
        SPC_TRY(read_int(ctx, a->offsets, a->offsets_at + middle, a->offset_type, &x));
        if (x <= k)
            low = middle;
        else
            high = middle - 1;
    }
    *row = low;
    return SPARCL_OK;
}

/* `major` is what the offsets count: "row" or "column". */
static sparcl_status fail_index(sparcl_ctx *ctx, const sparcl_csr *a, const char *major, int64_t k,
                                const spc_violation *d) {
    int64_t x = 0, before = 0, row = 0;
    SPC_TRY(find_row(ctx, a, k, &row));
    SPC_TRY(read_int(ctx, a->indices, a->indices_at + k, a->index_type, &x));
    if (k > 0) SPC_TRY(read_int(ctx, a->indices, a->indices_at + k - 1, a->index_type, &before));
    if (k == d->range)
        return spc_ctx_fail(ctx, SPARCL_E_DATA,
                            "validate: A.indices[%" PRId64 "] is %" PRId64 " in %s %" PRId64
                            ", expected 0 to %" PRId64,
                            k, x, major, row, a->cols - 1);
    if (k == d->unsorted)
        return spc_ctx_fail(ctx, SPARCL_E_DATA,
                            "validate: A.indices[%" PRId64 "] is %" PRId64 " after %" PRId64
                            " in %s %" PRId64 ", expected ascending",
                            k, x, before, major, row);
    return spc_ctx_fail(ctx, SPARCL_E_DATA,
                        "validate: A.indices[%" PRId64 "] is %" PRId64
                        ", a duplicate in %s %" PRId64 ", expected each index once",
                        k, x, major, row);
}

/* `width`: values of each entry. */
static sparcl_status validate_compressed(sparcl_ctx *ctx, const sparcl_csr *a, const char *major,
                                         int64_t width, uint32_t want, sparcl_proof *proof) {
    int64_t place = SPC_NONE, n = 0, longest = 0;
    spc_violation violation = {SPC_NONE, SPC_NONE, SPC_NONE};
    SPC_TRY(spc_find_offset_violation(ctx, a, &place, &longest));
    if (place != SPC_NONE) return fail_offset(ctx, a, place);
    SPC_TRY(read_int(ctx, a->offsets, a->offsets_at + a->rows, a->offset_type, &n));
    if (spc_ctx_is_forecast(ctx)) n = a->nnz;
    if (n > 0) SPC_TRY(spc_find_row_violation(ctx, a, n, &violation));
    place = first_violation(&violation, want);
    if (place != SPC_NONE) return fail_index(ctx, a, major, place, &violation);
    proof->flags = proven_flags(&violation);
    proof->longest_row = longest <= UINT32_MAX ? (uint32_t)longest : 0;
    return check_finite(ctx, want, a->dtype, a->values, a->values_at, n * width);
}

static sparcl_status find_csr_proof(sparcl_ctx *ctx, const sparcl_csr *view, uint32_t want,
                                    sparcl_proof *proof) {
    return validate_compressed(ctx, view, "row", 1, want, proof);
}

static sparcl_status find_csc_proof(sparcl_ctx *ctx, const sparcl_csc *view, uint32_t want,
                                    sparcl_proof *proof) {
    const sparcl_csr transposed = spc_csc_transposed(view);
    return validate_compressed(ctx, &transposed, "column", 1, want, proof);
}

static sparcl_status find_bsr_proof(sparcl_ctx *ctx, const sparcl_bsr *view, uint32_t want,
                                    sparcl_proof *proof) {
    const sparcl_csr pattern = spc_bsr_pattern(view);
    return validate_compressed(ctx, &pattern, "row of blocks", view->block_rows * view->block_cols,
                               want, proof);
}

/* --- coo, and lists as COO arrays of rank 1 ----------------------------------------------------
 */

/* The indices of entry k: "(3, 5)", or "3" for rank 1. Sets *outside to the first dimension whose
 * index is out of range. */
static sparcl_status write_indices(sparcl_ctx *ctx, const sparcl_coo *a, int64_t k, char *text,
                                   size_t size, int *outside, int64_t *wrong) {
    size_t at = 0;
    *outside = a->rank;
    for (int d = 0; d < a->rank && at < size; ++d) {
        int64_t x = 0;
        SPC_TRY(read_int(ctx, a->indices[d], a->indices_at[d] + k, a->index_type, &x));
        const char *before = d > 0 ? ", " : a->rank > 1 ? "(" : "";
        const char *after = d == a->rank - 1 && d > 0 ? ")" : "";
        at += (size_t)snprintf(text + at, size - at, "%s%" PRId64 "%s", before, x, after);
        if (*outside == a->rank && (x < 0 || x >= a->shape[d])) {
            *outside = d;
            *wrong = x;
        }
    }
    return SPARCL_OK;
}

static sparcl_status fail_entry(sparcl_ctx *ctx, const sparcl_coo *a, int64_t k,
                                const spc_violation *d) {
    char here[256], before[256] = "";
    int outside = 0, unused = 0;
    int64_t wrong = 0, ignored = 0;
    SPC_TRY(write_indices(ctx, a, k, here, sizeof here, &outside, &wrong));
    if (k > 0) SPC_TRY(write_indices(ctx, a, k - 1, before, sizeof before, &unused, &ignored));
    if (k == d->range) {
        char dimension[16] = "";
        if (a->rank > 1) snprintf(dimension, sizeof dimension, "[%d]", outside);
        return spc_ctx_fail(ctx, SPARCL_E_DATA,
                            "validate: A.indices%s[%" PRId64 "] is %" PRId64
                            ", expected 0 to %" PRId64,
                            dimension, k, wrong, a->shape[outside] - 1);
    }
    if (k == d->unsorted)
        return spc_ctx_fail(ctx, SPARCL_E_DATA,
                            "validate: entry %" PRId64 " of A is %s after %s, expected ascending",
                            k, here, before);
    return spc_ctx_fail(
        ctx, SPARCL_E_DATA,
        "validate: entry %" PRId64 " of A is %s, a duplicate, expected each index once", k, here);
}

static sparcl_status finish_entries(sparcl_ctx *ctx, const sparcl_coo *a,
                                    const spc_violation *violation, uint32_t want,
                                    uint32_t *flags) {
    const int64_t place = first_violation(violation, want);
    if (place != SPC_NONE) return fail_entry(ctx, a, place, violation);
    *flags = proven_flags(violation);
    return SPARCL_OK;
}

static sparcl_status validate_entries(sparcl_ctx *ctx, const sparcl_coo *a, int64_t n,
                                      uint32_t want, uint32_t *flags) {
    spc_violation violation = {SPC_NONE, SPC_NONE, SPC_NONE};
    if (n > 0) SPC_TRY(spc_find_entry_violation(ctx, a, n, &violation));
    return finish_entries(ctx, a, &violation, want, flags);
}

static sparcl_status find_coo_proof(sparcl_ctx *ctx, const sparcl_coo *view, uint32_t want,
                                    sparcl_proof *proof) {
    int64_t n = 0;
    SPC_TRY(read_count(ctx, view->count, view->count_at, view->nnz, &n));
    SPC_TRY(validate_entries(ctx, view, n, want, &proof->flags));
    return check_finite(ctx, want, view->dtype, view->values, view->values_at, n);
}

/* A list of numbers below `limit` as a COO array of rank 1. */
static sparcl_coo as_coo(sparcl_buf *indices, int64_t at, sparcl_itype type, int64_t limit,
                         int64_t n) {
    return (sparcl_coo){.rank = 1,
                        .index_type = type,
                        .shape = {limit},
                        .nnz = n,
                        .indices = {indices},
                        .indices_at = {at}};
}

static sparcl_status find_rows_proof(sparcl_ctx *ctx, const sparcl_rows *view, uint32_t want,
                                     sparcl_proof *proof) {
    int64_t n = 0;
    SPC_TRY(read_count(ctx, view->count, view->count_at, view->nnr, &n));
    const sparcl_coo ids =
        as_coo(view->indices, view->indices_at, view->index_type, view->shape[0], n);
    SPC_TRY(validate_entries(ctx, &ids, n, want, &proof->flags));
    return check_finite(ctx, want, view->dtype, view->values, view->values_at,
                        n * spc_shape_width(view->rank, view->shape));
}

static sparcl_status find_list_proof(sparcl_ctx *ctx, const sparcl_list *view, uint32_t want,
                                     sparcl_proof *proof) {
    const sparcl_coo ids =
        as_coo(view->indices, view->indices_at, view->index_type, view->limit, view->count);
    spc_violation violation = {SPC_NONE, SPC_NONE, SPC_NONE};
    if (view->count > 0)
        SPC_TRY(spc_find_list_violation(ctx, &ids, view->count, want & SPARCL_UNIQUE, &violation));
    return finish_entries(ctx, &ids, &violation, want, &proof->flags);
}

/* --- every kind of view: unmarked first, so that it stays unmarked after a failure -------------
 */

#define VALIDATE_KIND(kind)                                                                        \
    sparcl_status sparcl_##kind##_validate(sparcl_ctx *ctx, sparcl_##kind *view, uint32_t want) {  \
        sparcl_proof found = {0};                                                                  \
        uint32_t trusted = 0;                                                                      \
        SPC_TRY(spc_check_want(ctx, "validate", want));                                            \
        if (view) {                                                                                \
            trusted = view->proof.flags & SPARCL_TRUSTED;                                          \
            view->proof = (sparcl_proof){0};                                                       \
        }                                                                                          \
        SPC_TRY(spc_check_##kind##_of(ctx, "validate", "A", view, SPC_ALL_TYPES));                 \
        SPC_TRY(find_##kind##_proof(ctx, view, want, &found));                                     \
        view->proof.flags = trusted;                                                               \
        spc_prove_##kind(view, found.flags);                                                       \
        view->proof.longest_row = found.longest_row;                                               \
        return SPARCL_OK;                                                                          \
    }

VALIDATE_KIND(csr)
VALIDATE_KIND(csc)
VALIDATE_KIND(coo)
VALIDATE_KIND(rows)
VALIDATE_KIND(bsr)
VALIDATE_KIND(list)
