/* test_large_sizes.c: no product of sizes is limited to 2^31: matrices of more than 2^40 elements
 * through every operation that multiplies sizes, and forecasts with more than 2^31 entries. */
#include "op_test.h"

#include "launch/launch.h"

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
    assert_ok(ctx, sparcl_csr_prune(ctx, &f.csr, &f.csr_to, 0, NULL));
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
    assert_ok(ctx, sparcl_csr_to_bsr(ctx, &bsr, &f.csr, NULL));
    assert_ok(ctx, sparcl_bsr_to_csr(ctx, &f.csr_to, &bsr));
    assert_ok(ctx, sparcl_csr_prune(ctx, &f.csr, &f.csr_to, 0, NULL));
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &f.coo_to, &f.csr));
    assert_entries(ctx, &f.coo_to);
    assert_ok(ctx, sparcl_csr_to_rows(ctx, &stored, &f.csr, NULL));
    assert_int_equal(int_at(ctx, stored.count, 0), 2);
    assert_ok(ctx, sparcl_rows_to_csr(ctx, &f.csr_to, &stored, 0, NULL));
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

/* --- structure, COO arrays and sparse products ------------------------------------------------ */

static sparcl_csr make_csr(sparcl_ctx *ctx, int64_t height, int64_t width, sparcl_itype type) {
    sparcl_csr a = {.rows = height, .cols = width, .nnz = 4 * ENTRIES, .index_type = type};
    assert_ok(ctx, sparcl_csr_create(ctx, &a));
    return a;
}

static void assert_csr_entries(sparcl_ctx *ctx, formats *f, const sparcl_csr *a) {
    assert_ok(ctx, sparcl_csr_to_coo(ctx, &f->coo_to, a));
    assert_entries(ctx, &f->coo_to);
}

/* The matrix twice, at first and last of 2^43 or 2^44 elements; the last one is taken out again. */
static void parts_of_larger_matrices_keep_every_entry(void **state) {
    static const struct {
        sparcl_status (*join)(sparcl_ctx *ctx, sparcl_csr *to, const sparcl_csr *from, int count,
                              const sparcl_moved *moved);
        int64_t rows, cols;
    } joins[] = {{sparcl_csr_concat_rows, 2, 1},
                 {sparcl_csr_concat_columns, 1, 2},
                 {sparcl_csr_block_diagonal, 2, 2}};
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    const sparcl_csr twice[] = {f.csr, f.csr};
    for (size_t k = 0; k < COUNT(joins); ++k) {
        const int64_t height = joins[k].rows * SIDE, width = joins[k].cols * SIDE;
        sparcl_csr joined = make_csr(ctx, height, width, SPARCL_INDEX32);
        sparcl_csr lower = make_csr(ctx, SIDE, width, SPARCL_INDEX32);
        assert_ok(ctx, joins[k].join(ctx, &joined, twice, 2, NULL));
        assert_ok(ctx, sparcl_csr_slice_rows(ctx, &lower, &joined, height - SIDE, NULL));
        assert_ok(ctx, sparcl_csr_slice_columns(ctx, &f.csr_to, &lower, width - SIDE, NULL));
        assert_csr_entries(ctx, &f, &f.csr_to);
        sparcl_csr_free(&joined);
        sparcl_csr_free(&lower);
    }
    free_formats(&f);
}

static void other_shapes_and_orders_keep_every_entry(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_csr turned = make_csr(ctx, SIDE, SIDE, SPARCL_INDEX32);
    sparcl_csr line = make_csr(ctx, 1, (int64_t)SIDE * SIDE, SPARCL_INDEX64);
    sparcl_csr flat = make_csr(ctx, SIDE / 2, 2 * SIDE, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_csr_transpose(ctx, &turned, &f.csr, NULL));
    assert_ok(ctx, sparcl_csr_transpose(ctx, &f.csr_to, &turned, NULL));
    assert_csr_entries(ctx, &f, &f.csr_to);
    assert_ok(ctx, sparcl_csr_reshape(ctx, &line, &f.csr, NULL));
    assert_ok(ctx, sparcl_csr_reshape(ctx, &flat, &line, NULL));
    assert_ok(ctx, sparcl_csr_reshape(ctx, &f.csr_to, &flat, NULL));
    assert_csr_entries(ctx, &f, &f.csr_to);
    assert_ok(ctx, sparcl_csr_sum_duplicates(ctx, &f.csr_to, &f.csr, NULL, 0));
    assert_csr_entries(ctx, &f, &f.csr_to);
    sparcl_csr_free(&turned);
    sparcl_csr_free(&line);
    sparcl_csr_free(&flat);
    free_formats(&f);
}

static void coo_arrays_keep_every_entry(void **state) {
    static const int axes[] = {1, 0};
    static const int64_t start[] = {SIDE, 0};
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_coo turned = {.rank = 2, .shape = {SIDE, SIDE}, .nnz = 4 * ENTRIES};
    sparcl_coo four = {.rank = 4, .shape = {1024, SIDE / 1024, 2048, SIDE / 2048}, .nnz = 16};
    sparcl_coo joined = {.rank = 2, .shape = {2 * SIDE, SIDE}, .nnz = 16};
    assert_ok(ctx, sparcl_coo_create(ctx, &turned));
    assert_ok(ctx, sparcl_coo_create(ctx, &four));
    assert_ok(ctx, sparcl_coo_create(ctx, &joined));
    assert_ok(ctx, sparcl_coo_permute(ctx, &turned, &f.coo, axes, NULL));
    assert_ok(ctx, sparcl_coo_permute(ctx, &f.coo_to, &turned, axes, NULL));
    assert_entries(ctx, &f.coo_to);
    assert_ok(ctx, sparcl_coo_reshape(ctx, &four, &f.coo));
    assert_ok(ctx, sparcl_coo_reshape(ctx, &f.coo_to, &four));
    assert_entries(ctx, &f.coo_to);
    assert_ok(ctx, sparcl_coo_concat(ctx, &joined, (const sparcl_coo[]){f.coo, f.coo}, 2, 0, NULL));
    assert_ok(ctx, sparcl_coo_slice(ctx, &f.coo_to, &joined, start, NULL));
    assert_entries(ctx, &f.coo_to);
    sparcl_coo_free(&turned);
    sparcl_coo_free(&four);
    sparcl_coo_free(&joined);
    free_formats(&f);
}

/* The matrix with a 1 in each place of its diagonal. */
static sparcl_csr make_identity(sparcl_ctx *ctx) {
    int32_t *const counted = must_have(malloc((SIDE + 1) * sizeof *counted));
    float *const ones = must_have(malloc(SIDE * sizeof *ones));
    sparcl_csr a = {.rows = SIDE, .cols = SIDE, .nnz = SIDE};
    for (int32_t i = 0; i < SIDE; ++i)
        counted[i] = i, ones[i] = 1;
    counted[SIDE] = SIDE;
    assert_ok(ctx, sparcl_csr_upload(ctx, &a, counted, counted, ones, SPARCL_UNIQUE));
    free(counted);
    free(ones);
    return a;
}

static void sparse_products_keep_every_entry(void **state) {
    sparcl_ctx *ctx = *state;
    if (spc_has_short_loops(ctx)) skip(); /* a product of SIDE columns is refused there */
    formats f = make_formats(ctx);
    sparcl_csr one = make_identity(ctx);
    sparcl_spgemm *plan = NULL;
    assert_ok(ctx, sparcl_csr_validate(ctx, &f.csr, SPARCL_SORTED | SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_spgemm_create(ctx, &plan));
    assert_ok(ctx, sparcl_spgemm_symbolic(ctx, plan, &f.csr, &one));
    assert_ok(ctx, sparcl_spgemm_numeric(ctx, plan, &f.csr_to, &f.csr, &one, NULL));
    assert_csr_entries(ctx, &f, &f.csr_to);
    assert_ok(ctx, sparcl_csr_add(ctx, &f.csr_to, 2, &f.csr, -1, &f.csr, NULL));
    assert_csr_entries(ctx, &f, &f.csr_to);
    sparcl_spgemm_free(plan);
    sparcl_csr_free(&one);
    free_formats(&f);
}

/* --- what is too large ----------------------------------------------------------------------- */

static void a_dense_array_of_this_size_is_refused_with_its_bytes(void **state) {
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_dense to = {.rank = 2, .shape = {SIDE, SIDE}};
    assert_refused(ctx, sparcl_dense_create(ctx, &to), SPARCL_E_MEMORY, "17592186044416");
    assert_refused(ctx, sparcl_csr_to_dense(ctx, &to, &f.csr), SPARCL_E_SHAPE,
                   "no buffer yet for its values (4398046511104 elements of 4 bytes)");
    free_formats(&f);
}

/* Sizes whose product or sum is 0 modulo 2^64: no array is large enough, whatever it has. */
static void products_of_sizes_do_not_wrap(void **state) {
    const int64_t half = (int64_t)1 << 32;
    sparcl_ctx *ctx = *state;
    formats f = make_formats(ctx);
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 256));
    const sparcl_dense x = {.rank = 2, .shape = {half, half}, .values = buf};
    const sparcl_dense line = {.rank = 1, .shape = {0}, .values = buf};
    const sparcl_csr a = {half,
                          half,
                          0,
                          .index_type = SPARCL_INDEX64,
                          .offsets = buf,
                          .indices = buf,
                          .values = buf,
                          .proof = {.flags = SPARCL_TRUSTED}};
    const sparcl_rows tall = {3,
                              .shape = {2, half, half},
                              .nnr = 1,
                              .indices = buf,
                              .values = buf,
                              .proof = {.flags = SPARCL_TRUSTED}};
    const sparcl_bsr bsr = {half,
                            half,
                            half,
                            half,
                            1,
                            .index_type = SPARCL_INDEX64,
                            .offsets = buf,
                            .indices = buf,
                            .values = buf,
                            .proof = {.flags = SPARCL_TRUSTED}};
    const sparcl_dense cube = {.rank = 3, .shape = {2, half, half}, .values = buf};
    sparcl_dense new_x = {.rank = 2, .shape = {half, half}};
    assert_refused(ctx, sparcl_dense_create(ctx, &new_x), SPARCL_E_SHAPE,
                   "more elements than fit in memory");
    assert_refused(ctx, sparcl_unary(ctx, SPARCL_UNARY_ABS, &x, &x), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_csr_to_dense(ctx, &x, &a), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_dense_to_csr(ctx, &f.csr_to, &x, 0, NULL), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_sparse_mask(ctx, &line, &x, &a), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_csr_multiply_dense(ctx, &line, &a, &x), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_rows_to_dense(ctx, &cube, &tall), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_bsr_to_csr(ctx, &f.csr_to, &bsr), SPARCL_E_SHAPE, "");
    sparcl_buf_free(buf);
    free_formats(&f);
}

static void arrays_of_too_many_elements_are_not_reshaped(void **state) {
    static const int64_t twos[] = {(int64_t)1 << 32, (int64_t)1 << 32, 2};
    sparcl_ctx *ctx = *state;
    sparcl_csr a = {.rows = 4, .cols = (int64_t)1 << 62, .nnz = 1, .index_type = SPARCL_INDEX64};
    sparcl_csr b = {.rows = 2, .cols = (int64_t)1 << 62, .nnz = 1, .index_type = SPARCL_INDEX64};
    sparcl_coo from = {.rank = 3, .nnz = 1, .index_type = SPARCL_INDEX64}, to = from;
    memcpy(from.shape, twos, sizeof twos);
    to.shape[0] = 4, to.shape[1] = to.shape[2] = (int64_t)1 << 32;
    assert_ok(ctx, sparcl_csr_create(ctx, &a));
    assert_ok(ctx, sparcl_csr_create(ctx, &b));
    assert_ok(ctx, sparcl_coo_create(ctx, &from));
    assert_ok(ctx, sparcl_coo_create(ctx, &to));
    assert_refused(ctx, sparcl_csr_reshape(ctx, &a, &b, NULL), SPARCL_E_UNSUPPORTED, "");
    assert_refused(ctx, sparcl_coo_reshape(ctx, &to, &from), SPARCL_E_UNSUPPORTED, "");
    sparcl_csr_free(&a);
    sparcl_csr_free(&b);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
}

/* A product needs a sum for each column: there is no memory for 2^61. */
static void sums_of_too_many_columns_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    if (spc_has_short_loops(ctx)) skip();
    sparcl_csr a = {.rows = 2, .cols = 3, .nnz = 50, .index_type = SPARCL_INDEX64};
    sparcl_csr b = {.rows = 3, .cols = (int64_t)1 << 61, .nnz = 50, .index_type = SPARCL_INDEX64};
    sparcl_spgemm *plan = NULL;
    assert_ok(ctx, sparcl_csr_create(ctx, &a));
    assert_ok(ctx, sparcl_csr_create(ctx, &b));
    assert_ok(ctx, sparcl_spgemm_create(ctx, &plan));
    assert_refused(ctx, sparcl_spgemm_symbolic(ctx, plan, &a, &b), SPARCL_E_MEMORY, "");
    sparcl_spgemm_free(plan);
    sparcl_csr_free(&a);
    sparcl_csr_free(&b);
}

/* Four parts of 2^62 columns are not one of 0 columns. */
static void sums_of_sizes_do_not_wrap(void **state) {
    const int64_t quarter = (int64_t)1 << 62;
    sparcl_ctx *ctx = *state;
    sparcl_csr a = {.cols = quarter, .index_type = SPARCL_INDEX64},
               to = {.index_type = SPARCL_INDEX64};
    sparcl_coo coo = {.rank = 2, .shape = {3, quarter}, .index_type = SPARCL_INDEX64}, to_coo = coo;
    sparcl_dense part = {.rank = 2, .shape = {quarter, 0}}, whole = {.rank = 2};
    sparcl_coo five = coo, to_four = coo;
    to_coo.shape[1] = 0, five.shape[1] = 5, to_four.shape[1] = 4;
    assert_ok(ctx, sparcl_csr_create(ctx, &a));
    assert_ok(ctx, sparcl_csr_create(ctx, &to));
    assert_ok(ctx, sparcl_coo_create(ctx, &coo));
    assert_ok(ctx, sparcl_coo_create(ctx, &to_coo));
    assert_ok(ctx, sparcl_coo_create(ctx, &five));
    assert_ok(ctx, sparcl_coo_create(ctx, &to_four));
    assert_ok(ctx, sparcl_dense_create(ctx, &part));
    assert_ok(ctx, sparcl_dense_create(ctx, &whole));
    const sparcl_csr four[] = {a, a, a, a};
    const sparcl_coo coos[] = {coo, coo, coo, coo};
    const sparcl_coo last[] = {coo, coo, five};
    const sparcl_dense *const parts[] = {&part, &part, &part, &part};
    assert_refused(ctx, sparcl_csr_concat_columns(ctx, &to, four, 4, NULL), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_csr_block_diagonal(ctx, &to, four, 4, NULL), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_coo_concat(ctx, &to_coo, coos, 4, 1, NULL), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_coo_concat(ctx, &to_four, last, 3, 1, NULL), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_dense_concat(ctx, &whole, parts, 4, 0), SPARCL_E_SHAPE, "");
    assert_refused(ctx, sparcl_csr_slice_columns(ctx, &a, &to, INT64_MAX, NULL), SPARCL_E_SHAPE,
                   "");
    sparcl_csr_free(&a);
    sparcl_csr_free(&to);
    sparcl_coo_free(&coo);
    sparcl_coo_free(&to_coo);
    sparcl_coo_free(&five);
    sparcl_coo_free(&to_four);
    sparcl_dense_free(&part);
    sparcl_dense_free(&whole);
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
                     .offset_type = SPARCL_INDEX64};
    (void)state;
    if (sparcl_dense_create(ctx, &x) == SPARCL_OK) {
        assert_true(sparcl_ctx_memory(ctx) > entries);
        assert_ok(ctx, sparcl_csr_create(ctx, &to));
        assert_ok(ctx, sparcl_dense_to_csr(ctx, &to, &x, 0, NULL));
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
        cmocka_unit_test(parts_of_larger_matrices_keep_every_entry),
        cmocka_unit_test(other_shapes_and_orders_keep_every_entry),
        cmocka_unit_test(coo_arrays_keep_every_entry),
        cmocka_unit_test(sparse_products_keep_every_entry),
        cmocka_unit_test(a_dense_array_of_this_size_is_refused_with_its_bytes),
        cmocka_unit_test(products_of_sizes_do_not_wrap),
        cmocka_unit_test(arrays_of_too_many_elements_are_not_reshaped),
        cmocka_unit_test(sums_of_too_many_columns_are_refused),
        cmocka_unit_test(sums_of_sizes_do_not_wrap),
        cmocka_unit_test(entries_over_2_31_need_64_bit_offsets),
        cmocka_unit_test(forecasts_count_more_than_2_31_entries),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
