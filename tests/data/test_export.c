/* test_export.c: data written as Matrix Market and SciPy archives reads back as the same. */
#include "data_test.h"

#include "base/macros.h"

static const char rows[] = "1 1:0.1 3:16777216\n-1\n2.5 2:1e-45 7:-3.4028235e38\n0 1:nan 2:-inf\n";

/* The matrix and the labels are equal to the bit, and so the fingerprints. */
static void check(fixture *f, const sparcl_data *data, sparcl_data_format format,
                  const char *labels) {
    const sparcl_data_desc desc = {.labels = labels,
                                   .columns = sparcl_data_get_info(data)->columns};
    if (sparcl_data_export(data, f->other, format, &f->error) != SPARCL_OK)
        fail_msg("%s", f->error.message);
    sparcl_data *back = must_read(f, f->other, &desc);
    assert_string_equal(sparcl_data_get_info(back)->format, sparcl_data_format_name(format));
    assert_int_equal(sparcl_data_get_info(back)->fingerprint,
                     sparcl_data_get_info(data)->fingerprint);
    sparcl_data_free(back);
}

static void an_archive_has_the_labels_as_a_member(void **state) {
    fixture *f = *state;
    char member[192];
    snprintf(f->other, sizeof f->other, "%s/other.npz", f->folder);
    snprintf(member, sizeof member, "%s:labels", f->other);
    write_text(f->path, rows);
    sparcl_data *data = must_read(f, f->path, NULL);
    check(f, data, SPARCL_DATA_NPZ, member);
    size_t sizes[2];
    char *const first = read_bytes(f->other, &sizes[0]);
    assert_int_equal(sparcl_data_export(data, f->other, SPARCL_DATA_NPZ, &f->error), SPARCL_OK);
    char *const second = read_bytes(f->other, &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(first, second, sizes[0]); /* equal data make equal files */
    free(first);
    free(second);
    sparcl_data_free(data);
}

static void labels_are_an_array_of_their_own(void **state) {
    fixture *f = *state;
    write_text(f->path, rows);
    sparcl_data *data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_save_labels(data, f->path, &f->error), SPARCL_OK);
    check(f, data, SPARCL_DATA_MTX, f->path);
    sparcl_data_free(data);
    data = must_read(f, f->other, NULL);
    assert_int_equal(sparcl_data_save_labels(data, f->path, &f->error), SPARCL_E_ARG);
    check(f, data, SPARCL_DATA_NPZ, NULL);
    check(f, data, SPARCL_DATA_MTX, NULL);
    sparcl_data_free(data);
    write_text(f->path, "1,2 1:1\n 2:1\n");
    data = must_read(f, f->path, &(sparcl_data_desc){.multilabel = 1});
    assert_int_equal(sparcl_data_save_labels(data, f->other, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_export(data, f->other, SPARCL_DATA_NPZ, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_export(data, f->other, SPARCL_DATA_MTX, &f->error), SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "several labels"));
    sparcl_data_free(data);
    assert_int_equal(sparcl_data_save_labels(NULL, f->other, &f->error), SPARCL_E_ARG);
}

static void a_wide_matrix_has_wide_indices(void **state) {
    fixture *f = *state;
    char member[192];
    snprintf(f->other, sizeof f->other, "%s/other.npz", f->folder);
    snprintf(member, sizeof member, "%s:labels", f->other);
    write_text(f->path, "1 1:1 3000000000:2\n0 5:1\n");
    sparcl_data *data = must_read(f, f->path, NULL);
    check(f, data, SPARCL_DATA_NPZ, member);
    assert_int_equal(sparcl_data_save_labels(data, f->path, &f->error), SPARCL_OK);
    check(f, data, SPARCL_DATA_MTX, f->path);
    sparcl_data_free(data);
}

static void a_matrix_without_entries_reads_back(void **state) {
    fixture *f = *state;
    const int64_t offsets[] = {0, 0, 0};
    const sparcl_data_arrays arrays = {.rows = 2, .columns = 3, .offsets = offsets};
    sparcl_data *data = NULL;
    assert_int_equal(sparcl_data_create(&data, &arrays, &f->error), SPARCL_OK);
    check(f, data, SPARCL_DATA_NPZ, NULL);
    check(f, data, SPARCL_DATA_MTX, NULL);
    sparcl_data_free(data);
}

static void a_failed_export_leaves_the_file_before(void **state) {
    fixture *f = *state;
    counted memory = {0};
    write_text(f->path, rows);
    const sparcl_data_desc desc = {.threads = 1,
                                   .allocator = {.fn = count_memory, .user = &memory}};
    sparcl_data *data = must_read(f, f->path, &desc);
    const int64_t live = memory.live;
    write_text(f->other, "before");
    for (int i = 0; i < 2; i++) {
        const sparcl_data_format format = i ? SPARCL_DATA_MTX : SPARCL_DATA_NPZ;
        sparcl_status status = SPARCL_E_MEMORY;
        for (int64_t at = 1; status == SPARCL_E_MEMORY; at++) {
            memory.calls = 0;
            memory.fail_at = at;
            status = sparcl_data_export(data, f->other, format, &f->error);
            assert_int_equal(memory.live, live);
            size_t size = 0;
            char *const bytes = read_bytes(f->other, &size);
            if (status == SPARCL_E_MEMORY && i == 0) assert_int_equal(size, 6);
            free(bytes);
        }
        assert_int_equal(status, SPARCL_OK);
    }
    memory.fail_at = 0;
    sparcl_data_free(data);
    assert_int_equal(memory.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_archive_has_the_labels_as_a_member),  TEST(labels_are_an_array_of_their_own),
        TEST(a_wide_matrix_has_wide_indices),         TEST(a_matrix_without_entries_reads_back),
        TEST(a_failed_export_leaves_the_file_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
