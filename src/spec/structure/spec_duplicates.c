/* spec_duplicates.c: items with equal indices combined, in plain C. Variant: sparcl_duplicates; +
 * 8: of a row-sparse array; + 16: of a CSR matrix (sums only); + 32: with an inverse, counts and a
 * source; + 64: some values are NaN. `n`: number of the shape, or the width of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"
#include "spec/shared/made.h"

enum { HOW = 8, ROWS = 8, CSR = 16, MORE = 32, NANS = 64 };

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 37, 513, 700, 1025, 5121, 30209};
static const int64_t widths[] = {1, 2, 7, 16};

static bool get_rows_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    if (i >= n_sizes * n_widths * 2) return false;
    *c = (spec_case){.kind = (spec_kind)((i + i / 5) % SPEC_KINDS),
                     .rows = i % 3 ? 50 : 3000,
                     .nnz = sizes[i / 2 / n_widths],
                     .n = widths[i / 2 % n_widths],
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = ROWS};
    return true;
}

static bool get_csr_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    if (i >= n_sizes * 2) return false;
    *c = (spec_case){.kind = i % 2 ? SPEC_DUPLICATE : (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = 20 + i,
                     .cols = 300,
                     .nnz = sizes[i / 2],
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .offset_type = i % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = CSR};
    return true;
}

/* Row-sparse arrays and matrices, then COO arrays. */
static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype floats[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    spec_case none;
    int first = 0, second = 0;
    while (get_rows_case(first, small, &none))
        ++first;
    while (get_csr_case(second, small, &none))
        ++second;
    const int at = i - first - second;
    if (i < first)
        get_rows_case(i, small, c);
    else if (at < 0)
        get_csr_case(i - first, small, c);
    else if (!spec_entries_case(c, at, sizes, sizeof sizes / sizeof sizes[0], small))
        return false;
    if (at >= 0 && i % 4 == 2) c->index_type = SPARCL_I64;
    if (!(c->variant & CSR)) c->variant += (i * 7 + i / 6) % 6;
    c->variant += (i % 3 ? MORE : 0) + (i % 9 == 4 ? NANS : 0);
    c->dtype = c->variant % HOW >= SPARCL_FIRST ? spec_any_dtype(i) : floats[i * 3 / 2 % 4];
    c->seed = (uint64_t)(i + i / 3);
    return true;
}

typedef struct arrays {
    spec_entries from; /* of rank 1 for rows, 2 for a matrix; without values */
    int64_t width;
    double *values;                             /* [capacity of from, width] */
    spec_entries order, got;                    /* without values */
    double *expected, *truth, *bound, *results; /* [stored, width] */
    int64_t *inverse, *counts, *source, *ints;
} arrays;

static void drop(arrays *x) {
    void *const all[] = {x->values,  x->expected, x->truth,  x->bound, x->results,
                         x->inverse, x->counts,   x->source, x->ints};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
    spec_entries_free(&x->from);
    spec_entries_free(&x->order);
    spec_entries_free(&x->got);
}

/* --- answers ---------------------------------------------------------------------------------- */

static bool is_better(double x, double best, int how) {
    if (isnan(best)) return false;
    return isnan(x) || (how == SPARCL_MAX ? x > best : x < best);
}

static int64_t pick(const double *terms, int64_t length, int how) {
    int64_t best = 0;
    if (how == SPARCL_LAST) return length - 1;
    for (int64_t k = 1; k < length && (how == SPARCL_MAX || how == SPARCL_MIN); ++k)
        if (is_better(terms[k], terms[best], how)) best = k;
    return best;
}

/* The smallest difference of stored numbers. */
static double spacing(sparcl_dtype dtype) {
    return dtype == SPARCL_F16 ? 0x1p-24 : dtype == SPARCL_BF16 ? 0x1p-133 : spec_smallest(dtype);
}

/* Element e of the result from its terms, which are in the order of the operand. */
static void answer(arrays *x, sparcl_dtype dtype, int how, int64_t e, const double *terms,
                   int64_t length) {
    double magnitude = 0, sum = 0, order = terms[pick(terms, length, how)];
    if (how > SPARCL_MEAN) {
        x->expected[e] = x->truth[e] = order;
        return;
    }
    for (int64_t k = 0; k < length; ++k) {
        sum += terms[k];
        magnitude += fabs(terms[k]);
    }
    const double n = how == SPARCL_MEAN ? (double)length : 1, u = spec_unit(dtype);
    order = spec_sum_duplicates(dtype, terms, length);
    if (how == SPARCL_MEAN) order = spec_round(dtype, order / n);
    x->expected[e] = spec_store(dtype, order);
    x->truth[e] = sum / n;
    x->bound[e] =
        (spec_depth_duplicates(length) * u * magnitude / n + (n > 1 ? u * fabs(sum / n) : 0)) *
        SPEC_SECOND_ORDER;
    if (dtype == SPARCL_F16 || dtype == SPARCL_BF16)
        x->bound[e] += spec_store_unit(dtype) * (fabs(sum / n) + x->bound[e]) + spacing(dtype);
}

static void answer_run(arrays *x, const spec_case *c, const int64_t *order, int64_t begin,
                       int64_t end, double *terms) {
    const int64_t u = x->order.stored++;
    const int how = c->variant % HOW;
    spec_entries_copy(&x->order, u, &x->from, order[begin]);
    x->counts[u] = end - begin;
    for (int64_t k = begin; k < end; ++k)
        x->inverse[order[k]] = u;
    for (int64_t j = 0; j < x->width; ++j) {
        for (int64_t k = begin; k < end; ++k)
            terms[k - begin] = x->values[order[k] * x->width + j];
        answer(x, c->dtype, how, u * x->width + j, terms, end - begin);
        if (j == 0) x->source[u] = order[begin + pick(terms, end - begin, how)];
    }
}

static bool answer_all(arrays *x, const spec_case *c) {
    double *const terms = calloc((size_t)x->from.stored + 1, sizeof *terms);
    int64_t *const order = spec_entries_order(&x->from);
    const bool done = terms && order;
    for (int64_t begin = 0, end; done && begin < x->from.stored; begin = end) {
        end = begin + 1;
        while (end < x->from.stored &&
               spec_entries_compare(&x->from, order[begin], order[end]) == 0)
            ++end;
        answer_run(x, c, order, begin, end, terms);
    }
    free(terms);
    free(order);
    return done;
}

/* --- operands --------------------------------------------------------------------------------- */

/* Rows: ids as the entries of a vector. */
static bool make_ids(arrays *x, const spec_case *c) {
    spec_entries like = {
        .rank = 1, .shape = {c->rows}, .capacity = c->nnz + (int64_t)(c->seed % 3)};
    uint64_t seed = c->seed;
    if (!spec_entries_like(&x->from, &like)) return false;
    x->from.stored = c->nnz;
    for (int64_t k = 0; k < c->nnz; ++k)
        x->from.indices[0][k] =
            c->kind == SPEC_ONE_ROW ? 3 : (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
    return true;
}

static bool make_matrix(arrays *x, spec_matrix *m, const spec_case *c) {
    spec_entries like = {.rank = 2, .shape = {c->rows, c->cols}};
    if (!spec_matrix_make(m, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    like.capacity = m->nnz;
    if (!spec_entries_like(&x->from, &like)) return false;
    x->from.stored = m->nnz;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            x->from.indices[0][k] = r;
            x->from.indices[1][k] = m->indices[k];
        }
    return true;
}

static bool make_values(arrays *x, const spec_case *c) {
    const int64_t count = x->from.capacity * x->width;
    uint64_t seed = c->seed + 9;
    x->values = calloc((size_t)count + 1, sizeof *x->values);
    for (int64_t i = 0; x->values && i < count; ++i) {
        /* few different numbers where the largest are equal often */
        const double number =
            c->variant % 2 ? spec_uniform(&seed) : (double)(spec_random(&seed) % 16) / 8 - 0.9375;
        const bool is_nan = c->variant & NANS && c->dtype <= SPARCL_BF16 && i % 11 == 3;
        x->values[i] = is_nan ? NAN : spec_value(c->dtype, number);
    }
    return x->values;
}

static bool alloc_results(arrays *x) {
    const size_t items = (size_t)x->from.capacity + 1;
    double **const reals[] = {&x->expected, &x->truth, &x->bound, &x->results};
    int64_t **const ints[] = {&x->inverse, &x->counts, &x->source, &x->ints};
    bool done = spec_entries_like(&x->order, &x->from) && spec_entries_like(&x->got, &x->from);
    for (int i = 0; i < 4; ++i) {
        *reals[i] = calloc(items * (size_t)(x->width + 1), sizeof(double));
        *ints[i] = calloc(items, sizeof(int64_t));
        done &= *reals[i] && *ints[i];
    }
    return done;
}

static bool make(arrays *x, spec_matrix *m, const spec_case *c) {
    x->width = c->variant & ROWS ? c->n : 1;
    const bool done = c->variant & ROWS  ? make_ids(x, c)
                      : c->variant & CSR ? make_matrix(x, m, c)
                                         : spec_entries_make(&x->from, c->kind, (int)c->n, c->nnz,
                                                             c->seed % 2, c->seed);
    if (!done || !make_values(x, c) || !alloc_results(x)) return false;
    for (int64_t k = 0; k < x->from.capacity && x->width == 1; ++k)
        x->from.values[k] = x->values[k];
    for (int64_t k = 0; k < x->from.stored && c->variant & CSR; ++k)
        m->values[k] = x->values[k];
    return answer_all(x, c);
}

/* --- on the device ---------------------------------------------------------------------------- */

static sparcl_status open_more(sparcl_ctx *ctx, const arrays *x, sparcl_coalesced *more) {
    const int64_t bytes = (x->from.capacity + 1) * 8;
    sparcl_status status = sparcl_buf_create(ctx, &more->inverse, bytes);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &more->counts, bytes);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &more->source, bytes);
    more->counts_at = 1;
    return status;
}

static void close_more(sparcl_coalesced *more) {
    sparcl_buf_free(more->inverse);
    sparcl_buf_free(more->counts);
    sparcl_buf_free(more->source);
}

static sparcl_status compare_ints(sparcl_ctx *ctx, arrays *x, const char *what, sparcl_buf *buf,
                                  int64_t at, const int64_t *expected, int64_t count,
                                  spec_report *report) {
    if (!buf) return SPARCL_OK;
    const sparcl_status status = spec_get_ints(ctx, buf, at, count, SPARCL_I64, x->ints);
    if (status == SPARCL_OK) spec_compare_ints(report, what, x->ints, expected, count);
    return status;
}

static sparcl_status compare_more(sparcl_ctx *ctx, arrays *x, const sparcl_coalesced *more,
                                  spec_report *report) {
    sparcl_status status = compare_ints(ctx, x, "inverse", more->inverse, more->inverse_at,
                                        x->inverse, x->from.stored, report);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, x, "counts", more->counts, more->counts_at, x->counts,
                              x->order.stored, report);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, x, "source", more->source, more->source_at, x->source,
                              x->order.stored, report);
    return status;
}

/* The values of the first rows, entries or elements. */
static sparcl_status compare_values(sparcl_ctx *ctx, arrays *x, const sparcl_buf *values,
                                    int64_t at, sparcl_dtype dtype, spec_report *report) {
    const int64_t count = x->order.stored * x->width;
    const sparcl_status status = spec_get_reals(ctx, values, at, count, dtype, x->results);
    if (status == SPARCL_OK)
        spec_compare(report, "values", x->results, x->expected, x->truth, x->bound, count);
    return status;
}

static sparcl_status run_coo(sparcl_ctx *ctx, const spec_case *c, arrays *x, spec_report *report) {
    sparcl_coo from = {0}, to = {0};
    sparcl_coalesced more = {.inverse = NULL};
    sparcl_status status = spec_put_entries(ctx, &from, &x->from, c, 2, false);
    if (status == SPARCL_OK) status = spec_put_entries(ctx, &to, &x->got, c, 1, true);
    if (status == SPARCL_OK && c->variant & MORE) status = open_more(ctx, x, &more);
    if (status == SPARCL_OK)
        status = sparcl_coo_coalesce_with(ctx, &to, &from, (sparcl_duplicates)(c->variant % HOW),
                                          c->variant & MORE ? &more : NULL);
    if (status == SPARCL_OK) status = spec_get_entries(ctx, &to, &x->got);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "count", &x->got.stored, &x->order.stored, 1);
        for (int d = 0; d < x->order.rank; ++d)
            spec_compare_ints(report, "indices", x->got.indices[d], x->order.indices[d],
                              x->order.stored);
        status = compare_values(ctx, x, to.values, to.values_at, c->dtype, report);
    }
    if (status == SPARCL_OK) status = compare_more(ctx, x, &more, report);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
    close_more(&more);
    return status;
}

/* A row-sparse view; that of a result has no entries yet. */
static sparcl_status put_rows(sparcl_ctx *ctx, const spec_case *c, const arrays *x, bool is_result,
                              sparcl_rows *view) {
    const int64_t count = is_result ? -1 : x->from.stored;
    *view = (sparcl_rows){.rank = 2,
                          .dtype = c->dtype,
                          .index_type = c->index_type,
                          .shape = {c->rows, x->width},
                          .nnr = x->from.capacity,
                          .proof = {.flags = is_result ? 0 : SPARCL_TRUSTED}};
    sparcl_status status =
        spec_put_ints(ctx, &view->indices, is_result ? x->ints : x->from.indices[0],
                      x->from.capacity, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &view->values, is_result ? x->results : x->values,
                                x->from.capacity * x->width, c->dtype);
    if (status == SPARCL_OK && (is_result || x->from.capacity > x->from.stored))
        status = spec_put_ints(ctx, &view->count, &count, 1, SPARCL_I64);
    return status;
}

static sparcl_status run_rows(sparcl_ctx *ctx, const spec_case *c, arrays *x, spec_report *report) {
    const int how = c->variant % HOW;
    sparcl_rows from = {0}, to = {0};
    sparcl_coalesced more = {.inverse = NULL};
    sparcl_status status = put_rows(ctx, c, x, false, &from);
    if (status == SPARCL_OK) status = put_rows(ctx, c, x, true, &to);
    if (status == SPARCL_OK && c->variant & MORE) status = open_more(ctx, x, &more);
    if (how == SPARCL_MAX || how == SPARCL_MIN) {
        sparcl_buf_free(more.source);
        more.source = NULL;
    }
    if (status == SPARCL_OK)
        status = sparcl_rows_coalesce_with(ctx, &to, &from, (sparcl_duplicates)how,
                                           c->variant & MORE ? &more : NULL);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, x, "count", to.count, 0, &x->order.stored, 1, report);
    if (status == SPARCL_OK && report->equal)
        status = spec_get_ints(ctx, to.indices, 0, x->order.stored, c->index_type, x->ints);
    if (status == SPARCL_OK && report->equal) {
        spec_compare_ints(report, "indices", x->ints, x->order.indices[0], x->order.stored);
        status = compare_values(ctx, x, to.values, 0, c->dtype, report);
    }
    if (status == SPARCL_OK) status = compare_more(ctx, x, &more, report);
    sparcl_rows_free(&from);
    sparcl_rows_free(&to);
    close_more(&more);
    return status;
}

static sparcl_status compare_csr(sparcl_ctx *ctx, arrays *x, const sparcl_csr *to,
                                 spec_report *report) {
    int64_t *const offsets = calloc(2 * (size_t)to->rows + 4, sizeof *offsets);
    if (!offsets) return SPARCL_E_MEMORY;
    int64_t *const expected = offsets + to->rows + 2;
    for (int64_t u = 0; u < x->order.stored; ++u)
        ++expected[x->order.indices[0][u] + 1];
    for (int64_t r = 0; r < to->rows; ++r)
        expected[r + 1] += expected[r];
    sparcl_status status =
        spec_get_ints(ctx, to->offsets, to->offsets_at, to->rows + 1, to->offset_type, offsets);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to->indices, to->indices_at, x->order.stored, to->index_type,
                               x->ints);
    if (status == SPARCL_OK) {
        spec_compare_ints(report, "offsets", offsets, expected, to->rows + 1);
        spec_compare_ints(report, "indices", x->ints, x->order.indices[1], x->order.stored);
        status = compare_values(ctx, x, to->values, to->values_at, to->dtype, report);
    }
    free(offsets);
    return status;
}

static sparcl_status run_csr(sparcl_ctx *ctx, const spec_case *c, const spec_matrix *m, arrays *x,
                             spec_report *report) {
    sparcl_csr from = {0}, to = {0};
    sparcl_coalesced more = {.inverse = NULL};
    spec_matrix empty;
    if (!spec_matrix_alloc(&empty, m->rows, m->cols, m->nnz)) return SPARCL_E_MEMORY;
    sparcl_status status =
        spec_put_csr_within(ctx, &from, m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_csr_within(ctx, &to, &empty, c->dtype, c->index_type, c->offset_type);
    if (status == SPARCL_OK && c->variant & MORE)
        status = sparcl_buf_create(ctx, &more.inverse, (m->nnz + 1) * 8);
    if (status == SPARCL_OK) status = sparcl_csr_sum_duplicates(ctx, &to, &from, more.inverse, 0);
    if (status == SPARCL_OK) status = compare_csr(ctx, x, &to, report);
    if (status == SPARCL_OK) status = compare_more(ctx, x, &more, report);
    sparcl_csr_free(&from);
    sparcl_csr_free(&to);
    close_more(&more);
    spec_matrix_free(&empty);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.width = 0};
    spec_matrix m = {0};
    sparcl_status status = make(&x, &m, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .bytes = (double)(x.width * (x.from.stored + x.order.stored)) *
                                     (double)sparcl_dtype_size(c->dtype)};
    if (status == SPARCL_OK)
        status = c->variant & ROWS  ? run_rows(ctx, c, &x, report)
                 : c->variant & CSR ? run_csr(ctx, c, &m, &x, report)
                                    : run_coo(ctx, c, &x, report);
    drop(&x);
    spec_matrix_free(&m);
    return status;
}

const spec_op spec_duplicates = {.name = "duplicates", .get_case = get_case, .check = check};
