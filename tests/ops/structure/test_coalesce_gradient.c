/* test_coalesce_gradient.c: what ops/structure.h says of the gradient of combined entries. */
#include "moved_test.h"

/* The gradient of 3 entries, in which 4 of at most 6 are: entries 1, 0, 1, 2. */
typedef struct combined {
    sparcl_coo from;
    sparcl_dense g, to;
    sparcl_coalesced more;
} combined;

static combined make(sparcl_ctx *ctx) {
    static const int32_t indices[] = {5, 2, 5, 7, 0, 0};
    static const int64_t inverse[] = {1, 0, 1, 2, 99, 99}, counts[] = {1, 2, 1},
                         source[] = {1, 2, 3}, count = 4;
    static const float g[] = {8, 6, 5, 0, 0, 0};
    combined s = {.from = {.rank = 1, .shape = {9}, .nnz = 6, .proof.flags = SPARCL_TRUSTED}};
    s.from.indices[0] = put_int32s(ctx, indices, 6);
    s.from.values = make_space(ctx, 6);
    s.from.count = put(ctx, &count, sizeof count);
    s.g = (sparcl_dense){.rank = 1, .shape = {6}, .values = put(ctx, g, sizeof g)};
    s.to = (sparcl_dense){.rank = 1, .shape = {6}, .values = make_space(ctx, 3)};
    s.more = (sparcl_coalesced){.inverse = put(ctx, inverse, sizeof inverse),
                                .counts = put(ctx, counts, sizeof counts),
                                .source = put(ctx, source, sizeof source)};
    s.g.shape[0] = 3;
    return s;
}

static void drop(combined *s) {
    sparcl_coo_free(&s->from);
    sparcl_dense_free(&s->g);
    sparcl_dense_free(&s->to);
    sparcl_buf_free(s->more.inverse);
    sparcl_buf_free(s->more.counts);
    sparcl_buf_free(s->more.source);
}

static void each_mode_passes_its_part(void **state) {
    sparcl_ctx *ctx = *state;
    combined s = make(ctx);
    assert_ok(ctx, sparcl_coo_coalesce_gradient(ctx, &s.to, SPARCL_SUM, &s.g, &s.from,
                                                &(sparcl_coalesced){.inverse = s.more.inverse}));
    ASSERT_FLOATS(ctx, s.to.values, {6, 8, 6, 5, 0, 0}); /* 0 past the count */
    assert_ok(ctx, sparcl_coo_coalesce_gradient(ctx, &s.to, SPARCL_MEAN, &s.g, &s.from, &s.more));
    ASSERT_FLOATS(ctx, s.to.values, {3, 8, 3, 5, 0, 0});
    for (int how = SPARCL_MAX; how <= SPARCL_LAST; ++how) {
        assert_ok(ctx, sparcl_coo_coalesce_gradient(ctx, &s.to, (sparcl_duplicates)how, &s.g,
                                                    &s.from, &s.more));
        ASSERT_FLOATS(ctx, s.to.values, {0, 8, 6, 5, 0, 0});
    }
    drop(&s);
}

static void what_does_not_fit_is_refused_and_the_result_stays(void **state) {
    sparcl_ctx *ctx = *state;
    combined s = make(ctx);
    snapshot kept = SNAPSHOT(ctx, s.to.values);
#define REFUSED(violation, how, status, part)                                                      \
    assert_violation_refused(                                                                      \
        combined, s, violation,                                                                    \
        sparcl_coo_coalesce_gradient(ctx, &x.to, how, &x.g, &x.from, &x.more), status, part,       \
        assert_unchanged(ctx, &kept))
    REFUSED((void)0, (sparcl_duplicates)6, SPARCL_E_ARG, "how is 6, expected SPARCL_SUM to");
    REFUSED(x.more.inverse = NULL, SPARCL_SUM, SPARCL_E_ARG, "the inverse is NULL");
    REFUSED(x.more.counts = NULL, SPARCL_MEAN, SPARCL_E_ARG, "the counts is NULL");
    REFUSED(x.more.source = NULL, SPARCL_LAST, SPARCL_E_ARG, "the source is NULL");
    REFUSED(x.more.counts_at = 1, SPARCL_MEAN, SPARCL_E_SHAPE, "the counts needs 3 elements");
    REFUSED(x.to.shape[0] = 5, SPARCL_SUM, SPARCL_E_SHAPE, "`to`");
    REFUSED(x.to.dtype = SPARCL_F16, SPARCL_SUM, SPARCL_E_DTYPE, "`to`");
    REFUSED(x.g.values = x.to.values, SPARCL_SUM, SPARCL_E_ALIAS, "overlaps");
    assert_refused(ctx, sparcl_coo_coalesce_gradient(ctx, &s.to, SPARCL_SUM, &s.g, &s.from, NULL),
                   SPARCL_E_ARG, "more is NULL");
    snapshot_free(&kept);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_passes_its_part),
        cmocka_unit_test(what_does_not_fit_is_refused_and_the_result_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
