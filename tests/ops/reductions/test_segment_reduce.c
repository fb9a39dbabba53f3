/* test_segment_reduce.c: what the header says of reductions of segments. */
#include "long_runs.h"

/* Five items of two elements in four segments, of which segment 2 has none. */
#define ITEMS    5
#define SEGMENTS 4
static const float x_host[] = {1, -1, 2, 0, 3, 5, 4, 5, 5, 2};
static const int64_t sorted_ids[] = {0, 0, 1, 1, 3}, ids[] = {1, 3, 0, 1, 0};
static const int64_t offsets[] = {0, 2, 4, 4, 5};

typedef struct segmented {
    sparcl_list list;
    sparcl_csr rows;
    sparcl_segments segments;
    sparcl_dense x, to, gx;
    sparcl_buf *positions;
} segmented;

static segmented make(sparcl_ctx *ctx, const int64_t *order) {
    const int64_t places[2 * SEGMENTS] = {0};
    segmented s = {
        .list = {.count = ITEMS, .limit = SEGMENTS, .proof = {.flags = SPARCL_TRUSTED}},
        .rows = {.rows = SEGMENTS, .cols = 1, .nnz = ITEMS, .proof = {.flags = SPARCL_TRUSTED}},
        .x = {.rank = 2, .shape = {ITEMS, 2}},
        .to = {.rank = 2, .shape = {SEGMENTS, 2}}};
    if (order == sorted_ids) s.list.proof.flags |= SPARCL_SORTED;
    s.list.indices = put_ints(ctx, order, ITEMS, SPARCL_INDEX32);
    s.rows.offsets = put_ints(ctx, offsets, SEGMENTS + 1, SPARCL_INDEX32);
    s.gx = s.x;
    s.x.values = put_spare(ctx, x_host, 2 * ITEMS);
    s.gx.values = put_spare(ctx, x_host, 2 * ITEMS);
    s.to.values = put_spare(ctx, x_host, 2 * SEGMENTS);
    s.positions = put_ints(ctx, places, 2 * SEGMENTS, SPARCL_INDEX64);
    return s;
}

static void free_segmented(segmented *s) {
    sparcl_buf *const all[] = {s->list.indices, s->rows.offsets, s->x.values,
                               s->to.values,    s->gx.values,    s->positions};
    for (size_t i = 0; i < COUNT(all); ++i)
        sparcl_buf_free(all[i]);
}

/* The segments of a list, or of the rows of a matrix. */
static sparcl_segments by(const segmented *s, bool rows) {
    return (sparcl_segments){rows ? NULL : &s->list, rows ? &s->rows : NULL};
}

static void assert_floats(sparcl_ctx *ctx, const sparcl_dense *view, const float *expected) {
    for (int64_t i = 0; i < 2 * view->shape[0]; ++i) {
        const float got = float_at(ctx, view->values, i);
        if (got != expected[i])
            fail_msg("element %d is %g, expected %g", (int)i, (double)got, (double)expected[i]);
    }
}

static void assert_reduced(sparcl_ctx *ctx, const int64_t *order, bool rows, sparcl_reduction kind,
                           const float *expected) {
    segmented s = make(ctx, order);
    const sparcl_segments segments = by(&s, rows);
    assert_ok(ctx, sparcl_segment_reduce(ctx, kind, &s.to, &s.x, &segments, NULL, 0));
    assert_floats(ctx, &s.to, expected);
    free_segmented(&s);
}

#define ASSERT_SORTED(kind, ...)                                                                   \
    do {                                                                                           \
        for (int rows = 0; rows < 2; ++rows)                                                       \
            assert_reduced(ctx, sorted_ids, rows, SPARCL_REDUCE_##kind,                            \
                           (const float[]){__VA_ARGS__});                                          \
    } while (0)

static void segments_of_sorted_items_are_reduced_and_empty_ones_are_0(void **state) {
    sparcl_ctx *ctx = *state;
    ASSERT_SORTED(SUM, 3, -1, 7, 10, 0, 0, 5, 2);
    ASSERT_SORTED(MEAN, 1.5F, -0.5F, 3.5F, 5, 0, 0, 5, 2);
    ASSERT_SORTED(SQRTN, 3 / sqrtf(2), -1 / sqrtf(2), 7 / sqrtf(2), 10 / sqrtf(2), 0, 0, 5, 2);
    ASSERT_SORTED(MAX, 2, 0, 4, 5, 0, 0, 5, 2);
    ASSERT_SORTED(MIN, 1, -1, 3, 5, 0, 0, 5, 2);
    ASSERT_SORTED(PROD, 2, 0, 12, 25, 1, 1, 5, 2);
    ASSERT_SORTED(SQUARE_SUM, 5, 1, 25, 50, 0, 0, 25, 4);
    ASSERT_SORTED(NORM, sqrtf(5), 1, 5, sqrtf(50), 0, 0, 5, 2);
    ASSERT_SORTED(NORM1, 3, 1, 7, 10, 0, 0, 5, 2);
    ASSERT_SORTED(COUNT, 2, 2, 2, 2, 0, 0, 1, 1);
}

static void items_in_any_order_are_reduced(void **state) {
    sparcl_ctx *ctx = *state;
    assert_reduced(ctx, ids, false, SPARCL_REDUCE_SUM, (const float[]){8, 7, 5, 4, 0, 0, 2, 0});
    assert_reduced(ctx, ids, false, SPARCL_REDUCE_MAX, (const float[]){5, 5, 4, 5, 0, 0, 2, 0});
    assert_reduced(ctx, ids, false, SPARCL_REDUCE_MEAN,
                   (const float[]){4, 3.5F, 2.5F, 2, 0, 0, 2, 0});
}

static void positions_are_rows_of_x_the_first_of_equal_ones(void **state) {
    sparcl_ctx *ctx = *state;
    for (int sorted = 0; sorted < 2; ++sorted) {
        static const int64_t expected[2][8] = {{4, 2, 3, 3, -1, -1, 1, 1},
                                               {1, 1, 3, 2, -1, -1, 4, 4}};
        segmented s = make(ctx, sorted ? sorted_ids : ids);
        const sparcl_segments segments = by(&s, false);
        assert_ok(ctx, sparcl_segment_reduce(ctx, SPARCL_REDUCE_MAX, &s.to, &s.x, &segments,
                                             s.positions, 0));
        for (int64_t i = 0; i < 8; ++i)
            assert_int_equal(int_at(ctx, s.positions, i), expected[sorted][i]);
        free_segmented(&s);
    }
}

/* With the values of x as gy; what is read beside it is NULL where the header says so. */
static void assert_gradient(sparcl_ctx *ctx, sparcl_reduction kind, const float *expected) {
    segmented s = make(ctx, ids);
    const sparcl_segments segments = by(&s, false);
    const bool picks = kind == SPARCL_REDUCE_MAX, with_x = kind >= SPARCL_REDUCE_PROD;
    sparcl_dense gy = s.to;
    gy.values = put_spare(ctx, x_host, 2 * SEGMENTS);
    assert_ok(ctx, sparcl_segment_reduce(ctx, kind, &s.to, &s.x, &segments,
                                         picks ? s.positions : NULL, 0));
    assert_ok(ctx, sparcl_segment_reduce_gradient(
                       ctx, kind, &s.gx, &gy, with_x ? &s.x : NULL, &segments,
                       kind == SPARCL_REDUCE_NORM ? &s.to : NULL, picks ? s.positions : NULL, 0));
    assert_floats(ctx, &s.gx, expected);
    if (picks) { /* the same without the positions */
        assert_ok(ctx, sparcl_segment_reduce_gradient(ctx, kind, &s.gx, &gy, &s.x, &segments, NULL,
                                                      NULL, 0));
        assert_floats(ctx, &s.gx, expected);
    }
    sparcl_buf_free(gy.values);
    free_segmented(&s);
}

static void gradients_have_the_formulas_of_the_header(void **state) {
    sparcl_ctx *ctx = *state;
#define GRADIENT(kind, ...) assert_gradient(ctx, SPARCL_REDUCE_##kind, (const float[]){__VA_ARGS__})
    GRADIENT(SUM, 2, 0, 4, 5, 1, -1, 2, 0, 1, -1);
    GRADIENT(MEAN, 1, 0, 4, 5, 0.5F, -0.5F, 1, 0, 0.5F, -0.5F);
    GRADIENT(SQRTN, 2 / sqrtf(2), 0, 4, 5, 1 / sqrtf(2), -1 / sqrtf(2), 2 / sqrtf(2), 0,
             1 / sqrtf(2), -1 / sqrtf(2));
    GRADIENT(MAX, 0, 0, 4, 5, 0, -1, 2, 0, 1, 0);
    GRADIENT(SQUARE_SUM, 4, 0, 16, 0, 6, -10, 16, 0, 10, -4);
    GRADIENT(NORM1, 2, 0, 4, 0, 1, -1, 2, 0, 1, -1);
    GRADIENT(PROD, 8, 0, 4, 5, 5, -2, 2, 0, 3, -5);
    assert_gradient(ctx, SPARCL_REDUCE_NORM,
                    (const float[]){1 / sqrtf(17) * 2, 0, 4, 0, 3 / sqrtf(34), -5 / sqrtf(29),
                                    4 / sqrtf(17) * 2, 0, 5 / sqrtf(34), -2 / sqrtf(29)});
}

static void items_that_the_rows_do_not_reach_are_in_no_segment(void **state) {
    sparcl_ctx *ctx = *state;
    segmented s = make(ctx, sorted_ids);
    const sparcl_segments segments = by(&s, true);
    sparcl_dense gy = s.to;
    gy.values = put_spare(ctx, x_host, 2 * SEGMENTS);
    s.rows.rows = s.to.shape[0] = gy.shape[0] = 2; /* two segments of two items; item 4 is left */
    assert_ok(ctx, sparcl_segment_reduce(ctx, SPARCL_REDUCE_SUM, &s.to, &s.x, &segments, NULL, 0));
    assert_floats(ctx, &s.to, (const float[]){3, -1, 7, 10});
    assert_ok(ctx, sparcl_segment_reduce_gradient(ctx, SPARCL_REDUCE_SUM, &s.gx, &gy, NULL,
                                                  &segments, NULL, NULL, 0));
    assert_floats(ctx, &s.gx, (const float[]){1, -1, 1, -1, 2, 0, 2, 0, 0, 0});
    sparcl_buf_free(gy.values);
    free_segmented(&s);
}

/* Enough items for several workers, in segments of 0 to 40 of them. The maxima of all elements of a
 * segment are its last item. */
static void assert_long_gradient(sparcl_ctx *ctx, int64_t width, sparcl_reduction kind) {
    const int64_t count = test_is_small() ? 20 : 1000;
    int64_t *const begins = must_have(calloc((size_t)count + 1, sizeof *begins));
    int64_t *const last = must_have(calloc((size_t)(count * width), sizeof *last));
    for (int64_t u = 0; u < count; ++u)
        begins[u + 1] = begins[u] + u * 7 % 41;
    const int64_t items = begins[count] + 100; /* some are in no segment */
    for (int64_t e = 0; e < count * width; ++e)
        last[e] = begins[e / width + 1] - 1; /* of an empty segment: not in it */
    float *const g = make_floats(count * width, 3), *const none = make_floats(items * width, 4);
    sparcl_csr rows = {.rows = count, .cols = 1, .nnz = items, .proof = {.flags = SPARCL_TRUSTED}};
    const sparcl_segments segments = {NULL, &rows};
    sparcl_dense gx = {.rank = 2, .shape = {items, width}},
                 gy = {.rank = 2, .shape = {count, width}};
    rows.offsets = put_ints(ctx, begins, count + 1, SPARCL_INDEX32);
    sparcl_buf *const positions = put_ints(ctx, last, count * width, SPARCL_INDEX64);
    gx.values = put(ctx, none, items * width * 4);
    gy.values = put(ctx, g, count * width * 4);
    assert_ok(ctx, sparcl_segment_reduce_gradient(ctx, kind, &gx, &gy, NULL, &segments, NULL,
                                                  kind == SPARCL_REDUCE_MAX ? positions : NULL, 0));
    float *const got = bytes_of(ctx, gx.values);
    for (int64_t u = 0; u < count; ++u)
        for (int64_t e = begins[u] * width; e < begins[u + 1] * width; ++e) {
            const bool has = kind == SPARCL_REDUCE_SUM || e / width == begins[u + 1] - 1;
            assert_float_equal(got[e], has ? g[u * width + e % width] : 0, 0);
        }
    for (int64_t e = begins[count] * width; e < items * width; ++e)
        assert_float_equal(got[e], 0, 0);
    sparcl_buf *const all[] = {rows.offsets, positions, gx.values, gy.values};
    for (size_t i = 0; i < COUNT(all); ++i)
        sparcl_buf_free(all[i]);
    free(begins), free(last), free(g), free(none), free(got);
}

static void gradients_of_many_segments_are_shared_by_workers(void **state) {
    static const int64_t widths[] = {1, 3, 16};
    for (size_t i = 0; i < COUNT(widths); ++i) {
        assert_long_gradient(*state, widths[i], SPARCL_REDUCE_SUM);
        assert_long_gradient(*state, widths[i], SPARCL_REDUCE_MAX);
    }
}

static void what_does_not_fit_is_refused_and_results_stay(void **state) {
    sparcl_ctx *ctx = *state;
    segmented s = make(ctx, ids);
    sparcl_reduction kind = SPARCL_REDUCE_MIN;
    snapshot kept = SNAPSHOT(ctx, s.to.values, s.positions);
#define REFUSED(violation, status, part)                                                           \
    do {                                                                                           \
        segmented x = s;                                                                           \
        x.segments = by(&x, false);                                                                \
        violation;                                                                                 \
        assert_refused(ctx,                                                                        \
                       sparcl_segment_reduce(ctx, kind, &x.to, &x.x, &x.segments, x.positions, 0), \
                       status, part);                                                              \
        assert_unchanged(ctx, &kept);                                                              \
    } while (0)
    REFUSED(x.segments.rows = &x.rows, SPARCL_E_ARG, "segments have ids and rows");
    REFUSED(x.segments.ids = NULL, SPARCL_E_ARG, "segments have neither");
    REFUSED(x.list.proof.flags = 0, SPARCL_E_UNCHECKED, "ids");
    REFUSED((x.segments = by(&x, true), x.rows.proof.flags = 0), SPARCL_E_UNCHECKED, "rows");
    REFUSED(x.x.shape[0] = 4, SPARCL_E_SHAPE, "X");
    REFUSED(x.to.shape[0] = 3, SPARCL_E_SHAPE, "to");
    REFUSED(x.to.shape[1] = 1, SPARCL_E_SHAPE, "to");
    REFUSED(x.to.dtype = SPARCL_BF16, SPARCL_E_DTYPE, "to");
    REFUSED(x.x.dtype = SPARCL_INT64, SPARCL_E_DTYPE, "X");
    REFUSED(x.to.values = x.x.values, SPARCL_E_ALIAS, "to overlaps X");
    REFUSED(x.positions = x.to.values, SPARCL_E_ALIAS, "positions");
    REFUSED(kind = (sparcl_reduction)-1, SPARCL_E_ARG, "kind is -1");
    REFUSED(kind = SPARCL_REDUCE_NORM, SPARCL_E_ARG, "positions are not NULL");
    snapshot_free(&kept);
    const sparcl_segments segments = by(&s, false);
    assert_refused(ctx,
                   sparcl_segment_reduce_gradient(ctx, SPARCL_REDUCE_PROD, &s.gx, &s.to, NULL,
                                                  &segments, NULL, NULL, 0),
                   SPARCL_E_ARG, "X is NULL");
    assert_refused(ctx,
                   sparcl_segment_reduce_gradient(ctx, SPARCL_REDUCE_MAX, &s.gx, &s.to, NULL,
                                                  &segments, NULL, NULL, 0),
                   SPARCL_E_ARG, "X is NULL");
    free_segmented(&s);
}

static void sizes_of_0_are_legal(void **state) {
    sparcl_ctx *ctx = *state;
    segmented s = make(ctx, ids);
    const sparcl_segments segments = by(&s, false);
    s.x.shape[0] = s.list.count = 0;
    assert_ok(ctx, sparcl_segment_reduce(ctx, SPARCL_REDUCE_PROD, &s.to, &s.x, &segments, NULL, 0));
    assert_floats(ctx, &s.to, (const float[]){1, 1, 1, 1, 1, 1, 1, 1});
    s.to.shape[0] = s.list.limit = 0;
    assert_ok(ctx, sparcl_segment_reduce(ctx, SPARCL_REDUCE_SUM, &s.to, &s.x, &segments, NULL, 0));
    s.to.shape[1] = s.x.shape[1] = 0;
    assert_ok(ctx, sparcl_segment_reduce(ctx, SPARCL_REDUCE_SUM, &s.to, &s.x, &segments, NULL, 0));
    free_segmented(&s);
}

/* One segment of many items, and a hundred short ones. */
static sparcl_buf *reduce_many(sparcl_ctx *ctx, const void *width) {
    const int64_t n = test_is_small() ? 1500 : 60000, d = *(const int64_t *)width;
    int64_t *const keys = must_have(calloc((size_t)n, sizeof *keys));
    float *const items = make_floats(n * d, 4), *const none = make_floats(101 * d, 5);
    for (int64_t k = 0; k < n; ++k)
        keys[k] = k % 7 ? 100 : k / 7 % 100;
    sparcl_list list = {.count = n, .limit = 101, .proof = {.flags = SPARCL_TRUSTED}};
    const sparcl_segments segments = {&list, NULL};
    sparcl_dense x = {.rank = 2, .shape = {n, d}}, to = {.rank = 2, .shape = {101, d}};
    list.indices = put_ints(ctx, keys, n, SPARCL_INDEX32);
    x.values = put(ctx, items, n * d * 4);
    to.values = put(ctx, none, 101 * d * 4);
    assert_ok(ctx, sparcl_segment_reduce(ctx, SPARCL_REDUCE_SUM, &to, &x, &segments, NULL, 0));
    sparcl_buf_free(list.indices);
    sparcl_buf_free(x.values);
    free(keys);
    free(items);
    free(none);
    return to.values;
}

/* Segments of several blocks among others: their results, and for a maximum its positions. */
typedef struct long_case {
    sparcl_reduction kind;
    int64_t width;
} long_case;

static sparcl_buf *reduce_long(sparcl_ctx *ctx, const void *input) {
    const long_case *const c = input;
    const int64_t most = (test_is_small() ? 2000 : 66000) / (1 + c->width / 8), d = c->width;
    const bool picks = c->kind == SPARCL_REDUCE_MAX;
    int64_t begin[LONG_RUNS + 1];
    const int64_t n = long_run_offsets(begin, most);
    float *const items = make_floats(n * d, 4), *const none = make_floats(2 * LONG_RUNS * d, 5);
    sparcl_csr rows = {.rows = LONG_RUNS, .cols = 1, .nnz = n, .proof = {.flags = SPARCL_TRUSTED}};
    const sparcl_segments segments = {NULL, &rows};
    sparcl_dense x = {.rank = 2, .shape = {n, d}}, to = {.rank = 2, .shape = {LONG_RUNS, d}};
    rows.offsets = put_ints(ctx, begin, LONG_RUNS + 1, SPARCL_INDEX32);
    for (int64_t k = 0; k < n * d; k += 5)
        items[k] = -0.0F;
    x.values = put(ctx, items, n * d * 4);
    to.values = put(ctx, none, LONG_RUNS * d * 4);
    sparcl_buf *const positions = put(ctx, none, LONG_RUNS * d * 8);
    const sparcl_status status =
        sparcl_segment_reduce(ctx, c->kind, &to, &x, &segments, picks ? positions : NULL, 0);
    /* Where loops must be short, positions of so many columns are refused. */
    if (!(picks && d == 300 && status == SPARCL_E_UNSUPPORTED)) assert_ok(ctx, status);
    sparcl_buf_free(picks ? to.values : positions);
    sparcl_csr_free(&rows);
    sparcl_buf_free(x.values);
    free(items);
    free(none);
    return picks ? positions : to.values;
}

static void long_segments_have_the_same_bits_in_both_classes(void **state) {
    static const sparcl_reduction kinds[] = {SPARCL_REDUCE_SUM, SPARCL_REDUCE_MEAN,
                                             SPARCL_REDUCE_PROD, SPARCL_REDUCE_MAX};
    static const int64_t widths[] = {1, 3, 8, 33, 300};
    class_contexts all = open_classes(*state);
    for (size_t i = 0; i < COUNT(kinds); ++i)
        for (size_t k = 0; k < (test_is_small() ? 2 : COUNT(widths)); ++k)
            assert_same_bits(&all, reduce_long, &(long_case){kinds[i], widths[k]});
    close_classes(&all);
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    class_contexts all = open_classes(*state);
    for (int64_t d = 1; d < 40; d += 18)
        assert_same_bits(&all, reduce_many, &d);
    close_classes(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_of_sorted_items_are_reduced_and_empty_ones_are_0),
        cmocka_unit_test(items_in_any_order_are_reduced),
        cmocka_unit_test(positions_are_rows_of_x_the_first_of_equal_ones),
        cmocka_unit_test(gradients_have_the_formulas_of_the_header),
        cmocka_unit_test(items_that_the_rows_do_not_reach_are_in_no_segment),
        cmocka_unit_test(gradients_of_many_segments_are_shared_by_workers),
        cmocka_unit_test(what_does_not_fit_is_refused_and_results_stay),
        cmocka_unit_test(sizes_of_0_are_legal),
        cmocka_unit_test(long_segments_have_the_same_bits_in_both_classes),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
