/* test_scratch.c: what the headers say of the memory that operations need in addition to their
 * operands. */
#include "product_test.h"

#include "launch/launch.h"
#include "ops/products/pattern.h"
#include "ops/shared/partition.h"
#include "ops/shared/product.h"

/* --- products: a panel of columns at a time ---------------------------------------------------
 */

/* A product with scratch memory for so many columns at once. */
static void multiply_in_panels(sparcl_ctx *ctx, int64_t n, int64_t columns, bool transposed) {
    product p = product_make(ctx, SPEC_ONE_ROW, 40, 30, 3000, n, transposed);
    sparcl_pattern *pattern = NULL;
    spc_multiply_job job = {.a = &p.a,
                            .all_rows = transposed ? 30 : 0,
                            .b = &p.b,
                            .to = p.c.values,
                            .to_ld = p.c.ld,
                            .n = n,
                            .alpha = 1,
                            .beta = 1};
    if (transposed) {
        assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
        assert_ok(ctx, sparcl_pattern_build(ctx, pattern, &p.a));
        assert_ok(ctx, spc_pattern_values(ctx, pattern, &p.a));
        job.pattern = pattern;
    }
    const spc_partition partitions = spc_find_partition(ctx, transposed ? 30 : 40, 3000, n);
    job.carry_bytes = partitions.carry * columns * 4;
    assert_int_equal(spc_panel_capacity(&partitions, n, 4, job.carry_bytes),
                     n < columns ? n : columns);
    const int mark = spc_scratch_mark(ctx);
    assert_ok(ctx, spc_multiply(ctx, &job));
    spc_scratch_release(ctx, mark);
    assert_product(ctx, &p, 1, 1); /* beta = 1: rows that the pattern does not have are the same */
    sparcl_pattern_free(pattern);
    product_free(&p);
}

static void columns_in_panels_have_the_bits_of_columns_at_once(void **state) {
    static const int64_t tried[][2] = {{1, 4}, {2, 4},    {5, 4},   {8, 4},
                                       {9, 4}, {129, 64}, {200, 64}};
    sparcl_ctx *contexts[] = {*state, open_class(SPARCL_CLASS_GPU)};
    for (size_t k = 0; k < 2 && contexts[k]; ++k)
        for (size_t i = 0; i < COUNT(tried); ++i) {
            multiply_in_panels(contexts[k], tried[i][0], tried[i][1], false);
            multiply_in_panels(contexts[k], tried[i][0], tried[i][1], true);
        }
    sparcl_ctx_close(contexts[1]);
}

/* A single column would be summed in another order. */
static void a_panel_has_one_column_only_where_there_is_one(void **state) {
    const spc_partition partitions = {.count = 2, .slots = 3, .carry = 8};
    (void)state;
    for (int64_t n = 1; n < 300; ++n)
        for (int64_t maximum = 1; maximum < 3000; maximum += 57) {
            const int64_t capacity = spc_panel_capacity(&partitions, n, 4, maximum);
            int64_t j = 0;
            assert_true(capacity <= n && (capacity * 32 <= maximum || capacity <= 4));
            for (; j < n; j += spc_panel_at(capacity, n, j))
                assert_in_range(spc_panel_at(capacity, n, j), n > 1 ? 2 : 1, capacity);
            assert_int_equal(j, n);
        }
}

/* --- what sorts: so many bytes an entry --------------------------------------------------------
 */

enum { N = 100000, SIDE = 200000, WIDTH = 8 };

/* N entries of a matrix with 36 bits of indices, in every format, and results. */
typedef struct formats {
    sparcl_csr csr, to_csr;
    sparcl_csc to_csc;
    sparcl_coo coo, to_coo;
    sparcl_rows rows, to_rows;
    sparcl_list list;
    sparcl_dense table;
    sparcl_buf *bufs[12], *permutation;
} formats;

static sparcl_buf *some_indices(sparcl_ctx *ctx, int64_t below) {
    int32_t *x = must_have(calloc(N, sizeof *x));
    uint64_t seed = 4;
    for (int64_t i = 0; i < N; ++i)
        x[i] = (int32_t)(spec_random(&seed) % (uint64_t)below);
    sparcl_buf *buf = put(ctx, x, N * sizeof *x);
    free(x);
    return buf;
}

static sparcl_buf *some_offsets(sparcl_ctx *ctx) {
    int32_t *x = must_have(calloc(SIDE + 1, sizeof *x));
    for (int64_t i = 0; i <= SIDE; ++i)
        x[i] = (int32_t)(i / 2);
    sparcl_buf *buf = put(ctx, x, (SIDE + 1) * sizeof *x);
    free(x);
    return buf;
}

static formats make_formats(sparcl_ctx *ctx) {
    const sparcl_proof trust = {.flags = SPARCL_TRUSTED};
    formats f = {.bufs = {some_offsets(ctx), some_indices(ctx, SIDE), some_indices(ctx, SIDE)}};
    for (size_t i = 3; i < COUNT(f.bufs); ++i)
        assert_ok(ctx, sparcl_buf_create(ctx, &f.bufs[i], (int64_t)SIDE * WIDTH * 4 + 64));
    f.csr = (sparcl_csr){SIDE, SIDE, N, .offsets = f.bufs[0], .indices = f.bufs[1]};
    f.csr.values = f.bufs[3];
    f.csr.proof = trust;
    f.coo = (sparcl_coo){.rank = 2, .shape = {SIDE, SIDE}, .nnz = N, .values = f.bufs[3]};
    f.coo.indices[0] = f.bufs[1];
    f.coo.indices[1] = f.bufs[2];
    f.coo.proof = trust;
    f.rows = (sparcl_rows){.rank = 2, .shape = {SIDE, WIDTH}, .nnr = N, .values = f.bufs[3]};
    f.rows.indices = f.bufs[1];
    f.rows.proof = trust;
    f.list = (sparcl_list){N, SIDE, .indices = f.bufs[1], .proof = trust};
    f.to_csr = (sparcl_csr){SIDE, SIDE, N, .offsets = f.bufs[4], .indices = f.bufs[5]};
    f.to_csr.values = f.bufs[6];
    f.to_csc = (sparcl_csc){SIDE, SIDE, N, .offsets = f.bufs[4], .indices = f.bufs[5]};
    f.to_csc.values = f.bufs[6];
    f.to_coo = f.coo;
    f.to_coo.indices[0] = f.bufs[5];
    f.to_coo.indices[1] = f.bufs[7];
    f.to_coo.values = f.bufs[6];
    f.to_coo.count = f.bufs[8];
    f.to_rows = f.rows;
    f.to_rows.indices = f.bufs[5];
    f.to_rows.values = f.bufs[6];
    f.to_rows.count = f.bufs[8];
    f.table = (sparcl_dense){.rank = 2, .shape = {SIDE, WIDTH}, .values = f.bufs[9]};
    f.permutation = f.bufs[10];
    return f;
}

#define CALL(name, ...)                                                                            \
    static sparcl_status name(sparcl_ctx *ctx, formats *f) {                                       \
        return __VA_ARGS__;                                                                        \
    }
CALL(coo_sort, sparcl_coo_sort(ctx, &f->to_coo, &f->coo, NULL, 0))
CALL(coo_sort_places, sparcl_coo_sort(ctx, &f->to_coo, &f->coo, f->permutation, 0))
CALL(coo_coalesce, sparcl_coo_coalesce(ctx, &f->to_coo, &f->coo, SPARCL_SUM, NULL))
CALL(coo_to_csr, sparcl_coo_to_csr(ctx, &f->to_csr, &f->coo))
CALL(csr_to_coo, sparcl_csr_to_coo(ctx, &f->to_coo, &f->csr))
CALL(csr_to_csc, sparcl_csr_to_csc(ctx, &f->to_csc, &f->csr))
CALL(rows_coalesce, sparcl_rows_coalesce(ctx, &f->to_rows, &f->rows, SPARCL_SUM, NULL))
CALL(scatter_add, sparcl_scatter_add(ctx, &f->table, 1, &f->rows))
CALL(select_rows,
     (f->to_csr.rows = N, sparcl_csr_take_rows(ctx, &f->to_csr, &f->csr, &f->list, NULL)))
CALL(coo_validate, sparcl_coo_validate(ctx, &f->coo, 0))
CALL(rows_validate, sparcl_rows_validate(ctx, &f->rows, 0))

/* One column: its carry takes a fifth of an element for each row and entry at most. */
static sparcl_status spmm_t_rows(sparcl_ctx *ctx, formats *f) {
    const sparcl_dense b = {.rank = 2, .shape = {SIDE, 1}, .values = f->bufs[9]};
    sparcl_rows r = {.rank = 2, .shape = {SIDE, 1}, .nnr = N, .values = f->bufs[6]};
    r.indices = f->bufs[5];
    r.count = f->bufs[8];
    return sparcl_spmm_t_rows(ctx, &r, 1, &f->csr, &b, NULL);
}

static sparcl_status pattern_build(sparcl_ctx *ctx, formats *f) {
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    const sparcl_status status = sparcl_pattern_build(ctx, pattern, &f->csr);
    sparcl_pattern_free(pattern);
    return status;
}

static const struct {
    const char *name;
    sparcl_status (*run)(sparcl_ctx *ctx, formats *f);
    int64_t bytes; /* an entry, or a stored row */
    int64_t few;   /* the same where few wide cores sort by buckets */
} tried[] = {
    {"coo_sort", coo_sort, 48, 10},
    {"coo_sort with a permutation", coo_sort_places, 48, 14},
    {"coo_coalesce", coo_coalesce, 48, 10},
    {"coo_to_csr", coo_to_csr, 48, 14},
    {"csr_to_csc", csr_to_csc, 24, 8},
    {"csr_to_coo", csr_to_coo, 0, 0},
    {"pattern_build", pattern_build, 24, 8},
    {"spmm_t_rows", spmm_t_rows, 48 + 4, 24 + 4},
    {"rows_coalesce", rows_coalesce, 28 + WIDTH * 4 / 10, 28 + WIDTH * 4 / 10},
    {"scatter_add", scatter_add, 28 + WIDTH * 4 / 10, 28 + WIDTH * 4 / 10},
    {"select_rows", select_rows, 8, 8},
    {"coo_validate", coo_validate, 64, 64},
    {"rows_validate", rows_validate, 64, 64},
};

static void scratch_memory_is_what_the_headers_say(void **state) {
    const int64_t constant = 1 << 20; /* counters of a digit a worker, and the like */
    (void)state;
    for (size_t i = 0; i < COUNT(tried); ++i) {
        sparcl_ctx *ctx = test_open();
        formats f = make_formats(ctx);
        const int64_t before = sparcl_ctx_memory(ctx);
        assert_ok(ctx, tried[i].run(ctx, &f));
        const int64_t taken = sparcl_ctx_memory(ctx) - before;
        print_message("           %-28s %.1f bytes an entry\n", tried[i].name, (double)taken / N);
        const bool few = !spc_ctx_is_gpu(ctx) && !spc_has_short_loops(ctx);
        assert_true(taken <= (few ? tried[i].few : tried[i].bytes) * N + constant);
        assert_ok(ctx, tried[i].run(ctx, &f)); /* existing memory is reused */
        assert_int_equal(sparcl_ctx_memory(ctx) - before, taken);
        for (size_t k = 0; k < COUNT(f.bufs); ++k)
            sparcl_buf_free(f.bufs[k]);
        sparcl_ctx_close(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_in_panels_have_the_bits_of_columns_at_once),
        cmocka_unit_test(a_panel_has_one_column_only_where_there_is_one),
        cmocka_unit_test(scratch_memory_is_what_the_headers_say),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
