/* spec_field_interactions.c: interactions of the entries of rows, and their gradient, in plain C.
 * Variant 1: the gradient. */
#include <math.h>
#include <stdlib.h>

#include "sparcl/ops/layers.h"
#include "spec/shared/spec.h"

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {{0, 4, 0},     {3, 3, 0},      {1, 1, 1},      {9, 4, 20},
                                   {37, 23, 200}, {300, 70, 900}, {40, 300, 1500}};
/* Fields, and numbers of a block. */
static const int64_t blocks[][2] = {{1, 1}, {3, 4}, {7, 1}, {2, 9}, {39, 4}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_blocks = (int)(sizeof blocks / sizeof *blocks);
    const int n_sizes = (int)(sizeof sizes / sizeof *sizes) - (small ? 1 : 0);
    const int at = i / 2;
    if (at >= n_blocks * n_sizes) return false;
    const int64_t *const size = sizes[at / n_blocks];
    *c = (spec_case){.kind = (spec_kind)(at % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = at % n_blocks,
                     .dtype = at % 3 == 1 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = at % 2 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = at % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i % 2,
                     .seed = (uint64_t)at + 31};
    return true;
}

static bool is_gradient(const spec_case *c) {
    return c->variant == 1;
}

typedef struct arrays {
    spec_matrix a;
    int64_t capacity, fields, width, ld, count; /* count: of results */
    int64_t *field;
    double *e, *g, *got, *order, *truth, *bound;
} arrays;

static void drop(arrays *s) {
    double *const all[] = {s->e, s->g, s->got, s->order, s->truth, s->bound};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        free(all[i]);
    free(s->field);
    spec_matrix_free(&s->a);
}

/* The view of A has more capacity than entries. */
static bool make(arrays *s, const spec_case *c) {
    if (!spec_matrix_make(&s->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    uint64_t seed = c->seed + 1;
    s->capacity = s->a.nnz + s->a.nnz / 3;
    s->fields = blocks[c->n][0];
    s->width = blocks[c->n][1];
    s->ld = s->fields * s->width;
    s->count = is_gradient(c) ? s->capacity * s->ld : s->capacity;
    for (int64_t k = 0; k < s->a.nnz; ++k)
        s->a.values[k] = spec_round(c->dtype, s->a.values[k]);
    s->field = calloc((size_t)s->capacity + 1, sizeof *s->field);
    for (int64_t k = 0; s->field && k < s->capacity; ++k)
        s->field[k] = (int64_t)(spec_random(&seed) % (uint64_t)s->fields);
    s->e = spec_stored_numbers(c->dtype, s->capacity * s->ld, c->seed + 2);
    s->g = spec_stored_numbers(c->dtype, s->capacity, c->seed + 3);
    s->got = spec_numbers(s->count, 0);
    s->order = calloc((size_t)s->count + 1, sizeof(double));
    s->truth = calloc((size_t)s->count + 1, sizeof(double));
    s->bound = calloc((size_t)s->count + 1, sizeof(double));
    return s->field && s->e && s->g && s->got && s->order && s->truth && s->bound;
}

static const double *block_for(const arrays *s, int64_t p, int64_t q) {
    return s->e + p * s->ld + s->field[q] * s->width;
}

#define R(x) spec_round(c->dtype, x)

/* The terms of entry p with entry q after it. */
static void add_pair(arrays *s, const spec_case *c, int64_t p, int64_t q, double *magnitude) {
    const double *const x = block_for(s, p, q), *const y = block_for(s, q, p);
    const double both = s->a.values[p] * s->a.values[q];
    double dot = 0, exact = 0;
    for (int64_t j = 0; j < s->width; ++j) {
        dot = R(dot + R(x[j] * y[j]));
        exact += x[j] * y[j];
        *magnitude += fabs(both * x[j] * y[j]);
    }
    s->order[p] = R(s->order[p] + R(R(both) * dot));
    s->truth[p] += both * exact;
}

static void answer_terms(arrays *s, const spec_case *c, int64_t p, int64_t end) {
    double magnitude = 0;
    for (int64_t q = p + 1; q < end; ++q)
        add_pair(s, c, p, q, &magnitude);
    s->bound[p] = (double)(s->width + end - p + 4) * spec_unit(c->dtype) * magnitude * 2 +
                  spec_smallest(c->dtype) * (double)(end - p) * (double)(s->width + 2);
}

static void answer_gradient(arrays *s, const spec_case *c, int64_t p, int64_t begin, int64_t end) {
    for (int64_t q = begin; q < end; ++q) {
        const double g = s->g[p < q ? p : q], both = s->a.values[p] * s->a.values[q];
        const double *const from = block_for(s, q, p);
        for (int64_t j = 0; q != p && j < s->width; ++j) {
            const int64_t at = p * s->ld + s->field[q] * s->width + j;
            s->order[at] = R(s->order[at] + R(R(R(both) * g) * from[j]));
            s->truth[at] += both * g * from[j];
            s->bound[at] +=
                (double)(end - begin + 5) * 2 * spec_unit(c->dtype) * fabs(both * g * from[j]) +
                4 * spec_smallest(c->dtype);
        }
    }
}

static void answers(arrays *s, const spec_case *c) {
    for (int64_t row = 0; row < c->rows; ++row) {
        const int64_t begin = s->a.offsets[row], end = s->a.offsets[row + 1];
        for (int64_t p = begin; p < end; ++p) {
            if (is_gradient(c))
                answer_gradient(s, c, p, begin, end);
            else
                answer_terms(s, c, p, end);
        }
    }
}

static sparcl_status put_csr(sparcl_ctx *ctx, sparcl_csr *a, const arrays *s, const spec_case *c) {
    spec_matrix larger = s->a;
    larger.nnz = s->capacity;
    larger.indices = calloc((size_t)s->capacity + 1, sizeof *larger.indices);
    larger.values = calloc((size_t)s->capacity + 1, sizeof *larger.values);
    sparcl_status status = SPARCL_E_MEMORY;
    for (int64_t k = 0; larger.indices && larger.values && k < s->a.nnz; ++k) {
        larger.indices[k] = s->a.indices[k];
        larger.values[k] = s->a.values[k];
    }
    if (larger.indices && larger.values)
        status = spec_put_csr_within(ctx, a, &larger, c->dtype, c->offset_type, c->index_type);
    free(larger.indices);
    free(larger.values);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *s) {
    sparcl_csr a = {0};
    sparcl_list fields = {.limit = s->fields,
                          .count = s->capacity,
                          .index_type = c->index_type,
                          .proof = {.flags = SPARCL_VALID | SPARCL_TRUSTED}};
    sparcl_dense e = {.rank = 2, .dtype = c->dtype, .shape = {s->capacity, s->ld}}, ge = e;
    sparcl_dense t = {.rank = 1, .dtype = c->dtype, .shape = {s->capacity}}, gt = t;
    sparcl_buf *out = NULL;
    sparcl_status status = put_csr(ctx, &a, s, c);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &fields.indices, s->field, s->capacity, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &e.values, s->e, s->capacity * s->ld, c->dtype);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &gt.values, s->g, s->capacity, c->dtype);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &out, s->got, s->count, c->dtype);
    ge.values = t.values = out;
    if (status == SPARCL_OK)
        status = is_gradient(c) ? sparcl_field_interactions_gradient(ctx, &ge, &a, &fields, &e, &gt)
                                : sparcl_field_interactions(ctx, &t, &a, &fields, &e);
    if (status == SPARCL_OK) status = spec_get_reals(ctx, out, 0, s->count, c->dtype, s->got);
    sparcl_csr_free(&a);
    sparcl_list_free(&fields);
    sparcl_dense_free(&e);
    sparcl_dense_free(&gt);
    sparcl_buf_free(out);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true}; /* blocks without a pair */
    if (make(&s, c)) {
        answers(&s, c);
        status = run(ctx, c, &s);
    }
    if (status == SPARCL_OK)
        spec_compare(report, "result", s.got, s.order, s.truth, s.bound, s.count);
    drop(&s);
    return status;
}

const spec_op spec_field_interactions = {
    .name = "field_interactions", .get_case = get_case, .check = check};
