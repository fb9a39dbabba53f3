/* embedding_gradient.c: bags as a CSR matrix, and their gradient by the table. */
#include "base/size.h"
#include "ops/layers/bags.h"
#include "ops/products/pattern.h"
#include "ops/shared/halves.h"
#include "ops/shared/rows.h"
#include "prim/scan.h"

typedef long long ll; /* for %lld */

#define PROGRAM "panel+elements+row_teams+bags+embedding_gradient"

/* --- the matrix --------------------------------------------------------------------------------
 */

/* sums [bags + 1] := prefix sums of the lengths of the bags. */
static sparcl_status sum_lengths(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                 sparcl_buf *sums) {
    spc_args list = spc_bags_args(bags);
    spc_args_add(&list, SPC_OUT(sums));
    if (bags->bags > 0)
        SPC_TRY(spc_launch(ctx, PROGRAM, spc_bags_options(bags, dtype), "bag_lengths",
                           spc_range_bags(ctx, bags, 1), list.at, list.count));
    const spc_scan_job scan = {.n = bags->bags,
                               .from_type = SPARCL_INDEX64,
                               .to_type = SPARCL_INDEX64,
                               .from = sums,
                               .to = sums};
    return spc_scan(ctx, &scan);
}

sparcl_status spc_list_bag_entries(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                   sparcl_itype owner_type, spc_bag_entries *entries) {
    const int64_t count = bags->indices.count;
    spc_args list = spc_bags_args(bags);
    *entries = (spc_bag_entries){.count_at = bags->bags};
    SPC_TRY(spc_scratch_push(ctx, &entries->count, bags->bags + 1, sizeof(int64_t)));
    SPC_TRY(
        spc_scratch_push(ctx, &entries->ids, count, sparcl_itype_size(bags->indices.index_type)));
    SPC_TRY(spc_scratch_push(ctx, &entries->owners, count, sparcl_itype_size(owner_type)));
    SPC_TRY(sum_lengths(ctx, bags, dtype, entries->count));
    if (bags->bags == 0) return SPARCL_OK;
    spc_args_add(&list, SPC_IN(entries->count));
    spc_args_add(&list, SPC_OUT(entries->ids));
    spc_args_add(&list, SPC_OUT(entries->owners));
    spc_args_add(&list, SPC_I32(owner_type == SPARCL_INDEX64));
    return spc_launch(ctx, PROGRAM, spc_bags_options(bags, dtype), "bag_entries",
                      spc_range_bags(ctx, bags, 1), list.at, list.count);
}

sparcl_status spc_bag_shares(sparcl_ctx *ctx, sparcl_buf *to, const sparcl_bags *bags,
                             const sparcl_dense *g) {
    const int64_t width = spc_shape_width(g->rank, g->shape);
    spc_args list = spc_bags_args(bags);
    if (bags->bags == 0 || width == 0) return SPARCL_OK;
    spc_args_add_dense(&list, SPC_IN(g->values), g);
    spc_args_add(&list, SPC_OUT(to));
    spc_args_add(&list, SPC_I64(width));
    return spc_launch(ctx, PROGRAM, spc_bags_options(bags, g->dtype), "bag_shares",
                      spc_range_rows(ctx, bags->bags, width), list.at, list.count);
}

static sparcl_status make_matrix(sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_bags *bags,
                                 const sparcl_buf *sums, sparcl_buf *source, int64_t source_at) {
    spc_args list = spc_bags_args(bags);
    spc_args_add(&list, SPC_IN(sums));
    spc_args_add(&list, SPC_I64(a->nnz));
    spc_args_add_array(&list, SPC_OUT(a->offsets), a->offsets_at);
    spc_args_add(&list, SPC_I32(a->offset_type == SPARCL_INDEX64));
    spc_args_add_array(&list, SPC_OUT(a->indices), a->indices_at);
    spc_args_add(&list, SPC_I32(a->index_type == SPARCL_INDEX64));
    spc_args_add_array(&list, SPC_OUT(a->values), a->values_at);
    spc_args_add_array(&list, SPC_OUT(source), source_at);
    return spc_launch(ctx, PROGRAM, spc_bags_options(bags, a->dtype), "bag_matrix",
                      spc_range_bags(ctx, bags, 1), list.at, list.count);
}

/* For checked bags. */
static sparcl_status bag_matrix(sparcl_ctx *ctx, sparcl_csr *a, const sparcl_bags *bags,
                                sparcl_buf *sums, sparcl_buf *source, int64_t source_at) {
    SPC_TRY(sum_lengths(ctx, bags, a->dtype, sums));
    SPC_TRY(make_matrix(ctx, a, bags, sums, source, source_at));
    spc_prove_csr(a, SPARCL_VALID);
    return SPARCL_OK;
}

static sparcl_status check_matrix(sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_bags *bags,
                                  const sparcl_buf *source, int64_t source_at) {
    const char *const op = "embedding_bag_matrix";
    if (a->rows != bags->bags || a->cols != bags->indices.limit || a->nnz < bags->indices.count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: A is %lld x %lld with %lld entries, expected %lld bags x %lld and "
                            "at least %lld entries",
                            op, (ll)a->rows, (ll)a->cols, (ll)a->nnz, (ll)bags->bags,
                            (ll)bags->indices.limit, (ll)bags->indices.count);
    if (source) SPC_TRY(spc_check_buf(ctx, op, "the source", source, source_at, a->nnz, 8));
    spc_spans results = spc_csr_spans("A", a);
    const spc_spans operands = spc_bags_spans(bags, a->dtype);
    if (source)
        results.at[results.count++] =
            spc_array_span(NULL, "the source", source, source_at, a->nnz, 8);
    return spc_check_spans(ctx, op, &results, &operands);
}

sparcl_status sparcl_embedding_bag_matrix(sparcl_ctx *ctx, sparcl_csr *a, const sparcl_bags *bags,
                                          sparcl_buf *source, int64_t source_at) {
    const char *const op = "embedding_bag_matrix";
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_bags(ctx, op, bags, a->dtype));
    SPC_TRY(check_matrix(ctx, a, bags, source, source_at));
    SPC_TRY(spc_check_bag_loops(ctx, op, bags, 1));
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *sums = NULL;
    sparcl_status status = spc_scratch_push(ctx, &sums, bags->bags + 1, 8);
    if (status == SPARCL_OK) status = bag_matrix(ctx, a, bags, sums, source, source_at);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status spc_bag_coefficients(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                   sparcl_buf *values, int64_t values_at) {
    spc_args list = spc_bags_args(bags);
    spc_args_add_array(&list, SPC_OUT(values), values_at);
    if (bags->bags == 0) return SPARCL_OK;
    SPC_TRY(spc_check_bag_loops(ctx, "embedding_bag", bags, 1));
    return spc_launch(ctx, PROGRAM, spc_bags_options(bags, dtype), "bag_coefficients",
                      spc_range_bags(ctx, bags, 1), list.at, list.count);
}

/* --- by the table ------------------------------------------------------------------------------
 */

sparcl_status spc_bag_max_rows(sparcl_ctx *ctx, const sparcl_bags *bags, const sparcl_dense *g,
                               const sparcl_dense *positions, const sparcl_buf *source,
                               sparcl_buf *values, int64_t values_at) {
    const int64_t width = spc_shape_width(g->rank, g->shape), count = bags->indices.count;
    spc_args list = spc_bags_args(bags);
    if (bags->bags == 0 || count == 0 || width == 0) return SPARCL_OK;
    spc_args_add(&list, SPC_IN(source));
    spc_args_add_dense(&list, SPC_IN(g->values), g);
    spc_args_add_dense(&list, SPC_IN(positions->values), positions);
    spc_args_add_array(&list, SPC_OUT(values), values_at);
    spc_args_add(&list, SPC_I64(width));
    return spc_launch(ctx, PROGRAM, spc_bags_options(bags, g->dtype), "max_rows",
                      spc_range_rows(ctx, count, width), list.at, list.count);
}

sparcl_status spc_bag_max_gradient(sparcl_ctx *ctx, const sparcl_bags *bags, const sparcl_dense *g,
                                   const sparcl_dense *table, sparcl_buf *values,
                                   int64_t values_at) {
    const int64_t width = spc_shape_width(g->rank, g->shape);
    const int mark = spc_scratch_mark(ctx);
    sparcl_dense y = *g, positions = *g;
    y.ld = positions.ld = y.values_at = positions.values_at = 0;
    positions.dtype = SPARCL_INT64;
    sparcl_status status =
        spc_scratch_push(ctx, &y.values, bags->bags * width, sparcl_dtype_size(g->dtype));
    if (status == SPARCL_OK)
        status = spc_scratch_push(ctx, &positions.values, bags->bags * width, 8);
    if (status == SPARCL_OK)
        status = sparcl_embedding_bag(ctx, &y, table, bags, &positions, NULL, 0);
    if (status == SPARCL_OK)
        status = spc_bag_max_rows(ctx, bags, g, &positions, NULL, values, values_at);
    spc_scratch_release(ctx, mark);
    return status;
}

/* What a gradient needs: the matrix, in scratch memory. */
typedef struct matrix {
    sparcl_csr a;
    sparcl_buf *sums, *source;
} matrix;

static sparcl_status scratch_matrix(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                    matrix *m) {
    const int64_t count = bags->indices.count;
    m->a = (sparcl_csr){.rows = bags->bags,
                        .cols = bags->indices.limit,
                        .nnz = count,
                        .dtype = dtype,
                        .offset_type = SPARCL_INDEX64,
                        .index_type = bags->indices.index_type};
    const bool is_max = bags->mode == SPARCL_BAG_MAX;
    SPC_TRY(spc_scratch_push(ctx, &m->sums, bags->bags + 1, 8));
    SPC_TRY(spc_scratch_push(ctx, &m->a.offsets, bags->bags + 1, 8));
    SPC_TRY(spc_scratch_push(ctx, &m->a.indices, count, sparcl_itype_size(m->a.index_type)));
    SPC_TRY(spc_scratch_push(ctx, &m->a.values, count, sparcl_dtype_size(dtype)));
    if (is_max) SPC_TRY(spc_scratch_push(ctx, &m->source, count, 8));
    return bag_matrix(ctx, &m->a, bags, m->sums, m->source, 0);
}

static sparcl_status find_rows(sparcl_ctx *ctx, const sparcl_csr *a, spc_bag_rows *rows) {
    const spc_ids ids = {.at = a->indices,
                         .n = a->nnz,
                         .limit = a->cols,
                         .type = a->index_type,
                         .count = a->offsets,
                         .count_at = a->rows};
    sparcl_buf *found = NULL;
    SPC_TRY(spc_scratch_push(ctx, &rows->unique, a->nnz, sparcl_itype_size(a->index_type)));
    SPC_TRY(spc_scratch_push(ctx, &found, 1, sizeof(int64_t)));
    return spc_find_id_runs(ctx, ids, rows->unique, 0, found, 0, &rows->runs);
}

sparcl_status spc_find_bag_rows(sparcl_ctx *ctx, const sparcl_bags *bags, sparcl_dtype dtype,
                                spc_bag_rows *rows) {
    matrix m = {.sums = NULL};
    SPC_TRY(scratch_matrix(ctx, bags, dtype, &m));
    return find_rows(ctx, &m.a, rows);
}

/* Row u of R by the number of items of run u. */
static sparcl_status divide_rows(sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_buf *starts,
                                 sparcl_itype type, const sparcl_buf *found) {
    const int64_t width = spc_shape_width(r->rank, r->shape);
    if (r->nnr == 0 || width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(r->dtype, type, SPARCL_INDEX32), "divide_by_counts",
                      spc_range_rows(ctx, r->nnr, width), SPC_IN(starts), SPC_IN(found),
                      SPC_I64(r->nnr), SPC_OUT(r->values), SPC_I64(r->values_at), SPC_I64(width));
}

/* The rows of R are those of the matrix. */
static sparcl_status divide_by_counts(sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_csr *a) {
    spc_bag_rows rows;
    if (a->nnz == 0) return SPARCL_OK;
    SPC_TRY(find_rows(ctx, a, &rows));
    return divide_rows(ctx, r, rows.runs.starts, rows.runs.type, rows.runs.found);
}

sparcl_status spc_divide_by_pattern(sparcl_ctx *ctx, const sparcl_rows *r,
                                    const sparcl_pattern *pattern) {
    return divide_rows(ctx, r, pattern->starts, pattern->offset_type, pattern->found);
}

/* A row for each entry, and rows with one index added. */
static sparcl_status max_gradient(sparcl_ctx *ctx, sparcl_rows *r, const sparcl_dense *g,
                                  const sparcl_bags *bags, const sparcl_dense *positions,
                                  matrix *m) {
    const int64_t width = spc_shape_width(g->rank, g->shape);
    sparcl_rows rows = *r;
    rows.index_type = m->a.index_type;
    rows.nnr = m->a.nnz;
    rows.indices = m->a.indices;
    rows.values_at = rows.indices_at = 0;
    rows.count = m->a.offsets;
    rows.count_at = bags->bags;
    rows.proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
    SPC_TRY(spc_scratch_push(ctx, &rows.values, m->a.nnz * width, sparcl_dtype_size(g->dtype)));
    sparcl_bags kept = *bags; /* those of the matrix */
    kept.offset_type = SPARCL_INDEX64;
    kept.include_last = 1;
    kept.offsets = m->a.offsets;
    kept.offsets_at = 0;
    SPC_TRY(spc_bag_max_rows(ctx, &kept, g, positions, m->source, rows.values, 0));
    return sparcl_rows_coalesce(ctx, r, &rows, SPARCL_SUM, NULL);
}

static sparcl_status check_max_positions(sparcl_ctx *ctx, const char *op, const sparcl_dense *g,
                                         const sparcl_bags *bags, const sparcl_dense *positions) {
    if (!positions) return SPARCL_OK;
    SPC_TRY(spc_check_dense_of(ctx, op, "positions", positions, SPC_ALL_TYPES));
    if (positions->dtype != SPARCL_INT64)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE, "%s: positions are %s, expected int64", op,
                            spc_dtype_name(positions->dtype));
    return spc_check_bag_array(ctx, op, "positions", positions, bags->bags, "bags", g);
}

sparcl_status spc_check_bag_gradient(sparcl_ctx *ctx, const char *op, const sparcl_bags *bags,
                                     const sparcl_dense *g, const sparcl_dense *positions) {
    const bool is_max = bags->mode == SPARCL_BAG_MAX;
    SPC_TRY(spc_check_bag_array(ctx, op, "G", g, bags->bags, "bags", g));
    if (is_max && bags->scale_by_frequency)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: scale_by_frequency is 1 in mode max, expected 0", op);
    if (is_max != (positions != NULL))
        return spc_ctx_fail(
            ctx, SPARCL_E_ARG,
            "%s: positions are %s, expected those of the maximum, for this mode only", op,
            positions ? "given" : "NULL");
    return check_max_positions(ctx, op, g, bags, positions);
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const sparcl_rows *r, const sparcl_dense *g,
                                    const sparcl_bags *bags, const sparcl_dense *positions) {
    const char *const op = "embedding_bag_gradient";
    const bool is_max = bags->mode == SPARCL_BAG_MAX;
    SPC_TRY(spc_check_same_dtype(ctx, op, "R", r->dtype, "G", g->dtype));
    SPC_TRY(spc_check_bag_gradient(ctx, op, bags, g, positions));
    if (g->rank > 2 || r->rank != g->rank || r->shape[0] != bags->indices.limit ||
        (g->rank == 2 && r->shape[1] != g->shape[1]))
        return spc_ctx_fail(
            ctx, SPARCL_E_SHAPE,
            "%s: R has rank %d and %lld rows of %lld, expected %lld rows like those "
            "of G, of rank 1 or 2",
            op, r->rank, (ll)r->shape[0], (ll)spc_shape_width(r->rank, r->shape),
            (ll)bags->indices.limit);
    if (!r->count) return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: R has no count, expected one", op);
    const int64_t count = bags->indices.count;
    const int64_t need = is_max ? count : spc_min_i64(count, bags->indices.limit);
    if (r->nnr < need)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: R has capacity for %lld rows, expected at least %lld", op,
                            (ll)r->nnr, (ll)need);
    if (is_max && r->index_type != bags->indices.index_type)
        return spc_check_same_itype(ctx, op, "R", r->index_type, "the list",
                                    bags->indices.index_type);
    return SPARCL_OK;
}

static sparcl_status check_gradient_alias(sparcl_ctx *ctx, const sparcl_rows *r,
                                          const sparcl_dense *g, const sparcl_bags *bags,
                                          const sparcl_dense *positions) {
    const spc_spans results = spc_rows_spans("R", r);
    spc_spans operands = spc_bags_spans(bags, g->dtype);
    operands.at[operands.count++] = spc_dense_span("G", g);
    if (positions) operands.at[operands.count++] = spc_dense_span("positions", positions);
    return spc_check_spans(ctx, "embedding_bag_gradient", &results, &operands);
}

/* R := the gradient of checked bags, in the type of G. */
static sparcl_status table_gradient(sparcl_ctx *ctx, sparcl_rows *r, const sparcl_dense *g,
                                    const sparcl_bags *bags, const sparcl_dense *positions) {
    matrix m = {.sums = NULL};
    SPC_TRY(scratch_matrix(ctx, bags, g->dtype, &m));
    if (bags->mode == SPARCL_BAG_MAX) return max_gradient(ctx, r, g, bags, positions, &m);
    SPC_TRY(sparcl_spmm_t_rows(ctx, r, 1, &m.a, g, NULL));
    return bags->scale_by_frequency ? divide_by_counts(ctx, r, &m.a) : SPARCL_OK;
}

/* Would values of 16 bits be rounded before they are added or divided? */
static bool needs_wide(const sparcl_bags *bags, sparcl_dtype dtype) {
    return spc_is_half(dtype) && (bags->mode == SPARCL_BAG_MEAN || bags->mode == SPARCL_BAG_SQRTN ||
                                  bags->scale_by_frequency);
}

static sparcl_status widen_weights(sparcl_ctx *ctx, sparcl_bags *bags, sparcl_dtype dtype) {
    const sparcl_dense weights = {.rank = 1,
                                  .dtype = dtype,
                                  .shape = {bags->indices.count},
                                  .values = bags->weights,
                                  .values_at = bags->weights_at};
    sparcl_dense wide;
    if (!bags->weights) return SPARCL_OK;
    SPC_TRY(spc_widen(ctx, &weights, true, &wide));
    bags->weights = wide.values;
    bags->weights_at = 0;
    return SPARCL_OK;
}

/* The gradient in F32, rounded once. */
static sparcl_status wide_gradient(sparcl_ctx *ctx, sparcl_rows *r, const sparcl_dense *g,
                                   const sparcl_bags *bags) {
    const int64_t width = spc_shape_width(r->rank, r->shape);
    sparcl_bags own_bags = *bags;
    sparcl_rows own = *r;
    sparcl_dense own_g;
    SPC_TRY(spc_widen(ctx, g, true, &own_g));
    SPC_TRY(widen_weights(ctx, &own_bags, g->dtype));
    own.dtype = SPARCL_F32;
    own.values_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &own.values, r->nnr * width, sizeof(float)));
    SPC_TRY(table_gradient(ctx, &own, &own_g, &own_bags, NULL));
    spc_prove_rows(r, sparcl_rows_flags(&own));
    if (r->nnr == 0 || width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_dtype_options(r->dtype), "store_rows",
                      spc_range_rows(ctx, r->nnr, width), SPC_IN(own.values), SPC_IN(r->count),
                      SPC_I64(r->count_at), SPC_I64(r->nnr), SPC_OUT(r->values),
                      SPC_I64(r->values_at), SPC_I64(width));
}

sparcl_status sparcl_embedding_bag_gradient(sparcl_ctx *ctx, sparcl_rows *r, const sparcl_dense *g,
                                            const sparcl_bags *bags,
                                            const sparcl_dense *positions) {
    const char *const op = "embedding_bag_gradient";
    SPC_TRY(spc_check_rows_of(ctx, op, "R", r, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, op, "G", g, SPC_FLOATS));
    SPC_TRY(spc_check_bags(ctx, op, bags, g->dtype));
    SPC_TRY(check_gradient(ctx, r, g, bags, positions));
    SPC_TRY(check_gradient_alias(ctx, r, g, bags, positions));
    SPC_TRY(spc_check_bag_loops(ctx, op, bags, spc_shape_width(g->rank, g->shape)));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = needs_wide(bags, g->dtype)
                                     ? wide_gradient(ctx, r, g, bags)
                                     : table_gradient(ctx, r, g, bags, positions);
    spc_scratch_release(ctx, mark);
    return status;
}
