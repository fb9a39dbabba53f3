/* spgemm_tiles.c: the product of two CSR matrices on many lanes: short rows by tiles, and long
 * ones. */
#include "ops/products/spgemm_tiles.h"

#include "base/size.h"
#include "launch/launch.h"

/* TILE_WORK of cl/spgemm_tiles.cl. */
enum { TILE_WORK = 4 * SPC_GROUP };
/* Maximum groups per unit: for tiles, and for long rows. */
enum { TILES_PER_UNIT = 32, LONG_PER_UNIT = 8 };

/* An upper bound of the work of all rows. */
static int64_t most_work(const sparcl_csr *a, const sparcl_csr *b) {
    return spc_spgemm_most_products(a, b) + a->rows;
}

/* An upper bound of the work of one row. */
static int64_t longest_work(const sparcl_csr *a, const sparcl_csr *b) {
    const int64_t met = spc_min_i64(spc_spgemm_longest(b), b->cols);
    int64_t work = 0;
    const bool fits = spc_mul_i64(spc_spgemm_longest(a), met + 1, &work);
    return fits ? spc_min_i64(work, INT64_MAX / 4) + 1 : INT64_MAX / 4;
}

static sparcl_status count_work(sparcl_ctx *ctx, sparcl_spgemm *plan, const sparcl_csr *a,
                                const sparcl_csr *b) {
    spc_args list = spc_spgemm_args(a, b);
    if (plan->has_long && !plan->long_work)
        SPC_TRY(sparcl_buf_create(ctx, &plan->long_work, (plan->capacity + 1) * 8));
    spc_args_add(&list, SPC_OUT(plan->work));
    spc_args_add(&list, SPC_OUT(plan->has_long ? plan->long_work : NULL));
    SPC_TRY(spc_spgemm_launch(ctx, a, "spgemm_team_work", spc_range_each(ctx, a->rows * 8), &list));
    SPC_TRY(spc_spgemm_scan(ctx, plan->work, a->rows));
    return plan->has_long ? spc_spgemm_scan(ctx, plan->long_work, a->rows) : SPARCL_OK;
}

/* --- short rows ------------------------------------------------------------------------------ */

static spc_args tile_args(const sparcl_spgemm *plan, const sparcl_csr *a, const sparcl_csr *b) {
    spc_args list = spc_spgemm_args(a, b);
    spc_args_add(&list, SPC_IN(plan->work));
    spc_args_add(&list, SPC_IN(plan->has_long ? plan->long_work : NULL));
    return list;
}

/* Where loops end early, a group has at most three tiles. */
static spc_range tile_range(const sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_csr *b) {
    const int64_t tiles = spc_min_i64(a->rows, spc_ceil_div(most_work(a, b), TILE_WORK));
    const int64_t most = spc_has_short_loops(ctx) ? tiles : spc_ctx_units(ctx) * TILES_PER_UNIT;
    return spc_range_groups(ctx, spc_min_i64(tiles, most));
}

/* --- long rows ------------------------------------------------------------------------------- */

/* The workers, and their memory. */
typedef struct workers {
    int64_t count;
    sparcl_buf *bits, *sums;
} workers;

/* Words of the bits of `bits` columns. */
static int64_t words_of(int64_t bits) {
    return spc_ceil_div(bits, 32);
}

/* Iterations of a lane in a tile, and in listing LISTED columns of a row. */
enum { IN_TILE = 3000, IN_LIST = 1200, LISTED = 32 * 32 * SPC_GROUP };

static sparcl_status check_loops(sparcl_ctx *ctx, int64_t count, const sparcl_csr *a,
                                 const sparcl_csr *b) {
    const int64_t lists = spc_ceil_div(b->cols, LISTED);
    const int64_t tiles = (most_work(a, b) / count + longest_work(a, b)) / TILE_WORK + 2;
    int64_t iterations = 0;
    if (!spc_mul_i64(tiles, IN_TILE + spc_min_i64(lists, 1 << 20) * IN_LIST, &iterations))
        iterations = INT64_MAX;
    return spc_check_iterations(ctx, "spgemm", iterations);
}

static sparcl_status open_workers(sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_csr *b,
                                  size_t sum_size, workers *w) {
    const int64_t cols = spc_min_i64(b->cols, INT64_MAX / 32); /* no memory is as large */
    const int64_t words = words_of(cols) + words_of(words_of(cols)), most = most_work(a, b);
    const int64_t bytes = words * 4 + cols * (int64_t)sum_size + 1;
    int64_t count =
        spc_min_i64(spc_ctx_units(ctx) * LONG_PER_UNIT, spc_min_i64(a->rows, most / TILE_WORK));
    if (spc_has_short_loops(ctx)) count = spc_ceil_div(most, SPC_SPGEMM_SHORT);
    w->count = spc_max_i64(1, spc_min_i64(count, SPC_SPGEMM_BYTES / bytes));
    SPC_TRY(check_loops(ctx, w->count, a, b));
    SPC_TRY(spc_scratch_push(ctx, &w->bits, w->count * words, 4));
    return sum_size > 0 ? spc_scratch_push(ctx, &w->sums, w->count * b->cols, sum_size) : SPARCL_OK;
}

static spc_args long_args(const sparcl_spgemm *plan, const sparcl_csr *a, const sparcl_csr *b,
                          const workers *w) {
    spc_args list = spc_spgemm_args(a, b);
    spc_args_add(&list, SPC_IN(plan->long_work));
    spc_args_add(&list, SPC_OUT(w->bits));
    return list;
}

/* --- the two phases -------------------------------------------------------------------------- */

static sparcl_status count_long(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *a,
                                const sparcl_csr *b, const workers *w) {
    spc_args list = long_args(plan, a, b, w);
    spc_args_add(&list, SPC_OUT(plan->offsets));
    return spc_spgemm_launch(ctx, a, "spgemm_long_symbolic", spc_range_groups(ctx, w->count),
                             &list);
}

sparcl_status spc_spgemm_tiles_symbolic(sparcl_ctx *ctx, sparcl_spgemm *plan, const sparcl_csr *a,
                                        const sparcl_csr *b) {
    workers w = {0};
    plan->has_long = longest_work(a, b) > TILE_WORK;
    if (plan->has_long) SPC_TRY(open_workers(ctx, a, b, 0, &w));
    SPC_TRY(count_work(ctx, plan, a, b));
    spc_args list = tile_args(plan, a, b);
    spc_args_add(&list, SPC_OUT(plan->offsets));
    SPC_TRY(spc_spgemm_launch(ctx, a, "spgemm_tile_symbolic", tile_range(ctx, a, b), &list));
    return plan->has_long ? count_long(ctx, plan, a, b, &w) : SPARCL_OK;
}

static void add_values(spc_args *list, const sparcl_spgemm *plan, const sparcl_csr *c,
                       const sparcl_csr *a, const sparcl_csr *b) {
    spc_args_add_array(list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(list, SPC_IN(b->values), b->values_at);
    spc_args_add(list, SPC_IN(plan->offsets));
    spc_args_add(list, SPC_I64(c->nnz));
    spc_args_add_array(list, SPC_OUT(c->indices), c->indices_at);
    spc_args_add_array(list, SPC_OUT(c->values), c->values_at);
}

static sparcl_status write_long(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *c,
                                const sparcl_csr *a, const sparcl_csr *b, const workers *w) {
    spc_args list = long_args(plan, a, b, w);
    spc_args_add(&list, SPC_OUT(w->sums));
    add_values(&list, plan, c, a, b);
    return spc_spgemm_launch(ctx, a, "spgemm_long_numeric", spc_range_groups(ctx, w->count), &list);
}

sparcl_status spc_spgemm_tiles_numeric(sparcl_ctx *ctx, const sparcl_spgemm *plan,
                                       const sparcl_csr *c, const sparcl_csr *a,
                                       const sparcl_csr *b) {
    workers w = {0};
    if (plan->has_long) SPC_TRY(open_workers(ctx, a, b, a->dtype == SPARCL_F64 ? 8 : 4, &w));
    spc_args list = tile_args(plan, a, b);
    add_values(&list, plan, c, a, b);
    SPC_TRY(spc_spgemm_launch(ctx, a, "spgemm_tile_numeric", tile_range(ctx, a, b), &list));
    return plan->has_long ? write_long(ctx, plan, c, a, b, &w) : SPARCL_OK;
}
