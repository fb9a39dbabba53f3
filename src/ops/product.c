/* product.c: products of a sparse matrix or its transpose with a dense one: the launches. */
#include "ops/product.h"

#include "base/size.h"
#include "launch/launch.h"
#include "ops/partition.h"
#include "ops/pattern.h"
#include "ops/product_choice.h"

#define PROGRAM "panel+products+partition+spmm+spmm_cores+spmm_lanes"

/* Maximum columns per launch on a device with short loops (device/list.h): a partition of 1024 rows
 * and entries, and a block more, needs some 50000 iterations for them. */
#define SHORT_WIDE 2048

static void add_matrix(spc_args *list, const spc_multiply_job *job) {
    const sparcl_csr *a = job->a;
    const sparcl_pattern *p = job->pattern;
    spc_args_add_array(list, SPC_IN(p ? p->starts : a->offsets), p ? 0 : a->offsets_at);
    spc_args_add_array(list, SPC_IN(p ? p->row_of : a->indices), p ? 0 : a->indices_at);
    spc_args_add_array(list, SPC_IN(p ? p->values : a->values), p ? 0 : a->values_at);
    if (!p) {
        spc_args_add(list, SPC_I64(a->rows));
        return;
    }
    spc_args_add(list, SPC_IN(p->columns));
    spc_args_add(list, SPC_IN(p->found));
    spc_args_add(list, SPC_I64(job->all_rows));
    spc_args_add(list, SPC_I32(job->fill_empty));
    spc_args_add(list, SPC_REAL(a->dtype, spc_times_zero(a->dtype, job->alpha)));
}

static void add_dense(spc_args *list, spc_arg values, int64_t at, int64_t ld) {
    spc_args_add_array(list, values, at);
    spc_args_add(list, SPC_I64(ld));
}

/* Columns j .. j + n. */
typedef struct panel {
    int64_t j, n;
    sparcl_buf *carry;
    sparcl_buf *packed; /* these columns of B, packed; or NULL */
    const spc_partition *partitions;
} panel;

static uint32_t options_of(const spc_multiply_job *job, int64_t group) {
    const sparcl_csr *a = job->a;
    const sparcl_pattern *p = job->pattern;
    const uint32_t own = group == 64 ? SPC_GROUP_64 : group == 256 ? SPC_GROUP_256 : 0;
    return own | (p ? spc_options(a->dtype, p->offset_type, p->index_type) | SPC_VARIANT
                    : spc_options(a->dtype, a->offset_type, a->index_type));
}

static void add_rest(spc_args *list, const spc_multiply_job *job, const panel *p, spc_arg carry) {
    add_dense(list, SPC_OUT(job->to), job->to_at + p->j, job->to_ld);
    spc_args_add(list, SPC_I64(p->n));
    spc_args_add(list, SPC_REAL(job->a->dtype, job->alpha));
    spc_args_add(list, SPC_REAL(job->a->dtype, job->beta));
    spc_args_add(list, carry);
    spc_args_add(list, SPC_I64(p->partitions->slots));
}

static sparcl_status pack(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    const int64_t rows = job->b->shape[0];
    return SPC_LAUNCH(ctx, PROGRAM, options_of(job, 1), "spmm_pack",
                      spc_range_each(ctx, rows * p->n), SPC_IN(job->b->values),
                      SPC_I64(job->b->values_at + p->j), SPC_I64(spc_dense_ld(job->b)),
                      SPC_I64(rows), SPC_OUT(p->packed), SPC_I64(p->n));
}

static sparcl_status multiply_panel(sparcl_ctx *ctx, const spc_multiply_job *job, const panel *p) {
    const spc_partition *partitions = p->partitions;
    const int64_t chunks = spc_carry_chunks(partitions, job->a->nnz, p->n);
    const int64_t rows = job->pattern ? spc_pattern_capacity(job->pattern) : job->a->rows;
    const int64_t group = spc_product_group(ctx, p->n);
    const bool unsplit = spc_product_is_unsplit(ctx, job, rows, partitions->count);
    const uint32_t options = options_of(job, group);
    spc_args sums = {.count = 0}, carries = {.count = 0};
    add_matrix(&sums, job);
    if (p->packed) {
        SPC_TRY(pack(ctx, job, p));
        add_dense(&sums, SPC_IN(p->packed), 0, p->n);
    } else {
        add_dense(&sums, SPC_IN(job->b->values), job->b->values_at + p->j, spc_dense_ld(job->b));
    }
    add_rest(&sums, job, p, SPC_OUT(p->carry));
    spc_args_add(&sums, SPC_I32(spc_product_prefetch(ctx, job, p->n)));
    spc_args_add(&sums, SPC_I32(spc_result_streams(ctx, rows, job->n, job->a->dtype)));
    spc_args_add(&sums, SPC_I32(spc_product_loads_scalars(ctx, job, p->n)));
    spc_args_add(&sums, SPC_I32(unsplit));
    SPC_TRY(spc_launch(ctx, PROGRAM, options, "spmm", spc_range_groups_of(partitions->count, group),
                       sums.at, sums.count));
    if (partitions->count == 1 || unsplit) return SPARCL_OK;
    add_matrix(&carries, job);
    add_rest(&carries, job, p, SPC_IN(p->carry));
    spc_args_add(&carries, SPC_I64(chunks));
    return spc_launch(ctx, PROGRAM, options, "spmm_carry",
                      spc_range_groups_of(partitions->count * chunks, group), carries.at,
                      carries.count);
}

sparcl_status spc_multiply(sparcl_ctx *ctx, const spc_multiply_job *job) {
    const sparcl_dtype dtype = job->a->dtype;
    const size_t real = spc_real_size(dtype);
    const int64_t maximum = job->carry_bytes ? job->carry_bytes : SPC_CARRY_BYTES;
    const int64_t rows = job->pattern ? spc_pattern_capacity(job->pattern) : job->a->rows;
    const spc_partition partitions = spc_find_partition(ctx, rows, job->a->nnz, job->n);
    const int64_t fit = spc_panel_capacity(&partitions, job->n, real, maximum);
    const int64_t packed = spc_min_i64(fit, spc_product_packs(ctx, job));
    const int64_t capacity = packed > 0                 ? packed
                             : spc_has_short_loops(ctx) ? spc_min_i64(fit, SHORT_WIDE)
                                                        : fit;
    panel p = {.partitions = &partitions};
    if (packed > 0)
        SPC_TRY(
            spc_scratch_push(ctx, &p.packed, job->b->shape[0] * packed, sparcl_dtype_size(dtype)));
    SPC_TRY(spc_scratch_push(ctx, &p.carry, partitions.carry * capacity, real));
    for (; p.j < job->n; p.j += p.n) {
        p.n = spc_panel_at(capacity, job->n, p.j);
        SPC_TRY(multiply_panel(ctx, job, &p));
    }
    return SPARCL_OK;
}
