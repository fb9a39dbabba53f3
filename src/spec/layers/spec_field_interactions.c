/* spec_field_interactions.c: interactions of the entries of rows, and their gradient, in plain C.
 * Variant 1: the gradient. */
#include <math.h>

#include "sparcl/ops/layers.h"
#include "spec/shared/harness_sparse.h"

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
                     .offset_type = at % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = at % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i % 2,
                     .seed = (uint64_t)at + 31};
    return true;
}

static bool is_gradient(const spec_case *c) {
    return c->variant == 1;
}

typedef struct state {
    const spec_case *c;
    spec_matrix a;
    int64_t capacity, fields, width, ld, count; /* count: of results */
    int64_t *field;
    const double *e, *g;
    spec_answer answer;
    sparcl_csr a_view;
    sparcl_list list;
    sparcl_dense e_view, g_view, to;
} state;

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    uint64_t seed = c->seed + 1;
    s->c = c;
    s->a = spec_matrix_of(t, c->nnz, c->seed);
    s->capacity = s->a.nnz + s->a.nnz / 3;
    s->fields = blocks[c->n][0];
    s->width = blocks[c->n][1];
    s->ld = s->fields * s->width;
    s->count = is_gradient(c) ? s->capacity * s->ld : s->capacity;
    for (int64_t k = 0; k < s->a.nnz; ++k)
        s->a.values[k] = spec_round(c->dtype, s->a.values[k]);
    s->field = spec_int64s(t, s->capacity);
    for (int64_t k = 0; k < s->capacity; ++k)
        s->field[k] = (int64_t)(spec_random(&seed) % (uint64_t)s->fields);
    s->e = spec_drawn(t, s->capacity * s->ld, c->seed + 2);
    s->g = spec_drawn(t, s->capacity, c->seed + 3);
    s->a_view = spec_csr_wide(t, &s->a, s->capacity);
    s->list = (sparcl_list){.limit = s->fields,
                            .count = s->capacity,
                            .index_type = c->index_type,
                            .indices = spec_ints_buf(t, s->field, s->capacity, c->index_type),
                            .proof = {.flags = SPARCL_VALID | SPARCL_TRUSTED}};
    s->e_view = spec_dense(t, s->capacity, s->ld, s->ld, s->e);
    s->g_view = spec_vector(t, s->capacity, s->g);
    s->to = is_gradient(c) ? spec_dense(t, s->capacity, s->ld, s->ld, s->e)
                           : spec_vector(t, s->capacity, s->g);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return is_gradient(s->c)
               ? sparcl_field_interactions_gradient(ctx, &s->to, &s->a_view, &s->list, &s->e_view,
                                                    &s->g_view)
               : sparcl_field_interactions(ctx, &s->to, &s->a_view, &s->list, &s->e_view);
}

static const double *block_for(const state *s, int64_t p, int64_t q) {
    return s->e + p * s->ld + s->field[q] * s->width;
}

#define R(x) spec_round(s->c->dtype, x)

/* The terms of entry p with entry q after it. */
static void add_pair(const state *s, int64_t p, int64_t q, double *magnitude) {
    const double *const x = block_for(s, p, q), *const y = block_for(s, q, p);
    const double both = s->a.values[p] * s->a.values[q];
    double dot = 0, exact = 0;
    for (int64_t j = 0; j < s->width; ++j) {
        dot = R(dot + R(x[j] * y[j]));
        exact += x[j] * y[j];
        *magnitude += fabs(both * x[j] * y[j]);
    }
    s->answer.order[p] = R(s->answer.order[p] + R(R(both) * dot));
    s->answer.truth[p] += both * exact;
}

static void answer_terms(const state *s, int64_t p, int64_t end) {
    double magnitude = 0;
    for (int64_t q = p + 1; q < end; ++q)
        add_pair(s, p, q, &magnitude);
    s->answer.bound[p] = (double)(s->width + end - p + 4) * spec_unit(s->c->dtype) * magnitude * 2 +
                         spec_smallest(s->c->dtype) * (double)(end - p) * (double)(s->width + 2);
}

static void answer_gradient(const state *s, int64_t p, int64_t begin, int64_t end) {
    for (int64_t q = begin; q < end; ++q) {
        const double g = s->g[p < q ? p : q], both = s->a.values[p] * s->a.values[q];
        const double *const from = block_for(s, q, p);
        for (int64_t j = 0; q != p && j < s->width; ++j) {
            const int64_t at = p * s->ld + s->field[q] * s->width + j;
            s->answer.order[at] = R(s->answer.order[at] + R(R(R(both) * g) * from[j]));
            s->answer.truth[at] += both * g * from[j];
            s->answer.bound[at] +=
                (double)(end - begin + 5) * 2 * spec_unit(s->c->dtype) * fabs(both * g * from[j]) +
                4 * spec_smallest(s->c->dtype);
        }
    }
}

static void answers(const state *s) {
    for (int64_t row = 0; row < s->c->rows; ++row) {
        const int64_t begin = s->a.offsets[row], end = s->a.offsets[row + 1];
        for (int64_t p = begin; p < end; ++p) {
            if (is_gradient(s->c))
                answer_gradient(s, p, begin, end);
            else
                answer_terms(s, p, end);
        }
    }
}

static void expect(spec_test *t) {
    state *const s = t->state;
    s->answer = spec_answer_room(t, s->count);
    answers(s);
    t->report->zeros_expected = true; /* blocks without a pair */
    spec_expect_dense(t, "result", &s->to, s->answer.order, s->answer.truth, s->answer.bound);
}

const spec_op spec_field_interactions = {.name = "field_interactions",
                                         .get_case = get_case,
                                         .state_size = sizeof(state),
                                         .make = make,
                                         .call = call,
                                         .expect = expect};
