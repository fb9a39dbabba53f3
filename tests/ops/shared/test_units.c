/* test_units.c: products on many lanes (cl/partition.cl): rows that end around blocks and windows
 * of entries, launches, scratch memory. */
#include "product_test.h"

static const int64_t lengths[] = {0,   256, 1,   257, 255, 300,  300, 0,   512, 0, 513,
                                  511, 1,   768, 3,   0,   1025, 17,  258, 259, 2, 0};
enum { ROWS = COUNT(lengths), COLS = 1400, SHORT_ROWS = 3 };

static spec_matrix rows_of_lengths(int rows) {
    spec_matrix m;
    int64_t nnz = 0;
    for (int i = 0; i < rows; ++i)
        nnz += lengths[i];
    assert_true(spec_matrix_alloc(&m, rows, COLS, nnz));
    m.offsets[0] = 0;
    for (int i = 0; i < rows; ++i) {
        const int64_t begin = m.offsets[i];
        m.offsets[i + 1] = begin + lengths[i];
        for (int64_t k = 0; k < lengths[i]; ++k) {
            m.indices[begin + k] = k + 17 * i % (COLS - lengths[i]);
            m.values[begin + k] = (double)(((begin + k) * 37 + i) % 101 - 50) / 16;
        }
    }
    return m;
}

/* Rows first .. of A and C: the entries of A then begin after the first of its arrays. */
static product without_rows(const product *p, int64_t first) {
    product q = *p;
    q.a.offsets_at += first;
    q.a.rows -= first;
    q.c.shape[0] -= first;
    q.c.values_at += first * q.c.ld;
    q.a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
    return q;
}

static void check_rows(sparcl_ctx *ctx, int64_t n, int64_t gap, bool transposed,
                       sparcl_itype type) {
    const spec_matrix m = rows_of_lengths(ROWS);
    product p = product_of(ctx, &m, n, transposed, type, type);
    p.b.ld = n + gap; /* of the capacity for elements of 8 bytes */
    p.c.ld = n + 2 * gap;
    if (gap == 0) p.c.ld = p.b.ld = n;
    assert_ok(ctx, multiply(ctx, &p, 1.5, 0.25));
    assert_product(ctx, &p, 1.5, 0.25);
    product_free(&p);
}

static void rows_that_end_around_blocks_add_up_in_order(void **state) {
    static const int64_t widths[] = {1, 2, 4, 7, 32, 130, 132};
    sparcl_ctx *ctx = open_class(SPARCL_CLASS_GPU);
    (void)state;
    for (size_t i = 0; i < COUNT(widths); ++i)
        for (int transposed = 0; transposed < 2; ++transposed) {
            check_rows(ctx, widths[i], 0, transposed, SPARCL_INDEX32);
            check_rows(ctx, widths[i], 1, transposed, SPARCL_INDEX64);
        }
    sparcl_ctx_close(ctx);
}

static void windows_begin_with_the_first_entry_of_the_first_row(void **state) {
    sparcl_ctx *ctx = open_class(SPARCL_CLASS_GPU);
    const spec_matrix m = rows_of_lengths(ROWS);
    product p = product_of(ctx, &m, 4, false, SPARCL_INDEX32, SPARCL_INDEX32);
    (void)state;
    for (int64_t first = 0; first < ROWS; ++first) {
        const product q = without_rows(&p, first);
        assert_ok(ctx, sparcl_spmm(ctx, &p.c, 0, &p.a, &p.b, 0));
        assert_ok(ctx, sparcl_spmm(ctx, &p.c, 1, &p.a, &p.b, 0));
        assert_ok(ctx, sparcl_buf_fill(ctx, p.c.values, first * p.c.ld * 4, 4, 0xff));
        assert_ok(ctx, sparcl_spmm(ctx, &q.c, 1, &q.a, &q.b, 0));
        assert_product(ctx, &p, 1, 0);
    }
    product_free(&p);
    sparcl_ctx_close(ctx);
}

/* Launches of one call of spmm, and the bytes that it takes. */
static void assert_cost(sparcl_ctx *ctx, const product *p, int64_t launches, bool allocates) {
    const int64_t before = sparcl_ctx_launches(ctx), memory = sparcl_ctx_memory(ctx);
    assert_ok(ctx, sparcl_spmm(ctx, &p->c, 1, &p->a, &p->b, 0));
    assert_int_equal(sparcl_ctx_launches(ctx) - before, launches);
    assert_int_equal(sparcl_ctx_memory(ctx) > memory, allocates);
    assert_product(ctx, p, 1, 0);
}

static void rows_of_one_block_take_one_launch_and_no_memory(void **state) {
    static const int64_t widths[] = {1, 32};
    (void)state;
    for (size_t i = 0; i < COUNT(widths); ++i) {
        sparcl_ctx *ctx = open_class(SPARCL_CLASS_GPU);
        const spec_matrix few = rows_of_lengths(SHORT_ROWS), all = rows_of_lengths(ROWS);
        product p = product_of(ctx, &few, widths[i], false, SPARCL_INDEX32, SPARCL_INDEX32);
        product q = product_of(ctx, &all, widths[i], false, SPARCL_INDEX32, SPARCL_INDEX32);
        assert_ok(ctx, sparcl_csr_validate(ctx, &p.a, 0));
        assert_int_equal(p.a.proof.longest_row, 256);
        assert_cost(ctx, &p, 1, false);
        q.a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED, .longest_row = 256};
        assert_cost(ctx, &q, 1, false); /* a wrong bound only costs time */
        assert_ok(ctx, sparcl_csr_validate(ctx, &q.a, 0));
        assert_cost(ctx, &q, 2, true);
        assert_cost(ctx, &q, 2, false);
        product_free(&p);
        product_free(&q);
        sparcl_ctx_close(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_end_around_blocks_add_up_in_order),
        cmocka_unit_test(windows_begin_with_the_first_entry_of_the_first_row),
        cmocka_unit_test(rows_of_one_block_take_one_launch_and_no_memory),
    };
    sparcl_ctx_close(open_class(SPARCL_CLASS_GPU)); /* skipped where there is none */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
