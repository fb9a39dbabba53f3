/* test_step_rows.c: which rows of a table and its states a step changes. */
#include "sparcl/optim_text.h"
#include "step_test.h"

/* A gradient that an operation made and the caller trusts, and that the caller then overwrites. */
static void a_trusted_gradient_written_again_has_its_rows_summed(void **state) {
    static const int32_t offsets[] = {0, 2}, columns[] = {3, 8}, ids[] = {8, 8};
    static const float ones[] = {1, 1}, row[WIDTH] = {1, 2, 3, 4, 5};
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPARCL_RULE_SGD, SPEC_UNIFORM);
    sparcl_csr a = {.rows = 1,
                    .cols = ROWS,
                    .nnz = 2,
                    .offsets = put(ctx, offsets, sizeof offsets),
                    .indices = put(ctx, columns, sizeof columns),
                    .values = put(ctx, ones, sizeof ones),
                    .proof.flags = SPARCL_TRUSTED};
    const sparcl_dense b = {.rank = 2, .shape = {1, WIDTH}, .values = put(ctx, row, sizeof row)};
    const float before = float_at(ctx, x.table.values, 8 * LD + 1);
    x.gradient.proof.flags = SPARCL_TRUSTED;
    sparcl_buf_free(x.gradient.count);
    x.gradient.count = put_ints(ctx, (int64_t[]){0}, 1, SPARCL_INDEX64);
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &x.gradient, 1, &a, &b, NULL));
    assert_true(sparcl_rows_flags(&x.gradient) & SPARCL_UNIQUE);
    assert_ok(ctx, sparcl_buf_write(ctx, x.gradient.indices, 0, sizeof ids, ids));
    assert_int_equal(sparcl_rows_flags(&x.gradient), SPARCL_TRUSTED | SPARCL_VALID);
    assert_ok(ctx, step(ctx, &x));
    assert_true(float_at(ctx, x.table.values, 8 * LD + 1) == before - 0.1F * 4);
    sparcl_csr_free(&a);
    sparcl_buf_free(b.values);
    drop(&x);
}

static bool has_row(const spec_rowset *rows, int64_t row) {
    for (int64_t k = 0; k < rows->stored; ++k)
        if (rows->ids[k] == row) return true;
    return false;
}

static void only_the_rows_of_the_gradient_change(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rule = 0; rule < 4; ++rule) {
        arrays x = make(ctx, (sparcl_rule)rule, SPEC_DUPLICATE);
        sparcl_buf *const bufs[] = {x.table.values, x.states[0].values, x.states[1].values};
        x.optim.lazy.last_steps = x.last;
        x.optim.lazy.last_steps_at = 1;
        x.optim.step = 12;
        for (int s = 0; s < 3; ++s) {
            uint32_t *before = bytes_of(ctx, bufs[s]);
            if (s == 0) assert_ok(ctx, step(ctx, &x));
            uint32_t *now = bytes_of(ctx, bufs[s]);
            for (int64_t i = 0; s == 0 && i < ROWS * LD; ++i)
                if (i % LD >= WIDTH || !has_row(&x.host, i / LD))
                    assert_int_equal(now[i], before[i]);
                else
                    assert_int_not_equal(now[i], before[i]);
            for (int64_t i = 0; s > 0 && i < ROWS * LD; ++i)
                if (i % LD >= WIDTH || !has_row(&x.host, i / LD) ||
                    s > sparcl_rule_states((sparcl_rule)rule))
                    assert_int_equal(now[i], 0);
                else
                    assert_int_not_equal(now[i], 0);
            free(before);
            free(now);
        }
        for (int64_t row = 0; row < ROWS; ++row)
            assert_int_equal(int_at(ctx, x.last, row + 1), has_row(&x.host, row) ? 12 : 0);
        assert_int_equal(int_at(ctx, x.last, 0), 0);
        assert_int_equal(int_at(ctx, x.last, ROWS + 1), 0);
        drop(&x);
    }
}

static void a_gradient_that_has_all_rows_is_a_dense_one(void **state) {
    sparcl_ctx *ctx = *state;
    for (int k = 0; k < 8; ++k) {
        arrays x = make(ctx, (sparcl_rule)(k % 4), SPEC_UNIFORM);
        arrays y = make(ctx, (sparcl_rule)(k % 4), SPEC_UNIFORM);
        sparcl_dense g = make_table(ctx, 9);
        float *host = bytes_of(ctx, g.values), packed[ROWS * WIDTH];
        int64_t ids[ROWS];
        for (int64_t i = 0; i < ROWS; ++i) {
            ids[i] = (i * 7 + 3) % ROWS; /* in another order */
            memcpy(packed + i * WIDTH, host + ids[i] * LD, WIDTH * sizeof *packed);
        }
        sparcl_rows_free(&x.gradient);
        x.gradient.nnr = ROWS;
        x.gradient.count = NULL;
        x.gradient.indices = put_ints(ctx, ids, ROWS, SPARCL_INDEX32);
        x.gradient.values = put(ctx, packed, sizeof packed);
        x.gradient.proof.flags = SPARCL_TRUSTED | (k < 4 ? SPARCL_UNIQUE : 0);
        x.optim.decay.weight = y.optim.decay.weight = 0.25;
        x.optim.lazy.last_steps = x.last;
        y.optim.lazy.last_steps = k < 4 ? y.last : NULL;
        assert_ok(ctx, step(ctx, &x));
        assert_ok(ctx, sparcl_step_dense(ctx, &y.optim, &y.table, y.states, &g));
        sparcl_buf *const ours[] = {x.table.values, x.states[0].values, x.states[1].values};
        sparcl_buf *const theirs[] = {y.table.values, y.states[0].values, y.states[1].values};
        for (int s = 0; s < 3; ++s) {
            void *expected = bytes_of(ctx, theirs[s]);
            assert_holds(ctx, ours[s], expected);
            free(expected);
        }
        for (int64_t i = 0; i < ROWS; ++i)
            assert_int_equal(int_at(ctx, y.last, i), k < 4);
        free(host);
        sparcl_buf_free(g.values);
        drop(&x);
        drop(&y);
    }
}

static void the_count_on_the_device_is_honoured(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t count = 0; count <= 30; count += 6) {
        arrays x = make(ctx, SPARCL_RULE_SGD, SPEC_DIAGONAL);
        float *before = bytes_of(ctx, x.table.values);
        sparcl_buf_free(x.gradient.count);
        x.gradient.count = put_ints(ctx, (int64_t[]){1000, count}, 2, SPARCL_INDEX64);
        x.gradient.count_at = 1;
        assert_ok(ctx, step(ctx, &x));
        float *now = bytes_of(ctx, x.table.values);
        for (int64_t row = 0; row < ROWS; ++row)
            assert_int_equal(memcmp(now + row * LD, before + row * LD, WIDTH * 4) != 0,
                             row < count);
        free(before);
        free(now);
        drop(&x);
    }
}

static void an_empty_step_is_legal(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rule = 0; rule < 4; ++rule) {
        sparcl_optim optim;
        sparcl_optim_init(&optim, (sparcl_rule)rule);
        sparcl_dense tables[3] = {{.rank = 2, .shape = {0, 3}},
                                  {.rank = 2, .shape = {0, 3}},
                                  {.rank = 2, .shape = {0, 3}}};
        sparcl_rows gradient = {.rank = 2, .shape = {0, 3}, .proof.flags = SPARCL_TRUSTED};
        assert_ok(ctx, sparcl_step(ctx, &optim, &tables[0], &tables[1], &gradient));
        assert_ok(ctx, sparcl_step_dense(ctx, &optim, &tables[0], &tables[1], &tables[0]));
        for (int i = 0; i < 3; ++i) {
            tables[i].shape[0] = 3;
            tables[i].shape[1] = 0;
        }
        assert_ok(ctx, sparcl_step_dense(ctx, &optim, &tables[0], &tables[1], &tables[0]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trusted_gradient_written_again_has_its_rows_summed),
        cmocka_unit_test(only_the_rows_of_the_gradient_change),
        cmocka_unit_test(a_gradient_that_has_all_rows_is_a_dense_one),
        cmocka_unit_test(the_count_on_the_device_is_honoured),
        cmocka_unit_test(an_empty_step_is_legal),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
