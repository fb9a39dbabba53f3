/* norm.c: layer normalisation (of rows) and batch normalisation (of columns), and their gradients.
 */
#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/check.h"
#include "ops/shared/partition.h"
#include "ops/shared/rows.h"
#include "sparcl/ops/layers.h"

typedef long long ll; /* for %lld */

#define LAYER_PROGRAM "panel+stage+products+elements+norm+row_teams+layer_norm"
#define BATCH_PROGRAM "panel+stage+products+elements+norm+batch_norm"

/* Many lanes: columns of a group, as in cl/norm.cl. */
#define GROUP_COLUMNS  32
#define FINISH_COLUMNS 8

/* What cl/norm.cl adds over the rows. */
enum { SUMS = 0, SQUARES = 1, GRADIENTS = 2 };

/* The arrays of a call; those that it does not have are NULL. */
typedef struct norm {
    const char *op;
    bool of_rows;
    const sparcl_dense *x, *gy, *gamma, *beta;                                    /* operands */
    const sparcl_dense *y, *gx, *ggamma, *gbeta;                                  /* results */
    const sparcl_dense *mean, *rstd, *variance, *running_mean, *running_variance; /* statistics */
    bool reads_statistics, has_sums; /* has_sums: the sums of blocks of rows are there */
    double epsilon, momentum;
} norm;

static sparcl_dtype statistics_type(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? SPARCL_F64 : SPARCL_F32;
}

/* --- checks -------------------------------------------------------------------------------------
 */

static sparcl_status check_type(const norm *job, sparcl_ctx *ctx, const char *name,
                                const sparcl_dense *array, sparcl_dtype dtype) {
    SPC_TRY(spc_check_dense_of(ctx, job->op, name, array, SPC_FLOATS));
    if (array->dtype == dtype) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: %s is %s, expected %s", job->op, name,
                        spc_dtype_name(array->dtype), spc_dtype_name(dtype));
}

static sparcl_status check_matrix(const norm *job, sparcl_ctx *ctx, const char *name,
                                  const sparcl_dense *array) {
    if (!array) return SPARCL_OK;
    SPC_TRY(check_type(job, ctx, name, array, job->x->dtype));
    return spc_check_same_shape(ctx, job->op, name, array->rank, array->shape, "X", 2,
                                job->x->shape);
}

static sparcl_status check_vector(const norm *job, sparcl_ctx *ctx, const char *name,
                                  const sparcl_dense *array, sparcl_dtype dtype, int64_t count) {
    if (!array) return SPARCL_OK;
    SPC_TRY(check_type(job, ctx, name, array, dtype));
    if (array->rank == 1 && array->shape[0] == count && spc_dense_ld(array) == 1) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: %s has rank %d and %lld elements, expected %lld packed elements",
                        job->op, name, array->rank, (ll)array->shape[0], (ll)count);
}

typedef struct named {
    const char *name;
    const sparcl_dense *array;
    bool is_result;
} named;

/* No result overlaps another array. */
static sparcl_status check_overlaps(const norm *job, sparcl_ctx *ctx, const named *all, int count) {
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < count; ++k) {
            if (k == i || !all[i].is_result || !all[i].array || !all[k].array) continue;
            const spc_span result = spc_dense_span(all[i].name, all[i].array);
            const spc_span other = spc_dense_span(all[k].name, all[k].array);
            SPC_TRY(spc_check_alias(ctx, job->op, &result, &other, 1));
        }
    return SPARCL_OK;
}

static sparcl_status check_norm(sparcl_ctx *ctx, const norm *job) {
    SPC_TRY(spc_check_dense_of(ctx, job->op, "X", job->x, SPC_FLOATS));
    if (job->x->rank != 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: X has rank %d, expected 2", job->op,
                            job->x->rank);
    const int64_t m = job->x->shape[0], n = job->x->shape[1], own = job->of_rows ? m : n;
    const sparcl_dtype dtype = job->x->dtype, type = statistics_type(dtype);
    const bool writes = !job->reads_statistics;
    const named all[] = {{"X", job->x, false},
                         {"Y", job->y, true},
                         {"GY", job->gy, false},
                         {"GX", job->gx, true},
                         {"gamma", job->gamma, false},
                         {"beta", job->beta, false},
                         {"GGAMMA", job->ggamma, true},
                         {"GBETA", job->gbeta, true},
                         {"the mean", job->mean, writes},
                         {"rstd", job->rstd, writes},
                         {"the variance", job->variance, false},
                         {"the running mean", job->running_mean, true},
                         {"the running variance", job->running_variance, true}};
    for (int i = 1; i < 4; ++i)
        SPC_TRY(check_matrix(job, ctx, all[i].name, all[i].array));
    for (int i = 4; i < 8; ++i)
        SPC_TRY(check_vector(job, ctx, all[i].name, all[i].array, dtype, n));
    for (int i = 8; i < (int)SPC_COUNT(all); ++i)
        SPC_TRY(check_vector(job, ctx, all[i].name, all[i].array, type, own));
    if (!(job->epsilon >= 0))
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: epsilon is %g, expected 0 or more", job->op,
                            job->epsilon);
    SPC_TRY(check_overlaps(job, ctx, all, (int)SPC_COUNT(all)));
    const int64_t blocks = spc_ceil_div(m, SPC_ROW_BLOCK);
    SPC_TRY(spc_check_iterations(ctx, job->op, blocks + blocks / 8));
    return job->of_rows ? spc_check_iterations(ctx, job->op, n > INT32_MAX ? n : 4 * n) : SPARCL_OK;
}

/* An array that a call must have. */
static sparcl_status need(sparcl_ctx *ctx, const char *op, const char *name,
                          const sparcl_dense *array) {
    if (array) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: %s is NULL", op, name);
}

/* --- launches -----------------------------------------------------------------------------------
 */

#define MATRIX(kind, v) kind((v)->values), SPC_I64((v)->values_at), SPC_I64(spc_dense_ld(v))
#define VECTOR(kind, v) kind((v) ? (v)->values : NULL), SPC_I64((v) ? (v)->values_at : 0)

/* Teams of eight lanes, or a worker for some rows. */
static spc_range range_of_rows(const sparcl_ctx *ctx, int64_t m, int64_t n) {
    if (!spc_ctx_is_gpu(ctx)) return spc_range_rows(ctx, m, n);
    return spc_range_each(ctx, 8 * m);
}

static sparcl_status launch_rows(sparcl_ctx *ctx, const norm *job) {
    const int64_t m = job->x->shape[0], n = job->x->shape[1];
    return SPC_LAUNCH(ctx, LAYER_PROGRAM, spc_dtype_options(job->x->dtype), "norm_rows",
                      range_of_rows(ctx, m, n), MATRIX(SPC_IN, job->x), VECTOR(SPC_IN, job->gamma),
                      VECTOR(SPC_IN, job->beta), VECTOR(SPC_OUT, job->y),
                      SPC_I64(job->y ? spc_dense_ld(job->y) : 0), SPC_I64(m), SPC_I64(n),
                      SPC_REAL(statistics_type(job->x->dtype), job->epsilon),
                      VECTOR(SPC_OUT, job->mean), VECTOR(SPC_OUT, job->rstd));
}

/* From this number of blocks on each worker has whole ones. */
#define MANY_BLOCKS 64

/* With `partial` also the sums of blocks of rows, as by "column_sums". */
static sparcl_status launch_rows_gradient(sparcl_ctx *ctx, const norm *job, sparcl_buf *partial) {
    const int64_t m = job->x->shape[0], n = job->x->shape[1];
    const spc_range range = partial ? spc_range_each(ctx, m * n) : range_of_rows(ctx, m, n);
    const spc_arg args[] = {MATRIX(SPC_IN, job->gy),
                            MATRIX(SPC_IN, job->x),
                            VECTOR(SPC_IN, job->gamma),
                            VECTOR(SPC_IN, job->mean),
                            VECTOR(SPC_IN, job->rstd),
                            MATRIX(SPC_OUT, job->gx),
                            SPC_I64(m),
                            SPC_I64(n),
                            SPC_OUT(partial)};
    return spc_launch(ctx, LAYER_PROGRAM, spc_dtype_options(job->x->dtype),
                      partial ? "norm_rows_gradients" : "norm_rows_gradient", range, args,
                      (int)SPC_COUNT(args) - !partial);
}

/* Sums over the rows. The first result is `first`, or with GRADIENTS the means a, b [n]. */
static sparcl_status add_rows(sparcl_ctx *ctx, const norm *job, int kind, sparcl_buf *partial,
                              const sparcl_dense *first, sparcl_buf *second,
                              const sparcl_dense *running) {
    const int64_t m = job->x->shape[0], n = job->x->shape[1];
    const sparcl_dtype type = statistics_type(job->x->dtype);
    const char *const program = job->of_rows ? LAYER_PROGRAM : BATCH_PROGRAM;
    const uint32_t options = spc_dtype_options(job->x->dtype);
    const sparcl_dense *const gy = job->gy ? job->gy : job->x;
    const int64_t blocks = spc_ceil_div(m, SPC_ROW_BLOCK);
    const bool is_gpu = spc_ctx_is_gpu(ctx);
    /* Many lanes: groups for some columns of all blocks, or of each. Wide cores: the range follows
     * from all additions, although a column of a block is never split. */
    const spc_range sums = is_gpu ? spc_range_groups(ctx, blocks * spc_ceil_div(n, GROUP_COLUMNS))
                                  : spc_range_each(ctx, m * n);
    const spc_range finish = is_gpu ? spc_range_groups(ctx, spc_ceil_div(n, FINISH_COLUMNS))
                                    : spc_range_each(ctx, n * spc_max_i64(1, blocks));
    if (m > 0 && !job->has_sums)
        SPC_TRY(SPC_LAUNCH(ctx, program, options, "column_sums", sums, SPC_I32(kind),
                           MATRIX(SPC_IN, job->x), MATRIX(SPC_IN, gy), VECTOR(SPC_IN, job->mean),
                           VECTOR(SPC_IN, job->rstd), SPC_I32(job->of_rows), SPC_I64(m), SPC_I64(n),
                           SPC_OUT(partial)));
    return SPC_LAUNCH(ctx, program, options, "column_finish", finish, SPC_I32(kind),
                      SPC_IN(partial), SPC_I64(m), SPC_I64(n), SPC_REAL(type, job->epsilon),
                      SPC_REAL(type, job->momentum), SPC_REAL(type, 1 - job->momentum),
                      SPC_REAL(type, m > 1 ? (double)m / (double)(m - 1) : 1),
                      VECTOR(SPC_OUT, running), VECTOR(SPC_OUT, first), SPC_OUT(second),
                      VECTOR(SPC_OUT, job->gbeta), VECTOR(SPC_OUT, job->ggamma));
}

static sparcl_status push_partial(sparcl_ctx *ctx, const norm *job, sparcl_buf **partial) {
    const int64_t blocks = spc_ceil_div(job->x->shape[0], SPC_ROW_BLOCK);
    return spc_scratch_push(ctx, partial, 2 * blocks * job->x->shape[1],
                            sparcl_dtype_size(statistics_type(job->x->dtype)));
}

static sparcl_status launch_columns(sparcl_ctx *ctx, const norm *job, const sparcl_dense *rstd) {
    const int64_t m = job->x->shape[0], n = job->x->shape[1];
    if (m == 0 || !job->y) return SPARCL_OK;
    return SPC_LAUNCH(ctx, BATCH_PROGRAM, spc_dtype_options(job->x->dtype), "norm_columns",
                      spc_range_each(ctx, m * n), MATRIX(SPC_IN, job->x),
                      VECTOR(SPC_IN, job->gamma), VECTOR(SPC_IN, job->beta),
                      MATRIX(SPC_OUT, job->y), SPC_I64(m), SPC_I64(n), VECTOR(SPC_IN, job->mean),
                      VECTOR(SPC_IN, rstd));
}

/* Statistics that the caller does not want are in scratch memory. */
static sparcl_status train_columns(sparcl_ctx *ctx, const norm *given) {
    const sparcl_dtype type = statistics_type(given->x->dtype);
    sparcl_dense own[2] = {{.rank = 1, .dtype = type, .shape = {given->x->shape[1]}}};
    norm job = *given;
    sparcl_buf *partial = NULL;
    own[1] = own[0];
    for (int i = 0; i < 2; ++i)
        if (!(i ? given->rstd : given->mean))
            SPC_TRY(
                spc_scratch_push(ctx, &own[i].values, own[i].shape[0], sparcl_dtype_size(type)));
    if (!job.mean) job.mean = &own[0];
    if (!job.rstd) job.rstd = &own[1];
    SPC_TRY(push_partial(ctx, &job, &partial));
    SPC_TRY(add_rows(ctx, &job, SUMS, partial, job.mean, NULL, job.running_mean));
    SPC_TRY(add_rows(ctx, &job, SQUARES, partial, job.rstd, NULL, job.running_variance));
    return launch_columns(ctx, &job, job.rstd);
}

static sparcl_status infer_columns(sparcl_ctx *ctx, const norm *job) {
    const int64_t n = job->x->shape[1];
    const sparcl_dtype type = statistics_type(job->x->dtype);
    sparcl_dense rstd = {.rank = 1, .dtype = type, .shape = {n}};
    SPC_TRY(spc_scratch_push(ctx, &rstd.values, n, sparcl_dtype_size(type)));
    SPC_TRY(SPC_LAUNCH(ctx, BATCH_PROGRAM, spc_dtype_options(job->x->dtype), "column_rstd",
                       spc_range_each(ctx, n), VECTOR(SPC_IN, job->variance), SPC_I64(n),
                       SPC_REAL(type, job->epsilon), SPC_OUT(rstd.values)));
    return launch_columns(ctx, job, &rstd);
}

/* Gradients of gamma and beta, and the means that that of a column needs. */
static sparcl_status launch_gradients(sparcl_ctx *ctx, const norm *given) {
    norm job = *given;
    const int64_t m = job.x->shape[0], n = job.x->shape[1];
    const size_t size = sparcl_dtype_size(statistics_type(job.x->dtype));
    const bool needs_means = !job.of_rows && job.gx;
    sparcl_buf *partial = NULL, *b = NULL;
    sparcl_dense a = {.rank = 1};
    if (job.ggamma || job.gbeta || needs_means) {
        SPC_TRY(push_partial(ctx, &job, &partial));
        job.has_sums = job.of_rows && job.gx && m >= MANY_BLOCKS * SPC_ROW_BLOCK &&
                       !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
        if (job.has_sums) SPC_TRY(launch_rows_gradient(ctx, &job, partial));
        SPC_TRY(spc_scratch_push(ctx, &a.values, n, size));
        SPC_TRY(spc_scratch_push(ctx, &b, n, size));
        SPC_TRY(add_rows(ctx, &job, GRADIENTS, partial, &a, b, NULL));
    }
    if (!job.gx || m == 0 || job.has_sums) return SPARCL_OK;
    if (job.of_rows) return launch_rows_gradient(ctx, &job, NULL);
    return SPC_LAUNCH(ctx, BATCH_PROGRAM, spc_dtype_options(job.x->dtype), "norm_columns_gradient",
                      spc_range_each(ctx, m * n), MATRIX(SPC_IN, job.gy), MATRIX(SPC_IN, job.x),
                      VECTOR(SPC_IN, job.gamma), VECTOR(SPC_IN, job.mean), VECTOR(SPC_IN, job.rstd),
                      MATRIX(SPC_OUT, job.gx), SPC_I64(m), SPC_I64(n), SPC_IN(a.values), SPC_IN(b));
}

static sparcl_status run(sparcl_ctx *ctx, const norm *job,
                         sparcl_status (*launch)(sparcl_ctx *ctx, const norm *job)) {
    SPC_TRY(check_norm(ctx, job));
    if (job->x->shape[1] == 0 || (job->of_rows && !job->gy && job->x->shape[0] == 0))
        return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = launch(ctx, job);
    spc_scratch_release(ctx, mark);
    return status;
}

/* --- calls --------------------------------------------------------------------------------------
 */

sparcl_status sparcl_layer_norm(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                                const sparcl_dense *gamma, const sparcl_dense *beta, double epsilon,
                                const sparcl_dense *mean, const sparcl_dense *rstd) {
    const norm job = {.op = "layer_norm",
                      .of_rows = true,
                      .x = x,
                      .gamma = gamma,
                      .beta = beta,
                      .y = y,
                      .mean = mean,
                      .rstd = rstd,
                      .epsilon = epsilon};
    return run(ctx, &job, launch_rows);
}

static sparcl_status gradients(sparcl_ctx *ctx, const char *op, bool of_rows,
                               const sparcl_dense *gx, const sparcl_dense *ggamma,
                               const sparcl_dense *gbeta, const sparcl_dense *gy,
                               const sparcl_dense *x, const sparcl_dense *gamma,
                               const sparcl_dense *mean, const sparcl_dense *rstd) {
    const norm job = {.op = op,
                      .of_rows = of_rows,
                      .x = x,
                      .gy = gy,
                      .gamma = gamma,
                      .gx = gx,
                      .ggamma = ggamma,
                      .gbeta = gbeta,
                      .mean = mean,
                      .rstd = rstd,
                      .reads_statistics = true};
    SPC_TRY(need(ctx, op, "GY", gy));
    SPC_TRY(need(ctx, op, "the mean", mean));
    SPC_TRY(need(ctx, op, "rstd", rstd));
    return run(ctx, &job, launch_gradients);
}

sparcl_status sparcl_layer_norm_gradient(sparcl_ctx *ctx, const sparcl_dense *gx,
                                         const sparcl_dense *ggamma, const sparcl_dense *gbeta,
                                         const sparcl_dense *gy, const sparcl_dense *x,
                                         const sparcl_dense *gamma, const sparcl_dense *mean,
                                         const sparcl_dense *rstd) {
    return gradients(ctx, "layer_norm_gradient", true, gx, ggamma, gbeta, gy, x, gamma, mean, rstd);
}

sparcl_status sparcl_batch_norm(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_dense *x,
                                const sparcl_dense *gamma, const sparcl_dense *beta, double epsilon,
                                const sparcl_dense *mean, const sparcl_dense *rstd, double momentum,
                                const sparcl_dense *running_mean,
                                const sparcl_dense *running_variance) {
    const norm job = {.op = "batch_norm",
                      .x = x,
                      .gamma = gamma,
                      .beta = beta,
                      .y = y,
                      .mean = mean,
                      .rstd = rstd,
                      .running_mean = running_mean,
                      .running_variance = running_variance,
                      .epsilon = epsilon,
                      .momentum = momentum};
    if (!running_mean != !running_variance)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "batch_norm: there is one running statistic, expected both or none");
    if (running_mean && x && x->rank == 2 && x->shape[0] < 2)
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE,
            "batch_norm: X has %lld rows, expected at least 2 for running statistics",
            (ll)x->shape[0]);
    return run(ctx, &job, train_columns);
}

sparcl_status sparcl_batch_norm_inference(sparcl_ctx *ctx, const sparcl_dense *y,
                                          const sparcl_dense *x, const sparcl_dense *gamma,
                                          const sparcl_dense *beta, double epsilon,
                                          const sparcl_dense *mean, const sparcl_dense *variance) {
    const norm job = {.op = "batch_norm_inference",
                      .x = x,
                      .gamma = gamma,
                      .beta = beta,
                      .y = y,
                      .mean = mean,
                      .variance = variance,
                      .reads_statistics = true,
                      .epsilon = epsilon};
    SPC_TRY(need(ctx, job.op, "Y", y));
    SPC_TRY(need(ctx, job.op, "the mean", mean));
    SPC_TRY(need(ctx, job.op, "the variance", variance));
    return run(ctx, &job, infer_columns);
}

sparcl_status sparcl_batch_norm_gradient(sparcl_ctx *ctx, const sparcl_dense *gx,
                                         const sparcl_dense *ggamma, const sparcl_dense *gbeta,
                                         const sparcl_dense *gy, const sparcl_dense *x,
                                         const sparcl_dense *gamma, const sparcl_dense *mean,
                                         const sparcl_dense *rstd) {
    return gradients(ctx, "batch_norm_gradient", false, gx, ggamma, gbeta, gy, x, gamma, mean,
                     rstd);
}
