/* spec_csr_binary.c: sums and products of two CSR matrices element by element, with their
 * gradients, in plain C. Variant 0: the sum; 1: the product; + 2: with less capacity than needed;
 * 4: the product of a CSR matrix, with duplicates, and a dense one. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

enum { SUM = 0, PRODUCT = 1, CUT = 2, DENSE = 4, VARIANTS = 5 };

/* Rows, columns, entries of A and of B before duplicates are removed. */
static const int64_t sizes[][4] = {{0, 4, 0, 0},
                                   {4, 0, 0, 0},
                                   {3, 3, 0, 4},
                                   {3, 3, 5, 0},
                                   {1, 1, 1, 1},
                                   {9, 4, 20, 14},
                                   {37, 23, 200, 300},
                                   {5, 700, 1500, 2000},
                                   {900, 10, 700, 5000},
                                   {60, 90, 3000, 40},
                                   {5000, 30, 40000, 30000}};

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    if (i >= n_sizes * VARIANTS * 4) return false;
    const int64_t *const size = sizes[i / VARIANTS / 4];
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = size[3],
                     .dtype = dtypes[i / VARIANTS % 4],
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 7 > 4 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 3 ? -1 : 2.5,
                     .variant = i % VARIANTS,
                     .seed = (uint64_t)i + 377};
    return true;
}

typedef struct arrays {
    spec_matrix a, b, c; /* c: the expected result, with its capacity as nnz */
    int64_t needed;
    int64_t *from_a, *from_b;
    double *g, *ga, *gb; /* the gradient of C's values, and those that are expected */
    double *x, *v, *gx;  /* of the product with a dense matrix; gx with its gaps */
} arrays;

static void drop(arrays *s) {
    double *const all[] = {s->g, s->ga, s->gb, s->x, s->v, s->gx};
    spec_matrix_free(&s->a);
    spec_matrix_free(&s->b);
    spec_matrix_free(&s->c);
    free(s->from_a);
    free(s->from_b);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

static bool make_matrix(spec_matrix *m, const spec_case *c, int64_t nnz, uint64_t seed) {
    if (!spec_matrix_make(m, c->kind, c->rows, c->cols, nnz, seed)) return false;
    if (c->variant != DENSE) spec_matrix_unique(m);
    for (int64_t k = 0; k < m->nnz; ++k)
        m->values[k] = k % 17 == 3 ? 0 : spec_store(c->dtype, m->values[k]);
    return true;
}

static bool make(arrays *s, const spec_case *c) {
    if (!make_matrix(&s->a, c, c->nnz, c->seed) || !make_matrix(&s->b, c, c->n, c->seed + 1))
        return false;
    const int64_t most = s->a.nnz + s->b.nnz;
    s->from_a = calloc((size_t)most + 1, sizeof *s->from_a);
    s->from_b = calloc((size_t)most + 1, sizeof *s->from_b);
    s->g = spec_stored_numbers(c->dtype, most, c->seed + 2);
    s->ga = calloc((size_t)s->a.nnz + 1, sizeof(double));
    s->gb = calloc((size_t)s->b.nnz + 1, sizeof(double));
    s->x = spec_stored_numbers(c->dtype, c->rows * (c->cols + 1), c->seed + 3);
    s->v = calloc((size_t)s->a.nnz + 1, sizeof(double));
    s->gx = spec_stored_numbers(c->dtype, c->rows * (c->cols + 1), c->seed + 4);
    return s->from_a && s->from_b && s->g && s->ga && s->gb && s->x && s->v && s->gx &&
           spec_matrix_alloc(&s->c, c->rows, c->cols, most);
}

/* An entry of the result; k or l is -1 where a matrix does not have it. */
static void append(arrays *s, const spec_case *c, int64_t at, int64_t k, int64_t l) {
    const double a = k < 0 ? 0 : s->a.values[k], b = l < 0 ? 0 : s->b.values[l];
    const double alpha_a = spec_round(c->dtype, c->alpha * a);
    const double beta_b = spec_round(c->dtype, c->beta * b);
    const double value = c->variant & PRODUCT ? a * b
                         : l < 0              ? alpha_a
                         : k < 0              ? beta_b
                                              : alpha_a + beta_b;
    s->c.indices[at] = k < 0 ? s->b.indices[l] : s->a.indices[k];
    s->c.values[at] = spec_store(c->dtype, spec_round(c->dtype, value));
    s->from_a[at] = k;
    s->from_b[at] = l;
}

static void merge(arrays *s, const spec_case *c) {
    int64_t at = 0;
    for (int64_t row = 0; row < c->rows; ++row) {
        int64_t k = s->a.offsets[row], l = s->b.offsets[row];
        const int64_t k_end = s->a.offsets[row + 1], l_end = s->b.offsets[row + 1];
        while (k < k_end || l < l_end) {
            const bool has_a = k < k_end && (l == l_end || s->a.indices[k] <= s->b.indices[l]);
            const bool has_b = l < l_end && (k == k_end || s->b.indices[l] <= s->a.indices[k]);
            if ((has_a && has_b) || !(c->variant & PRODUCT))
                append(s, c, at++, has_a ? k : -1, has_b ? l : -1);
            k += has_a;
            l += has_b;
        }
        s->c.offsets[row + 1] = at;
    }
    s->needed = at;
}

/* Entries past the capacity are dropped. */
static void cut(arrays *s, const spec_case *c) {
    s->c.nnz = c->variant & CUT ? s->needed * 2 / 3 : s->needed;
    for (int64_t row = 0; row <= c->rows; ++row)
        if (s->c.offsets[row] > s->c.nnz) s->c.offsets[row] = s->c.nnz;
}

static void gradients(arrays *s, const spec_case *c) {
    for (int64_t i = 0; i < s->c.nnz; ++i) {
        const int64_t k = s->from_a[i], l = s->from_b[i];
        const bool product = c->variant & PRODUCT;
        const double a = product ? s->b.values[l] : c->alpha,
                     b = product ? s->a.values[k] : c->beta;
        if (k >= 0) s->ga[k] = spec_store(c->dtype, spec_round(c->dtype, a * s->g[i]));
        if (l >= 0) s->gb[l] = spec_store(c->dtype, spec_round(c->dtype, b * s->g[i]));
    }
}

static void multiply_dense(arrays *s, const spec_case *c) {
    for (int64_t row = 0; row < c->rows; ++row)
        for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k)
            s->v[k] = spec_store(
                c->dtype,
                spec_round(c->dtype, s->a.values[k] * s->x[row * (c->cols + 1) + s->a.indices[k]]));
}

/* The gradient by x: sums of the products of the entries of one place, by rule R. */
static bool dense_gradient(arrays *s, const spec_case *c) {
    double *const terms = calloc((size_t)s->a.nnz + 1, sizeof *terms);
    for (int64_t row = 0; terms && row < c->rows; ++row) {
        double *const line = s->gx + row * (c->cols + 1);
        const int64_t end = s->a.offsets[row + 1];
        for (int64_t j = 0; j < c->cols; ++j)
            line[j] = 0;
        for (int64_t k = s->a.offsets[row]; k < end; ++k) {
            int64_t count = 0;
            for (int64_t l = s->a.offsets[row]; l < end; ++l)
                if (s->a.indices[l] == s->a.indices[k])
                    terms[count++] = spec_round(c->dtype, s->a.values[l] * s->g[l]);
            line[s->a.indices[k]] =
                spec_store(c->dtype, spec_sum_duplicates(c->dtype, terms, count));
        }
    }
    free(terms);
    return terms != NULL;
}

/* The gradient by the values of A. */
static void values_gradient(arrays *s, const spec_case *c) {
    for (int64_t row = 0; row < c->rows; ++row)
        for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k)
            s->ga[k] = spec_store(
                c->dtype,
                spec_round(c->dtype, s->g[k] * s->x[row * (c->cols + 1) + s->a.indices[k]]));
}

/* The device's views. */
typedef struct views {
    sparcl_csr a, b, c;
    sparcl_csr_sources sources;
    sparcl_buf *needed;
    sparcl_dense g, ga, gb;
} views;

static sparcl_status put_vector(sparcl_ctx *ctx, sparcl_dense *v, const spec_case *c,
                                const double *x, int64_t count) {
    *v = (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {count}};
    return spec_put_reals(ctx, &v->values, x, count, c->dtype);
}

static sparcl_status create_result(sparcl_ctx *ctx, views *v, int64_t capacity) {
    const int64_t offset = (int64_t)sparcl_itype_size(v->a.offset_type);
    const int64_t index = (int64_t)sparcl_itype_size(v->a.index_type);
    const int64_t value = (int64_t)sparcl_dtype_size(v->a.dtype);
    v->c = v->a;
    v->c.nnz = capacity;
    v->c.offsets = v->c.indices = v->c.values = NULL;
    v->c.offsets_at = v->c.indices_at = v->c.values_at = 0;
    sparcl_status status = sparcl_buf_create(ctx, &v->c.offsets, (v->a.rows + 1) * offset);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->c.indices, capacity * index);
    return status == SPARCL_OK ? sparcl_buf_create(ctx, &v->c.values, capacity * value) : status;
}

static sparcl_status put_all(sparcl_ctx *ctx, const spec_case *c, arrays *s, views *v) {
    sparcl_status status =
        spec_put_csr_within(ctx, &v->a, &s->a, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_csr_within(ctx, &v->b, &s->b, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = create_result(ctx, v, s->c.nnz);
    v->sources.a_at = 1;
    v->sources.b_at = 2;
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->sources.a, 8 * (s->c.nnz + 1));
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->sources.b, 8 * (s->c.nnz + 2));
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->needed, 16);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->g, c, s->g, s->c.nnz);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->ga, c, s->g, s->a.nnz);
    return status == SPARCL_OK ? put_vector(ctx, &v->gb, c, s->g, s->b.nnz) : status;
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, views *v) {
    if (c->variant & PRODUCT) {
        const sparcl_status status =
            sparcl_csr_multiply(ctx, &v->c, &v->a, &v->b, v->needed, 1, &v->sources);
        return status != SPARCL_OK ? status
                                   : sparcl_csr_multiply_gradient(ctx, &v->ga, &v->gb, &v->g, &v->c,
                                                                  &v->a, &v->b, &v->sources);
    }
    const sparcl_status status =
        sparcl_csr_add(ctx, &v->c, c->alpha, &v->a, c->beta, &v->b, v->needed, 1, &v->sources);
    return status != SPARCL_OK ? status
                               : sparcl_csr_add_gradient(ctx, &v->ga, &v->gb, c->alpha, c->beta,
                                                         &v->g, &v->c, &v->sources);
}

/* Compare `count` int64, or reals, in a buffer with the expected ones. */
static sparcl_status compare_ints(sparcl_ctx *ctx, spec_report *report, const char *what,
                                  const sparcl_buf *buf, int64_t at, sparcl_itype type,
                                  const int64_t *want, int64_t count) {
    int64_t *const got = calloc((size_t)count + 1, sizeof *got);
    sparcl_status status = got ? spec_get_ints(ctx, buf, at, count, type, got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare_ints(report, what, got, want, count);
    free(got);
    return status;
}

static sparcl_status compare_reals(sparcl_ctx *ctx, spec_report *report, const char *what,
                                   const sparcl_buf *buf, sparcl_dtype dtype, const double *want,
                                   int64_t count) {
    double *const got = calloc((size_t)count + 1, sizeof *got);
    sparcl_status status = got ? spec_get_reals(ctx, buf, 0, count, dtype, got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare(report, what, got, want, NULL, NULL, count);
    free(got);
    return status;
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_case *c, const arrays *s, const views *v,
                             spec_report *r) {
    sparcl_status status =
        compare_ints(ctx, r, "offsets", v->c.offsets, 0, c->offset_type, s->c.offsets, c->rows + 1);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, r, "needed", v->needed, 1, SPARCL_I64, &s->needed, 1);
    if (status == SPARCL_OK)
        status =
            compare_ints(ctx, r, "indices", v->c.indices, 0, c->index_type, s->c.indices, s->c.nnz);
    if (status == SPARCL_OK)
        status = compare_reals(ctx, r, "values", v->c.values, c->dtype, s->c.values, s->c.nnz);
    if (status == SPARCL_OK)
        status =
            compare_ints(ctx, r, "source in A", v->sources.a, 1, SPARCL_I64, s->from_a, s->c.nnz);
    if (status == SPARCL_OK)
        status =
            compare_ints(ctx, r, "source in B", v->sources.b, 2, SPARCL_I64, s->from_b, s->c.nnz);
    if (status == SPARCL_OK)
        status = compare_reals(ctx, r, "ga", v->ga.values, c->dtype, s->ga, s->a.nnz);
    return status == SPARCL_OK
               ? compare_reals(ctx, r, "gb", v->gb.values, c->dtype, s->gb, s->b.nnz)
               : status;
}

/* gx is written over numbers of which the gaps between rows stay. */
static sparcl_status run_dense(sparcl_ctx *ctx, const spec_case *c, const arrays *s, views *v,
                               sparcl_dense *x, sparcl_dense *gx) {
    const int64_t count = c->rows * x->ld;
    sparcl_status status =
        spec_put_csr_within(ctx, &v->a, &s->a, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &x->values, s->x, count, c->dtype);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &gx->values, s->gx, count, c->dtype);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->ga, c, s->g, s->a.nnz);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->gb, c, s->g, s->a.nnz);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->g, c, s->g, s->a.nnz);
    if (status == SPARCL_OK) status = sparcl_csr_multiply_dense(ctx, &v->ga, &v->a, x);
    return status == SPARCL_OK
               ? sparcl_csr_multiply_dense_gradient(ctx, &v->gb, gx, &v->g, &v->a, x)
               : status;
}

static sparcl_status check_dense(sparcl_ctx *ctx, const spec_case *c, arrays *s, views *v,
                                 spec_report *report) {
    const int64_t ld = c->cols + 1;
    sparcl_dense x = {.rank = 2, .dtype = c->dtype, .shape = {c->rows, c->cols}, .ld = ld}, gx = x;
    sparcl_status status = run_dense(ctx, c, s, v, &x, &gx);
    multiply_dense(s, c);
    values_gradient(s, c);
    if (status == SPARCL_OK && !dense_gradient(s, c)) status = SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = compare_reals(ctx, report, "v", v->ga.values, c->dtype, s->v, s->a.nnz);
    if (status == SPARCL_OK)
        status = compare_reals(ctx, report, "gv", v->gb.values, c->dtype, s->ga, s->a.nnz);
    if (status == SPARCL_OK)
        status = compare_reals(ctx, report, "gx", gx.values, c->dtype, s->gx, c->rows * ld);
    sparcl_dense_free(&x);
    sparcl_dense_free(&gx);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {0};
    views v = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (!make(&s, c)) goto done;
    if (c->variant == DENSE) {
        status = check_dense(ctx, c, &s, &v, report);
        goto done;
    }
    merge(&s, c);
    cut(&s, c);
    gradients(&s, c);
    status = put_all(ctx, c, &s, &v);
    if (status == SPARCL_OK) status = call(ctx, c, &v);
    if (status == SPARCL_OK) status = compare(ctx, c, &s, &v, report);
done:
    drop(&s);
    sparcl_csr_free(&v.a);
    sparcl_csr_free(&v.b);
    sparcl_csr_free(&v.c);
    sparcl_buf_free(v.sources.a);
    sparcl_buf_free(v.sources.b);
    sparcl_buf_free(v.needed);
    sparcl_dense_free(&v.g);
    sparcl_dense_free(&v.ga);
    sparcl_dense_free(&v.gb);
    return status;
}

const spec_op spec_csr_binary = {"csr_binary", get_case, check};
