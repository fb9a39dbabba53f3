/* test_embedding.c: what the header says of lookups and bags. */
#include "op_test.h"

#include "sparcl/ops/layers.h"
#include "sparcl/ops/products.h"

enum { BAGS = 3, ROWS = 6, D = 2, COUNT_OF_LIST = 7 };

/* Three bags, the second empty, of a table [6, 2]; and all results. */
typedef struct world {
    sparcl_bags bags;
    sparcl_dense to, table, positions, g, gw;
    sparcl_csr matrix;
    sparcl_rows rows;
    sparcl_buf *bad, *source;
} world;

static const float table_host[ROWS * D] = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60};

static sparcl_buf *zeros(sparcl_ctx *ctx, int64_t bytes) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, bytes));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, bytes, 0));
    return buf;
}

static world make_world(sparcl_ctx *ctx, const int64_t *ids) {
    const int64_t usual[] = {0, 2, 5, 1, 1, 4, 3}, offsets[] = {0, 3, 3, 7};
    const float g[] = {1, 2, 3, 4, 5, 6};
    world w = {.bags = {.bags = BAGS,
                        .indices = {.count = COUNT_OF_LIST,
                                    .limit = ROWS,
                                    .proof = {.flags = ids ? 0 : SPARCL_TRUSTED}},
                        .include_last = 1}};
    w.bags.indices.indices = put_ints(ctx, ids ? ids : usual, COUNT_OF_LIST, SPARCL_INDEX32);
    w.bags.offsets = put_ints(ctx, offsets, BAGS + 1, SPARCL_INDEX32);
    w.table = (sparcl_dense){.rank = 2, .shape = {ROWS, D}, .values = put(ctx, table_host, 48)};
    w.to = (sparcl_dense){.rank = 2, .shape = {BAGS, D}, .values = zeros(ctx, 1024)};
    w.g = (sparcl_dense){.rank = 2, .shape = {BAGS, D}, .values = put(ctx, g, sizeof g)};
    w.gw = (sparcl_dense){.rank = 1, .shape = {COUNT_OF_LIST}, .values = zeros(ctx, 1024)};
    w.positions = (sparcl_dense){
        .rank = 2, .dtype = SPARCL_INT64, .shape = {BAGS, D}, .values = zeros(ctx, 1024)};
    w.matrix = (sparcl_csr){.rows = BAGS,
                            .cols = ROWS,
                            .nnz = COUNT_OF_LIST,
                            .offsets = zeros(ctx, 1024),
                            .indices = zeros(ctx, 1024),
                            .values = zeros(ctx, 1024)};
    w.rows = (sparcl_rows){.rank = 2,
                           .shape = {ROWS, D},
                           .nnr = COUNT_OF_LIST,
                           .indices = zeros(ctx, 1024),
                           .values = zeros(ctx, 1024),
                           .count = zeros(ctx, 8)};
    w.bad = zeros(ctx, 16);
    w.source = zeros(ctx, 1024);
    return w;
}

static void free_world(world *w) {
    sparcl_buf *const all[] = {w->bags.indices.indices,
                               w->bags.offsets,
                               w->table.values,
                               w->to.values,
                               w->g.values,
                               w->gw.values,
                               w->positions.values,
                               w->bad,
                               w->source};
    for (size_t i = 0; i < COUNT(all); ++i)
        sparcl_buf_free(all[i]);
    sparcl_csr_free(&w->matrix);
    sparcl_rows_free(&w->rows);
}

static void assert_floats(sparcl_ctx *ctx, const sparcl_buf *buf, const float *expected,
                          int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const float got = float_at(ctx, buf, i);
        if (got != expected[i])
            fail_msg("element %lld is %g, expected %g", (long long)i, (double)got,
                     (double)expected[i]);
    }
}

#define BAG(w) sparcl_embedding_bag(ctx, &(w).to, &(w).table, &(w).bags, NULL, NULL, 0)

static void each_mode_gives_what_it_says_and_empty_bags_0(void **state) {
    sparcl_ctx *ctx = *state;
    static const float expected[][BAGS * D] = {{10, 100, 0, 0, 13, 130},
                                               {10 / 3.f, 100 / 3.f, 0, 0, 3.25, 32.5},
                                               {0, 0, 0, 0, 6.5, 65},
                                               {6, 60, 0, 0, 5, 50}};
    for (int mode = SPARCL_BAG_SUM; mode <= SPARCL_BAG_MAX; ++mode) {
        world w = make_world(ctx, NULL);
        w.bags.mode = (sparcl_bag_mode)mode;
        assert_ok(ctx, BAG(w));
        const int skip = mode == SPARCL_BAG_SQRTN ? 2 : 0; /* by the root of 3 */
        for (int i = skip; i < BAGS * D; ++i)
            assert_true(float_at(ctx, w.to.values, i) == expected[mode][i]);
        free_world(&w);
    }
}

static void weights_count_in_sums_means_and_roots(void **state) {
    sparcl_ctx *ctx = *state;
    const float weights[] = {1, 2, 1, 3, 0, 4, 0};
    static const float expected[][BAGS * D] = {
        {13, 130, 0, 0, 26, 260}, {3.25, 32.5, 0, 0, 26 / 7.f, 260 / 7.f}, {0, 0, 0, 0, 5.2f, 52}};
    for (int mode = SPARCL_BAG_SUM; mode <= SPARCL_BAG_SQRTN; ++mode) {
        world w = make_world(ctx, NULL);
        w.bags.mode = (sparcl_bag_mode)mode;
        w.bags.weights = put(ctx, weights, sizeof weights);
        assert_ok(ctx, BAG(w));
        for (int i = mode == SPARCL_BAG_SQRTN ? 2 : 0; i < BAGS * D; ++i)
            assert_true(float_at(ctx, w.to.values, i) == expected[mode][i]);
        sparcl_buf_free(w.bags.weights);
        free_world(&w);
    }
}

static void the_padding_index_is_left_out(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, NULL);
    w.bags.mode = SPARCL_BAG_MEAN;
    w.bags.has_padding = 1;
    w.bags.padding_index = 1;
    assert_ok(ctx, BAG(w));
    assert_floats(ctx, w.to.values, (const float[]){10 / 3.f, 100 / 3.f, 0, 0, 4.5, 45}, BAGS * D);
    assert_ok(ctx, sparcl_embedding_bag_gradient(ctx, &w.rows, &w.g, &w.bags, NULL));
    assert_int_equal(int_at(ctx, w.rows.count, 0), 5); /* no row for the padding */
    free_world(&w);
}

static void a_gradient_is_divided_by_the_number_of_entries_of_a_row(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, NULL);
    w.bags.scale_by_frequency = 1;
    assert_ok(ctx, sparcl_embedding_bag_gradient(ctx, &w.rows, &w.g, &w.bags, NULL));
    /* index 1 is twice in the last bag, whose gradient is 5, 6 */
    const float expected[ROWS * D] = {1, 2, 5, 6, 1, 2, 5, 6, 5, 6, 1, 2};
    assert_floats(ctx, w.rows.values, expected, ROWS * D);
    w.bags.mode = SPARCL_BAG_MAX;
    assert_int_equal(sparcl_embedding_bag_gradient(ctx, &w.rows, &w.g, &w.bags, &w.positions),
                     SPARCL_E_ARG);
    assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "scale_by_frequency is 1 in mode max"));
    free_world(&w);
}

#define RENORM(w, max, type) sparcl_embedding_renorm(ctx, &(w).table, &(w).bags, max, type)

static void rows_in_bags_get_the_norm_that_they_may_have(void **state) {
    sparcl_ctx *ctx = *state;
    static const double types[] = {1, 2, INFINITY};
    for (int t = 0; t < 3; ++t) {
        world w = make_world(ctx, NULL);
        const int64_t ids[] = {0, 5, 5, 1, 5, 0, 5};
        sparcl_buf_free(w.bags.indices.indices);
        w.bags.indices.indices = put_ints(ctx, ids, COUNT_OF_LIST, SPARCL_INDEX32);
        w.bags.has_padding = 1;
        w.bags.padding_index = 1; /* its row is not read, and stays */
        assert_ok(ctx, RENORM(w, 15, types[t]));
        for (int i = 0; i < ROWS; ++i) {
            const float x = table_host[2 * i], y = table_host[2 * i + 1];
            const float norm = t == 0 ? x + y : t == 1 ? hypotf(x, y) : y;
            const float scale = i == 5 ? 15 / norm : 1; /* row 0 has a norm below 15 */
            assert_true(fabsf(float_at(ctx, w.table.values, 2 * i) - x * scale) < 1e-5F);
            assert_true(fabsf(float_at(ctx, w.table.values, 2 * i + 1) - y * scale) < 1e-5F);
        }
        free_world(&w);
    }
}

static void a_row_with_nan_stays_and_what_does_not_fit_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, NULL);
    const float nan_row[] = {NAN, 60};
    assert_ok(ctx, sparcl_buf_write(ctx, w.table.values, 40, 8, nan_row));
    assert_ok(ctx, RENORM(w, 55, 2));
    assert_true(isnan(float_at(ctx, w.table.values, 10)));
    assert_floats(ctx, w.table.values, table_host, 10);
    assert_true(float_at(ctx, w.table.values, 11) == 60);
#define RENORM_REFUSED(violation, max, type, status, part)                                         \
    assert_violation_refused(world, w, violation, RENORM(x, max, type), status, part, (void)0)
    RENORM_REFUSED((void)x, -1, 2, SPARCL_E_ARG, "the maximum is -1");
    RENORM_REFUSED((void)x, NAN, 2, SPARCL_E_ARG, "the maximum is");
    RENORM_REFUSED((void)x, 1, 3, SPARCL_E_ARG, "the type of the norm is 3");
    RENORM_REFUSED(--x.table.shape[0], 1, 2, SPARCL_E_SHAPE, "the table has 5 rows");
    RENORM_REFUSED(x.bags.indices.proof.flags = 0, 1, 2, SPARCL_E_UNCHECKED, "the list");
    RENORM_REFUSED(x.table.values = x.bags.indices.indices, 1, 2, SPARCL_E_SHAPE, "the table");
    w.bags.indices.count = w.bags.bags = 0;
    assert_ok(ctx, RENORM(w, 0, 2));
    assert_floats(ctx, w.table.values, table_host, 10);
    free_world(&w);
}

/* Of rows that are longer than a block, most of them several times in the bags. */
static sparcl_buf *long_rows(sparcl_ctx *ctx, const void *norm_type) {
    enum { WIDTH = 700, IDS = 40 };
    int64_t ids[IDS];
    float *const x = make_floats(ROWS * WIDTH, 3);
    for (int64_t k = 0; k < IDS; ++k)
        ids[k] = k * k % ROWS;
    const sparcl_dense table = {
        .rank = 2, .shape = {ROWS, WIDTH}, .values = put(ctx, x, ROWS * WIDTH * 4)};
    const sparcl_bags bags = {.bags = IDS,
                              .indices = {.count = IDS,
                                          .limit = ROWS,
                                          .indices = put_ints(ctx, ids, IDS, SPARCL_INDEX32),
                                          .proof = {.flags = SPARCL_TRUSTED}}};
    assert_ok(ctx, sparcl_embedding_renorm(ctx, &table, &bags, 0.5, *(const double *)norm_type));
    sparcl_buf_free(bags.indices.indices);
    free(x);
    return table.values;
}

static void norms_have_the_same_bits_in_both_classes(void **state) {
    class_contexts all = open_classes(*state);
    static const double types[] = {1, 2, INFINITY};
    for (int t = 0; t < 3; ++t)
        assert_same_bits(&all, long_rows, &types[t]);
    close_classes(&all);
}

static const int64_t bad_ids[] = {0, -2, 5, 1, 99, 6, 3};

static void bad_indices_are_clamped_or_skipped_and_counted(void **state) {
    sparcl_ctx *ctx = *state;
    static const float expected[][BAGS * D] = {{8, 80, 0, 0, 18, 180}, {7, 70, 0, 0, 6, 60}};
    for (int skip = 0; skip < 2; ++skip) {
        world w = make_world(ctx, bad_ids);
        w.bags.bounds = skip ? SPARCL_BOUNDS_SKIP : SPARCL_BOUNDS_CLAMP;
        assert_ok(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, NULL, w.bad, 1));
        assert_floats(ctx, w.to.values, expected[skip], BAGS * D);
        assert_int_equal(int_at(ctx, w.bad, 1), 3);
        assert_int_equal(int_at(ctx, w.bad, 0), 0);
        free_world(&w);
    }
}

static void a_padding_index_may_be_outside_the_table_and_is_not_bad(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, bad_ids);
    w.bags.bounds = SPARCL_BOUNDS_SKIP;
    w.bags.has_padding = 1;
    w.bags.padding_index = -2;
    assert_ok(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, NULL, w.bad, 0));
    assert_int_equal(int_at(ctx, w.bad, 0), 2);
    free_world(&w);
}

static void the_maximum_is_the_first_and_a_nan_wins(void **state) {
    sparcl_ctx *ctx = *state;
    const float table[ROWS * D] = {1, 7, NAN, 7, 3, 7, NAN, 2, 5, 9, 6, -1};
    world w = make_world(ctx, NULL);
    w.bags.mode = SPARCL_BAG_MAX;
    assert_ok(ctx, sparcl_buf_write(ctx, w.table.values, 0, sizeof table, table));
    assert_ok(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, &w.positions, NULL, 0));
    assert_true(float_at(ctx, w.to.values, 0) == 6 && float_at(ctx, w.to.values, 1) == 7);
    assert_true(isnan(float_at(ctx, w.to.values, 4)) && float_at(ctx, w.to.values, 5) == 9);
    const int64_t expected[] = {2, 0, -1, -1, 3, 5};
    for (int i = 0; i < BAGS * D; ++i)
        assert_int_equal(int_at(ctx, w.positions.values, i), expected[i]);
    free_world(&w);
}

static void a_maximum_of_minus_infinity_has_a_position(void **state) {
    sparcl_ctx *ctx = *state;
    const float table[ROWS * D] = {-INFINITY, -INFINITY, 0, 0, -INFINITY, -INFINITY,
                                   0,         0,         0, 0, -INFINITY, -INFINITY};
    world w = make_world(ctx, NULL);
    w.bags.mode = SPARCL_BAG_MAX;
    assert_ok(ctx, sparcl_buf_write(ctx, w.table.values, 0, sizeof table, table));
    assert_ok(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, &w.positions, NULL, 0));
    assert_true(float_at(ctx, w.to.values, 0) == -INFINITY);
    assert_int_equal(int_at(ctx, w.positions.values, 0), 0);
    free_world(&w);
}

static void offsets_without_the_last_give_the_same(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, NULL);
    w.bags.include_last = 0;
    assert_ok(ctx, BAG(w));
    assert_floats(ctx, w.to.values, (const float[]){10, 100, 0, 0, 13, 130}, BAGS * D);
    free_world(&w);
}

static void wrong_offsets_do_no_harm(void **state) {
    sparcl_ctx *ctx = *state;
    const int32_t offsets[] = {-5, 1000, 2, INT32_MAX};
    world w = make_world(ctx, NULL);
    assert_ok(ctx, sparcl_buf_write(ctx, w.bags.offsets, 0, sizeof offsets, offsets));
    assert_ok(ctx, BAG(w));
    assert_ok(ctx, sparcl_embedding_bag_matrix(ctx, &w.matrix, &w.bags, w.source, 0));
    assert_ok(ctx, sparcl_csr_validate(ctx, &w.matrix, 0));
    assert_ok(ctx,
              sparcl_embedding_bag_weights_gradient(ctx, &w.gw, &w.g, &w.table, NULL, &w.bags));
    assert_true(float_at(ctx, w.to.values, 0) == 23); /* all entries; then none */
    assert_true(float_at(ctx, w.to.values, 2) == 0);
    free_world(&w);
}

enum { LONG_LIST = 1000 };

/* Bags of 700, no and 300 indices, which are k % ROWS. */
static world make_long_world(sparcl_ctx *ctx) {
    const int64_t offsets[] = {0, 700, 700, LONG_LIST};
    int64_t ids[LONG_LIST];
    world w = make_world(ctx, NULL);
    for (int64_t k = 0; k < LONG_LIST; ++k)
        ids[k] = k % ROWS;
    sparcl_buf_free(w.bags.indices.indices);
    sparcl_buf_free(w.bags.offsets);
    w.bags.indices.indices = put_ints(ctx, ids, LONG_LIST, SPARCL_INDEX32);
    w.bags.indices.count = LONG_LIST;
    w.bags.offsets = put_ints(ctx, offsets, BAGS + 1, SPARCL_INDEX32);
    return w;
}

static int64_t launches_of_bag(sparcl_ctx *ctx, const world *w) {
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, BAG(*w));
    return sparcl_ctx_launches(ctx) - before;
}

static void assert_long_sums(sparcl_ctx *ctx, const world *w) {
    float expected[BAGS * D] = {0};
    for (int k = 0; k < LONG_LIST; ++k)
        for (int j = 0; j < D; ++j)
            expected[(k < 700 ? 0 : 2) * D + j] += table_host[k % ROWS * D + j];
    assert_floats(ctx, w->to.values, expected, BAGS * D);
}

/* A bag that is longer than was said has its sum all the same. */
static void long_bags_take_a_launch_more_unless_there_are_none(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    (void)state;
    if (!ctx) skip();
    world w = make_long_world(ctx);
    for (int64_t longest = 0; longest <= 768; longest += 256) {
        w.bags.longest = longest;
        assert_int_equal(launches_of_bag(ctx, &w), longest == 256 ? 1 : 2);
        assert_long_sums(ctx, &w);
    }
    w.bags.longest = 0;
    w.bags.has_padding = 1;
    w.bags.padding_index = ROWS;
    assert_int_equal(launches_of_bag(ctx, &w), 1);
    assert_long_sums(ctx, &w);
    w.bags.mode = SPARCL_BAG_MAX;
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, &w.positions, NULL, 0));
    assert_int_equal(sparcl_ctx_launches(ctx) - before, 2);
    assert_int_equal(int_at(ctx, w.positions.values, 0), 5);
    assert_int_equal(int_at(ctx, w.positions.values, 2), -1);
    assert_int_equal(int_at(ctx, w.positions.values, 4), 701);
    free_world(&w);
    sparcl_ctx_close(ctx);
}

static void descending_offsets_of_long_bags_do_no_harm(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    const int32_t wrong[] = {900, 100, INT32_MAX, -3}, right[] = {0, 700, 700, LONG_LIST};
    (void)state;
    if (!ctx) skip();
    world w = make_long_world(ctx);
    assert_ok(ctx, sparcl_buf_write(ctx, w.bags.offsets, 0, sizeof wrong, wrong));
    assert_ok(ctx, BAG(w));
    assert_ok(ctx, sparcl_buf_write(ctx, w.bags.offsets, 0, sizeof right, right));
    assert_ok(ctx, BAG(w));
    assert_long_sums(ctx, &w);
    free_world(&w);
    sparcl_ctx_close(ctx);
}

static void a_lookup_has_rows_of_0_for_what_is_left_out(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, bad_ids);
    sparcl_buf *const offsets = w.bags.offsets;
    w.bags.bags = COUNT_OF_LIST;
    w.bags.offsets = NULL;
    w.bags.bounds = SPARCL_BOUNDS_SKIP;
    w.bags.has_padding = 1;
    w.bags.padding_index = 3;
    w.to.shape[0] = COUNT_OF_LIST;
    assert_ok(ctx, sparcl_embedding(ctx, &w.to, &w.table, &w.bags, w.bad, 0));
    assert_floats(ctx, w.to.values, (const float[]){1, 10, 0, 0, 6, 60, 2, 20, 0, 0, 0, 0, 0, 0},
                  COUNT_OF_LIST * D);
    assert_int_equal(int_at(ctx, w.bad, 0), 3);
    w.bags.offsets = offsets;
    free_world(&w);
}

static void a_sum_has_the_bits_of_the_product_with_its_matrix(void **state) {
    sparcl_ctx *ctx = *state;
    const float weights[] = {1.1f, 2.3f, 0.7f, 3.1f, 0.3f, 4.9f, 0.1f};
    world w = make_world(ctx, NULL);
    w.bags.weights = put(ctx, weights, sizeof weights);
    assert_ok(ctx, BAG(w));
    void *const bytes = bytes_of(ctx, w.to.values);
    assert_ok(ctx, sparcl_embedding_bag_matrix(ctx, &w.matrix, &w.bags, NULL, 0));
    assert_true(sparcl_csr_flags(&w.matrix) & SPARCL_VALID);
    assert_ok(ctx, sparcl_spmm(ctx, &w.to, 1, &w.matrix, &w.table, 0));
    assert_holds(ctx, w.to.values, bytes);
    free(bytes);
    sparcl_buf_free(w.bags.weights);
    free_world(&w);
}

static void the_gradient_of_a_maximum_goes_to_its_row(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, NULL);
    w.bags.mode = SPARCL_BAG_MAX;
    assert_ok(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, &w.positions, NULL, 0));
    assert_ok(ctx, sparcl_embedding_bag_gradient(ctx, &w.rows, &w.g, &w.bags, &w.positions));
    assert_int_equal(int_at(ctx, w.rows.count, 0), ROWS);
    assert_floats(ctx, w.rows.values, (const float[]){0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 1, 2},
                  ROWS * D);
    assert_int_equal(sparcl_rows_flags(&w.rows), SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    free_world(&w);
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, NULL);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, w.to.values, w.rows.values, w.matrix.values, w.gw.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(world, w, violation, BAG(x), status, part,                            \
                             assert_unchanged(ctx, &kept))
    REFUSED(x.bags.mode = (sparcl_bag_mode)9, SPARCL_E_ARG, "the mode is 9");
    REFUSED(x.bags.bounds = (sparcl_bounds)3, SPARCL_E_ARG, "bounds is 3");
    REFUSED(x.bags.reserved[0] = 1, SPARCL_E_ARG, "the reserved field of the bags");
    REFUSED(x.bags.longest = -1, SPARCL_E_ARG, "the longest bag has -1 entries");
    REFUSED((x.bags.mode = SPARCL_BAG_MAX, x.bags.weights = x.g.values), SPARCL_E_ARG, "max");
    REFUSED(x.bags.bags = -1, SPARCL_E_SHAPE, "-1 bags");
    REFUSED(x.bags.offsets = NULL, SPARCL_E_SHAPE, "3 bags without offsets");
    REFUSED(x.bags.offset_type = (sparcl_itype)7, SPARCL_E_DTYPE, "offset type 7");
    REFUSED(x.bags.offsets_at = 1, SPARCL_E_SHAPE, "the offsets needs");
    REFUSED((x.bags.weights = x.g.values), SPARCL_E_SHAPE, "the weights needs");
    REFUSED(x.bags.indices.proof.flags = 0, SPARCL_E_UNCHECKED, "the list");
    REFUSED(x.table.shape[0] = 5, SPARCL_E_SHAPE, "the table has 5 rows, expected 6");
    REFUSED(x.to.shape[0] = 2, SPARCL_E_SHAPE, "the result has 2 rows, expected 3");
    REFUSED(x.to.shape[1] = 1, SPARCL_E_SHAPE, "rows of 1, expected rank 2 and 2");
    REFUSED(x.to.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.to.dtype = SPARCL_INT32, SPARCL_E_DTYPE, "int32");
    REFUSED(x.to.values = x.table.values, SPARCL_E_ALIAS, "the result overlaps the table");
    REFUSED((x.to.rank = x.table.rank = 3, x.to.shape[2] = x.table.shape[2] = 1), SPARCL_E_SHAPE,
            "rank 3, expected 1 or 2");
    assert_refused(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, NULL, NULL, NULL, 0),
                   SPARCL_E_ARG, "the bags are NULL");
    assert_refused(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, &w.positions, NULL, 0),
                   SPARCL_E_ARG, "positions are given");
    assert_refused(ctx, sparcl_embedding_bag(ctx, &w.to, &w.table, &w.bags, NULL, w.bad, 0),
                   SPARCL_E_ARG, "bad indices are counted");
    assert_refused(ctx, sparcl_embedding(ctx, &w.to, &w.table, &w.bags, NULL, 0), SPARCL_E_ARG,
                   "there are offsets");
    assert_unchanged(ctx, &kept);
    snapshot_free(&kept);
    free_world(&w);
}

static void gradients_refuse_what_does_not_fit(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx, NULL);
    snapshot kept = SNAPSHOT(ctx, w.rows.values, w.matrix.values, w.gw.values);
#define CHECK assert_unchanged(ctx, &kept)
#define REFUSED_MATRIX(violation, status, part)                                                    \
    assert_violation_refused(world, w, violation,                                                  \
                             sparcl_embedding_bag_matrix(ctx, &x.matrix, &x.bags, x.source, 0),    \
                             status, part, CHECK)
#define REFUSED_ROWS(violation, status, part)                                                      \
    assert_violation_refused(world, w, violation,                                                  \
                             sparcl_embedding_bag_gradient(ctx, &x.rows, &x.g, &x.bags, NULL),     \
                             status, part, CHECK)
#define REFUSED_WEIGHTS(violation, status, part)                                                   \
    assert_violation_refused(                                                                      \
        world, w, violation,                                                                       \
        sparcl_embedding_bag_weights_gradient(ctx, &x.gw, &x.g, &x.table, NULL, &x.bags), status,  \
        part, CHECK)
    REFUSED_MATRIX(x.matrix.rows = 2, SPARCL_E_SHAPE, "A is 2 x 6");
    REFUSED_MATRIX(x.matrix.nnz = 3, SPARCL_E_SHAPE, "at least 7 entries");
    REFUSED_MATRIX(x.source = x.bad, SPARCL_E_SHAPE, "the source needs");
    REFUSED_MATRIX(x.source = x.matrix.values, SPARCL_E_ALIAS, "");
    REFUSED_ROWS(x.rows.count = NULL, SPARCL_E_SHAPE, "R has no count");
    REFUSED_ROWS(x.rows.nnr = 5, SPARCL_E_SHAPE, "capacity for 5 rows, expected at least 6");
    REFUSED_ROWS(x.rows.shape[1] = 1, SPARCL_E_SHAPE, "R has rank 2 and 6 rows of 1");
    REFUSED_ROWS(x.bags.mode = SPARCL_BAG_MAX, SPARCL_E_ARG, "positions are NULL");
    REFUSED_ROWS(x.g.shape[0] = 2, SPARCL_E_SHAPE, "G has 2 rows");
    REFUSED_WEIGHTS(x.bags.mode = SPARCL_BAG_MAX, SPARCL_E_ARG, "has no weights");
    REFUSED_WEIGHTS(x.bags.mode = SPARCL_BAG_MEAN, SPARCL_E_ARG, "Y is NULL");
    REFUSED_WEIGHTS(x.gw.shape[0] = 6, SPARCL_E_SHAPE, "GW has rank 1 and 6 elements");
    REFUSED_WEIGHTS(x.gw.values = x.g.values, SPARCL_E_SHAPE, "GW needs");
    REFUSED_WEIGHTS(x.gw.dtype = SPARCL_F16, SPARCL_E_DTYPE, "GW is float16");
    snapshot_free(&kept);
    free_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_gives_what_it_says_and_empty_bags_0),
        cmocka_unit_test(weights_count_in_sums_means_and_roots),
        cmocka_unit_test(the_padding_index_is_left_out),
        cmocka_unit_test(a_gradient_is_divided_by_the_number_of_entries_of_a_row),
        cmocka_unit_test(rows_in_bags_get_the_norm_that_they_may_have),
        cmocka_unit_test(a_row_with_nan_stays_and_what_does_not_fit_is_refused),
        cmocka_unit_test(norms_have_the_same_bits_in_both_classes),
        cmocka_unit_test(bad_indices_are_clamped_or_skipped_and_counted),
        cmocka_unit_test(a_padding_index_may_be_outside_the_table_and_is_not_bad),
        cmocka_unit_test(the_maximum_is_the_first_and_a_nan_wins),
        cmocka_unit_test(a_maximum_of_minus_infinity_has_a_position),
        cmocka_unit_test(offsets_without_the_last_give_the_same),
        cmocka_unit_test(wrong_offsets_do_no_harm),
        cmocka_unit_test(long_bags_take_a_launch_more_unless_there_are_none),
        cmocka_unit_test(descending_offsets_of_long_bags_do_no_harm),
        cmocka_unit_test(a_lookup_has_rows_of_0_for_what_is_left_out),
        cmocka_unit_test(a_sum_has_the_bits_of_the_product_with_its_matrix),
        cmocka_unit_test(the_gradient_of_a_maximum_goes_to_its_row),
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(gradients_refuse_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
