/* spec_coo_binary.c: sums and products of two COO arrays element by element, with their gradients,
 * in plain C. Variant 0: the sum; 1: the product; + 2: with less capacity than needed; + 4: the
 * numbers of entries are on the device. rows: number of the shape; n: entries of B. */
#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { PRODUCT = 1, CUT = 2, COUNTED = 4 };

/* Entries of A and of B before duplicates are removed. */
static const int64_t sizes[][2] = {{0, 0},     {0, 5},      {7, 0},         {1, 1},
                                   {37, 50},   {600, 90},   {1100, 3000},   {40, 5000},
                                   {700, 700}, {5000, 300}, {30000, 20000}, {9000, 40000}};

/* Positions must fit in 64 bits. */
static bool fits(int number) {
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    double all = 1;
    if (!spec_entries_shape(number, &rank, shape)) return false;
    for (int d = 0; d < rank; ++d)
        all *= (double)shape[d];
    return all < 0x1p63;
}

static int shape_number(int k) {
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    for (int number = 0; spec_entries_shape(number, &rank, shape); ++number)
        if (fits(number) && k-- == 0) return number;
    return -1;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int number = shape_number(i / count);
    if (number < 0) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = number,
                     .nnz = sizes[i % count][0],
                     .n = sizes[i % count][1],
                     .dtype = dtypes[(i + i / 4) % 4],
                     .index_type = spec_entries_is_wide(number) || i % 4 == 2 ? SPARCL_INDEX64
                                                                              : SPARCL_INDEX32,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 3 ? -1 : 2.5,
                     .variant = (i * 5 + i / 7) % 8,
                     .seed = (uint64_t)i + 377};
    return true;
}

typedef struct state {
    spec_entries a, b, want; /* want: the expected result, with its capacity */
    int64_t needed;
    int64_t *from_a, *from_b;
    const double *g; /* the gradient of C's values */
    bool is_product;
    double alpha, beta;
    sparcl_coo a_view, b_view, c_view;
    sparcl_csr_sources sources,
        *wanted; /* wanted: NULL where only the sum or product is measured */
    sparcl_dense g_view, ga, gb;
} state;

/* --- answers ---------------------------------------------------------------------------------- */

/* An entry of the result; k or l is -1 where an array does not have it. */
static void append(state *s, sparcl_dtype dtype, int64_t at, int64_t k, int64_t l) {
    const double a = k < 0 ? 0 : s->a.values[k], b = l < 0 ? 0 : s->b.values[l];
    const double alpha_a = spec_round(dtype, s->alpha * a);
    const double beta_b = spec_round(dtype, s->beta * b);
    const double value = s->is_product ? a * b
                         : l < 0       ? alpha_a
                         : k < 0       ? beta_b
                                       : alpha_a + beta_b;
    spec_entries_copy(&s->want, at, k < 0 ? &s->b : &s->a, k < 0 ? l : k);
    s->want.values[at] = spec_store(dtype, spec_round(dtype, value));
    s->from_a[at] = k;
    s->from_b[at] = l;
}

/* Which of two entries comes first: < 0 that of A, 0 both are one. */
static int compare_entries(const state *s, int64_t k, int64_t l) {
    int order = 0;
    if (k == s->a.stored) return 1;
    if (l == s->b.stored) return -1;
    for (int d = 0; d < s->a.rank && order == 0; ++d)
        order =
            (s->a.indices[d][k] > s->b.indices[d][l]) - (s->a.indices[d][k] < s->b.indices[d][l]);
    return order;
}

/* Entries past the capacity are dropped. */
static void merge(state *s, const spec_case *c) {
    int64_t at = 0;
    for (int64_t k = 0, l = 0; k < s->a.stored || l < s->b.stored;) {
        const int order = compare_entries(s, k, l);
        if (order == 0 || !s->is_product)
            append(s, c->dtype, at++, order <= 0 ? k : -1, order >= 0 ? l : -1);
        k += order <= 0;
        l += order >= 0;
    }
    s->needed = at;
    s->want.stored = s->want.capacity = c->variant & CUT ? at * 2 / 3 : at;
}

static void gradients(const state *s, sparcl_dtype dtype, double *ga, double *gb) {
    for (int64_t i = 0; i < s->want.stored; ++i) {
        const int64_t k = s->from_a[i], l = s->from_b[i];
        const double a = s->is_product ? s->b.values[l] : s->alpha,
                     b = s->is_product ? s->a.values[k] : s->beta;
        if (k >= 0) ga[k] = spec_store(dtype, spec_round(dtype, a * s->g[i]));
        if (l >= 0) gb[l] = spec_store(dtype, spec_round(dtype, b * s->g[i]));
    }
}

/* --- operands --------------------------------------------------------------------------------- */

/* Sort, and keep the first of equal entries; some values are 0. */
static void make_unique(spec_test *t, spec_entries *e) {
    spec_entries sorted = spec_entries_room(t, e);
    const int64_t *const order = spec_own(t, spec_entries_order(e));
    for (int64_t k = 0; k < e->stored; ++k)
        if (k == 0 || spec_entries_compare(e, order[k - 1], order[k]))
            spec_entries_copy(&sorted, sorted.stored++, e, order[k]);
    e->stored = sorted.stored;
    for (int64_t k = 0; k < e->stored; ++k) {
        spec_entries_copy(e, k, &sorted, k);
        e->values[k] = k % 17 == 3 && !t->given ? 0 : spec_store(t->c->dtype, e->values[k]);
    }
}

/* Every second entry of B is at a place of A, as far as A has entries; of a measurement B has the
 * entries of every second row of A one column later. */
static void make_operands(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const bool more = c->variant & COUNTED;
    s->a = spec_entries_drawn(t, (int)c->rows, c->nnz, more, c->seed);
    s->b = spec_entries_drawn(t, (int)c->rows, c->n, more, c->seed + 1);
    for (int64_t k = 0; k < s->b.stored && t->given; ++k)
        if (s->b.indices[0][k] % 2) s->b.indices[1][k] = (s->b.indices[1][k] + 1) % c->cols;
    for (int64_t k = 0; k < s->b.stored && k < s->a.stored && !t->given; k += 2) {
        const double value = s->b.values[k];
        spec_entries_copy(&s->b, k, &s->a, k);
        s->b.values[k] = value;
    }
    make_unique(t, &s->a);
    make_unique(t, &s->b);
    if (more) return;
    s->a.capacity = s->a.stored;
    s->b.capacity = s->b.stored;
}

static void make_gradients(spec_test *t, state *s) {
    const int64_t most = s->a.capacity + s->b.capacity;
    s->sources = (sparcl_csr_sources){.a = spec_result_buf(t, 8 * (s->want.capacity + 1)),
                                      .a_at = 1,
                                      .b = spec_result_buf(t, 8 * (s->want.capacity + 1))};
    s->wanted = &s->sources;
    s->sources.needed = spec_result_buf(t, 16);
    s->sources.needed_at = 1;
    s->g = spec_drawn(t, most, t->c->seed + 2);
    s->g_view = spec_vector(t, s->want.capacity, s->g);
    s->ga = spec_vector(t, s->a.capacity, s->g);
    s->gb = spec_vector(t, s->b.capacity, s->g);
    t->calls = 2;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->is_product = c->variant & PRODUCT;
    s->alpha = c->alpha;
    s->beta = c->beta;
    make_operands(t, s);
    spec_entries like = s->a;
    like.capacity = s->a.stored + s->b.stored;
    s->from_a = spec_int64s(t, like.capacity);
    s->from_b = spec_int64s(t, like.capacity);
    s->want = spec_entries_room(t, &like);
    merge(s, c);
    if (t->given) s->want.capacity = s->is_product ? s->a.stored : like.capacity;
    spec_entries room = spec_entries_room(t, &s->want);
    s->a_view = spec_coo(t, &s->a, t->given ? 0 : 2, false);
    s->b_view = spec_coo(t, &s->b, t->given ? 0 : 3, false);
    s->c_view = spec_coo(t, &room, t->given ? 0 : 1, true);
    s->c_view.proof.flags = 0;
    if (!t->given) make_gradients(t, s);
}

/* --- calls ------------------------------------------------------------------------------------ */

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    if (s->is_product)
        return number ? sparcl_coo_multiply_gradient(ctx, &s->ga, &s->gb, &s->g_view, &s->c_view,
                                                     &s->a_view, &s->b_view, s->wanted)
                      : sparcl_coo_multiply(ctx, &s->c_view, &s->a_view, &s->b_view, s->wanted);
    return number ? sparcl_coo_add_gradient(ctx, &s->ga, &s->gb, s->alpha, s->beta, &s->g_view,
                                            &s->c_view, s->wanted)
                  : sparcl_coo_add(ctx, &s->c_view, s->alpha, &s->a_view, s->beta, &s->b_view,
                                   s->wanted);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const int64_t stored = s->want.stored;
    t->report->zeros_expected = true;
    spec_expect_entries(t, &s->c_view, &s->want, NULL, NULL);
    if (!s->wanted) return;
    double *const ga = spec_reals(t, s->a.capacity), *const gb = spec_reals(t, s->b.capacity);
    gradients(s, t->c->dtype, ga, gb);
    spec_expect_ints(t, "needed", s->sources.needed, 1, SPARCL_INDEX64, &s->needed, 1);
    spec_expect_ints(t, "source in A", s->sources.a, 1, SPARCL_INDEX64, s->from_a, stored);
    spec_expect_ints(t, "source in B", s->sources.b, 0, SPARCL_INDEX64, s->from_b, stored);
    spec_expect_dense(t, "ga", &s->ga, ga, NULL, NULL);
    spec_expect_dense(t, "gb", &s->gb, gb, NULL, NULL);
}

/* --- measurements ----------------------------------------------------------------------------- */

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double entry = (double)(sparcl_dtype_size(t->c->dtype) +
                                  (size_t)s->a.rank * sparcl_itype_size(t->c->index_type));
    (void)number;
    *flops = (double)s->want.stored;
    *bytes = entry * (double)(s->a.stored + s->b.stored + s->want.stored);
}

extern const spec_op spec_coo_binary;
static const spec_bench timed[] = {{"coo-add", "csr-add of the same matrices as sorted COO entries",
                                    .op = &spec_coo_binary, .setting = {.alpha = 1, .beta = 1}},
                                   {"coo-multiply",
                                    "csr-multiply of the same matrices as sorted COO entries",
                                    .op = &spec_coo_binary, .setting = {.variant = PRODUCT}},
                                   {0}};

const spec_op spec_coo_binary = {.name = "coo_binary",
                                 .get_case = get_case,
                                 .state_size = sizeof(state),
                                 .make = make,
                                 .call = call,
                                 .expect = expect,
                                 .work = work,
                                 .timed = timed};
