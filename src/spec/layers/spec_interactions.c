/* spec_interactions.c: interactions of all pairs of entries of rows, and their gradient, in plain
 * C. Variant 0: interactions; 1: the gradient; 2: with a pattern. The sums are any numbers. */
#include <math.h>
#include <stdlib.h>

#include "sparcl/ops/layers.h"
#include "sparcl/ops/products.h"
#include "spec/shared/spec.h"
#include "spec/shared/stored.h"

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {{0, 4, 0},     {3, 3, 0},     {1, 1, 1},       {9, 4, 20},
                                   {37, 23, 200}, {300, 9, 900}, {400, 300, 5000}};
static const int64_t widths[] = {1, 3, 8, 16, 21, 64};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_widths = (int)(sizeof widths / sizeof *widths);
    const int n_sizes = (int)(sizeof sizes / sizeof *sizes) - (small ? 1 : 0);
    const int at = i / 3;
    if (at >= n_widths * n_sizes) return false;
    const int64_t *const size = sizes[at / n_widths];
    *c = (spec_case){.kind = (spec_kind)(at % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[at % n_widths],
                     .dtype = at % 4 == 1 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = at % 2 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = at % 3 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i % 3,
                     .seed = (uint64_t)at + 57};
    return true;
}

typedef struct arrays {
    spec_matrix a, t;
    int64_t count; /* of results: z, or the rows of all columns */
    double *b, *sums, *g, *weighted, *got, *order, *truth, *bound;
} arrays;

static void drop(arrays *s) {
    double *const all[] = {s->b, s->sums, s->g, s->weighted, s->got, s->order, s->truth, s->bound};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        free(all[i]);
    spec_matrix_free(&s->a);
    spec_matrix_free(&s->t);
}

#define R(x) spec_round(c->dtype, x)

static bool make(arrays *s, const spec_case *c) {
    if (!spec_matrix_make(&s->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    spec_make_storable(c->dtype, s->a.values, s->a.nnz);
    if (!spec_matrix_transpose(&s->t, &s->a)) return false;
    s->count = c->variant == 0 ? c->rows : c->cols * c->n;
    s->b = spec_stored_numbers(c->dtype, c->cols * c->n, c->seed + 1);
    s->sums = spec_stored_numbers(c->dtype, c->rows * c->n, c->seed + 2);
    s->g = spec_stored_numbers(c->dtype, c->rows, c->seed + 3);
    s->weighted = spec_numbers(c->rows * c->n, 0);
    s->got = spec_numbers(s->count, 0);
    s->order = calloc((size_t)s->count + 1, sizeof(double));
    s->truth = calloc((size_t)s->count + 1, sizeof(double));
    s->bound = calloc((size_t)s->count + 1, sizeof(double));
    if (!s->b || !s->sums || !s->g || !s->weighted || !s->got || !s->order || !s->truth ||
        !s->bound)
        return false;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->n; ++j)
            s->weighted[i * c->n + j] = R(s->sums[i * c->n + j] * s->g[i]);
    return true;
}

static void answer_row(arrays *s, const spec_case *c, int64_t i) {
    const int64_t begin = s->a.offsets[i], end = s->a.offsets[i + 1];
    double sum = 0, exact = 0, magnitude = 0;
    for (int64_t j = 0; j < c->n; ++j) {
        const double all = s->sums[i * c->n + j];
        double own = 0;
        for (int64_t p = begin; p < end; ++p) {
            const double product = s->a.values[p] * s->b[s->a.indices[p] * c->n + j];
            const double term = R(product);
            own = R(own + R(term * term));
            exact -= product * product;
            magnitude += product * product;
        }
        sum = R(sum + R(R(all * all) - own));
        exact += all * all;
        magnitude += all * all;
    }
    s->order[i] = R(0.5 * sum);
    s->truth[i] = exact / 2;
    s->bound[i] = (double)(end - begin + c->n + 5) * spec_unit(c->dtype) * magnitude +
                  spec_smallest(c->dtype) * (double)((end - begin + 1) * c->n + 2);
}

/* The row of the gradient for a column, whose entries are a row of the transpose. */
static void answer_column(arrays *s, const spec_case *c, int64_t u) {
    const int64_t begin = s->t.offsets[u], length = s->t.offsets[u + 1] - begin;
    double *const gathered = calloc((size_t)length + 1, sizeof *gathered);
    double factor = 0, exact = 0, size = 0;
    for (int64_t k = 0; gathered && k < length; ++k) {
        const double x = s->t.values[begin + k], g = s->g[s->t.indices[begin + k]];
        factor = R(factor + R(R(x * x) * g));
        exact += x * x * g;
        size += fabs(x * x * g);
    }
    for (int64_t j = 0; gathered && j < c->n; ++j) {
        const int64_t at = u * c->n + j;
        double sum = 0, magnitude = fabs(s->b[at]) * size;
        for (int64_t k = 0; k < length; ++k) {
            const int64_t row = s->t.indices[begin + k];
            gathered[k] = s->weighted[row * c->n + j];
            const double term = s->t.values[begin + k] * s->sums[row * c->n + j] * s->g[row];
            sum += term;
            magnitude += fabs(term);
        }
        const double first =
            spec_sum_products(c->dtype, s->t.values + begin, gathered, 1, length, c->n == 1);
        s->order[at] = R(first - R(factor * s->b[at]));
        s->truth[at] = sum - exact * s->b[at];
        s->bound[at] = (double)(length + 6) * 2 * spec_unit(c->dtype) * magnitude +
                       spec_smallest(c->dtype) * (double)(length + 2) * 4;
    }
    free(gathered);
}

static void answers(arrays *s, const spec_case *c) {
    for (int64_t i = 0; c->variant == 0 && i < c->rows; ++i)
        answer_row(s, c, i);
    for (int64_t u = 0; c->variant != 0 && u < c->cols; ++u)
        answer_column(s, c, u);
}

/* The rows that are stored, at the places of their columns; the others have no entries. */
static sparcl_status read_rows(sparcl_ctx *ctx, const spec_case *c, const sparcl_rows *r,
                               arrays *s) {
    int64_t count = 0;
    const sparcl_status read = sparcl_buf_read(ctx, r->count, 0, 8, &count);
    if (read != SPARCL_OK) return read;
    if (count < 0 || count > r->nnr) return SPARCL_E_SHAPE;
    int64_t *const ids = calloc((size_t)count + 1, sizeof *ids);
    double *const rows = calloc((size_t)(count * c->n) + 1, sizeof *rows);
    sparcl_status status = ids && rows ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = spec_get_ints(ctx, r->indices, 0, count, r->index_type, ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, r->values, 0, count * c->n, c->dtype, rows);
    for (int64_t k = 0; status == SPARCL_OK && k < s->count; ++k)
        s->got[k] = 0;
    for (int64_t k = 0; status == SPARCL_OK && k < count * c->n; ++k)
        s->got[ids[k / c->n] * c->n + k % c->n] = rows[k];
    free(ids);
    free(rows);
    return status;
}

static sparcl_status run_gradient(sparcl_ctx *ctx, const spec_case *c, arrays *s,
                                  const sparcl_csr *a, const sparcl_dense *b,
                                  const sparcl_dense *sums) {
    sparcl_dense gz = {.rank = 1, .dtype = c->dtype, .shape = {c->rows}};
    sparcl_rows r = {.rank = 2,
                     .dtype = c->dtype,
                     .index_type = c->index_type,
                     .shape = {c->cols, c->n},
                     .nnr = c->cols < a->nnz ? c->cols : a->nnz};
    sparcl_pattern *pattern = NULL;
    sparcl_status status = spec_put_reals(ctx, &gz.values, s->g, c->rows, c->dtype);
    if (status == SPARCL_OK)
        status =
            sparcl_buf_create(ctx, &r.values, r.nnr * c->n * (int64_t)sparcl_dtype_size(c->dtype));
    if (status == SPARCL_OK)
        status =
            sparcl_buf_create(ctx, &r.indices, r.nnr * (int64_t)sparcl_itype_size(c->index_type));
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &r.count, 8);
    if (status == SPARCL_OK && c->variant == 2) status = sparcl_pattern_create(ctx, &pattern);
    if (status == SPARCL_OK && pattern) status = sparcl_pattern_build(ctx, pattern, a);
    if (status == SPARCL_OK) status = sparcl_interactions_rows(ctx, &r, a, b, sums, &gz, pattern);
    if (status == SPARCL_OK) status = read_rows(ctx, c, &r, s);
    sparcl_pattern_free(pattern);
    sparcl_dense_free(&gz);
    sparcl_rows_free(&r);
    return status;
}

static sparcl_status run_interactions(sparcl_ctx *ctx, const spec_case *c, arrays *s,
                                      const sparcl_csr *a, const sparcl_dense *b,
                                      const sparcl_dense *sums) {
    sparcl_dense z = {.rank = 1, .dtype = c->dtype, .shape = {c->rows}};
    sparcl_status status = spec_put_reals(ctx, &z.values, s->got, c->rows, c->dtype);
    if (status == SPARCL_OK) status = sparcl_interactions(ctx, &z, a, b, sums);
    if (status == SPARCL_OK) status = spec_get_reals(ctx, z.values, 0, c->rows, c->dtype, s->got);
    sparcl_dense_free(&z);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *s) {
    sparcl_csr a = {0};
    sparcl_dense b = {.rank = 2, .dtype = c->dtype, .shape = {c->cols, c->n}};
    sparcl_dense sums = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->n}};
    sparcl_status status =
        spec_put_csr_within(ctx, &a, &s->a, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &b.values, s->b, c->cols * c->n, c->dtype);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &sums.values, s->sums, c->rows * c->n, c->dtype);
    if (status == SPARCL_OK)
        status = (c->variant == 0 ? run_interactions : run_gradient)(ctx, c, s, &a, &b, &sums);
    sparcl_csr_free(&a);
    sparcl_dense_free(&b);
    sparcl_dense_free(&sums);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true,
                            .flops = 4.0 * (double)(c->nnz * c->n),
                            .zeros_expected = true}; /* columns without entries */
    if (make(&s, c)) {
        answers(&s, c);
        status = run(ctx, c, &s);
    }
    if (status == SPARCL_OK)
        spec_compare(report, "result", s.got, s.order, s.truth, s.bound, s.count);
    drop(&s);
    return status;
}

const spec_op spec_interactions = {.name = "interactions", .get_case = get_case, .check = check};
