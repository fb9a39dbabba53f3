/* spec_spgemm.c: products of two CSR matrices in plain C. Variant 0: the product; 1: with less
 * capacity than needed; 2: with its gradients; 3: the gradients where C lacks entries. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

enum { CUT = 1, GRADIENT = 2, LACKING = 3, VARIANTS = 4 };

/* Rows, inner size, columns, entries of A and of B before duplicates are removed. */
static const int64_t sizes[][5] = {{0, 4, 3, 0, 5},
                                   {4, 0, 3, 0, 0},
                                   {4, 3, 0, 5, 0},
                                   {3, 3, 3, 0, 4},
                                   {1, 1, 1, 1, 1},
                                   {9, 4, 70, 20, 30},
                                   {37, 23, 40, 200, 150},
                                   {5, 90, 5000, 150, 900},
                                   {400, 50, 10, 700, 300},
                                   {60, 90, 300, 700, 1200},
                                   {3000, 700, 900, 3600, 3000}};

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    if (i >= n_sizes * VARIANTS * 4) return false;
    const int size = i / VARIANTS / 4;
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = sizes[size][0],
                     .cols = sizes[size][2],
                     .nnz = sizes[size][3],
                     .n = size,
                     .dtype = dtypes[i / VARIANTS % 4],
                     .offset_type = i % 5 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 7 > 4 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = 1,
                     .variant = i % VARIANTS,
                     .seed = (uint64_t)i + 477};
    return true;
}

/* Numbers that are expected, with the bound of their error. */
typedef struct answer {
    double *order, *truth, *bound;
} answer;

typedef struct arrays {
    spec_matrix a, b, c; /* c: the pattern of the product, with its capacity as nnz */
    int64_t needed;
    answer values, ga, gb;
    double *g;
} arrays;

static bool make_answer(answer *x, int64_t count) {
    x->order = calloc((size_t)count + 1, sizeof(double));
    x->truth = calloc((size_t)count + 1, sizeof(double));
    x->bound = calloc((size_t)count + 1, sizeof(double));
    return x->order && x->truth && x->bound;
}

static void drop_answer(answer *x) {
    free(x->order);
    free(x->truth);
    free(x->bound);
}

static void drop(arrays *s) {
    spec_matrix_free(&s->a);
    spec_matrix_free(&s->b);
    spec_matrix_free(&s->c);
    drop_answer(&s->values);
    drop_answer(&s->ga);
    drop_answer(&s->gb);
    free(s->g);
}

static void store_values(const spec_case *c, double *x, int64_t count) {
    for (int64_t k = 0; k < count; ++k)
        x[k] = spec_store(c->dtype, x[k]);
}

static int64_t count_products(const arrays *s) {
    int64_t products = 0;
    for (int64_t k = 0; k < s->a.nnz; ++k)
        products += s->b.offsets[s->a.indices[k] + 1] - s->b.offsets[s->a.indices[k]];
    return products;
}

/* The columns of row i of the product, ascending; returns their number. */
static int64_t columns_of(const arrays *s, int64_t i, int64_t *columns) {
    int64_t count = 0, unique = 0;
    for (int64_t k = s->a.offsets[i]; k < s->a.offsets[i + 1]; ++k)
        for (int64_t l = s->b.offsets[s->a.indices[k]]; l < s->b.offsets[s->a.indices[k] + 1]; ++l)
            columns[count++] = s->b.indices[l];
    spec_sort_ints(columns, count);
    for (int64_t j = 0; j < count; ++j)
        if (j == 0 || columns[j] != columns[unique - 1]) columns[unique++] = columns[j];
    return unique;
}

/* The pattern of the product, of which entries past the capacity are dropped, or every third one.
 */
static bool make_pattern(arrays *s, const spec_case *c) {
    const int64_t products = count_products(s);
    if (!spec_matrix_alloc(&s->c, c->rows, c->cols, products)) return false;
    for (int64_t i = 0; i < c->rows; ++i) {
        int64_t *const columns = s->c.indices + s->needed;
        const int64_t count = columns_of(s, i, columns);
        for (int64_t k = 0, kept = 0; k < count; ++k) {
            if (c->variant == LACKING && (i + k) % 3 == 0) continue;
            columns[kept++] = columns[k];
            ++s->needed;
        }
        s->c.offsets[i + 1] = s->needed;
    }
    s->c.nnz = c->variant == CUT ? s->needed * 2 / 3 : s->needed;
    for (int64_t i = 0; i <= c->rows; ++i)
        if (s->c.offsets[i] > s->c.nnz) s->c.offsets[i] = s->c.nnz;
    return true;
}

static bool make(arrays *s, const spec_case *c) {
    const int64_t inner = sizes[c->n][1];
    if (!spec_matrix_make(&s->a, c->kind, c->rows, inner, c->nnz, c->seed) ||
        !spec_matrix_make(&s->b, c->kind, inner, c->cols, sizes[c->n][4], c->seed + 1))
        return false;
    spec_matrix_unique(&s->b);
    store_values(c, s->a.values, s->a.nnz);
    store_values(c, s->b.values, s->b.nnz);
    if (!make_pattern(s, c)) return false;
    s->g = spec_numbers(s->c.nnz, c->seed + 2);
    if (s->g) store_values(c, s->g, s->c.nnz);
    return s->g && make_answer(&s->values, s->c.nnz) && make_answer(&s->ga, s->a.nnz) &&
           make_answer(&s->gb, s->b.nnz);
}

/* The entry of the product at (i, j), or -1. */
static int64_t find(const spec_matrix *m, int64_t i, int64_t j) {
    int64_t low = m->offsets[i], high = m->offsets[i + 1];
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (m->indices[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->offsets[i + 1] && m->indices[low] == j ? low : -1;
}

/* Rule P: one more term. The bound collects the magnitudes, truth the exact sum. */
static void add_term(const spec_case *c, answer *x, int64_t at, double product) {
    x->order[at] = spec_round(c->dtype, x->order[at] + spec_round(c->dtype, product));
    x->truth[at] += product;
    x->bound[at] += fabs(product);
}

/* All terms, in the order of A's rows, which is that of each sum. */
static void add_terms(arrays *s, const spec_case *c) {
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t k = s->a.offsets[i]; k < s->a.offsets[i + 1]; ++k) {
            const int64_t p = s->a.indices[k];
            for (int64_t l = s->b.offsets[p]; l < s->b.offsets[p + 1]; ++l) {
                const int64_t at = find(&s->c, i, s->b.indices[l]);
                if (at < 0) continue;
                add_term(c, &s->values, at, s->a.values[k] * s->b.values[l]);
                add_term(c, &s->ga, k, s->g[at] * s->b.values[l]);
                add_term(c, &s->gb, l, s->a.values[k] * s->g[at]);
            }
        }
}

/* No sum has more terms than `length`. */
static void finish(const spec_case *c, answer *x, int64_t count, int64_t length) {
    for (int64_t i = 0; i < count; ++i) {
        x->order[i] = spec_store(c->dtype, x->order[i]);
        x->bound[i] = ((double)length * spec_unit(c->dtype) * x->bound[i] +
                       spec_store_error(c->dtype, x->truth[i])) *
                          SPEC_SECOND_ORDER +
                      (double)length * spec_smallest(c->dtype);
    }
}

typedef struct views {
    sparcl_csr a, b, c;
    sparcl_dense g, ga, gb;
    sparcl_buf *needed;
} views;

static sparcl_status put_vector(sparcl_ctx *ctx, sparcl_dense *v, const spec_case *c,
                                const double *x, int64_t count) {
    *v = (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {count}};
    return spec_put_reals(ctx, &v->values, x, count, c->dtype);
}

static sparcl_status put_all(sparcl_ctx *ctx, const spec_case *c, const arrays *s, views *v) {
    const spec_matrix poison = {.rows = c->rows,
                                .cols = c->cols,
                                .nnz = s->c.nnz,
                                .offsets = s->c.offsets,
                                .indices = s->c.indices,
                                .values = s->g};
    sparcl_status status =
        spec_put_csr_within(ctx, &v->a, &s->a, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_csr_within(ctx, &v->b, &s->b, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_csr_within(ctx, &v->c, &poison, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK && c->variant != LACKING) status = spec_poison(ctx, v->c.offsets);
    if (status == SPARCL_OK && c->variant != LACKING) status = spec_poison(ctx, v->c.indices);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->g, c, s->g, s->c.nnz);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->ga, c, s->a.values, s->a.nnz);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->gb, c, s->b.values, s->b.nnz);
    return status == SPARCL_OK ? sparcl_buf_create(ctx, &v->needed, 16) : status;
}

static sparcl_status multiply(sparcl_ctx *ctx, views *v, int64_t *entries) {
    sparcl_spgemm *plan = NULL;
    sparcl_status status = sparcl_spgemm_create(ctx, &plan);
    if (status == SPARCL_OK) status = sparcl_spgemm_symbolic(ctx, plan, &v->a, &v->b);
    if (status == SPARCL_OK) status = sparcl_spgemm_entries(ctx, plan, entries);
    if (status == SPARCL_OK)
        status = sparcl_spgemm_numeric(ctx, plan, &v->c, &v->a, &v->b, v->needed, 1);
    sparcl_spgemm_free(plan);
    return status;
}

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
                                   const sparcl_buf *buf, int64_t at, sparcl_dtype dtype,
                                   const answer *want, int64_t count) {
    double *const got = calloc((size_t)count + 1, sizeof *got);
    sparcl_status status = got ? spec_get_reals(ctx, buf, at, count, dtype, got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        spec_compare(report, what, got, want->order, want->truth, want->bound, count);
    free(got);
    return status;
}

static sparcl_status compare(sparcl_ctx *ctx, const spec_case *c, const arrays *s, const views *v,
                             int64_t entries, spec_report *r) {
    spec_compare_ints(r, "entries", &entries, &s->needed, 1);
    sparcl_status status = compare_ints(ctx, r, "needed", v->needed, 1, SPARCL_I64, &s->needed, 1);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, r, "offsets", v->c.offsets, v->c.offsets_at, c->offset_type,
                              s->c.offsets, c->rows + 1);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, r, "indices", v->c.indices, v->c.indices_at, c->index_type,
                              s->c.indices, s->c.nnz);
    if (status == SPARCL_OK)
        status = compare_reals(ctx, r, "values", v->c.values, v->c.values_at, c->dtype, &s->values,
                               s->c.nnz);
    return status;
}

static sparcl_status check_gradient(sparcl_ctx *ctx, const spec_case *c, const arrays *s,
                                    const views *v, spec_report *r) {
    sparcl_status status =
        sparcl_spgemm_gradient(ctx, &v->ga, &v->gb, &v->g, &v->c, &v->a, &v->b, NULL);
    if (status == SPARCL_OK)
        status = compare_reals(ctx, r, "ga", v->ga.values, 0, c->dtype, &s->ga, s->a.nnz);
    if (status == SPARCL_OK)
        status = compare_reals(ctx, r, "gb", v->gb.values, 0, c->dtype, &s->gb, s->b.nnz);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {0};
    views v = {0};
    int64_t entries = -1;
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (make(&s, c)) {
        add_terms(&s, c);
        finish(c, &s.values, s.c.nnz, s.a.nnz);
        finish(c, &s.ga, s.a.nnz, s.b.cols);
        finish(c, &s.gb, s.b.nnz, s.a.nnz);
        status = put_all(ctx, c, &s, &v);
    }
    if (status == SPARCL_OK && c->variant != LACKING) {
        status = multiply(ctx, &v, &entries);
        if (status == SPARCL_OK) status = compare(ctx, c, &s, &v, entries, report);
    }
    if (status == SPARCL_OK && c->variant >= GRADIENT)
        status = check_gradient(ctx, c, &s, &v, report);
    drop(&s);
    sparcl_csr_free(&v.a);
    sparcl_csr_free(&v.b);
    sparcl_csr_free(&v.c);
    sparcl_dense_free(&v.g);
    sparcl_dense_free(&v.ga);
    sparcl_dense_free(&v.gb);
    sparcl_buf_free(v.needed);
    return status;
}

const spec_op spec_spgemm = {.name = "spgemm", .get_case = get_case, .check = check};
