/* topk.c: the k largest elements of each row of a dense matrix, as a CSR matrix. */
#include "base/size.h"
#include "launch/launch.h"
#include "ops/shared/pair.h"
#include "prim/chunks.h"
#include "sparcl/ops/conversions.h"

#define PROGRAM "scan+topk"

/* BLOCK of cl/topk.cl. */
#define BLOCK     64
#define SHORT_ROW 512
/* Minimum elements per CPU worker. */
#define GRAIN     8192
/* Many lanes: rows of up to as many elements are one group's, however few they are. */
#define LONG_ROW  8192
/* Many lanes: rows of up to as many elements are of teams of eight, TEAMS of a group. */
#define TEAM_ROW  64
#define TEAMS     (SPC_GROUP / 8)

typedef struct selection {
    const sparcl_csr *to;
    const sparcl_dense *from;
    int64_t m, n, k;
    bool by_magnitude;
} selection;

static int64_t infinity_of(sparcl_dtype dtype) {
    return dtype == SPARCL_F64   ? (int64_t)0x7ff << 52
           : dtype == SPARCL_F32 ? 0x7f800000
           : dtype == SPARCL_F16 ? 0x7c00
                                 : 0x7f80;
}

static void add_operand(spc_args *list, const selection *s) {
    spc_args_add_array(list, SPC_IN(s->from->values), s->from->values_at);
    spc_args_add(list, SPC_I64(spc_dense_ld(s->from)));
    spc_args_add(list, SPC_I64(s->m));
    spc_args_add(list, SPC_I64(s->n));
    spc_args_add(list, SPC_I64(s->k));
    spc_args_add(list, SPC_I64(infinity_of(s->from->dtype)));
    spc_args_add(list, SPC_I32(s->by_magnitude));
}

static sparcl_status launch(sparcl_ctx *ctx, const selection *s, uint32_t variant, spc_range range,
                            spc_args *list) {
    const uint32_t options = spc_word_options(s->from->dtype) | variant |
                             spc_itype_options(s->to->offset_type, s->to->index_type);
    spc_args_add_array(list, SPC_OUT(s->to->offsets), s->to->offsets_at);
    spc_args_add_array(list, SPC_OUT(s->to->indices), s->to->indices_at);
    spc_args_add_array(list, SPC_OUT(s->to->values), s->to->values_at);
    return spc_launch(ctx, PROGRAM, options, "topk", range, list->at, list->count);
}

static sparcl_status push(sparcl_ctx *ctx, const selection *s, int64_t count, sparcl_buf **values,
                          sparcl_buf **cols) {
    SPC_TRY(spc_scratch_push(ctx, values, count, sparcl_dtype_size(s->from->dtype)));
    return spc_scratch_push(ctx, cols, count, sparcl_itype_size(s->to->index_type));
}

/* --- many lanes ------------------------------------------------------------------------------- */

/* The best k of each chunk of a row. Elements are of their columns, or of `cols`. */
static sparcl_status select_chunks(sparcl_ctx *ctx, const selection *s, int64_t chunks,
                                   const sparcl_buf *cols) {
    const bool by_teams = s->n <= TEAM_ROW;
    const int64_t groups = by_teams ? spc_ceil_div(s->m, TEAMS) : s->m * chunks;
    const spc_range range = spc_range_groups(ctx, spc_min_i64(groups, 1 << 16));
    spc_args list = {.count = 0};
    add_operand(&list, s);
    spc_args_add(&list, SPC_I64(chunks));
    spc_args_add(&list, SPC_IN(cols));
    return launch(ctx, s, by_teams ? SPC_VARIANT : 0, range, &list);
}

/* Chunks of a row: one, where rows are short or as many as groups that fill the device; else at
 * most as many that all which is selected of them is not longer than a chunk. */
static int64_t chunks_of(const sparcl_ctx *ctx, const selection *s) {
    int64_t chunks = s->n > LONG_ROW ? spc_chunks(ctx, s->m * s->n) / s->m : 1;
    while (chunks > 1 && chunks * chunks * s->k > s->n)
        --chunks;
    return spc_max_i64(chunks, 1);
}

/* What is selected of the chunks stays in the order of columns, so equal elements do, too. */
static sparcl_status select_by_groups(sparcl_ctx *ctx, const selection *s) {
    const int64_t chunks = chunks_of(ctx, s);
    sparcl_buf *values = NULL, *cols = NULL;
    if (chunks == 1) return select_chunks(ctx, s, 1, NULL);
    SPC_TRY(push(ctx, s, s->m * chunks * s->k, &values, &cols));
    sparcl_csr best = *s->to;
    best.offsets = NULL;
    best.indices = cols;
    best.values = values;
    best.offsets_at = best.indices_at = best.values_at = 0;
    const sparcl_dense from = {
        .rank = 2, .dtype = s->from->dtype, .shape = {s->m, chunks * s->k}, .values = values};
    selection of_chunks = *s, of_best = *s;
    of_chunks.to = &best;
    of_best.from = &from;
    of_best.n = chunks * s->k;
    SPC_TRY(select_chunks(ctx, &of_chunks, chunks, NULL));
    return select_chunks(ctx, &of_best, 1, cols);
}

/* --- wide cores ------------------------------------------------------------------------------- */

/* A short row is selected from at once. */
static int64_t slots_of(const selection *s) {
    return s->n <= SHORT_ROW ? s->n + BLOCK : 2 * s->k + 2 * BLOCK;
}

/* Of one row: it is read twice, and the candidates are reduced whenever they fill their slots. */
static int64_t iterations(const selection *s) {
    const int64_t slots = slots_of(s), bits = 8 * (int64_t)sparcl_dtype_size(s->from->dtype);
    const int64_t reductions = s->n > slots ? s->n / (slots - s->k - BLOCK) + 1 : 1;
    if (slots > INT32_MAX || s->n > INT32_MAX) return INT64_MAX;
    return 2 * s->n + s->k + reductions * (bits + 2) * (slots + 1);
}

static sparcl_status select_by_cores(sparcl_ctx *ctx, const selection *s) {
    const int64_t workers =
        spc_has_short_loops(ctx) ? s->m : spc_min_i64(s->m, spc_workers(ctx, s->m * s->n, GRAIN));
    const int64_t slots = slots_of(s);
    sparcl_buf *keys = NULL, *cols = NULL;
    spc_args list = {.count = 0};
    SPC_TRY(push(ctx, s, workers * slots, &keys, &cols));
    add_operand(&list, s);
    spc_args_add(&list, SPC_OUT(keys));
    spc_args_add(&list, SPC_OUT(cols));
    spc_args_add(&list, SPC_I64(slots));
    return launch(ctx, s, 0, spc_range_groups(ctx, workers), &list);
}

static sparcl_status topk(sparcl_ctx *ctx, const selection *s) {
    const sparcl_csr *const to = s->to;
    if (s->m == 0 || s->k == 0) {
        const int64_t size = (int64_t)sparcl_itype_size(to->offset_type);
        return sparcl_buf_fill(ctx, to->offsets, to->offsets_at * size, (s->m + 1) * size, 0);
    }
    return (spc_ctx_is_gpu(ctx) ? select_by_groups : select_by_cores)(ctx, s);
}

static sparcl_status check(sparcl_ctx *ctx, const sparcl_csr *to, const sparcl_dense *from,
                           int64_t k, sparcl_topk by) {
    SPC_TRY(spc_check_csr_of(ctx, "topk_rows", SPC_TO, to, SPC_FLOATS));
    SPC_TRY(spc_check_dense_of(ctx, "topk_rows", SPC_FROM, from, SPC_FLOATS));
    if (k < 0 || (int)by < 0 || by > SPARCL_TOPK_MAGNITUDE)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "topk_rows: k is %lld and `by` %d, expected at least 0, and 0 or 1",
                            (long long)k, (int)by);
    const int64_t shape[] = {to->rows, to->cols};
    SPC_TRY(spc_check_same_shape(ctx, "topk_rows", SPC_TO, 2, shape, SPC_FROM, from->rank,
                                 from->shape));
    SPC_TRY(spc_check_same_dtype(ctx, "topk_rows", SPC_TO, to->dtype, SPC_FROM, from->dtype));
    int64_t entries = 0;
    const bool fits = spc_mul_i64(to->rows, spc_min_i64(k, to->cols), &entries);
    if (!fits || to->nnz != entries)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "topk_rows: `to` has %lld entries, expected %lld in each of %lld rows",
                            (long long)to->nnz, (long long)spc_min_i64(k, to->cols),
                            (long long)to->rows);
    const spc_spans results = spc_csr_spans(SPC_TO, to);
    const spc_spans operands = {.count = 1, .at = {spc_dense_span(SPC_FROM, from)}};
    return spc_check_spans(ctx, "topk_rows", &results, &operands);
}

sparcl_status sparcl_topk_rows(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_dense *from, int64_t k,
                               sparcl_topk by) {
    SPC_TRY(check(ctx, to, from, k, by));
    const selection s = {.to = to,
                         .from = from,
                         .m = to->rows,
                         .n = to->cols,
                         .k = spc_min_i64(k, to->cols),
                         .by_magnitude = by == SPARCL_TOPK_MAGNITUDE};
    if (!spc_ctx_is_gpu(ctx)) SPC_TRY(spc_check_iterations(ctx, "topk_rows", iterations(&s)));
    const int mark = spc_scratch_mark(ctx);
    const sparcl_status status = topk(ctx, &s);
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    spc_prove_csr(to, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    if (s.k <= UINT32_MAX) to->proof.longest_row = (uint32_t)s.k;
    return SPARCL_OK;
}
