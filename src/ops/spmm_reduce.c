/* spmm_reduce.c: products of a sparse and a dense matrix with mean, maximum or minimum, and their
 * gradients. */
#include "base/size.h"
#include "launch/launch.h"
#include "launch/transfer.h"
#include "ops/check.h"
#include "ops/halves.h"
#include "ops/partition.h"
#include "ops/pattern.h"
#include "ops/product.h"
#include "ops/product_choice.h"
#include "ops/rows.h"
#include "ops/scatter_chosen.h"
#include "ops/sddmm.h"
#include "sparcl/dense_ops.h"

#define STEM "panel+products+partition+spmm_reduce"

static int64_t width(const sparcl_dense *x) {
    return spc_shape_width(x->rank, x->shape);
}

static bool chooses(sparcl_reduction op) {
    return op == SPARCL_REDUCE_MAX || op == SPARCL_REDUCE_MIN;
}

static sparcl_status check_op(sparcl_ctx *ctx, const char *name, sparcl_reduction op,
                              const sparcl_dense *chosen) {
    if (!chooses(op) && op != SPARCL_REDUCE_SUM && op != SPARCL_REDUCE_MEAN)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: the reduction is %d, expected SPARCL_REDUCE_SUM, MEAN, MAX or MIN",
                            name, (int)op);
    if (chosen && !chooses(op))
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

/* A product C of A and B, or its gradient, whose place C has. */
static sparcl_status check_product(sparcl_ctx *ctx, const char *name, const char *c_name,
                                   const sparcl_dense *c, const sparcl_csr *a,
                                   const sparcl_dense *b) {
    SPC_TRY(spc_check_dense_of(ctx, name, c_name, c, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, name, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, name, "B", b, SPC_FLOATS));
    const spc_product p = {c->rank, c->shape, b, width(c), a->cols, a->rows, "columns", "rows"};
    SPC_TRY(spc_product_shapes(ctx, name, c_name, &p));
    SPC_TRY(spc_check_same_dtype(ctx, name, "A", a->dtype, "B", b->dtype));
    return spc_check_same_dtype(ctx, name, c_name, c->dtype, "B", b->dtype);
}

static spc_spans operands_of(const sparcl_csr *a, const sparcl_dense *b) {
    spc_spans s = spc_csr_spans("A", a);
    s.at[s.count++] = spc_dense_span("B", b);
    return s;
}

static void add_matrix(spc_args *list, spc_arg values, const sparcl_dense *x) {
    spc_args_add_array(list, values, x->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(x)));
}

static void add_chosen(spc_args *list, spc_arg values, const sparcl_dense *chosen) {
    const sparcl_dense none = {.rank = 1};
    add_matrix(list, values, chosen ? chosen : &none);
    spc_args_add(list, SPC_I32(chosen && chosen->dtype == SPARCL_INT64));
}

/* Rows of n columns, none of which is split between partitions. */
static sparcl_status check_loops(sparcl_ctx *ctx, const char *name, int64_t longest, int64_t n) {
    const int64_t panels = spc_ctx_is_gpu(ctx) ? spc_ceil_div(n, 32) : n / 16 + 4;
    return spc_check_iterations(ctx, name, (longest + 8) * panels);
}

static spc_range range_of(const sparcl_ctx *ctx, int64_t rows, const sparcl_csr *a, int64_t n) {
    return spc_range_groups(ctx, spc_find_partition(ctx, rows, a->nnz, n).count);
}

static sparcl_status choose(sparcl_ctx *ctx, const char *name, const sparcl_dense *c,
                            const sparcl_csr *a, const sparcl_dense *b, double sign,
                            const sparcl_dense *chosen) {
    const int64_t n = width(c);
    spc_args list = {.count = 0};
    SPC_TRY(check_loops(ctx, name, spc_min_i64(spc_csr_longest(a), a->nnz), n));
    spc_args_add_array(&list, SPC_IN(a->offsets), a->offsets_at);
    spc_args_add_array(&list, SPC_IN(a->indices), a->indices_at);
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add(&list, SPC_I64(a->rows));
    add_matrix(&list, SPC_IN(b->values), b);
    spc_args_add(&list, SPC_REAL(c->dtype, sign));
    add_matrix(&list, SPC_OUT(c->values), c);
    spc_args_add(&list, SPC_I64(n));
    add_chosen(&list, SPC_OUT(chosen ? chosen->values : NULL), chosen);
    spc_args_add(&list, SPC_I32(spc_prefetch_distance(ctx, b->shape[0], n, b->dtype)));
    return spc_launch(ctx, STEM, spc_options(c->dtype, a->offset_type, a->index_type),
                      "spmm_choose", range_of(ctx, a->rows, a, n), list.at, list.count);
}

/* to := from, each row divided by the number of entries of that row of A. */
static sparcl_status divide_rows(sparcl_ctx *ctx, const sparcl_dense *to, const sparcl_dense *from,
                                 const sparcl_csr *a) {
    const int64_t n = width(to);
    return SPC_LAUNCH(ctx, STEM, spc_options(to->dtype, a->offset_type, a->index_type),
                      "divide_rows", spc_range_rows(ctx, a->rows, n), SPC_IN(a->offsets),
                      SPC_I64(a->offsets_at), SPC_I64(a->rows), SPC_IN(from->values),
                      SPC_I64(from->values_at), SPC_I64(spc_dense_ld(from)), SPC_OUT(to->values),
                      SPC_I64(to->values_at), SPC_I64(spc_dense_ld(to)), SPC_I64(n));
}

static sparcl_status mean(sparcl_ctx *ctx, const sparcl_dense *c, const sparcl_csr *a,
                          const sparcl_dense *b) {
    SPC_TRY(sparcl_spmm(ctx, c, 1, a, b, 0));
    return divide_rows(ctx, c, c, a);
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
    SPC_TRY(check_op(ctx, "spmm_reduce", op, chosen));
    SPC_TRY(check_product(ctx, "spmm_reduce", "C", c, a, b));
    SPC_TRY(check_chosen(ctx, "spmm_reduce", chosen, c, a));
    const spc_spans operands = operands_of(a, b);
    spc_spans results = {.count = 1, .at = {spc_dense_span("C", c)}};
    if (chosen) results.at[results.count++] = spc_dense_span("chosen", chosen);
    SPC_TRY(spc_check_spans(ctx, "spmm_reduce", &results, &operands));
    SPC_TRY(spc_need_csr(ctx, "spmm_reduce", "A", a, SPARCL_VALID));
    if (a->rows == 0 || width(c) == 0) return SPARCL_OK;
    if (chooses(op))
        return choose(ctx, "spmm_reduce", c, a, b, op == SPARCL_REDUCE_MAX ? 1 : -1, chosen);
    if (op == SPARCL_REDUCE_SUM) return sparcl_spmm(ctx, c, 1, a, b, 0);
    return (spc_is_half(c->dtype) ? mean_of_halves : mean)(ctx, c, a, b);
}

static const char gradient_name[] = "spmm_reduce_gradient";

/* The operands of a gradient. */
typedef struct gradient {
    sparcl_reduction op;
    const sparcl_dense *gb, *gv, *g;
    const sparcl_csr *a;
    const sparcl_dense *b, *chosen;
} gradient;

static sparcl_status zero(sparcl_ctx *ctx, const sparcl_dense *x) {
    const int64_t size = (int64_t)sparcl_dtype_size(x->dtype);
    const spc_strided rows = {x->values_at * size, width(x) * size, spc_dense_ld(x) * size,
                              x->shape[0]};
    return spc_buf_zero_rows(ctx, x->values, &rows);
}

/* The terms that were chosen, by the columns of A. */
static sparcl_status unchoose(sparcl_ctx *ctx, const gradient *s, const sparcl_pattern *p) {
    const sparcl_csr *const a = s->a;
    const int64_t n = width(s->gb);
    const bool unique = sparcl_csr_flags(a) & SPARCL_UNIQUE;
    spc_args list = {.count = 0};
    SPC_TRY(check_loops(ctx, gradient_name, unique ? spc_min_i64(a->rows, a->nnz) : a->nnz, n));
    SPC_TRY(zero(ctx, s->gb));
    spc_args_add(&list, SPC_IN(p->starts));
    spc_args_add(&list, SPC_IN(p->row_of));
    spc_args_add(&list, SPC_IN(p->perm));
    spc_args_add(&list, SPC_IN(p->columns));
    spc_args_add(&list, SPC_IN(p->found));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    add_matrix(&list, SPC_IN(s->g->values), s->g);
    add_chosen(&list, SPC_IN(s->chosen->values), s->chosen);
    add_matrix(&list, SPC_OUT(s->gb->values), s->gb);
    spc_args_add(&list, SPC_I64(n));
    return spc_launch(ctx, STEM, spc_options(a->dtype, p->offset_type, p->index_type),
                      "spmm_unchoose", range_of(ctx, spc_pattern_capacity(p), a, n), list.at,
                      list.count);
}

static spc_chosen_job chosen_job(const gradient *s) {
    return (spc_chosen_job){s->g, s->b, s->chosen, s->a};
}

static sparcl_status gradient_by_b(sparcl_ctx *ctx, const gradient *s, sparcl_pattern *pattern) {
    sparcl_pattern *made = NULL;
    sparcl_status status = SPARCL_OK;
    if (!s->chosen) return sparcl_spmm_t(ctx, s->gb, 1, s->a, s->g, 0, pattern);
    const spc_chosen_job job = chosen_job(s);
    if (spc_scatter_chosen_applies(ctx, &job)) return spc_scatter_chosen(ctx, s->gb, &job);
    if (!pattern) {
        SPC_GO(sparcl_pattern_create(ctx, &made));
        SPC_GO(sparcl_pattern_build(ctx, made, s->a));
        pattern = made;
    }
    status = unchoose(ctx, s, pattern);
done:
    sparcl_pattern_free(made);
    return status;
}

static sparcl_status gradient_by_values(sparcl_ctx *ctx, const gradient *s) {
    const spc_chosen_job job = chosen_job(s);
    const spc_sddmm_job values = {s->gv, s->a, s->g, s->b, s->chosen, 1, 0};
    if (s->chosen && spc_sum_chosen_applies(ctx, &job)) return spc_sum_chosen(ctx, s->gv, &job);
    return spc_sddmm(ctx, gradient_name, &values);
}

static sparcl_status both_gradients(sparcl_ctx *ctx, const gradient *s, sparcl_pattern *pattern) {
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    if (s->gb && s->gb->shape[0] > 0 && width(s->gb) > 0) status = gradient_by_b(ctx, s, pattern);
    if (status == SPARCL_OK && s->gv) status = gradient_by_values(ctx, s);
    spc_scratch_release(ctx, mark);
    return status;
}

/* The gradient of a mean is that of the sum for G divided by the numbers of entries. */
static sparcl_status gradient_of_mean(sparcl_ctx *ctx, gradient s, sparcl_pattern *pattern) {
    sparcl_dense g = {.rank = s.g->rank, .dtype = s.g->dtype, .shape = {s.g->shape[0], width(s.g)}};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &g.values, g.shape[0] * width(&g), sparcl_dtype_size(g.dtype)));
    if (spc_dense_count(&g) > 0) status = divide_rows(ctx, &g, s.g, s.a);
    s.g = &g;
    if (status == SPARCL_OK) status = both_gradients(ctx, &s, pattern);
    spc_scratch_release(ctx, mark);
    return status;
}

/* The same as F32: only gb and gv are rounded to 16 bits. */
static sparcl_status gradient_of_mean_of_halves(sparcl_ctx *ctx, gradient s,
                                                sparcl_pattern *pattern) {
    sparcl_csr a;
    sparcl_dense b, g, gb, gv;
    const gradient wide = {s.op, s.gb ? &gb : NULL, s.gv ? &gv : NULL, &g, &a, &b, NULL};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    SPC_GO(spc_widen_csr(ctx, s.a, &a));
    SPC_GO(spc_widen(ctx, s.b, s.gv != NULL, &b));
    SPC_GO(spc_widen(ctx, s.g, true, &g));
    if (s.gb) SPC_GO(spc_widen(ctx, s.gb, false, &gb));
    if (s.gv) SPC_GO(spc_widen(ctx, s.gv, false, &gv));
    if (spc_dense_count(&g) > 0) SPC_GO(divide_rows(ctx, &g, &g, &a));
    SPC_GO(both_gradients(ctx, &wide, pattern));
    if (s.gb) SPC_GO(sparcl_copy(ctx, s.gb, &gb));
    if (s.gv) SPC_GO(sparcl_copy(ctx, s.gv, &gv));
done:
    spc_scratch_release(ctx, mark);
    return status;
}

/* Without the positions that were chosen, the product is computed again. */
static sparcl_status gradient_again(sparcl_ctx *ctx, gradient s, sparcl_pattern *pattern) {
    const int64_t n = width(s.g), count = s.a->rows * n;
    const double sign = s.op == SPARCL_REDUCE_MAX ? 1 : -1;
    sparcl_dense c = {.rank = 2, .dtype = s.g->dtype, .shape = {s.a->rows, n}}, chosen = c;
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    chosen.dtype = s.a->nnz > INT32_MAX ? SPARCL_INT64 : SPARCL_INT32;
    SPC_TRY(spc_scratch_push(ctx, &c.values, count, sparcl_dtype_size(c.dtype)));
    SPC_GO(spc_scratch_push(ctx, &chosen.values, count, sparcl_dtype_size(chosen.dtype)));
    if (count > 0) SPC_GO(choose(ctx, gradient_name, &c, s.a, s.b, sign, &chosen));
    s.chosen = &chosen;
    status = both_gradients(ctx, &s, pattern);
done:
    spc_scratch_release(ctx, mark);
    return status;
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const gradient *s) {
    const char *const name = gradient_name;
    spc_spans operands = operands_of(s->a, s->b), results = {.count = 0};
    operands.at[operands.count++] = spc_dense_span("G", s->g);
    if (s->chosen) operands.at[operands.count++] = spc_dense_span("chosen", s->chosen);
    if (s->gb) {
        SPC_TRY(spc_check_dense_of(ctx, name, "gb", s->gb, SPC_FLOATS));
        SPC_TRY(spc_check_same_shape(ctx, name, "gb", s->gb->rank, s->gb->shape, "B", s->b->rank,
                                     s->b->shape));
        SPC_TRY(spc_check_same_dtype(ctx, name, "gb", s->gb->dtype, "B", s->b->dtype));
        results.at[results.count++] = spc_dense_span("gb", s->gb);
    }
    if (s->gv) {
        const spc_sddmm_job values = {s->gv, s->a, s->g, s->b, NULL, 1, 0};
        SPC_TRY(spc_check_sddmm(ctx, name, &values, "gv", "G", "B"));
        results.at[results.count++] = spc_dense_span("gv", s->gv);
    }
    SPC_TRY(spc_check_spans(ctx, name, &results, &operands));
    return spc_need_csr(ctx, name, "A", s->a, SPARCL_VALID);
}

sparcl_status sparcl_spmm_reduce_gradient(sparcl_ctx *ctx, sparcl_reduction op,
                                          const sparcl_dense *gb, const sparcl_dense *gv,
                                          const sparcl_dense *g, const sparcl_csr *a,
                                          const sparcl_dense *b, const sparcl_dense *chosen,
                                          sparcl_pattern *pattern) {
    const char *const name = gradient_name;
    const gradient s = {op, gb, gv, g, a, b, chosen};
    SPC_TRY(check_op(ctx, name, op, chosen));
    SPC_TRY(check_product(ctx, name, "G", g, a, b));
    SPC_TRY(check_chosen(ctx, name, chosen, g, a));
    SPC_TRY(check_gradient(ctx, &s));
    if (pattern) SPC_TRY(spc_pattern_check(ctx, name, pattern, a));
    if (chooses(op) && !chosen) return gradient_again(ctx, s, pattern);
    if (op != SPARCL_REDUCE_MEAN) return both_gradients(ctx, &s, pattern);
    return (spc_is_half(a->dtype) ? gradient_of_mean_of_halves : gradient_of_mean)(ctx, s, pattern);
}
