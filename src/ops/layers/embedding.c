/* embedding.c: rows of a table by their indices: lookup and bags. */
#include "ops/layers/bags.h"

#include "base/size.h"
#include "ops/shared/partition.h"
#include "ops/shared/product.h"
#include "ops/shared/rows.h"
#include "ops/shared/units.h"

typedef long long ll; /* for %lld */

#define PROGRAM "panel+products+bags+embedding"
#define SUMS    "panel+products+bags+partition+bag_sum"
#define MAXIMA  "panel+products+bags+partition+bag_max"

/* --- checks ------------------------------------------------------------------------------------
 */

static sparcl_status check_settings(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags) {
    if ((unsigned)bags->mode > SPARCL_BAG_MAX)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the mode is %d, expected %d to %d", op,
                            (int)bags->mode, (int)SPARCL_BAG_SUM, (int)SPARCL_BAG_MAX);
    if ((unsigned)bags->bounds > SPARCL_BOUNDS_SKIP)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: bounds is %d, expected %d to %d", op,
                            (int)bags->bounds, (int)SPARCL_BOUNDS_ERROR, (int)SPARCL_BOUNDS_SKIP);
    if (bags->reserved[0])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved field of the bags is not zero",
                            op);
    if (bags->longest < 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: the longest bag has %lld entries, expected 0 (unknown) or more",
                            op, (ll)bags->longest);
    if (bags->mode == SPARCL_BAG_MAX && bags->weights)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: the mode is max and there are weights, expected "
                            "none",
                            op);
    return SPARCL_OK;
}

static sparcl_status check_offsets(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags) {
    if (bags->bags < 0)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: there are %lld bags, expected 0 or more", op,
                            (ll)bags->bags);
    if (!bags->offsets && bags->bags != bags->indices.count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: there are %lld bags without offsets, expected the %lld indices",
                            op, (ll)bags->bags, (ll)bags->indices.count);
    if (!bags->offsets) return SPARCL_OK;
    if (bags->offset_type != SPARCL_INDEX32 && bags->offset_type != SPARCL_INDEX64)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: the bags have offset type %d, expected SPARCL_INDEX32 or I64", op,
                            (int)bags->offset_type);
    return spc_check_buf(ctx, op, "the offsets", bags->offsets, bags->offsets_at,
                         bags->bags + (bags->include_last ? 1 : 0),
                         sparcl_itype_size(bags->offset_type));
}

sparcl_status spc_check_bags(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                             sparcl_dtype dtype) {
    if (!bags) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the bags are NULL", op);
    SPC_TRY(check_settings(ctx, op, bags));
    SPC_TRY(spc_check_list(ctx, op, "the list", &bags->indices));
    SPC_TRY(check_offsets(ctx, op, bags));
    if (bags->weights)
        SPC_TRY(spc_check_buf(ctx, op, "the weights", bags->weights, bags->weights_at,
                              bags->indices.count, sparcl_dtype_size(dtype)));
    if (bags->bounds != SPARCL_BOUNDS_ERROR) return SPARCL_OK;
    return spc_need_list(ctx, op, "the list", &bags->indices, SPARCL_VALID);
}

sparcl_status spc_check_bag_array(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_dense *array, int64_t rows, const char *what,
                                  const sparcl_dense *like) {
    if (array->shape[0] != rows)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: %s has %lld rows, expected %lld, the number of "
                            "%s",
                            op, name, (ll)array->shape[0], (ll)rows, what);
    const int64_t width = spc_shape_width(array->rank, array->shape);
    const int64_t expected = spc_shape_width(like->rank, like->shape);
    if (array->rank == like->rank && width == expected) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: %s has rank %d and rows of %lld, expected rank %d and %lld", op, name,
                        array->rank, (ll)width, like->rank, (ll)expected);
}

sparcl_status spc_check_bag_loops(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                                  int64_t width) {
    const int64_t steps = width / 16 + 5, count = bags->indices.count;
    return spc_check_iterations(ctx, op, count > INT32_MAX ? INT64_MAX : (count + 2) * steps);
}

spc_spans spc_bags_spans(const sparcl_bags *bags, sparcl_dtype dtype) {
    spc_spans spans = {.count = 1, .at = {spc_list_span("the list", &bags->indices)}};
    if (bags->offsets)
        spans.at[spans.count++] = spc_array_span(
            NULL, "the offsets", bags->offsets, bags->offsets_at,
            bags->bags + (bags->include_last ? 1 : 0), sparcl_itype_size(bags->offset_type));
    if (bags->weights)
        spans.at[spans.count++] =
            spc_array_span(NULL, "the weights", bags->weights, bags->weights_at,
                           bags->indices.count, sparcl_dtype_size(dtype));
    return spans;
}

/* --- launches ----------------------------------------------------------------------------------
 */

spc_args spc_bags_args(const sparcl_bags *bags) {
    spc_args list = {.count = 0};
    spc_args_add_array(&list, SPC_IN(bags->indices.indices), bags->indices.indices_at);
    spc_args_add_array(&list, SPC_IN(bags->offsets), bags->offsets_at);
    spc_args_add_array(&list, SPC_IN(bags->weights), bags->weights_at);
    spc_args_add(&list, SPC_I64(bags->bags));
    spc_args_add(&list, SPC_I64(bags->indices.count));
    spc_args_add(&list, SPC_I64(bags->indices.limit));
    spc_args_add(&list, SPC_I64(bags->padding_index));
    spc_args_add(&list, SPC_I32(bags->include_last));
    spc_args_add(&list, SPC_I32(bags->mode));
    spc_args_add(&list, SPC_I32(bags->bounds));
    spc_args_add(&list, SPC_I32(bags->has_padding));
    return list;
}

uint32_t spc_bags_options(const sparcl_bags *bags, sparcl_dtype dtype) {
    return spc_options(dtype, bags->offset_type, bags->indices.index_type);
}

spc_range spc_range_bags(const sparcl_ctx *ctx, const sparcl_bags *bags, int64_t width) {
    const int64_t work = spc_ctx_is_gpu(ctx) ? bags->bags : bags->bags + bags->indices.count;
    return spc_range_rows(ctx, work, width);
}

void spc_args_add_dense(spc_args *list, spc_arg values, const sparcl_dense *array) {
    spc_args_add_array(list, values, array->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(array)));
}

/* What rows are made of: each entry of the list by itself. */
static sparcl_status launch_lookup(sparcl_ctx *ctx, const sparcl_dense *to,
                                   const sparcl_dense *table, const sparcl_bags *bags,
                                   bool by_position) {
    const int64_t width = spc_shape_width(to->rank, to->shape);
    spc_args list = spc_bags_args(bags);
    if (to->shape[0] == 0 || width == 0) return SPARCL_OK;
    spc_args_add_dense(&list, SPC_IN(table->values), table);
    spc_args_add_dense(&list, SPC_OUT(to->values), to);
    spc_args_add(&list, SPC_I64(width));
    spc_args_add(&list, SPC_I32(by_position));
    return spc_launch(ctx, PROGRAM, spc_bags_options(bags, to->dtype), "embedding_rows",
                      spc_range_vectors(ctx, to->shape[0], width), list.at, list.count);
}

sparcl_status spc_embedding_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *rows,
                                 const sparcl_bags *bags) {
    return launch_lookup(ctx, to, rows, bags, true);
}

/* --- bags, or on many lanes units of them --------------------------------------------------------
 */

typedef struct bag_job {
    const sparcl_dense *to, *table, *positions; /* positions: of a maximum */
    const sparcl_bags *bags;
    int64_t width;
    spc_units units;
    sparcl_buf *part_places; /* of a maximum: the entries of the sums of blocks */
} bag_job;

static bool is_max(const bag_job *job) {
    return job->bags->mode == SPARCL_BAG_MAX;
}

static void add_columns(spc_args *list, spc_arg values, const sparcl_dense *array, int64_t j) {
    spc_args_add_array(list, values, array->values_at + j);
    spc_args_add(list, SPC_I64(spc_dense_ld(array)));
}

/* The arguments of a kernel that makes columns j .. j + n of the result. */
static spc_args result_args(const bag_job *job, int64_t j, int64_t n) {
    spc_args list = spc_bags_args(job->bags);
    add_columns(&list, SPC_IN(job->table->values), job->table, j);
    add_columns(&list, SPC_OUT(job->to->values), job->to, j);
    spc_args_add(&list, SPC_I64(n));
    if (is_max(job)) add_columns(&list, SPC_OUT(job->positions->values), job->positions, j);
    return list;
}

static sparcl_status launch(sparcl_ctx *ctx, const bag_job *job, const char *kernel,
                            spc_range range, const spc_args *list) {
    const uint32_t options =
        spc_bags_options(job->bags, job->to->dtype) | spc_units_options(&job->units);
    return spc_launch(ctx, is_max(job) ? MAXIMA : SUMS, options, kernel, range, list->at,
                      list->count);
}

static sparcl_status run_on_cores(sparcl_ctx *ctx, const bag_job *job) {
    const spc_args list = result_args(job, 0, job->width);
    return launch(ctx, job, is_max(job) ? "bag_max" : "bag_sum",
                  spc_range_bags(ctx, job->bags, job->width), &list);
}

/* Where entries may be left out, the blocks of a sum depend on the indices.
 * Positions in the table and in the result have 64 bits. */
static spc_units find_units(const bag_job *job) {
    const sparcl_bags *const bags = job->bags;
    const bool has_all = !bags->has_padding && bags->bounds != SPARCL_BOUNDS_SKIP;
    const bool divides = bags->offsets && (is_max(job) || has_all);
    const int64_t longest = !divides ? 0 : bags->longest > 0 ? bags->longest : INT64_MAX;
    return spc_find_units(bags->bags, bags->indices.count, longest, 0);
}

/* Columns j .. j + n. */
static sparcl_status run_units(sparcl_ctx *ctx, const bag_job *job, int64_t j, int64_t n) {
    const spc_units *const units = &job->units;
    const int64_t gaps = spc_dense_ld(job->to) | spc_dense_ld(job->table);
    const int shift = spc_team_shift(n, !is_max(job) && units->small && gaps % 4 == 0);
    spc_args list = result_args(job, j, n), blocks = list;
    if (is_max(job)) {
        spc_args_add(&list, SPC_OUT(job->part_places));
        spc_args_add(&blocks, SPC_IN(job->part_places));
    }
    spc_units_add(&list, units, shift);
    SPC_TRY(launch(ctx, job, is_max(job) ? "bag_max" : "bag_sum",
                   spc_range_units(ctx, units->windows + units->rows, shift), &list));
    if (units->windows == 0) return SPARCL_OK;
    spc_units_add_blocks(&blocks, units, shift);
    return launch(ctx, job, is_max(job) ? "bag_max_fold" : "bag_fold",
                  spc_range_units(ctx, units->windows, shift), &blocks);
}

static sparcl_status run_on_lanes(sparcl_ctx *ctx, bag_job *job) {
    const size_t real = spc_real_size(job->to->dtype);
    job->units = find_units(job);
    const size_t part = is_max(job) ? real + sizeof(int64_t) : real;
    const int64_t capacity = spc_units_columns(&job->units, job->width, part, SPC_CARRY_BYTES);
    SPC_TRY(spc_units_reserve(ctx, &job->units, capacity, real));
    if (is_max(job) && job->units.windows > 0)
        SPC_TRY(spc_scratch_push(ctx, &job->part_places, spc_units_elements(&job->units, capacity),
                                 sizeof(int64_t)));
    for (int64_t j = 0, n; j < job->width; j += n) {
        n = spc_panel_at(capacity, job->width, j);
        SPC_TRY(run_units(ctx, job, j, n));
    }
    return SPARCL_OK;
}

static sparcl_status run_bags(sparcl_ctx *ctx, bag_job *job) {
    const int mark = spc_scratch_mark(ctx);
    if (job->to->shape[0] == 0 || job->width == 0) return SPARCL_OK;
    const sparcl_status status =
        spc_ctx_is_gpu(ctx) ? run_on_lanes(ctx, job) : run_on_cores(ctx, job);
    spc_scratch_release(ctx, mark);
    return status;
}

static sparcl_status count_bad(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                               sparcl_buf *bad, int64_t bad_at) {
    spc_args list = spc_bags_args(bags);
    if (!bad) return SPARCL_OK;
    SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_bags_options(bags, dtype), "bad_clear",
                       spc_range_groups(ctx, 1), SPC_OUT(bad), SPC_I64(bad_at)));
    if (bags->indices.count == 0) return SPARCL_OK;
    spc_args_add_array(&list, SPC_OUT(bad), bad_at);
    return spc_launch(ctx, PROGRAM, spc_bags_options(bags, dtype), "bad_indices",
                      spc_range_each(ctx, bags->indices.count), list.at, list.count);
}

/* --- lookup and bags ---------------------------------------------------------------------------
 */

static sparcl_status check_bad(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                               const sparcl_buf *bad, int64_t bad_at) {
    if (!bad) return SPARCL_OK;
    if (bags->bounds == SPARCL_BOUNDS_ERROR)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: bad indices are counted, expected bounds that allow them", op);
    return spc_check_buf(ctx, op, "the number of bad indices", bad, bad_at, 1, 8);
}

static sparcl_status check_call(sparcl_ctx *ctx, const char *op, const sparcl_dense *to,
                                const sparcl_dense *table, const sparcl_bags *bags) {
    SPC_TRY(spc_check_dense_of(ctx, op, "the result", to, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, op, "the table", table, SPC_FLOATS));
    if (to->dtype != table->dtype)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: the result is %s and the table %s, expected "
                            "one type",
                            op, spc_dtype_name(to->dtype), spc_dtype_name(table->dtype));
    SPC_TRY(spc_check_bags(ctx, op, bags, table->dtype));
    SPC_TRY(spc_check_bag_array(ctx, op, "the table", table, bags->indices.limit,
                                "rows that the list is for", table));
    return spc_check_bag_array(ctx, op, "the result", to, bags->bags, "bags", table);
}

static sparcl_status check_results(sparcl_ctx *ctx, const char *op, const sparcl_dense *to,
                                   const sparcl_dense *table, const sparcl_bags *bags,
                                   const sparcl_dense *positions, const sparcl_buf *bad,
                                   int64_t bad_at) {
    spc_spans results = {.count = 1, .at = {spc_dense_span("the result", to)}};
    spc_spans operands = spc_bags_spans(bags, to->dtype);
    operands.at[operands.count++] = spc_dense_span("the table", table);
    if (positions) results.at[results.count++] = spc_dense_span("positions", positions);
    if (bad)
        results.at[results.count++] =
            spc_array_span(NULL, "the number of bad indices", bad, bad_at, 1, 8);
    return spc_check_spans(ctx, op, &results, &operands);
}

sparcl_status sparcl_embedding(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *table,
                               const sparcl_bags *indices, sparcl_buf *bad, int64_t bad_at) {
    SPC_TRY(check_call(ctx, "embedding", to, table, indices));
    if (indices->offsets)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "embedding: there are offsets, expected none");
    SPC_TRY(check_bad(ctx, "embedding", indices, bad, bad_at));
    SPC_TRY(check_results(ctx, "embedding", to, table, indices, NULL, bad, bad_at));
    SPC_TRY(count_bad(ctx, indices, to->dtype, bad, bad_at));
    return launch_lookup(ctx, to, table, indices, false);
}

static sparcl_status check_positions(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                                     const sparcl_dense *positions, const sparcl_dense *like) {
    if (!positions) return SPARCL_OK;
    if (bags->mode != SPARCL_BAG_MAX)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: positions are given, expected NULL for this mode", op);
    SPC_TRY(spc_check_dense_of(ctx, op, "positions", positions, SPC_ALL_TYPES));
    if (positions->dtype != SPARCL_INT64)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: positions are %s, expected int64", op,
                            spc_dtype_name(positions->dtype));
    return spc_check_bag_array(ctx, op, "positions", positions, bags->bags, "bags", like);
}

sparcl_status sparcl_embedding_bag(sparcl_ctx *ctx, const sparcl_dense *to,
                                   const sparcl_dense *table, const sparcl_bags *bags,
                                   const sparcl_dense *positions, sparcl_buf *bad, int64_t bad_at) {
    const char *const op = "embedding_bag";
    SPC_TRY(check_call(ctx, op, to, table, bags));
    if (to->rank > 2)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: the result has rank %d, expected 1 or 2", op,
                            to->rank);
    SPC_TRY(check_positions(ctx, op, bags, positions, to));
    SPC_TRY(check_bad(ctx, op, bags, bad, bad_at));
    SPC_TRY(check_results(ctx, op, to, table, bags, positions, bad, bad_at));
    SPC_TRY(spc_check_bag_loops(ctx, op, bags, spc_shape_width(to->rank, to->shape)));
    SPC_TRY(count_bad(ctx, bags, to->dtype, bad, bad_at));
    const sparcl_dense none = {.rank = 2};
    bag_job job = {.to = to,
                   .table = table,
                   .positions = positions ? positions : &none,
                   .bags = bags,
                   .width = spc_shape_width(to->rank, to->shape)};
    return run_bags(ctx, &job);
}
