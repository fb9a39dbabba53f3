/* test_real.c: products, transposed products and mini-batches of real matrices have the bits that
 * docs/numerics.md specifies; conversions, sums and steps agree with each other and with plain C.
 */
#include "product_test.h"

#include "real_data.h"
#include "sparcl/optim_text.h"

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
    const bool wide = sparcl_data_index_type(data) == SPARCL_INDEX64;
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
            product p = product_of(ctx, &m, widths[w], transposed, SPARCL_INDEX32, SPARCL_INDEX32);
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
        product p = product_of(ctx, &m, 3, false, SPARCL_INDEX32, SPARCL_INDEX32);
        int64_t numbers[500], needed = 0;
        uint64_t seed = f;
        for (size_t i = 0; i < COUNT(numbers); ++i) {
            numbers[i] = (int64_t)(spec_random(&seed) % (uint64_t)m.rows);
            needed += m.offsets[numbers[i] + 1] - m.offsets[numbers[i]];
        }
        sparcl_list list = {.count = 500,
                            .limit = m.rows,
                            .index_type = SPARCL_INDEX64,
                            .indices = put(ctx, numbers, sizeof numbers)};
        sparcl_csr x = {.rows = 500, .cols = m.cols, .nnz = needed};
        assert_ok(ctx, sparcl_buf_create(ctx, &x.offsets, 501 * 4));
        assert_ok(ctx, sparcl_buf_create(ctx, &x.indices, needed * 4));
        assert_ok(ctx, sparcl_buf_create(ctx, &x.values, needed * 4));
        sparcl_dense all = p.c, some = {.rank = 2, .shape = {500, 3}}, rows = some;
        assert_ok(ctx, sparcl_buf_create(ctx, &some.values, 6000));
        assert_ok(ctx, sparcl_buf_create(ctx, &rows.values, 6000));
        assert_ok(ctx, sparcl_list_validate(ctx, &list, 0));
        assert_ok(ctx, sparcl_csr_take_rows(ctx, &x, &p.a, &list, NULL));
        assert_ok(ctx, sparcl_spmm(ctx, &all, 1, &p.a, &p.b, 0));
        assert_ok(ctx, sparcl_spmm(ctx, &some, 1, &x, &p.b, 0));
        assert_ok(ctx, sparcl_gather_rows(ctx, &rows, &all, &list));
        void *expected = bytes_of(ctx, rows.values);
        assert_holds(ctx, some.values, expected);
        free(expected);
        sparcl_buf_free(some.values);
        sparcl_buf_free(rows.values);
        sparcl_buf_free(list.indices);
        sparcl_csr_free(&x);
        product_free(&p);
    }
}

static sparcl_buf *fits(sparcl_ctx *ctx, int64_t count, int64_t size) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, count * size));
    return buf;
}

static sparcl_csr csr_capacity(sparcl_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz) {
    return (sparcl_csr){.rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .offsets = fits(ctx, rows + 1, 4),
                        .indices = fits(ctx, nnz, 4),
                        .values = fits(ctx, nnz, 4)};
}

static sparcl_coo coo_capacity(sparcl_ctx *ctx, const spec_matrix *m, int64_t nnz) {
    return (sparcl_coo){.rank = 2,
                        .shape = {m->rows, m->cols},
                        .nnz = nnz,
                        .indices = {fits(ctx, nnz, 4), fits(ctx, nnz, 4)},
                        .values = fits(ctx, nnz, 4),
                        .count = fits(ctx, 1, 8)};
}

static void drop_coo(sparcl_coo *a) {
    sparcl_buf_free(a->indices[0]);
    sparcl_buf_free(a->indices[1]);
    sparcl_buf_free(a->values);
    sparcl_buf_free(a->count);
}

static void assert_matrix(sparcl_ctx *ctx, const sparcl_csr *got, const spec_matrix *expected) {
    int64_t *x = must_have(calloc((size_t)(expected->nnz + expected->rows) + 1, sizeof *x));
    double *values = must_have(calloc((size_t)expected->nnz + 1, sizeof *values));
    assert_ok(ctx, spec_get_ints(ctx, got->offsets, 0, expected->rows + 1, got->offset_type, x));
    assert_memory_equal(x, expected->offsets, (size_t)(expected->rows + 1) * sizeof *x);
    assert_ok(ctx, spec_get_ints(ctx, got->indices, 0, expected->nnz, got->index_type, x));
    assert_memory_equal(x, expected->indices, (size_t)expected->nnz * sizeof *x);
    assert_ok(ctx, spec_get_reals(ctx, got->values, 0, expected->nnz, SPARCL_F32, values));
    assert_memory_equal(values, expected->values, (size_t)expected->nnz * sizeof *values);
    free(x);
    free(values);
}

/* The entries of an array `times` times, in any order. */
static sparcl_coo shuffled(sparcl_ctx *ctx, const sparcl_coo *a, const spec_matrix *m, int times) {
    const int64_t n = m->nnz * times;
    sparcl_coo to = coo_capacity(ctx, m, n);
    int32_t *from[] = {bytes_of(ctx, a->indices[0]), bytes_of(ctx, a->indices[1]),
                       bytes_of(ctx, a->values)};
    int32_t *x = must_have(calloc((size_t)n + 1, sizeof *x));
    int64_t *places = must_have(calloc((size_t)n + 1, sizeof *places));
    uint64_t seed = 11;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t j = (int64_t)(spec_random(&seed) % (uint64_t)(i + 1));
        places[i] = places[j];
        places[j] = i % m->nnz;
    }
    sparcl_buf *const results[] = {to.indices[0], to.indices[1], to.values};
    for (int k = 0; k < 3; ++k) {
        for (int64_t i = 0; i < n; ++i)
            x[i] = from[k][places[i]];
        assert_ok(ctx, sparcl_buf_write(ctx, results[k], 0, n * 4, x));
        free(from[k]);
    }
    assert_ok(ctx, sparcl_buf_write(ctx, to.count, 0, 8, &n));
    assert_ok(ctx, sparcl_coo_validate(ctx, &to, SPARCL_FINITE));
    free(x);
    free(places);
    return to;
}

static void a_matrix_is_the_same_in_all_formats(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t f = 0; f < COUNT(files); ++f) {
        spec_matrix m = matrix_of(files[f]), transposed;
        sparcl_csr a, back = csr_capacity(ctx, m.rows, m.cols, m.nnz);
        const sparcl_csr fields = csr_capacity(ctx, m.cols, m.rows, m.nnz);
        sparcl_csc csc = {.rows = m.rows,
                          .cols = m.cols,
                          .nnz = m.nnz,
                          .offsets = fields.offsets,
                          .indices = fields.indices,
                          .values = fields.values};
        sparcl_coo coo = coo_capacity(ctx, &m, m.nnz), sorted = coo_capacity(ctx, &m, m.nnz);
        assert_true(spec_matrix_transpose(&transposed, &m));
        assert_ok(ctx, spec_put_csr(ctx, &a, &m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
        assert_ok(ctx, sparcl_csr_validate(ctx, &a, SPARCL_SORTED | SPARCL_UNIQUE));
        assert_ok(ctx, sparcl_csr_to_coo(ctx, &coo, &a));
        sparcl_coo mixed = shuffled(ctx, &coo, &m, 1);
        assert_ok(ctx, sparcl_coo_sort(ctx, &sorted, &mixed, NULL, 0));
        assert_ok(ctx, sparcl_coo_validate(ctx, &sorted, SPARCL_SORTED | SPARCL_UNIQUE));
        assert_ok(ctx, sparcl_coo_to_csr(ctx, &back, &sorted));
        assert_matrix(ctx, &back, &m);
        assert_ok(ctx, sparcl_coo_to_csr(ctx, &back, &mixed));
        assert_matrix(ctx, &back, &m);
        assert_ok(ctx, sparcl_csr_to_csc(ctx, &csc, &back));
        assert_ok(ctx, sparcl_csc_validate(ctx, &csc, SPARCL_SORTED | SPARCL_UNIQUE));
        assert_matrix(ctx, &fields, &transposed);
        drop_coo(&coo);
        drop_coo(&sorted);
        drop_coo(&mixed);
        sparcl_csr_free(&a);
        sparcl_csr_free(&back);
        sparcl_buf_free(fields.offsets);
        sparcl_buf_free(fields.indices);
        sparcl_buf_free(fields.values);
        spec_matrix_free(&m);
        spec_matrix_free(&transposed);
    }
}

static void duplicated_entries_add_up_to_twice_their_value(void **state) {
    sparcl_ctx *ctx = *state;
    for (size_t f = 0; f < COUNT(files); ++f) {
        spec_matrix m = matrix_of(files[f]);
        sparcl_csr a, back = csr_capacity(ctx, m.rows, m.cols, 2 * m.nnz);
        sparcl_coo coo = coo_capacity(ctx, &m, m.nnz), sum = coo_capacity(ctx, &m, 2 * m.nnz);
        assert_ok(ctx, spec_put_csr(ctx, &a, &m, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
        assert_ok(ctx, sparcl_csr_to_coo(ctx, &coo, &a));
        sparcl_coo twice = shuffled(ctx, &coo, &m, 2);
        assert_int_equal(sparcl_coo_flags(&twice), SPARCL_VALID);
        assert_ok(ctx, sparcl_coo_coalesce(ctx, &sum, &twice, SPARCL_SUM, NULL));
        assert_int_equal(int_at(ctx, sum.count, 0), m.nnz);
        assert_ok(ctx, sparcl_coo_to_csr(ctx, &back, &sum));
        for (int64_t k = 0; k < m.nnz; ++k)
            m.values[k] *= 2; /* exact */
        assert_matrix(ctx, &back, &m);
        drop_coo(&coo);
        drop_coo(&twice);
        drop_coo(&sum);
        sparcl_csr_free(&a);
        sparcl_csr_free(&back);
        spec_matrix_free(&m);
    }
}

/* A table and two states of `count` elements, twice: one for row-sparse work, one for dense. */
typedef struct pair_of_tables {
    sparcl_dense sparse[3], dense[3];
} pair_of_tables;

static pair_of_tables make_tables(sparcl_ctx *ctx, int64_t rows, int64_t n) {
    pair_of_tables t;
    float *x = make_floats(rows * n, 8);
    for (int s = 0; s < 3; ++s) {
        t.sparse[s] = t.dense[s] = (sparcl_dense){.rank = 2, .shape = {rows, n}};
        t.sparse[s].values = put(ctx, x, rows * n * 4);
        t.dense[s].values = put(ctx, x, rows * n * 4);
        memset(x, 0, (size_t)(rows * n) * sizeof *x); /* states begin at 0 */
    }
    free(x);
    return t;
}

static void assert_same_and_free(sparcl_ctx *ctx, pair_of_tables *t) {
    for (int s = 0; s < 3; ++s) {
        void *expected = bytes_of(ctx, t->dense[s].values);
        assert_holds(ctx, t->sparse[s].values, expected);
        free(expected);
        sparcl_buf_free(t->sparse[s].values);
        sparcl_buf_free(t->dense[s].values);
    }
}

/* Rows without gradient stay as they are, in the dense step too, as their states are 0. */
static void row_sparse_steps_have_the_bits_of_dense_ones(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t n = 3;
    for (size_t f = 0; f < COUNT(files); ++f) {
        const spec_matrix m = matrix_of(files[f]);
        product p = product_of(ctx, &m, n, true, SPARCL_INDEX32, SPARCL_INDEX32);
        const int64_t capacity = m.nnz < m.cols ? m.nnz : m.cols;
        sparcl_rows r = {.rank = 2,
                         .shape = {m.cols, n},
                         .nnr = capacity,
                         .indices = fits(ctx, capacity, 4),
                         .values = fits(ctx, capacity * n, 4),
                         .count = fits(ctx, 1, 8)};
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &p.b, NULL));
        assert_ok(ctx, sparcl_spmm_t(ctx, &p.c, 1, &p.a, &p.b, 0, NULL));
        for (int rule = 0; rule < 4; ++rule) {
            sparcl_optim o;
            sparcl_optim_init(&o, (sparcl_rule)rule);
            o.lr = 0.1;
            pair_of_tables t = make_tables(ctx, m.cols, n);
            assert_ok(ctx, sparcl_step(ctx, &o, &t.sparse[0], &t.sparse[1], &r));
            assert_ok(ctx, sparcl_step_dense(ctx, &o, &t.dense[0], &t.dense[1], &p.c));
            assert_same_and_free(ctx, &t);
        }
        pair_of_tables t = make_tables(ctx, m.cols, n);
        assert_ok(ctx, sparcl_scatter_add(ctx, &t.sparse[0], -0.3, &r));
        assert_ok(ctx, sparcl_spmm_t(ctx, &t.dense[0], -0.3, &p.a, &p.b, 1, NULL));
        assert_same_and_free(ctx, &t);
        sparcl_buf_free(r.indices);
        sparcl_buf_free(r.values);
        sparcl_buf_free(r.count);
        product_free(&p);
    }
}

int main(void) {
    need_real_data("svm, rcv1 and npz data");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_bits_of_rule_s),
        cmocka_unit_test(transposed_products_have_the_bits_of_rule_s),
        cmocka_unit_test(a_mini_batch_multiplies_as_its_rows_do),
        cmocka_unit_test(a_matrix_is_the_same_in_all_formats),
        cmocka_unit_test(duplicated_entries_add_up_to_twice_their_value),
        cmocka_unit_test(row_sparse_steps_have_the_bits_of_dense_ones),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
