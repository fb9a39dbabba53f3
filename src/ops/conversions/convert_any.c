/* convert_any.c: a matrix in any format to any other: by the conversion that there is, or by two,
 * with a CSR matrix in scratch memory between them. */
#include "base/size.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/moved.h"
#include "sparcl/ops.h"

static const char op[] = "convert";
static const char *const formats[] = {"dense", "csr", "csc", "coo", "row-sparse", "bsr"};

/* What a conversion gets besides its matrices. */
typedef struct settings {
    double threshold;
    const sparcl_moved *moved;
} settings;

/* --- checks ----------------------------------------------------------------------------------- */

static sparcl_status check_format(sparcl_ctx *ctx, const char *name, const sparcl_matrix *a) {
    if (!a) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    if ((unsigned)a->format < SPC_COUNT(formats)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the format of %s is %d, expected 0 to 5", op, name,
                        (int)a->format);
}

/* What every view has. */
typedef struct description {
    int rank;
    int64_t shape[2];
    sparcl_dtype dtype;
    spc_spans spans;
} description;

#define DESCRIBE_ARRAY(v, kind)                                                                    \
    (description) {                                                                                \
        (v)->rank, {(v)->shape[0], (v)->shape[1]}, (v)->dtype, spc_##kind##_spans(name, v)         \
    }
#define DESCRIBE_MATRIX(v, kind)                                                                   \
    (description) {                                                                                \
        2, {(v)->rows, (v)->cols}, (v)->dtype, spc_##kind##_spans(name, v)                         \
    }

/* The checked view; an operand must be proven VALID. */
#define CHECK(kind, describe)                                                                      \
    {                                                                                              \
        const sparcl_##kind *const v = &a->as.kind;                                                \
        SPC_TRY(spc_check_##kind##_of(ctx, op, name, v, SPC_ALL_TYPES));                           \
        if (is_operand) SPC_TRY(spc_need_##kind(ctx, op, name, v, SPARCL_VALID));                  \
        *d = describe(v, kind);                                                                    \
        break;                                                                                     \
    }

static sparcl_status describe(sparcl_ctx *ctx, const char *name, const sparcl_matrix *a,
                              bool is_operand, description *d) {
    SPC_TRY(check_format(ctx, name, a));
    switch (a->format) {
    case SPARCL_FORMAT_CSR:
        CHECK(csr, DESCRIBE_MATRIX)
    case SPARCL_FORMAT_CSC:
        CHECK(csc, DESCRIBE_MATRIX)
    case SPARCL_FORMAT_BSR:
        CHECK(bsr, DESCRIBE_MATRIX)
    case SPARCL_FORMAT_COO:
        CHECK(coo, DESCRIBE_ARRAY)
    case SPARCL_FORMAT_ROWS:
        CHECK(rows, DESCRIBE_ARRAY)
    default: {
        const sparcl_dense *const v = &a->as.dense;
        SPC_TRY(spc_check_dense_of(ctx, op, name, v, SPC_ALL_TYPES | SPC_ANY_ORDER));
        const spc_spans spans = {1, {spc_dense_span(name, v)}};
        *d = (description){v->rank, {v->shape[0], v->shape[1]}, v->dtype, spans};
    }
    }
    if (d->rank == 2) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s, %s, has rank %d, expected 2", op, name,
                        formats[a->format], d->rank);
}

static bool has_no_count(const sparcl_matrix *a) {
    return (a->format == SPARCL_FORMAT_COO && !a->as.coo.count) ||
           (a->format == SPARCL_FORMAT_ROWS && !a->as.rows.count);
}

/* All that could refuse the conversion after something was written. */
static sparcl_status check_pair(sparcl_ctx *ctx, const sparcl_matrix *to, const sparcl_matrix *from,
                                settings *s) {
    description result, operand;
    SPC_TRY(describe(ctx, SPC_TO, to, false, &result));
    SPC_TRY(describe(ctx, SPC_FROM, from, true, &operand));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, 2, result.shape, SPC_FROM, 2, operand.shape));
    if (to->format != SPARCL_FORMAT_DENSE || from->format != SPARCL_FORMAT_DENSE)
        SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, result.dtype, SPC_FROM, operand.dtype));
    if (has_no_count(to))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to`, %s, has no count, expected one", op,
                            formats[to->format]);
    SPC_TRY(spc_check_needed(ctx, op, &s->moved, &result.spans));
    return spc_check_spans(ctx, op, &result.spans, &operand.spans);
}

/* --- conversions that there are --------------------------------------------------------------- */

/* Where the size of the result does not depend on values, `capacity` entries are always enough. */
static sparcl_status write_needed(sparcl_ctx *ctx, const settings *s, int64_t capacity) {
    return s->moved->needed ? spc_write_count(ctx, s->moved->needed, s->moved->needed_at,
                                              (spc_items){.capacity = capacity})
                            : SPARCL_OK;
}

static sparcl_status to_dense(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_matrix *from) {
    switch (from->format) {
    case SPARCL_FORMAT_DENSE:
        return sparcl_copy(ctx, to, &from->as.dense);
    case SPARCL_FORMAT_CSR:
        return sparcl_csr_to_dense(ctx, to, &from->as.csr);
    case SPARCL_FORMAT_CSC:
        return sparcl_csc_to_dense(ctx, to, &from->as.csc);
    case SPARCL_FORMAT_COO:
        return sparcl_coo_to_dense(ctx, to, &from->as.coo);
    case SPARCL_FORMAT_ROWS:
        return sparcl_rows_to_dense(ctx, to, &from->as.rows);
    default:
        return sparcl_bsr_to_dense(ctx, to, &from->as.bsr);
    }
}

/* All entries, in their order. */
static sparcl_status copy_csr(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from,
                              const settings *s) {
    return sparcl_csr_prune(ctx, to, from, -1, s->moved);
}

static int64_t capacity_of(const sparcl_matrix *a) {
    switch (a->format) {
    case SPARCL_FORMAT_DENSE:
        return a->as.dense.shape[0] * a->as.dense.shape[1];
    case SPARCL_FORMAT_CSR:
        return a->as.csr.nnz;
    case SPARCL_FORMAT_CSC:
        return a->as.csc.nnz;
    case SPARCL_FORMAT_COO:
        return a->as.coo.nnz;
    case SPARCL_FORMAT_ROWS:
        return a->as.rows.nnr * a->as.rows.shape[1];
    default:
        return a->as.bsr.nnzb * a->as.bsr.block_rows * a->as.bsr.block_cols;
    }
}

static sparcl_status to_csr(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_matrix *from,
                            const settings *s) {
    switch (from->format) {
    case SPARCL_FORMAT_DENSE:
        return sparcl_dense_to_csr(ctx, to, &from->as.dense, s->threshold, s->moved);
    case SPARCL_FORMAT_CSR:
        return copy_csr(ctx, to, &from->as.csr, s);
    case SPARCL_FORMAT_ROWS:
        return sparcl_rows_to_csr(ctx, to, &from->as.rows, s->threshold, s->moved);
    case SPARCL_FORMAT_CSC:
        SPC_TRY(sparcl_csc_to_csr(ctx, to, &from->as.csc));
        break;
    case SPARCL_FORMAT_COO:
        SPC_TRY(sparcl_coo_to_csr(ctx, to, &from->as.coo));
        break;
    default:
        SPC_TRY(sparcl_bsr_to_csr(ctx, to, &from->as.bsr));
        break;
    }
    return write_needed(ctx, s, capacity_of(from));
}

static sparcl_status from_csr(sparcl_ctx *ctx, sparcl_matrix *to, const sparcl_csr *from,
                              const settings *s) {
    switch (to->format) {
    case SPARCL_FORMAT_DENSE:
        return sparcl_csr_to_dense(ctx, &to->as.dense, from);
    case SPARCL_FORMAT_CSR:
        return copy_csr(ctx, &to->as.csr, from, s);
    case SPARCL_FORMAT_ROWS:
        return sparcl_csr_to_rows(ctx, &to->as.rows, from, s->moved);
    case SPARCL_FORMAT_BSR:
        return sparcl_csr_to_bsr(ctx, &to->as.bsr, from, s->moved);
    case SPARCL_FORMAT_CSC:
        SPC_TRY(sparcl_csr_to_csc(ctx, &to->as.csc, from));
        break;
    default:
        SPC_TRY(sparcl_csr_to_coo(ctx, &to->as.coo, from));
        break;
    }
    return write_needed(ctx, s, from->nnz);
}

/* Those that are not from or to CSR; false: there is none. */
static bool convert_directly(sparcl_ctx *ctx, sparcl_matrix *to, const sparcl_matrix *from,
                             const settings *s, sparcl_status *status) {
    const sparcl_dense *const x = &from->as.dense;
    if (from->format == SPARCL_FORMAT_DENSE && to->format == SPARCL_FORMAT_COO) {
        *status = sparcl_dense_to_coo(ctx, &to->as.coo, x, s->threshold, s->moved);
    } else if (from->format == SPARCL_FORMAT_DENSE && to->format == SPARCL_FORMAT_ROWS) {
        *status = sparcl_dense_to_rows(ctx, &to->as.rows, x, s->threshold, s->moved);
    } else if (from->format == SPARCL_FORMAT_CSC && to->format == SPARCL_FORMAT_COO) {
        *status = sparcl_csc_to_coo(ctx, &to->as.coo, &from->as.csc);
        if (*status == SPARCL_OK) *status = write_needed(ctx, s, from->as.csc.nnz);
    } else if (from->format == SPARCL_FORMAT_COO && to->format == SPARCL_FORMAT_CSC) {
        *status = sparcl_coo_to_csc(ctx, &to->as.csc, &from->as.coo);
        if (*status == SPARCL_OK) *status = write_needed(ctx, s, from->as.coo.nnz);
    } else {
        return false;
    }
    return true;
}

/* --- by way of CSR ---------------------------------------------------------------------------- */

/* Does the number of entries depend on values? */
static bool by_threshold(const sparcl_matrix *from) {
    return from->format == SPARCL_FORMAT_DENSE || from->format == SPARCL_FORMAT_ROWS;
}

/* Entries that the result has no room for need not be made, but for rows and blocks, which may have
 * several. Then `needed` is known from the first step. */
static sparcl_status convert_by_csr(sparcl_ctx *ctx, sparcl_matrix *to, const sparcl_matrix *from,
                                    const settings *s) {
    const sparcl_moved nothing = {.needed = NULL};
    const settings none = {s->threshold, &nothing};
    const bool has_entries = to->format == SPARCL_FORMAT_CSC || to->format == SPARCL_FORMAT_COO;
    const bool cut = by_threshold(from) && has_entries;
    description d;
    SPC_TRY(describe(ctx, SPC_FROM, from, true, &d));
    sparcl_csr between = {
        .rows = d.shape[0], .cols = d.shape[1], .nnz = capacity_of(from), .dtype = d.dtype};
    if (cut) between.nnz = spc_min_i64(between.nnz, capacity_of(to));
    between.offset_type = spc_position_type(between.nnz);
    between.index_type = between.cols > INT32_MAX ? SPARCL_INDEX64 : SPARCL_INDEX32;
    SPC_TRY(spc_csr_push(ctx, &between));
    SPC_TRY(to_csr(ctx, &between, from, cut ? s : &none));
    return from_csr(ctx, to, &between, cut ? &none : s);
}

static sparcl_status convert(sparcl_ctx *ctx, sparcl_matrix *to, const sparcl_matrix *from,
                             const settings *s) {
    sparcl_status status = SPARCL_OK;
    if (to->format == SPARCL_FORMAT_DENSE) return to_dense(ctx, &to->as.dense, from);
    if (to->format == SPARCL_FORMAT_CSR) return to_csr(ctx, &to->as.csr, from, s);
    if (from->format == SPARCL_FORMAT_CSR) return from_csr(ctx, to, &from->as.csr, s);
    if (convert_directly(ctx, to, from, s, &status)) return status;
    const int mark = spc_scratch_mark(ctx);
    status = convert_by_csr(ctx, to, from, s);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_convert(sparcl_ctx *ctx, sparcl_matrix *to, const sparcl_matrix *from,
                             double threshold, const sparcl_moved *moved) {
    settings s = {threshold, moved};
    SPC_TRY(check_pair(ctx, to, from, &s));
    return convert(ctx, to, from, &s);
}
