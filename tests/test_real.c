/* test_real.c: products, transposed products and mini-batches of real matrices have the bits that
 * docs/numerics.md tells. */
#include "product_test.h"

#include "real_data.h"

static const char *const files[] = {"svm/a9a.gz",
                                    "svm/w8a.gz",
                                    "svm/agaricus.train.gz",
                                    "svm/sector.scale.gz",
                                    "svm/ijcnn1.val.gz",
                                    "svm/abalone_scale.gz",
                                    "svm/heart_scale",
                                    "svm/rank.test.gz",
                                    "rcv1/rcv1_small.svm.gz",
                                    "npz/acm/p_feat.npz",
                                    "npz/tiny/csr.npz",
                                    "npz/int64_index_stored.npz",
                                    "npz/disease_lp.feats.npz"};

static spec_matrix matrix_of(const char *file) {
    sparcl_data *data = real_data(file, 0);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const int64_t *offsets = sparcl_data_offsets(data);
    const bool wide = sparcl_data_index_type(data) == SPARCL_I64;
    spec_matrix m;
    assert_true(spec_matrix_alloc(&m, info->rows, info->columns, info->entries));
    memcpy(m.offsets, offsets, (size_t)(m.rows + 1) * 8);
    for (int64_t k = 0; k < m.nnz; ++k) {
        m.indices[k] = wide ? ((const int64_t *)sparcl_data_indices(data))[k]
                            : ((const int32_t *)sparcl_data_indices(data))[k];
        m.values[k] = sparcl_data_values(data)[k];
    }
    sparcl_data_free(data);
    return m;
}

static void multiply_all(sparcl_ctx *ctx, bool transposed) {
    static const int64_t widths[] = {1, 8, 33};
    for (size_t f = 0; f < COUNT(files); ++f)
        for (size_t w = 0; w < COUNT(widths); ++w) {
            const spec_matrix m = matrix_of(files[f]);
            product p = product_of(ctx, &m, widths[w], transposed, SPARCL_I32, SPARCL_I32);
            p.a.proof = (sparcl_proof){0};
            assert_ok(
                ctx, sparcl_csr_validate(ctx, &p.a, SPARCL_SORTED | SPARCL_UNIQUE | SPARCL_FINITE));
            assert_ok(ctx, transposed ? sparcl_spmm_t(ctx, &p.c, 1, &p.a, &p.b, 0.5, NULL)
                                      : sparcl_spmm(ctx, &p.c, 1, &p.a, &p.b, 0.5));
            assert_product(ctx, &p, 1, 0.5);
            product_free(&p);
        }
}

static void products_have_the_bits_of_rule_s(void **state) {
    multiply_all(*state, false);
}

static void transposed_products_have_the_bits_of_rule_s(void **state) {
    multiply_all(*state, true);
}

/* Rows by list: the product with the selection is the selection of the product. */
static void a_mini_batch_multiplies_as_its_rows_do(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t f = 0; f < COUNT(files); ++f) {
        const spec_matrix m = matrix_of(files[f]);
        product p = product_of(ctx, &m, 3, false, SPARCL_I32, SPARCL_I32);
        int64_t numbers[500], needed = 0;
        uint64_t seed = f;
        for (size_t i = 0; i < COUNT(numbers); ++i) {
            numbers[i] = (int64_t)(spec_random(&seed) % (uint64_t)m.rows);
            needed += m.offsets[numbers[i] + 1] - m.offsets[numbers[i]];
        }
        sparcl_list list = {.count = 500,
                            .limit = m.rows,
                            .index_type = SPARCL_I64,
                            .indices = put(ctx, numbers, sizeof numbers)};
        sparcl_csr x = {.rows = 500, .cols = m.cols, .nnz = needed};
        assert_ok(ctx, sparcl_buf_create(ctx, &x.offsets, 501 * 4));
        assert_ok(ctx, sparcl_buf_create(ctx, &x.indices, needed * 4));
        assert_ok(ctx, sparcl_buf_create(ctx, &x.values, needed * 4));
        sparcl_dense all = p.c, some = {.rank = 2, .shape = {500, 3}}, rows = some;
        assert_ok(ctx, sparcl_buf_create(ctx, &some.values, 6000));
        assert_ok(ctx, sparcl_buf_create(ctx, &rows.values, 6000));
        assert_ok(ctx, sparcl_list_validate(ctx, &list, 0));
        assert_ok(ctx, sparcl_csr_select_rows(ctx, &x, &p.a, &list, NULL, 0));
        assert_ok(ctx, sparcl_spmm(ctx, &all, 1, &p.a, &p.b, 0));
        assert_ok(ctx, sparcl_spmm(ctx, &some, 1, &x, &p.b, 0));
        assert_ok(ctx, sparcl_gather_rows(ctx, &rows, &all, &list));
        void *wanted = bytes_of(ctx, rows.values);
        assert_holds(ctx, some.values, wanted);
        free(wanted);
        sparcl_buf_free(some.values);
        sparcl_buf_free(rows.values);
        sparcl_buf_free(list.indices);
        spec_drop_csr(&x);
        product_free(&p);
    }
}

int main(void) {
    need_real_data("svm, rcv1 and npz data");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_bits_of_rule_s),
        cmocka_unit_test(transposed_products_have_the_bits_of_rule_s),
        cmocka_unit_test(a_mini_batch_multiplies_as_its_rows_do),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
