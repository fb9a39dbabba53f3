/* test_convert_any.c: sparcl_convert, from each format to each. */
#include "op_test.h"

enum { FORMATS = SPARCL_FORMAT_BSR + 1, BLOCK = 2 };

/* A matrix on the host, and what is counted in it. */
typedef struct host_matrix {
    int64_t rows, cols, entries, rows_used, blocks;
    sparcl_dtype dtype;
    double *elements;
} host_matrix;

static host_matrix make_host(int64_t rows, int64_t cols, sparcl_dtype dtype) {
    host_matrix m = {.rows = rows, .cols = cols, .dtype = dtype};
    uint64_t seed = 5;
    m.elements = must_have(calloc((size_t)(rows * cols) + 1, sizeof *m.elements));
    bool *const blocks = must_have(calloc((size_t)(rows * cols) + 1, sizeof *blocks));
    for (int64_t i = 0; i < rows; ++i) {
        bool used = false;
        for (int64_t j = 0; i % 3 != 1 && j < cols; ++j) {
            if (spec_random(&seed) % 3) continue;
            m.elements[i * cols + j] = dtype == SPARCL_BOOL ? 1 : (double)(i + j % 7 + 1);
            bool *const block = &blocks[i / BLOCK * cols + j / BLOCK];
            m.blocks += !*block;
            ++m.entries;
            used = *block = true;
        }
        m.rows_used += used;
    }
    free(blocks);
    return m;
}

static void free_host(host_matrix *m) {
    free(m->elements);
}

/* --- matrices on the device ------------------------------------------------------------------- */

/* With room for `capacity` entries, rows or blocks. */
static sparcl_matrix create(sparcl_ctx *ctx, const host_matrix *m, sparcl_format format,
                            int64_t capacity) {
    sparcl_csr csr = {.rows = m->rows, .cols = m->cols, .nnz = capacity, .dtype = m->dtype};
    sparcl_csc csc = {.rows = m->rows, .cols = m->cols, .nnz = capacity, .dtype = m->dtype};
    sparcl_coo coo = {.rank = 2, .shape = {m->rows, m->cols}, .nnz = capacity, .dtype = m->dtype};
    sparcl_rows rows = {.rank = 2, .shape = {m->rows, m->cols}, .nnr = capacity, .dtype = m->dtype};
    sparcl_dense dense = {.rank = 2, .shape = {m->rows, m->cols}, .dtype = m->dtype};
    sparcl_bsr bsr = {.rows = m->rows,
                      .cols = m->cols,
                      .block_rows = BLOCK,
                      .block_cols = BLOCK,
                      .nnzb = capacity,
                      .dtype = m->dtype};
    switch (format) {
    case SPARCL_FORMAT_CSR:
        assert_ok(ctx, sparcl_csr_create(ctx, &csr));
        return sparcl_matrix_csr(csr);
    case SPARCL_FORMAT_CSC:
        assert_ok(ctx, sparcl_csc_create(ctx, &csc));
        return sparcl_matrix_csc(csc);
    case SPARCL_FORMAT_COO:
        assert_ok(ctx, sparcl_coo_create(ctx, &coo));
        return sparcl_matrix_coo(coo);
    case SPARCL_FORMAT_ROWS:
        assert_ok(ctx, sparcl_rows_create(ctx, &rows));
        return sparcl_matrix_rows(rows);
    case SPARCL_FORMAT_BSR:
        assert_ok(ctx, sparcl_bsr_create(ctx, &bsr));
        return sparcl_matrix_bsr(bsr);
    default:
        assert_ok(ctx, sparcl_dense_create(ctx, &dense));
        return sparcl_matrix_dense(dense);
    }
}

static void free_matrix(sparcl_matrix *a) {
    switch (a->format) {
    case SPARCL_FORMAT_CSR:
        sparcl_csr_free(&a->as.csr);
        return;
    case SPARCL_FORMAT_CSC:
        sparcl_csc_free(&a->as.csc);
        return;
    case SPARCL_FORMAT_COO:
        sparcl_coo_free(&a->as.coo);
        return;
    case SPARCL_FORMAT_ROWS:
        sparcl_rows_free(&a->as.rows);
        return;
    case SPARCL_FORMAT_BSR:
        sparcl_bsr_free(&a->as.bsr);
        return;
    default:
        sparcl_dense_free(&a->as.dense);
    }
}

/* More than enough. */
static int64_t capacity_for(const host_matrix *m, sparcl_format format) {
    const int64_t rows_needed = format == SPARCL_FORMAT_ROWS ? m->rows : m->rows * m->cols;
    return format == SPARCL_FORMAT_BSR ? m->rows / BLOCK * (m->cols / BLOCK) : rows_needed;
}

static sparcl_matrix upload(sparcl_ctx *ctx, const host_matrix *m) {
    sparcl_matrix a = create(ctx, m, SPARCL_FORMAT_DENSE, 0);
    sparcl_buf_free(a.as.dense.values);
    a.as.dense.values = NULL;
    assert_ok(ctx,
              spec_put_reals(ctx, &a.as.dense.values, m->elements, m->rows * m->cols, m->dtype));
    return a;
}

/* By the functions for two formats, so that the test does not check a conversion with itself. */
static sparcl_matrix make(sparcl_ctx *ctx, const host_matrix *m, sparcl_format format) {
    sparcl_matrix x = upload(ctx, m);
    if (format == SPARCL_FORMAT_DENSE) return x;
    sparcl_matrix a = create(ctx, m, format, capacity_for(m, format));
    sparcl_matrix csr = create(ctx, m, SPARCL_FORMAT_CSR, m->entries);
    assert_ok(ctx, sparcl_dense_to_csr(ctx, &csr.as.csr, &x.as.dense, 0, NULL));
    if (format == SPARCL_FORMAT_CSR)
        assert_ok(ctx, sparcl_dense_to_csr(ctx, &a.as.csr, &x.as.dense, 0, NULL));
    if (format == SPARCL_FORMAT_CSC) assert_ok(ctx, sparcl_csr_to_csc(ctx, &a.as.csc, &csr.as.csr));
    if (format == SPARCL_FORMAT_COO) assert_ok(ctx, sparcl_csr_to_coo(ctx, &a.as.coo, &csr.as.csr));
    if (format == SPARCL_FORMAT_ROWS)
        assert_ok(ctx, sparcl_csr_to_rows(ctx, &a.as.rows, &csr.as.csr, NULL));
    if (format == SPARCL_FORMAT_BSR)
        assert_ok(ctx, sparcl_csr_to_bsr(ctx, &a.as.bsr, &csr.as.csr, NULL));
    free_matrix(&x);
    free_matrix(&csr);
    return a;
}

/* The elements as bytes. */
static void assert_elements(sparcl_ctx *ctx, const sparcl_matrix *a, const host_matrix *m) {
    sparcl_matrix dense = create(ctx, m, SPARCL_FORMAT_DENSE, 0), want = upload(ctx, m);
    sparcl_dense *const to = &dense.as.dense;
    if (a->format == SPARCL_FORMAT_DENSE) assert_ok(ctx, sparcl_copy(ctx, to, &a->as.dense));
    if (a->format == SPARCL_FORMAT_CSR) assert_ok(ctx, sparcl_csr_to_dense(ctx, to, &a->as.csr));
    if (a->format == SPARCL_FORMAT_CSC) assert_ok(ctx, sparcl_csc_to_dense(ctx, to, &a->as.csc));
    if (a->format == SPARCL_FORMAT_COO) assert_ok(ctx, sparcl_coo_to_dense(ctx, to, &a->as.coo));
    if (a->format == SPARCL_FORMAT_ROWS) assert_ok(ctx, sparcl_rows_to_dense(ctx, to, &a->as.rows));
    if (a->format == SPARCL_FORMAT_BSR) assert_ok(ctx, sparcl_bsr_to_dense(ctx, to, &a->as.bsr));
    void *const bytes = bytes_of(ctx, want.as.dense.values);
    assert_holds(ctx, to->values, bytes);
    free(bytes);
    free_matrix(&dense);
    free_matrix(&want);
}

/* --- tests ------------------------------------------------------------------------------------ */

/* What is enough for a result, as the header says it. */
static int64_t needed_for(const host_matrix *m, const sparcl_matrix *from, sparcl_format to) {
    const bool of_values =
        from->format == SPARCL_FORMAT_DENSE || from->format == SPARCL_FORMAT_ROWS;
    if (to == SPARCL_FORMAT_ROWS)
        return from->format == SPARCL_FORMAT_BSR ? -1
                                                 : m->rows_used; /* whole blocks: not counted */
    if (to == SPARCL_FORMAT_BSR) return m->blocks;
    if (of_values || (from->format == SPARCL_FORMAT_CSR && to == SPARCL_FORMAT_CSR))
        return m->entries;
    return from->format == SPARCL_FORMAT_BSR ? from->as.bsr.nnzb * BLOCK * BLOCK
                                             : capacity_for(m, SPARCL_FORMAT_CSR);
}

static void check_pair(sparcl_ctx *ctx, const host_matrix *m, sparcl_format from,
                       sparcl_format to) {
    sparcl_matrix a = make(ctx, m, from), b = create(ctx, m, to, capacity_for(m, to));
    sparcl_buf *needed = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &needed, 8));
    assert_ok(ctx, sparcl_buf_fill(ctx, needed, 0, 8, 0));
    assert_ok(ctx, sparcl_convert(ctx, &b, &a, 0, &(sparcl_moved){.needed = needed}));
    assert_elements(ctx, &b, m);
    const int64_t want = to == SPARCL_FORMAT_DENSE ? 0 : needed_for(m, &a, to); /* 0: as it was */
    if (want >= 0 && int_at(ctx, needed, 0) != want)
        fail_msg("format %d to %d: needed is %lld, expected %lld", (int)from, (int)to,
                 (long long)int_at(ctx, needed, 0), (long long)want);
    sparcl_buf_free(needed);
    free_matrix(&a);
    free_matrix(&b);
}

static void each_format_becomes_each_other(void **state) {
    static const int64_t sizes[][2] = {{0, 0}, {4, 0}, {0, 6}, {2, 2}, {14, 10}, {64, 130}};
    sparcl_ctx *ctx = *state;
    int pairs = 0;
    for (int dtype = SPARCL_F32; dtype <= SPARCL_BOOL; ++dtype)
        for (size_t i = 0; i < COUNT(sizes); ++i) {
            if (dtype == SPARCL_F64 && !sparcl_ctx_device(ctx)->has_f64) continue;
            host_matrix m = make_host(sizes[i][0], sizes[i][1], (sparcl_dtype)dtype);
            for (int pair = 0; pair < FORMATS * FORMATS; ++pair, ++pairs)
                check_pair(ctx, &m, (sparcl_format)(pair / FORMATS),
                           (sparcl_format)(pair % FORMATS));
            free_host(&m);
        }
    assert_true(pairs >= 6 * 6 * 6 * 6);
}

static void entries_past_the_capacity_are_dropped_in_the_order_of_rows(void **state) {
    sparcl_ctx *ctx = *state;
    host_matrix m = make_host(14, 10, SPARCL_F32);
    for (int to = SPARCL_FORMAT_CSC; to <= SPARCL_FORMAT_COO; ++to)
        for (int from = SPARCL_FORMAT_DENSE; from <= SPARCL_FORMAT_ROWS;
             from += SPARCL_FORMAT_ROWS) {
            host_matrix kept = make_host(14, 10, SPARCL_F32);
            sparcl_matrix a = make(ctx, &m, (sparcl_format)from);
            sparcl_matrix b = create(ctx, &m, (sparcl_format)to, 9);
            sparcl_buf *needed = NULL;
            for (int64_t e = 0, stored = 0; e < 140; ++e)
                if (kept.elements[e] != 0 && stored++ >= 9) kept.elements[e] = 0;
            assert_ok(ctx, sparcl_buf_create(ctx, &needed, 8));
            assert_ok(ctx, sparcl_convert(ctx, &b, &a, 0, &(sparcl_moved){.needed = needed}));
            assert_int_equal(int_at(ctx, needed, 0), m.entries);
            assert_elements(ctx, &b, &kept);
            sparcl_buf_free(needed);
            free_matrix(&a);
            free_matrix(&b);
            free_host(&kept);
        }
    free_host(&m);
}

static void a_threshold_drops_small_elements(void **state) {
    sparcl_ctx *ctx = *state;
    host_matrix m = make_host(14, 10, SPARCL_F32), large = make_host(14, 10, SPARCL_F32);
    sparcl_matrix a = make(ctx, &m, SPARCL_FORMAT_DENSE);
    for (int64_t e = 0; e < 140; ++e)
        if (large.elements[e] <= 8) large.elements[e] = 0;
    for (int to = SPARCL_FORMAT_CSR; to < FORMATS; ++to) {
        sparcl_matrix b = create(ctx, &m, (sparcl_format)to, capacity_for(&m, (sparcl_format)to));
        assert_ok(ctx, sparcl_convert(ctx, &b, &a, 8, NULL));
        if (to != SPARCL_FORMAT_ROWS) assert_elements(ctx, &b, &large); /* whole rows are stored */
        free_matrix(&b);
    }
    free_matrix(&a);
    free_host(&m);
    free_host(&large);
}

#define REFUSED(call, code, part)                                                                  \
    do {                                                                                           \
        assert_int_equal(call, code);                                                              \
        assert_non_null(strstr(sparcl_ctx_error(ctx)->message, part));                             \
    } while (0)

static void what_does_not_fit_is_refused_with_words(void **state) {
    sparcl_ctx *ctx = *state;
    host_matrix m = make_host(14, 10, SPARCL_F32), other = make_host(10, 14, SPARCL_F32);
    sparcl_matrix a = make(ctx, &m, SPARCL_FORMAT_CSC), b = create(ctx, &m, SPARCL_FORMAT_BSR, 35);
    sparcl_matrix wrong = create(ctx, &other, SPARCL_FORMAT_COO, 140), none = a;
    REFUSED(sparcl_convert(ctx, &wrong, &a, 0, NULL), SPARCL_E_SHAPE, "convert: dimension 0");
    REFUSED(sparcl_convert(ctx, &b, NULL, 0, NULL), SPARCL_E_ARG, "convert: `from` is NULL");
    none.format = (sparcl_format)6;
    REFUSED(sparcl_convert(ctx, &b, &none, 0, NULL), SPARCL_E_ARG, "is 6, expected 0 to 5");
    sparcl_matrix flat = wrong;
    flat.as.coo.rank = 1;
    REFUSED(sparcl_convert(ctx, &flat, &a, 0, NULL), SPARCL_E_SHAPE, "coo, has rank 1");
    sparcl_matrix uncounted = create(ctx, &m, SPARCL_FORMAT_COO, 140);
    sparcl_buf_free(uncounted.as.coo.count);
    uncounted.as.coo.count = NULL;
    REFUSED(sparcl_convert(ctx, &uncounted, &a, 0, NULL), SPARCL_E_SHAPE, "has no count");
    sparcl_matrix typed = b;
    typed.as.bsr.dtype = SPARCL_INT32;
    REFUSED(sparcl_convert(ctx, &typed, &a, 0, NULL), SPARCL_E_DTYPE, "convert: `to` is");
    REFUSED(sparcl_convert(ctx, &b, &a, 0, &(sparcl_moved){.needed = a.as.csc.indices}),
            SPARCL_E_ALIAS, "convert");
    a.as.csc.proof = (sparcl_proof){0};
    REFUSED(sparcl_convert(ctx, &b, &a, 0, NULL), SPARCL_E_UNCHECKED, "sparcl_csc_validate");
    free_matrix(&a);
    free_matrix(&b);
    free_matrix(&wrong);
    free_matrix(&uncounted);
    free_host(&m);
    free_host(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_format_becomes_each_other, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(entries_past_the_capacity_are_dropped_in_the_order_of_rows,
                                        open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(a_threshold_drops_small_elements, open_ctx, close_ctx),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused_with_words, open_ctx,
                                        close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
