/* spec_spgemm.c: products of two CSR matrices in plain C. Variant 0: the product; 1: with less
 * capacity than needed; 2: with its gradients; 3: the gradients where C lacks entries. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { CUT = 1, GRADIENT = 2, LACKING = 3, VARIANTS = 4 };
/* Entries of each row of the second factor of a measurement. */
enum { FACTOR_ROW = 4 };

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
                     .offset_type = i % 5 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 7 > 4 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = 1,
                     .variant = i % VARIANTS,
                     .seed = (uint64_t)i + 477};
    return true;
}

typedef struct state {
    const spec_case *c;
    spec_matrix a, b, pattern; /* of the product, with its capacity as nnz */
    int64_t needed;
    spec_answer values, ga, gb;
    double *g;
    sparcl_spgemm *plan;
    sparcl_pattern *built; /* of A; of a gradient that is measured */
    sparcl_csr a_view, b_view, to;
    sparcl_dense g_view, ga_view, gb_view;
    sparcl_buf *needed_buf;
} state;

/* --- answers ---------------------------------------------------------------------------------- */

static int64_t count_products(const state *s) {
    int64_t products = 0;
    for (int64_t k = 0; k < s->a.nnz; ++k)
        products += s->b.offsets[s->a.indices[k] + 1] - s->b.offsets[s->a.indices[k]];
    return products;
}

/* The columns of row i of the product, ascending; returns their number. */
static int64_t columns_of(const state *s, int64_t i, int64_t *columns) {
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
static void make_pattern(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    s->pattern = spec_matrix_room(t, c->rows, c->cols, count_products(s));
    for (int64_t i = 0; i < c->rows; ++i) {
        int64_t *const columns = s->pattern.indices + s->needed;
        const int64_t count = columns_of(s, i, columns);
        for (int64_t k = 0, kept = 0; k < count; ++k) {
            if (c->variant == LACKING && (i + k) % 3 == 0) continue;
            columns[kept++] = columns[k];
            ++s->needed;
        }
        s->pattern.offsets[i + 1] = s->needed;
    }
    s->pattern.nnz = c->variant == CUT ? s->needed * 2 / 3 : s->needed;
    for (int64_t i = 0; i <= c->rows; ++i)
        if (s->pattern.offsets[i] > s->pattern.nnz) s->pattern.offsets[i] = s->pattern.nnz;
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
static void add_term(const spec_case *c, const spec_answer *x, int64_t at, double product) {
    x->order[at] = spec_round(c->dtype, x->order[at] + spec_round(c->dtype, product));
    x->truth[at] += product;
    x->bound[at] += fabs(product);
}

/* All terms, in the order of A's rows, which is that of each sum. */
static void add_terms(state *s) {
    const spec_case *const c = s->c;
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t k = s->a.offsets[i]; k < s->a.offsets[i + 1]; ++k) {
            const int64_t p = s->a.indices[k];
            for (int64_t l = s->b.offsets[p]; l < s->b.offsets[p + 1]; ++l) {
                const int64_t at = find(&s->pattern, i, s->b.indices[l]);
                if (at < 0) continue;
                add_term(c, &s->values, at, s->a.values[k] * s->b.values[l]);
                add_term(c, &s->ga, k, s->g[at] * s->b.values[l]);
                add_term(c, &s->gb, l, s->a.values[k] * s->g[at]);
            }
        }
}

/* No sum has more terms than `length`. */
static void finish(const spec_case *c, const spec_answer *x, int64_t count, int64_t length) {
    for (int64_t i = 0; i < count; ++i) {
        x->order[i] = spec_store(c->dtype, x->order[i]);
        x->bound[i] = ((double)length * spec_unit(c->dtype) * x->bound[i] +
                       spec_store_error(c->dtype, x->truth[i])) *
                          SPEC_SECOND_ORDER +
                      (double)length * spec_smallest(c->dtype);
    }
}

/* --- operands --------------------------------------------------------------------------------- */

/* The second factor of a measurement has four entries in each row, at columns that are scattered;
 * bench/cases.py has the same. */
static spec_matrix make_factor(spec_test *t, int64_t size) {
    spec_matrix b = spec_matrix_room(t, size, size, size * FACTOR_ROW);
    for (int64_t k = 0; k < b.nnz; ++k) {
        b.indices[k] = (int64_t)(((uint64_t)k * 2654435761u & 0xffffffffu) % (uint64_t)size);
        b.values[k] = (double)(k % 7 + 1) / 8;
    }
    for (int64_t i = 0; i <= size; ++i)
        b.offsets[i] = i * FACTOR_ROW;
    return b;
}

static void make_factors(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    if (t->given) {
        s->a = spec_matrix_of(t, 0, 0);
        s->b = make_factor(t, s->a.cols);
    } else {
        const int64_t *const size = sizes[c->n];
        s->a = spec_matrix_drawn(t, c->rows, size[1], c->nnz, c->seed);
        s->b = spec_matrix_drawn(t, size[1], c->cols, size[4], c->seed + 1);
    }
    spec_matrix_unique(&s->b);
    for (int64_t k = 0; k < s->a.nnz; ++k)
        s->a.values[k] = spec_store(c->dtype, s->a.values[k]);
    for (int64_t k = 0; k < s->b.nnz; ++k)
        s->b.values[k] = spec_store(c->dtype, s->b.values[k]);
}

static void free_plan(void *plan) {
    sparcl_spgemm_free(plan);
}

/* The result has other numbers first, and no pattern, unless its gradient is all that is computed.
 */
static void make_result(spec_test *t, state *s) {
    spec_matrix before = s->pattern;
    before.values = s->g;
    s->to = spec_csr(t, &before);
    if (t->c->variant == LACKING) return;
    spec_need(t, spec_poison(t->ctx, s->to.offsets));
    spec_need(t, spec_poison(t->ctx, s->to.indices));
    spec_need(t, sparcl_spgemm_create(t->ctx, &s->plan));
    spec_own_object(t, s->plan, free_plan);
    if (!t->given) s->needed_buf = spec_result_buf(t, 16);
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->c = c;
    make_factors(t, s);
    make_pattern(t, s);
    s->g = spec_drawn(t, s->pattern.nnz, c->seed + 2);
    s->a_view = spec_csr(t, &s->a);
    s->b_view = spec_csr(t, &s->b);
    make_result(t, s);
    t->calls = c->variant == GRADIENT ? 2 : 1;
    if (c->variant < GRADIENT) return;
    s->g_view = spec_vector(t, s->pattern.nnz, s->g);
    s->ga_view = spec_vector(t, s->a.nnz, s->a.values);
    s->gb_view = spec_vector(t, s->b.nnz, s->b.values);
    if (t->given) s->built = spec_pattern(t, &s->a_view);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    if (number == 1 || s->c->variant == LACKING)
        return sparcl_spgemm_gradient(ctx, &s->ga_view, &s->gb_view, &s->g_view, &s->to, &s->a_view,
                                      &s->b_view, s->built);
    const sparcl_status status = sparcl_spgemm_symbolic(ctx, s->plan, &s->a_view, &s->b_view);
    if (status != SPARCL_OK) return status;
    return sparcl_spgemm_numeric(ctx, s->plan, &s->to, &s->a_view, &s->b_view,
                                 &(sparcl_moved){.needed = s->needed_buf, .needed_at = 1});
}

static void expect_product(spec_test *t, const state *s) {
    const sparcl_csr *const to = &s->to;
    int64_t entries = -1;
    spec_need(t, sparcl_spgemm_entries(t->ctx, s->plan, &entries));
    spec_compare_ints(t->report, "entries", &entries, &s->needed, 1);
    if (s->needed_buf)
        spec_expect_ints(t, "needed", s->needed_buf, 1, SPARCL_INDEX64, &s->needed, 1);
    spec_expect_ints(t, "offsets", to->offsets, to->offsets_at, to->offset_type, s->pattern.offsets,
                     to->rows + 1);
    spec_expect_ints(t, "indices", to->indices, to->indices_at, to->index_type, s->pattern.indices,
                     s->pattern.nnz);
    spec_expect(t, "values", to->values, to->values_at, to->dtype, s->pattern.nnz, s->values.order,
                s->values.truth, s->values.bound);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->values = spec_answer_room(t, s->pattern.nnz);
    s->ga = spec_answer_room(t, s->a.nnz);
    s->gb = spec_answer_room(t, s->b.nnz);
    add_terms(s);
    finish(c, &s->values, s->pattern.nnz, s->a.nnz);
    finish(c, &s->ga, s->a.nnz, s->b.cols);
    finish(c, &s->gb, s->b.nnz, s->a.nnz);
    t->report->zeros_expected = true;
    if (c->variant != LACKING) expect_product(t, s);
    if (c->variant < GRADIENT) return;
    spec_expect_dense(t, "ga", &s->ga_view, s->ga.order, s->ga.truth, s->ga.bound);
    spec_expect_dense(t, "gb", &s->gb_view, s->gb.order, s->gb.truth, s->gb.bound);
}

/* --- measurements ----------------------------------------------------------------------------- */

/* A gradient reads the matrices and the gradient of C's values. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double matrices =
        spec_csr_bytes(&s->a_view) + spec_csr_bytes(&s->b_view) + spec_csr_bytes(&s->to);
    *flops = number ? 0 : 2 * (double)s->a.nnz * FACTOR_ROW;
    *bytes = number ? 2 * matrices + 4 * (double)(s->a.nnz + s->b.nnz) : matrices;
}

extern const spec_op spec_spgemm;
static const spec_bench timed[] = {
    {"spgemm", "A B, both phases, B sparse with four entries in each row", .op = &spec_spgemm},
    {"spgemm-gradient", "both gradients of spgemm, with A's pattern", .op = &spec_spgemm, .call = 1,
     .setting = {.variant = GRADIENT}},
    {0}};

const spec_op spec_spgemm = {.name = "spgemm",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
