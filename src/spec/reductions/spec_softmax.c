/* spec_softmax.c: softmax of the rows of a CSR matrix in plain C, with its gradient. Variant 0:
 * softmax; 1: log-softmax; 2 more: with capacity that is not used. n: heads; 0: the values of the
 * matrix. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/elementary.h"
#include "spec/shared/folds.h"

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t sizes[][3] = {{37, 23, 200},  {5, 300, 1500}, {0, 5, 0}, {300, 9, 1200},
                                       {3, 700, 2000}, {1, 1, 1},      {4, 3, 0}, {60, 90, 5000},
                                       {200, 50, 700}, {2, 3000, 9000}};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F16, SPARCL_F32, SPARCL_F64,
                                         SPARCL_BF16};
    const int64_t *const size = sizes[i % 10];
    static const int64_t heads[] = {8, 2, 70, 4, 1, 3, 64};
    /* Of a row of several heads more are too many for llvmpipe. */
    const int64_t most = small ? 1000 : i >= 80 && size[0] == 2 ? 600 : size[2];
    if (i >= 104) return false;
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2] > 2000 && most < size[2] ? most : size[2],
                     .n = i < 80 ? 0 : heads[i % 7],
                     .dtype = types[i / 3 % 5],
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i / 4 % 4,
                     .seed = (uint64_t)i + 41};
    return true;
}

/* Numbers of `count` entries; the first four are inputs. */
enum { X, GY, VALUE, GRADIENT, VALUE_TRUTH, VALUE_BOUND, GRADIENT_TRUTH, GRADIENT_BOUND, ARRAYS };

typedef struct arrays {
    int64_t count, heads;
    double *at[ARRAYS], *got;
} arrays;

static double largest_of(const double *x, int64_t length) {
    double largest = -INFINITY;
    for (int64_t k = 0; k < length; ++k)
        if (x[k] > largest) largest = x[k];
    return largest;
}

/* Rule S with one column, or one of several, of numbers that are computed with as they are. */
static double sum_row(sparcl_dtype dtype, const double *e, int64_t length, bool one_column) {
    double total = 0;
    for (int64_t first = 0; first < length; first += SPEC_BLOCK) {
        double p[8] = {0};
        for (int64_t k = first; k < length && k < first + SPEC_BLOCK; ++k) {
            const int64_t i = one_column ? (k - first) % 8 : 0;
            p[i] = spec_round(dtype, p[i] + e[k]);
        }
        for (int half = 4; half > 0; half /= 2)
            for (int i = 0; i < half; ++i)
                p[i] = spec_round(dtype, p[i] + p[i + half]);
        total = spec_round(dtype, total + p[0]);
    }
    return total;
}

/* A head of a row: its numbers are x[0 .. length - 1], of which number k is element AT(k). */
#define AT(k) ((begin + (k)) * a->heads + head)

static void take_head(const arrays *a, int from, int64_t begin, int64_t length, int64_t head,
                      double *x) {
    for (int64_t k = 0; k < length; ++k)
        x[k] = a->at[from][AT(k)];
}

static void answer_value(const spec_case *c, const arrays *a, int64_t begin, int64_t length,
                         int64_t head, double *x, double *e) {
    take_head(a, X, begin, length, head, x);
    const bool is_log = c->variant & 1;
    const double largest = largest_of(x, length), u = spec_unit(c->dtype);
    double exact = 0;
    for (int64_t k = 0; k < length; ++k) {
        e[k] = spec_exp(c->dtype, spec_round(c->dtype, x[k] - largest));
        exact += exp(x[k] - largest);
    }
    const double sum = sum_row(c->dtype, e, length, a->heads == 1);
    const double log_sum = spec_log(c->dtype, sum);
    const double depth = spec_depth(length, a->heads == 1) + 4;
    for (int64_t k = 0; k < length; ++k) {
        const double d = spec_round(c->dtype, x[k] - largest);
        const double value =
            is_log ? spec_round(c->dtype, d - log_sum) : spec_round(c->dtype, e[k] / sum);
        const double truth = is_log ? x[k] - largest - log(exact) : exp(x[k] - largest) / exact;
        const double error = is_log ? depth + 4 * log(exact) + 2 * fabs(truth) + 2 * fabs(d)
                                    : (depth + 8 + fabs(d)) * truth;
        a->at[VALUE][AT(k)] = spec_store(c->dtype, value);
        a->at[VALUE_TRUTH][AT(k)] = truth;
        a->at[VALUE_BOUND][AT(k)] = 1.01 * (error * u + spec_store_unit(c->dtype) * fabs(truth)) +
                                    0x1p-25 * (c->dtype == SPARCL_F16) + spec_smallest(c->dtype);
    }
}

/* From the value that is stored. */
static void answer_gradient(const spec_case *c, const arrays *a, int64_t begin, int64_t length,
                            int64_t head, double *y, double *g, double *terms) {
    take_head(a, VALUE, begin, length, head, y);
    take_head(a, GY, begin, length, head, g);
    const bool is_log = c->variant & 1;
    double exact = 0, magnitude = 0;
    for (int64_t k = 0; k < length; ++k) {
        terms[k] = is_log ? g[k] : spec_round(c->dtype, y[k] * g[k]);
        exact += is_log ? g[k] : y[k] * g[k];
        magnitude += fabs(terms[k]);
    }
    const double sum = sum_row(c->dtype, terms, length, a->heads == 1);
    const double depth = spec_depth(length, a->heads == 1) + 6;
    for (int64_t k = 0; k < length; ++k) {
        const double factor = is_log ? spec_exp(c->dtype, y[k]) : y[k];
        const double value = is_log
                                 ? spec_round(c->dtype, g[k] - spec_round(c->dtype, factor * sum))
                                 : spec_round(c->dtype, factor * spec_round(c->dtype, g[k] - sum));
        const double truth = is_log ? g[k] - exp(y[k]) * exact : y[k] * (g[k] - exact);
        const double error = is_log ? fabs(g[k]) + factor * magnitude * depth
                                    : factor * (2 * fabs(g[k]) + magnitude * depth);
        a->at[GRADIENT][AT(k)] = spec_store(c->dtype, value);
        a->at[GRADIENT_TRUTH][AT(k)] = truth;
        a->at[GRADIENT_BOUND][AT(k)] =
            1.01 * (error * spec_unit(c->dtype) + spec_store_unit(c->dtype) * fabs(truth)) +
            0x1p-25 * (c->dtype == SPARCL_F16) + spec_smallest(c->dtype);
    }
}

static bool make_arrays(arrays *a, const spec_case *c, int64_t entries) {
    const int64_t heads = c->n > 0 ? c->n : 1, count = entries * heads;
    bool done = true;
    *a = (arrays){.count = count, .heads = heads};
    for (int i = 0; i < ARRAYS; ++i) {
        a->at[i] = i <= GY ? spec_fold_numbers(c->dtype, 0, count, c->seed + 1 + (uint64_t)i)
                           : calloc((size_t)count + 1, sizeof(double));
        done = done && a->at[i];
    }
    /* Exponents up to 12, so that the sum is not that of nearly equal numbers. */
    for (int64_t k = 0; a->at[X] && k < count; ++k)
        a->at[X][k] = spec_store(c->dtype, 12 * a->at[X][k]);
    a->got = calloc((size_t)count + 1, sizeof *a->got);
    for (int64_t k = 0; a->got && k < count; ++k)
        a->got[k] = 77; /* what no result may stay */
    return done && a->got;
}

static bool answer(const spec_case *c, const spec_matrix *m, const arrays *a) {
    double *const terms = calloc((size_t)(3 * m->nnz) + 1, sizeof *terms);
    double *const x = terms + m->nnz, *const g = x + m->nnz;
    for (int64_t r = 0; terms && r < m->rows; ++r) {
        const int64_t begin = m->offsets[r], length = m->offsets[r + 1] - begin;
        for (int64_t head = 0; head < a->heads; ++head) {
            answer_value(c, a, begin, length, head, x, terms);
            answer_gradient(c, a, begin, length, head, x, g, terms);
        }
    }
    free(terms);
    return terms != NULL;
}

/* Numbers of the entries: a vector, or a matrix of heads. */
static sparcl_status put_numbers(sparcl_ctx *ctx, sparcl_dense *view, const spec_case *c,
                                 const arrays *all, const double *x) {
    *view = (sparcl_dense){
        .rank = c->n > 0 ? 2 : 1, .dtype = c->dtype, .shape = {all->count / all->heads, c->n}};
    return spec_put_dense(ctx, view, x, all->count);
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, const sparcl_csr *a,
                         const arrays *all, spec_report *report) {
    const sparcl_softmax kind = (sparcl_softmax)(c->variant & 1);
    sparcl_dense v = {0}, x = {0}, gy = {0}, gx = {0};
    sparcl_status status = put_numbers(ctx, &v, c, all, all->got);
    if (status == SPARCL_OK) status = put_numbers(ctx, &x, c, all, all->at[X]);
    if (status == SPARCL_OK) status = put_numbers(ctx, &gy, c, all, all->at[GY]);
    if (status == SPARCL_OK) status = put_numbers(ctx, &gx, c, all, all->got);
    if (status == SPARCL_OK)
        status = c->n > 0 ? sparcl_csr_softmax_heads(ctx, kind, &v, &x, a)
                          : sparcl_csr_softmax(ctx, kind, &v, a);
    if (status == SPARCL_OK) status = sparcl_csr_softmax_gradient(ctx, kind, &gx, &gy, &v, a);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v.values, v.values_at, all->count, c->dtype, all->got);
    if (status == SPARCL_OK) {
        spec_compare(report, "v", all->got, all->at[VALUE], all->at[VALUE_TRUTH],
                     all->at[VALUE_BOUND], all->count);
        status = spec_get_reals(ctx, gx.values, gx.values_at, all->count, c->dtype, all->got);
    }
    report->zeros_expected = true; /* of rows with one entry */
    if (status == SPARCL_OK)
        spec_compare(report, "gx", all->got, all->at[GRADIENT], all->at[GRADIENT_TRUTH],
                     all->at[GRADIENT_BOUND], all->count);
    sparcl_buf_free(v.values);
    sparcl_buf_free(x.values);
    sparcl_buf_free(gy.values);
    sparcl_buf_free(gx.values);
    return status;
}

/* The matrix with the numbers of the case, and capacity for more entries than it has. */
static bool make_matrix(spec_matrix *m, const spec_case *c, arrays *a) {
    spec_matrix full = {0};
    const int64_t more = c->variant & 2 && c->rows > 0 ? 7 : 0;
    bool done = spec_matrix_make(&full, c->kind, c->rows, c->cols, c->nnz, c->seed) &&
                spec_matrix_alloc(m, c->rows, c->cols, full.nnz + more) &&
                make_arrays(a, c, full.nnz + more);
    if (done) {
        memcpy(m->offsets, full.offsets, ((size_t)c->rows + 1) * sizeof *m->offsets);
        memcpy(m->indices, full.indices, (size_t)full.nnz * sizeof *m->indices);
        if (c->n == 0) memcpy(m->values, a->at[X], (size_t)m->nnz * sizeof *m->values);
    }
    spec_matrix_free(&full);
    return done;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    spec_matrix m = {0};
    arrays a = {0};
    sparcl_csr view = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .zeros_expected = c->nnz <= 1 || (c->variant & 1), /* of one entry */
                            .flops = 20 * (double)c->nnz,
                            .bytes = 2 * (double)c->nnz * (double)sparcl_dtype_size(c->dtype)};
    if (make_matrix(&m, c, &a) && answer(c, &m, &a)) {
        status = spec_put_csr_within(ctx, &view, &m, c->dtype, c->offset_type, c->index_type);
        if (status == SPARCL_OK) status = run(ctx, c, &view, &a, report);
    }
    sparcl_csr_free(&view);
    for (int i = 0; i < ARRAYS; ++i)
        free(a.at[i]);
    free(a.got);
    spec_matrix_free(&m);
    return status;
}

const spec_op spec_softmax = {.name = "softmax", .get_case = get_case, .check = check};
