/* row_major.c: products whose kernels are for row-major matrices, of matrices of any order. */
#include "ops/products/row_major.h"

#include "base/size.h"
#include "launch/scratch.h"
#include "ops/shared/partition.h"
#include "ops/shared/product.h"
#include "sparcl/ops/elements.h"

static bool is_column_major(const sparcl_dense *x) {
    return x->order == SPARCL_COLUMN_MAJOR;
}

/* Columns j .. j + n. */
static sparcl_dense columns_of(const sparcl_dense *x, int64_t j, int64_t n) {
    sparcl_dense part = *x;
    part.ld = spc_dense_ld(x);
    part.values_at += is_column_major(x) ? j * part.ld : j;
    part.shape[1] = n;
    return part;
}

/* One column has the elements of a row-major matrix with rows of one element. */
static sparcl_dense as_column(const sparcl_dense *x) {
    sparcl_dense column = *x;
    column.ld = is_column_major(x) ? 1 : spc_dense_ld(x);
    column.order = SPARCL_ROW_MAJOR;
    return column;
}

static sparcl_dense row_major_like(const sparcl_dense *x) {
    return (sparcl_dense){
        .rank = 2, .dtype = x->dtype, .shape = {x->shape[0], x->shape[1]}, .ld = 0};
}

static sparcl_status push(sparcl_ctx *ctx, const sparcl_dense *like, sparcl_dense *to) {
    *to = row_major_like(like);
    return spc_scratch_push(ctx, &to->values, to->shape[0] * to->shape[1],
                            sparcl_dtype_size(to->dtype));
}

sparcl_status spc_to_row_major(sparcl_ctx *ctx, const sparcl_dense *from, sparcl_dense *to) {
    *to = *from;
    if (!is_column_major(from)) return SPARCL_OK;
    if (from->shape[1] == 1) {
        *to = as_column(from);
        return SPARCL_OK;
    }
    SPC_TRY(push(ctx, from, to));
    return sparcl_copy(ctx, to, from);
}

/* C := the product; both have the columns of one panel. */
static sparcl_status multiply_panel(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                                    bool reads_c, spc_row_major_call call, const void *arguments) {
    sparcl_dense own_b, own_c = *c;
    SPC_TRY(spc_to_row_major(ctx, b, &own_b));
    if (!is_column_major(c)) return call(ctx, c, &own_b, arguments);
    SPC_TRY(push(ctx, c, &own_c));
    if (reads_c) SPC_TRY(sparcl_copy(ctx, &own_c, c));
    SPC_TRY(call(ctx, &own_c, &own_b, arguments));
    return sparcl_copy(ctx, c, &own_c);
}

static int64_t panel_capacity(const sparcl_dense *c, const sparcl_dense *b) {
    const int64_t size = (int64_t)sparcl_dtype_size(c->dtype);
    const int64_t rows =
        (is_column_major(c) ? c->shape[0] : 0) + (is_column_major(b) ? b->shape[0] : 0);
    return spc_max_i64(4, SPC_CARRY_BYTES / size / spc_max_i64(1, rows) / 16 * 16);
}

sparcl_status spc_in_row_major(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_dense *b,
                               bool reads_c, spc_row_major_call call, const void *arguments) {
    if (!is_column_major(c) && !is_column_major(b)) return call(ctx, c, b, arguments);
    const int64_t n = c->shape[1], capacity = panel_capacity(c, b);
    if (n == 1) {
        const sparcl_dense to = as_column(c), from = as_column(b);
        return call(ctx, &to, &from, arguments);
    }
    sparcl_status status = SPARCL_OK;
    for (int64_t j = 0, width; j < n && status == SPARCL_OK; j += width) {
        width = spc_panel_at(capacity, n, j);
        const sparcl_dense to = columns_of(c, j, width), from = columns_of(b, j, width);
        const int mark = spc_scratch_mark(ctx);
        status = multiply_panel(ctx, &to, &from, reads_c, call, arguments);
        spc_scratch_release(ctx, mark);
    }
    return status;
}
