/* gemm_run.c: a dense product of checked views, by our own kernel or by CLBlast. */
#include "base/size.h"
#include "launch/blas.h"
#include "launch/launch.h"
#include "launch/scratch.h"
#include "ops/products/gemm.h"
#include "ops/shared/check.h"
#include "ops/shared/halves.h"
#include "ops/shared/partition.h"
#include "ops/shared/product.h"

/* Minimum multiplications per CPU worker; rows and columns of a tile: see cl/gemm.cl. */
#define CPU_GRAIN        65536
#define CPU_TILE         4
#define CPU_PANEL        32
#define GPU_SQUARE       32
/* GPU class: with fewer squares of C per compute unit, and more blocks of k, each block of a square
 * has a group of its own. */
#define SQUARES_PER_UNIT 4
#define BLOCKS_IN_TURN   4
/* Loop iterations for a block of a row, with the reduction of its eight sums (50 observed on
 * llvmpipe). */
#define GEMV_ITERATIONS  50

/* op(A) [m, k] and op(B) [k, n], with the strides of their rows and columns. */
typedef struct product {
    const sparcl_dense *a, *b, *c;
    sparcl_op op_a, op_b;
    int64_t m, n, k;
    int64_t a_row, a_step, b_step, b_col;
    double alpha, beta;
} product;

static product describe(const spc_gemm *g) {
    const bool ta = g->op_a == SPARCL_OP_T, tb = g->op_b == SPARCL_OP_T;
    const int64_t lda = spc_dense_ld(g->a), ldb = spc_dense_ld(g->b);
    return (product){.a = g->a,
                     .b = g->b,
                     .c = g->c,
                     .op_a = g->op_a,
                     .op_b = g->op_b,
                     .m = g->c->shape[0],
                     .n = g->c->shape[1],
                     .k = g->a->shape[!ta],
                     .a_row = ta ? 1 : lda,
                     .a_step = ta ? lda : 1,
                     .b_step = tb ? 1 : ldb,
                     .b_col = tb ? ldb : 1,
                     .alpha = g->alpha,
                     .beta = g->beta};
}

static int64_t count_squares(const product *p) {
    return spc_ceil_div(p->m, GPU_SQUARE) * spc_ceil_div(p->n, GPU_SQUARE);
}

static spc_range find_range(const sparcl_ctx *ctx, const product *p) {
    if (spc_ctx_is_gpu(ctx))
        return spc_range_groups(ctx,
                                p->n == 1 ? spc_ceil_div(p->m, SPC_GROUP / 8) : count_squares(p));
    const double work = (double)p->m * (double)p->n * (double)p->k; /* may exceed int64 */
    const int64_t units = work < 1e18 ? (int64_t)work : (int64_t)1e18;
    const int64_t tiles = spc_ceil_div(p->m, CPU_TILE) * spc_ceil_div(p->n, CPU_PANEL);
    return spc_range_groups(ctx, spc_min_i64(tiles, spc_workers(ctx, units, CPU_GRAIN)));
}

/* The transpose of a view, packed, in scratch memory, as F32 or F64. */
static sparcl_status transpose(sparcl_ctx *ctx, const sparcl_dense *from, sparcl_dense *to) {
    const int64_t rows = from->shape[1], cols = from->shape[0];
    *to = (sparcl_dense){.rank = 2, .shape = {rows, cols}};
    to->dtype = spc_is_half(from->dtype) ? SPARCL_F32 : from->dtype;
    SPC_TRY(spc_scratch_push(ctx, &to->values, rows * cols, sparcl_dtype_size(to->dtype)));
    return SPC_LAUNCH(ctx, "panel+gemm", spc_options(from->dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                      "transpose", spc_range_each(ctx, rows * cols), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(spc_dense_ld(from)), SPC_OUT(to->values),
                      SPC_I64(rows), SPC_I64(cols));
}

static sparcl_status own_operand(sparcl_ctx *ctx, const sparcl_dense *from, sparcl_op op,
                                 sparcl_dense *to) {
    return op == SPARCL_OP_T ? transpose(ctx, from, to) : spc_widen(ctx, from, true, to);
}

/* Wide cores read op(A) along k and op(B) in vectors along its columns, as F32 or F64: operands in
 * another layout or type are copied first. (One column has kernels for all.) */
static sparcl_status copy_operands(sparcl_ctx *ctx, product *p, sparcl_dense own[2]) {
    const bool is_half = spc_is_half(p->c->dtype);
    if (spc_ctx_is_gpu(ctx) || p->n == 1 || p->k == 0) return SPARCL_OK;
    if (p->op_a == SPARCL_OP_T || is_half) {
        SPC_TRY(own_operand(ctx, p->a, p->op_a, &own[0]));
        p->a = &own[0];
        p->a_row = p->k;
        p->a_step = 1;
    }
    if (p->op_b == SPARCL_OP_T || is_half) {
        SPC_TRY(own_operand(ctx, p->b, p->op_b, &own[1]));
        p->b = &own[1];
        p->b_step = p->n;
        p->b_col = 1;
    }
    return SPARCL_OK;
}

/* Loop iterations of one work-item. The rows of a tile of gemv are summed one after another; in
 * gemm, the vectors of a panel's columns are. A lane of a GPU group also loads its slices of local
 * memory. */
int64_t spc_gemm_iterations(const sparcl_ctx *ctx, const spc_gemm *g) {
    const product described = describe(g), *const p = &described;
    if (p->k > INT32_MAX) return p->k;
    if (spc_ctx_is_gpu(ctx)) return p->n == 1 ? p->k / 7 : p->k * 11;
    if (p->n == 1) return spc_min_i64(p->m, 16) * spc_ceil_div(p->k, 256) * GEMV_ITERATIONS;
    int vectors = 0;
    for (int64_t rest = p->n % CPU_PANEL; rest > 0; rest /= 2)
        vectors += (int)(rest % 2);
    return spc_max_i64(1, vectors) * (p->k + spc_ceil_div(p->k, 256) + CPU_TILE);
}

#define SIDES(p)                                                                                   \
    SPC_IN((p)->a->values), SPC_I64((p)->a->values_at), SPC_I64((p)->a_row), SPC_I64((p)->a_step), \
        SPC_IN((p)->b->values), SPC_I64((p)->b->values_at), SPC_I64((p)->b_step),                  \
        SPC_I64((p)->b_col), SPC_OUT((p)->c->values), SPC_I64((p)->c->values_at),                  \
        SPC_I64(spc_dense_ld((p)->c)), SPC_I64((p)->m), SPC_I64((p)->n), SPC_I64((p)->k),          \
        SPC_REAL((p)->c->dtype, (p)->alpha), SPC_REAL((p)->c->dtype, (p)->beta)

static uint32_t options_of(const product *p) {
    return spc_options(p->c->dtype, SPARCL_INDEX32, SPARCL_INDEX32);
}

/* A group for each square of each block of k, then the sums of blocks are added in order. */
static sparcl_status launch_blocks(sparcl_ctx *ctx, const product *p, int64_t blocks) {
    sparcl_buf *sums = NULL;
    SPC_TRY(spc_scratch_push(ctx, &sums, blocks * p->m * p->n, spc_real_size(p->c->dtype)));
    SPC_TRY(SPC_LAUNCH(ctx, "panel+gemm", options_of(p), "gemm",
                       spc_range_groups(ctx, count_squares(p) * blocks), SIDES(p), SPC_OUT(sums),
                       SPC_I32(1)));
    return SPC_LAUNCH(ctx, "panel+gemm", options_of(p), "gemm_add",
                      spc_range_each(ctx, p->m * p->n), SPC_IN(sums), SPC_I64(blocks),
                      SPC_OUT(p->c->values), SPC_I64(p->c->values_at), SPC_I64(spc_dense_ld(p->c)),
                      SPC_I64(p->m), SPC_I64(p->n), SPC_REAL(p->c->dtype, p->alpha),
                      SPC_REAL(p->c->dtype, p->beta));
}

static sparcl_status launch_squares(sparcl_ctx *ctx, const product *p) {
    const int64_t blocks = spc_ceil_div(p->k, SPC_ROW_BLOCK), squares = count_squares(p);
    const int64_t sums = SPC_CARRY_BYTES / (int64_t)spc_real_size(p->c->dtype);
    if (squares < spc_ctx_units(ctx) * SQUARES_PER_UNIT && blocks > BLOCKS_IN_TURN &&
        blocks <= sums / (p->m * p->n))
        return launch_blocks(ctx, p, blocks);
    return SPC_LAUNCH(ctx, "panel+gemm", options_of(p), "gemm", spc_range_groups(ctx, squares),
                      SIDES(p), SPC_OUT(p->c->values), SPC_I32(0));
}

sparcl_status spc_gemm_exact(sparcl_ctx *ctx, const spc_gemm *g) {
    product p = describe(g);
    const int mark = spc_scratch_mark(ctx);
    sparcl_dense own[2];
    sparcl_status status = SPARCL_OK;
    SPC_GO(copy_operands(ctx, &p, own));
    if (spc_ctx_is_gpu(ctx) && p.n > 1)
        SPC_GO(launch_squares(ctx, &p));
    else
        SPC_GO(SPC_LAUNCH(ctx, "panel+gemm", options_of(&p), p.n == 1 ? "gemv" : "gemm",
                          find_range(ctx, &p), SIDES(&p)));
done:
    spc_scratch_release(ctx, mark);
    return status;
}

bool spc_gemm_fast(sparcl_ctx *ctx, const spc_gemm *g) {
    const product described = describe(g), *const p = &described;
    if (p->k == 0) return false;
    const spc_blas_job job = {.dtype = p->c->dtype,
                              .transpose_a = p->op_a == SPARCL_OP_T,
                              .transpose_b = p->op_b == SPARCL_OP_T,
                              .m = p->m,
                              .n = p->n,
                              .k = p->k,
                              .alpha = p->alpha,
                              .beta = p->beta,
                              .a = p->a->values,
                              .b = p->b->values,
                              .c = p->c->values,
                              .a_at = p->a->values_at,
                              .b_at = p->b->values_at,
                              .c_at = p->c->values_at,
                              .lda = spc_dense_ld(p->a),
                              .ldb = spc_dense_ld(p->b),
                              .ldc = spc_dense_ld(p->c)};
    return spc_blas_gemm(ctx, &job);
}
