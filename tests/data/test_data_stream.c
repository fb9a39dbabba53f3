/* test_data_stream.c: files that are read in parts, and data whose entries stay in the file. */
#include <unistd.h>

#include "data_test.h"
#include "npz_test.h"
#include "sparcl/data.h"

/* ---- parts ---------------------------------------------------------------------------------- */

typedef struct joined {
    int64_t parts, rows, entries, duplicates, unsorted_rows;
} joined;

static int64_t index_at(const sparcl_data *data, int64_t k) {
    const void *const indices = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_INDEX64 ? ((const int64_t *)indices)[k]
                                                          : ((const int32_t *)indices)[k];
}

/* The rows of a part are those of the whole from row all->rows on. */
static void must_continue(joined *all, const sparcl_data *whole, const sparcl_data *part) {
    const sparcl_data_info *const info = sparcl_data_get_info(part);
    const int64_t *const own = sparcl_data_offsets(part);
    const int64_t *const offsets = sparcl_data_offsets(whole) + all->rows;
    assert_true(all->rows + info->rows <= sparcl_data_get_info(whole)->rows);
    assert_int_equal(info->index_base, sparcl_data_get_info(whole)->index_base);
    for (int64_t i = 0; i < info->rows; ++i) {
        assert_int_equal(own[i + 1], offsets[i + 1] - offsets[0]);
        assert_true(sparcl_data_labels(part)[i] == sparcl_data_labels(whole)[all->rows + i]);
        assert_int_equal(sparcl_data_line(part, i), sparcl_data_line(whole, all->rows + i));
    }
    for (int64_t k = 0; k < info->entries; ++k) {
        assert_int_equal(index_at(part, k), index_at(whole, offsets[0] + k));
        assert_memory_equal(sparcl_data_values(part) + k,
                            sparcl_data_values(whole) + offsets[0] + k, sizeof(float));
        if (sparcl_data_fields(whole))
            assert_int_equal(sparcl_data_fields(part)[k],
                             sparcl_data_fields(whole)[offsets[0] + k]);
    }
    ++all->parts;
    all->rows += info->rows;
    all->entries += info->entries;
    all->duplicates += info->duplicates;
    all->unsorted_rows += info->unsorted_rows;
}

/* All parts together, of at least `least` ones, are what sparcl_data_read reads. */
static void must_be_whole(fixture *f, const sparcl_data_desc *desc, int64_t bytes, int64_t least) {
    sparcl_data *const whole = must_read(f, f->path, desc);
    const sparcl_data_info *const info = sparcl_data_get_info(whole);
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = NULL;
    joined all = {0};
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, desc, bytes, &f->error), SPARCL_OK);
    do {
        if (sparcl_data_parts_next(parts, &part, &f->error) != SPARCL_OK)
            fail_msg("%s", f->error.message);
        if (part) must_continue(&all, whole, part);
        sparcl_data_free(part);
    } while (part);
    assert_int_equal(sparcl_data_parts_next(parts, &part, &f->error), SPARCL_OK);
    assert_null(part);
    sparcl_data_parts_close(parts);
    assert_int_equal(all.rows, info->rows);
    assert_int_equal(all.entries, info->entries);
    assert_int_equal(all.duplicates, info->duplicates);
    assert_int_equal(all.unsorted_rows, info->unsorted_rows);
    assert_true(all.parts >= least);
    sparcl_data_free(whole);
}

static void parts_together_are_the_whole_file(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.columns = 50000, .index_base = SPARCL_BASE_1};
    sparcl_data_desc other = desc;
    write_large(f->path, "3 1:2 7:nan"); /* without a last line end */
    for (other.threads = 1; other.threads < 4; other.threads += 2)
        for (int64_t bytes = getenv("SPARCL_TEST_EVERY") ? 900 : 1; bytes < 4 << 20; bytes *= 900)
            must_be_whole(f, &other, bytes, bytes < 1000 ? 3 : 2);
    must_be_whole(f, &desc, 0, 1);
    other.scale = 0.25;
    must_be_whole(f, &other, 1, 3);
}

static void write_repeated(const char *path, const char *heading, const char *const *lines,
                           int count, int64_t repeats) {
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(heading, file);
    for (int64_t i = 0; i < repeats; ++i)
        fputs(lines[i % count], file);
    assert_int_equal(fclose(file), 0);
}

static void formats_of_lines_come_in_parts(void **state) {
    static const char *const ffm[] = {"1 0:3:1 2:5:0.5 1:4:2\n", "0 1:1:1\n", "0\n"};
    static const char *const vw[] = {"1 2 |user a:2 b |item c\n", "-1 |item d e\n", "1 |\n"};
    static const char *const csv[] = {"1,red,2\n0,\"gr\n een\",\n", "1,blue,0\n"};
    fixture *const f = *state;
    write_repeated(f->path, "", ffm, 3, 60000);
    must_be_whole(f, &(sparcl_data_desc){.columns = 6, .index_base = SPARCL_BASE_0}, 1, 3);
    write_repeated(f->path, "", vw, 3, 60000);
    must_be_whole(f, &(sparcl_data_desc){.hash_bits = 10}, 1, 3);
    write_repeated(f->path, "y,colour,n\n", csv, 2, 60000);
    must_be_whole(f, &(sparcl_data_desc){.hash_bits = 10}, 1, 3);
}

static void other_formats_come_as_one_part(void **state) {
    fixture *const f = *state;
    write_text(f->path, "user,item,rating\n3,1,2\n4,1,5\n");
    must_be_whole(f, NULL, 1, 1);
}

static void bad_rows_are_refused_after_the_good_parts(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.columns = 50000, .index_base = SPARCL_BASE_1};
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = NULL;
    int64_t rows = 0;
    sparcl_status status = SPARCL_OK;
    write_large(f->path, "1 5:x\n");
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, &desc, 1, &f->error), SPARCL_OK);
    while ((status = sparcl_data_parts_next(parts, &part, &f->error)) == SPARCL_OK && part) {
        rows += sparcl_data_get_info(part)->rows;
        sparcl_data_free(part);
    }
    assert_int_equal(status, SPARCL_E_FORMAT);
    assert_true(rows > 10000);
    assert_non_null(strstr(f->error.message, ":20401:5: expected "));
    memset(&f->error, 0, sizeof f->error);
    assert_int_equal(sparcl_data_parts_next(parts, &part, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, ":20401:5: expected "));
    sparcl_data_parts_close(parts);
}

static void an_index_past_the_width_is_refused_in_any_part(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.columns = 50000, .index_base = SPARCL_BASE_1};
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = NULL;
    sparcl_status status = SPARCL_OK;
    write_large(f->path, "1 50001:1\n");
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, &desc, 1, &f->error), SPARCL_OK);
    while ((status = sparcl_data_parts_next(parts, &part, &f->error)) == SPARCL_OK && part)
        sparcl_data_free(part);
    assert_int_equal(status, SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, ":20401:3: expected an index up to 50000"));
    sparcl_data_parts_close(parts);
}

static void reading_can_end_before_the_last_part(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.columns = 50000, .index_base = SPARCL_BASE_1};
    write_large(f->path, "");
    for (int fetched = 0; fetched < 3; ++fetched) {
        sparcl_data_parts *parts = NULL;
        sparcl_data *part = NULL;
        assert_int_equal(sparcl_data_parts_open(&parts, f->path, &desc, 1, &f->error), SPARCL_OK);
        for (int i = 0; i < fetched; ++i) {
            assert_int_equal(sparcl_data_parts_next(parts, &part, &f->error), SPARCL_OK);
            assert_non_null(part);
            sparcl_data_free(part);
        }
        sparcl_data_parts_close(parts);
    }
    sparcl_data_parts_close(NULL);
}

static void must_fail_at_first(fixture *f, const sparcl_data_desc *desc, sparcl_status expected,
                               const char *words) {
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = (sparcl_data *)f;
    memset(&f->error, 0, sizeof f->error);
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, desc, 0, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_data_parts_next(parts, &part, &f->error), expected);
    if (!strstr(f->error.message, words))
        fail_msg("expected \"%s\", found \"%s\"", words, f->error.message);
    assert_null(part);
    sparcl_data_parts_close(parts);
}

static void parts_need_what_the_first_does_not_show(void **state) {
    fixture *const f = *state;
    sparcl_data_parts *parts = (sparcl_data_parts *)f;
    must_fail_at_first(f, NULL, SPARCL_E_IO, "cannot be opened");
    write_text(f->path, "1 1:1\n");
    must_fail_at_first(f, NULL, SPARCL_E_ARG, "expected columns and index_base in the description");
    must_fail_at_first(f, &(sparcl_data_desc){.columns = 3}, SPARCL_E_ARG, "and no index_base");
    write_text(f->path, "");
    must_fail_at_first(f,
                       &(sparcl_data_desc){.columns = 3,
                                           .index_base = SPARCL_BASE_1,
                                           .format = SPARCL_DATA_SVMLIGHT},
                       SPARCL_E_FORMAT, "found an empty file");
    write_text(f->path, "y,a\n1,x\n");
    write_text(f->other, "y,label\na,dictionary\n");
    must_fail_at_first(f, &(sparcl_data_desc){.csv_columns = f->other}, SPARCL_E_FORMAT,
                       "found a column without its words");
    write_text(f->other, "y,skip\na,numeric\n");
    must_fail_at_first(f, &(sparcl_data_desc){.csv_columns = f->other, .labels = f->other},
                       SPARCL_E_ARG, "expected no file of labels");
    assert_int_equal(
        sparcl_data_parts_open(&parts, f->path, &(sparcl_data_desc){.spill = "/tmp"}, 0, &f->error),
        SPARCL_E_ARG);
    assert_null(parts);
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, NULL, -1, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_parts_open(&parts, NULL, NULL, 0, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_parts_open(NULL, f->path, NULL, 0, &f->error), SPARCL_E_ARG);
}

/* ---- streamed data -------------------------------------------------------------------------- */

static void must_read_rows(fixture *f, sparcl_row_reader *reader, const sparcl_data *whole,
                           int64_t first, int64_t rows) {
    const int64_t *const offsets = sparcl_data_offsets(whole) + first;
    const int64_t n = offsets[rows] - offsets[0];
    int32_t *const indices = calloc((size_t)n + 1, sizeof *indices);
    int32_t *const fields = calloc((size_t)n + 1, sizeof *fields);
    float *const values = calloc((size_t)n + 1, sizeof *values);
    const bool has_fields = sparcl_data_fields(whole) != NULL;
    if (sparcl_row_reader_read(reader, first, rows, indices, values, has_fields ? fields : NULL,
                               &f->error) != SPARCL_OK)
        fail_msg("%s", f->error.message);
    for (int64_t k = 0; k < n; ++k) {
        assert_int_equal(indices[k], index_at(whole, offsets[0] + k));
        assert_memory_equal(values + k, sparcl_data_values(whole) + offsets[0] + k,
                            sizeof(float)); /* NaN too */
        if (has_fields) assert_int_equal(fields[k], sparcl_data_fields(whole)[offsets[0] + k]);
    }
    free(indices);
    free(fields);
    free(values);
}

/* What is kept is that of the data in memory, and the entries are read from the file. */
static void must_stream(fixture *f, sparcl_data_desc desc) {
    sparcl_data *const whole = must_read(f, f->path, &desc);
    desc.stream = 1;
    sparcl_data *const data = must_read(f, f->path, &desc);
    const sparcl_data_info *const a = sparcl_data_get_info(data), *b = sparcl_data_get_info(whole);
    sparcl_row_reader *reader = NULL;
    assert_int_equal(a->streamed, 1);
    assert_int_equal(b->streamed, 0);
    assert_null(sparcl_data_indices(data));
    assert_null(sparcl_data_values(data));
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    assert_int_equal(a->nnz, b->nnz);
    assert_int_equal(a->entries, b->entries);
    assert_int_equal(a->index_base, b->index_base);
    assert_int_equal(a->fields, b->fields);
    assert_int_equal(a->row_nnz_max, b->row_nnz_max);
    assert_int_equal(a->nan_values, b->nan_values);
    assert_int_equal(a->inf_values, b->inf_values);
    assert_memory_equal(sparcl_data_offsets(data), sparcl_data_offsets(whole),
                        ((size_t)a->rows + 1) * sizeof(int64_t));
    assert_memory_equal(sparcl_data_labels(data), sparcl_data_labels(whole),
                        (size_t)a->rows * sizeof(double));
    if (sparcl_data_weights(whole))
        assert_memory_equal(sparcl_data_weights(data), sparcl_data_weights(whole),
                            (size_t)a->rows * sizeof(float));
    assert_int_equal(sparcl_data_line(data, a->rows / 2), sparcl_data_line(whole, a->rows / 2));
    if (sparcl_data_csv_columns(whole))
        assert_string_equal(sparcl_data_csv_columns(data), sparcl_data_csv_columns(whole));
    assert_int_equal(sparcl_row_reader_open(&reader, data, &f->error), SPARCL_OK);
    const int64_t some = a->rows / 200;
    must_read_rows(f, reader, whole, 0, a->rows); /* over all parts */
    must_read_rows(f, reader, whole, a->rows / 3, some);
    must_read_rows(f, reader, whole, a->rows / 3 + some, 1);
    must_read_rows(f, reader, whole, a->rows - 1, 1);
    must_read_rows(f, reader, whole, 1, 0);
    must_read_rows(f, reader, whole, 2, 1);
    sparcl_row_reader_close(reader);
    sparcl_data_free(data);
    assert_int_equal(sparcl_row_reader_open(&reader, whole, &f->error), SPARCL_OK);
    must_read_rows(f, reader, whole, 1, some + 1); /* the same of data in memory */
    sparcl_row_reader_close(reader);
    sparcl_data_free(whole);
}

static void entries_of_streamed_data_are_read_again(void **state) {
    static const char *const ffm[] = {"1 0:3:1 2:5:0.5 1:4:2\n", "0 1:1:1\n", "0\n"};
    static const char *const vw[] = {"1 2 |user a:2 b |item c\n", "-1 |item d e\n", "1 |\n"};
    static const char *const csv[] = {"1,red,2\n0,\"gr\n een\",\n", "1,blue,0\n"};
    fixture *const f = *state;
    write_large(f->path, "3 1:2 7:nan 8:inf 9:-inf\n");
    must_stream(f, (sparcl_data_desc){0});
    must_stream(f, (sparcl_data_desc){.columns = 60000, .scale = 0.5, .threads = 1});
    write_repeated(f->path, "", ffm, 3, 300000);
    must_stream(f, (sparcl_data_desc){0});
    write_repeated(f->path, "", vw, 3, 300000);
    must_stream(f, (sparcl_data_desc){.hash_bits = 10});
    write_repeated(f->path, "y,colour,n\n", csv, 2, 300000);
    must_stream(f, (sparcl_data_desc){.hash_bits = 10});
}

/* Means and scales are those of all rows, and so are the words of dictionaries and labels. */
static void streamed_tables_have_the_columns_of_all_rows(void **state) {
    static const char *const rows[] = {"yes,-1,red,7\n", "no,0,\"gr\n een\",1e5\n", "yes,1,red,\n"};
    fixture *const f = *state;
    char columns[160];
    snprintf(columns, sizeof columns, "%s/columns", f->folder);
    write_repeated(f->path, "y,n,colour,m\n", rows, 3, 300000);
    must_stream(f, (sparcl_data_desc){.csv_standardize = 1, .hash_bits = 10});
    write_text(columns, "n,numeric\ncolour,dictionary\ny,label,no,yes\nm,log\n");
    must_stream(f, (sparcl_data_desc){.csv_standardize = 1, .csv_columns = columns});
    write_text(columns, "y,label,no,yes\ncolour,tfidf\n*,skip\n");
    must_stream(f, (sparcl_data_desc){.csv_columns = columns, .hash_bits = 10});
    unlink(columns);
}

/* Labels and weights of files of their own are read once. */
static void labels_and_weights_may_be_arrays(void **state) {
    static const float numbers[] = {2, 3, 5};
    fixture *const f = *state;
    char labels[160], columns[160];
    snprintf(labels, sizeof labels, "%s/labels.npy", f->folder);
    snprintf(columns, sizeof columns, "%s/columns", f->folder);
    write_npy(labels, "'<f4'", "(3,)", numbers, sizeof numbers);
    write_text(columns, "a,numeric\nb,numeric\n");
    write_text(f->path, "a,b\n1,0\n0,4\n2,3\n");
    must_stream(f, (sparcl_data_desc){.csv_columns = columns, .labels = labels, .weights = labels});
    unlink(labels);
    unlink(columns);
}

/* The index base is known only at the end: 0 in the last row. */
static void the_index_base_is_found_at_the_end(void **state) {
    fixture *const f = *state;
    write_large(f->path, "3 0:2\n");
    must_stream(f, (sparcl_data_desc){0});
    must_refuse(f, f->path, &(sparcl_data_desc){.stream = 1, .columns = 49000}, ":", "49000");
}

static void a_fingerprint_is_that_of_the_entries(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.stream = 1};
    write_text(f->path, "1 1:1 2:5\n0 3:4\n");
    const uint64_t first = fingerprint_of(f, f->path, &desc);
    assert_int_equal(fingerprint_of(f, f->path, &desc), first);
    write_text(f->path, "1 1:1 2:5\n0 3:4.5\n");
    assert_int_not_equal(fingerprint_of(f, f->path, &desc), first);
    write_text(f->path, "1 1:1 3:5\n0 3:4\n");
    assert_int_not_equal(fingerprint_of(f, f->path, &desc), first);
}

static void a_changed_file_is_refused(void **state) {
    fixture *const f = *state;
    const sparcl_data_desc desc = {.stream = 1};
    static const char *const others[] = {"1 1:1 2:5\n0 3:4 2:1\n", "1 1:1 2:5\n",
                                         "1 1:1 2:5\n0 4:4\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        int32_t indices[4];
        float values[4];
        sparcl_row_reader *reader = NULL;
        write_text(f->path, "1 1:1 2:5\n0 3:4\n");
        sparcl_data *const data = must_read(f, f->path, &desc);
        write_text(f->path, others[i]);
        assert_int_equal(sparcl_row_reader_open(&reader, data, &f->error), SPARCL_OK);
        memset(&f->error, 0, sizeof f->error);
        assert_int_equal(sparcl_row_reader_read(reader, 0, 2, indices, values, NULL, &f->error),
                         SPARCL_E_FORMAT);
        assert_non_null(strstr(f->error.message, f->path));
        sparcl_row_reader_close(reader);
        sparcl_data_free(data);
    }
}

static void what_cannot_be_streamed_is_refused(void **state) {
    fixture *const f = *state;
    sparcl_data *data = NULL, *rest = NULL, *held = NULL;
    sparcl_row_reader *reader = NULL;
    float value;
    int32_t index;
    const sparcl_data_desc desc = {.stream = 1};
    write_text(f->path, "user,item,rating\n3,1,2\n4,1,5\n");
    must_refuse(f, f->path, &desc, ": expected text with a row in each line", "found ratings");
    assert_int_equal(sparcl_data_read(&data, "-", &desc, &f->error), SPARCL_E_ARG);
    write_text(f->path, "1 1:1 2:5\n0 3:4\n");
    data = must_read(f, f->path, &desc);
    assert_int_equal(sparcl_data_split(data, 0.5, 1, &rest, &held, &f->error), SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "expected data in memory, found a stream"));
    assert_int_equal(sparcl_data_sample(data, 1, 1, &rest, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_save(data, f->other, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_export(data, f->other, SPARCL_DATA_MTX, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_of_users(data, 1, &rest, &f->error), SPARCL_E_ARG);
    assert_int_equal(access(f->other, F_OK), -1);
    assert_int_equal(sparcl_row_reader_open(NULL, data, &f->error), SPARCL_E_ARG);
    reader = (sparcl_row_reader *)f; /* must become NULL */
    assert_int_equal(sparcl_row_reader_open(&reader, NULL, &f->error), SPARCL_E_ARG);
    assert_null(reader);
    assert_int_equal(sparcl_row_reader_open(&reader, data, &f->error), SPARCL_OK);
    assert_int_equal(sparcl_row_reader_read(reader, 1, 2, &index, &value, NULL, &f->error),
                     SPARCL_E_ARG);
    assert_int_equal(sparcl_row_reader_read(reader, -1, 1, &index, &value, NULL, &f->error),
                     SPARCL_E_ARG);
    assert_int_equal(sparcl_row_reader_read(reader, 1, 1, &index, &value, &index, &f->error),
                     SPARCL_E_ARG);
    assert_int_equal(sparcl_row_reader_read(reader, 1, 1, &index, &value, NULL, &f->error),
                     SPARCL_OK);
    assert_int_equal(index, 2);
    sparcl_row_reader_close(reader);
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(parts_together_are_the_whole_file),
        TEST(formats_of_lines_come_in_parts),
        TEST(other_formats_come_as_one_part),
        TEST(bad_rows_are_refused_after_the_good_parts),
        TEST(an_index_past_the_width_is_refused_in_any_part),
        TEST(reading_can_end_before_the_last_part),
        TEST(parts_need_what_the_first_does_not_show),
        TEST(entries_of_streamed_data_are_read_again),
        TEST(streamed_tables_have_the_columns_of_all_rows),
        TEST(labels_and_weights_may_be_arrays),
        TEST(the_index_base_is_found_at_the_end),
        TEST(a_fingerprint_is_that_of_the_entries),
        TEST(a_changed_file_is_refused),
        TEST(what_cannot_be_streamed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
