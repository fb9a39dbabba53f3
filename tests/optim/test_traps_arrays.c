/* test_traps_arrays.c: the traps of docs/optimizers.md that are not of optimizers, by their
 * numbers: rows that are not stored, the order of dense operands, the gradient of a maximum. */
#include "op_test.h"
#include "sparcl/optim_text.h"

/* Row-sparse weights that store one row of three: (1 2 4) W = 2 W(1), as the others are 0. */
static void trap_12_row_sparse_weights_may_lack_rows(void **state) {
    static const int32_t offsets[] = {0, 3}, columns[] = {0, 1, 2}, stored[] = {1};
    static const float values[] = {1, 2, 4}, row[] = {3, 5};
    sparcl_ctx *ctx = *state;
    sparcl_csr x = {.rows = 1,
                    .cols = 3,
                    .nnz = 3,
                    .offsets = put(ctx, offsets, sizeof offsets),
                    .indices = put(ctx, columns, sizeof columns),
                    .values = put(ctx, values, sizeof values),
                    .proof.flags = SPARCL_TRUSTED};
    sparcl_rows w = {.rank = 2,
                     .shape = {3, 2},
                     .nnr = 1,
                     .indices = put(ctx, stored, sizeof stored),
                     .values = put(ctx, row, sizeof row),
                     .proof.flags = SPARCL_TRUSTED};
    sparcl_dense y = {.rank = 2, .shape = {1, 2}};
    assert_ok(ctx, sparcl_dense_zeros(ctx, &y));
    sparcl_matrix to = sparcl_matrix_dense(y);
    const sparcl_matrix a = sparcl_matrix_csr(x), b = sparcl_matrix_rows(w);
    assert_ok(ctx, sparcl_matmul(ctx, &to, 1, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0, NULL));
    assert_holds(ctx, y.values, (const float[]){6, 10});
    sparcl_csr_free(&x);
    sparcl_rows_free(&w);
    sparcl_dense_free(&y);
}

/* B = (1 2; 4 8) and A = (0 1; 1 1): C = (4 8; 5 10), whatever the order of B and of C is. */
static void trap_13_the_order_of_each_dense_operand_counts(void **state) {
    static const int32_t offsets[] = {0, 1, 3}, columns[] = {1, 0, 1};
    static const float ones[] = {1, 1, 1}, b[2][4] = {{1, 2, 4, 8}, {1, 4, 2, 8}},
                       expected[2][4] = {{4, 8, 5, 10}, {4, 5, 8, 10}};
    sparcl_ctx *ctx = *state;
    sparcl_csr a = {.rows = 2,
                    .cols = 2,
                    .nnz = 3,
                    .offsets = put(ctx, offsets, sizeof offsets),
                    .indices = put(ctx, columns, sizeof columns),
                    .values = put(ctx, ones, sizeof ones),
                    .proof.flags = SPARCL_TRUSTED};
    for (int i = 0; i < 4; ++i) {
        const sparcl_order from = i % 2 ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR,
                           to = i / 2 ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR;
        sparcl_dense x = {.rank = 2, .shape = {2, 2}, .order = from}, y = x;
        x.values = put(ctx, b[from], sizeof b[from]);
        y.values = put(ctx, b, sizeof b[0]);
        y.order = to;
        assert_ok(ctx, sparcl_spmm(ctx, &y, 1, &a, &x, 0));
        assert_holds(ctx, y.values, expected[to]);
        sparcl_dense_free(&x);
        sparcl_dense_free(&y);
    }
    sparcl_csr_free(&a);
}

/* One bag of the rows 0, 1, 2 of a table (1 5 2 7), whose result has the gradient 6. SGD with lr =
 * 1 takes it from the table: 6 from each row of a sum, 2 of a mean, of a maximum 6 from row 1 only.
 */
static void trap_14_the_gradient_of_a_maximum_goes_to_the_maximum(void **state) {
    static const struct {
        sparcl_bag_mode mode;
        float expected[4];
    } cases[] = {{SPARCL_BAG_SUM, {-5, -1, -4, 7}},
                 {SPARCL_BAG_MEAN, {-1, 3, 0, 7}},
                 {SPARCL_BAG_MAX, {1, -1, 2, 7}}};
    static const int32_t ids[] = {0, 1, 2}, offsets[] = {0, 3};
    static const float weights[] = {1, 5, 2, 7}, six[] = {6};
    sparcl_ctx *ctx = *state;
    sparcl_optim sgd;
    sparcl_bags bags = {.bags = 1,
                        .indices = {.count = 3, .limit = 4, .proof.flags = SPARCL_TRUSTED},
                        .include_last = 1};
    sparcl_dense table = {.rank = 1, .shape = {4}, .values = put(ctx, weights, sizeof weights)};
    sparcl_dense g = {.rank = 1, .shape = {1}, .values = put(ctx, six, sizeof six)}, to = g;
    sparcl_dense positions = {.rank = 1, .dtype = SPARCL_INT64, .shape = {1}};
    bags.indices.indices = put(ctx, ids, sizeof ids);
    bags.offsets = put(ctx, offsets, sizeof offsets);
    sparcl_optim_init(&sgd, SPARCL_RULE_SGD);
    sgd.lr = 1;
    to.values = NULL;
    assert_ok(ctx, sparcl_dense_zeros(ctx, &to));
    assert_ok(ctx, sparcl_dense_zeros(ctx, &positions));
    for (size_t i = 0; i < COUNT(cases); ++i) {
        bags.mode = cases[i].mode;
        const sparcl_dense *const at = bags.mode == SPARCL_BAG_MAX ? &positions : NULL;
        assert_ok(ctx, sparcl_buf_write(ctx, table.values, 0, sizeof weights, weights));
        assert_ok(ctx, sparcl_embedding_bag(ctx, &to, &table, &bags, at, NULL, 0));
        assert_ok(ctx, sparcl_step_bags(ctx, &sgd, &table, NULL, &bags, &g, at));
        assert_holds(ctx, table.values, cases[i].expected);
    }
    sparcl_buf_free(bags.indices.indices);
    sparcl_buf_free(bags.offsets);
    sparcl_dense_free(&table);
    sparcl_dense_free(&g);
    sparcl_dense_free(&to);
    sparcl_dense_free(&positions);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trap_12_row_sparse_weights_may_lack_rows),
        cmocka_unit_test(trap_13_the_order_of_each_dense_operand_counts),
        cmocka_unit_test(trap_14_the_gradient_of_a_maximum_goes_to_the_maximum),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
