/* test_csr_binary.c: what the header says of sums and products of CSR matrices element by element.
 */
#include "op_test.h"

#include "sparcl/views.h"

enum { ROWS = 3, COLS = 4, BOTH = 2, EITHER = 7 };

/* A: 1 . 2 .   B: . . 5 .      the entries of both: (0, 2) and (2, 1)
 *    . . . .      6 . . .
 *    3 4 . .      . 7 . 8  */
static const int32_t a_offsets[] = {0, 2, 2, 4}, a_columns[] = {0, 2, 0, 1};
static const int32_t b_offsets[] = {0, 1, 2, 4}, b_columns[] = {2, 0, 1, 3};
static const float a_values[] = {1, 2, 3, 4}, b_values[] = {5, 6, 7, 8};

/* The two matrices, a result with capacity for seven entries, and gradients. */
typedef struct pair {
    sparcl_csr a, b, c;
    sparcl_csr_sources sources;
    sparcl_dense g, ga, gb, x, v, gx;
} pair;

static sparcl_dense vector(sparcl_ctx *ctx, int64_t count) {
    float *const x = make_floats(count, 3);
    const sparcl_dense v = {.rank = 1, .shape = {count}, .values = put_spare(ctx, x, count)};
    free(x);
    return v;
}

static pair make_pair(sparcl_ctx *ctx) {
    pair s = {.a = {.rows = ROWS, .cols = COLS, .nnz = 4}, .c = {.rows = ROWS, .cols = COLS}};
    s.b = s.a;
    s.c.nnz = EITHER;
    assert_ok(ctx, sparcl_csr_upload(ctx, &s.a, a_offsets, a_columns, a_values, SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_csr_upload(ctx, &s.b, b_offsets, b_columns, b_values, SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_csr_create(ctx, &s.c));
    assert_ok(ctx, sparcl_buf_create(ctx, &s.sources.a, EITHER * 8));
    assert_ok(ctx, sparcl_buf_create(ctx, &s.sources.b, EITHER * 8));
    assert_ok(ctx, sparcl_buf_create(ctx, &s.sources.needed, 8));
    s.g = vector(ctx, EITHER);
    s.ga = vector(ctx, 4);
    s.gb = vector(ctx, 4);
    s.v = vector(ctx, 4);
    s.x = vector(ctx, ROWS * COLS);
    s.x.rank = 2;
    s.x.shape[0] = ROWS;
    s.x.shape[1] = COLS;
    s.gx = s.x;
    s.gx.values = vector(ctx, ROWS * COLS).values;
    return s;
}

static void free_pair(pair *s) {
    sparcl_dense *const all[] = {&s->g, &s->ga, &s->gb, &s->x, &s->v, &s->gx};
    sparcl_csr_free(&s->a);
    sparcl_csr_free(&s->b);
    sparcl_csr_free(&s->c);
    sparcl_buf_free(s->sources.a);
    sparcl_buf_free(s->sources.b);
    sparcl_buf_free(s->sources.needed);
    for (size_t i = 0; i < COUNT(all); ++i)
        sparcl_dense_free(all[i]);
}

#define ADD(s)      sparcl_csr_add(ctx, &(s).c, 1, &(s).a, -1, &(s).b, &(s).sources)
#define MULTIPLY(s) sparcl_csr_multiply(ctx, &(s).c, &(s).a, &(s).b, &(s).sources)
#define ADD_GRADIENT(s)                                                                            \
    sparcl_csr_add_gradient(ctx, &(s).ga, &(s).gb, 1, -1, &(s).g, &(s).c, &(s).sources)
#define DENSE(s) sparcl_csr_multiply_dense(ctx, &(s).v, &(s).a, &(s).x)
#define DENSE_GRADIENT(s)                                                                          \
    sparcl_csr_multiply_dense_gradient(ctx, &(s).gb, &(s).gx, &(s).ga, &(s).a, &(s).x)

static void assert_entries(sparcl_ctx *ctx, const sparcl_csr *c, int count, const int32_t *offsets,
                           const int32_t *columns, const float *values) {
    int32_t got_offsets[ROWS + 1], got_columns[EITHER];
    float got_values[EITHER];
    assert_ok(ctx, sparcl_buf_read(ctx, c->offsets, 0, sizeof got_offsets, got_offsets));
    assert_ok(ctx, sparcl_buf_read(ctx, c->indices, 0, count * 4, got_columns));
    assert_ok(ctx, sparcl_buf_read(ctx, c->values, 0, count * 4, got_values));
    assert_memory_equal(got_offsets, offsets, sizeof got_offsets);
    assert_memory_equal(got_columns, columns, (size_t)count * 4);
    assert_memory_equal(got_values, values, (size_t)count * 4);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make_pair(ctx);
    snapshot kept = SNAPSHOT(ctx, s.c.offsets, s.c.indices, s.c.values, s.sources.needed,
                             s.ga.values, s.gb.values, s.v.values, s.gx.values);
#define REFUSED(call, violation, status, part)                                                     \
    assert_violation_refused(pair, s, violation, call(x), status, part,                            \
                             assert_unchanged(ctx, &kept))
    REFUSED(ADD, ++x.b.cols, SPARCL_E_SHAPE, "csr_add: B is 3 x 5, A 3 x 4");
    REFUSED(MULTIPLY, ++x.c.cols, SPARCL_E_SHAPE, "csr_multiply: C is 3 x 5, A 3 x 4");
    REFUSED(ADD, x.b.dtype = SPARCL_F16, SPARCL_E_DTYPE, "B is f16 and A f32");
    REFUSED(ADD, x.a.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "A has element type 4 (int32)");
    REFUSED(ADD, (x.a.proof.flags = SPARCL_TRUSTED, x.a.proof.stamp = 0), SPARCL_E_UNCHECKED, "A");
    REFUSED(ADD, (x.b.proof.flags = SPARCL_TRUSTED | SPARCL_SORTED, x.b.proof.stamp = 0),
            SPARCL_E_UNCHECKED, "B");
    REFUSED(ADD, x.c.values = x.a.values, SPARCL_E_SHAPE, "C needs");
    REFUSED(ADD, (x.c.nnz = 4, x.c.values = x.a.values), SPARCL_E_ALIAS, "overlap");
    REFUSED(ADD, x.sources.a = x.sources.b, SPARCL_E_ALIAS, "overlap");
    REFUSED(ADD, x.sources.b_at = 1, SPARCL_E_SHAPE, "the sources in B needs 7 elements");
    REFUSED(ADD_GRADIENT, --x.g.shape[0], SPARCL_E_SHAPE,
            "G has 6 elements, expected one for each of 7 entries");
    REFUSED(ADD_GRADIENT, x.gb.rank = 2, SPARCL_E_SHAPE, "gb has rank 2");
    REFUSED(ADD_GRADIENT, x.gb.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "gb is bf16 and G f32");
    REFUSED(ADD_GRADIENT, x.gb.values = x.ga.values, SPARCL_E_ALIAS, "gb overlaps ga");
    REFUSED(ADD_GRADIENT, x.c.proof.flags = 0, SPARCL_E_UNCHECKED, "C");
    REFUSED(DENSE, --x.x.shape[0], SPARCL_E_SHAPE, "A is 3 x 4, X has rank 2 and 2 rows of 4");
    REFUSED(DENSE, --x.v.shape[0], SPARCL_E_SHAPE,
            "v has 3 elements, expected one for each of 4 entries");
    REFUSED(DENSE, x.x.dtype = SPARCL_F16, SPARCL_E_DTYPE, "X is f16 and A f32");
    REFUSED(DENSE, x.v.values = x.a.values, SPARCL_E_ALIAS, "v overlaps");
    REFUSED(DENSE, x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(DENSE_GRADIENT, --x.gx.shape[1], SPARCL_E_SHAPE, "gx has rank 2 and 3 rows of 3");
    REFUSED(DENSE_GRADIENT, --x.ga.shape[0], SPARCL_E_SHAPE,
            "G has 3 elements, expected one for each of 4 entries");
    REFUSED(DENSE_GRADIENT, --x.gb.shape[0], SPARCL_E_SHAPE,
            "gv has 3 elements, expected one for each of 4 entries");
    REFUSED(DENSE_GRADIENT, x.gx.dtype = SPARCL_F16, SPARCL_E_DTYPE, "gx is f16 and A f32");
    REFUSED(DENSE_GRADIENT, x.gx.values = x.x.values, SPARCL_E_ALIAS, "gx overlaps");
    REFUSED(DENSE_GRADIENT, x.gb.values = x.gx.values, SPARCL_E_ALIAS, "overlaps");
    REFUSED(DENSE_GRADIENT, x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    snapshot_free(&kept);
    free_pair(&s);
}

static void a_sum_has_the_entries_of_either_and_a_product_those_of_both(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make_pair(ctx);
    const int32_t either[] = {0, 2, 3, 6}, columns[] = {0, 2, 0, 0, 1, 3};
    const int32_t both[] = {0, 1, 1, 2}, of_both[] = {2, 1};
    assert_ok(ctx, ADD(s));
    assert_entries(ctx, &s.c, 6, either, columns, (const float[]){1, -3, -6, 3, -3, -8});
    assert_int_equal(int_at(ctx, s.sources.needed, 0), 6);
    assert_int_equal(sparcl_csr_flags(&s.c) & (SPARCL_SORTED | SPARCL_UNIQUE),
                     SPARCL_SORTED | SPARCL_UNIQUE);
    assert_ok(ctx, MULTIPLY(s));
    assert_entries(ctx, &s.c, BOTH, both, of_both, (const float[]){10, 28});
    assert_int_equal(int_at(ctx, s.sources.needed, 0), BOTH);
    free_pair(&s);
}

static void entries_past_the_capacity_are_dropped(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make_pair(ctx);
    const int32_t cut[] = {0, 2, 3, 4}, columns[] = {0, 2, 0, 0};
    s.c.nnz = 4;
    assert_ok(ctx, sparcl_buf_fill(ctx, s.c.indices, 0, EITHER * 4, 0x55));
    assert_ok(ctx, sparcl_csr_add(ctx, &s.c, 1, &s.a, 1, &s.b,
                                  &(sparcl_csr_sources){.needed = s.sources.needed}));
    assert_entries(ctx, &s.c, 4, cut, columns, (const float[]){1, 7, 6, 3});
    assert_int_equal(int_at(ctx, s.sources.needed, 0), 6);
    int32_t last = 0;
    assert_ok(ctx, sparcl_buf_read(ctx, s.c.indices, 16, 4, &last));
    assert_int_equal(last, 0x55555555);
    free_pair(&s);
}

/* G is 10, 20, 30, 40; x is 0 to 11. */
static void the_gradient_by_a_dense_operand_is_dense_whatever_the_policy_is(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make_pair(ctx);
    const float g[] = {10, 20, 30, 40}, by_values[] = {0, 40, 240, 360};
    const float by_x[ROWS * COLS] = {10, 0, 40, 0, 0, 0, 0, 0, 90, 160, 0, 0};
    float x[ROWS * COLS], found[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; ++i)
        x[i] = (float)i;
    assert_ok(ctx, sparcl_dense_upload(ctx, &s.x, x));
    assert_ok(ctx, sparcl_dense_upload(ctx, &s.ga, g));
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ERROR, 0));
    assert_refused(ctx, sparcl_csr_to_dense(ctx, &s.gx, &s.a), SPARCL_E_UNSUPPORTED, "");
    assert_ok(ctx, DENSE_GRADIENT(s));
    assert_ok(ctx, sparcl_ctx_set_densify(ctx, SPARCL_DENSIFY_ALLOW, 0));
    assert_ok(ctx, sparcl_dense_read(ctx, &s.gb, found));
    assert_memory_equal(found, by_values, sizeof by_values);
    assert_ok(ctx, sparcl_dense_read(ctx, &s.gx, found));
    assert_memory_equal(found, by_x, sizeof by_x);
    assert_ok(ctx, sparcl_csr_multiply_dense_gradient(ctx, NULL, &s.gx, &s.ga, &s.a, &s.x));
    assert_ok(ctx, sparcl_csr_multiply_dense_gradient(ctx, &s.gb, NULL, &s.ga, &s.a, &s.x));
    free_pair(&s);
}

static void values_that_are_0_stay_entries(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make_pair(ctx);
    const int32_t columns[] = {0, 2, 0, 1};
    s.c.nnz = 4;
    assert_ok(ctx, sparcl_csr_add(ctx, &s.c, 1, &s.a, -1, &s.a, NULL));
    assert_entries(ctx, &s.c, 4, a_offsets, columns, (const float[]){0, 0, 0, 0});
    free_pair(&s);
}

static void gradients_reach_the_entries_that_a_result_is_of(void **state) {
    sparcl_ctx *ctx = *state;
    pair s = make_pair(ctx);
    const float g[EITHER] = {10, 20, 30, 40, 50, 60, NAN};
    assert_ok(ctx, sparcl_buf_write(ctx, s.g.values, 0, sizeof g, g));
    assert_ok(ctx, ADD(s));
    assert_ok(ctx, ADD_GRADIENT(s));
    const float of_a[] = {10, 20, 40, 50}, of_b[] = {-20, -30, -50, -60};
    for (int k = 0; k < 4; ++k) {
        assert_true(float_at(ctx, s.ga.values, k) == of_a[k]);
        assert_true(float_at(ctx, s.gb.values, k) == of_b[k]);
    }
    assert_ok(ctx, MULTIPLY(s));
    assert_ok(ctx,
              sparcl_csr_multiply_gradient(ctx, &s.ga, &s.gb, &s.g, &s.c, &s.a, &s.b, &s.sources));
    const float by_a[] = {0, 50, 0, 140}, by_b[] = {20, 0, 80, 0};
    for (int k = 0; k < 4; ++k) {
        assert_true(float_at(ctx, s.ga.values, k) == by_a[k]);
        assert_true(float_at(ctx, s.gb.values, k) == by_b[k]);
    }
    assert_ok(ctx, sparcl_csr_add_gradient(ctx, NULL, &s.gb, 1, 1, &s.g, &s.c, &s.sources));
    assert_true(float_at(ctx, s.ga.values, 1) == 50);
    free_pair(&s);
}

static sparcl_buf *sum(sparcl_ctx *ctx, const void *nothing) {
    (void)nothing;
    pair s = make_pair(ctx);
    assert_ok(ctx, sparcl_buf_fill(ctx, s.c.values, 0, EITHER * 4, 0));
    assert_ok(ctx, ADD(s));
    sparcl_buf *const result = s.c.values;
    s.c.values = NULL;
    free_pair(&s);
    return result;
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    assert_same_bits(&all, sum, NULL);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(a_sum_has_the_entries_of_either_and_a_product_those_of_both),
        cmocka_unit_test(entries_past_the_capacity_are_dropped),
        cmocka_unit_test(the_gradient_by_a_dense_operand_is_dense_whatever_the_policy_is),
        cmocka_unit_test(values_that_are_0_stay_entries),
        cmocka_unit_test(gradients_reach_the_entries_that_a_result_is_of),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
