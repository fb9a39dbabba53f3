/* bench_embedding_gradients.c: timed operations: the gradients of bags of rows of a table, which
 * the rows of A are, and of the row of each index, by the table and by the weights. */
#include <stdlib.h>

#include "spec/bench/bench.h"

typedef struct operands {
    sparcl_bags bags;
    sparcl_dense g, table, weights; /* weights: the gradient */
    sparcl_rows rows;               /* the gradient of the table */
    sparcl_dense positions;         /* the entries that maxima are from */
    int64_t *positions_host;
    spec_matrix shares, columns; /* what bags make of their rows, and the transpose */
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
    sparcl_dense_free(&x->positions);
    spec_matrix_free(&x->shares);
    spec_matrix_free(&x->columns);
    free(x->g_host);
    free(x->table_host);
    free(x->positions_host);
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

/* A row for each bag, with 1 or a part of 1 for each entry, or its position where maxima are
 * chosen. */
static bool make_shares(operands *x, const spec_matrix *m, bool is_lookup) {
    spec_matrix *const to = &x->shares;
    if (!spec_matrix_alloc(to, is_lookup ? m->nnz : m->rows, m->cols, m->nnz)) return false;
    for (int64_t i = 0; i < to->rows; ++i) {
        to->offsets[i + 1] = is_lookup ? i + 1 : m->offsets[i + 1];
        const double length = (double)(to->offsets[i + 1] - to->offsets[i]);
        for (int64_t k = to->offsets[i]; k < to->offsets[i + 1]; ++k) {
            to->indices[k] = m->indices[k];
            to->values[k] = x->bags.mode == SPARCL_BAG_SUM    ? 1
                            : x->bags.mode == SPARCL_BAG_MEAN ? spec_round(SPARCL_F32, 1 / length)
                                                              : (double)k;
        }
    }
    return spec_matrix_transpose(&x->columns, to);
}

static sparcl_status open_table(sparcl_ctx *ctx, spec_bench_call *call, sparcl_bag_mode mode,
                                bool is_lookup) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = call->input->n;
    const bool by_entry = mode == SPARCL_BAG_MAX || m->nnz < m->cols;
    const sparcl_status status = open_bags(ctx, call, is_lookup);
    x->bags.mode = mode;
    if (!make_shares(x, m, is_lookup)) return SPARCL_E_MEMORY;
    x->rows = (sparcl_rows){.rank = 2, .shape = {m->cols, n}, .nnr = by_entry ? m->nnz : m->cols};
    call->bytes += (double)spec_columns_used(m) * (4 + 4 * (double)n);
    return status == SPARCL_OK ? sparcl_rows_create(ctx, &x->rows) : status;
}

static sparcl_status open_sum(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_table(ctx, call, SPARCL_BAG_SUM, false);
}

static sparcl_status open_mean(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_table(ctx, call, SPARCL_BAG_MEAN, false);
}

/* The maxima are from any entry of the bag. */
static sparcl_status open_max(sparcl_ctx *ctx, spec_bench_call *call) {
    operands *const x = call->state;
    const int64_t n = call->input->n, bags = call->input->matrix->rows;
    const sparcl_status status = open_table(ctx, call, SPARCL_BAG_MAX, false);
    if (status != SPARCL_OK) return status;
    x->positions = (sparcl_dense){.rank = 2, .dtype = SPARCL_INT64, .shape = {bags, n}};
    x->positions_host = spec_bench_chosen(call->input->matrix, n);
    call->bytes += 8 * (double)bags * (double)n;
    return x->positions_host
               ? spec_put_ints(ctx, &x->positions.values, x->positions_host, bags * n, SPARCL_I64)
               : SPARCL_E_MEMORY;
}

static sparcl_status open_lookup(sparcl_ctx *ctx, spec_bench_call *call) {
    return open_table(ctx, call, SPARCL_BAG_SUM, true);
}

static sparcl_status run_table(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_embedding_bag_gradient(ctx, &x->rows, &x->g, &x->bags,
                                         x->positions_host ? &x->positions : NULL);
}

/* Element j of row c of the gradient. */
static double answer_element(const operands *x, int64_t n, int64_t c, int64_t j, double *terms) {
    const spec_matrix *const t = &x->columns;
    const int64_t begin = t->offsets[c], length = t->offsets[c + 1] - begin;
    for (int64_t k = 0; k < length; ++k) {
        const int64_t at = t->indices[begin + k] * n + j;
        const bool counts =
            !x->positions_host || x->positions_host[at] == (int64_t)t->values[begin + k];
        terms[k] = counts ? x->g_host[at] : 0;
    }
    return x->positions_host
               ? spec_sum_duplicates(SPARCL_F32, terms, length)
               : spec_sum_products(SPARCL_F32, t->values + begin, terms, 1, length, n == 1);
}

/* The columns that have entries, each with its sums. */
static void answer_table(const operands *x, spec_rowset *to, double *terms) {
    const spec_matrix *const t = &x->columns;
    for (int64_t c = 0; c < t->rows; ++c) {
        if (t->offsets[c + 1] == t->offsets[c]) continue;
        for (int64_t j = 0; j < to->width; ++j)
            to->values[to->stored * to->width + j] = answer_element(x, to->width, c, j, terms);
        to->ids[to->stored++] = c;
    }
}

static sparcl_status check_table(sparcl_ctx *ctx, const spec_bench_call *call,
                                 spec_report *report) {
    const operands *const x = call->state;
    const int64_t rows = spec_columns_used(call->input->matrix), n = call->input->n;
    double *const terms = spec_numbers(x->shares.nnz, 0);
    spec_rowset want = {.width = n,
                        .ids = calloc((size_t)rows + 1, sizeof *want.ids),
                        .values = spec_numbers(rows * n, 0)};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (terms && want.ids && want.values) {
        answer_table(x, &want, terms);
        status = spec_bench_compare_rows(ctx, &x->rows, &want, report);
    }
    spec_rowset_free(&want);
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
    double *const order = spec_numbers(m->nnz, 0);
    *report = (spec_report){.equal = true};
    for (int64_t i = 0; order && i < m->rows; ++i)
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; ++k)
            order[k] = spec_sum_products(SPARCL_F32, x->g_host + i * n,
                                         x->table_host + m->indices[k] * n, 1, n, true);
    const sparcl_status status =
        order ? spec_bench_compare_dense(ctx, "weights", &x->weights, order, report)
              : SPARCL_E_MEMORY;
    free(order);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    const sparcl_status status = spec_poison(ctx, x->weights.values);
    return status == SPARCL_OK ? spec_bench_poison_rows(ctx, &x->rows) : status;
}

#define BENCH(id, text, about, opened, part)                                                       \
    SPEC_BENCH(id, text, about, SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, opened, run_##part,         \
               check_##part)

BENCH(embedding_bag_gradient, "embedding-bag-gradient",
      "the gradient of embedding-bag by the table, row-sparse", open_sum, table)
BENCH(embedding_bag_mean_gradient, "embedding-bag-mean-gradient", "the same of embedding-bag-mean",
      open_mean, table)
BENCH(embedding_bag_max_gradient, "embedding-bag-max-gradient",
      "the same of embedding-bag-max, of maxima whose entries are given", open_max, table)
BENCH(embedding_gradient, "embedding-gradient",
      "the gradient of embedding by the table, row-sparse", open_lookup, table)
BENCH(embedding_weights_gradient, "embedding-weights-gradient",
      "the gradient of embedding-bag by weights of the entries", open_weights, weights)
