/* test_large_sizes.c: no product of sizes is limited to 2^31: matrices of more than 2^40 elements
 * through every operation that multiplies sizes, and forecasts with more than 2^31 entries. */
#include "op_test.h"

enum { SIDE = 1 << 21, ENTRIES = 4 };

/* Entries near all corners of a matrix of 2^42 elements. */
static const int64_t rows[] = {0, 0, SIDE - 1, SIDE - 1}, cols[] = {1, SIDE - 1, 0, SIDE - 2};
static const float values[] = {1, 2, 3, 4};

typedef struct formats {
    sparcl_coo coo, coo_to, sorted;
    sparcl_csr csr, csr_to;
    sparcl_csc csc;
} formats;

static formats make_formats(sparcl_ctx *ctx) {
    int32_t i[ENTRIES], j[ENTRIES];
    const void *const indices[] = {i, j};
    formats f = {.coo = {.rank = 2, .shape = {SIDE, SIDE}, .nnz = ENTRIES},
                 .coo_to = {.rank = 2, .shape = {SIDE, SIDE}, .nnz = 4 * ENTRIES},
                 .sorted = {.rank = 2, .shape = {SIDE, SIDE}, .nnz = 4 * ENTRIES},
                 .csr = {.rows = SIDE, .cols = SIDE, .nnz = ENTRIES},
                 .csr_to = {.rows = SIDE, .cols = SIDE, .nnz = 4 * ENTRIES},
                 .csc = {.rows = SIDE, .cols = SIDE, .nnz = ENTRIES}};
    for (int k = 0; k < ENTRIES; ++k) {
        i[k] = (int32_t)rows[k];
        j[k] = (int32_t)cols[k];
    }
    assert_ok(ctx, sparcl_coo_upload(ctx, &f.coo, indices, values, 0));
    assert_ok(ctx, sparcl_coo_create(ctx, &f.coo_to));
    assert_ok(ctx, sparcl_coo_create(ctx, &f.sorted));
    assert_ok(ctx, sparcl_csr_create(ctx, &f.csr));
    assert_ok(ctx, sparcl_csr_create(ctx, &f.csr_to));
    assert_ok(ctx, sparcl_csc_create(ctx, &f.csc));
    assert_ok(ctx, sparcl_coo_to_csr(ctx, &f.csr, &f.coo));
    return f;
}

static void free_formats(formats *f) {
    sparcl_coo_free(&f->coo);
    sparcl_coo_free(&f->coo_to);
    sparcl_coo_free(&f->sorted);
    sparcl_csr_free(&f->csr);
    sparcl_csr_free(&f->csr_to);
    sparcl_csc_free(&f->csc);
}

static void assert_entries(sparcl_ctx *ctx, const sparcl_coo *a) {
    int64_t i[ENTRIES], j[ENTRIES];
    assert_ok(ctx, spec_get_ints(ctx, a->indices[0], 0, ENTRIES, a->index_type, i));
    assert_ok(ctx, spec_get_ints(ctx, a->indices[1], 0, ENTRIES, a->index_type, j));
    for (int k = 0; k < ENTRIES; ++k) {
        assert_int_equal(i[k], rows[k]);
        assert_int_equal(j[k], cols[k]);
        assert_true(float_at(ctx, a->values, k) == values[k]);
    }
}

static void conversions_keep_every_entry(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    assert_ok(ctx, sparcl_csr_to_csc(ctx, &f.csc, &f.csr));
    assert_ok(ctx, sparcl_csc_to_coo(ctx, &f.coo_to, &f.csc));
    assert_ok(ctx, sparcl_coo_sort(ctx, &f.sorted, &f.coo_to, NULL, 0));
    assert_entries(ctx, &f.sorted);
    assert_ok(ctx, sparcl_csc_to_csr(ctx, &f.csr_to, &f.csc));
    assert_ok(ctx, sparcl_csr_prune(ctx, &f.csr, &f.csr_to, 0, NULL, 0));
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &f.coo_to, &f.csr));
    assert_entries(ctx, &f.coo_to);
    free_formats(&f);
}

static void blocks_and_rows_keep_every_entry(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_bsr bsr = {
        .rows = SIDE, .cols = SIDE, .block_rows = 2, .block_cols = 2, .nnzb = ENTRIES};
    sparcl_rows stored = {.rank = 2, .shape = {SIDE, SIDE}, .nnr = 2};
    assert_ok(ctx, sparcl_bsr_create(ctx, &bsr));
    assert_ok(ctx, sparcl_rows_create(ctx, &stored));
    assert_ok(ctx, sparcl_csr_to_bsr(ctx, &bsr, &f.csr, NULL, 0));
    assert_ok(ctx, sparcl_bsr_to_csr(ctx, &f.csr_to, &bsr));
    assert_ok(ctx, sparcl_csr_prune(ctx, &f.csr, &f.csr_to, 0, NULL, 0));
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &f.coo_to, &f.csr));
    assert_entries(ctx, &f.coo_to);
    assert_ok(ctx, sparcl_csr_to_rows(ctx, &stored, &f.csr, NULL, 0));
    assert_int_equal(int_at(ctx, stored.count, 0), 2);
    assert_ok(ctx, sparcl_rows_to_csr(ctx, &f.csr_to, &stored, 0, NULL, 0));
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &f.sorted, &f.csr_to));
    assert_entries(ctx, &f.sorted);
    sparcl_bsr_free(&bsr);
    sparcl_rows_free(&stored);
    free_formats(&f);
}

static void products_read_and_write_the_last_row(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_dense b = {.rank = 1, .shape = {SIDE}}, c = b;
    float *ones = must_have(calloc(SIDE, sizeof *ones));
    for (int64_t i = 0; i < SIDE; ++i)
        ones[i] = 1;
    assert_ok(ctx, sparcl_dense_upload(ctx, &b, ones));
    assert_ok(ctx, sparcl_dense_create(ctx, &c));
    assert_ok(ctx, sparcl_spmm(ctx, &c, 1, &f.csr, &b, 0));
    assert_true(float_at(ctx, c.values, 0) == 3 && float_at(ctx, c.values, SIDE - 1) == 7);
    assert_ok(ctx, sparcl_spmm_t(ctx, &c, 1, &f.csr, &b, 0, NULL));
    assert_true(float_at(ctx, c.values, SIDE - 1) == 2 && float_at(ctx, c.values, SIDE - 2) == 4);
    free(ones);
    sparcl_dense_free(&b);
    sparcl_dense_free(&c);
    free_formats(&f);
}

static void a_dense_array_of_this_size_is_refused_with_its_bytes(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_dense to = {.rank = 2, .shape = {SIDE, SIDE}};
    assert_refused(ctx, sparcl_dense_create(ctx, &to), SPARCL_E_MEMORY, "17592186044416");
    assert_refused(ctx, sparcl_csr_to_dense(ctx, &to, &f.csr), SPARCL_E_SHAPE,
                   "`to` needs 4398046511104 elements of 4 bytes");
    free_formats(&f);
}

/* --- forecasts ------------------------------------------------------------------------------- */

static sparcl_ctx *open_forecast(void) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    desc.forecast = 1;
    desc.cache_dir = NULL;
    if (sparcl_ctx_open(&ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return ctx;
}

static void entries_over_2_31_need_64_bit_offsets(void **state) {
    const int64_t entries = ((int64_t)1 << 31) + 5;
    sparcl_ctx *ctx = open_forecast();
    sparcl_csr a = {.rows = 1000, .cols = 5000000, .nnz = entries};
    (void)state;
    assert_refused(ctx, sparcl_csr_create(ctx, &a), SPARCL_E_DTYPE,
                   "expected 64-bit ones for a size of 2147483653");
    sparcl_ctx_close(ctx);
}

/* Values of one byte, so that the arrays are not larger than a device's largest. */
static void forecasts_count_more_than_2_31_entries(void **state) {
    const int64_t entries = ((int64_t)1 << 31) + 5;
    sparcl_ctx *ctx = open_forecast();
    sparcl_dense x = {.rank = 2, .dtype = SPARCL_BOOL, .shape = {3, entries / 3 + 1}};
    sparcl_csr to = {.rows = 3,
                     .cols = entries / 3 + 1,
                     .nnz = 1000,
                     .dtype = SPARCL_BOOL,
                     .offset_type = SPARCL_I64};
    (void)state;
    if (sparcl_dense_create(ctx, &x) == SPARCL_OK) {
        assert_true(sparcl_ctx_memory(ctx) > entries);
        assert_ok(ctx, sparcl_csr_create(ctx, &to));
        assert_ok(ctx, sparcl_dense_to_csr(ctx, &to, &x, 0, NULL, 0));
        assert_ok(ctx, sparcl_csr_to_dense(ctx, &x, &to));
    } else { /* larger than the device's largest buffer */
        assert_non_null(strstr(sparcl_ctx_error(ctx)->message, "2147483655"));
    }
    sparcl_csr_free(&to);
    sparcl_dense_free(&x);
    sparcl_ctx_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_keep_every_entry),
        cmocka_unit_test(blocks_and_rows_keep_every_entry),
        cmocka_unit_test(products_read_and_write_the_last_row),
        cmocka_unit_test(a_dense_array_of_this_size_is_refused_with_its_bytes),
        cmocka_unit_test(entries_over_2_31_need_64_bit_offsets),
        cmocka_unit_test(forecasts_count_more_than_2_31_entries),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
