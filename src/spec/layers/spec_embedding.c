/* spec_embedding.c: bags of rows of a table in plain C: the result, the matrix, and the gradients
 * by the table and by the weights (bag_gradients.c). bag_case.h says what a variant is. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/layers/bag_gradients.h"

/* Of a measurement. A fifth of the rows with 16 elements are longer, and all of those with 64. */
#define MAX_NORM 2.5

/* Variant: the sum of bags, each of one entry. */
enum { NO_OFFSETS = 2 * 48 };

/* Bags, rows of the table, entries. */
static const int64_t sizes[][3] = {{0, 0, 0},   {3, 5, 0},     {1, 1, 1},         {9, 20, 60},
                                   {4, 7, 900}, {70, 30, 700}, {300, 2000, 4000}, {40, 9, 4500}};
static const int64_t widths[] = {1, 2, 7, 16, 33, 64, 100, 128};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_F32,
                                         SPARCL_BF16};
    if (i >= n_sizes * n_widths * 9) return false;
    const int64_t *const size = sizes[i / 9 / n_widths];
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_ONE_COL),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i / 9 % n_widths],
                     .dtype = types[i % 5],
                     .index_type = i % 7 == 3 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .offset_type = i % 4 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = 1,
                     .variant = i * 55 % SPEC_BAG_VARIANTS,
                     .seed = (uint64_t)i + 17};
    if (small && c->n > 33) c->nnz /= 4;
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

#define R(x) spec_round(c->dtype, (x))

static double divisor_of(const spec_bag_case *a, const double *weights, int64_t length,
                         const double *ones) {
    const spec_case *const c = &a->c;
    const sparcl_bag_mode mode = a->settings.mode;
    if (length == 0 || (mode != SPARCL_BAG_MEAN && mode != SPARCL_BAG_SQRTN)) return 1;
    const bool squares = mode == SPARCL_BAG_SQRTN;
    const double sum =
        spec_sum_products(c->dtype, weights, squares ? weights : ones, 1, length, false);
    return squares ? R(sqrt(sum)) : sum;
}

/* Result element (i, j) from the terms x of the bag. */
static void answer_sum(spec_bag_case *a, int64_t i, int64_t j, const double *x) {
    const spec_case *const c = &a->c;
    const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
    const int64_t at = i * c->n + j;
    const double *const w = a->kept.values + begin, divisor = a->divisors[i];
    const sparcl_bag_mode mode = a->settings.mode;
    double exact = 0, magnitude = 0, total = 0;
    for (int64_t k = 0; k < length; ++k) {
        exact += w[k] * x[k];
        magnitude += fabs(w[k] * x[k]);
        total += mode == SPARCL_BAG_MEAN ? w[k] : w[k] * w[k];
    }
    const double by = mode == SPARCL_BAG_SUM || length == 0 ? 1
                      : mode == SPARCL_BAG_MEAN             ? total
                                                            : sqrt(total);
    const double depth = spec_depth(length, c->n == 1) + spec_depth(length, false) + 3;
    const double sum = spec_sum_products(c->dtype, w, x, 1, length, c->n == 1);
    a->result.order[at] = spec_store(c->dtype, mode == SPARCL_BAG_SUM ? sum : R(sum / divisor));
    a->result.truth[at] = exact / by;
    a->result.bound[at] = (depth * spec_unit(c->dtype) * magnitude / by +
                           spec_store_unit(c->dtype) * fabs(exact / by)) *
                              1.001 +
                          (c->dtype == SPARCL_F16 ? 0x1p-24 : 2 * spec_smallest(c->dtype));
}

static void answer_max(spec_bag_case *a, int64_t i, int64_t j, const double *x) {
    const spec_case *const c = &a->c;
    const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
    double best = 0;
    int64_t where = -1;
    for (int64_t k = 0; k < length; ++k)
        if (where < 0 || x[k] > best) best = x[k], where = a->source[begin + k];
    a->result.order[i * c->n + j] = a->result.truth[i * c->n + j] = best;
    a->result.bound[i * c->n + j] = 0;
    a->positions[i * c->n + j] = where;
}

static void answer_bags(spec_test *t, spec_bag_case *a) {
    const spec_case *const c = &a->c;
    double *const x = spec_reals(t, a->kept.nnz), *const ones = spec_reals(t, a->kept.nnz);
    a->result = spec_answer_room(t, c->rows * c->n);
    for (int64_t k = 0; k < a->kept.nnz; ++k)
        ones[k] = 1;
    for (int64_t i = 0; i < c->rows; ++i) {
        const int64_t begin = a->kept.offsets[i], length = a->kept.offsets[i + 1] - begin;
        a->divisors[i] = divisor_of(a, a->kept.values + begin, length, ones);
        for (int64_t j = 0; j < c->n; ++j) {
            for (int64_t k = 0; k < length; ++k)
                x[k] = a->table[a->kept.indices[begin + k] * c->n + j];
            (a->settings.mode == SPARCL_BAG_MAX ? answer_max : answer_sum)(a, i, j, x);
        }
    }
}

/* The norm of a row by rule S with one column, or exactly; `terms` and `factors` are of its width.
 */
static double norm_of(const spec_case *c, const double *x, double norm_type, bool exact,
                      double *terms, double *factors) {
    double sum = 0, largest = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        terms[j] = fabs(x[j]);
        factors[j] = norm_type == 1 ? 1 : terms[j];
        sum += terms[j] * factors[j];
        largest = fmax(largest, terms[j]);
    }
    if (isinf(norm_type)) return largest;
    if (!exact) sum = spec_sum_products(c->dtype, terms, factors, 1, c->n, true);
    return norm_type == 1 ? sum : exact ? sqrt(sum) : R(sqrt(sum));
}

/* The table after rows of the bags were made shorter. */
static double *answer_renorm(spec_test *t, const spec_bag_case *x, double *truth, double *bound) {
    const spec_case *const c = &x->c;
    bool *const used = spec_memory(t, c->cols, sizeof *used);
    double *const terms = spec_reals(t, 2 * c->n), most = R(x->max_norm);
    double *const order = spec_copied(t, x->table, c->cols * c->n);
    for (int64_t e = 0; e < x->kept.nnz; ++e)
        used[x->kept.indices[e]] = true;
    for (int64_t i = 0; i < c->cols; ++i) {
        const double *const row = x->table + i * c->n;
        const double norm = norm_of(c, row, x->norm_type, false, terms, terms + c->n);
        const double exact = norm_of(c, row, x->norm_type, true, terms, terms + c->n);
        const bool shorter = used[i] && norm > most;
        const double scale = shorter ? R(most / R(norm + R(1e-7))) : 1;
        const double error = shorter ? spec_depth(c->n, true) + 6 : 0;
        for (int64_t j = 0, k = i * c->n; j < c->n; ++j, ++k) {
            order[k] = spec_store(c->dtype, shorter ? R(row[j] * scale) : row[j]);
            truth[k] = shorter ? row[j] * (x->max_norm / (exact + 1e-7)) : row[j];
            bound[k] =
                1.01 * (error * spec_unit(c->dtype) + spec_store_unit(c->dtype)) * fabs(truth[k]) +
                (c->dtype == SPARCL_F16 ? 0x1p-24 : 2 * spec_smallest(c->dtype));
        }
    }
    return order;
}

/* --- calls ------------------------------------------------------------------------------------ */

static void make(spec_test *t) {
    static const double types[] = {1, 2, INFINITY};
    spec_bag_case *const x = t->state;
    spec_bag_make(t, x);
    const double n = (double)x->c.n;
    x->norm_type = t->given ? 2 : types[x->c.seed / 4 % 3];
    x->max_norm = t->given            ? MAX_NORM
                  : x->norm_type == 1 ? 0.5 * n
                  : x->norm_type == 2 ? 0.5 * sqrt(n)
                                      : 0.9;
    if (t->given && t->call == SPEC_BAG_TABLE && x->positions) answer_bags(t, x);
    spec_bag_put(t, x);
    t->calls = t->given ? t->call + 1 : SPEC_BAG_CALLS;
}

static sparcl_status look_up(sparcl_ctx *ctx, const spec_bag_case *x) {
    return sparcl_embedding(ctx, &x->looked_up, &x->table_view, &x->bags, NULL, 0);
}

static sparcl_status add_gradients(sparcl_ctx *ctx, spec_bag_case *x, sparcl_rows *rows,
                                   bool scaled) {
    const sparcl_dense *const positions = x->positions_view.values ? &x->positions_view : NULL;
    sparcl_bags bags = x->bags;
    bags.scale_by_frequency = scaled;
    return sparcl_embedding_bag_gradient(ctx, rows, &x->g_view, &bags, positions);
}

/* The rows get a maximum norm; measured, they are looked up then, as PyTorch's embedding does. */
static sparcl_status renorm(sparcl_ctx *ctx, spec_bag_case *x) {
    const sparcl_status status =
        sparcl_embedding_renorm(ctx, &x->table_view, &x->bags, x->max_norm, x->norm_type);
    return status == SPARCL_OK && x->is_measured ? look_up(ctx, x) : status;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    spec_bag_case *const x = made;
    const sparcl_dense *const positions = x->positions_view.values ? &x->positions_view : NULL;
    if (!x->has_call[number]) return SPARCL_OK;
    switch (number) {
    case SPEC_BAG_RESULT:
        return sparcl_embedding_bag(ctx, &x->y, &x->table_view, &x->bags, positions, x->bad_buf, 0);
    case SPEC_BAG_WEIGHTS:
        return sparcl_embedding_bag_weights_gradient(
            ctx, &x->gw, &x->g_view, &x->table_view,
            x->settings.mode == SPARCL_BAG_SUM ? NULL : &x->y, &x->bags);
    case SPEC_BAG_MATRIX:
        return sparcl_embedding_bag_matrix(ctx, &x->matrix, &x->bags, x->source_buf, 0);
    case SPEC_BAG_TABLE:
        return add_gradients(ctx, x, &x->rows, false);
    case SPEC_BAG_SCALED:
        return add_gradients(ctx, x, &x->scaled, true);
    case SPEC_BAG_LOOKUP:
        return look_up(ctx, x);
    default:
        return renorm(ctx, x);
    }
}

static void expect_result(spec_test *t, const spec_bag_case *x) {
    spec_expect_dense(t, "result", &x->y, x->result.order, x->result.truth, x->result.bound);
    if (x->positions_view.values)
        spec_expect_ints(t, "position", x->positions_view.values, 0, SPARCL_INDEX64, x->positions,
                         x->c.rows * x->c.n);
    if (x->bad_buf) spec_expect_ints(t, "bad", x->bad_buf, 0, SPARCL_INDEX64, &x->bad, 1);
}

/* Each row by itself. */
static void expect_lookup(spec_test *t, const spec_bag_case *x, const double *table) {
    const int64_t n = x->c.n, count = x->c.rows * n;
    double *const order = spec_reals(t, count);
    for (int64_t e = 0; e < count; ++e) {
        const int64_t row = spec_bag_row(x, x->ids[e / n]);
        order[e] = row < 0 ? 0 : table[row * n + e % n];
    }
    spec_expect_dense(t, "lookup", &x->looked_up, order, NULL, NULL);
}

static void expect_renorm(spec_test *t, const spec_bag_case *x) {
    const int64_t count = x->c.cols * x->c.n;
    double *const truth = spec_reals(t, count), *const bound = spec_reals(t, count);
    const double *const order = answer_renorm(t, x, truth, bound);
    spec_expect_dense(t, "renormalised table", &x->table_view, order, truth, bound);
    if (x->is_measured) expect_lookup(t, x, order);
}

/* Results are mostly 0 where most bags are empty or most entries do not count. */
static void expect(spec_test *t) {
    spec_bag_case *const x = t->state;
    t->report->zeros_expected = true;
    if (!t->given || t->call < SPEC_BAG_LOOKUP) answer_bags(t, x);
    if (x->has_call[SPEC_BAG_RESULT]) expect_result(t, x);
    if (x->has_call[SPEC_BAG_WEIGHTS]) spec_bag_expect_weights(t, x);
    if (x->result.order) spec_bag_divide(x);
    if (x->has_call[SPEC_BAG_MATRIX]) spec_bag_expect_matrix(t, x);
    if (x->has_call[SPEC_BAG_TABLE])
        spec_bag_expect_table(t, x, &x->rows, false, "gradient of the table");
    if (x->has_call[SPEC_BAG_SCALED])
        spec_bag_expect_table(t, x, &x->scaled, true, "scaled gradient of the table");
    if (x->has_call[SPEC_BAG_LOOKUP]) expect_lookup(t, x, x->table);
    if (x->has_call[SPEC_BAG_RENORM]) expect_renorm(t, x);
}

/* --- measurements ----------------------------------------------------------------------------- */

/* Indices and offsets, and a row of n numbers for each entry, bag or row of the table that has
 * entries. Norms are computed from a row for each distinct index; few rows are written. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const spec_bag_case *const x = t->state;
    const double n = (double)x->c.n, entries = (double)x->c.nnz, bags = (double)x->c.rows;
    const double used = (double)spec_columns_used(&x->all);
    const double offsets = x->settings.offsets == 2 ? 0 : 4 * bags;
    *flops = number >= SPEC_BAG_LOOKUP ? 0 : (number == SPEC_BAG_WEIGHTS ? 2 : 1) * entries * n;
    *bytes = 4 * entries + offsets + 4 * bags * n;
    if (number != SPEC_BAG_TABLE) *bytes += 4 * entries * n;
    if (number == SPEC_BAG_WEIGHTS) *bytes += 4 * entries;
    if (number == SPEC_BAG_TABLE) *bytes += used * (4 + 4 * n);
    if (number == SPEC_BAG_TABLE && x->positions_view.values) *bytes += 8 * bags * n;
    if (number == SPEC_BAG_RENORM) *bytes += 4 * n * used;
}

extern const spec_op spec_embedding;
#define MEASURED(number, kind)                                                                     \
    .op = &spec_embedding, .call = (number), .setting = {.alpha = 1, .variant = (kind)}
static const spec_bench timed[] = {
    {"embedding-bag", "embedding bag: for each row of A the sum of rows of a table",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_RESULT, SPARCL_BAG_SUM)},
    {"embedding-bag-mean", "the same, the mean of these rows",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_RESULT, SPARCL_BAG_MEAN)},
    {"embedding-bag-sqrtn", "the same, the sum divided by the root of the number of rows",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_RESULT, SPARCL_BAG_SQRTN)},
    {"embedding-bag-max", "the same, the maximum of each column",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_RESULT, SPARCL_BAG_MAX)},
    {"embedding-bag-gradient", "the gradient of embedding-bag by the table, row-sparse",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_TABLE, SPARCL_BAG_SUM)},
    {"embedding-bag-mean-gradient", "the same of embedding-bag-mean",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_TABLE, SPARCL_BAG_MEAN)},
    {"embedding-bag-max-gradient",
     "the same of embedding-bag-max, of maxima whose entries are given",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_TABLE, SPARCL_BAG_MAX)},
    {"embedding-weights-gradient", "the gradient of embedding-bag by weights of the entries",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_WEIGHTS, SPARCL_BAG_SUM)},
    {"embedding", "the row of a table for the column of each entry",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_LOOKUP, NO_OFFSETS)},
    {"embedding-max-norm", "the same of a table whose rows get a maximum norm first",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_RENORM, NO_OFFSETS)},
    {"embedding-gradient", "the gradient of embedding by the table, row-sparse",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, MEASURED(SPEC_BAG_TABLE, NO_OFFSETS)},
    {0}};

const spec_op spec_embedding = {.name = "embedding",
                                .get_case = get_case,
                                .state_size = sizeof(spec_bag_case),
                                .make = make,
                                .call = call,
                                .expect = expect,
                                .work = work,
                                .timed = timed};
