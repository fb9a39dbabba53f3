/* test_views.c: what views.h says of making the buffers of a view, reading them and freeing them.
 */
#include "views_test.h"

#define PROVEN (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE)

/* --- create ---------------------------------------------------------------------------------- */

static void a_created_sparse_view_is_an_array_without_entries(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    int32_t offsets[ROWS + COLS] = {9, 9, 9, 9, 9};
    int64_t count = 9;
    create_all(ctx, &v);
    assert_int_equal(sparcl_csr_flags(&v.csr), PROVEN);
    assert_int_equal(sparcl_csc_flags(&v.csc), PROVEN);
    assert_int_equal(sparcl_coo_flags(&v.coo), PROVEN);
    assert_int_equal(sparcl_rows_flags(&v.rows), PROVEN);
    assert_int_equal(sparcl_list_flags(&v.list), 0);
    assert_ok(ctx, sparcl_csr_read(ctx, &v.csr, offsets, NULL, NULL, &count));
    assert_int_equal(count, 0);
    for (int i = 0; i <= ROWS; ++i)
        assert_int_equal(offsets[i], 0);
    offsets[COLS] = 9;
    count = 9;
    assert_ok(ctx, sparcl_csc_read(ctx, &v.csc, offsets, NULL, NULL, &count));
    assert_int_equal(offsets[COLS], 0);
    assert_int_equal(count, 0);
    count = 9;
    assert_ok(ctx, sparcl_coo_read(ctx, &v.coo, NULL, NULL, &count));
    assert_int_equal(count, 0);
    count = 9;
    assert_ok(ctx, sparcl_rows_read(ctx, &v.rows, NULL, NULL, &count));
    assert_int_equal(count, 0);
    /* The proof is true. */
    assert_ok(ctx, sparcl_csr_validate(ctx, &v.csr, PROVEN));
    assert_ok(ctx, sparcl_csc_validate(ctx, &v.csc, PROVEN));
    assert_ok(ctx, sparcl_coo_validate(ctx, &v.coo, PROVEN));
    assert_ok(ctx, sparcl_rows_validate(ctx, &v.rows, PROVEN));
    free_all(&v);
}

static void it_is_a_place_for_the_result_of_an_operation(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views(), to = plain_views();
    int32_t offsets[COLS + 1], indices[NNZ], rows[NNZ];
    void *const both[] = {rows, indices};
    float values[NNZ];
    int64_t count = 0;
    to.coo.nnz = NNZ + 3; /* capacity for more */
    upload_all(ctx, &v);
    create_all(ctx, &to);
    assert_ok(ctx, sparcl_csr_to_csc(ctx, &to.csc, &v.csr));
    assert_ok(ctx, sparcl_csc_read(ctx, &to.csc, offsets, indices, values, &count));
    assert_int_equal(count, NNZ);
    assert_memory_equal(offsets, column_offsets, sizeof offsets);
    assert_memory_equal(indices, by_column, sizeof indices);
    assert_memory_equal(values, entries_by_column, sizeof values);
    assert_ok(ctx, sparcl_coo_coalesce(ctx, &to.coo, &v.coo, SPARCL_SUM, NULL));
    assert_ok(ctx, sparcl_coo_read(ctx, &to.coo, both, values, &count));
    assert_int_equal(count, NNZ);
    assert_memory_equal(rows, row_indices, sizeof rows);
    assert_memory_equal(indices, column_indices, sizeof indices);
    assert_memory_equal(values, entries, sizeof values);
    free_all(&v);
    free_all(&to);
}

static void a_new_buffer_is_as_long_as_its_array_needs_from_its_place_on(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    v.dense.values_at = 7;
    v.dense.ld = COLS + 2;
    v.csr.offset_type = SPARCL_INDEX64;
    v.csr.offsets_at = 1;
    v.csr.indices_at = 2;
    v.csr.values_at = 3;
    v.csc.index_type = SPARCL_INDEX64;
    v.coo.indices_at[1] = 4;
    v.coo.count_at = 5;
    v.rows.values_at = 6;
    v.list.index_type = SPARCL_INDEX64;
    v.list.indices_at = 8;
    create_all(ctx, &v);
    assert_int_equal(sparcl_buf_bytes(v.dense.values), (7 + 2 * (COLS + 2) + COLS) * 4);
    assert_int_equal(sparcl_buf_bytes(v.csr.offsets), (1 + ROWS + 1) * 8);
    assert_int_equal(sparcl_buf_bytes(v.csr.indices), (2 + NNZ) * 4);
    assert_int_equal(sparcl_buf_bytes(v.csr.values), (3 + NNZ) * 4);
    assert_int_equal(sparcl_buf_bytes(v.csc.offsets), (COLS + 1) * 4);
    assert_int_equal(sparcl_buf_bytes(v.csc.indices), NNZ * 8);
    assert_int_equal(sparcl_buf_bytes(v.coo.indices[0]), NNZ * 4);
    assert_int_equal(sparcl_buf_bytes(v.coo.indices[1]), (4 + NNZ) * 4);
    assert_int_equal(sparcl_buf_bytes(v.coo.count), (5 + 1) * 8);
    assert_null(v.coo.indices[2]);
    assert_int_equal(sparcl_buf_bytes(v.rows.indices), USED * 4);
    assert_int_equal(sparcl_buf_bytes(v.rows.values), (6 + USED * COLS) * 4);
    assert_int_equal(sparcl_buf_bytes(v.rows.count), 8);
    assert_int_equal(sparcl_buf_bytes(v.list.indices), (8 + USED) * 8);
    assert_true(v.coo.indices[0] != v.coo.indices[1]);
    free_all(&v);
}

static void empty_views_have_empty_buffers(void **state) {
    sparcl_ctx *ctx = *state;
    views v = {.dense = {.rank = 2, .shape = {0, 4}}, .coo = {.rank = 3}, .rows = {.rank = 1}};
    const void *const none[3] = {NULL};
    const int32_t zero = 0;
    create_all(ctx, &v);
    assert_non_null(v.dense.values);
    assert_int_equal(sparcl_buf_bytes(v.dense.values), 0);
    assert_int_equal(sparcl_buf_bytes(v.csr.offsets), 4);
    assert_int_equal(sparcl_buf_bytes(v.csr.indices), 0);
    assert_ok(ctx, sparcl_dense_read(ctx, &v.dense, NULL));
    free_all(&v);
    assert_ok(ctx, sparcl_dense_zeros(ctx, &v.dense));
    sparcl_dense_free(&v.dense);
    assert_ok(ctx, sparcl_dense_upload(ctx, &v.dense, NULL));
    assert_ok(ctx, sparcl_csr_upload(ctx, &v.csr, &zero, NULL, NULL, PROVEN));
    assert_ok(ctx, sparcl_csc_upload(ctx, &v.csc, &zero, NULL, NULL, PROVEN));
    assert_ok(ctx, sparcl_coo_upload(ctx, &v.coo, none, NULL, PROVEN));
    assert_ok(ctx, sparcl_rows_upload(ctx, &v.rows, NULL, NULL, PROVEN));
    assert_ok(ctx, sparcl_list_upload(ctx, &v.list, NULL, 0));
    free_all(&v);
}

static void a_buffer_that_is_there_is_kept_and_must_hold_its_array(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    sparcl_buf *small = NULL, *large = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &small, 16));
    assert_ok(ctx, sparcl_buf_create(ctx, &large, 400));
    v.csr.indices = small;
    v.dense.values = small;
    assert_left_alone(ctx, v.csr, sparcl_csr_create(ctx, &v.csr), SPARCL_E_SHAPE,
                      "create: A needs 5 elements of 4 bytes from 0 on for its indices");
    assert_left_alone(ctx, v.dense, sparcl_dense_create(ctx, &v.dense), SPARCL_E_SHAPE, "create");
    assert_left_alone(ctx, v.dense, sparcl_dense_zeros(ctx, &v.dense), SPARCL_E_SHAPE, "create");
    assert_left_alone(ctx, v.dense, sparcl_dense_upload(ctx, &v.dense, full), SPARCL_E_SHAPE,
                      "upload: A needs 12 elements");
    v.csr.indices = large;
    assert_ok(ctx, sparcl_csr_create(ctx, &v.csr));
    assert_ptr_equal(v.csr.indices, large);
    assert_ok(ctx, sparcl_csr_create(ctx, &v.csr)); /* nothing is left to be made */
    assert_ptr_equal(v.csr.indices, large);
    v.coo.indices[0] = v.coo.indices[1] = v.csr.indices;
    v.coo.indices_at[1] = 20;
    assert_ok(ctx, upload_coo(ctx, &v.coo, PROVEN));
    assert_ptr_equal(v.coo.indices[1], large);
    v.csr.indices = NULL; /* freed with coo */
    v.dense.values = NULL;
    free_all(&v);
    sparcl_buf_free(small);
}

static void zeros_are_zeros_and_gaps_of_a_kept_buffer_stay(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_dense part = {.rank = 2, .shape = {ROWS, 2}, .ld = COLS, .values_at = 1};
    sparcl_dense whole = {.rank = 2, .shape = {ROWS, COLS}};
    float got[ROWS * COLS];
    assert_ok(ctx, sparcl_dense_zeros(ctx, &part));
    assert_ok(ctx, sparcl_dense_read(ctx, &part, got));
    for (int i = 0; i < ROWS * 2; ++i)
        assert_true(got[i] == 0);
    sparcl_dense_free(&part);
    assert_ok(ctx, sparcl_dense_upload(ctx, &whole, full));
    part.values = whole.values;
    assert_ok(ctx, sparcl_dense_zeros(ctx, &part));
    assert_ok(ctx, sparcl_dense_read(ctx, &whole, got));
    for (int i = 0; i < ROWS * COLS; ++i)
        assert_true(got[i] == (i % COLS == 1 || i % COLS == 2 ? 0 : full[i]));
    sparcl_dense_free(&whole);
}

/* Rows of three elements of two bytes, of five: in one launch. */
static void zeros_of_rows_that_begin_anywhere_take_one_launch(void **state) {
    enum { HALVES = 5, WIDTH = 3 };
    sparcl_ctx *ctx = *state;
    sparcl_dense whole = {.rank = 2, .dtype = SPARCL_F16, .shape = {ROWS, HALVES}};
    uint16_t ones[ROWS * HALVES], got[ROWS * HALVES];
    memset(ones, 1, sizeof ones);
    assert_ok(ctx, sparcl_dense_upload(ctx, &whole, ones));
    sparcl_dense part = whole;
    part.shape[1] = WIDTH;
    part.ld = HALVES;
    part.values_at = 1;
    const int64_t before = sparcl_ctx_launches(ctx);
    assert_ok(ctx, sparcl_dense_zeros(ctx, &part));
    assert_int_equal(sparcl_ctx_launches(ctx) - before, 1);
    assert_ok(ctx, sparcl_dense_read(ctx, &whole, got));
    for (int i = 0; i < ROWS * HALVES; ++i)
        assert_int_equal(got[i], i % HALVES >= 1 && i % HALVES <= WIDTH ? 0 : 0x0101);
    sparcl_dense_free(&whole);
}

/* --- refusals -------------------------------------------------------------------------------- */

static void wrong_views_are_refused_and_left_alone(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    v.dense.rank = 0;
    assert_left_alone(ctx, v.dense, sparcl_dense_create(ctx, &v.dense), SPARCL_E_SHAPE,
                      "create: A has rank 0");
    assert_left_alone(ctx, v.dense, sparcl_dense_read(ctx, &v.dense, NULL), SPARCL_E_SHAPE,
                      "read: A has rank 0");
    v.csr.nnz = -1;
    assert_left_alone(ctx, v.csr, sparcl_csr_create(ctx, &v.csr), SPARCL_E_SHAPE, "-1 entries");
    v.csc.index_type = (sparcl_itype)5;
    assert_left_alone(ctx, v.csc, sparcl_csc_create(ctx, &v.csc), SPARCL_E_DTYPE, "index type 5");
    v.coo.reserved[1] = 1;
    assert_left_alone(ctx, v.coo, sparcl_coo_create(ctx, &v.coo), SPARCL_E_ARG, "reserved");
    v.rows.indices_at = -1;
    assert_left_alone(ctx, v.rows, sparcl_rows_create(ctx, &v.rows), SPARCL_E_SHAPE, "from -1 on");
    v.list.count = INT64_MAX;
    v.list.indices_at = 1;
    assert_left_alone(ctx, v.list, sparcl_list_create(ctx, &v.list), SPARCL_E_SHAPE,
                      "a size below 2^63 bytes");
    v = plain_views();
    v.csr.rows = INT64_MAX;
    assert_left_alone(ctx, v.csr, sparcl_csr_create(ctx, &v.csr), SPARCL_E_SHAPE, "offsets");
    v.rows.dtype = SPARCL_F64;
    if (!sparcl_ctx_device(ctx)->has_f64)
        assert_left_alone(ctx, v.rows, sparcl_rows_create(ctx, &v.rows), SPARCL_E_UNSUPPORTED,
                          "float64");
    assert_refused(ctx, sparcl_coo_create(ctx, NULL), SPARCL_E_ARG, "create: A is NULL");
    assert_refused(ctx, sparcl_dense_zeros(ctx, NULL), SPARCL_E_ARG, "create: A is NULL");
    assert_refused(ctx, sparcl_list_upload(ctx, NULL, used, 0), SPARCL_E_ARG, "upload: A is NULL");
    assert_refused(ctx, sparcl_csr_read(ctx, NULL, NULL, NULL, NULL, NULL), SPARCL_E_ARG,
                   "read: A is NULL");
}

static void a_view_without_buffers_is_refused_with_the_functions_that_make_them(void **state) {
    sparcl_ctx *ctx = *state;
    const views v = plain_views();
    const sparcl_bsr bsr = {
        .rows = 4, .cols = 4, .nnzb = 1, .block_rows = 2, .block_cols = 2, .dtype = SPARCL_F32};
    int32_t at[16];
    float values[16];
    int64_t count = 0;
#define NEEDS(kind, what, ...)                                                                     \
    assert_refused(ctx, sparcl_##kind##_read(ctx, __VA_ARGS__), SPARCL_E_SHAPE,                    \
                   "read: A has no buffer yet for its " what " bytes): sparcl_" #kind              \
                   "_create or sparcl_" #kind "_upload makes it")
    NEEDS(dense, "values (12 elements of 4", &v.dense, values);
    NEEDS(csr, "offsets (4 elements of 4", &v.csr, at, at, values, &count);
    NEEDS(csc, "offsets (5 elements of 4", &v.csc, at, at, values, &count);
    NEEDS(coo, "indices (5 elements of 4", &v.coo, (void *[]){at, at}, values, &count);
    NEEDS(rows, "indices (2 elements of 4", &v.rows, at, values, &count);
    NEEDS(bsr, "offsets (3 elements of 4", &bsr, at, at, values, &count);
    NEEDS(list, "indices (2 elements of 4", &v.list, at);
#undef NEEDS
}

static void without_a_context_every_call_is_refused(void **state) {
    views v = plain_views();
    int64_t count = 9;
    (void)state;
    assert_int_equal(sparcl_dense_create(NULL, &v.dense), SPARCL_E_ARG);
    assert_int_equal(sparcl_dense_zeros(NULL, &v.dense), SPARCL_E_ARG);
    assert_int_equal(sparcl_dense_upload(NULL, &v.dense, full), SPARCL_E_ARG);
    assert_int_equal(sparcl_csr_create(NULL, &v.csr), SPARCL_E_ARG);
    assert_int_equal(sparcl_rows_upload(NULL, &v.rows, used, used_rows, 0), SPARCL_E_ARG);
    assert_int_equal(sparcl_dense_read(NULL, &v.dense, NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_coo_read(NULL, &v.coo, NULL, NULL, &count), SPARCL_E_ARG);
    assert_int_equal(count, 0);
    assert_int_equal(sparcl_list_read(NULL, &v.list, NULL), SPARCL_E_ARG);
}

/* The first arrays fit, the last is larger than any allocation. */
static void what_fails_half_way_leaves_nothing(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t largest = sparcl_ctx_device(ctx)->max_allocation;
    views v = plain_views();
    v.csr.values_at = v.csc.values_at = v.coo.count_at = v.rows.count_at = largest;
    v.dense.values_at = v.list.indices_at = largest;
    assert_left_alone(ctx, v.csr, sparcl_csr_create(ctx, &v.csr), SPARCL_E_MEMORY, "largest");
    assert_left_alone(ctx, v.csc, sparcl_csc_create(ctx, &v.csc), SPARCL_E_MEMORY, "largest");
    assert_left_alone(ctx, v.coo, sparcl_coo_create(ctx, &v.coo), SPARCL_E_MEMORY, "largest");
    assert_left_alone(ctx, v.rows, sparcl_rows_create(ctx, &v.rows), SPARCL_E_MEMORY, "largest");
    assert_left_alone(ctx, v.dense, sparcl_dense_zeros(ctx, &v.dense), SPARCL_E_MEMORY, "largest");
    assert_left_alone(ctx, v.list, sparcl_list_create(ctx, &v.list), SPARCL_E_MEMORY, "largest");
    assert_left_alone(ctx, v.csr,
                      sparcl_csr_upload(ctx, &v.csr, row_offsets, column_indices, entries, 0),
                      SPARCL_E_MEMORY, "largest");
}

/* --- read ------------------------------------------------------------------------------------ */

static void a_count_outside_of_the_capacity_is_found(void **state) {
    static const int64_t wrong[] = {-1, 1000};
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    create_all(ctx, &v);
    for (int i = 0; i < 2; ++i) {
        const int32_t narrow = (int32_t)wrong[i];
        int64_t count = 9;
        float values[1];
        assert_ok(ctx, sparcl_buf_write(ctx, v.csr.offsets, ROWS * 4, 4, &narrow));
        assert_ok(ctx, sparcl_buf_write(ctx, v.csc.offsets, COLS * 4, 4, &narrow));
        assert_ok(ctx, sparcl_buf_write(ctx, v.coo.count, 0, 8, &wrong[i]));
        assert_ok(ctx, sparcl_buf_write(ctx, v.rows.count, 0, 8, &wrong[i]));
        assert_refused(ctx, sparcl_csr_read(ctx, &v.csr, NULL, NULL, values, &count), SPARCL_E_DATA,
                       i ? "last offset of A is 1000, expected 0 to 5" : "is -1");
        assert_int_equal(count, 0);
        assert_refused(ctx, sparcl_csc_read(ctx, &v.csc, NULL, NULL, values, NULL), SPARCL_E_DATA,
                       "last offset");
        count = 9;
        assert_refused(ctx, sparcl_coo_read(ctx, &v.coo, NULL, values, &count), SPARCL_E_DATA,
                       "the count of A is");
        assert_int_equal(count, 0);
        count = 9;
        assert_refused(ctx, sparcl_rows_read(ctx, &v.rows, NULL, values, &count), SPARCL_E_DATA,
                       "expected 0 to 2");
        assert_int_equal(count, 0);
    }
    free_all(&v);
}

/* With capacity for more, as many as there are; what lies behind on the host stays. */
static void as_many_entries_are_read_as_there_are(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    const int64_t one = 1;
    int32_t ids[2] = {9, 9};
    float values[USED * COLS] = {9, 9, 9, 9, 9, 9, 9, 9};
    int64_t count = 0;
    assert_ok(ctx, sparcl_buf_upload(ctx, &v.rows.count, &one, 8));
    assert_ok(ctx, sparcl_rows_upload(ctx, &v.rows, used, used_rows, 0));
    assert_int_equal(int_at(ctx, v.rows.count, 0), USED); /* became that number */
    assert_ok(ctx, sparcl_buf_write(ctx, v.rows.count, 0, 8, &one));
    assert_int_equal(sparcl_rows_flags(&v.rows), 0); /* the view need not be proven */
    assert_ok(ctx, sparcl_rows_read(ctx, &v.rows, ids, values, &count));
    assert_int_equal(count, 1);
    assert_int_equal(ids[0], used[0]);
    assert_int_equal(ids[1], 9);
    assert_memory_equal(values, used_rows, COLS * sizeof *values);
    assert_true(values[COLS] == 9);
    assert_ok(ctx, sparcl_rows_read(ctx, &v.rows, NULL, NULL, NULL));
    sparcl_rows_free(&v.rows);
}

/* --- free ------------------------------------------------------------------------------------ */

static void a_freed_view_keeps_its_shape_and_can_be_made_again(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t before = sparcl_ctx_memory(ctx);
    views v = plain_views();
    create_all(ctx, &v);
    v.csr.proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
    assert_true(sparcl_ctx_memory(ctx) > before);
    free_all(&v);
    assert_int_equal(sparcl_ctx_memory(ctx), before);
    const views plain = plain_views();
    assert_memory_equal(&v.csr, &plain.csr, sizeof plain.csr);
    assert_memory_equal(&v.csc, &plain.csc, sizeof plain.csc);
    assert_memory_equal(&v.coo, &plain.coo, sizeof plain.coo);
    assert_memory_equal(&v.rows, &plain.rows, sizeof plain.rows);
    assert_memory_equal(&v.list, &plain.list, sizeof plain.list);
    assert_memory_equal(&v.dense, &plain.dense, sizeof plain.dense);
    free_all(&v); /* twice is legal */
    create_all(ctx, &v);
    free_all(&v);
    sparcl_dense_free(NULL);
    sparcl_csr_free(NULL);
    sparcl_csc_free(NULL);
    sparcl_coo_free(NULL);
    sparcl_rows_free(NULL);
    sparcl_list_free(NULL);
}

static void a_buffer_that_is_named_twice_is_freed_once(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t before = sparcl_ctx_memory(ctx);
    sparcl_coo coo = {.rank = 2};
    sparcl_csr csr = {.rows = 1};
    assert_ok(ctx, sparcl_buf_create(ctx, &coo.values, 64));
    coo.indices[0] = coo.indices[1] = coo.indices[7] = coo.count = coo.values;
    sparcl_coo_free(&coo);
    assert_null(coo.values);
    assert_null(coo.count);
    assert_null(coo.indices[7]);
    assert_ok(ctx, sparcl_buf_create(ctx, &csr.offsets, 64));
    csr.indices = csr.values = csr.offsets;
    sparcl_csr_free(&csr);
    assert_null(csr.values);
    assert_int_equal(sparcl_ctx_memory(ctx), before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_created_sparse_view_is_an_array_without_entries),
        cmocka_unit_test(it_is_a_place_for_the_result_of_an_operation),
        cmocka_unit_test(a_new_buffer_is_as_long_as_its_array_needs_from_its_place_on),
        cmocka_unit_test(empty_views_have_empty_buffers),
        cmocka_unit_test(a_buffer_that_is_there_is_kept_and_must_hold_its_array),
        cmocka_unit_test(zeros_are_zeros_and_gaps_of_a_kept_buffer_stay),
        cmocka_unit_test(zeros_of_rows_that_begin_anywhere_take_one_launch),
        cmocka_unit_test(wrong_views_are_refused_and_left_alone),
        cmocka_unit_test(a_view_without_buffers_is_refused_with_the_functions_that_make_them),
        cmocka_unit_test(without_a_context_every_call_is_refused),
        cmocka_unit_test(what_fails_half_way_leaves_nothing),
        cmocka_unit_test(a_count_outside_of_the_capacity_is_found),
        cmocka_unit_test(as_many_entries_are_read_as_there_are),
        cmocka_unit_test(a_freed_view_keeps_its_shape_and_can_be_made_again),
        cmocka_unit_test(a_buffer_that_is_named_twice_is_freed_once),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
