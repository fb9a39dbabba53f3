/* spec_csr_binary.c: sums and products of two CSR matrices element by element, with their
 * gradients, in plain C. Variant 0: the sum; 1: the product; + 2: with less capacity than needed;
 * 4: the product of a CSR matrix, with duplicates, and a dense one. */

#include "spec/bench/bench.h"

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
                     .offset_type = i % 3 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 7 > 4 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 3 ? -1 : 2.5,
                     .variant = i % VARIANTS,
                     .seed = (uint64_t)i + 377};
    return true;
}

typedef struct state {
    spec_matrix a, b, want; /* want: the expected result, with its capacity as nnz */
    int64_t needed;
    int64_t *from_a, *from_b;
    const double *g, *x, *gx; /* the gradient of C's values; x and its gradient before, with gaps */
    int variant;
    double alpha, beta;
    sparcl_csr a_view, b_view, c_view;
    sparcl_csr_sources sources,
        *wanted; /* wanted: NULL where only the sum or product is measured */
    sparcl_dense g_view, ga, gb, x_view, gx_view;
} state;

/* --- answers ---------------------------------------------------------------------------------- */

/* An entry of the result; k or l is -1 where a matrix does not have it. */
static void append(state *s, const spec_case *c, int64_t at, int64_t k, int64_t l) {
    const double a = k < 0 ? 0 : s->a.values[k], b = l < 0 ? 0 : s->b.values[l];
    const double alpha_a = spec_round(c->dtype, c->alpha * a);
    const double beta_b = spec_round(c->dtype, c->beta * b);
    const double value = c->variant & PRODUCT ? a * b
                         : l < 0              ? alpha_a
                         : k < 0              ? beta_b
                                              : alpha_a + beta_b;
    s->want.indices[at] = k < 0 ? s->b.indices[l] : s->a.indices[k];
    s->want.values[at] = spec_store(c->dtype, spec_round(c->dtype, value));
    s->from_a[at] = k;
    s->from_b[at] = l;
}

static void merge(state *s, const spec_case *c) {
    int64_t at = 0;
    for (int64_t row = 0; row < s->a.rows; ++row) {
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
        s->want.offsets[row + 1] = at;
    }
    s->needed = at;
}

/* Entries past the capacity are dropped. */
static void cut(state *s, const spec_case *c) {
    s->want.nnz = c->variant & CUT ? s->needed * 2 / 3 : s->needed;
    for (int64_t row = 0; row <= s->want.rows; ++row)
        if (s->want.offsets[row] > s->want.nnz) s->want.offsets[row] = s->want.nnz;
}

static void gradients(const state *s, const spec_case *c, double *ga, double *gb) {
    for (int64_t i = 0; i < s->want.nnz; ++i) {
        const int64_t k = s->from_a[i], l = s->from_b[i];
        const bool product = c->variant & PRODUCT;
        const double a = product ? s->b.values[l] : c->alpha,
                     b = product ? s->a.values[k] : c->beta;
        if (k >= 0) ga[k] = spec_store(c->dtype, spec_round(c->dtype, a * s->g[i]));
        if (l >= 0) gb[l] = spec_store(c->dtype, spec_round(c->dtype, b * s->g[i]));
    }
}

/* v[k] := y[k] x at the place of entry k: the product, and its gradient by the values of A. */
static void at_entries(const state *s, sparcl_dtype dtype, const double *y, double *v) {
    for (int64_t row = 0; row < s->a.rows; ++row)
        for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k)
            v[k] = spec_store(dtype,
                              spec_round(dtype, y[k] * s->x[row * s->x_view.ld + s->a.indices[k]]));
}

/* The gradient by x: sums of the products of the entries of one place, by rule R. */
static void dense_gradient(const state *s, sparcl_dtype dtype, double *gx, double *terms) {
    for (int64_t row = 0; row < s->a.rows; ++row) {
        double *const line = gx + row * s->x_view.ld;
        const int64_t end = s->a.offsets[row + 1];
        for (int64_t j = 0; j < s->a.cols; ++j)
            line[j] = 0;
        for (int64_t k = s->a.offsets[row]; k < end; ++k) {
            int64_t count = 0;
            for (int64_t l = s->a.offsets[row]; l < end; ++l)
                if (s->a.indices[l] == s->a.indices[k])
                    terms[count++] = spec_round(dtype, s->a.values[l] * s->g[l]);
            line[s->a.indices[k]] = spec_store(dtype, spec_sum_duplicates(dtype, terms, count));
        }
    }
}

/* --- operands --------------------------------------------------------------------------------- */

static spec_matrix make_matrix(spec_test *t, int64_t nnz, uint64_t seed) {
    spec_matrix m = spec_matrix_of(t, nnz, seed);
    if (t->given && seed != t->c->seed) /* B: every second row is one column later */
        for (int64_t i = 1; i < m.rows; i += 2)
            for (int64_t k = m.offsets[i]; k < m.offsets[i + 1]; ++k)
                m.indices[k] = (m.indices[k] + 1) % m.cols;
    if (t->c->variant != DENSE) spec_matrix_unique(&m);
    for (int64_t k = 0; k < m.nnz && !t->given; ++k)
        m.values[k] = k % 17 == 3 ? 0 : spec_store(t->c->dtype, m.values[k]);
    return m;
}

/* gx is written over numbers of which the gaps between rows stay. */
static void make_dense(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t ld = t->given ? c->cols : c->cols + 1;
    s->g = spec_drawn(t, s->a.nnz + s->b.nnz, c->seed + 2);
    s->x = spec_drawn(t, c->rows * ld, c->seed + 3);
    s->gx = spec_drawn(t, c->rows * ld, c->seed + 4);
    s->x_view = spec_dense(t, c->rows, c->cols, ld, s->x);
    if (!t->given) s->gx_view = spec_dense(t, c->rows, c->cols, ld, s->gx);
    s->ga = spec_vector(t, s->a.nnz, s->g);
    s->gb = spec_vector(t, s->a.nnz, s->g);
    s->g_view = spec_vector(t, s->a.nnz, s->g);
}

static void make_pair(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t most = s->a.nnz + s->b.nnz;
    s->from_a = spec_int64s(t, most);
    s->from_b = spec_int64s(t, most);
    s->want = spec_matrix_room(t, s->a.rows, s->a.cols, most);
    merge(s, c);
    cut(s, c);
    s->b_view = spec_csr(t, &s->b);
    if (t->call == 0) { /* as it is used without gradients, with room for all that there may be */
        s->c_view =
            spec_csr_result(t, s->a.rows, s->a.cols, c->variant & PRODUCT ? s->a.nnz : most);
        t->calls = 1;
        return;
    }
    s->c_view = spec_csr_result(t, s->a.rows, s->a.cols, s->want.nnz);
    s->sources = (sparcl_csr_sources){.a = spec_result_buf(t, 8 * (s->want.nnz + 1)),
                                      .a_at = 1,
                                      .b = spec_result_buf(t, 8 * (s->want.nnz + 2)),
                                      .b_at = 2};
    s->wanted = &s->sources;
    s->sources.needed = spec_result_buf(t, 16);
    s->sources.needed_at = 1;
    s->g = spec_drawn(t, most, c->seed + 2);
    s->g_view = spec_vector(t, s->want.nnz, s->g);
    s->ga = spec_vector(t, s->a.nnz, s->g);
    s->gb = spec_vector(t, s->b.nnz, s->g);
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->a = make_matrix(t, c->nnz, c->seed);
    s->b = make_matrix(t, c->n, c->seed + 1);
    s->variant = c->variant;
    s->alpha = c->alpha;
    s->beta = c->beta;
    s->a_view = spec_csr(t, &s->a);
    t->calls = 2;
    if (c->variant == DENSE)
        make_dense(t, s);
    else
        make_pair(t, s);
}

/* --- calls ------------------------------------------------------------------------------------ */

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    if (s->variant == DENSE)
        return number ? sparcl_csr_multiply_dense_gradient(ctx, &s->gb,
                                                           s->gx_view.values ? &s->gx_view : NULL,
                                                           &s->g_view, &s->a_view, &s->x_view)
                      : sparcl_csr_multiply_dense(ctx, &s->ga, &s->a_view, &s->x_view);
    if (s->variant & PRODUCT)
        return number ? sparcl_csr_multiply_gradient(ctx, &s->ga, &s->gb, &s->g_view, &s->c_view,
                                                     &s->a_view, &s->b_view, s->wanted)
                      : sparcl_csr_multiply(ctx, &s->c_view, &s->a_view, &s->b_view, s->wanted);
    return number ? sparcl_csr_add_gradient(ctx, &s->ga, &s->gb, s->alpha, s->beta, &s->g_view,
                                            &s->c_view, s->wanted)
                  : sparcl_csr_add(ctx, &s->c_view, s->alpha, &s->a_view, s->beta, &s->b_view,
                                   s->wanted);
}

static void expect_dense(spec_test *t, const state *s) {
    const sparcl_dtype dtype = t->c->dtype;
    double *const v = spec_reals(t, s->a.nnz), *const gv = spec_reals(t, s->a.nnz);
    at_entries(s, dtype, s->a.values, v);
    at_entries(s, dtype, s->g, gv);
    spec_expect_dense(t, "v", &s->ga, v, NULL, NULL);
    spec_expect_dense(t, "gv", &s->gb, gv, NULL, NULL);
    if (!s->gx_view.values) return;
    double *const gx = spec_copied(t, s->gx, s->a.rows * s->x_view.ld);
    dense_gradient(s, dtype, gx, spec_reals(t, s->a.nnz));
    spec_expect_dense(t, "gx", &s->gx_view, gx, NULL, NULL);
}

static void expect_pair(spec_test *t, const state *s) {
    const sparcl_csr *const c = &s->c_view;
    spec_expect_ints(t, "offsets", c->offsets, 0, c->offset_type, s->want.offsets, c->rows + 1);
    if (s->sources.needed)
        spec_expect_ints(t, "needed", s->sources.needed, 1, SPARCL_INDEX64, &s->needed, 1);
    spec_expect_ints(t, "indices", c->indices, 0, c->index_type, s->want.indices, s->want.nnz);
    spec_expect(t, "values", c->values, 0, c->dtype, s->want.nnz, s->want.values, NULL, NULL);
    if (!s->wanted) return;
    double *const ga = spec_reals(t, s->a.nnz), *const gb = spec_reals(t, s->b.nnz);
    gradients(s, t->c, ga, gb);
    spec_expect_ints(t, "source in A", s->sources.a, 1, SPARCL_INDEX64, s->from_a, s->want.nnz);
    spec_expect_ints(t, "source in B", s->sources.b, 2, SPARCL_INDEX64, s->from_b, s->want.nnz);
    spec_expect_dense(t, "ga", &s->ga, ga, NULL, NULL);
    spec_expect_dense(t, "gb", &s->gb, gb, NULL, NULL);
}

static void expect(spec_test *t) {
    t->report->zeros_expected = true;
    if (t->c->variant == DENSE)
        expect_dense(t, t->state);
    else
        expect_pair(t, t->state);
}

/* --- measurements ----------------------------------------------------------------------------- */

/* Of a gradient of a sum or product: the gradient and both sources of each entry of C, two values
 * of a product. Of a product with a dense matrix its elements at the entries. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double entries = (double)s->want.nnz, terms = (double)s->a.nnz;
    const bool product = s->variant & PRODUCT;
    sparcl_csr written = s->c_view;
    written.nnz = s->want.nnz;
    *flops = s->variant == DENSE ? terms : number == 0 ? entries : product ? 2 * entries : 0;
    *bytes =
        s->variant == DENSE ? spec_csr_bytes(&s->a_view) + (number ? 4 : 0) * terms + 8 * terms
        : number == 0
            ? spec_csr_bytes(&s->a_view) + spec_csr_bytes(&s->b_view) + spec_csr_bytes(&written)
            : 4 * (entries + terms + (double)s->b.nnz) + (product ? 24 : 16) * entries;
}

extern const spec_op spec_csr_binary;
static const spec_bench timed[] = {
    {"csr-add", "A + B, half of whose entries are at the same places", .op = &spec_csr_binary,
     .setting = {.alpha = 1, .beta = 1}},
    {"csr-multiply", "A times B element by element, half of the entries at the same places",
     .op = &spec_csr_binary, .setting = {.variant = PRODUCT}},
    {"csr-add-gradient", "the gradients of csr-add by the values of A and B",
     .op = &spec_csr_binary, .call = 1, .setting = {.alpha = 1, .beta = 1}},
    {"csr-multiply-gradient", "the same of csr-multiply", .op = &spec_csr_binary, .call = 1,
     .setting = {.variant = PRODUCT}},
    {"csr-multiply-dense", "A times a dense matrix, element by element", .op = &spec_csr_binary,
     .setting = {.variant = DENSE}},
    {"csr-multiply-dense-gradient", "the gradient of that by the values of A",
     .op = &spec_csr_binary, .call = 1, .setting = {.variant = DENSE}},
    {0}};

const spec_op spec_csr_binary = {.name = "csr_binary",
                                 .get_case = get_case,
                                 .state_size = sizeof(state),
                                 .make = make,
                                 .call = call,
                                 .expect = expect,
                                 .work = work,
                                 .timed = timed};
