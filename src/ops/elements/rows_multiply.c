/* rows_multiply.c: row-sparse arrays times row-sparse or dense ones, element by element. */
#include "ops/shared/dense_elements.h"
#include "ops/shared/moved.h"
#include "ops/shared/rows.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"

#define PROGRAM "panel+rows_multiply"

static const char op[] = "rows_multiply", dense_op[] = "rows_multiply_dense";

/* --- both row-sparse -------------------------------------------------------------------------- */

static sparcl_status check_factor(sparcl_ctx *ctx, const char *name, const sparcl_rows *x,
                                  const sparcl_rows *to, const spc_spans *results) {
    SPC_TRY(spc_check_rows_of(ctx, op, name, x, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, op, SPC_TO, to->rank, to->shape, name, x->rank, x->shape));
    SPC_TRY(spc_check_same_dtype(ctx, op, SPC_TO, to->dtype, name, x->dtype));
    const spc_spans operands = spc_rows_spans(name, x);
    SPC_TRY(spc_check_spans(ctx, op, results, &operands));
    return spc_need_rows(ctx, op, name, x, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
}

static sparcl_status check_product(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *a,
                                   const sparcl_rows *b, const sparcl_moved **moved) {
    SPC_TRY(spc_check_rows_of(ctx, op, SPC_TO, to, SPC_FLOATS));
    if (!to->count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has no count, expected one", op);
    spc_spans results = spc_rows_spans(SPC_TO, to);
    SPC_TRY(spc_check_needed(ctx, op, moved, &results));
    SPC_TRY(check_factor(ctx, "A", a, to, &results));
    return check_factor(ctx, "B", b, to, &results);
}

/* Rows of a that b has, too: their positions, and what is there. */
static sparcl_status multiply(sparcl_ctx *ctx, const sparcl_rows *to, const sparcl_rows *a,
                              const sparcl_rows *b, const sparcl_moved *moved) {
    const spc_take_ids ids = {a->indices,  a->indices_at,  a->index_type, 0,
                              to->indices, to->indices_at, to->index_type};
    const int64_t width = spc_shape_width(to->rank, to->shape);
    sparcl_buf *matches = NULL;
    spc_kept kept;
    SPC_TRY(spc_kept_open(ctx, &kept, a->nnr, a->count, a->count_at));
    SPC_TRY(spc_scratch_push(ctx, &matches, a->nnr, sizeof(int64_t)));
    if (a->nnr > 0) SPC_TRY(spc_find_stored(ctx, b, a, matches, kept.marks));
    SPC_TRY(spc_kept_find(ctx, &kept));
    const spc_places places = spc_kept_places(&kept, to->nnr);
    SPC_TRY(spc_take(ctx, places, &ids, NULL));
    if (places.capacity > 0 && width > 0)
        SPC_TRY(SPC_LAUNCH(ctx, PROGRAM, spc_options(to->dtype, kept.type, SPARCL_INDEX32),
                           "multiply_rows", spc_range_vectors(ctx, places.capacity, width),
                           SPC_IN(kept.places), SPC_IN(kept.found), SPC_I64(places.capacity),
                           SPC_IN(matches), SPC_IN(a->values), SPC_I64(a->values_at),
                           SPC_IN(b->values), SPC_I64(b->values_at), SPC_OUT(to->values),
                           SPC_I64(to->values_at), SPC_I64(width)));
    return spc_write_found(ctx, kept.found, to->nnr, to->count, to->count_at, moved);
}

sparcl_status sparcl_rows_multiply(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_rows *a,
                                   const sparcl_rows *b, const sparcl_moved *moved) {
    SPC_TRY(check_product(ctx, to, a, b, &moved));
    const bool flip = b->nnr < a->nnr; /* each row of the shorter one is looked for */
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = multiply(ctx, to, flip ? b : a, flip ? a : b, moved);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

/* --- times a dense array ---------------------------------------------------------------------- */

/* V may be the values of A themselves. */
static sparcl_status check_overlaps(sparcl_ctx *ctx, const sparcl_dense *v, const sparcl_rows *a,
                                    const sparcl_dense *values, const sparcl_dense *x) {
    const spc_span result = spc_dense_span("V", v);
    const spc_span others[] = {
        spc_array_span("indices", "A", a->indices, a->indices_at, a->nnr,
                       sparcl_itype_size(a->index_type)),
        spc_array_span("count", "A", a->count, a->count_at, a->count ? 1 : 0, sizeof(int64_t)),
        spc_dense_span("X", x)};
    SPC_TRY(spc_check_alias(ctx, dense_op, &result, others, SPC_COUNT(others)));
    SPC_TRY(spc_check_in_place(ctx, dense_op, "V", v, "the values of A", values));
    return spc_need_rows(ctx, dense_op, "A", a, SPARCL_VALID);
}

static sparcl_status check_dense(sparcl_ctx *ctx, const sparcl_dense *v, const sparcl_rows *a,
                                 const sparcl_dense *x) {
    SPC_TRY(spc_check_rows_of(ctx, dense_op, "A", a, SPC_FLOATS));
    const sparcl_dense values = spc_rows_values(a);
    SPC_TRY(spc_check_dense_pair(ctx, dense_op, "V", v, "the values of A", &values, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, dense_op, "X", x, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, dense_op, "X", x->rank, x->shape, "A", a->rank, a->shape));
    SPC_TRY(spc_check_same_dtype(ctx, dense_op, "X", x->dtype, "A", a->dtype));
    if (!spc_is_packed(v))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: V has gaps between its rows", dense_op);
    return check_overlaps(ctx, v, a, &values, x);
}

sparcl_status sparcl_rows_multiply_dense(sparcl_ctx *ctx, const sparcl_dense *v,
                                         const sparcl_rows *a, const sparcl_dense *x) {
    SPC_TRY(check_dense(ctx, v, a, x));
    const int64_t width = spc_shape_width(a->rank, a->shape);
    if (a->nnr == 0 || width == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(a->dtype, SPARCL_INDEX32, a->index_type),
                      "rows_times_dense", spc_range_vectors(ctx, a->nnr, width), SPC_IN(a->indices),
                      SPC_I64(a->indices_at), SPC_IN(a->count), SPC_I64(a->count_at),
                      SPC_I64(a->nnr), SPC_IN(a->values), SPC_I64(a->values_at), SPC_DENSE_IN(x),
                      SPC_OUT(v->values), SPC_I64(v->values_at), SPC_I64(width));
}
