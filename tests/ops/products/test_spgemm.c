/* test_spgemm.c: what the header says of products of two CSR matrices. */
#include "op_test.h"

#include "launch/launch.h"

enum { M = 20, K = 15, N = 30 };

/* A [M, K] and B [K, N], their product with its capacity, and gradients. */
typedef struct product {
    spec_matrix a_host, b_host;
    sparcl_csr a, b, c;
    sparcl_dense g, ga, gb;
    sparcl_spgemm *plan;
    sparcl_buf *needed;
} product;

static sparcl_dense vector(sparcl_ctx *ctx, int64_t count) {
    float *const x = make_floats(count, 3);
    const sparcl_dense v = {.rank = 1, .shape = {count}, .values = put_spare(ctx, x, count)};
    free(x);
    return v;
}

static product make_product(sparcl_ctx *ctx) {
    product s = {.c = {.rows = M, .cols = N}};
    int64_t entries = 0;
    assert_true(spec_matrix_make(&s.a_host, SPEC_DUPLICATE, M, K, 60, 3));
    assert_true(spec_matrix_make(&s.b_host, SPEC_UNIFORM, K, N, 70, 4));
    spec_matrix_unique(&s.b_host);
    assert_ok(ctx, spec_put_csr(ctx, &s.a, &s.a_host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    assert_ok(ctx, spec_put_csr(ctx, &s.b, &s.b_host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    assert_ok(ctx, sparcl_spgemm_create(ctx, &s.plan));
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, s.plan, &s.a, &s.b));
    assert_ok(ctx, sparcl_spgemm_entries(ctx, s.plan, &entries));
    s.c.nnz = entries;
    assert_ok(ctx, sparcl_csr_create(ctx, &s.c));
    assert_ok(ctx, sparcl_buf_create(ctx, &s.needed, 8));
    s.g = vector(ctx, entries);
    s.ga = vector(ctx, s.a.nnz);
    s.gb = vector(ctx, s.b.nnz);
    return s;
}

static void free_product(product *s) {
    spec_matrix_free(&s->a_host);
    spec_matrix_free(&s->b_host);
    sparcl_csr_free(&s->a);
    sparcl_csr_free(&s->b);
    sparcl_csr_free(&s->c);
    sparcl_dense_free(&s->g);
    sparcl_dense_free(&s->ga);
    sparcl_dense_free(&s->gb);
    sparcl_buf_free(s->needed);
    sparcl_spgemm_free(s->plan);
}

#define SYMBOLIC(s) sparcl_spgemm_symbolic(ctx, (s).plan, &(s).a, &(s).b)
#define NUMERIC(s)                                                                                 \
    sparcl_spgemm_numeric(ctx, (s).plan, &(s).c, &(s).a, &(s).b,                                   \
                          &(sparcl_moved){.needed = (s).needed})
#define GRADIENT(s)                                                                                \
    sparcl_spgemm_gradient(ctx, &(s).ga, &(s).gb, &(s).g, &(s).c, &(s).a, &(s).b, NULL)

/* All elements of the product, with rule P. */
static void assert_product(sparcl_ctx *ctx, const product *s) {
    float dense[M][N] = {{0}}, *const values = bytes_of(ctx, s->c.values);
    int stored[M][N] = {{0}};
    int32_t *const offsets = bytes_of(ctx, s->c.offsets), *const columns =
                                                              bytes_of(ctx, s->c.indices);
    float *const a = bytes_of(ctx, s->a.values), *const b = bytes_of(ctx, s->b.values);
    int64_t count = 0;
    for (int64_t i = 0; i < M; ++i)
        for (int64_t k = s->a_host.offsets[i]; k < s->a_host.offsets[i + 1]; ++k)
            for (int64_t l = s->b_host.offsets[s->a_host.indices[k]];
                 l < s->b_host.offsets[s->a_host.indices[k] + 1]; ++l) {
                const int64_t j = s->b_host.indices[l];
                const float term = a[k] * b[l];
                dense[i][j] += term;
                count += !stored[i][j];
                stored[i][j] = 1;
            }
    assert_int_equal(offsets[M], count);
    for (int i = 0; i < M; ++i)
        for (int32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            assert_true(k == offsets[i] || columns[k] > columns[k - 1]);
            assert_true(stored[i][columns[k]] && values[k] == dense[i][columns[k]]);
        }
    free(values);
    free(offsets);
    free(columns);
    free(a);
    free(b);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    snapshot kept =
        SNAPSHOT(ctx, s.c.offsets, s.c.indices, s.c.values, s.needed, s.ga.values, s.gb.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(product, s, violation, call(x), status, part,                         \
                             assert_unchanged(ctx, &kept))
    REFUSED(SYMBOLIC, --x.b.rows, SPARCL_E_SHAPE, "A has 15 columns, B has 14 rows");
    REFUSED(SYMBOLIC, x.b.dtype = SPARCL_F16, SPARCL_E_DTYPE, "A is f32 and B f16");
    REFUSED(SYMBOLIC, x.b.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED, SPARCL_E_UNCHECKED, "B");
    REFUSED(SYMBOLIC, x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(SYMBOLIC, x.plan = NULL, SPARCL_E_ARG, "plan is NULL");
    REFUSED(NUMERIC, x.plan = NULL, SPARCL_E_ARG, "plan is NULL");
    REFUSED(NUMERIC, ++x.c.cols, SPARCL_E_SHAPE, "C is 20 x 31, expected the 20 rows of A");
    REFUSED(NUMERIC, x.c.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "C is bf16 and A f32");
    REFUSED(NUMERIC, (x.c.nnz = 10, x.c.values = x.a.values), SPARCL_E_ALIAS, "overlap");
    REFUSED(NUMERIC, x.needed = x.c.offsets, SPARCL_E_ALIAS, "overlap");
    REFUSED(NUMERIC, x.b = x.a, SPARCL_E_SHAPE, "B has 20 rows");
    assert_ok(ctx, NUMERIC(s));
    snapshot_free(&kept);
    kept.count = 0;
    REFUSED(GRADIENT, --x.g.shape[0], SPARCL_E_SHAPE,
            "G has 198 elements, expected one for each of");
    REFUSED(GRADIENT, x.ga.ld = 2, SPARCL_E_SHAPE,
            "ga has rank 1 and ld 2, expected a packed vector");
    REFUSED(GRADIENT, x.gb.dtype = SPARCL_F16, SPARCL_E_DTYPE, "gb is f16 and A f32");
    REFUSED(GRADIENT, x.ga.values = x.gb.values, SPARCL_E_ALIAS, "gb overlaps ga");
    REFUSED(GRADIENT, x.c.proof.flags = 0, SPARCL_E_UNCHECKED, "C");
    free_product(&s);
}

static void a_plan_must_be_that_of_the_matrices(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    sparcl_spgemm *empty = NULL, *const plan = s.plan;
    int64_t entries = 0;
    assert_ok(ctx, sparcl_spgemm_create(ctx, &empty));
    s.plan = empty;
    assert_refused(ctx, NUMERIC(s), SPARCL_E_ARG, "sparcl_spgemm_symbolic to be called");
    assert_refused(ctx, sparcl_spgemm_entries(ctx, empty, &entries), SPARCL_E_ARG, "no pattern");
    s.plan = plan;
    assert_refused(ctx, sparcl_spgemm_entries(ctx, plan, NULL), SPARCL_E_ARG, "entries is NULL");
    const int32_t first = (int32_t)s.b_host.indices[0];
    assert_ok(ctx, sparcl_buf_write(ctx, s.b.indices, 0, 4, &first));
    assert_refused(ctx, NUMERIC(s), SPARCL_E_ARG, "current index buffers");
    assert_ok(ctx, SYMBOLIC(s));
    assert_ok(ctx, NUMERIC(s));
    assert_product(ctx, &s);
    sparcl_spgemm_free(empty);
    sparcl_spgemm_free(NULL);
    free_product(&s);
}

static void a_plan_is_used_for_other_values(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    for (uint64_t seed = 1; seed < 4; ++seed) {
        float *const x = make_floats(s.a.nnz, seed);
        assert_ok(ctx, sparcl_buf_write(ctx, s.a.values, 0, s.a.nnz * 4, x));
        assert_ok(ctx, NUMERIC(s));
        assert_product(ctx, &s);
        free(x);
    }
    assert_int_equal(int_at(ctx, s.needed, 0), s.c.nnz);
    assert_true(sparcl_csr_flags(&s.c) & SPARCL_UNIQUE);
    free_product(&s);
}

static void a_plan_is_used_for_larger_and_smaller_matrices(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    sparcl_csr a = s.a, none = s.a;
    int64_t entries = 7, before = s.c.nnz;
    a.rows = 5;
    none.rows = 0;
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, s.plan, &a, &s.b));
    assert_ok(ctx, sparcl_spgemm_entries(ctx, s.plan, &entries));
    assert_true(entries < before);
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, s.plan, &none, &s.b));
    assert_ok(ctx, sparcl_spgemm_entries(ctx, s.plan, &entries));
    assert_int_equal(entries, 0);
    assert_ok(ctx, SYMBOLIC(s));
    assert_ok(ctx, NUMERIC(s));
    assert_product(ctx, &s);
    free_product(&s);
}

static void one_gradient_is_computed_without_the_other(void **state) {
    sparcl_ctx *ctx = *state;
    product s = make_product(ctx);
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, NUMERIC(s));
    assert_ok(ctx, GRADIENT(s));
    snapshot kept = SNAPSHOT(ctx, s.ga.values, s.gb.values);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.ga.values, 0, s.a.nnz * 4, 0xff));
    assert_ok(ctx, sparcl_spgemm_gradient(ctx, &s.ga, NULL, &s.g, &s.c, &s.a, &s.b, NULL));
    assert_unchanged(ctx, &kept);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.gb.values, 0, s.b.nnz * 4, 0xff));
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_refused(ctx, sparcl_spgemm_gradient(ctx, NULL, &s.gb, &s.g, &s.c, &s.a, &s.b, pattern),
                   SPARCL_E_ARG, "pattern");
    assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &s.a));
    assert_ok(ctx, sparcl_spgemm_gradient(ctx, NULL, &s.gb, &s.g, &s.c, &s.a, &s.b, pattern));
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    sparcl_pattern_free(pattern);
    free_product(&s);
}

static sparcl_buf *values_of_product(sparcl_ctx *ctx, const void *nothing) {
    (void)nothing;
    product s = make_product(ctx);
    assert_ok(ctx, NUMERIC(s));
    assert_product(ctx, &s);
    sparcl_buf *const result = s.c.values;
    s.c.values = NULL;
    free_product(&s);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    assert_same_bits(&all, values_of_product, NULL);
    close_classes(&all);
}

/* --- rows that fill a tile of many lanes, and longer ones ------------------------------------- */

/* A row of A: so many entries, one after another from row `first` of B on, round and round. The
 * rows of B have 0, 1, 3, 1500 and 40 entries in turn: 1544 for each five. */
enum { B_ROWS = 1200, B_COLS = 4000, ROWS = 12 };
static const int lengths[] = {0, 1, 3, 1500, 40};
static const int entries_of[ROWS] = {0, 1, 2, 0, 1, 5, 1600, 9, 4, 25, 1, 1};
/* Row 9 of A (first < 0) has 25 rows of B with `wide` entries: its work is 1 + 25 (1 + wide). */
static const int firsts[ROWS] = {0, 3, 3, 0, 4, 0, 7, 11, 1, -1, 3, 0};

static void fill_b(spec_matrix *b, int wide) {
    int64_t at = 0;
    assert_true(spec_matrix_alloc(b, B_ROWS + 25, B_COLS, (int64_t)(B_ROWS + 25) * 1500));
    for (int i = 0; i < B_ROWS + 25; ++i) {
        const int count = i < B_ROWS ? lengths[i % 5] : wide;
        for (int k = 0; k < count; ++k, ++at) {
            b->indices[at] = (i * 7 % 90) + 2 * k;
            b->values[at] = k % 11 == 0 ? -0.0 : (double)((i + 3 * k) % 17 - 8) / 8;
        }
        b->offsets[i + 1] = at;
    }
    b->nnz = at;
}

static void fill_a(spec_matrix *a) {
    int64_t at = 0;
    assert_true(spec_matrix_alloc(a, ROWS, B_ROWS + 25, 4000));
    for (int i = 0; i < ROWS; ++i) {
        for (int k = 0; k < entries_of[i]; ++k, ++at) {
            a->indices[at] = firsts[i] < 0 ? B_ROWS + k : (firsts[i] + k) % B_ROWS;
            a->values[at] = k % 5 == 0 ? 0.1 : (double)(k % 9 - 4) / 3;
            a->values[at] = (double)(float)a->values[at];
        }
        a->offsets[i + 1] = at;
    }
    a->nnz = at;
}

/* The product by rule P; returns its entries, of which `capacity` are compared. */
static int64_t assert_rows(sparcl_ctx *ctx, const sparcl_csr *c, const spec_matrix *a,
                           const spec_matrix *b, int64_t capacity) {
    static float sums[B_COLS];
    static char has[B_COLS];
    int32_t *const columns = bytes_of(ctx, c->indices), *const offsets = bytes_of(ctx, c->offsets);
    float *const values = bytes_of(ctx, c->values);
    int64_t at = 0;
    for (int64_t i = 0; i < a->rows; ++i) {
        memset(sums, 0, sizeof sums);
        memset(has, 0, sizeof has);
        for (int64_t k = a->offsets[i]; k < a->offsets[i + 1]; ++k)
            for (int64_t l = b->offsets[a->indices[k]]; l < b->offsets[a->indices[k] + 1]; ++l) {
                const float term = (float)a->values[k] * (float)b->values[l];
                sums[b->indices[l]] += term;
                has[b->indices[l]] = 1;
            }
        assert_int_equal(offsets[i], at < capacity ? at : capacity);
        for (int32_t j = 0; j < B_COLS; ++j) {
            if (!has[j]) continue;
            if (at < capacity) {
                assert_int_equal(columns[at], j);
                assert_memory_equal(&values[at], &sums[j], sizeof(float));
            }
            ++at;
        }
    }
    free(columns);
    free(offsets);
    free(values);
    return at;
}

/* What is behind the capacity stays. */
static void assert_rows_with(sparcl_ctx *ctx, int wide, bool is_known, int64_t less) {
    spec_matrix a_host = {0}, b_host = {0};
    sparcl_csr a = {0}, b = {0}, c = {.rows = ROWS, .cols = B_COLS};
    sparcl_spgemm *plan = NULL;
    int64_t entries = 0;
    fill_a(&a_host);
    fill_b(&b_host, wide);
    assert_ok(ctx, spec_put_csr(ctx, &a, &a_host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    assert_ok(ctx, spec_put_csr(ctx, &b, &b_host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    if (!is_known) a.proof.longest_row = b.proof.longest_row = 0;
    assert_ok(ctx, sparcl_spgemm_create(ctx, &plan));
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, plan, &a, &b));
    assert_ok(ctx, sparcl_spgemm_entries(ctx, plan, &entries));
    c.nnz = entries + 3;
    assert_ok(ctx, sparcl_csr_create(ctx, &c));
    assert_ok(ctx, sparcl_buf_fill(ctx, c.values, 0, c.nnz * 4, 0x7b));
    c.nnz = entries - less;
    assert_ok(ctx, sparcl_spgemm_numeric(ctx, plan, &c, &a, &b, NULL));
    assert_int_equal(assert_rows(ctx, &c, &a_host, &b_host, c.nnz), entries);
    int32_t behind = 0;
    assert_ok(ctx, sparcl_buf_read(ctx, c.values, c.nnz * 4, 4, &behind));
    assert_int_equal(behind, 0x7b7b7b7b);
    sparcl_spgemm_free(plan);
    sparcl_csr_free(&a);
    sparcl_csr_free(&b);
    sparcl_csr_free(&c);
    spec_matrix_free(&a_host);
    spec_matrix_free(&b_host);
}

static void rows_of_any_length_are_added_in_order(void **state) {
    sparcl_ctx *ctx = *state;
    if (test_is_small() || spc_has_short_loops(ctx)) skip(); /* long rows are refused there */
    assert_rows_with(ctx, 40, true, 0);                      /* of which one has the work 1026 */
    assert_rows_with(ctx, 39, true, 1);
    assert_rows_with(ctx, 39, false, 5000);
}

static void a_row_of_exactly_a_tile_is_added_in_order(void **state) {
    class_contexts all = open_classes(*state);
    for (int k = 0; k < 3; ++k)
        for (int count = 1021; count <= 1025 && all.contexts[k]; ++count) {
            /* One row: one entry, of a row of B of so many: work count + 2. */
            spec_matrix a_host = {0}, b_host = {0};
            sparcl_csr a = {0}, b = {0}, c = {.rows = 1, .cols = B_COLS, .nnz = count};
            sparcl_ctx *const ctx = all.contexts[k];
            sparcl_spgemm *plan = NULL;
            assert_true(spec_matrix_alloc(&a_host, 1, 1, 1));
            assert_true(spec_matrix_alloc(&b_host, 1, B_COLS, count));
            a_host.offsets[1] = 1;
            a_host.values[0] = -0.0;
            b_host.offsets[1] = count;
            for (int j = 0; j < count; ++j) {
                b_host.indices[j] = 3 * j;
                b_host.values[j] = j;
            }
            assert_ok(ctx,
                      spec_put_csr(ctx, &a, &a_host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
            assert_ok(ctx,
                      spec_put_csr(ctx, &b, &b_host, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
            assert_ok(ctx, sparcl_csr_create(ctx, &c));
            assert_ok(ctx, sparcl_spgemm_create(ctx, &plan));
            assert_ok(ctx, sparcl_spgemm_symbolic(ctx, plan, &a, &b));
            assert_ok(ctx, sparcl_spgemm_numeric(ctx, plan, &c, &a, &b, NULL));
            assert_int_equal(assert_rows(ctx, &c, &a_host, &b_host, count), count);
            sparcl_spgemm_free(plan);
            sparcl_csr_free(&a);
            sparcl_csr_free(&b);
            sparcl_csr_free(&c);
            spec_matrix_free(&a_host);
            spec_matrix_free(&b_host);
        }
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(a_plan_must_be_that_of_the_matrices),
        cmocka_unit_test(a_plan_is_used_for_other_values),
        cmocka_unit_test(a_plan_is_used_for_larger_and_smaller_matrices),
        cmocka_unit_test(one_gradient_is_computed_without_the_other),
        cmocka_unit_test(rows_of_any_length_are_added_in_order),
        cmocka_unit_test(a_row_of_exactly_a_tile_is_added_in_order),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
