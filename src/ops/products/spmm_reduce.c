/* spmm_reduce.c: products of a sparse and a dense matrix with mean, maximum or minimum. */
#include "ops/products/spmm_reduce.h"

#include "base/size.h"
#include "ops/shared/halves.h"
#include "ops/shared/partition.h"
#include "ops/shared/product.h"
#include "ops/shared/product_choice.h"
#include "ops/shared/rows.h"
#include "ops/shared/units.h"
#include "sparcl/ops.h"

bool spc_reduction_chooses(sparcl_reduction op) {
    return op == SPARCL_REDUCE_MAX || op == SPARCL_REDUCE_MIN;
}

static sparcl_status check_op(sparcl_ctx *ctx, const char *name, sparcl_reduction op,
                              const sparcl_dense *chosen) {
    if (!spc_reduction_chooses(op) && op != SPARCL_REDUCE_SUM && op != SPARCL_REDUCE_MEAN)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: the reduction is %d, expected SPARCL_REDUCE_SUM, MEAN, MAX or MIN",
                            name, (int)op);
    if (chosen && !spc_reduction_chooses(op))
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: chosen is given for a sum or mean, expected NULL", name);
    return SPARCL_OK;
}

static sparcl_status check_chosen(sparcl_ctx *ctx, const char *name, const sparcl_dense *chosen,
                                  const sparcl_dense *c, const sparcl_csr *a) {
    if (!chosen) return SPARCL_OK;
    SPC_TRY(spc_check_dense_of(ctx, name, "chosen", chosen, SPC_ALL_TYPES));
    SPC_TRY(spc_check_same_shape(ctx, name, "chosen", chosen->rank, chosen->shape, "the product",
                                 c->rank, c->shape));
    if (chosen->dtype != SPARCL_INT64 && (chosen->dtype != SPARCL_INT32 || a->nnz > INT32_MAX))
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: chosen is %s, expected int64, or int32 for fewer than 2^31 "
                            "entries",
                            name, spc_dtype_name(chosen->dtype));
    return SPARCL_OK;
}

sparcl_status spc_check_reduced(sparcl_ctx *ctx, const char *name, const char *c_name,
                                const spc_reduced_product *r) {
    const sparcl_dense *const c = r->c, *const b = r->b;
    const sparcl_csr *const a = r->a;
    SPC_TRY(check_op(ctx, name, r->op, r->chosen));
    SPC_TRY(spc_check_dense_of(ctx, name, c_name, c, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, name, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, name, "B", b, SPC_FLOATS));
    const spc_product p = {c->rank, c->shape, b,         spc_dense_width(c),
                           a->cols, a->rows,  "columns", "rows"};
    SPC_TRY(spc_product_shapes(ctx, name, c_name, &p));
    SPC_TRY(spc_check_same_dtype(ctx, name, "A", a->dtype, "B", b->dtype));
    SPC_TRY(spc_check_same_dtype(ctx, name, c_name, c->dtype, "B", b->dtype));
    return check_chosen(ctx, name, r->chosen, c, a);
}

spc_spans spc_reduced_operands(const sparcl_csr *a, const sparcl_dense *b) {
    spc_spans s = spc_csr_spans("A", a);
    s.at[s.count++] = spc_dense_span("B", b);
    return s;
}

void spc_add_matrix(spc_args *list, spc_arg values, const sparcl_dense *x) {
    spc_args_add_array(list, values, x->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(x)));
}

void spc_add_chosen(spc_args *list, spc_arg values, const sparcl_dense *chosen) {
    const sparcl_dense none = {.rank = 1};
    spc_add_matrix(list, values, chosen ? chosen : &none);
    spc_args_add(list, SPC_I32(chosen && chosen->dtype == SPARCL_INT64));
}

sparcl_status spc_check_reduced_loops(sparcl_ctx *ctx, const char *name, int64_t longest,
                                      int64_t n) {
    const int64_t panels = spc_ctx_is_gpu(ctx) ? spc_ceil_div(n, 32) : n / 16 + 4;
    return spc_check_iterations(ctx, name, (longest + 8) * panels);
}

spc_range spc_reduced_range(const sparcl_ctx *ctx, int64_t rows, const sparcl_csr *a, int64_t n) {
    return spc_range_groups(ctx, spc_find_partition(ctx, rows, a->nnz, n).count);
}

static void add_choice(spc_args *list, const spc_reduced_product *p) {
    const sparcl_csr *const a = p->a;
    spc_args_add_array(list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add_array(list, SPC_IN(a->indices), a->indices_at);
    spc_args_add_array(list, SPC_IN(a->values), a->values_at);
    spc_args_add(list, SPC_I64(a->rows));
    spc_add_matrix(list, SPC_IN(p->b->values), p->b);
    spc_args_add(list, SPC_REAL(p->c->dtype, p->op == SPARCL_REDUCE_MAX ? 1 : -1));
    spc_add_matrix(list, SPC_OUT(p->c->values), p->c);
    spc_args_add(list, SPC_I64(spc_dense_width(p->c)));
    spc_add_chosen(list, SPC_OUT(p->chosen ? p->chosen->values : NULL), p->chosen);
}

static sparcl_status choose_on_cores(sparcl_ctx *ctx, const spc_reduced_product *p,
                                     uint32_t options) {
    const int64_t n = spc_dense_width(p->c);
    spc_args list = {.count = 0};
    add_choice(&list, p);
    spc_args_add(&list, SPC_I32(spc_prefetch_distance(ctx, p->b->shape[0], n, p->b->dtype)));
    return spc_launch(ctx, SPC_SPMM_REDUCE, options, "spmm_choose",
                      spc_reduced_range(ctx, p->a->rows, p->a, n), list.at, list.count);
}

static sparcl_status choose_on_lanes(sparcl_ctx *ctx, const spc_reduced_product *p,
                                     uint32_t options) {
    const int64_t n = spc_dense_width(p->c);
    const int shift = spc_team_shift(n, !p->chosen && n % 4 == 0);
    spc_units units = spc_find_units(p->a->rows, p->a->nnz, spc_csr_longest(p->a), 0);
    sparcl_buf *places = NULL;
    spc_args list = {.count = 0};
    SPC_TRY(spc_units_reserve(ctx, &units, n, spc_real_size(p->c->dtype)));
    if (p->chosen)
        SPC_TRY(spc_scratch_push(ctx, &places, spc_units_elements(&units, n), sizeof(int64_t)));
    add_choice(&list, p);
    SPC_ARGS_ADD(&list, SPC_OUT(units.parts), SPC_OUT(places), SPC_OUT(units.owner),
                 SPC_I64(units.windows), SPC_I32(shift));
    options |= spc_units_options(&units);
    SPC_TRY(spc_launch(ctx, SPC_SPMM_REDUCE, options, "spmm_choose",
                       spc_range_units(ctx, units.windows + units.rows, shift), list.at,
                       list.count));
    if (units.windows == 0) return SPARCL_OK;
    return spc_launch(ctx, SPC_SPMM_REDUCE, options, "spmm_choose_fold",
                      spc_range_units(ctx, units.windows, shift), list.at, list.count);
}

sparcl_status spc_choose(sparcl_ctx *ctx, const char *name, const spc_reduced_product *p) {
    const sparcl_csr *const a = p->a;
    const int64_t longest = spc_min_i64(spc_csr_longest(a), a->nnz);
    const uint32_t options = spc_options(p->c->dtype, a->offset_type, a->index_type);
    SPC_TRY(spc_check_reduced_loops(ctx, name, longest, spc_dense_width(p->c)));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status =
        (spc_ctx_is_gpu(ctx) ? choose_on_lanes : choose_on_cores)(ctx, p, options);
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status spc_divide_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *from,
                              const sparcl_csr *a) {
    const int64_t n = spc_dense_width(to);
    return SPC_LAUNCH(ctx, SPC_SPMM_REDUCE, spc_options(to->dtype, a->offset_type, a->index_type),
                      "divide_rows", spc_range_vectors(ctx, a->rows, n), SPC_IN(a->offsets),
                      SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(spc_dense_ld(from)), SPC_OUT(to->values),
                      SPC_I64(to->values_at), SPC_I64(spc_dense_ld(to)), SPC_I64(n));
}

static sparcl_status mean(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_csr *a,
                          const sparcl_dense *b) {
    SPC_TRY(sparcl_spmm(ctx, c, 1, a, b, 0));
    return spc_divide_rows(ctx, c, c, a);
}

/* The same as F32: only the means are rounded to 16 bits, which a sum may exceed. */
static sparcl_status mean_of_halves(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_csr *a,
                                    const sparcl_dense *b) {
    sparcl_csr wide_a;
    sparcl_dense wide_b, wide_c;
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    SPC_GO(spc_widen_csr(ctx, a, &wide_a));
    SPC_GO(spc_widen(ctx, b, true, &wide_b));
    SPC_GO(spc_widen(ctx, c, false, &wide_c));
    SPC_GO(mean(ctx, &wide_c, &wide_a, &wide_b));
    SPC_GO(sparcl_copy(ctx, c, &wide_c));
done:
    spc_scratch_release(ctx, mark);
    return status;
}

sparcl_status sparcl_spmm_reduce(sparcl_ctx *ctx, sparcl_reduction op, const sparcl_dense *c,
                                 const sparcl_csr *a, const sparcl_dense *b,
                                 const sparcl_dense *chosen) {
    const spc_reduced_product p = {op, c, a, b, chosen};
    SPC_TRY(spc_check_reduced(ctx, "spmm_reduce", "C", &p));
    const spc_spans operands = spc_reduced_operands(a, b);
    spc_spans results = {.count = 1, .at = {spc_dense_span("C", c)}};
    if (chosen) results.at[results.count++] = spc_dense_span("chosen", chosen);
    SPC_TRY(spc_check_spans(ctx, "spmm_reduce", &results, &operands));
    SPC_TRY(spc_need_csr(ctx, "spmm_reduce", "A", a, SPARCL_VALID));
    if (a->rows == 0 || spc_dense_width(c) == 0) return SPARCL_OK;
    if (spc_reduction_chooses(op)) return spc_choose(ctx, "spmm_reduce", &p);
    if (op == SPARCL_REDUCE_SUM) return sparcl_spmm(ctx, c, 1, a, b, 0);
    return (spc_is_half(c->dtype) ? mean_of_halves : mean)(ctx, c, a, b);
}
