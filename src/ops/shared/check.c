/* check.c: the checks of views on the host, common to all operations, and their messages. */
#include "ops/shared/check.h"

#include "base/size.h"

typedef long long ll; /* for %lld */

int64_t spc_shape_width(int rank, const int64_t *shape) {
    int64_t width = 1;
    for (int d = 1; d < rank; ++d)
        if (!spc_mul_i64(width, shape[d], &width)) return INT64_MAX;
    return width;
}

int64_t sparcl_row_width(int rank, const int64_t *shape) {
    return spc_shape_width(rank, shape);
}

/* Vectors that are contiguous in memory: the rows, or the columns of a column-major matrix. */
static int64_t vector_length(const sparcl_dense *view) {
    return view->order == SPARCL_COLUMN_MAJOR ? view->shape[0]
                                              : spc_shape_width(view->rank, view->shape);
}

static int64_t vector_count(const sparcl_dense *view) {
    return view->shape[view->order == SPARCL_COLUMN_MAJOR];
}

int64_t spc_dense_ld(const sparcl_dense *view) {
    return view->ld ? view->ld : vector_length(view);
}

sparcl_dense spc_dense_transposed(const sparcl_dense *view) {
    sparcl_dense t = *view;
    t.shape[0] = view->shape[1];
    t.shape[1] = view->shape[0];
    t.ld = spc_dense_ld(view);
    t.order = view->order == SPARCL_COLUMN_MAJOR ? SPARCL_ROW_MAJOR : SPARCL_COLUMN_MAJOR;
    return t;
}

static sparcl_status check_dtype(sparcl_ctx *ctx, const char *op, const char *name,
                                 sparcl_dtype dtype, spc_types types) {
    static const char *const expected[] = {"SPARCL_F32 or F64", "SPARCL_F32, F64, F16 or BF16",
                                           "SPARCL_F32 to SPARCL_BOOL"};
    static const sparcl_dtype last[] = {SPARCL_F64, SPARCL_BF16, SPARCL_BOOL};
    const int numbers = (int)types & ~(int)SPC_ANY_ORDER;
    if (!ctx) return SPARCL_E_ARG;
    if ((unsigned)dtype > (unsigned)last[numbers])
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: %s has element type %d (%s), expected %s", op,
                            name, (int)dtype, spc_dtype_name(dtype), expected[numbers]);
    if (dtype == SPARCL_F64 && !sparcl_ctx_device(ctx)->has_f64)
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "%s: %s is float64, which %s does not support", op, name,
                            sparcl_ctx_device(ctx)->name);
    return SPARCL_OK;
}

static sparcl_status check_itype(sparcl_ctx *ctx, const char *op, const char *name,
                                 sparcl_itype itype, int64_t largest) {
    if (!ctx) return SPARCL_E_ARG;
    if (itype != SPARCL_INDEX32 && itype != SPARCL_INDEX64)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: %s has index type %d, expected SPARCL_INDEX32 or I64", op, name,
                            (int)itype);
    if (itype == SPARCL_INDEX32 && largest > INT32_MAX)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: %s has 32-bit indices, expected 64-bit ones for a size of %lld",
                            op, name, (ll)largest);
    return SPARCL_OK;
}

static sparcl_status check_reserved(sparcl_ctx *ctx, const char *op, const char *name,
                                    const uint64_t *reserved) {
    if (reserved[0] || reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of %s are not zero", op,
                            name);
    return SPARCL_OK;
}

/* A view whose arrays are checked. */
typedef struct operand {
    sparcl_ctx *ctx;
    const char *op, *name;
    const char *kind; /* in the names of the functions that make it */
} operand;

static sparcl_status refuse_array(const operand *o, const char *array, const sparcl_buf *buf,
                                  int64_t at, int64_t count, size_t size) {
    if (!buf && at >= 0)
        return spc_ctx_fail(o->ctx, SPARCL_E_SHAPE,
                            "%s: %s has no buffer yet for its %s (%lld elements of %zu bytes): "
                            "sparcl_%s_create or sparcl_%s_upload makes it",
                            o->op, o->name, array, (ll)count, size, o->kind, o->kind);
    return spc_ctx_fail(o->ctx, SPARCL_E_SHAPE,
                        "%s: %s needs %lld elements of %zu bytes from %lld on for its %s, the "
                        "buffer has %lld bytes",
                        o->op, o->name, (ll)count, size, (ll)at, array, (ll)sparcl_buf_bytes(buf));
}

static sparcl_status check_array(const operand *o, const char *array, const sparcl_buf *buf,
                                 int64_t at, int64_t count, size_t size) {
    if (!spc_buf_belongs(buf, o->ctx))
        return spc_ctx_fail(o->ctx, SPARCL_E_ARG,
                            "%s: %s has its %s in a buffer of another context", o->op, o->name,
                            array);
    return spc_buf_holds(buf, at, count, size) ? SPARCL_OK
                                               : refuse_array(o, array, buf, at, count, size);
}

sparcl_status spc_check_buf(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_buf *buf, int64_t at, int64_t count, size_t size) {
    if (!spc_buf_belongs(buf, ctx))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the buffer of %s belongs to another context",
                            op, name);
    if (spc_buf_holds(buf, at, count, size)) return SPARCL_OK;
    if (!buf && at >= 0)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has no buffer yet (%lld elements of %zu bytes): "
                            "sparcl_buf_create or sparcl_buf_upload makes it",
                            op, name, (ll)count, size);
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: %s needs %lld elements of %zu bytes from %lld on, the buffer has %lld "
                        "bytes",
                        op, name, (ll)count, size, (ll)at, (ll)sparcl_buf_bytes(buf));
}

static sparcl_status check_shape(sparcl_ctx *ctx, const char *op, const char *name, int rank,
                                 const int64_t *shape) {
    if (rank < 1 || rank > SPARCL_MAX_RANK)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has rank %d, expected 1 to %d", op, name,
                            rank, SPARCL_MAX_RANK);
    for (int d = 0; d < rank; ++d)
        if (shape[d] < 0)
            return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                                "%s: %s has %lld as size of dimension %d, expected 0 or more", op,
                                name, (ll)shape[d], d);
    return SPARCL_OK;
}

int64_t spc_dense_count(const sparcl_dense *view) {
    const int64_t length = vector_length(view), count = vector_count(view);
    return count > 0 && length > 0 ? (count - 1) * spc_dense_ld(view) + length : 0;
}

static sparcl_status check_order(sparcl_ctx *ctx, const char *op, const char *name,
                                 const sparcl_dense *view, spc_types types) {
    if (view->order == SPARCL_ROW_MAJOR) return SPARCL_OK;
    if (view->order != SPARCL_COLUMN_MAJOR)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the order of %s is %d, which is unknown", op,
                            name, (int)view->order);
    if (!(types & SPC_ANY_ORDER))
        return spc_ctx_fail(ctx, SPARCL_E_UNSUPPORTED,
                            "%s: %s is column-major, expected row-major (sparcl_copy converts it)",
                            op, name);
    if (view->rank != 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s is column-major and has rank %d, expected 2", op, name,
                            view->rank);
    return SPARCL_OK;
}

static sparcl_status check_dense_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                       const sparcl_dense *view, spc_types types) {
    int64_t elements = 0;
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    SPC_TRY(check_reserved(ctx, op, name, view->reserved));
    SPC_TRY(check_shape(ctx, op, name, view->rank, view->shape));
    SPC_TRY(check_dtype(ctx, op, name, view->dtype, types));
    SPC_TRY(check_order(ctx, op, name, view, types));
    const int64_t length = vector_length(view), count = vector_count(view);
    const int64_t ld = spc_dense_ld(view);
    if (ld < length)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has %s of %lld elements and ld %lld, expected ld to be no less",
                            op, name, view->order == SPARCL_COLUMN_MAJOR ? "columns" : "rows",
                            (ll)length, (ll)ld);
    if (count > 0 && length > 0 &&
        (!spc_mul_i64(count - 1, ld, &elements) || !spc_add_i64(elements, length, &elements)))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has more elements than fit in memory", op,
                            name);
    return SPARCL_OK;
}

sparcl_status spc_check_dense_of(sparcl_ctx *ctx, const char *op, const char *name,
                                 const sparcl_dense *view, spc_types types) {
    const operand o = {ctx, op, name, "dense"};
    SPC_TRY(check_dense_shape(ctx, op, name, view, types));
    return check_array(&o, "values", view->values, view->values_at, spc_dense_count(view),
                       sparcl_dtype_size(view->dtype));
}

/* CSR, and CSC as the CSR view of its transpose. */
static sparcl_status check_compressed_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                            const sparcl_csr *view, bool is_csc, spc_types types) {
    if (view->rows < 0 || view->cols < 0 || view->nnz < 0)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s is %lld x %lld with %lld entries, expected sizes of 0 or more",
                            op, name, (ll)(is_csc ? view->cols : view->rows),
                            (ll)(is_csc ? view->rows : view->cols), (ll)view->nnz);
    SPC_TRY(check_reserved(ctx, op, name, view->reserved));
    SPC_TRY(check_dtype(ctx, op, name, view->dtype, types));
    SPC_TRY(check_itype(ctx, op, name, view->offset_type, view->nnz));
    return check_itype(ctx, op, name, view->index_type, view->cols);
}

/* One more than rows; check_array refuses the most there can be. */
static int64_t offset_count(int64_t rows) {
    return spc_min_i64(rows, INT64_MAX - 1) + 1;
}

static sparcl_status check_compressed(sparcl_ctx *ctx, const char *op, const char *name,
                                      const sparcl_csr *view, bool is_csc, spc_types types) {
    const operand o = {ctx, op, name, is_csc ? "csc" : "csr"};
    SPC_TRY(check_compressed_shape(ctx, op, name, view, is_csc, types));
    SPC_TRY(check_array(&o, "offsets", view->offsets, view->offsets_at, offset_count(view->rows),
                        sparcl_itype_size(view->offset_type)));
    SPC_TRY(check_array(&o, "indices", view->indices, view->indices_at, view->nnz,
                        sparcl_itype_size(view->index_type)));
    return check_array(&o, "values", view->values, view->values_at, view->nnz,
                       sparcl_dtype_size(view->dtype));
}

sparcl_csr spc_csc_transposed(const sparcl_csc *view) {
    return (sparcl_csr){.rows = view->cols,
                        .cols = view->rows,
                        .nnz = view->nnz,
                        .dtype = view->dtype,
                        .offset_type = view->offset_type,
                        .index_type = view->index_type,
                        .offsets = view->offsets,
                        .indices = view->indices,
                        .values = view->values,
                        .offsets_at = view->offsets_at,
                        .indices_at = view->indices_at,
                        .values_at = view->values_at,
                        .reserved = {view->reserved[0], view->reserved[1]}};
}

sparcl_status spc_check_csr_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_csr *view) {
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    return check_compressed_shape(ctx, op, name, view, false, SPC_ALL_TYPES);
}

sparcl_status spc_check_csr_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_csr *view, spc_types types) {
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    return check_compressed(ctx, op, name, view, false, types);
}

sparcl_status spc_check_csc_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_csc *view) {
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    const sparcl_csr transposed = spc_csc_transposed(view);
    return check_compressed_shape(ctx, op, name, &transposed, true, SPC_ALL_TYPES);
}

sparcl_status spc_check_csc_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_csc *view, spc_types types) {
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    const sparcl_csr transposed = spc_csc_transposed(view);
    return check_compressed(ctx, op, name, &transposed, true, types);
}

sparcl_csr spc_bsr_pattern(const sparcl_bsr *view) {
    return (sparcl_csr){.rows = view->rows / view->block_rows,
                        .cols = view->cols / view->block_cols,
                        .nnz = view->nnzb,
                        .dtype = view->dtype,
                        .offset_type = view->offset_type,
                        .index_type = view->index_type,
                        .offsets = view->offsets,
                        .indices = view->indices,
                        .values = view->values,
                        .offsets_at = view->offsets_at,
                        .indices_at = view->indices_at,
                        .values_at = view->values_at,
                        .reserved = {view->reserved[0], view->reserved[1]}};
}

int64_t spc_bsr_count(const sparcl_bsr *view) {
    return view->nnzb * view->block_rows * view->block_cols;
}

static sparcl_status check_bsr_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                     const sparcl_bsr *view, spc_types types) {
    int64_t count = 0;
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    if (view->block_rows < 1 || view->block_cols < 1 || view->rows < 0 || view->cols < 0 ||
        view->rows % view->block_rows || view->cols % view->block_cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s is %lld x %lld with blocks of %lld x %lld, expected multiples "
                            "of the size of a block",
                            op, name, (ll)view->rows, (ll)view->cols, (ll)view->block_rows,
                            (ll)view->block_cols);
    const sparcl_csr pattern = spc_bsr_pattern(view);
    SPC_TRY(check_compressed_shape(ctx, op, name, &pattern, false, types));
    if (!spc_mul_i64(view->block_rows, view->block_cols, &count) ||
        !spc_mul_i64(view->nnzb, count, &count))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has more elements than fit in memory", op,
                            name);
    return SPARCL_OK;
}

sparcl_status spc_check_bsr_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_bsr *view, spc_types types) {
    const operand o = {ctx, op, name, "bsr"};
    SPC_TRY(check_bsr_shape(ctx, op, name, view, types));
    SPC_TRY(check_array(&o, "offsets", view->offsets, view->offsets_at,
                        offset_count(view->rows / view->block_rows),
                        sparcl_itype_size(view->offset_type)));
    SPC_TRY(check_array(&o, "indices", view->indices, view->indices_at, view->nnzb,
                        sparcl_itype_size(view->index_type)));
    return check_array(&o, "values", view->values, view->values_at, spc_bsr_count(view),
                       sparcl_dtype_size(view->dtype));
}

static sparcl_status check_coo_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                     const sparcl_coo *view, spc_types types) {
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    SPC_TRY(check_reserved(ctx, op, name, view->reserved));
    SPC_TRY(check_shape(ctx, op, name, view->rank, view->shape));
    SPC_TRY(check_dtype(ctx, op, name, view->dtype, types));
    if (view->nnz < 0)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has %lld entries, expected 0 or more", op,
                            name, (ll)view->nnz);
    for (int d = 0; d < view->rank; ++d)
        SPC_TRY(check_itype(ctx, op, name, view->index_type, view->shape[d]));
    return SPARCL_OK;
}

sparcl_status spc_check_coo_of(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_coo *view, spc_types types) {
    const operand o = {ctx, op, name, "coo"};
    SPC_TRY(check_coo_shape(ctx, op, name, view, types));
    for (int d = 0; d < view->rank; ++d)
        SPC_TRY(check_array(&o, "indices", view->indices[d], view->indices_at[d], view->nnz,
                            sparcl_itype_size(view->index_type)));
    if (view->count) SPC_TRY(check_array(&o, "count", view->count, view->count_at, 1, 8));
    return check_array(&o, "values", view->values, view->values_at, view->nnz,
                       sparcl_dtype_size(view->dtype));
}

static sparcl_status check_rows_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                      const sparcl_rows *view, spc_types types) {
    int64_t count = 0;
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    SPC_TRY(check_reserved(ctx, op, name, view->reserved));
    SPC_TRY(check_shape(ctx, op, name, view->rank, view->shape));
    SPC_TRY(check_dtype(ctx, op, name, view->dtype, types));
    SPC_TRY(check_itype(ctx, op, name, view->index_type, view->shape[0]));
    const int64_t width = spc_shape_width(view->rank, view->shape);
    if (view->nnr < 0)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has %lld stored rows, expected 0 or more",
                            op, name, (ll)view->nnr);
    if (!spc_mul_i64(view->nnr, width, &count))
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE,
            "%s: %s has %lld stored rows of %lld elements, which do not fit in memory", op, name,
            (ll)view->nnr, (ll)width);
    return SPARCL_OK;
}

sparcl_status spc_check_rows_of(sparcl_ctx *ctx, const char *op, const char *name,
                                const sparcl_rows *view, spc_types types) {
    const operand o = {ctx, op, name, "rows"};
    SPC_TRY(check_rows_shape(ctx, op, name, view, types));
    SPC_TRY(check_array(&o, "indices", view->indices, view->indices_at, view->nnr,
                        sparcl_itype_size(view->index_type)));
    if (view->count) SPC_TRY(check_array(&o, "count", view->count, view->count_at, 1, 8));
    return check_array(&o, "values", view->values, view->values_at,
                       view->nnr * spc_shape_width(view->rank, view->shape),
                       sparcl_dtype_size(view->dtype));
}

sparcl_status spc_check_list_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                   const sparcl_list *view) {
    if (!view) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
    if (view->count < 0 || view->limit < 0)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has %lld numbers below %lld, expected both to be 0 or more", op,
                            name, (ll)view->count, (ll)view->limit);
    SPC_TRY(check_reserved(ctx, op, name, view->reserved));
    return check_itype(ctx, op, name, view->index_type, view->limit);
}

sparcl_status spc_check_list(sparcl_ctx *ctx, const char *op, const char *name,
                             const sparcl_list *view) {
    const operand o = {ctx, op, name, "list"};
    SPC_TRY(spc_check_list_shape(ctx, op, name, view));
    return check_array(&o, "indices", view->indices, view->indices_at, view->count,
                       sparcl_itype_size(view->index_type));
}

sparcl_status spc_check_dense_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                    const sparcl_dense *view) {
    return check_dense_shape(ctx, op, name, view, SPC_ALL_TYPES);
}

sparcl_status spc_check_dense(sparcl_ctx *ctx, const char *op, const char *name,
                              const sparcl_dense *view) {
    return spc_check_dense_of(ctx, op, name, view, SPC_REALS);
}

sparcl_status spc_check_coo_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_coo *view) {
    return check_coo_shape(ctx, op, name, view, SPC_ALL_TYPES);
}

sparcl_status spc_check_coo(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_coo *view) {
    return spc_check_coo_of(ctx, op, name, view, SPC_REALS);
}

sparcl_status spc_check_rows_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                   const sparcl_rows *view) {
    return check_rows_shape(ctx, op, name, view, SPC_ALL_TYPES);
}

sparcl_status spc_check_rows(sparcl_ctx *ctx, const char *op, const char *name,
                             const sparcl_rows *view) {
    return spc_check_rows_of(ctx, op, name, view, SPC_REALS);
}

sparcl_status spc_check_csr(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_csr *view) {
    return spc_check_csr_of(ctx, op, name, view, SPC_REALS);
}

sparcl_status spc_check_csc(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_csc *view) {
    return spc_check_csc_of(ctx, op, name, view, SPC_REALS);
}

sparcl_status spc_check_bsr_shape(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_bsr *view) {
    return check_bsr_shape(ctx, op, name, view, SPC_ALL_TYPES);
}

sparcl_status spc_check_bsr(sparcl_ctx *ctx, const char *op, const char *name,
                            const sparcl_bsr *view) {
    return spc_check_bsr_of(ctx, op, name, view, SPC_REALS);
}
