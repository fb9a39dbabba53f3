/* add_n.c: sums of several arrays, dense and row-sparse. */
#include <stdio.h>

#include "base/size.h"
#include "ops/shared/dense_elements.h"
#include "ops/shared/densify.h"
#include "ops/shared/halves.h"
#include "ops/shared/moved.h"
#include "ops/shared/order.h"
#include "ops/shared/pair.h"
#include "ops/shared/rows.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"

#define PROGRAM "panel+products+elements+add_n"

enum { PER_LAUNCH = 4 }; /* dense terms */

/* The name of a term in messages. */
typedef struct term_name {
    char text[24];
} term_name;

static term_name name_of(int t) {
    term_name name;
    snprintf(name.text, sizeof name.text, "term %d", t);
    return name;
}

static sparcl_status check_count(sparcl_ctx *ctx, const char *op, const sparcl_term *terms,
                                 int count) {
    if (count >= 0 && (terms || count == 0)) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: there are %d terms%s, expected 0 or more", op,
                        count, terms ? "" : " at NULL");
}

/* --- row-sparse ------------------------------------------------------------------------------- */

/* A sum of row-sparse arrays. */
typedef struct rows_sum {
    const char *op;
    sparcl_rows *to;
    const sparcl_term *terms;
    int count;
    const sparcl_moved *moved;
    int64_t total; /* capacity of all terms */
} rows_sum;

static sparcl_status check_rows_term(sparcl_ctx *ctx, rows_sum *s, const spc_spans *results,
                                     int t) {
    const term_name name = name_of(t);
    const sparcl_rows *const x = s->terms[t].rows, *const to = s->to;
    if (s->terms[t].dense || !x)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: %s is %s, expected a row-sparse array (sparcl_add_n has a dense "
                            "result)",
                            s->op, name.text, s->terms[t].dense ? "dense" : "NULL");
    SPC_TRY(spc_check_rows_of(ctx, s->op, name.text, x, SPC_FLOATS));
    SPC_TRY(spc_check_same_shape(ctx, s->op, SPC_TO, to->rank, to->shape, name.text, x->rank,
                                 x->shape));
    SPC_TRY(spc_check_same_dtype(ctx, s->op, SPC_TO, to->dtype, name.text, x->dtype));
    const spc_spans operands = spc_rows_spans(name.text, x);
    SPC_TRY(spc_check_spans(ctx, s->op, results, &operands));
    if (!spc_add_i64(s->total, x->nnr, &s->total))
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: the terms have too many rows", s->op);
    return spc_need_rows(ctx, s->op, name.text, x, SPARCL_VALID);
}

static sparcl_status check_rows_sum(sparcl_ctx *ctx, rows_sum *s) {
    SPC_TRY(check_count(ctx, s->op, s->terms, s->count));
    SPC_TRY(spc_check_rows_of(ctx, s->op, SPC_TO, s->to, SPC_FLOATS));
    if (!s->to->count)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: `to` has no count, expected one", s->op);
    spc_spans results = spc_rows_spans(SPC_TO, s->to);
    SPC_TRY(spc_check_needed(ctx, s->op, &s->moved, &results));
    for (int t = 0; t < s->count; ++t)
        SPC_TRY(check_rows_term(ctx, s, &results, t));
    return SPARCL_OK;
}

/* A row-sparse array in scratch memory, of the shape of `to`, with a count at `count_at`. */
static sparcl_status push_rows(sparcl_ctx *ctx, const rows_sum *s, int64_t count_at,
                               sparcl_rows *rows) {
    const int64_t width = spc_shape_width(s->to->rank, s->to->shape);
    *rows = *s->to;
    rows->dtype = spc_is_half(s->to->dtype) ? SPARCL_F32 : s->to->dtype;
    rows->nnr = s->total;
    rows->indices_at = rows->values_at = 0;
    rows->count_at = count_at;
    rows->proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
    SPC_TRY(spc_scratch_push(ctx, &rows->count, count_at + 1, sizeof(int64_t)));
    SPC_TRY(spc_scratch_push(ctx, &rows->indices, s->total, sparcl_itype_size(rows->index_type)));
    return spc_scratch_push(ctx, &rows->values, s->total * width, sparcl_dtype_size(rows->dtype));
}

static sparcl_status append(sparcl_ctx *ctx, const rows_sum *s, int t, const sparcl_rows *all) {
    const sparcl_rows *const x = s->terms[t].rows;
    const int64_t width = spc_shape_width(x->rank, x->shape);
    return SPC_LAUNCH(ctx, PROGRAM, spc_options(x->dtype, all->index_type, x->index_type),
                      "append_scaled", spc_range_vectors(ctx, spc_max_i64(x->nnr, 1), width),
                      SPC_OUT(all->count), SPC_I32(t), SPC_IN(x->indices), SPC_I64(x->indices_at),
                      SPC_IN(x->values), SPC_I64(x->values_at), SPC_IN(x->count),
                      SPC_I64(x->count_at), SPC_I64(x->nnr), SPC_REAL(x->dtype, s->terms[t].factor),
                      SPC_OUT(all->indices), SPC_OUT(all->values), SPC_I64(width));
}

static sparcl_status copy_needed(sparcl_ctx *ctx, const rows_sum *s, const sparcl_buf *found,
                                 int64_t found_at) {
    if (!s->moved->needed) return SPARCL_OK;
    return sparcl_buf_copy(ctx, s->moved->needed, s->moved->needed_at * 8, found, found_at * 8, 8);
}

/* The sums are rounded, or do not all fit, when they are stored. */
static sparcl_status store(sparcl_ctx *ctx, const rows_sum *s, const sparcl_rows *sums) {
    const sparcl_rows *const to = s->to;
    const int64_t width = spc_shape_width(to->rank, to->shape);
    SPC_TRY(copy_needed(ctx, s, sums->count, 0));
    return SPC_LAUNCH(
        ctx, PROGRAM, spc_options(to->dtype, to->index_type, SPARCL_INDEX32), "store_sums",
        spc_range_vectors(ctx, spc_max_i64(spc_min_i64(to->nnr, s->total), 1), width),
        SPC_IN(sums->indices), SPC_IN(sums->values), SPC_IN(sums->count), SPC_I64(to->nnr),
        SPC_OUT(to->indices), SPC_I64(to->indices_at), SPC_OUT(to->values), SPC_I64(to->values_at),
        SPC_OUT(to->count), SPC_I64(to->count_at), SPC_I64(width));
}

static sparcl_status add_rows(sparcl_ctx *ctx, const rows_sum *s) {
    const spc_items none = {.capacity = 0};
    sparcl_rows all, sums;
    if (s->total == 0) {
        SPC_TRY(spc_write_count(ctx, s->to->count, s->to->count_at, none));
        return copy_needed(ctx, s, s->to->count, s->to->count_at);
    }
    SPC_TRY(push_rows(ctx, s, s->count, &all));
    for (int t = 0; t < s->count; ++t)
        SPC_TRY(append(ctx, s, t, &all));
    if (s->to->nnr >= s->total && !spc_is_half(s->to->dtype)) {
        SPC_TRY(sparcl_rows_coalesce(ctx, s->to, &all, SPARCL_SUM, NULL));
        return copy_needed(ctx, s, s->to->count, s->to->count_at);
    }
    SPC_TRY(push_rows(ctx, s, 0, &sums));
    SPC_TRY(sparcl_rows_coalesce(ctx, &sums, &all, SPARCL_SUM, NULL));
    return store(ctx, s, &sums);
}

sparcl_status sparcl_rows_add_n(sparcl_ctx *ctx, sparcl_rows *to, const sparcl_term *terms,
                                int count, const sparcl_moved *moved) {
    rows_sum s = {"rows_add_n", to, terms, count, moved, 0};
    SPC_TRY(check_rows_sum(ctx, &s));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = add_rows(ctx, &s);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_rows(to, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

/* --- dense ------------------------------------------------------------------------------------ */

static const char dense_op[] = "add_n";

static sparcl_status check_dense_term(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_term *x,
                                      int t) {
    const term_name name = name_of(t);
    SPC_TRY(spc_check_dense_pair(ctx, dense_op, "Y", y, name.text, x->dense, SPC_FLOATS));
    if (t == 0) return spc_check_in_place(ctx, dense_op, "Y", y, name.text, x->dense);
    const spc_span result = spc_dense_span("Y", y), operand = spc_dense_span(name.text, x->dense);
    return spc_check_alias(ctx, dense_op, &result, &operand, 1);
}

static sparcl_status check_mixed_term(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_term *x,
                                      int t) {
    const term_name name = name_of(t);
    const sparcl_rows *const r = x->rows;
    const spc_span result = spc_dense_span("Y", y);
    SPC_TRY(spc_check_rows_of(ctx, dense_op, name.text, r, SPC_FLOATS));
    SPC_TRY(
        spc_check_same_shape(ctx, dense_op, "Y", y->rank, y->shape, name.text, r->rank, r->shape));
    SPC_TRY(spc_check_same_dtype(ctx, dense_op, "Y", y->dtype, name.text, r->dtype));
    const spc_spans operands = spc_rows_spans(name.text, r);
    SPC_TRY(spc_check_alias(ctx, dense_op, &result, operands.at, operands.count));
    return spc_need_rows(ctx, dense_op, name.text, r, SPARCL_VALID);
}

static sparcl_status check_terms(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_term *terms,
                                 int count) {
    SPC_TRY(check_count(ctx, dense_op, terms, count));
    SPC_TRY(spc_check_dense_of(ctx, dense_op, "Y", y, SPC_FLOATS));
    for (int t = 0; t < count; ++t) {
        if (!terms[t].dense == !terms[t].rows)
            return spc_ctx_fail(ctx, SPARCL_E_ARG,
                                "%s: term %d has %s, expected a dense array or a row-sparse one",
                                dense_op, t, terms[t].rows ? "two arrays" : "no array");
        SPC_TRY((terms[t].rows ? check_mixed_term : check_dense_term)(ctx, y, &terms[t], t));
    }
    return SPARCL_OK;
}

/* Terms that follow each other: the result, or sums that go on. */
typedef struct dense_sum {
    const sparcl_dense *y;
    sparcl_dense sums; /* y itself, but F32 in scratch memory for several steps of 16 bits */
    const sparcl_term *terms;
    int count;
    bool adds, is_last; /* is_last: y has all terms */
} dense_sum;

static bool has_gaps(const dense_sum *s) {
    bool gaps = !spc_is_packed(s->y) || !spc_is_packed(&s->sums);
    for (int t = 0; t < s->count; ++t)
        gaps |= !spc_is_packed(s->terms[t].dense);
    return gaps;
}

static void add_array(spc_args *list, spc_arg buf, const sparcl_dense *x) {
    spc_args_add_array(list, buf, x->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(x)));
}

static sparcl_status add_terms(sparcl_ctx *ctx, const dense_sum *s) {
    const bool to_sums = spc_is_half(s->y->dtype) && !s->is_last;
    const spc_elements e = spc_elements_of(s->y, has_gaps(s));
    spc_args list = {.count = 0};
    spc_args_add(&list, SPC_I32(s->count));
    for (int t = 0; t < PER_LAUNCH; ++t) {
        const sparcl_term *const x = &s->terms[t < s->count ? t : 0];
        add_array(&list, SPC_IN(x->dense->values), x->dense);
        spc_args_add(&list, SPC_REAL(s->y->dtype, x->factor));
    }
    add_array(&list, SPC_OUT(s->sums.values), &s->sums);
    spc_args_add(&list, SPC_I32(s->adds));
    spc_args_add(&list, SPC_I32(to_sums));
    add_array(&list, SPC_OUT(s->y->values), s->y);
    spc_args_add(&list, SPC_I64(e.m));
    spc_args_add(&list, SPC_I64(e.n));
    return spc_launch(ctx, PROGRAM, spc_options(s->y->dtype, SPARCL_INDEX32, SPARCL_INDEX32),
                      "add_terms", spc_range_each(ctx, e.m * e.n), list.at, list.count);
}

/* A row-sparse term of the sums. */
static sparcl_status scatter(sparcl_ctx *ctx, const sparcl_dense *sums, const sparcl_term *x) {
    sparcl_rows wide;
    if (sums->dtype == x->rows->dtype) return sparcl_scatter_add(ctx, sums, x->factor, x->rows);
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = spc_widen_rows(ctx, x->rows, &wide);
    if (status == SPARCL_OK) status = sparcl_scatter_add(ctx, sums, x->factor, &wide);
    spc_scratch_release(ctx, mark);
    return status;
}

/* As many dense terms as one launch takes, or one row-sparse term; s->terms are then the others,
 * and *left their number. */
static sparcl_status add_next(sparcl_ctx *ctx, dense_sum *s, int *left) {
    int taken = 0;
    if (s->terms->rows) {
        if (!s->adds) SPC_TRY(spc_zero_dense(ctx, &s->sums));
        SPC_TRY(scatter(ctx, &s->sums, s->terms));
        taken = 1;
    } else {
        while (taken < *left && taken < PER_LAUNCH && s->terms[taken].dense)
            ++taken;
        s->count = taken;
        s->is_last = taken == *left;
        SPC_TRY(add_terms(ctx, s));
    }
    s->adds = true;
    s->terms += taken;
    *left -= taken;
    return SPARCL_OK;
}

static bool is_one_launch(const sparcl_term *terms, int count) {
    for (int t = 0; t < count; ++t)
        if (terms[t].rows) return false;
    return count <= PER_LAUNCH;
}

static sparcl_status add_all(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_term *terms,
                             int count) {
    dense_sum s = {.y = y, .sums = *y, .terms = terms};
    const bool is_wide = spc_is_half(y->dtype) && !is_one_launch(terms, count);
    if (count == 0) return spc_zero_dense(ctx, y);
    if (is_wide) SPC_TRY(spc_widen(ctx, y, false, &s.sums));
    for (int left = count; left > 0;)
        SPC_TRY(add_next(ctx, &s, &left));
    return is_wide && !s.is_last ? sparcl_copy(ctx, y, &s.sums) : SPARCL_OK;
}

sparcl_status sparcl_add_n(sparcl_ctx *ctx, const sparcl_dense *y, const sparcl_term *terms,
                           int count) {
    SPC_TRY(check_terms(ctx, y, terms, count));
    if (y->shape[0] == 0 || spc_shape_width(y->rank, y->shape) == 0) return SPARCL_OK;
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = add_all(ctx, y, terms, count);
    spc_scratch_release(ctx, mark);
    return status;
}
