/* spmm_reduce_gradient.c: gradients of products with mean, maximum or minimum. */
#include "base/size.h"
#include "launch/transfer.h"
#include "ops/products/pattern.h"
#include "ops/products/scatter_chosen.h"
#include "ops/products/sddmm.h"
#include "ops/products/spmm_reduce.h"
#include "ops/shared/halves.h"
#include "ops/shared/product.h"
#include "ops/shared/rows.h"
#include "ops/shared/units.h"
#include "sparcl/ops.h"

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
    const spc_strided rows = {x->values_at * size, spc_dense_width(x) * size,
                              spc_dense_ld(x) * size, x->shape[0]};
    return spc_buf_zero_rows(ctx, x->values, &rows);
}

static void add_columns(spc_args *list, const gradient *s, const sparcl_pattern *p) {
    SPC_ARGS_ADD(list, SPC_IN(p->starts), SPC_IN(p->row_of), SPC_IN(p->perm), SPC_IN(p->columns),
                 SPC_IN(p->found), SPC_IN(s->a->values), SPC_I64(s->a->values_at));
    spc_add_matrix(list, SPC_IN(s->g->values), s->g);
    spc_add_chosen(list, SPC_IN(s->chosen->values), s->chosen);
    spc_add_matrix(list, SPC_OUT(s->gb->values), s->gb);
    spc_args_add(list, SPC_I64(spc_dense_width(s->gb)));
}

static sparcl_status unchoose_on_lanes(sparcl_ctx *ctx, const gradient *s, sparcl_pattern *p,
                                       int64_t longest, uint32_t options) {
    const int64_t n = spc_dense_width(s->gb);
    const int shift = spc_team_shift(n, false);
    const spc_multiply_job job = {.a = s->a,
                                  .pattern = p,
                                  .all_rows = s->gb->shape[0],
                                  .b = s->g,
                                  .to = s->gb->values,
                                  .to_at = s->gb->values_at,
                                  .to_ld = spc_dense_ld(s->gb),
                                  .n = n,
                                  .alpha = 1};
    spc_units units = spc_find_units(spc_pattern_capacity(p), s->a->nnz, longest,
                                     s->gb->shape[0] * spc_dense_ld(s->gb));
    spc_args list = {.count = 0};
    SPC_TRY(spc_units_reserve(ctx, &units, n, spc_real_size(s->gb->dtype)));
    add_columns(&list, s, p);
    spc_units_add(&list, &units, shift);
    SPC_TRY(spc_launch(ctx, SPC_SPMM_REDUCE, options | spc_units_options(&units), "spmm_unchoose",
                       spc_range_units(ctx, units.windows + units.rows, shift), list.at,
                       list.count));
    return spc_fold_units(ctx, &job, &units);
}

/* The terms that were chosen, by the columns of A. */
static sparcl_status unchoose(sparcl_ctx *ctx, const gradient *s, sparcl_pattern *p) {
    const sparcl_csr *const a = s->a;
    const int64_t n = spc_dense_width(s->gb);
    const bool unique = sparcl_csr_flags(a) & SPARCL_UNIQUE;
    const int64_t longest = unique ? spc_min_i64(a->rows, a->nnz) : a->nnz;
    const uint32_t options = spc_options(a->dtype, p->offset_type, p->index_type);
    spc_args list = {.count = 0};
    SPC_TRY(spc_check_reduced_loops(ctx, gradient_name, longest, n));
    SPC_TRY(zero(ctx, s->gb));
    if (spc_ctx_is_gpu(ctx)) return unchoose_on_lanes(ctx, s, p, longest, options);
    add_columns(&list, s, p);
    return spc_launch(ctx, SPC_SPMM_REDUCE, options, "spmm_unchoose",
                      spc_reduced_range(ctx, spc_pattern_capacity(p), a, n), list.at, list.count);
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
    if (s->gb && s->gb->shape[0] > 0 && spc_dense_width(s->gb) > 0)
        status = gradient_by_b(ctx, s, pattern);
    if (status == SPARCL_OK && s->gv) status = gradient_by_values(ctx, s);
    spc_scratch_release(ctx, mark);
    return status;
}

/* The gradient of a mean is that of the sum for G divided by the numbers of entries. */
static sparcl_status gradient_of_mean(sparcl_ctx *ctx, gradient s, sparcl_pattern *pattern) {
    sparcl_dense g = {
        .rank = s.g->rank, .dtype = s.g->dtype, .shape = {s.g->shape[0], spc_dense_width(s.g)}};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    SPC_TRY(spc_scratch_push(ctx, &g.values, g.shape[0] * spc_dense_width(&g),
                             sparcl_dtype_size(g.dtype)));
    if (spc_dense_count(&g) > 0) status = spc_divide_rows(ctx, &g, s.g, s.a);
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
    if (spc_dense_count(&g) > 0) SPC_GO(spc_divide_rows(ctx, &g, &g, &a));
    SPC_GO(both_gradients(ctx, &wide, pattern));
    if (s.gb) SPC_GO(sparcl_copy(ctx, s.gb, &gb));
    if (s.gv) SPC_GO(sparcl_copy(ctx, s.gv, &gv));
done:
    spc_scratch_release(ctx, mark);
    return status;
}

/* Without the positions that were chosen, the product is computed again. */
static sparcl_status gradient_again(sparcl_ctx *ctx, gradient s, sparcl_pattern *pattern) {
    const int64_t n = spc_dense_width(s.g), count = s.a->rows * n;
    sparcl_dense c = {.rank = 2, .dtype = s.g->dtype, .shape = {s.a->rows, n}}, chosen = c;
    const spc_reduced_product again = {s.op, &c, s.a, s.b, &chosen};
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = SPARCL_OK;
    chosen.dtype = s.a->nnz > INT32_MAX ? SPARCL_INT64 : SPARCL_INT32;
    SPC_TRY(spc_scratch_push(ctx, &c.values, count, sparcl_dtype_size(c.dtype)));
    SPC_GO(spc_scratch_push(ctx, &chosen.values, count, sparcl_dtype_size(chosen.dtype)));
    if (count > 0) SPC_GO(spc_choose(ctx, gradient_name, &again));
    s.chosen = &chosen;
    status = both_gradients(ctx, &s, pattern);
done:
    spc_scratch_release(ctx, mark);
    return status;
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const gradient *s) {
    const char *const name = gradient_name;
    spc_spans operands = spc_reduced_operands(s->a, s->b), results = {.count = 0};
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
    const spc_reduced_product product = {op, g, a, b, chosen};
    SPC_TRY(spc_check_reduced(ctx, name, "G", &product));
    SPC_TRY(check_gradient(ctx, &s));
    if (pattern) SPC_TRY(spc_pattern_check(ctx, name, pattern, a));
    if (spc_reduction_chooses(op) && !chosen) return gradient_again(ctx, s, pattern);
    if (op != SPARCL_REDUCE_MEAN) return both_gradients(ctx, &s, pattern);
    return (spc_is_half(a->dtype) ? gradient_of_mean_of_halves : gradient_of_mean)(ctx, s, pattern);
}
