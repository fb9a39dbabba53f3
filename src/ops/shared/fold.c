/* fold.c: reductions of runs of items: runs, launches and the checks that all of them share. */
#include "ops/shared/fold.h"

#include "base/size.h"
#include "ops/products/pattern.h"
#include "ops/shared/csr_parts.h"
#include "ops/shared/partition.h"
#include "ops/shared/rows.h"
#include "prim/sort.h"

/* Iterations of a work-item that other loops than those over items take, on devices with short
 * loops. */
#define OTHER_STEPS 4096

/* --- runs ------------------------------------------------------------------------------------- */

spc_item_runs spc_equal_runs(int64_t count, int64_t length) {
    return (spc_item_runs){
        .count = count, .items = count * length, .length = length, .longest = length};
}

spc_item_runs spc_row_runs(const sparcl_csr *a) {
    return (spc_item_runs){.count = a->rows,
                           .items = a->nnz,
                           .offsets = a->offsets,
                           .offsets_at = a->offsets_at,
                           .type = a->offset_type,
                           .longest = spc_csr_longest(a)};
}

sparcl_status spc_one_run(sparcl_ctx *ctx, spc_items items, int64_t width, spc_item_runs *runs) {
    sparcl_buf *ends = NULL;
    *runs = spc_equal_runs(1, items.capacity * width);
    if (!items.count) return SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &ends, 2, sizeof(int64_t)));
    runs->offsets = ends;
    runs->type = SPARCL_INDEX64;
    return spc_write_ends(ctx, ends, width, items);
}

static sparcl_status sort_ids(sparcl_ctx *ctx, const spc_segment_ids *ids, spc_items items,
                              spc_item_runs *runs, sparcl_buf **sorted) {
    sparcl_buf *perm = NULL;
    SPC_TRY(spc_scratch_push(ctx, sorted, items.capacity, sparcl_itype_size(ids->type)));
    SPC_TRY(spc_scratch_push(ctx, &perm, items.capacity, sparcl_itype_size(runs->type)));
    const spc_sort_job job = {.n = items.capacity,
                              .count = items.count,
                              .count_at = items.count_at,
                              .key_type = ids->type,
                              .bits = spc_key_bits(ids->limit),
                              .upper_bits_zero = true,
                              .from_keys = ids->ids,
                              .from_keys_at = ids->at,
                              .keys = *sorted,
                              .payload_type = runs->type,
                              .payload = perm};
    runs->perm = perm;
    return spc_sort(ctx, &job);
}

sparcl_status spc_runs_of_ids(sparcl_ctx *ctx, const spc_segment_ids *ids, spc_items items,
                              spc_item_runs *runs) {
    sparcl_buf *sorted = NULL, *offsets = NULL;
    *runs = (spc_item_runs){.count = ids->limit,
                            .items = items.capacity,
                            .type = spc_position_type(items.capacity),
                            .longest = INT64_MAX};
    if (!ids->sorted) SPC_TRY(sort_ids(ctx, ids, items, runs, &sorted));
    SPC_TRY(spc_scratch_push(ctx, &offsets, ids->limit + 1, sparcl_itype_size(runs->type)));
    runs->offsets = offsets;
    const spc_sorted_ids order = {ids->sorted ? ids->ids : sorted, ids->sorted ? ids->at : 0,
                                  ids->type};
    return spc_write_offsets(ctx, offsets, 0, runs->type, &order, ids->limit, items);
}

sparcl_status spc_runs_of_pattern(sparcl_ctx *ctx, const sparcl_pattern *p, spc_item_runs *runs) {
    sparcl_buf *offsets = NULL;
    *runs = (spc_item_runs){.count = p->cols,
                            .items = p->nnz,
                            .type = p->offset_type,
                            .perm = p->perm,
                            .longest = INT64_MAX};
    SPC_TRY(spc_scratch_push(ctx, &offsets, p->cols + 1, sparcl_itype_size(p->offset_type)));
    runs->offsets = offsets;
    return spc_spread_offsets(ctx, offsets, p);
}

spc_values spc_values_of(const sparcl_dense *x) {
    return (spc_values){x->values, x->values_at, spc_dense_ld(x)};
}

/* --- launches --------------------------------------------------------------------------------- */

spc_reduction spc_reduction_of(sparcl_reduction kind) {
    static const spc_reduction table[] = {
        [SPARCL_REDUCE_SUM] = {SPC_FOLD_SUM, SPC_FINISH_NONE},
        [SPARCL_REDUCE_MEAN] = {SPC_FOLD_SUM, SPC_FINISH_MEAN},
        [SPARCL_REDUCE_SQRTN] = {SPC_FOLD_SUM, SPC_FINISH_SQRTN},
        [SPARCL_REDUCE_MAX] = {SPC_FOLD_MAX, SPC_FINISH_NONE},
        [SPARCL_REDUCE_MIN] = {SPC_FOLD_MIN, SPC_FINISH_NONE},
        [SPARCL_REDUCE_PROD] = {SPC_FOLD_PROD, SPC_FINISH_NONE},
        [SPARCL_REDUCE_SQUARE_SUM] = {SPC_FOLD_SQUARE, SPC_FINISH_NONE},
        [SPARCL_REDUCE_NORM] = {SPC_FOLD_SQUARE, SPC_FINISH_ROOT},
        [SPARCL_REDUCE_NORM1] = {SPC_FOLD_ABS, SPC_FINISH_NONE},
        [SPARCL_REDUCE_COUNT] = {SPC_FOLD_SUM, SPC_FINISH_COUNT}};
    return table[kind];
}

/* Of numbers, and of rows. */
static const char *const programs[][2] = {
    [SPC_FOLD_SUM] = {"panel+scan+fold_sum+blocks+stage+reduce",
                      "panel+scan+fold_sum+blocks+stage+segment_reduce"},
    [SPC_FOLD_SQUARE] = {"panel+scan+fold_square+blocks+stage+reduce",
                         "panel+scan+fold_square+blocks+stage+segment_reduce"},
    [SPC_FOLD_ABS] = {"panel+scan+fold_abs+blocks+stage+reduce",
                      "panel+scan+fold_abs+blocks+stage+segment_reduce"},
    [SPC_FOLD_PROD] = {"panel+scan+fold_prod+blocks+stage+reduce",
                       "panel+scan+fold_prod+blocks+stage+segment_reduce"},
    [SPC_FOLD_MAX] = {"panel+scan+fold_max+blocks+stage+reduce",
                      "panel+scan+fold_max+blocks+stage+segment_reduce"},
    [SPC_FOLD_MIN] = {"panel+scan+fold_min+blocks+stage+reduce",
                      "panel+scan+fold_min+blocks+stage+segment_reduce"},
    [SPC_FOLD_DOT] = {"panel+scan+fold_dot+blocks+stage+reduce", NULL},
    [SPC_FOLD_NONZERO] = {"panel+scan+fold_nonzero+blocks+stage+reduce",
                          "panel+scan+fold_nonzero+blocks+stage+segment_reduce"},
    [SPC_FOLD_ZEROS] = {"panel+scan+fold_zeros+blocks+stage+reduce",
                        "panel+scan+fold_zeros+blocks+stage+segment_reduce"}};

static void add_runs(spc_args *list, const spc_fold_job *job) {
    const spc_item_runs *const r = &job->runs;
    spc_args_add_array(list, SPC_IN(r->offsets), r->offsets_at);
    spc_args_add(list, SPC_I64(r->count));
    spc_args_add(list, SPC_I64(r->length));
    spc_args_add_array(list, SPC_IN(job->x.buf), job->x.at);
    spc_args_add(list, SPC_I64(job->x.ld));
    spc_args_add(list, SPC_IN(r->perm));
    if (job->rows > 0) {
        spc_args_add(list, SPC_I64(job->rows));
        spc_args_add_array(list, SPC_IN(r->found), r->found_at);
        return;
    }
    spc_args_add_array(list, SPC_IN(job->other.buf), job->other.at);
    spc_args_add(list, SPC_I64(job->other.ld));
}

/* Eight lanes for a number, and lanes for each element of a row. */
static spc_range range_of(const sparcl_ctx *ctx, const spc_fold_job *job, int64_t teams,
                          int64_t work) {
    if (!spc_ctx_is_gpu(ctx)) return spc_range_each(ctx, work);
    return job->rows > 0 ? spc_range_vectors(ctx, teams, job->rows)
                         : spc_range_each(ctx, 8 * teams);
}

/* Columns of a group, as in cl/stage.cl, and maximum groups which few runs and columns are divided
 * among. */
#define LONG_COLUMNS      8
#define LONG_GROUPS       512
#define SHORT_LOOP_GROUPS (1 << 20) /* one run and chunk in each */

spc_range spc_range_long_runs(const sparcl_ctx *ctx, spc_range range, int64_t runs, int64_t width) {
    if (!spc_ctx_is_gpu(ctx)) return range;
    const int64_t most = spc_has_short_loops(ctx) ? SHORT_LOOP_GROUPS : LONG_GROUPS;
    const int64_t chunks = spc_min_i64(spc_ceil_div(width, LONG_COLUMNS), most);
    const int64_t groups = spc_min_i64(spc_min_i64(runs, most) * chunks, most);
    const spc_range few = spc_range_groups(ctx, groups);
    return few.global > range.global ? few : range;
}

sparcl_status spc_fold_blocks(sparcl_ctx *ctx, const spc_fold_job *job, sparcl_buf *blocks) {
    const uint32_t options = spc_options(job->dtype, job->runs.type, SPARCL_INDEX32);
    spc_args list = {.count = 0};
    const int64_t pairs = spc_ceil_div(job->runs.items, SPC_ROW_BLOCK);
    const int64_t work = job->runs.items * spc_max_i64(1, job->rows);
    add_runs(&list, job);
    spc_args_add(&list, SPC_OUT(blocks));
    return spc_launch(ctx, programs[job->fold][job->rows > 0], options,
                      job->rows > 0 ? "segment_blocks" : "reduce_blocks",
                      range_of(ctx, job, pairs, work), list.at, list.count);
}

static sparcl_status launch_results(sparcl_ctx *ctx, const spc_fold_job *job, sparcl_buf *blocks,
                                    const char *kernel, spc_range range) {
    const uint32_t options = spc_options(job->dtype, job->runs.type, SPARCL_INDEX32);
    spc_args list = {.count = 0};
    add_runs(&list, job);
    spc_args_add(&list, SPC_IN(blocks));
    spc_args_add(&list, SPC_I32(job->finish));
    spc_args_add(&list, SPC_I64(job->all));
    spc_args_add_array(&list, SPC_OUT(job->to), job->to_at);
    if (job->rows > 0) spc_args_add(&list, SPC_I64(job->to_ld));
    spc_args_add(&list, SPC_OUT(job->wide));
    spc_args_add_array(&list, SPC_OUT(job->positions), job->positions_at);
    return spc_launch(ctx, programs[job->fold][job->rows > 0], options, kernel, range, list.at,
                      list.count);
}

/* Many lanes: rows of runs of several blocks have a kernel of their own. */
static sparcl_status launch_runs(sparcl_ctx *ctx, const spc_fold_job *job, sparcl_buf *blocks) {
    const spc_item_runs *const r = &job->runs;
    const int64_t work = r->count + r->items * spc_max_i64(1, job->rows);
    const spc_range range = range_of(ctx, job, r->count, work);
    if (!blocks || !spc_ctx_is_gpu(ctx) || job->rows == 0)
        return launch_results(ctx, job, blocks, job->rows > 0 ? "segment_runs" : "reduce_runs",
                              blocks ? spc_range_long_runs(ctx, range, r->count, 1) : range);
    if (r->offsets || r->length <= SPC_ROW_BLOCK)
        SPC_TRY(launch_results(ctx, job, blocks, "segment_runs", range));
    return launch_results(ctx, job, blocks, "segment_long",
                          spc_range_long_runs(ctx, range, r->count, job->rows));
}

/* Iterations of a work-item: one run, or a pair of blocks, in each of its panels; a position is
 * searched for each column. */
static sparcl_status check_steps(sparcl_ctx *ctx, const char *op, const spc_fold_job *job) {
    const int64_t longest = spc_min_i64(job->runs.longest, job->runs.items);
    const int64_t steps = 2 * SPC_ROW_BLOCK + longest / SPC_ROW_BLOCK;
    const int64_t panels = job->positions ? job->rows : job->rows / 16;
    return spc_check_iterations(ctx, op, OTHER_STEPS + steps * (panels + 5));
}

sparcl_status spc_fold_runs(sparcl_ctx *ctx, const char *op, const spc_fold_job *job) {
    const int64_t pairs = spc_ceil_div(job->runs.items, SPC_ROW_BLOCK);
    sparcl_status status = SPARCL_OK;
    sparcl_buf *blocks = NULL;
    SPC_TRY(check_steps(ctx, op, job));
    if (job->runs.count == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    /* Numbers that are only counted are not read. */
    if (job->runs.longest > SPC_ROW_BLOCK && job->runs.items > SPC_ROW_BLOCK &&
        (job->finish != SPC_FINISH_COUNT || job->rows > 0)) {
        SPC_TRY(spc_scratch_push(ctx, &blocks, 2 * pairs * spc_max_i64(1, job->rows),
                                 spc_real_size(job->dtype)));
        status = spc_fold_blocks(ctx, job, blocks);
    }
    if (status == SPARCL_OK) status = launch_runs(ctx, job, blocks);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status spc_fold_positions(sparcl_ctx *ctx, const char *op, const spc_fold_job *job,
                                 const sparcl_buf **positions) {
    const int64_t count = job->runs.count * spc_max_i64(1, job->rows);
    spc_fold_job f = *job;
    SPC_TRY(spc_scratch_push(ctx, &f.positions, count, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &f.wide, count, spc_real_size(job->dtype)));
    *positions = f.positions;
    return spc_fold_runs(ctx, op, &f);
}

/* --- gradients -------------------------------------------------------------------------------- */

/* Numbers for each run, in scratch memory. */
static sparcl_status fold_wide(sparcl_ctx *ctx, const char *op, const spc_fold_gradient *job,
                               spc_fold fold, spc_finish finish, sparcl_buf **wide) {
    const bool by_row = !job->by_number && finish != SPC_FINISH_COUNT;
    /* An element that is not stored makes the product of the others 0. */
    spc_fold_job f = {.fold = fold,
                      .finish = finish,
                      .all = fold == SPC_FOLD_NONZERO ? job->all : 0,
                      .dtype = job->dtype,
                      .rows = by_row ? job->width : 0,
                      .runs = job->sorted ? *job->sorted : job->runs,
                      .x = job->x};
    SPC_TRY(spc_scratch_push(ctx, wide, f.runs.count * spc_max_i64(1, f.rows),
                             spc_real_size(job->dtype)));
    f.wide = *wide;
    return spc_fold_runs(ctx, op, &f);
}

static sparcl_status launch_gradient(sparcl_ctx *ctx, const spc_fold_gradient *job,
                                     const sparcl_buf *counts, const sparcl_buf *others,
                                     const sparcl_buf *zeros, sparcl_buf *to) {
    static const spc_segment_ids none = {.ids = NULL};
    const spc_item_runs *const r = &job->runs;
    const spc_segment_ids *const ids = job->ids ? job->ids : &none;
    return SPC_LAUNCH(
        ctx, "panel+scan+blocks+elements+reduce_gradient",
        spc_options(job->dtype, r->type, ids->type), "reduce_gradient",
        spc_range_each(ctx, job->items * job->width), SPC_I32(job->kind), SPC_IN(r->offsets),
        SPC_I64(r->offsets_at), SPC_I64(r->count), SPC_I64(r->length), SPC_IN(ids->ids),
        SPC_I64(ids->at), SPC_IN(job->x.buf), SPC_I64(job->x.at), SPC_I64(job->x.ld),
        SPC_IN(job->gy.buf), SPC_I64(job->gy.at), SPC_I64(job->gy.ld), SPC_IN(job->y.buf),
        SPC_I64(job->y.at), SPC_I64(job->y.ld), SPC_I64(job->by_column), SPC_IN(counts),
        SPC_I64(job->all), SPC_IN(job->positions), SPC_I64(job->positions_at), SPC_IN(others),
        SPC_IN(zeros), SPC_OUT(to), SPC_I64(job->to.at), SPC_I64(job->to.ld), SPC_I64(job->items),
        SPC_I64(job->width));
}

sparcl_status spc_fold_gradient_run(sparcl_ctx *ctx, const char *op, const spc_fold_gradient *job,
                                    sparcl_buf *to) {
    sparcl_buf *counts = NULL, *others = NULL, *zeros = NULL;
    if (job->items == 0 || job->width == 0) return SPARCL_OK;
    if (spc_divides((sparcl_reduction)job->kind) && job->all == 0)
        SPC_TRY(fold_wide(ctx, op, job, SPC_FOLD_SUM, SPC_FINISH_COUNT, &counts));
    if (job->kind == SPARCL_REDUCE_PROD) {
        SPC_TRY(fold_wide(ctx, op, job, SPC_FOLD_NONZERO, SPC_FINISH_NONE, &others));
        SPC_TRY(fold_wide(ctx, op, job, SPC_FOLD_ZEROS, SPC_FINISH_NONE, &zeros));
    }
    return launch_gradient(ctx, job, counts, others, zeros, to);
}

/* --- checks ----------------------------------------------------------------------------------- */

sparcl_status spc_check_reduction(sparcl_ctx *ctx, const char *op, sparcl_reduction kind,
                                  unsigned allowed) {
    if ((int)kind >= 0 && kind <= SPARCL_REDUCE_COUNT && (allowed >> kind & 1u)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: kind is %d, which this operation does not have", op,
                        (int)kind);
}

sparcl_status spc_check_packed(sparcl_ctx *ctx, const char *op, const char *name,
                               const sparcl_dense *view, int64_t count, sparcl_dtype dtype) {
    SPC_TRY(spc_check_dense_of(ctx, op, name, view, SPC_FLOATS));
    if (view->rank != 1 || view->shape[0] != count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has rank %d and %lld elements, expected a vector of %lld", op,
                            name, view->rank, (long long)view->shape[0], (long long)count);
    if (spc_dense_ld(view) != 1)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s has ld %lld, expected packed elements", op,
                            name, (long long)spc_dense_ld(view));
    if (view->dtype == dtype) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: %s is %s, expected %s", op, name,
                        spc_dtype_name(view->dtype), spc_dtype_name(dtype));
}

sparcl_status spc_check_positions(sparcl_ctx *ctx, const char *op, sparcl_reduction kind,
                                  const sparcl_buf *positions, int64_t at, int64_t count) {
    if (!positions) return SPARCL_OK;
    if (!spc_picks(kind))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: positions are not NULL, but kind is neither MAX nor MIN", op);
    return spc_check_buf(ctx, op, "positions", positions, at, count, sizeof(int64_t));
}
