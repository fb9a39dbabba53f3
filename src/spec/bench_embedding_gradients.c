/* bench_embedding_gradients.c: timed operations: the gradients of bags of rows of a table, which
 * the rows of A are, and of the row of each index, by the table and by the weights. */
#include <stdlib.h>

#include "spec/bench.h"

typedef struct operands {
    sparcl_bags bags;
    sparcl_dense g, table, weights; /* weights: the gradient */
    sparcl_rows rows;               /* the gradient of the table */
    spec_matrix ones, columns;      /* the bags, and their transpose */
    double *g_host, *table_host;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    sparcl_buf_free(x->bags.offsets);
    sparcl_buf_free(x->bags.indices.indices);
    sparcl_dense_free(&x->g);
    sparcl_dense_free(&x->table);
    sparcl_dense_free(&x->weights);
    sparcl_rows_free(&x->rows);
    spec_matrix_free(&x->ones);
    spec_matrix_free(&x->columns);
    free(x->g_host);
    free(x->table_host);
}

static sparcl_status put_dense(sparcl_ctx *ctx, sparcl_dense *view, double **host, int64_t rows,
                               int64_t n) {
    *view = (sparcl_dense){.rank = 2, .shape = {rows, n}};
    *host = spec_numbers(rows * n, 3);
    return *host ? spec_put_reals(ctx, &view->values, *host, rows * n, SPARCL_F32)
                 : SPARCL_E_MEMORY;
}

/* A bag for each row of A, or for each entry; the gradient of each. */
static sparcl_status open_bags(sparcl_ctx *ctx, spec_bench_call *call, bool is_lookup) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t bags = is_lookup ? m->nnz : m->rows;
    x->bags = (sparcl_bags){
        .bags = bags, .indices = {.count = m->nnz, .limit = m->cols}, .include_last = 1};
    x->bags.indices.proof.flags = SPARCL_TRUSTED;
    sparcl_status status =
        spec_put_ints(ctx, &x->bags.indices.indices, m->indices, m->nnz, SPARCL_I32);
    if (status == SPARCL_OK && !is_lookup)
        status = spec_put_ints(ctx, &x->bags.offsets, m->offsets, m->rows + 1, SPARCL_I32);
    if (status == SPARCL_OK) status = put_dense(ctx, &x->g, &x->g_host, bags, call->input->n);
    call->flops = (double)m->nnz * (double)call->input->n;
    call->bytes =
        4 * (double)m->nnz + 4 * (double)bags * ((is_lookup ? 0 : 1) + (double)call->input->n);
    return status;
}

/* --- by the table ----------------------------------------------------------------------------- */

/* The bags with values of 1: a row for each bag. */
static bool make_ones(operands *x, const spec_matrix *m, bool is_lookup) {
    if (!spec_matrix_alloc(&x->ones, is_lookup ? m->nnz : m->rows, m->cols, m->nnz)) return false;
    for (int64_t k = 0; k < m->nnz; ++k) {
        x->ones.indices[k] = m->indices[k];
        x->ones.values[k] = 1;
    }
    for (int64_t i = 0; i <= x->ones.rows; ++i)
        x->ones.offsets[i] = is_lookup ? i : m->offsets[i];
    return spec_matrix_transpose(&x->columns, &x->ones);
}

static sparcl_status open_table(sparcl_ctx *ctx, spec_bench_call *call, bool is_lookup) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    if (!make_ones(x, m, is_lookup)) return SPARCL_E_MEMORY;
    const sparcl_status status = open_bags(ctx, call, is_lookup);
    x->rows =
        (sparcl_rows){.rank = 2, .shape = {m->cols, n}, .nnr = m->nnz < m->cols ? m->nnz : m->cols};
    call->bytes += (double)spec_bench_cols_used(m) * (4 + 4 * (double)n);
    return status == SPARCL_OK ? sparcl_rows_create(ctx, &x->rows) : status;
}

static sparcl_status open_bag(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_table(ctx, call, false);
}

static sparcl_status open_lookup(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_table(ctx, call, true);
}

static sparcl_status run_table(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_embedding_bag_gradient(ctx, &x->rows, &x->g, &x->bags, NULL);
}

/* The columns that have entries, and the products of the transpose with the gradient. */
static int64_t answer_table(const operands *x, int64_t n, int64_t *ids, double *values,
                            double *terms) {
    const spec_matrix *const t = &x->columns;
    int64_t count = 0;
    for (int64_t c = 0; c < t->rows; ++c) {
        const int64_t begin = t->offsets[c], length = t->offsets[c + 1] - begin;
        if (length == 0) continue;
        for (int64_t j = 0; j < n; ++j) {
            for (int64_t k = 0; k < length; ++k)
                terms[k] = x->g_host[t->indices[begin + k] * n + j];
            values[count * n + j] =
                spec_sum_products(SPARCL_F32, t->values + begin, terms, 1, length, n == 1);
        }
        ids[count++] = c;
    }
    return count;
}

static sparcl_status compare_rows(sparcl_ctx *ctx, const operands *x, int64_t count,
                                  const int64_t *ids, const double *values, spec_report *report) {
    const int64_t n = x->rows.shape[1];
    int64_t stored = 0, *const got_ids = calloc((size_t)count + 1, sizeof *got_ids);
    double *const got = spec_numbers(count * n, 0);
    sparcl_status status = got_ids && got ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, x->rows.count, 0, 8, &stored);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, x->rows.indices, 0, count, x->rows.index_type, got_ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->rows.values, 0, count * n, SPARCL_F32, got);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "count", &stored, &count, 1);
        spec_compare_ints(report, "indices", got_ids, ids, count);
        spec_compare(report, "values", got, values, NULL, NULL, count * n);
    }
    free(got_ids);
    free(got);
    return status;
}

static sparcl_status check_table(sparcl_ctx *ctx, const spec_bench_call *call,
                                 spec_report *report) {
    const operands *const x = call->state;
    const int64_t nnr = x->rows.nnr, n = call->input->n;
    int64_t *const ids = calloc((size_t)nnr + 1, sizeof *ids);
    double *const values = spec_numbers(nnr * n, 0), *const terms = spec_numbers(x->ones.nnz, 0);
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (ids && values && terms)
        status = compare_rows(ctx, x, answer_table(x, n, ids, values, terms), ids, values, report);
    free(ids);
    free(values);
    free(terms);
    return status;
}

/* --- by the weights of the entries ------------------------------------------------------------ */

static sparcl_status open_weights(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const double n = (double)call->input->n;
    sparcl_status status = open_bags(ctx, call, false);
    if (status == SPARCL_OK)
        status = put_dense(ctx, &x->table, &x->table_host, m->cols, call->input->n);
    x->weights = (sparcl_dense){.rank = 1, .shape = {m->nnz}};
    call->flops = 2 * (double)m->nnz * n;
    call->bytes += (double)m->nnz * (4 + 4 * n);
    return status == SPARCL_OK ? sparcl_dense_create(ctx, &x->weights) : status;
}

static sparcl_status run_weights(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return sparcl_embedding_bag_weights_gradient(ctx, &x->weights, &x->g, &x->table, NULL,
                                                 &x->bags);
}

static sparcl_status check_weights(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    double *const order = spec_numbers(m->nnz, 0), *const got = spec_numbers(m->nnz, 0);
    sparcl_status status = order && got ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true};
    for (int64_t i = 0; status == SPARCL_OK && i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            order[k] = spec_sum_products(SPARCL_F32, x->g_host + i * n,
                                         x->table_host + m->indices[k] * n, 1, n, true);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, x->weights.values, 0, m->nnz, SPARCL_F32, got);
    if (status == SPARCL_OK) spec_compare(report, "weights", got, order, NULL, NULL, m->nnz);
    free(order);
    free(got);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    sparcl_status status = spec_poison(ctx, x->weights.values);
    if (status == SPARCL_OK) status = spec_poison(ctx, x->rows.indices);
    return status == SPARCL_OK ? spec_poison(ctx, x->rows.values) : status;
}

#define BENCH(id, text, about, opened, part)                                                       \
    const spec_bench spec_bench_##id = {.name = (text),                                            \
                                        .what = (about),                                           \
                                        .flags = SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER,            \
                                        .state_size = sizeof(operands),                            \
                                        .open = opened,                                            \
                                        .run = run_##part,                                         \
                                        .check = check_##part,                                     \
                                        .close = close_operands,                                   \
                                        .reset = poison};

BENCH(embedding_bag_gradient, "embedding-bag-gradient",
      "the gradient of embedding-bag by the table, row-sparse", open_bag, table)
BENCH(embedding_gradient, "embedding-gradient",
      "the gradient of embedding by the table, row-sparse", open_lookup, table)
BENCH(embedding_weights_gradient, "embedding-weights-gradient",
      "the gradient of embedding-bag by weights of the entries", open_weights, weights)
