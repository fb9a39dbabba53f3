/* test_dropout.c: what the header says of sparcl_dropout, and the known answers of its generator.
 */
#include "op_test.h"

#include "sparcl/ops/layers.h"
#include "spec/layers/philox.h"

enum { M = 300, N = 70 };

/* From the known-answer vectors of Random123, the library of the authors of Philox. */
static void the_generator_has_the_known_answers(void **state) {
    static const struct {
        uint32_t counter[4];
        uint64_t key;
        uint32_t expected[4];
    } known[] = {
        {{0, 0, 0, 0}, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX},
         UINT64_MAX,
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         0x299f31d0a4093822,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(known); ++i) {
        uint32_t words[4];
        memcpy(words, known[i].counter, sizeof words);
        spec_philox(words, known[i].key);
        assert_memory_equal(words, known[i].expected, sizeof words);
    }
}

typedef struct pair {
    sparcl_dense x, y;
} pair;

static pair make_pair(sparcl_ctx *ctx, int64_t ld) {
    float *const x = make_floats(M * ld, 5);
    for (int64_t i = 0; i < M * ld; ++i)
        x[i] = 1;
    pair p = {.x = {.rank = 2, .shape = {M, N}, .ld = ld}};
    p.y = p.x;
    p.x.values = put_spare(ctx, x, M * ld);
    p.y.values = put_spare(ctx, x, M * ld);
    free(x);
    return p;
}

static void free_pair(pair *p) {
    sparcl_buf_free(p->x.values);
    sparcl_buf_free(p->y.values);
}

static float *read_floats(sparcl_ctx *ctx, const sparcl_dense *y) {
    const int64_t count = y->shape[0] * y->ld;
    float *const host = must_have(calloc((size_t)count + 1, sizeof *host));
    assert_ok(ctx, sparcl_buf_read(ctx, y->values, 0, count * 4, host));
    return host;
}

static void kept_elements_are_scaled_and_as_many_as_expected(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make_pair(ctx, N);
    assert_ok(ctx, sparcl_dropout(ctx, &p.y, &p.x, 0.25, 7, 0));
    float *const y = read_floats(ctx, &p.y);
    int64_t kept = 0;
    for (int64_t i = 0; i < M * N; ++i) {
        assert_true(y[i] == 0 || y[i] == (float)(1 / 0.75));
        kept += y[i] != 0;
    }
    /* five standard deviations */
    assert_true(fabs((double)kept - 0.75 * M * N) < 5 * sqrt(M * N * 0.75 * 0.25));
    free(y);
    free_pair(&p);
}

static void the_mask_depends_on_the_number_of_an_element_and_not_on_gaps(void **state) {
    sparcl_ctx *ctx = *state;
    pair packed = make_pair(ctx, N), gaps = make_pair(ctx, N + 5);
    assert_ok(ctx, sparcl_dropout(ctx, &packed.y, &packed.x, 0.5, 3, 9));
    assert_ok(ctx, sparcl_dropout(ctx, &gaps.y, &gaps.x, 0.5, 3, 9));
    float *const a = read_floats(ctx, &packed.y), *const b = read_floats(ctx, &gaps.y);
    for (int64_t i = 0; i < M; ++i)
        assert_memory_equal(a + i * N, b + i * (N + 5), N * sizeof *a);
    assert_true(b[N] == 1); /* a gap stays */
    free(a);
    free(b);
    free_pair(&packed);
    free_pair(&gaps);
}

static void other_seeds_and_offsets_give_independent_masks(void **state) {
    sparcl_ctx *ctx = *state;
    static const uint64_t calls[][2] = {
        {1, 0}, {2, 0}, {1, 1}, {1, (uint64_t)1 << 40}, {(uint64_t)1 << 40, 0}};
    float *masks[COUNT(calls)];
    pair p = make_pair(ctx, N);
    for (size_t i = 0; i < COUNT(calls); ++i) {
        assert_ok(ctx, sparcl_dropout(ctx, &p.y, &p.x, 0.5, calls[i][0], calls[i][1]));
        masks[i] = read_floats(ctx, &p.y);
    }
    for (size_t i = 0; i < COUNT(calls); ++i)
        for (size_t k = i + 1; k < COUNT(calls); ++k) {
            int64_t equal = 0;
            for (int64_t e = 0; e < M * N; ++e)
                equal += masks[i][e] == masks[k][e];
            assert_true(fabs((double)equal - 0.5 * M * N) < 5 * sqrt(M * N * 0.25));
        }
    for (size_t i = 0; i < COUNT(calls); ++i)
        free(masks[i]);
    free_pair(&p);
}

static void dropped_elements_are_0_whatever_they_were(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make_pair(ctx, N);
    assert_ok(ctx, sparcl_buf_fill(ctx, p.x.values, 0, M * N * 4, 0xff)); /* NaN */
    assert_ok(ctx, sparcl_dropout(ctx, &p.y, &p.x, 1, 3, 9));
    float *const y = read_floats(ctx, &p.y);
    for (int64_t i = 0; i < M * N; ++i)
        assert_true(y[i] == 0);
    free(y);
    free_pair(&p);
}

static void what_does_not_fit_is_refused_and_y_stays(void **state) {
    sparcl_ctx *ctx = *state;
    pair p = make_pair(ctx, N);
    snapshot kept = SNAPSHOT(ctx, p.y.values);
#define REFUSED(violation, rate, status, part)                                                     \
    assert_violation_refused(pair, p, violation, sparcl_dropout(ctx, &x.y, &x.x, rate, 1, 2),      \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED((void)x, -0.1, SPARCL_E_ARG, "p is -0.1, expected 0 to 1");
    REFUSED((void)x, NAN, SPARCL_E_ARG, "p is nan");
    REFUSED(x.x.shape[0] = 2, 0.5, SPARCL_E_SHAPE, "dimension 0");
    REFUSED(x.x.rank = 1, 0.5, SPARCL_E_SHAPE, "rank");
    REFUSED(x.x.dtype = SPARCL_F16, 0.5, SPARCL_E_DTYPE, "Y is float32 and X float16");
    REFUSED(x.x.dtype = SPARCL_INT32, 0.5, SPARCL_E_DTYPE, "int32");
    REFUSED((x.x.values = x.y.values, x.x.values_at = 1), 0.5, SPARCL_E_ALIAS, "");
    snapshot_free(&kept);
    free_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generator_has_the_known_answers),
        cmocka_unit_test(kept_elements_are_scaled_and_as_many_as_expected),
        cmocka_unit_test(the_mask_depends_on_the_number_of_an_element_and_not_on_gaps),
        cmocka_unit_test(other_seeds_and_offsets_give_independent_masks),
        cmocka_unit_test(dropped_elements_are_0_whatever_they_were),
        cmocka_unit_test(what_does_not_fit_is_refused_and_y_stays),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
