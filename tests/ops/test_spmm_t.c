/* test_spmm_t.c: what the header says of products with the transpose. */
#include "product_test.h"

static sparcl_status spmm_t(sparcl_ctx *ctx, const product *p, double alpha, double beta) {
    return sparcl_spmm_t(ctx, &p->c, alpha, &p->a, &p->b, beta, NULL);
}

static const uint32_t proven = SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE;

/* --- the dense result ------------------------------------------------------------------------ */

static void what_does_not_fit_is_refused_and_c_stays(void **state) {
    check_refusals(*state, true, spmm_t);
}

static void a_matrix_is_refused_until_it_is_validated_or_trusted(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_RAGGED, 20, 9, 60, 3, true);
    p.a.proof = (sparcl_proof){0};
    assert_refused_untouched(ctx, p.c.values, spmm_t(ctx, &p, 1, 0), SPARCL_E_UNCHECKED,
                             "spmm_t: A is not checked");
    assert_ok(ctx, sparcl_csr_validate(ctx, &p.a, 0));
    assert_ok(ctx, spmm_t(ctx, &p, 1, 1));
    assert_product(ctx, &p, 1, 1);
    product_free(&p);
}

static void c_is_not_read_where_beta_is_0_and_its_gaps_stay(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 6) {
        product p = product_make(ctx, SPEC_RAGGED, 30, 45, 70, n, true);
        for (int64_t i = 0; i < dense_capacity(&p.c); ++i)
            p.c_host[i] = i % 2 ? NAN : INFINITY;
        assert_ok(ctx, sparcl_buf_write(ctx, p.c.values, 0, dense_capacity(&p.c) * 4, p.c_host));
        assert_ok(ctx, spmm_t(ctx, &p, -0.5, 0));
        for (int64_t r = 0; r < 45; ++r) /* rows of columns that A does not have, too */
            for (int64_t j = 0; j < n; ++j)
                assert_true(isfinite(float_at(ctx, p.c.values, r * p.c.ld + j)));
        assert_product(ctx, &p, -0.5, 0);
        product_free(&p);
    }
}

static void old_rows_are_scaled_by_beta_where_a_has_no_entry(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_ONE_COL, 5, 6, 12, 2, true);
    assert_ok(ctx, spmm_t(ctx, &p, 1, 0.5));
    assert_product(ctx, &p, 1, 0.5);
    assert_true(float_at(ctx, p.c.values, 1) == 0.5f * p.c_host[1]);
    product_free(&p);
}

static void b_and_c_may_both_be_vectors(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_DUPLICATE, 40, 17, 500, 1, true);
    product q = p;
    q.b.rank = q.c.rank = 1;
    assert_ok(ctx, spmm_t(ctx, &q, 2, 0.25));
    assert_product(ctx, &p, 2, 0.25);
    product_free(&p);
}

static void every_size_may_be_0(void **state) {
    static const int64_t sizes[][4] = {{0, 0, 0, 0}, {0, 3, 0, 2}, {3, 0, 0, 2},
                                       {3, 3, 0, 2}, {3, 3, 4, 0}, {0, 0, 0, 1}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        product p = product_make(ctx, SPEC_UNIFORM, sizes[i][0], sizes[i][1], sizes[i][2],
                                 sizes[i][3], true);
        assert_ok(ctx, spmm_t(ctx, &p, 3, 0.5));
        assert_product(ctx, &p, 3, 0.5);
        product_free(&p);
    }
}

static void a_stored_zero_times_infinity_is_nan_and_an_absent_entry_is_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    spec_matrix m;
    assert_true(spec_matrix_alloc(&m, 2, 3, 2));
    m.offsets[1] = m.offsets[2] = 2;
    m.indices[1] = 2; /* row 0: a stored 0 at column 0, 1 at column 2; row 1 is empty */
    m.values[1] = 1;
    product p = product_of(ctx, &m, 1, true, SPARCL_I32, SPARCL_I32);
    p.b_host[0] = INFINITY;
    p.b_host[p.b.ld] = NAN;
    assert_ok(ctx, sparcl_buf_write(ctx, p.b.values, 0, dense_capacity(&p.b) * 4, p.b_host));
    assert_ok(ctx, spmm_t(ctx, &p, 1, 0));
    assert_true(isnan(float_at(ctx, p.c.values, 0)));
    assert_true(float_at(ctx, p.c.values, p.c.ld) == 0);
    assert_true(float_at(ctx, p.c.values, 2 * p.c.ld) == INFINITY);
    product_free(&p);
}

static void offset_and_index_types_may_be_mixed(void **state) {
    sparcl_ctx *ctx = *state;
    for (int types = 0; types < 4; ++types) {
        spec_matrix m;
        assert_true(spec_matrix_make(&m, SPEC_DUPLICATE, 50, 40, 900, 5));
        product p = product_of(ctx, &m, 3, true, types & 1 ? SPARCL_I64 : SPARCL_I32,
                               types & 2 ? SPARCL_I64 : SPARCL_I32);
        assert_ok(ctx, spmm_t(ctx, &p, 1, 1));
        assert_product(ctx, &p, 1, 1);
        product_free(&p);
    }
}

/* The matrix lies in the middle of larger buffers, and nnz is more than it has. */
static product with_room_behind(sparcl_ctx *ctx, const product *p, int64_t entries) {
    const int64_t capacity = entries + 190;
    int32_t *indices = must_have(calloc((size_t)capacity, sizeof *indices));
    float *values = must_have(calloc((size_t)capacity, sizeof *values));
    for (int64_t i = 0; i < capacity; ++i) {
        const bool inside = i >= 7 && i < entries + 7;
        indices[i] = inside ? (int32_t)p->matrix.indices[i - 7] : i % 2 ? -5 : 1 << 30;
        values[i] = inside ? (float)p->matrix.values[i - 7] : NAN;
    }
    product q = *p;
    q.a.indices = put(ctx, indices, capacity * 4);
    q.a.values = put(ctx, values, capacity * 4);
    q.a.indices_at = q.a.values_at = 7;
    q.a.nnz = capacity - 10;
    free(indices);
    free(values);
    return q;
}

static void entries_behind_the_last_offset_are_not_looked_at(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 10; n += 4) {
        product p = product_make(ctx, SPEC_UNIFORM, 20, 30, 110, n, true);
        product q = with_room_behind(ctx, &p, 110);
        assert_ok(ctx, spmm_t(ctx, &q, 1, 0.5));
        assert_product(ctx, &p, 1, 0.5);
        sparcl_buf_free(q.a.indices);
        sparcl_buf_free(q.a.values);
        product_free(&p);
    }
}

static void one_column_with_everything_has_the_bits_of_rule_s(void **state) {
    static const int64_t widths[] = {1, 2, 9, 33};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(widths); ++i) {
        product p = product_make(ctx, SPEC_ONE_COL, 3000, 11, test_is_small() ? 2100 : 200000,
                                 widths[i], true);
        assert_ok(ctx, spmm_t(ctx, &p, 0.75, 1));
        assert_product(ctx, &p, 0.75, 1);
        product_free(&p);
    }
}

static void one_row_with_everything_has_the_bits_of_rule_s(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 9; n += 7) {
        product p =
            product_make(ctx, SPEC_ONE_ROW, 40, 5000, test_is_small() ? 2100 : 200000, n, true);
        assert_ok(ctx, spmm_t(ctx, &p, 1, 0));
        assert_product(ctx, &p, 1, 0);
        product_free(&p);
    }
}

static void the_bits_are_those_of_transposing_first_and_multiplying_then(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 9) {
        product p = product_make(ctx, SPEC_DUPLICATE, 300, 70, 9000, n, true);
        spec_matrix transposed;
        sparcl_csr a = {0};
        assert_true(spec_matrix_transpose(&transposed, &p.matrix));
        assert_ok(ctx, spec_put_csr(ctx, &a, &transposed, SPARCL_F32, SPARCL_I32, SPARCL_I32));
        sparcl_dense c = p.c;
        c.values = put_spare(ctx, p.c_host, dense_capacity(&p.c));
        assert_ok(ctx, spmm_t(ctx, &p, 1.25, 1));
        assert_ok(ctx, sparcl_spmm(ctx, &c, 1.25, &a, &p.b, 1));
        void *expected = bytes_of(ctx, c.values);
        assert_holds(ctx, p.c.values, expected);
        free(expected);
        sparcl_buf_free(c.values);
        sparcl_csr_free(&a);
        spec_matrix_free(&transposed);
        product_free(&p);
    }
}

static void both_classes_of_kernels_and_every_run_give_the_same_bits(void **state) {
    sparcl_ctx *classes[] = {*state, open_class(SPARCL_CLASS_CPU), open_class(SPARCL_CLASS_GPU)};
    for (int64_t n = 1; n < (test_is_small() ? 6 : 70); n += n < 4 ? 2 : 29) {
        void *first = NULL;
        for (size_t i = 0; i < 2 * COUNT(classes); ++i) { /* twice each */
            sparcl_ctx *ctx = classes[i / 2];
            if (!ctx) continue;
            product p = product_make(ctx, SPEC_RAGGED, 500, 60, 4000, n, true);
            assert_ok(ctx, spmm_t(ctx, &p, 1.5, 0.5));
            if (first)
                assert_holds(ctx, p.c.values, first);
            else
                first = bytes_of(ctx, p.c.values);
            product_free(&p);
        }
        free(first);
    }
    sparcl_ctx_close(classes[1]);
    sparcl_ctx_close(classes[2]);
}

/* --- the row-sparse result ------------------------------------------------------------------- */

/* R for a product: as many rows as `room`, in buffers with something before and behind. */
static sparcl_rows rows_of(sparcl_ctx *ctx, const product *p, int64_t capacity, sparcl_itype type) {
    const int64_t n = p->c.shape[1], bytes = (capacity * n + 20) * 8;
    sparcl_rows r = {.rank = 2,
                     .index_type = type,
                     .shape = {p->c.shape[0], n},
                     .nnr = capacity,
                     .indices_at = 3,
                     .values_at = 5,
                     .count_at = 1};
    assert_ok(ctx, sparcl_buf_create(ctx, &r.values, bytes));
    assert_ok(ctx, sparcl_buf_create(ctx, &r.indices, (capacity + 20) * 8));
    assert_ok(ctx, sparcl_buf_create(ctx, &r.count, 24));
    assert_ok(ctx, sparcl_buf_fill(ctx, r.values, 0, bytes, 0x77));
    assert_ok(ctx, sparcl_buf_fill(ctx, r.indices, 0, (capacity + 20) * 8, 0x77));
    assert_ok(ctx, sparcl_buf_fill(ctx, r.count, 0, 24, 0x77));
    return r;
}

static void rows_free(sparcl_rows *r) {
    sparcl_buf_free(r->values);
    sparcl_buf_free(r->indices);
    sparcl_buf_free(r->count);
}

/* R's rows are those of C that A has columns for; all around them is as it was. */
static void assert_rows(sparcl_ctx *ctx, const product *p, const sparcl_rows *r, double alpha) {
    const int64_t n = p->c.shape[1];
    int64_t *expected = must_have(calloc((size_t)p->c.shape[0] + 1, 8));
    int64_t *ids = must_have(calloc((size_t)r->nnr + 20, 8));
    const int64_t count = find_columns(&p->matrix, expected);
    double *order = product_order(p, alpha, 0);
    float *values = bytes_of(ctx, r->values);
    const size_t id = sparcl_itype_size(r->index_type);
    assert_int_equal(int_at(ctx, r->count, 1), count);
    assert_int_equal(int_at(ctx, r->count, 0), 0x7777777777777777);
    assert_int_equal(int_at(ctx, r->count, 2), 0x7777777777777777);
    assert_ok(ctx, spec_get_ints(ctx, r->indices, 3, count, r->index_type, ids));
    assert_memory_equal(ids, expected, (size_t)count * 8);
    for (int64_t i = 0; i < count * n; ++i)
        assert_true(values[5 + i] == (float)order[ids[i / n] * p->c.ld + i % n]);
    unsigned char *bytes = bytes_of(ctx, r->indices), *floats = (unsigned char *)values;
    for (size_t i = 0; i < 3 * id; ++i)
        assert_int_equal(bytes[i], 0x77);
    for (size_t i = (3 + (size_t)r->nnr) * id; i < (size_t)(r->nnr + 20) * 8; ++i)
        assert_int_equal(bytes[i], 0x77);
    for (size_t i = 0; i < 20; ++i)
        assert_int_equal(floats[i], 0x77);
    for (size_t i = (5 + (size_t)(r->nnr * n)) * 4; i < (size_t)sparcl_buf_bytes(r->values); ++i)
        assert_int_equal(floats[i], 0x77);
    free(bytes);
    free(values);
    free(order);
    free(ids);
    free(expected);
}

static void the_rows_are_those_of_the_dense_result_that_a_has_columns_for(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 6)
        for (int way = 0; way < 4; ++way) {
            product p = product_make(ctx, SPEC_RAGGED, 60, 90, 130, n, true);
            sparcl_rows r = rows_of(ctx, &p, way & 1 ? 90 : 95, way & 1 ? SPARCL_I64 : SPARCL_I32);
            sparcl_pattern *pattern = way & 2 ? pattern_of(ctx, &p.a) : NULL;
            assert_int_equal(sparcl_rows_flags(&r), 0);
            assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, -1.5, &p.a, &p.b, pattern));
            assert_int_equal(sparcl_rows_flags(&r), proven);
            assert_rows(ctx, &p, &r, -1.5);
            sparcl_pattern_free(pattern);
            rows_free(&r);
            product_free(&p);
        }
}

static void the_result_may_name_the_indices_of_the_pattern(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t n = 1; n < 20; n += 6) {
        product p = product_make(ctx, SPEC_RAGGED, 60, 90, 130, n, true);
        sparcl_rows r = rows_of(ctx, &p, 90, SPARCL_I32);
        sparcl_pattern *pattern = pattern_of(ctx, &p.a);
        sparcl_rows own = sparcl_pattern_columns(pattern);
        own.shape[1] = n;
        own.values = r.values;
        own.values_at = r.values_at;
        assert_int_equal(own.nnr, 90);
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &own, -1.5, &p.a, &p.b, pattern));
        assert_int_equal(sparcl_rows_flags(&own), proven);
        /* As in arrays of the caller's: the values are there, the rest is taken from the pattern.
         */
        const sparcl_rows columns = sparcl_pattern_columns(pattern);
        assert_int_equal(sparcl_rows_flags(&columns), proven);
        assert_ok(ctx, sparcl_buf_copy(ctx, r.indices, 12, columns.indices, 0,
                                       4 * int_at(ctx, columns.count, 0)));
        assert_ok(ctx, sparcl_buf_copy(ctx, r.count, 8, columns.count, 0, 8));
        assert_rows(ctx, &p, &r, -1.5);
        sparcl_pattern_free(pattern);
        rows_free(&r);
        product_free(&p);
    }
}

static void the_row_sparse_result_may_be_a_vector(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_ONE_COL, 12, 9, 700, 1, true);
    sparcl_rows r = rows_of(ctx, &p, 9, SPARCL_I32);
    sparcl_dense b = p.b;
    r.rank = b.rank = 1;
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    product_free(&p);
}

static void the_row_sparse_result_of_nothing_has_no_rows(void **state) {
    static const int64_t sizes[][4] = {{0, 0, 0, 2}, {0, 3, 0, 2}, {3, 0, 0, 2}, {3, 3, 0, 2}};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        product p = product_make(ctx, SPEC_UNIFORM, sizes[i][0], sizes[i][1], sizes[i][2],
                                 sizes[i][3], true);
        sparcl_rows r = rows_of(ctx, &p, 0, SPARCL_I32);
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &p.b, NULL));
        assert_rows(ctx, &p, &r, 1);
        sparcl_rows empty = r; /* no room, no buffers */
        empty.values = empty.indices = NULL;
        empty.values_at = empty.indices_at = 0;
        assert_ok(ctx, sparcl_spmm_t_rows(ctx, &empty, 1, &p.a, &p.b, NULL));
        rows_free(&r);
        product_free(&p);
    }
    product p = product_make(ctx, SPEC_UNIFORM, 3, 3, 5, 0, true); /* rows of no element */
    sparcl_rows r = rows_of(ctx, &p, 3, SPARCL_I32);
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &p.b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    product_free(&p);
}

static void the_rows_of_a_matrix_with_room_to_spare_are_those_of_its_entries(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 20, 30, 110, 3, true);
    product q = with_room_behind(ctx, &p, 110);
    sparcl_rows r = rows_of(ctx, &p, 30, SPARCL_I64);
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &q.a, &q.b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    sparcl_buf_free(q.a.indices);
    sparcl_buf_free(q.a.values);
    product_free(&p);
}

#define ROWS_VIOLATION(name, statement)                                                            \
    static void name(product *p, sparcl_rows *r) {                                                 \
        (void)p, (void)r;                                                                          \
        statement;                                                                                 \
    }
ROWS_VIOLATION(r_has_no_count, r->count = NULL)
ROWS_VIOLATION(r_has_too_little_capacity, r->nnr = 8)
ROWS_VIOLATION(r_has_negative_capacity, r->nnr = -1)
ROWS_VIOLATION(r_has_rank_1, r->rank = 1)
ROWS_VIOLATION(r_is_short, r->shape[0] = 8)
ROWS_VIOLATION(r_is_narrow, r->shape[1] = 1)
ROWS_VIOLATION(r_is_f64, r->dtype = SPARCL_F64)
ROWS_VIOLATION(r_has_no_index_type, r->index_type = (sparcl_itype)2)
ROWS_VIOLATION(r_has_reserved_bits, r->reserved[0] = 1)
ROWS_VIOLATION(r_has_too_few_values, r->values_at = 1000)
ROWS_VIOLATION(r_has_too_few_indices, r->indices_at = 1000)
ROWS_VIOLATION(r_has_its_count_outside, r->count_at = 3)
ROWS_VIOLATION(r_has_values_on_b, p->b.values = r->values)
ROWS_VIOLATION(r_has_values_on_a, p->a.values = r->values)
ROWS_VIOLATION(r_has_indices_on_a, p->a.indices = r->indices)
ROWS_VIOLATION(r_has_its_count_on_a, p->a.offsets = r->count)
ROWS_VIOLATION(r_has_indices_on_its_values, r->indices = r->values)
ROWS_VIOLATION(r_has_its_count_on_its_indices, (r->count = r->indices, r->count_at = 2))
ROWS_VIOLATION(rows_of_an_unproven_matrix, p->a.proof = (sparcl_proof){0})

static void a_row_sparse_result_that_does_not_fit_is_refused_and_stays(void **state) {
    static const struct {
        void (*violation)(product *p, sparcl_rows *r);
        sparcl_status status;
        const char *part;
        bool needs_f64;
    } cases[] = {
        {r_has_no_count, SPARCL_E_SHAPE, "R has no count, expected one", false},
        {r_has_too_little_capacity, SPARCL_E_SHAPE, "R has capacity for 8 rows", false},
        {r_has_negative_capacity, SPARCL_E_SHAPE, "R has -1 stored rows", false},
        {r_has_rank_1, SPARCL_E_SHAPE, "B has rank 2 and R rank 1", false},
        {r_is_short, SPARCL_E_SHAPE, "A has 9 columns, R has 8 rows", false},
        {r_is_narrow, SPARCL_E_SHAPE, "B has 2 columns, R has 1", false},
        {r_is_f64, SPARCL_E_DTYPE, "64", true},
        {r_has_no_index_type, SPARCL_E_DTYPE, "R has index type 2", false},
        {r_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of R", false},
        {r_has_too_few_values, SPARCL_E_SHAPE, "for its values", false},
        {r_has_too_few_indices, SPARCL_E_SHAPE, "for its indices", false},
        {r_has_its_count_outside, SPARCL_E_SHAPE, "for its count", false},
        {r_has_values_on_b, SPARCL_E_ALIAS, "the values of R overlaps B", false},
        {r_has_values_on_a, SPARCL_E_ALIAS, "the values of R overlaps the values of A", false},
        {r_has_indices_on_a, SPARCL_E_ALIAS, "the indices of R overlaps the indices of A", false},
        {r_has_its_count_on_a, SPARCL_E_ALIAS, "the count of R overlaps the offsets of A", false},
        {r_has_indices_on_its_values, SPARCL_E_ALIAS, "the values of R overlaps the indices of R",
         false},
        {r_has_its_count_on_its_indices, SPARCL_E_ALIAS, "the count of R overlaps the indices of R",
         false},
        {rows_of_an_unproven_matrix, SPARCL_E_UNCHECKED, "sparcl_csr_validate", false},
    };
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 4, 9, 14, 2, true);
    sparcl_rows r = rows_of(ctx, &p, 9, SPARCL_I32);
    for (size_t i = 0; i < COUNT(cases); ++i) {
        product broken = p;
        sparcl_rows to = r;
        cases[i].violation(&broken, &to);
        void *indices = bytes_of(ctx, r.indices), *count = bytes_of(ctx, r.count);
        assert_refused_untouched(
            ctx, r.values, sparcl_spmm_t_rows(ctx, &to, 1, &broken.a, &broken.b, NULL),
            cases[i].needs_f64 ? wrong_f64(ctx) : cases[i].status, cases[i].part);
        assert_int_equal(sparcl_rows_flags(&to), 0);
        assert_holds(ctx, r.indices, indices);
        assert_holds(ctx, r.count, count);
        free(indices);
        free(count);
    }
    assert_refused(ctx, sparcl_spmm_t_rows(ctx, NULL, 1, &p.a, &p.b, NULL), SPARCL_E_ARG,
                   "R is NULL");
    assert_ok(ctx, sparcl_spmm_t_rows(ctx, &r, 1, &p.a, &p.b, NULL));
    assert_rows(ctx, &p, &r, 1);
    rows_free(&r);
    product_free(&p);
}

static void memory_is_given_back_after_a_product_without_a_pattern(void **state) {
    sparcl_ctx *ctx = *state;
    product p = product_make(ctx, SPEC_UNIFORM, 50, 40, 300, 3, true);
    assert_ok(ctx, spmm_t(ctx, &p, 1, 0)); /* scratch memory stays with the context */
    const int64_t memory = sparcl_ctx_memory(ctx);
    for (int i = 0; i < 3; ++i)
        assert_ok(ctx, spmm_t(ctx, &p, 1, 0));
    assert_int_equal(sparcl_ctx_memory(ctx), memory);
    product_free(&p);
}

static void many_entries_may_have_long_keys(void **state) {
    for (int variant = 2; variant < 4 && !test_is_small(); ++variant) {
        spec_case c = long_keys(SPEC_UNIFORM);
        c.variant = variant;
        c.n = 2;
        c.alpha = 1;
        check_spec_case(*state, "spmm_t", &c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_is_refused_and_c_stays),
        cmocka_unit_test(a_matrix_is_refused_until_it_is_validated_or_trusted),
        cmocka_unit_test(c_is_not_read_where_beta_is_0_and_its_gaps_stay),
        cmocka_unit_test(old_rows_are_scaled_by_beta_where_a_has_no_entry),
        cmocka_unit_test(b_and_c_may_both_be_vectors),
        cmocka_unit_test(every_size_may_be_0),
        cmocka_unit_test(a_stored_zero_times_infinity_is_nan_and_an_absent_entry_is_nothing),
        cmocka_unit_test(offset_and_index_types_may_be_mixed),
        cmocka_unit_test(entries_behind_the_last_offset_are_not_looked_at),
        cmocka_unit_test(one_column_with_everything_has_the_bits_of_rule_s),
        cmocka_unit_test(one_row_with_everything_has_the_bits_of_rule_s),
        cmocka_unit_test(the_bits_are_those_of_transposing_first_and_multiplying_then),
        cmocka_unit_test(both_classes_of_kernels_and_every_run_give_the_same_bits),
        cmocka_unit_test(the_rows_are_those_of_the_dense_result_that_a_has_columns_for),
        cmocka_unit_test(the_result_may_name_the_indices_of_the_pattern),
        cmocka_unit_test(the_row_sparse_result_may_be_a_vector),
        cmocka_unit_test(the_row_sparse_result_of_nothing_has_no_rows),
        cmocka_unit_test(the_rows_of_a_matrix_with_room_to_spare_are_those_of_its_entries),
        cmocka_unit_test(a_row_sparse_result_that_does_not_fit_is_refused_and_stays),
        cmocka_unit_test(memory_is_given_back_after_a_product_without_a_pattern),
        cmocka_unit_test(many_entries_may_have_long_keys),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
