/* csr_binary.c: sums and products of CSR matrices element by element. */
#include "ops/elements/csr_binary.h"
#include "base/size.h"
#include "ops/shared/moved.h"
#include "prim/scan.h"
#include "prim/sort.h"

/* Minimum rows and entries of a worker. */
#define GRAIN 2048

typedef long long ll; /* for %lld */

typedef spc_csr_binary binary;

sparcl_status spc_check_sources(sparcl_ctx *ctx, const char *op, const sparcl_csr_sources *s,
                                int64_t capacity, spc_spans *results) {
    if (!s) return SPARCL_OK;
    if (s->reserved[0] || s->reserved[1])
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: the reserved fields of sources are not zero",
                            op);
    if (!s->a != !s->b)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "%s: sources has positions in %s only, expected both or none", op,
                            s->a ? "A" : "B");
    SPC_TRY(spc_check_int64s(ctx, op, "the sources in A", s->a, s->a_at, capacity, results));
    SPC_TRY(spc_check_int64s(ctx, op, "the sources in B", s->b, s->b_at, capacity, results));
    return spc_check_int64s(ctx, op, "the needed count", s->needed, s->needed_at, 1, results);
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
    spc_spans results = spc_csr_spans("C", s->c), operands = spc_csr_spans("A", s->a);
    const spc_spans b = spc_csr_spans("B", s->b);
    for (size_t i = 0; i < b.count; ++i)
        operands.at[operands.count++] = b.at[i];
    SPC_TRY(spc_check_sources(ctx, s->name, s->sources, s->c->nnz, &results));
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

static sparcl_csr_sources sources_of(const binary *s) {
    return s->sources ? *s->sources : (sparcl_csr_sources){.needed = NULL};
}

static void add_result(spc_args *list, const binary *s) {
    const sparcl_csr_sources from = sources_of(s);
    spc_args_add_array(list, SPC_OUT(s->c->indices), s->c->indices_at);
    spc_args_add_array(list, SPC_OUT(s->c->values), s->c->values_at);
    spc_args_add(list, SPC_I64(s->c->nnz));
    spc_args_add_array(list, SPC_OUT(from.a), from.a_at);
    spc_args_add_array(list, SPC_OUT(from.b), from.b_at);
    spc_args_add(list, SPC_I32(from.a != NULL));
}

static uint32_t options_of(const binary *s) {
    return spc_options(s->a->dtype, s->a->offset_type, s->a->index_type) |
           (spc_position_type(s->a->nnz) == SPARCL_INDEX64 ? SPC_VALUE64 : 0u);
}

static sparcl_status launch(sparcl_ctx *ctx, const binary *s, const char *kernel, int64_t items,
                            const spc_args *list) {
    return spc_launch(ctx, SPC_CSR_BINARY, options_of(s), kernel, spc_range_each(ctx, items),
                      list->at, list->count);
}

/* Wide cores merge rows; others find the entries of one matrix in the other. */
static bool merges_rows(const sparcl_ctx *ctx, const binary *s) {
    return !s->by_entries && !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
}

static sparcl_status launch_rows(sparcl_ctx *ctx, const binary *s, const char *kernel,
                                 const spc_args *list) {
    const int64_t work = s->a->rows + s->a->nnz + s->b->nnz;
    return spc_launch(ctx, SPC_CSR_BINARY, options_of(s), kernel,
                      spc_range_groups(ctx, spc_workers(ctx, work, GRAIN)), list->at, list->count);
}

/* The items that matches are counted for: rows, or entries of A. */
static int64_t counted_items(const sparcl_ctx *ctx, const binary *s) {
    return merges_rows(ctx, s) ? s->a->rows : s->a->nnz;
}

/* matches[i] := the number of entries that both have, before item i. */
static sparcl_status count_matches(sparcl_ctx *ctx, const binary *s, sparcl_buf *matches) {
    const int64_t n = counted_items(ctx, s);
    const sparcl_itype type = spc_position_type(s->a->nnz);
    const spc_scan_job scan = {
        .n = n, .from_type = type, .to_type = type, .from = matches, .to = matches};
    spc_args list = pair_args(s);
    if (!merges_rows(ctx, s)) spc_args_add(&list, SPC_I64(n));
    spc_args_add(&list, SPC_OUT(matches));
    if (n > 0)
        SPC_TRY(merges_rows(ctx, s) ? launch_rows(ctx, s, "match_rows", &list)
                                    : launch(ctx, s, "match_entries", n, &list));
    return spc_scan(ctx, &scan);
}

static sparcl_status write_offsets(sparcl_ctx *ctx, const binary *s, const sparcl_buf *matches) {
    const sparcl_csr_sources more = sources_of(s);
    spc_args list = pair_args(s);
    spc_args_add(&list, SPC_IN(matches));
    spc_args_add(&list, SPC_I32(merges_rows(ctx, s)));
    spc_args_add(&list, SPC_I32(s->is_product));
    spc_args_add(&list, SPC_I64(s->c->nnz));
    spc_args_add_array(&list, SPC_OUT(s->c->offsets), s->c->offsets_at);
    spc_args_add_array(&list, SPC_OUT(more.needed), more.needed_at);
    spc_args_add(&list, SPC_I32(more.needed != NULL));
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
    if (merges_rows(ctx, s)) return launch_rows(ctx, s, "merge_rows", &of_a);
    if (s->a->nnz > 0) SPC_TRY(launch(ctx, s, "binary_a", s->a->nnz, &of_a));
    if (s->is_product || s->b->nnz == 0) return SPARCL_OK;
    spc_args_add(&of_b, SPC_IN(matches));
    spc_args_add(&of_b, SPC_REAL(s->a->dtype, s->beta));
    spc_args_add_array(&of_b, SPC_IN(s->b->values), s->b->values_at);
    add_result(&of_b, s);
    return launch(ctx, s, "binary_b", s->b->nnz, &of_b);
}

sparcl_status spc_csr_combine(sparcl_ctx *ctx, const binary *s) {
    sparcl_buf *matches = NULL;
    SPC_TRY(check_binary(ctx, s));
    const int mark = spc_scratch_mark(ctx);
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
                             double beta, const sparcl_csr *b, const sparcl_csr_sources *sources) {
    const binary s = {"csr_add", false, alpha, beta, c, a, b, sources, false};
    return spc_csr_combine(ctx, &s);
}

sparcl_status sparcl_csr_multiply(sparcl_ctx *ctx, sparcl_csr *c, const sparcl_csr *a,
                                  const sparcl_csr *b, const sparcl_csr_sources *sources) {
    const binary s = {"csr_multiply", true, 1, 1, c, a, b, sources, false};
    return spc_csr_combine(ctx, &s);
}
