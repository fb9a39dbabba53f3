/* test_views_upload.c: what views.h says of copying host arrays into a view, and back. */
#include "views_test.h"

#define PROVEN (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE)

/* --- there and back -------------------------------------------------------------------------- */

static void what_was_uploaded_is_proven_and_read_back(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    int32_t offsets[COLS + 1], first[NNZ], second[NNZ];
    float values[ROWS * COLS];
    void *const both[] = {first, second};
    int64_t count = 0;
    upload_all(ctx, &v);
    assert_int_equal(sparcl_csr_flags(&v.csr), PROVEN);
    assert_int_equal(v.csr.proof.longest_row, 3);
    assert_int_equal(sparcl_csc_flags(&v.csc), PROVEN);
    assert_int_equal(sparcl_coo_flags(&v.coo), PROVEN);
    assert_int_equal(sparcl_rows_flags(&v.rows), PROVEN);
    assert_int_equal(sparcl_list_flags(&v.list) & SPARCL_VALID, SPARCL_VALID);
    assert_null(v.coo.count); /* all are stored */
    assert_null(v.rows.count);

    assert_ok(ctx, sparcl_dense_read(ctx, &v.dense, values));
    assert_memory_equal(values, full, sizeof full);
    assert_ok(ctx, sparcl_csr_read(ctx, &v.csr, offsets, first, values, &count));
    assert_int_equal(count, NNZ);
    assert_memory_equal(offsets, row_offsets, sizeof row_offsets);
    assert_memory_equal(first, column_indices, sizeof first);
    assert_memory_equal(values, entries, sizeof entries);
    assert_ok(ctx, sparcl_csc_read(ctx, &v.csc, offsets, first, values, &count));
    assert_int_equal(count, NNZ);
    assert_memory_equal(offsets, column_offsets, sizeof column_offsets);
    assert_memory_equal(first, by_column, sizeof first);
    assert_memory_equal(values, entries_by_column, sizeof entries);
    assert_ok(ctx, sparcl_coo_read(ctx, &v.coo, both, values, &count));
    assert_int_equal(count, NNZ);
    assert_memory_equal(first, row_indices, sizeof first);
    assert_memory_equal(second, column_indices, sizeof second);
    assert_memory_equal(values, entries, sizeof entries);
    assert_ok(ctx, sparcl_rows_read(ctx, &v.rows, first, values, &count));
    assert_int_equal(count, USED);
    assert_memory_equal(first, used, sizeof used);
    assert_memory_equal(values, used_rows, sizeof used_rows);
    first[0] = first[1] = 9;
    assert_ok(ctx, sparcl_list_read(ctx, &v.list, first));
    assert_memory_equal(first, used, sizeof used);
    free_all(&v);
}

/* 64-bit integers and, where the device has them, reals; arrays that begin late. */
static void wide_types_and_late_arrays_come_back(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t offsets[] = {0, 2, 2, 5}, indices[] = {0, 2, 0, 1, 3};
    const double values[] = {1, 2, 3, 4, 5};
    int64_t got_offsets[ROWS + 1], got_indices[NNZ], count = 0;
    double got_values[NNZ];
    sparcl_csr a = plain_views().csr;
    a.offset_type = a.index_type = SPARCL_INDEX64;
    a.offsets_at = 3;
    a.indices_at = 2;
    a.values_at = 1;
    if (sparcl_ctx_device(ctx)->has_f64) {
        a.dtype = SPARCL_F64;
        assert_ok(ctx, sparcl_csr_upload(ctx, &a, offsets, indices, values, PROVEN));
        assert_ok(ctx, sparcl_csr_read(ctx, &a, NULL, NULL, got_values, &count));
        assert_memory_equal(got_values, values, sizeof values);
    } else {
        assert_ok(ctx, sparcl_csr_upload(ctx, &a, offsets, indices, entries, PROVEN));
    }
    assert_ok(ctx, sparcl_csr_read(ctx, &a, got_offsets, got_indices, NULL, &count));
    assert_int_equal(count, NNZ);
    assert_memory_equal(got_offsets, offsets, sizeof offsets);
    assert_memory_equal(got_indices, indices, sizeof indices);
    sparcl_csr_free(&a);
}

/* A part of a matrix: rows with gaps between them, which are neither read nor written. */
static void a_part_of_a_matrix_is_written_and_read_alone(void **state) {
    sparcl_ctx *ctx = *state;
    static const float two[] = {-1, -2, -3, -4, -5, -6};
    sparcl_dense whole = {.rank = 2, .shape = {ROWS, COLS}};
    float got[ROWS * COLS];
    assert_ok(ctx, sparcl_dense_upload(ctx, &whole, full));
    sparcl_dense part = {
        .rank = 2, .shape = {ROWS, 2}, .ld = COLS, .values = whole.values, .values_at = 1};
    assert_ok(ctx, sparcl_dense_read(ctx, &part, got));
    for (int i = 0; i < ROWS * 2; ++i)
        assert_true(got[i] == full[i / 2 * COLS + 1 + i % 2]);
    assert_ok(ctx, sparcl_dense_upload(ctx, &part, two));
    assert_ok(ctx, sparcl_dense_read(ctx, &whole, got));
    for (int i = 0; i < ROWS * COLS; ++i) {
        const int column = i % COLS - 1;
        const bool inside = column == 0 || column == 1;
        assert_true(got[i] == (inside ? two[i / COLS * 2 + column] : full[i]));
    }
    sparcl_dense_free(&whole);
    part.values = NULL; /* the same in a buffer of its own, and of rank 3 */
    part.rank = 3;
    part.shape[2] = 1;
    assert_ok(ctx, sparcl_dense_upload(ctx, &part, two));
    assert_ok(ctx, sparcl_dense_read(ctx, &part, got));
    assert_memory_equal(got, two, sizeof two);
    sparcl_dense_free(&part);
}

/* From every place on, also over the end of a row as counted from the start of the buffer, and up
 * to the end of the buffer; no byte around is written. */
static void parts_are_written_and_read_wherever_they_begin(void **state) {
    enum { LD = 5, MOST = 13 + ROWS * LD };
    sparcl_ctx *ctx = *state;
    for (int width = 1; width <= LD; ++width)
        for (int at = 0; at < 13; ++at) {
            const int size = at + (ROWS - 1) * LD + width;
            float before[MOST], part[ROWS * LD], got[MOST];
            for (int i = 0; i < MOST; ++i)
                before[i] = (float)-i;
            for (int i = 0; i < ROWS * LD; ++i)
                part[i] = (float)(i + 1);
            sparcl_dense whole = {.rank = 1, .shape = {size}};
            sparcl_dense view = {.rank = 2, .shape = {ROWS, width}, .ld = LD, .values_at = at};
            assert_ok(ctx, sparcl_dense_upload(ctx, &whole, before));
            view.values = whole.values;
            assert_ok(ctx, sparcl_dense_upload(ctx, &view, part));
            assert_ok(ctx, sparcl_dense_read(ctx, &view, got));
            assert_memory_equal(got, part, sizeof(float) * (size_t)(ROWS * width));
            assert_ok(ctx, sparcl_dense_read(ctx, &whole, got));
            for (int i = 0; i < size; ++i) {
                const int row = (i - at) / LD, column = (i - at) % LD;
                const bool inside = i >= at && column < width;
                assert_true(got[i] == (inside ? part[row * width + column] : before[i]));
            }
            sparcl_dense_free(&whole);
        }
}

/* --- validation ------------------------------------------------------------------------------ */

static void wrong_arrays_are_named_and_leave_nothing(void **state) {
    static const int32_t outside[] = {0, 2, 0, 1, 4}, unsorted[] = {2, 0, 0, 1, 3};
    static const int32_t descending[] = {0, 2, 1, 5}, far[] = {0, 3};
    static const float infinite[] = {1, 2, 3, INFINITY, 5};
    const void *const coo[] = {row_indices, outside};
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    upload_all(ctx, &v); /* scratch memory is taken once */
    assert_ok(ctx, sparcl_csr_upload(ctx, &v.csr, row_offsets, unsorted, entries, 0));
    assert_int_equal(sparcl_csr_flags(&v.csr), SPARCL_VALID | SPARCL_UNIQUE);
    free_all(&v);
    assert_left_alone(ctx, v.csr, sparcl_csr_upload(ctx, &v.csr, row_offsets, outside, entries, 0),
                      SPARCL_E_DATA, "A.indices[4] is 4 in row 2");
    assert_left_alone(ctx, v.csr,
                      sparcl_csr_upload(ctx, &v.csr, descending, column_indices, entries, 0),
                      SPARCL_E_DATA, "A.offsets[2] is 1 after 2");
    assert_left_alone(ctx, v.csr,
                      sparcl_csr_upload(ctx, &v.csr, row_offsets, unsorted, entries, SPARCL_SORTED),
                      SPARCL_E_DATA, "A.indices[1] is 0 after 2");
    assert_left_alone(
        ctx, v.csr,
        sparcl_csr_upload(ctx, &v.csr, row_offsets, column_indices, infinite, SPARCL_FINITE),
        SPARCL_E_DATA, "A.values[3] is inf");
    assert_left_alone(ctx, v.csc,
                      sparcl_csc_upload(ctx, &v.csc, column_offsets, outside, entries, 0),
                      SPARCL_E_DATA, "A.indices[4]");
    assert_left_alone(ctx, v.coo, sparcl_coo_upload(ctx, &v.coo, coo, entries, 0), SPARCL_E_DATA,
                      "A.indices[1][4] is 4");
    assert_left_alone(ctx, v.rows, sparcl_rows_upload(ctx, &v.rows, far, used_rows, 0),
                      SPARCL_E_DATA, "A.indices[1] is 3");
    assert_left_alone(ctx, v.list, sparcl_list_upload(ctx, &v.list, far, 0), SPARCL_E_DATA,
                      "A.indices[1] is 3");
}

static void a_trusted_view_is_not_validated_unless_more_is_required(void **state) {
    static const int32_t unsorted[] = {2, 0, 0, 1, 3};
    const sparcl_proof given = {.flags = SPARCL_TRUSTED | SPARCL_SORTED, .longest_row = 7};
    sparcl_ctx *ctx = *state;
    sparcl_csr a = plain_views().csr;
    a.proof = given; /* which is not true */
    assert_ok(ctx, sparcl_csr_upload(ctx, &a, row_offsets, unsorted, entries,
                                     SPARCL_VALID | SPARCL_SORTED));
    assert_memory_equal(&a.proof, &given, sizeof given);
    sparcl_csr_free(&a);
    a.proof = given;
    assert_left_alone(
        ctx, a,
        sparcl_csr_upload(ctx, &a, row_offsets, unsorted, entries, SPARCL_SORTED | SPARCL_UNIQUE),
        SPARCL_E_DATA, "A.indices[1] is 0 after 2");
    sparcl_coo coo = plain_views().coo;
    coo.proof.flags = SPARCL_TRUSTED;
    assert_ok(ctx, upload_coo(ctx, &coo, SPARCL_SORTED));
    assert_int_equal(sparcl_coo_flags(&coo), PROVEN | SPARCL_TRUSTED);
    sparcl_coo_free(&coo);
}

/* A view that is filled again: proven anew. */
static void an_upload_into_buffers_that_are_there_proves_again(void **state) {
    static const int32_t other[] = {1, 2, 0, 2, 3}, outside[] = {0, 2, 0, 1, 4};
    sparcl_ctx *ctx = *state;
    sparcl_csr a = plain_views().csr;
    int32_t got[NNZ];
    assert_ok(ctx, sparcl_csr_upload(ctx, &a, row_offsets, column_indices, entries, 0));
    sparcl_buf *const indices = a.indices;
    assert_ok(ctx, sparcl_csr_upload(ctx, &a, row_offsets, other, entries, PROVEN));
    assert_ptr_equal(a.indices, indices);
    assert_int_equal(sparcl_csr_flags(&a), PROVEN);
    assert_ok(ctx, sparcl_csr_read(ctx, &a, NULL, got, NULL, NULL));
    assert_memory_equal(got, other, sizeof got);
    assert_left_alone(ctx, a, sparcl_csr_upload(ctx, &a, row_offsets, outside, entries, 0),
                      SPARCL_E_DATA, "A.indices[4]");
    assert_int_equal(sparcl_csr_flags(&a), 0); /* what was proven was of the array before */
    sparcl_csr_free(&a);
}

/* --- refusals -------------------------------------------------------------------------------- */

static void a_host_array_that_is_null_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    const void *const half[] = {row_indices, NULL};
    views v = plain_views();
    assert_left_alone(ctx, v.dense, sparcl_dense_upload(ctx, &v.dense, NULL), SPARCL_E_ARG,
                      "upload: the values of A are NULL on the host, expected 12 elements");
    assert_left_alone(ctx, v.csr, sparcl_csr_upload(ctx, &v.csr, NULL, column_indices, entries, 0),
                      SPARCL_E_ARG, "the offsets of A");
    assert_left_alone(ctx, v.csc, sparcl_csc_upload(ctx, &v.csc, column_offsets, NULL, entries, 0),
                      SPARCL_E_ARG, "the indices of A");
    assert_left_alone(ctx, v.coo, sparcl_coo_upload(ctx, &v.coo, half, entries, 0), SPARCL_E_ARG,
                      "the indices of A");
    assert_left_alone(ctx, v.coo, sparcl_coo_upload(ctx, &v.coo, NULL, entries, 0), SPARCL_E_ARG,
                      "the indices of A");
    assert_left_alone(ctx, v.rows, sparcl_rows_upload(ctx, &v.rows, used, NULL, 0), SPARCL_E_ARG,
                      "the values of A");
    assert_left_alone(ctx, v.list, sparcl_list_upload(ctx, &v.list, NULL, 0), SPARCL_E_ARG,
                      "expected 2 elements");
}

static void properties_that_are_none_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    assert_left_alone(ctx, v.list, sparcl_list_upload(ctx, &v.list, used, 1024), SPARCL_E_ARG,
                      "upload: want is 1024");
    assert_left_alone(ctx, v.coo, upload_coo(ctx, &v.coo, SPARCL_TRUSTED), SPARCL_E_ARG,
                      "upload: want is 16");
}

static void host_memory_that_a_buffer_uses_itself_is_refused(void **state) {
    static float shared[4096];
    sparcl_ctx *ctx = *state;
    views v = plain_views();
    sparcl_buf *wrapped = NULL;
    sparcl_dense part = {.rank = 2, .shape = {ROWS, 2}, .ld = COLS};
    if (!sparcl_ctx_device(ctx)->host_unified) skip();
    assert_ok(ctx, sparcl_buf_wrap(ctx, &wrapped, shared, sizeof shared));
    assert_left_alone(ctx, v.dense, sparcl_dense_upload(ctx, &v.dense, shared), SPARCL_E_ALIAS,
                      "on the host overlap the memory of a buffer");
    assert_left_alone(ctx, part, sparcl_dense_upload(ctx, &part, shared), SPARCL_E_ALIAS,
                      "on the host overlap the memory of a buffer");
    assert_left_alone(ctx, v.csr,
                      sparcl_csr_upload(ctx, &v.csr, row_offsets, column_indices, shared, 0),
                      SPARCL_E_ALIAS, "on the host overlap the memory of a buffer");
    upload_all(ctx, &v);
    assert_ok(ctx, sparcl_dense_create(ctx, &part));
    assert_refused(ctx, sparcl_dense_read(ctx, &v.dense, shared), SPARCL_E_ALIAS,
                   "on the host overlap the memory of a buffer");
    assert_refused(ctx, sparcl_dense_read(ctx, &part, shared), SPARCL_E_ALIAS,
                   "on the host overlap the memory of a buffer");
    assert_refused(ctx, sparcl_rows_read(ctx, &v.rows, NULL, shared, NULL), SPARCL_E_ALIAS,
                   "on the host overlap the memory of a buffer");
    free_all(&v);
    sparcl_dense_free(&part);
    sparcl_buf_free(wrapped);
}

static void a_buffer_of_another_context_is_refused(void **state) {
    sparcl_ctx *ctx = *state, *other = test_open();
    views v = plain_views(), theirs = plain_views();
    create_all(other, &theirs);
    v.csr.indices = theirs.csr.indices;
    assert_left_alone(ctx, v.csr, sparcl_csr_create(ctx, &v.csr), SPARCL_E_ARG, "another context");
    assert_left_alone(ctx, v.csr,
                      sparcl_csr_upload(ctx, &v.csr, row_offsets, column_indices, entries, 0),
                      SPARCL_E_ARG, "another context");
    assert_refused(ctx, sparcl_rows_read(ctx, &theirs.rows, NULL, NULL, NULL), SPARCL_E_ARG,
                   "another context");
    free_all(&theirs);
    sparcl_ctx_close(other);
}

/* --- forecasts ------------------------------------------------------------------------------- */

static int64_t measure(bool is_forecast, uint32_t given) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    desc.forecast = is_forecast;
    assert_int_equal(sparcl_ctx_open(&ctx, &desc, NULL), SPARCL_OK);
    views v = plain_views(), made = plain_views();
    sparcl_dense part = {.rank = 2, .shape = {ROWS, 2}, .ld = COLS}, zeros = part;
    float values[ROWS * COLS] = {9};
    int64_t count = 9;
    v.csr.proof.flags = v.csc.proof.flags = v.coo.proof.flags = given;
    v.rows.proof.flags = v.list.proof.flags = given;
    upload_all(ctx, &v);
    create_all(ctx, &made);
    assert_ok(ctx, sparcl_dense_upload(ctx, &part, full));
    assert_ok(ctx, sparcl_dense_zeros(ctx, &zeros));
    const int64_t memory = sparcl_ctx_memory(ctx);
    assert_ok(ctx, sparcl_dense_read(ctx, &part, values));
    assert_true(values[0] == (is_forecast ? 0 : full[0]));
    assert_ok(ctx, sparcl_csr_read(ctx, &v.csr, NULL, NULL, values, &count));
    assert_int_equal(count, is_forecast ? 0 : NNZ);
    assert_ok(ctx, sparcl_rows_read(ctx, &v.rows, NULL, values, &count));
    assert_int_equal(count, is_forecast ? 0 : USED);
    free_all(&v);
    free_all(&made);
    sparcl_dense_free(&part);
    sparcl_dense_free(&zeros);
    sparcl_ctx_close(ctx);
    return memory;
}

/* Of validation a forecast reports the maximum (context.h). */
static void a_forecast_counts_what_would_be_taken(void **state) {
    (void)state;
    assert_int_equal(measure(true, SPARCL_TRUSTED), measure(false, SPARCL_TRUSTED));
    assert_true(measure(true, 0) >= measure(false, 0));
    assert_true(measure(false, 0) > measure(false, SPARCL_TRUSTED)); /* nothing is validated */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_uploaded_is_proven_and_read_back),
        cmocka_unit_test(wide_types_and_late_arrays_come_back),
        cmocka_unit_test(a_part_of_a_matrix_is_written_and_read_alone),
        cmocka_unit_test(parts_are_written_and_read_wherever_they_begin),
        cmocka_unit_test(wrong_arrays_are_named_and_leave_nothing),
        cmocka_unit_test(a_trusted_view_is_not_validated_unless_more_is_required),
        cmocka_unit_test(an_upload_into_buffers_that_are_there_proves_again),
        cmocka_unit_test(a_host_array_that_is_null_is_refused),
        cmocka_unit_test(properties_that_are_none_are_refused),
        cmocka_unit_test(host_memory_that_a_buffer_uses_itself_is_refused),
        cmocka_unit_test(a_buffer_of_another_context_is_refused),
        cmocka_unit_test(a_forecast_counts_what_would_be_taken),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
