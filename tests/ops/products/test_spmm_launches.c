/* test_spmm_launches.c: how sparcl_spmm partitions its work on few wide cores, with the default
 * tuning, seen by its launches. */
#include "launch/launch.h"
#include "product_test.h"

static sparcl_status spmm(sparcl_ctx *ctx, const product *p, double alpha, double beta) {
    return sparcl_spmm(ctx, &p->c, alpha, &p->a, &p->b, beta);
}

static int64_t launches_of_call(sparcl_ctx *ctx, const product *p) {
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, spmm(ctx, p, 1, 0));
    return sparcl_ctx_launches(ctx) - before;
}

/* Another launch adds the carries of split rows. A row of at most one block, or half a partition,
 * is never split; short loops process short partitions. */
static void rows_that_are_proven_to_be_short_save_a_launch(void **state) {
    sparcl_ctx *ctx = open_wide();
    (void)state;
    product p = product_make(ctx, SPEC_UNIFORM, 20000, 1000, 200000, 3, false);
    p.a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
    assert_int_equal(launches_of_call(ctx, &p), 2);
    assert_ok(ctx, sparcl_csr_validate(ctx, &p.a, 0));
    assert_in_range(p.a.proof.longest_row, 2, 256);
    assert_int_equal(launches_of_call(ctx, &p), spc_has_short_loops(ctx) ? 2 : 1);
    assert_product(ctx, &p, 1, 0);
    p.a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED, .longest_row = 257};
    assert_int_equal(launches_of_call(ctx, &p), spc_has_short_loops(ctx) ? 2 : 1);
    p.a.proof.longest_row = 110001; /* of work of 220000 */
    assert_int_equal(launches_of_call(ctx, &p), 2);
    p.a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED | SPARCL_VALID | SPARCL_UNIQUE};
    assert_int_equal(launches_of_call(ctx, &p), spc_has_short_loops(ctx) ? 2 : 1);
    assert_product(ctx, &p, 1, 0);
    product_free(&p);
    p = product_make(ctx, SPEC_ONE_ROW, 10, 2000, 20000, 1, false);
    p.a.proof.longest_row = 1; /* given, and wrong: that only costs time */
    assert_ok(ctx, spmm(ctx, &p, 1, 0));
    assert_product(ctx, &p, 1, 0);
    product_free(&p);
    sparcl_ctx_close(ctx);
}

/* B of 4 MB: it is copied, in eight panels, where its rows are 2 KiB apart, but not with one
 * element more between them; nor where its rows are read less often. */
static void rows_of_b_in_few_sets_of_a_cache_are_copied(void **state) {
    static const struct {
        int64_t nnz, n, panels;
    } cases[] = {{80000, 511, 8}, {80000, 512, 0}, {60000, 511, 0}};
    sparcl_ctx *ctx = open_wide();
    (void)state;
    for (int i = 0; i < 3; ++i) {
        product p = product_make(ctx, SPEC_UNIFORM, 400, 2000, cases[i].nnz, cases[i].n, false);
        p.a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED, .longest_row = 256};
        const bool packs = cases[i].panels > 0 && !spc_has_short_loops(ctx);
        if (!spc_has_short_loops(ctx))
            assert_int_equal(launches_of_call(ctx, &p), packs ? 2 * cases[i].panels : 1);
        assert_ok(ctx, spmm(ctx, &p, 1, 0));
        assert_product(ctx, &p, 1, 0);
        product_free(&p);
    }
    sparcl_ctx_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_proven_to_be_short_save_a_launch),
        cmocka_unit_test(rows_of_b_in_few_sets_of_a_cache_are_copied),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
