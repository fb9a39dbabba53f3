/* spgemm.c: products of two CSR matrices in two phases, and their gradients. */
#include "base/memory.h"
#include "base/size.h"
#include "launch/launch.h"
#include "ops/bitmap.h"
#include "ops/check.h"
#include "ops/partition.h"
#include "ops/pattern.h"
#include "prim/scan.h"
#include "sparcl/sparse_products.h"

#define STEM "bitmap+entry_rows+spgemm"

typedef long long ll; /* for %lld */

struct sparcl_spgemm {
    sparcl_ctx *ctx;
    int64_t rows, cols;         /* of the product */
    uint64_t a_stamp, b_stamp;  /* of the structures of A and B; 0: no pattern */
    sparcl_buf *work, *offsets; /* [rows + 1] int64 each: sums over earlier rows */
    int64_t capacity;           /* rows that the buffers are for */
};

sparcl_status sparcl_spgemm_create(sparcl_ctx *ctx, sparcl_spgemm **plan) {
    if (!plan) return spc_ctx_fail(ctx, SPARCL_E_ARG, "spgemm: plan is NULL");
    *plan = spc_alloc_zero(spc_ctx_allocator(ctx), 1, sizeof **plan);
    if (!*plan) return spc_ctx_fail(ctx, SPARCL_E_MEMORY, "spgemm: no host memory");
    (*plan)->ctx = ctx;
    (*plan)->capacity = -1;
    return SPARCL_OK;
}

void sparcl_spgemm_free(sparcl_spgemm *plan) {
    if (!plan) return;
    sparcl_buf_free(plan->work);
    sparcl_buf_free(plan->offsets);
    spc_free(spc_ctx_allocator(plan->ctx), plan, sizeof *plan);
}

/* --- checks ---------------------------------------------------------------------------------- */

static sparcl_status check_operands(sparcl_ctx *ctx, const char *op, const sparcl_csr *a,
                                    const sparcl_csr *b) {
    SPC_TRY(spc_check_csr_of(ctx, op, "A", a, SPC_FLOATS));
    SPC_TRY(spc_check_csr_of(ctx, op, "B", b, SPC_FLOATS));
    if (a->cols != b->rows)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE, "%s: A has %lld columns, B has %lld rows", op,
                            (ll)a->cols, (ll)b->rows);
    SPC_TRY(spc_check_same_dtype(ctx, op, "A", a->dtype, "B", b->dtype));
    if (a->offset_type != b->offset_type)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: A has i%d offsets and B i%d, expected one type", op,
                            a->offset_type ? 64 : 32, b->offset_type ? 64 : 32);
    SPC_TRY(spc_check_same_itype(ctx, op, "A", a->index_type, "B", b->index_type));
    SPC_TRY(spc_need_csr(ctx, op, "A", a, SPARCL_VALID));
    return spc_need_csr(ctx, op, "B", b, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
}

static sparcl_status check_product(sparcl_ctx *ctx, const char *op, const sparcl_csr *c,
                                   const sparcl_csr *a, const sparcl_csr *b) {
    SPC_TRY(check_operands(ctx, op, a, b));
    SPC_TRY(spc_check_csr_of(ctx, op, "C", c, SPC_FLOATS));
    if (c->rows != a->rows || c->cols != b->cols)
        return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                            "%s: C is %lld x %lld, expected the %lld rows of A and the %lld "
                            "columns of B",
                            op, (ll)c->rows, (ll)c->cols, (ll)a->rows, (ll)b->cols);
    SPC_TRY(spc_check_same_dtype(ctx, op, "C", c->dtype, "A", a->dtype));
    if (c->offset_type != a->offset_type)
        return spc_ctx_fail(ctx, SPARCL_E_DTYPE,
                            "%s: C has i%d offsets and A i%d, expected one type", op,
                            c->offset_type ? 64 : 32, a->offset_type ? 64 : 32);
    return spc_check_same_itype(ctx, op, "C", c->index_type, "A", a->index_type);
}

static sparcl_status check_plan(sparcl_ctx *ctx, const char *op, const sparcl_spgemm *plan,
                                const sparcl_csr *a, const sparcl_csr *b) {
    if (!plan || plan->ctx != ctx)
        return spc_ctx_fail(ctx, SPARCL_E_ARG, "%s: plan is %s", op,
                            plan ? "of another context" : "NULL");
    if (!a || (plan->a_stamp != 0 && plan->a_stamp == spc_csr_stamp(a) &&
               plan->b_stamp == spc_csr_stamp(b)))
        return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_ARG,
                        "%s: the plan is not of A and B with their current index buffers, expected "
                        "sparcl_spgemm_symbolic to be called with them first",
                        op);
}

/* --- launches -------------------------------------------------------------------------------- */

/* Minimum entries of A and rows of a worker, and workers per unit. */
enum { GRAIN = 512, PER_UNIT = 4, SHORT_WORK = 8192 };
/* Maximum memory of all workers, unless one needs more. */
#define WORKER_BYTES ((int64_t)256 << 20)

/* The workers, and their memory. */
typedef struct workers {
    int64_t count, words;
    sparcl_buf *bits, *sums;
} workers;

/* An upper bound of the products. */
static int64_t most_products(const sparcl_csr *a, const sparcl_csr *b) {
    const int64_t longest = spc_min_i64(spc_csr_longest(b), spc_min_i64(b->nnz, b->cols));
    int64_t products = 0;
    return spc_mul_i64(a->nnz, longest + 2, &products) ? products : INT64_MAX / 2;
}

static sparcl_status open_workers(sparcl_ctx *ctx, const sparcl_csr *a, const sparcl_csr *b,
                                  size_t sum_size, workers *w) {
    const int64_t work = a->nnz + a->rows, most = most_products(a, b) + a->rows;
    w->words = spc_bitmap_words(ctx, b->cols);
    const int64_t cols = spc_min_i64(b->cols, INT64_MAX / 32); /* no memory is as large */
    const int64_t bytes = w->words * (int64_t)spc_bitmap_word(ctx) + cols * (int64_t)sum_size + 1;
    int64_t count = spc_ctx_is_gpu(ctx) ? spc_min_i64(spc_ctx_units(ctx) * PER_UNIT, work)
                                        : spc_min_i64(spc_ctx_units(ctx) * PER_UNIT, work / GRAIN);
    if (spc_has_short_loops(ctx)) count = spc_ceil_div(most, SHORT_WORK);
    w->count = spc_max_i64(1, spc_min_i64(count, WORKER_BYTES / bytes));
    /* Work of a worker, the longest row that it ends with, and the columns of both. */
    SPC_TRY(spc_check_iterations(ctx, "spgemm", 3 * (most / w->count) + w->words));
    SPC_TRY(spc_scratch_push(ctx, &w->bits, w->count * w->words, spc_bitmap_word(ctx)));
    return sum_size > 0 ? spc_scratch_push(ctx, &w->sums, w->count * b->cols, sum_size) : SPARCL_OK;
}

static void add_pattern(spc_args *list, const sparcl_csr *x) {
    spc_args_add_array(list, SPC_IN(x->offsets), x->offsets_at);
    spc_args_add_array(list, SPC_IN(x->indices), x->indices_at);
}

static spc_args pattern_args(const sparcl_csr *a, const sparcl_csr *b) {
    spc_args list = {.count = 0};
    add_pattern(&list, a);
    spc_args_add(&list, SPC_I64(a->rows));
    add_pattern(&list, b);
    spc_args_add(&list, SPC_I64(b->cols));
    return list;
}

static uint32_t options_of(const sparcl_csr *a) {
    return spc_options(a->dtype, a->offset_type, a->index_type);
}

static sparcl_status launch(sparcl_ctx *ctx, const sparcl_csr *a, const char *kernel,
                            spc_range range, const spc_args *list) {
    return spc_launch(ctx, STEM, options_of(a), kernel, range, list->at, list->count);
}

static sparcl_status scan(sparcl_ctx *ctx, sparcl_buf *sums, int64_t n) {
    const spc_scan_job job = {
        .n = n, .from_type = SPARCL_I64, .to_type = SPARCL_I64, .from = sums, .to = sums};
    return spc_scan(ctx, &job);
}

/* --- the two phases -------------------------------------------------------------------------- */

static sparcl_status reserve(sparcl_ctx *ctx, sparcl_spgemm *plan, int64_t rows) {
    if (plan->capacity >= rows) return SPARCL_OK;
    sparcl_buf_free(plan->work);
    sparcl_buf_free(plan->offsets);
    plan->work = plan->offsets = NULL;
    plan->capacity = -1;
    SPC_TRY(sparcl_buf_create(ctx, &plan->work, (rows + 1) * 8));
    SPC_TRY(sparcl_buf_create(ctx, &plan->offsets, (rows + 1) * 8));
    plan->capacity = rows;
    return SPARCL_OK;
}

static sparcl_status count_work(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *a,
                                const sparcl_csr *b) {
    spc_args list = pattern_args(a, b);
    spc_args_add(&list, SPC_OUT(plan->work));
    SPC_TRY(launch(ctx, a, "spgemm_work", spc_range_each(ctx, a->rows + a->nnz), &list));
    return scan(ctx, plan->work, a->rows);
}

static sparcl_status count_columns(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *a,
                                   const sparcl_csr *b) {
    workers w = {0};
    spc_args list = pattern_args(a, b);
    SPC_TRY(open_workers(ctx, a, b, 0, &w));
    spc_args_add(&list, SPC_IN(plan->work));
    spc_args_add(&list, SPC_OUT(w.bits));
    spc_args_add(&list, SPC_OUT(plan->offsets));
    SPC_TRY(launch(ctx, a, "spgemm_symbolic", spc_range_groups(ctx, w.count), &list));
    return scan(ctx, plan->offsets, a->rows);
}

sparcl_status sparcl_spgemm_symbolic(sparcl_ctx *ctx, sparcl_spgemm *plan, const sparcl_csr *a,
                                     const sparcl_csr *b) {
    SPC_TRY(check_plan(ctx, "spgemm_symbolic", plan, NULL, NULL));
    SPC_TRY(check_operands(ctx, "spgemm_symbolic", a, b));
    const int mark = spc_scratch_mark(ctx);
    plan->a_stamp = plan->b_stamp = 0;
    plan->rows = a->rows;
    plan->cols = b->cols;
    SPC_TRY(reserve(ctx, plan, a->rows));
    sparcl_status status = SPARCL_OK;
    if (a->rows == 0) {
        status = scan(ctx, plan->offsets, 0);
    } else {
        status = count_work(ctx, plan, a, b);
        if (status == SPARCL_OK) status = count_columns(ctx, plan, a, b);
    }
    spc_scratch_release(ctx, mark);
    if (status != SPARCL_OK) return status;
    plan->a_stamp = spc_csr_stamp(a);
    plan->b_stamp = spc_csr_stamp(b);
    return SPARCL_OK;
}

sparcl_status sparcl_spgemm_entries(sparcl_ctx *ctx, const sparcl_spgemm *plan, int64_t *entries) {
    SPC_TRY(check_plan(ctx, "spgemm_entries", plan, NULL, NULL));
    if (!entries) return spc_ctx_fail(ctx, SPARCL_E_ARG, "spgemm_entries: entries is NULL");
    if (plan->a_stamp == 0)
        return spc_ctx_fail(ctx, SPARCL_E_ARG,
                            "spgemm_entries: the plan has no pattern, expected "
                            "sparcl_spgemm_symbolic to be called first");
    return sparcl_buf_read(ctx, plan->offsets, plan->rows * 8, 8, entries);
}

static sparcl_status write_offsets(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *c,
                                   sparcl_buf *needed, int64_t needed_at) {
    return SPC_LAUNCH(ctx, STEM, options_of(c), "spgemm_offsets", spc_range_each(ctx, c->rows + 1),
                      SPC_IN(plan->offsets), SPC_I64(c->rows), SPC_I64(c->nnz), SPC_OUT(c->offsets),
                      SPC_I64(c->offsets_at), SPC_OUT(needed), SPC_I64(needed_at),
                      SPC_I32(needed != NULL));
}

static sparcl_status write_entries(sparcl_ctx *ctx, const sparcl_spgemm *plan, const sparcl_csr *c,
                                   const sparcl_csr *a, const sparcl_csr *b) {
    workers w = {0};
    spc_args list = pattern_args(a, b);
    SPC_TRY(open_workers(ctx, a, b, a->dtype == SPARCL_F64 ? 8 : 4, &w));
    spc_args_add(&list, SPC_IN(plan->work));
    spc_args_add(&list, SPC_OUT(w.bits));
    spc_args_add(&list, SPC_OUT(w.sums));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_IN(plan->offsets));
    spc_args_add(&list, SPC_I64(c->nnz));
    spc_args_add_array(&list, SPC_OUT(c->indices), c->indices_at);
    spc_args_add_array(&list, SPC_OUT(c->values), c->values_at);
    return launch(ctx, a, "spgemm_numeric", spc_range_groups(ctx, w.count), &list);
}

static spc_spans operands_of(const sparcl_csr *a, const sparcl_csr *b) {
    spc_spans s = spc_csr_spans("A", a);
    const spc_spans more = spc_csr_spans("B", b);
    for (size_t i = 0; i < more.count; ++i)
        s.at[s.count++] = more.at[i];
    return s;
}

sparcl_status sparcl_spgemm_numeric(sparcl_ctx *ctx, const sparcl_spgemm *plan, sparcl_csr *c,
                                    const sparcl_csr *a, const sparcl_csr *b, sparcl_buf *needed,
                                    int64_t needed_at) {
    static const char name[] = "spgemm_numeric";
    SPC_TRY(check_product(ctx, name, c, a, b));
    SPC_TRY(check_plan(ctx, name, plan, a, b));
    if (needed) SPC_TRY(spc_check_buf(ctx, name, "the needed count", needed, needed_at, 1, 8));
    const spc_spans operands = operands_of(a, b);
    spc_spans results = spc_csr_spans("C", c);
    results.at[results.count++] =
        spc_array_span(NULL, "the needed count", needed, needed_at, needed ? 1 : 0, 8);
    SPC_TRY(spc_check_spans(ctx, name, &results, &operands));
    const int mark = spc_scratch_mark(ctx);
    sparcl_status status = write_offsets(ctx, plan, c, needed, needed_at);
    if (status == SPARCL_OK && c->nnz > 0 && a->rows > 0)
        status = write_entries(ctx, plan, c, a, b);
    spc_scratch_release(ctx, mark);
    if (status == SPARCL_OK) spc_prove_csr(c, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    return status;
}

/* --- gradients ------------------------------------------------------------------------------- */

static const char gradient_name[] = "spgemm_gradient";

static sparcl_status check_vector(sparcl_ctx *ctx, const char *name, const sparcl_dense *v,
                                  const sparcl_csr *x) {
    SPC_TRY(spc_check_dense_of(ctx, gradient_name, name, v, SPC_FLOATS));
    SPC_TRY(spc_check_same_dtype(ctx, gradient_name, name, v->dtype, "A", x->dtype));
    if (v->rank == 1 && spc_dense_ld(v) == 1 && v->shape[0] == x->nnz) return SPARCL_OK;
    return spc_ctx_fail(ctx, SPARCL_E_SHAPE,
                        "%s: %s has rank %d, %lld elements and ld %lld, expected a packed vector "
                        "of %lld",
                        gradient_name, name, v->rank, (ll)v->shape[0], (ll)spc_dense_ld(v),
                        (ll)x->nnz);
}

static void add_product(spc_args *list, const sparcl_csr *c, const sparcl_dense *g) {
    add_pattern(list, c);
    spc_args_add_array(list, SPC_IN(g->values), g->values_at);
}

static spc_range range_of(const sparcl_ctx *ctx, int64_t entries) {
    const int64_t work = spc_has_short_loops(ctx) ? entries * 1024 : entries * 8;
    return spc_ctx_is_gpu(ctx) ? spc_range_each(ctx, entries)
                               : spc_range_groups(ctx, spc_workers(ctx, work, GRAIN));
}

/* Each term is found by bisection. */
static sparcl_status check_loops(sparcl_ctx *ctx, int64_t terms) {
    return spc_check_iterations(ctx, gradient_name, terms * 16);
}

static sparcl_status gradient_by_a(sparcl_ctx *ctx, const sparcl_dense *ga, const sparcl_dense *g,
                                   const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b) {
    spc_args list = pattern_args(a, b);
    if (a->nnz == 0) return SPARCL_OK;
    SPC_TRY(check_loops(ctx, spc_min_i64(spc_csr_longest(b), spc_min_i64(b->nnz, b->cols))));
    add_product(&list, c, g);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_I64(a->nnz));
    spc_args_add_array(&list, SPC_OUT(ga->values), ga->values_at);
    return launch(ctx, a, "spgemm_gradient_a", range_of(ctx, a->nnz), &list);
}

static sparcl_status launch_by_b(sparcl_ctx *ctx, const sparcl_dense *gb, const sparcl_dense *g,
                                 const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b,
                                 const sparcl_pattern *p) {
    spc_args list = {.count = 0};
    spc_args_add(&list, SPC_IN(p->starts));
    spc_args_add(&list, SPC_IN(p->row_of));
    spc_args_add(&list, SPC_IN(p->perm));
    spc_args_add(&list, SPC_IN(p->columns));
    spc_args_add(&list, SPC_IN(p->found));
    spc_args_add(&list, SPC_I32(p->offset_type == SPARCL_I64));
    spc_args_add(&list, SPC_I32(p->index_type == SPARCL_I64));
    add_pattern(&list, b);
    spc_args_add(&list, SPC_I64(b->rows));
    add_product(&list, c, g);
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add(&list, SPC_I64(b->nnz));
    spc_args_add_array(&list, SPC_OUT(gb->values), gb->values_at);
    return launch(ctx, b, "spgemm_gradient_b", range_of(ctx, b->nnz), &list);
}

static sparcl_status gradient_by_b(sparcl_ctx *ctx, const sparcl_dense *gb, const sparcl_dense *g,
                                   const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b,
                                   sparcl_pattern *pattern) {
    const bool unique = sparcl_csr_flags(a) & SPARCL_UNIQUE;
    sparcl_pattern *made = NULL;
    sparcl_status status = SPARCL_OK;
    if (b->nnz == 0) return SPARCL_OK;
    SPC_TRY(check_loops(ctx, unique ? spc_min_i64(a->rows, a->nnz) : a->nnz));
    if (!pattern) {
        SPC_GO(sparcl_pattern_create(ctx, &made));
        SPC_GO(sparcl_pattern_build(ctx, made, a));
        pattern = made;
    }
    status = launch_by_b(ctx, gb, g, c, a, b, pattern);
done:
    sparcl_pattern_free(made);
    return status;
}

/* Whether each worker goes through all rows of A, with a place for each column of C: where its
 * memory is small, and where most time is for entries. */
static bool is_by_rows(const sparcl_ctx *ctx, const sparcl_csr *c, const sparcl_csr *a,
                       const sparcl_csr *b) {
    const int64_t place = (int64_t)sparcl_itype_size(c->offset_type);
    const int64_t longest = spc_max_i64(a->rows, spc_max_i64(b->rows, b->cols));
    return !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx) && b->cols <= WORKER_BYTES / place &&
           longest < a->nnz + b->nnz + c->nnz;
}

static int64_t gradient_workers(const sparcl_ctx *ctx, const sparcl_csr *c, const sparcl_csr *a,
                                int64_t bytes) {
    const int64_t most = spc_min_i64(spc_ctx_units(ctx), (a->nnz + c->nnz) / GRAIN);
    return spc_max_i64(1, spc_min_i64(most, WORKER_BYTES / bytes));
}

static sparcl_status gradients_by_rows(sparcl_ctx *ctx, const sparcl_dense *ga,
                                       const sparcl_dense *gb, const sparcl_dense *g,
                                       const sparcl_csr *c, const sparcl_csr *a,
                                       const sparcl_csr *b) {
    const sparcl_dense none = {.rank = 1};
    const sparcl_dense *const to_a = ga ? ga : &none, *const to_b = gb ? gb : &none;
    const bool is_half = a->dtype == SPARCL_F16 || a->dtype == SPARCL_BF16;
    const int64_t cols = spc_max_i64(1, b->cols);
    const size_t place = sparcl_itype_size(c->offset_type);
    const int64_t count = gradient_workers(ctx, c, a, cols * (int64_t)place);
    sparcl_buf *places = NULL, *sums = to_b->values;
    SPC_TRY(spc_scratch_push(ctx, &places, count * cols, place));
    if (gb && is_half) SPC_TRY(spc_scratch_push(ctx, &sums, b->nnz, sizeof(float)));
    spc_args list = pattern_args(a, b);
    add_product(&list, c, g);
    spc_args_add(&list, SPC_I64(b->rows));
    spc_args_add(&list, SPC_OUT(places));
    spc_args_add_array(&list, SPC_IN(a->values), a->values_at);
    spc_args_add_array(&list, SPC_IN(b->values), b->values_at);
    spc_args_add(&list, SPC_I64(a->nnz));
    spc_args_add_array(&list, SPC_OUT(to_a->values), to_a->values_at);
    spc_args_add(&list, SPC_I64(b->nnz));
    spc_args_add_array(&list, SPC_OUT(to_b->values), to_b->values_at);
    spc_args_add_array(&list, SPC_OUT(sums), is_half ? 0 : to_b->values_at);
    return launch(ctx, a, "spgemm_gradients", spc_range_groups(ctx, count), &list);
}

sparcl_status sparcl_spgemm_gradient(sparcl_ctx *ctx, const sparcl_dense *ga,
                                     const sparcl_dense *gb, const sparcl_dense *g,
                                     const sparcl_csr *c, const sparcl_csr *a, const sparcl_csr *b,
                                     sparcl_pattern *pattern) {
    SPC_TRY(check_product(ctx, gradient_name, c, a, b));
    SPC_TRY(check_vector(ctx, "G", g, c));
    SPC_TRY(spc_need_csr(ctx, gradient_name, "C", c, SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE));
    spc_spans operands = operands_of(a, b), results = {.count = 0};
    operands.at[operands.count++] = spc_dense_span("G", g);
    if (ga) {
        SPC_TRY(check_vector(ctx, "ga", ga, a));
        results.at[results.count++] = spc_dense_span("ga", ga);
    }
    if (gb) {
        SPC_TRY(check_vector(ctx, "gb", gb, b));
        results.at[results.count++] = spc_dense_span("gb", gb);
    }
    SPC_TRY(spc_check_spans(ctx, gradient_name, &results, &operands));
    if (pattern) SPC_TRY(spc_pattern_check(ctx, gradient_name, pattern, a));
    if (is_by_rows(ctx, c, a, b)) {
        const int mark = spc_scratch_mark(ctx);
        const sparcl_status status = gradients_by_rows(ctx, ga, gb, g, c, a, b);
        spc_scratch_release(ctx, mark);
        return status;
    }
    if (ga) SPC_TRY(gradient_by_a(ctx, ga, g, c, a, b));
    return gb ? gradient_by_b(ctx, gb, g, c, a, b, pattern) : SPARCL_OK;
}
