/* bench_embedding.c: timed operations: bags of rows of a table (the rows of a matrix are the bags),
 * and the row of each index, also with a maximum norm. */
#include <math.h>
#include <stdlib.h>

#include "spec/bench/bench.h"

/* A fifth of the rows with 16 elements are longer, and all of those with 64. */
#define MAX_NORM 2.5

typedef struct operands {
    sparcl_bags bags;
    sparcl_dense x, y; /* the table, or the array; the result */
    double *host;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    free(x->host);
    sparcl_buf_free(x->bags.offsets);
    sparcl_buf_free(x->bags.indices.indices);
    sparcl_dense_free(&x->x);
    sparcl_dense_free(&x->y);
}

/* x [rows of x, n] with numbers, y [rows of y, n]. */
static sparcl_status open_dense(sparcl_ctx *ctx, const spec_bench_call *call, int64_t x_rows,
                                int64_t y_rows) {
    operands *const x = call->state;
    const int64_t n = call->input->n;
    x->x = (sparcl_dense){.rank = 2, .shape = {x_rows, n}};
    x->y = (sparcl_dense){.rank = 2, .shape = {y_rows, n}};
    x->host = spec_numbers(x_rows * n, 3);
    if (!x->host) return SPARCL_E_MEMORY;
    sparcl_status status = spec_put_reals(ctx, &x->x.values, x->host, x_rows * n, SPARCL_F32);
    return status == SPARCL_OK ? sparcl_dense_create(ctx, &x->y) : status;
}

/* --- bags ----------------------------------------------------------------------------------------
 */

static sparcl_status open_bags(sparcl_ctx *ctx, spec_bench_call *call, sparcl_bag_mode mode) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const double n = (double)call->input->n, entries = (double)m->nnz;
    x->bags = (sparcl_bags){.bags = m->rows,
                            .indices = {.count = m->nnz, .limit = m->cols},
                            .include_last = 1,
                            .mode = mode};
    x->bags.indices.proof.flags = SPARCL_TRUSTED;
    sparcl_status status = open_dense(ctx, call, m->cols, m->rows);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &x->bags.indices.indices, m->indices, m->nnz, SPARCL_I32);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &x->bags.offsets, m->offsets, m->rows + 1, SPARCL_I32);
    call->flops = entries * n;
    call->bytes = entries * (4 + 4 * n) + (double)m->rows * (4 + 4 * n);
    return status;
}

static sparcl_status open_sum(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_bags(ctx, call, SPARCL_BAG_SUM);
}
static sparcl_status open_mean(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_bags(ctx, call, SPARCL_BAG_MEAN);
}
static sparcl_status open_sqrtn(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_bags(ctx, call, SPARCL_BAG_SQRTN);
}
static sparcl_status open_max(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_bags(ctx, call, SPARCL_BAG_MAX);
}

static sparcl_status run_bags(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_embedding_bag(ctx, &x->y, &x->x, &x->bags, NULL, NULL, 0);
}

/* One element of the result from `length` numbers. */
static double answer_bag(sparcl_bag_mode mode, const double *ones, const double *terms,
                         int64_t length, bool one_column) {
    double best = length > 0 ? terms[0] : 0;
    for (int64_t k = 1; k < length; ++k)
        best = terms[k] > best ? terms[k] : best;
    if (mode == SPARCL_BAG_MAX) return best;
    const double sum = spec_sum_products(SPARCL_F32, ones, terms, 1, length, one_column);
    if (mode == SPARCL_BAG_SUM || length == 0) return sum;
    const double count = (double)length;
    const double divisor = mode == SPARCL_BAG_MEAN ? count : spec_round(SPARCL_F32, sqrt(count));
    return spec_round(SPARCL_F32, sum / divisor);
}

static void answer_bags(const spec_bench_call *call, double *terms, double *ones, double *order) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    for (int64_t k = 0; k < m->nnz; ++k)
        ones[k] = 1;
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t j = 0; j < n; ++j) {
            const int64_t begin = m->offsets[i], length = m->offsets[i + 1] - begin;
            for (int64_t k = 0; k < length; ++k)
                terms[k] = x->host[m->indices[begin + k] * n + j];
            order[i * n + j] = answer_bag(x->bags.mode, ones, terms, length, n == 1);
        }
}

/* Compare y with the plain-C answer. */
static sparcl_status compare(sparcl_ctx *ctx, const operands *x, const double *order,
                             spec_report *report) {
    *report = (spec_report){.equal = true, .zeros_expected = true};
    return spec_bench_compare_dense(ctx, "y", &x->y, order, report);
}

static sparcl_status check_bags(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    double *const terms = spec_numbers(m->nnz, 0), *const ones = spec_numbers(m->nnz, 0);
    double *const order = spec_numbers(m->rows * call->input->n, 0);
    sparcl_status status = SPARCL_E_MEMORY;
    if (terms && ones && order) {
        answer_bags(call, terms, ones, order);
        status = compare(ctx, x, order, report);
    }
    free(terms);
    free(ones);
    free(order);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_poison(ctx, x->y.values);
}

SPEC_BENCH(embedding_bag, "embedding-bag",
           "embedding bag: for each row of A the sum of rows of a table",
           SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, open_sum, run_bags, check_bags)
SPEC_BENCH(embedding_bag_mean, "embedding-bag-mean", "the same, the mean of these rows",
           SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, open_mean, run_bags, check_bags)
SPEC_BENCH(embedding_bag_sqrtn, "embedding-bag-sqrtn",
           "the same, the sum divided by the root of the number of rows",
           SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, open_sqrtn, run_bags, check_bags)
SPEC_BENCH(embedding_bag_max, "embedding-bag-max", "the same, the maximum of each column",
           SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, open_max, run_bags, check_bags)

/* --- lookups -------------------------------------------------------------------------------------
 */

static sparcl_status open_lookup(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    x->bags = (sparcl_bags){.bags = m->nnz, .indices = {.count = m->nnz, .limit = m->cols}};
    x->bags.indices.proof.flags = SPARCL_TRUSTED;
    sparcl_status status = open_dense(ctx, call, m->cols, m->nnz);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &x->bags.indices.indices, m->indices, m->nnz, SPARCL_I32);
    call->bytes = (double)m->nnz * (4 + 8 * (double)call->input->n);
    return status;
}

/* The norms are computed from a row for each distinct index; few rows are written. */
static sparcl_status open_max_norm(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    const sparcl_status status = open_lookup(ctx, call);
    call->bytes += 4 * (double)call->input->n * (double)spec_columns_used(m);
    return status;
}

static sparcl_status run_lookup(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_embedding(ctx, &x->y, &x->x, &x->bags, NULL, 0);
}

static sparcl_status run_gather(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_gather_rows(ctx, &x->y, &x->x, &x->bags.indices);
}

/* PyTorch's embedding with max_norm: the rows are made shorter, then looked up. */
static sparcl_status run_max_norm(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    const sparcl_status status = sparcl_embedding_renorm(ctx, &x->x, &x->bags, MAX_NORM, 2);
    return status == SPARCL_OK ? run_lookup(ctx, call) : status;
}

#define R(x) spec_round(SPARCL_F32, (x))

/* The factor of a row: below 1 where it is longer than the maximum. */
static double factor_of(const double *row, int64_t n) {
    const double norm = R(sqrt(spec_sum_products(SPARCL_F32, row, row, 1, n, true)));
    return norm > MAX_NORM ? R(MAX_NORM / R(norm + R(1e-7))) : 1;
}

static sparcl_status compare_lookup(sparcl_ctx *ctx, const spec_bench_call *call, bool has_maximum,
                                    spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    double *const order = spec_numbers(m->nnz * n, 0);
    for (int64_t k = 0; order && k < m->nnz; ++k) {
        const double *const row = x->host + m->indices[k] * n;
        const double factor = has_maximum ? factor_of(row, n) : 1;
        for (int64_t j = 0; j < n; ++j)
            order[k * n + j] = R(row[j] * factor);
    }
    const sparcl_status status = order ? compare(ctx, x, order, report) : SPARCL_E_MEMORY;
    free(order);
    return status;
}

static sparcl_status check_lookup(sparcl_ctx *ctx, const spec_bench_call *call,
                                  spec_report *report) {
    return compare_lookup(ctx, call, false, report);
}

/* Of the first call, which changes the table. */
static sparcl_status check_max_norm(sparcl_ctx *ctx, const spec_bench_call *call,
                                    spec_report *report) {
    return compare_lookup(ctx, call, true, report);
}

SPEC_BENCH(embedding, "embedding", "the row of a table for the column of each entry",
           SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, open_lookup, run_lookup, check_lookup)
SPEC_BENCH(gather_rows, "gather-rows", "the same without a padding index or bounds",
           SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, open_lookup, run_gather, check_lookup)
const spec_bench spec_bench_embedding_max_norm = {
    .name = "embedding-max-norm",
    .what = "the same of a table whose rows get a maximum norm first",
    .flags = SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER,
    .state_size = sizeof(operands),
    .open = open_max_norm,
    .run = run_max_norm,
    .check = check_max_norm,
    .close = close_operands,
    .reset = NULL};
