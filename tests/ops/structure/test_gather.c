/* test_gather.c: what the header says of sparcl_gather_rows. */
#include "select_rows_test.h"

static void dense_rows_of_every_rank_are_gathered(void **state) {
    static const int64_t numbers[] = {4, 0, 4, 2, 1, 4};
    sparcl_ctx *ctx = *state;
    float *x = make_floats(5 * 80, 2);
    for (int rank = 1; rank <= SPARCL_MAX_RANK; ++rank)
        for (int64_t gap = 0; gap < 3; ++gap) {
            sparcl_dense from = {.rank = rank, .shape = {5}}, to = {.rank = rank, .shape = {6}};
            for (int d = 1; d < rank; ++d)
                from.shape[d] = to.shape[d] = d < 3 ? 2 + d : 1;
            const int64_t width = sparcl_row_width(rank, from.shape), ld = width + gap;
            from.ld = gap ? ld : 0;
            to.ld = gap == 2 ? width + 1 : 0;
            from.values = put_spare(ctx, x, 5 * ld);
            to.values = put_spare(ctx, x, 6 * (width + 1));
            sparcl_list list = put_list(ctx, numbers, 6, 5, gap ? SPARCL_INDEX64 : SPARCL_INDEX32);
            assert_ok(ctx, sparcl_gather_rows(ctx, &to, &from, &list));
            for (int64_t i = 0; i < 6; ++i)
                for (int64_t j = 0; j < width; ++j)
                    assert_true(float_at(ctx, to.values, i * (to.ld ? to.ld : width) + j) ==
                                x[numbers[i] * ld + j]);
            for (int64_t i = 0; i < 5 && to.ld; ++i) /* gaps stay */
                assert_true(float_at(ctx, to.values, i * to.ld + width) == x[i * to.ld + width]);
            sparcl_buf_free(list.indices);
            sparcl_buf_free(from.values);
            sparcl_buf_free(to.values);
        }
    free(x);
}

static void gathered_bits_are_exact(void **state) {
    static const uint32_t bits[] = {0x80000000u, 0x00000001u, 0x7fc12345u, 0xff800000u,
                                    0x007fffffu};
    static const int64_t numbers[] = {0, 1, 2, 3, 4};
    sparcl_ctx *ctx = *state;
    const sparcl_dense from = {.rank = 1, .shape = {5}, .values = put(ctx, bits, sizeof bits)};
    const sparcl_dense to = {.rank = 1, .shape = {5}, .values = make_spare(ctx, 5)};
    sparcl_list list = put_list(ctx, numbers, 5, 5, SPARCL_INDEX32);
    uint32_t got[5];
    assert_ok(ctx, sparcl_gather_rows(ctx, &to, &from, &list));
    assert_ok(ctx, sparcl_buf_read(ctx, to.values, 0, sizeof got, got));
    assert_memory_equal(got, bits, sizeof bits);
    sparcl_buf_free(list.indices);
    sparcl_buf_free(from.values);
    sparcl_buf_free(to.values);
}

typedef struct gathering {
    sparcl_dense to, from;
    sparcl_list list;
} gathering;

static void a_gather_that_does_not_fit_is_refused_and_the_result_stays(void **state) {
    static const int64_t numbers[] = {5, 0, 3, 3};
    sparcl_ctx *ctx = *state;
    float *host = make_floats(64, 1);
    const gathering g = {
        .to = {.rank = 2, .shape = {4, 3}, .values = put_spare(ctx, host, 40)},
        .from = {.rank = 2, .shape = {6, 3}, .values = put_spare(ctx, host, 40)},
        .list = put_list(ctx, numbers, 4, 6, SPARCL_INDEX32),
    };
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, g.to.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(gathering, g, violation,                                              \
                             sparcl_gather_rows(ctx, &x.to, &x.from, &x.list), status, part,       \
                             assert_unchanged(ctx, &kept))
    REFUSED(x.to.rank = 1, SPARCL_E_SHAPE, "the result has rank 1, the table rank 2");
    REFUSED(x.to.shape[1] = 2, SPARCL_E_SHAPE, "dimension 1 is 2 in the result, 3");
    REFUSED(x.to.shape[0] = 5, SPARCL_E_SHAPE, "the list has 4 numbers below 6, the result 5");
    REFUSED(x.from.shape[0] = 5, SPARCL_E_SHAPE, "and the table 5");
    REFUSED(x.to.dtype = SPARCL_F64, no_f64, "");
    REFUSED(x.to.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of the result");
    REFUSED(x.from.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of the table");
    REFUSED(x.list.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "the list is not checked");
    REFUSED((x.from.values = x.to.values, x.from.values_at = 11), SPARCL_E_ALIAS,
            "the result overlaps the table");
    REFUSED(x.list.indices = x.to.values, SPARCL_E_ALIAS, "the result overlaps the list");
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_gather_rows(ctx, NULL, &g.from, &g.list), SPARCL_E_ARG,
                   "the result is NULL");
    assert_refused(ctx, sparcl_gather_rows(ctx, &g.to, NULL, &g.list), SPARCL_E_ARG,
                   "the table is NULL");
    assert_refused(ctx, sparcl_gather_rows(ctx, &g.to, &g.from, NULL), SPARCL_E_ARG,
                   "the list is NULL");
    gathering beside = g; /* one buffer, the table right behind the result */
    beside.from.values = g.to.values;
    beside.from.values_at = 12;
    assert_ok(ctx, sparcl_gather_rows(ctx, &beside.to, &beside.from, &beside.list));
    for (int64_t i = 0; i < 12; ++i)
        assert_true(float_at(ctx, g.to.values, i) == host[12 + numbers[i / 3] * 3 + i % 3]);
    sparcl_buf_free(g.to.values);
    sparcl_buf_free(g.from.values);
    sparcl_buf_free(g.list.indices);
    free(host);
}

static void an_empty_list_gathers_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    const sparcl_dense none = {.rank = 2, .shape = {0, 3}}, thin = {.rank = 2, .shape = {0, 0}};
    const sparcl_list list = {.proof.flags = SPARCL_TRUSTED};
    assert_ok(ctx, sparcl_gather_rows(ctx, &none, &none, &list));
    assert_ok(ctx, sparcl_gather_rows(ctx, &thin, &thin, &list));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_rows_of_every_rank_are_gathered),
        cmocka_unit_test(gathered_bits_are_exact),
        cmocka_unit_test(a_gather_that_does_not_fit_is_refused_and_the_result_stays),
        cmocka_unit_test(an_empty_list_gathers_nothing),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
