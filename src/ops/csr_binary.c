/* csr_binary.c: sums and products of CSR matrices element by element, and their gradients. */
#include "base/size.h"
#include "launch/launch.h"
#include "launch/transfer.h"
#include "ops/dense_elements.h"
#include "ops/densify.h"
#include "ops/halves.h"
#include "prim/scan.h"
#include "prim/sort.h"
#include "sparcl/dense_ops.h"
#include "sparcl/elementwise.h"
#include "sparcl/sparse_products.h"

#define STEM "entry_rows+csr_binary"

/* Minimum rows and entries of a worker. */
#define GRAIN 2048

typedef long long ll; /* for %lld */

/* C := alpha * A + beta * B, or their product. */
typedef struct binary {
    const char *name;
    bool is_product;
    double alpha, beta;
    sparcl_csr *c;
    const sparcl_csr *a, *b;
    sparcl_buf *needed;
    int64_t needed_at;
    const sparcl_csr_sources *sources; /* or NULL */
} binary;

/* Sources as arrays that are results or operands. */
static void add_sources(spc_spans *spans, const sparcl_csr_sources *s, int64_t count) {
    if (!s) return;
    spans->at[spans->count++] = spc_array_span(NULL, "the sources in A", s->a, s->a_at, count, 8);
    spans->at[spans->count++] = spc_array_span(NULL, "the sources in B", s->b, s->b_at, count, 8);
}

static sparcl_status check_sources(sparcl_ctx *ctx, const char *op, const sparcl_csr_sources *s,
                                   int64_t count) {
    if (!s) return SPARCL_OK;
    SPC_TRY(spc_check_buf(ctx, op, "the sources in A", s->a, s->a_at, count, 8));
    return spc_check_buf(ctx, op, "the sources in B", s->b, s->b_at, count, 8);
}

static sparcl_status check_same(sparcl_ctx *ctx, const char *op, const char *name,
                                const sparcl_csr *x, const sparcl_csr *a) {
    if (x->rows != a->rows || x->cols != a->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: %s is %lld x %lld, A %lld x %lld", op, name,
                            (ll)x->rows, (ll)x->cols, (ll)a->rows, (ll)a->cols);
    SPC_TRY(spc_check_same_dtype(ctx, op, name, x->dtype, "A", a->dtype));
    if (x->offset_type != a->offset_type)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: %s has i%d offsets and A i%d, expected one type", op, name,
                            x->offset_type ? 64 : 32, a->offset_type ? 64 : 32);
    return spc_check_same_itype(ctx, op, name, x->index_type, "A", a->index_type);
}

static sparcl_status check_binary(sparcl_ctx *ctx, const binary *s) {
    SPC_TRY(spc_check_csr_of(ctx, s->name, "C", s->c, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, s->name, "A", s->a, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, s->name, "B", s->b, SPC_FLOATS));
    SPC_TRY(check_same(ctx, s->name, "B", s->b, s->a));
    SPC_TRY(check_same(ctx, s->name, "C", s->c, s->a));
    if (s->needed)
        SPC_TRY(spc_check_buf(ctx, s->name, "the needed count", s->needed, s->needed_at, 1, 8));
    SPC_TRY(check_sources(ctx, s->name, s->sources, s->c->nnz));
    spc_spans results = spc_csr_spans("C", s->c), operands = spc_csr_spans("A", s->a);
    const spc_spans b = spc_csr_spans("B", s->b);
    for (size_t i = 0; i < b.count; ++i)
        operands.at[operands.count++] = b.at[i];
    results.at[results.count++] =
        spc_array_span(NULL, "the needed count", s->needed, s->needed_at, s->needed ? 1 : 0, 8);
    add_sources(&results, s->sources, s->c->nnz);
    SPC_TRY(spc_check_spans(ctx, s->name, &results, &operands));
    const uint32_t need = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;
    SPC_TRY(spc_need_csr(ctx, s->name, "A", s->a, need));
    return spc_need_csr(ctx, s->name, "B", s->b, need);
}

static void add_pattern(spc_args *list, const sparcl_csr *x) {
    spc_args_add_array(list, SPC_IN(x->offsets), x->offsets_at);
    spc_args_add_array(list, SPC_IN(x->indices), x->indices_at);
}

static spc_args pair_args(const binary *s) {
    spc_args list = {.count = 0};
    add_pattern(&list, s->a);
    add_pattern(&list, s->b);
    spc_args_add(&list, SPC_I64(s->a->rows));
    return list;
}

static void add_result(spc_args *list, const binary *s) {
    const sparcl_csr_sources none = {0}, *const from = s->sources ? s->sources : &none;
    spc_args_add_array(list, SPC_OUT(s->c->indices), s->c->indices_at);
    spc_args_add_array(list, SPC_OUT(s->c->values), s->c->values_at);
    spc_args_add(list, SPC_I64(s->c->nnz));
    spc_args_add_array(list, SPC_OUT(from->a), from->a_at);
    spc_args_add_array(list, SPC_OUT(from->b), from->b_at);
    spc_args_add(list, SPC_I32(s->sources != NULL));
}

static uint32_t options_of(const binary *s) {
    return spc_options(s->a->dtype, s->a->offset_type, s->a->index_type) |
           (spc_position_type(s->a->nnz) == SPARCL_I64 ? SPC_VALUE64 : 0u);
}

static sparcl_status launch(sparcl_ctx *ctx, const binary *s, const char *kernel, int64_t items,
                            const spc_args *list) {
    return spc_launch(ctx, STEM, options_of(s), kernel, spc_range_each(ctx, items), list->at,
                      list->count);
}

/* Wide cores merge rows; others find the entries of one matrix in the other. */
static bool merges_rows(const sparcl_ctx *ctx) {
    return !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
}

static sparcl_status launch_rows(sparcl_ctx *ctx, const binary *s, const char *kernel,
                                 const spc_args *list) {
    const int64_t work = s->a->rows + s->a->nnz + s->b->nnz;
    return spc_launch(ctx, STEM, options_of(s), kernel,
                      spc_range_groups(ctx, spc_workers(ctx, work, GRAIN)), list->at, list->count);
}

/* The items that matches are counted for: rows, or entries of A. */
static int64_t counted_items(const sparcl_ctx *ctx, const binary *s) {
    return merges_rows(ctx) ? s->a->rows : s->a->nnz;
}

/* matches[i] := the number of entries that both have, before item i. */
static sparcl_status count_matches(sparcl_ctx *ctx, const binary *s, sparcl_buf *matches) {
    const int64_t n = counted_items(ctx, s);
    const sparcl_itype type = spc_position_type(s->a->nnz);
    const spc_scan_job scan = {
        .n = n, .from_type = type, .to_type = type, .from = matches, .to = matches};
    spc_args list = pair_args(s);
    if (!merges_rows(ctx)) spc_args_add(&list, SPC_I64(n));
    spc_args_add(&list, SPC_OUT(matches));
    if (n > 0)
        SPC_TRY(merges_rows(ctx) ? launch_rows(ctx, s, "match_rows", &list)
                                 : launch(ctx, s, "match_entries", n, &list));
    return spc_scan(ctx, &scan);
}

static sparcl_status write_offsets(sparcl_ctx *ctx, const binary *s, const sparcl_buf *matches) {
    spc_args list = pair_args(s);
    spc_args_add(&list, SPC_IN(matches));
    spc_args_add(&list, SPC_I32(merges_rows(ctx)));
    spc_args_add(&list, SPC_I32(s->is_product));
    spc_args_add(&list, SPC_I64(s->c->nnz));
    spc_args_add_array(&list, SPC_OUT(s->c->offsets), s->c->offsets_at);
    spc_args_add_array(&list, SPC_OUT(s->needed), s->needed_at);
    spc_args_add(&list, SPC_I32(s->needed != NULL));
    return launch(ctx, s, "binary_offsets", s->a->rows + 1, &list);
}

static sparcl_status write_entries(sparcl_ctx *ctx, const binary *s, const sparcl_buf *matches) {
    spc_args of_a = pair_args(s), of_b = pair_args(s);
    spc_args_add(&of_a, SPC_IN(matches));
    spc_args_add(&of_a, SPC_I32(s->is_product));
    spc_args_add(&of_a, SPC_REAL(s->a->dtype, s->alpha));
    spc_args_add_array(&of_a, SPC_IN(s->a->values), s->a->values_at);
    spc_args_add(&of_a, SPC_REAL(s->a->dtype, s->beta));
    spc_args_add_array(&of_a, SPC_IN(s->b->values), s->b->values_at);
    add_result(&of_a, s);
    if (merges_rows(ctx)) return launch_rows(ctx, s, "merge_rows", &of_a);
    if (s->a->nnz > 0) SPC_TRY(launch(ctx, s, "binary_a", s->a->nnz, &of_a));
    if (s->is_product || s->b->nnz == 0) return SPARCL_OK;
    spc_args_add(&of_b, SPC_IN(matches));
    spc_args_add(&of_b, SPC_REAL(s->a->dtype, s->beta));
    spc_args_add_array(&of_b, SPC_IN(s->b->values), s->b->values_at);
    add_result(&of_b, s);
    return launch(ctx, s, "binary_b", s->b->nnz, &of_b);
}

static sparcl_status compute(sparcl_ctx *ctx, const binary *s) {
    const int mark = spc_scratch_mark(ctx);
    sparcl_buf *matches = NULL;
    SPC_TRY(check_binary(ctx, s));
    SPC_TRY(spc_scratch_push(ctx, &matches, counted_items(ctx, s) + 1,
                             sparcl_itype_size(spc_position_type(s->a->nnz))));
    sparcl_status status = count_matches(ctx, s, matches);
    if (status == SPARCL_OK) status = write_offsets(ctx, s, matches);
    if (status == SPARCL_OK && s->c->nnz > 0) status = write_entries(ctx, s, matches);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(s->c, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

sparcl_status sparcl_csr_add(sparcl_ctx *ctx, sparcl_csr *c, double alpha, const sparcl_csr *a,
                             double beta, const sparcl_csr *b, sparcl_buf *needed,
                             int64_t needed_at, const sparcl_csr_sources *sources) {
    const binary s = {"csr_add", false, alpha, beta, c, a, b, needed, needed_at, sources};
    return compute(ctx, &s);
}

sparcl_status sparcl_csr_multiply(sparcl_ctx *ctx, sparcl_csr *c, const sparcl_csr *a,
                                  const sparcl_csr *b, sparcl_buf *needed, int64_t needed_at,
                                  const sparcl_csr_sources *sources) {
    const binary s = {"csr_multiply", true, 1, 1, c, a, b, needed, needed_at, sources};
    return compute(ctx, &s);
}

/* The gradient `to` of the values of an operand: g times a factor, or times the values of `other`.
 */
typedef struct scatter {
    const char *name;
    const sparcl_dense *to;
    const sparcl_dense *g;
    const sparcl_csr *c;
    sparcl_buf *source, *other_source;
    int64_t source_at, other_source_at;
    double factor;
    const sparcl_csr *other; /* or NULL */
} scatter;

static sparcl_status check_vector(sparcl_ctx *ctx, const char *op, const char *name,
                                  const sparcl_dense *v, int64_t count) {
    SPC_TRY(spc_check_dense_of(ctx, op, name, v, SPC_FLOATS));
    if (v->rank == 1 && spc_dense_ld(v) == 1 && (count < 0 || v->shape[0] == count))
        return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: %s has rank %d, %lld elements and ld %lld, expected a packed vector "
                        "with one for each entry",
                        op, name, v->rank, (ll)v->shape[0], (ll)spc_dense_ld(v));
}

static sparcl_status check_scatter(sparcl_ctx *ctx, const scatter *s, const char *to_name,
                                   int64_t count) {
    SPC_TRY(check_vector(ctx, s->name, to_name, s->to, count));
    SPC_TRY(spc_check_csr_of(ctx, s->name, "C", s->c, SPC_FLOATS));
    SPC_TRY(check_vector(ctx, s->name, "G", s->g, s->c->nnz));
    SPC_TRY(spc_check_same_dtype(ctx, s->name, to_name, s->to->dtype, "G", s->g->dtype));
    SPC_TRY(spc_check_buf(ctx, s->name, "the sources", s->source, s->source_at, s->c->nnz, 8));
    if (s->other)
        SPC_TRY(spc_check_same_dtype(ctx, s->name, "the other matrix", s->other->dtype, "G",
                                     s->g->dtype));
    const spc_span result = spc_dense_span(to_name, s->to);
    spc_spans operands = {
        .count = 2,
        .at = {spc_dense_span("G", s->g),
               spc_array_span(NULL, "the sources", s->source, s->source_at, s->c->nnz, 8)}};
    if (s->other)
        operands.at[operands.count++] =
            spc_array_span("values", "the other matrix", s->other->values, s->other->values_at,
                           s->other->nnz, sparcl_dtype_size(s->other->dtype));
    SPC_TRY(spc_check_alias(ctx, s->name, &result, operands.at, operands.count));
    return spc_need_csr(ctx, s->name, "C", s->c, SPARCL_VALID);
}

static sparcl_status run_scatter(sparcl_ctx *ctx, const scatter *s) {
    const int64_t size = (int64_t)sparcl_dtype_size(s->to->dtype), n = s->to->shape[0];
    const spc_strided all = {s->to->values_at * size, n * size, n * size, 1};
    const sparcl_csr none = {0}, *const other = s->other ? s->other : &none;
    if (n == 0) return SPARCL_OK;
    SPC_TRY(spc_buf_zero_rows(ctx, s->to->values, &all));
    if (s->c->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, STEM, spc_options(s->to->dtype, s->c->offset_type, SPARCL_I32),
                      "scatter_values", spc_range_each(ctx, s->c->nnz), SPC_IN(s->c->offsets),
                      SPC_I64(s->c->offsets_at), SPC_I64(s->c->rows), SPC_I64(s->c->nnz),
                      SPC_IN(s->g->values), SPC_I64(s->g->values_at), SPC_IN(s->source),
                      SPC_I64(s->source_at), SPC_REAL(s->to->dtype, s->factor),
                      SPC_IN(other->values), SPC_I64(other->values_at), SPC_IN(s->other_source),
                      SPC_I64(s->other_source_at), SPC_I32(s->other != NULL),
                      SPC_OUT(s->to->values), SPC_I64(s->to->values_at));
}

/* Both gradients, checked before one is computed. */
static sparcl_status run_scatters(sparcl_ctx *ctx, const scatter *a, int64_t a_count,
                                  const scatter *b, int64_t b_count) {
    if (a->to) SPC_TRY(check_scatter(ctx, a, "ga", a_count));
    if (b->to) SPC_TRY(check_scatter(ctx, b, "gb", b_count));
    if (a->to && b->to) {
        const spc_span ga = spc_dense_span("ga", a->to), gb = spc_dense_span("gb", b->to);
        SPC_TRY(spc_check_alias(ctx, a->name, &ga, &gb, 1));
    }
    if (a->to) SPC_TRY(run_scatter(ctx, a));
    return b->to ? run_scatter(ctx, b) : SPARCL_OK;
}

sparcl_status sparcl_csr_add_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                      const sparcl_dense *gb, double alpha, double beta,
                                      const sparcl_dense *g, const sparcl_csr *c,
                                      const sparcl_csr_sources *sources) {
    static const char name[] = "csr_add_gradient";
    if (!sources) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: sources is NULL", name);
    const scatter a = {name, ga, g, c, sources->a, NULL, sources->a_at, 0, alpha, NULL};
    const scatter b = {name, gb, g, c, sources->b, NULL, sources->b_at, 0, beta, NULL};
    return run_scatters(ctx, &a, -1, &b, -1);
}

sparcl_status sparcl_csr_multiply_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                           const sparcl_dense *gb, const sparcl_dense *g,
                                           const sparcl_csr *c, const sparcl_csr *a,
                                           const sparcl_csr *b, const sparcl_csr_sources *sources) {
    static const char name[] = "csr_multiply_gradient";
    if (!sources) return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: sources is NULL", name);
    const sparcl_csr_sources s = *sources;
    SPC_TRY(spc_check_csr_of(ctx, name, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, name, "B", b, SPC_FLOATS));
    const scatter by_a = {name, ga, g, c, s.a, s.b, s.a_at, s.b_at, 1, b};
    const scatter by_b = {name, gb, g, c, s.b, s.a, s.b_at, s.a_at, 1, a};
    return run_scatters(ctx, &by_a, a->nnz, &by_b, b->nnz);
}

static const char dense_op[] = "csr_multiply_dense", gradient_op[] = "csr_multiply_dense_gradient";

/* The dense operand, or its gradient. */
static sparcl_status check_dense_like(sparcl_ctx *ctx, const char *op, const char *name,
                                      const sparcl_dense *x, const sparcl_csr *a) {
    SPC_TRY(spc_check_dense_of(ctx, op, name, x, SPC_FLOATS));
    if (x->rank != 2 || x->shape[0] != a->rows || x->shape[1] != a->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: A is %lld x %lld, %s has rank %d and %lld rows of %lld, expected "
                            "one shape",
                            op, (ll)a->rows, (ll)a->cols, name, x->rank, (ll)x->shape[0],
                            (ll)spc_shape_width(x->rank, x->shape));
    return spc_check_same_dtype(ctx, op, name, x->dtype, "A", a->dtype);
}

static sparcl_status multiply_dense(sparcl_ctx *ctx, const sparcl_dense *v, const sparcl_csr *a,
                                    const sparcl_dense *x) {
    if (a->nnz == 0) return SPARCL_OK;
    return SPC_LAUNCH(ctx, STEM, spc_options(a->dtype, a->offset_type, a->index_type),
                      "multiply_dense", spc_range_each(ctx, a->nnz), SPC_IN(a->offsets),
                      SPC_I64(a->offsets_at), SPC_IN(a->indices), SPC_I64(a->indices_at),
                      SPC_I64(a->rows), SPC_I64(a->nnz), SPC_IN(a->values), SPC_I64(a->values_at),
                      SPC_IN(x->values), SPC_I64(x->values_at), SPC_I64(spc_dense_ld(x)),
                      SPC_OUT(v->values), SPC_I64(v->values_at));
}

sparcl_status sparcl_csr_multiply_dense(sparcl_ctx *ctx, const sparcl_dense *v, const sparcl_csr *a,
                                        const sparcl_dense *x) {
    SPC_TRY(spc_check_csr_of(ctx, dense_op, "A", a, SPC_FLOATS));
    SPC_TRY(check_vector(ctx, dense_op, "v", v, a->nnz));
    SPC_TRY(check_dense_like(ctx, dense_op, "X", x, a));
    SPC_TRY(spc_check_same_dtype(ctx, dense_op, "v", v->dtype, "A", a->dtype));
    const spc_span result = spc_dense_span("v", v);
    spc_spans operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("X", x);
    SPC_TRY(spc_check_alias(ctx, dense_op, &result, operands.at, operands.count));
    SPC_TRY(spc_need_csr(ctx, dense_op, "A", a, SPARCL_VALID));
    return multiply_dense(ctx, v, a, x);
}

/* --- its gradients ---------------------------------------------------------------------------- */

static sparcl_status check_dense_gradient(sparcl_ctx *ctx, const sparcl_dense *gv,
                                          const sparcl_dense *gx, const sparcl_dense *g,
                                          const sparcl_csr *a, const sparcl_dense *x) {
    spc_spans results = {.count = 0}, operands;
    SPC_TRY(spc_check_csr_of(ctx, gradient_op, "A", a, SPC_FLOATS));
    SPC_TRY(check_vector(ctx, gradient_op, "G", g, a->nnz));
    SPC_TRY(spc_check_same_dtype(ctx, gradient_op, "G", g->dtype, "A", a->dtype));
    SPC_TRY(check_dense_like(ctx, gradient_op, "X", x, a));
    if (gv) {
        SPC_TRY(check_vector(ctx, gradient_op, "gv", gv, a->nnz));
        SPC_TRY(spc_check_same_dtype(ctx, gradient_op, "gv", gv->dtype, "A", a->dtype));
        results.at[results.count++] = spc_dense_span("gv", gv);
    }
    if (gx) {
        SPC_TRY(check_dense_like(ctx, gradient_op, "gx", gx, a));
        results.at[results.count++] = spc_dense_span("gx", gx);
    }
    operands = spc_csr_spans("A", a);
    operands.at[operands.count++] = spc_dense_span("X", x);
    operands.at[operands.count++] = spc_dense_span("G", g);
    SPC_TRY(spc_check_spans(ctx, gradient_op, &results, &operands));
    return spc_need_csr(ctx, gradient_op, "A", a, SPARCL_VALID);
}

/* *product := A with its values times g; 16 bits as F32. */
static sparcl_status multiply_values(sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_dense *g,
                                     sparcl_csr *product) {
    const bool is_half = spc_is_half(a->dtype);
    const sparcl_dense stored = spc_csr_values(a);
    sparcl_dense own = stored, values = stored, other = *g;
    *product = *a;
    product->dtype = own.dtype = is_half ? SPARCL_F32 : a->dtype;
    own.values_at = product->values_at = 0;
    SPC_TRY(spc_scratch_push(ctx, &own.values, a->nnz, spc_real_size(a->dtype)));
    product->values = own.values;
    product->proof.flags = SPARCL_TRUSTED | sparcl_csr_flags(a);
    if (is_half) {
        SPC_TRY(spc_widen(ctx, &stored, true, &values));
        SPC_TRY(spc_widen(ctx, g, true, &other));
    }
    return sparcl_binary(ctx, SPARCL_BINARY_MULTIPLY, &own, &values, &other);
}

static sparcl_status scatter_products(sparcl_ctx *ctx, const sparcl_dense *gx,
                                      const sparcl_dense *g, const sparcl_csr *a) {
    sparcl_dense to = *gx;
    sparcl_csr product;
    if (gx->shape[0] == 0 || gx->shape[1] == 0) return SPARCL_OK;
    if (a->nnz == 0) return spc_zero_dense(ctx, gx);
    SPC_TRY(multiply_values(ctx, a, g, &product));
    if (!spc_is_half(a->dtype)) return spc_csr_place(ctx, gx, &product);
    SPC_TRY(spc_widen(ctx, gx, false, &to));
    SPC_TRY(spc_csr_place(ctx, &to, &product));
    return sparcl_copy(ctx, gx, &to);
}

sparcl_status sparcl_csr_multiply_dense_gradient(sparcl_ctx *ctx, const sparcl_dense *gv,
                                                 const sparcl_dense *gx, const sparcl_dense *g,
                                                 const sparcl_csr *a, const sparcl_dense *x) {
    SPC_TRY(check_dense_gradient(ctx, gv, gx, g, a, x));
    sparcl_csr own = *a;
    own.values = g->values;
    own.values_at = g->values_at;
    if (gv) SPC_TRY(multiply_dense(ctx, gv, &own, x));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = gx ? scatter_products(ctx, gx, g, a) : SPARCL_OK;
    spc_scratch_release(ctx, mark);
    return status;
}
