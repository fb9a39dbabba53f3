/* test_export.c: data written as Matrix Market and SciPy archives reads back as the same. */
#include "data_test.h"

#include "base/macros.h"

static const char rows[] = "1 1:0.1 3:16777216\n-1\n2.5 2:1e-45 7:-3.4028235e38\n0 1:nan 2:-inf\n";

/* The matrix and the labels are equal to the bit, and so the fingerprints. */
static void check_read_with(fixture *f, const sparcl_data *data, sparcl_data_format format,
                            sparcl_data_desc desc) {
    const bool describes_itself = format == SPARCL_DATA_CSV || format == SPARCL_DATA_RATINGS ||
                                  (format == SPARCL_DATA_EDGES && desc.compact_ids);
    if (!describes_itself) desc.columns = sparcl_data_get_info(data)->columns;
    if (sparcl_data_export(data, f->other, format, &f->error) != SPARCL_OK)
        fail_msg("%s", f->error.message);
    sparcl_data *back = must_read(f, f->other, &desc);
    assert_string_equal(sparcl_data_get_info(back)->format, sparcl_data_format_name(format));
    assert_int_equal(sparcl_data_get_info(back)->fingerprint,
                     sparcl_data_get_info(data)->fingerprint);
    sparcl_data_free(back);
}

static void check(fixture *f, const sparcl_data *data, sparcl_data_format format,
                  const char *labels) {
    check_read_with(f, data, format, (sparcl_data_desc){.labels = labels});
}

/* Data that is read from `text` in one format, written and read in it again. */
static void check_text(fixture *f, const char *text, sparcl_data_desc desc) {
    write_text(f->path, text);
    sparcl_data *data = must_read(f, f->path, &desc);
    check_read_with(f, data, desc.format, desc);
    sparcl_data_free(data);
}

static void text_formats_read_back(void **state) {
    fixture *f = *state;
    check_text(f, "1 1:0.1 3:5\n-1\n2.5 2:1e-45 7:-3.4028235e38\n",
               (sparcl_data_desc){.format = SPARCL_DATA_SVMLIGHT});
    check_text(f, "1 2:1:0.1 4:3:5\n-1\n", (sparcl_data_desc){.format = SPARCL_DATA_LIBFFM});
    check_text(f, "1 0.25 | 0:0.5 7:1e-45\n-1 1 |\n2.5 3 | 3:-3.4028235e38\n",
               (sparcl_data_desc){.format = SPARCL_DATA_VW, .hash_bits = 3});
    check_text(f, "1 |a x:0.5 y\n-1 | z\n",
               (sparcl_data_desc){.format = SPARCL_DATA_VW, .hash_bits = 20});
    check_text(f, "label,x0,x1\n1,0.5,0\n-1,0,1e-45\n2.5,0,0\n",
               (sparcl_data_desc){.format = SPARCL_DATA_CSV});
    check_text(f, "0 1 0.5\n1 0 -1e-45\n2 2 3.4028235e38\n",
               (sparcl_data_desc){.format = SPARCL_DATA_EDGES});
    check_text(f, "500 17 0.5\n17 9000000000 2\n",
               (sparcl_data_desc){.format = SPARCL_DATA_EDGES, .compact_ids = 1});
    check_text(f, "7,500,4.5\n9,500,1\n7,2,0\n", (sparcl_data_desc){.format = SPARCL_DATA_RATINGS});
    check_text(f, "0 3 5\n2 0\n3\n", (sparcl_data_desc){.format = SPARCL_DATA_ADJACENCY});
    check_text(f, "3, 4, 3\n0 2 2 3\n1 3 0\n", (sparcl_data_desc){.format = SPARCL_DATA_SMTX});
    check_text(f, "2, 4, 0\n0 0 0\n\n", (sparcl_data_desc){.format = SPARCL_DATA_SMTX});
}

static void refuse(fixture *f, sparcl_data_format format, const char *expected) {
    sparcl_data *const data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_export(data, f->other, format, &f->error), SPARCL_E_ARG);
    if (!strstr(f->error.message, expected)) fail_msg("%s", f->error.message);
    sparcl_data_free(data);
}

static void what_a_format_cannot_hold_is_refused(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:0.5\n0 3:inf\n1 2:1\n");
    refuse(f, SPARCL_DATA_LIBFFM, "libffm: expected fields; use svmlight");
    refuse(f, SPARCL_DATA_EDGES, "edges: expected finite weights; use mtx or npz");
    refuse(f, SPARCL_DATA_RATINGS, "expected ratings, with users and items");
    refuse(f, SPARCL_DATA_ADJACENCY, "adjacency: expected values of 1 only");
    refuse(f, SPARCL_DATA_SMTX, "smtx: expected values of 1 only");
    refuse(f, SPARCL_DATA_INDICES, "the format is indices, expected one that is written");
    write_text(f->path, "1 4:1\n");
    refuse(f, SPARCL_DATA_EDGES, "expected as many rows as columns");
    write_text(f->path, "1 3000000000:1\n");
    refuse(f, SPARCL_DATA_VW, "expected at most 2^31 columns");
    refuse(f, SPARCL_DATA_CSV, "expected a table of at most 2^30 numbers");
    refuse(f, SPARCL_DATA_ARRAY, "expected a table of at most 2^30 numbers");
    write_text(f->path, "1 2 | 3:1\n");
    refuse(f, SPARCL_DATA_SVMLIGHT, "svmlight has no weights");
    write_text(f->path, "1 1:2:0.5\n");
    refuse(f, SPARCL_DATA_VW, "vw has no fields, which the data has; use libffm");
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
    check(f, data, SPARCL_DATA_ARRAY, f->path);
    sparcl_data_free(data);
    data = must_read(f, f->other, NULL);
    assert_int_equal(sparcl_data_save_labels(data, f->path, &f->error), SPARCL_E_ARG);
    check(f, data, SPARCL_DATA_SPARCL, NULL);
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
        TEST(text_formats_read_back),
        TEST(what_a_format_cannot_hold_is_refused),
        TEST(an_archive_has_the_labels_as_a_member),
        TEST(labels_are_an_array_of_their_own),
        TEST(a_wide_matrix_has_wide_indices),
        TEST(a_matrix_without_entries_reads_back),
        TEST(a_failed_export_leaves_the_file_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
