/* test_data_binary.c: the binary form of a data set, and text written of one. */
#include "data_test.h"

#include "base/macros.h"
#include "data/formats/binary.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char ratings[] = "9,500,2.5\n3,40,1\n9,40,5\n";
static const char fields[] = "1 0:1:0.5 3:7:nan\n-1\n0 2:3:inf 1:4:1e-30\n";
static const char names[] = "1 2.5 |f a b:2\n-1 |f c\n";

static void save(fixture *f, const char *text, sparcl_data_desc desc) {
    write_text(f->path, text);
    sparcl_data *data = must_read(f, f->path, &desc);
    if (sparcl_data_save(data, f->other, &f->error) != SPARCL_OK) fail_msg("%s", f->error.message);
    sparcl_data_free(data);
}

static void everything_reads_back(void **state) {
    fixture *f = *state;
    const struct {
        const char *text;
        sparcl_data_desc desc;
    } cases[] = {{"1 1:0.5 3:2\n-1\n", {0}},
                 {"1 0:0.5 3:2\n-1\n", {.columns = 9}},
                 {"1 1:1\n", {.columns = INT64_C(1) << 40}},
                 {"1,2 1:1\n 2:1\n3 1:1\n", {.multilabel = 1}},
                 {fields, {0}},
                 {names, {0}},
                 {ratings, {.format = SPARCL_DATA_RATINGS}},
                 {"7 35\n35 900\n", {.format = SPARCL_DATA_EDGES, .compact_ids = 1}}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        save(f, cases[i].text, cases[i].desc);
        sparcl_data *before = must_read(f, f->path, &cases[i].desc);
        sparcl_data *after = must_read(f, f->other, NULL);
        const sparcl_data_info *a = sparcl_data_get_info(before), *b = sparcl_data_get_info(after);
        assert_string_equal(b->format, "sparcl");
        assert_int_equal(a->fingerprint, b->fingerprint);
        assert_int_equal(a->index_base, b->index_base);
        assert_int_equal(a->fields, b->fields);
        assert_int_equal(a->hash_bits, b->hash_bits);
        assert_int_equal(a->users, b->users);
        assert_int_equal(a->items, b->items);
        assert_int_equal(a->nan_values, b->nan_values);
        assert_int_equal(a->row_nnz_max, b->row_nnz_max);
        assert_int_equal(a->has_labels, b->has_labels);
        assert_int_equal(a->max_index, i == 4 ? a->max_index : b->max_index);
        assert_int_equal(a->min_index, i == 4 ? a->min_index : b->min_index);
        assert_int_equal(sparcl_data_row_ids(before) != NULL, sparcl_data_row_ids(after) != NULL);
        assert_int_equal((uintptr_t)sparcl_data_values(after) % 64, 0);
        sparcl_data_free(before);
        sparcl_data_free(after);
    }
}

static void a_fingerprint_tells_widths_apart(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:0.5 3:2\n-1\n");
    assert_int_not_equal(fingerprint_of(f, f->path, &(sparcl_data_desc){.columns = 3}),
                         fingerprint_of(f, f->path, &(sparcl_data_desc){.columns = 4}));
}

static void it_is_read_compressed_and_may_be_split(void **state) {
    fixture *f = *state;
    save(f, "1 1:0.5 3:2\n-1\n0 2:1\n", (sparcl_data_desc){0});
    const uint64_t plain = fingerprint_of(f, f->other, NULL);
    compress_file(f->other, f->path, archive_write_add_filter_gzip);
    assert_int_equal(fingerprint_of(f, f->path, NULL), plain);
    sparcl_data *data = must_read(f, f->other, NULL), *rest, *held;
    assert_int_equal(sparcl_data_split(data, 0.4, 1, &rest, &held, &f->error), SPARCL_OK);
    sparcl_data_free(data);
    assert_int_equal(sparcl_data_get_info(rest)->rows + sparcl_data_get_info(held)->rows, 3);
    sparcl_data_free(rest);
    sparcl_data_free(held);
}

static void the_settings_apply(void **state) {
    fixture *f = *state;
    save(f, "1 1:0.5 3:2\n", (sparcl_data_desc){0});
    sparcl_data *data = must_read(f, f->other, &(sparcl_data_desc){.columns = 9});
    assert_int_equal(sparcl_data_get_info(data)->columns, 9);
    sparcl_data_free(data);
    const uint64_t before = fingerprint_of(f, f->other, NULL);
    data = must_read(f, f->other, &(sparcl_data_desc){.scale = 0.5});
    assert_true(sparcl_data_values(data)[1] == 1); /* a copy: the file stays as it is */
    sparcl_data_free(data);
    assert_int_equal(fingerprint_of(f, f->other, NULL), before);
    must_refuse(f, f->other, &(sparcl_data_desc){.columns = 2}, ": ", "at most 2 columns");
    must_refuse(f, f->other, &(sparcl_data_desc){.columns = INT64_C(1) << 40}, ": ", "of 32 bits");
    must_refuse(f, f->other, &(sparcl_data_desc){.index_base = SPARCL_BASE_0}, ": ",
                "counts from 1");
    must_refuse(f, f->other, &(sparcl_data_desc){.labels = f->path}, ": ", "found labels in it");
    assert_int_equal(sparcl_data_save(NULL, f->other, &f->error), SPARCL_E_ARG);
}

static void every_changed_or_missing_byte_is_refused(void **state) {
    fixture *f = *state;
    save(f, fields, (sparcl_data_desc){0});
    const uint64_t good = fingerprint_of(f, f->other, NULL);
    size_t size = 0;
    char *bytes = read_bytes(f->other, &size);
    for (size_t at = 0; at < size; at++) {
        sparcl_data *data = NULL;
        bytes[at] ^= 4;
        write_bytes(f->path, bytes, size);
        bytes[at] ^= 4;
        if (sparcl_data_read(&data, f->path, NULL, &f->error) == SPARCL_OK) /* between sections */
            assert_int_equal(sparcl_data_get_info(data)->fingerprint, good);
        sparcl_data_free(data);
    }
    for (size_t cut = 8; cut < size; cut++) {
        write_bytes(f->path, bytes, cut);
        must_refuse(f, f->path, NULL, "", "sparcl convert");
    }
    for (int i = 0; i < 4; i++)
        bytes[8 + i] = i == 3; /* the version, as the other machines write it */
    write_bytes(f->path, bytes, size);
    must_refuse(f, f->path, NULL, "", "expected the byte order of this machine");
    free(bytes);
}

/* Give the file valid checksums again, so that what they protect is checked too. */
static void seal(char *bytes) {
    spc_binary_header *const header = (spc_binary_header *)(void *)bytes;
    spc_binary_entry *const table = (spc_binary_entry *)(void *)(bytes + sizeof *header);
    for (uint32_t i = 0; i < header->sections; i++)
        table[i].sum = XXH3_64bits(bytes + table[i].offset, (size_t)table[i].bytes);
    header->table_sum = XXH3_64bits(table, header->sections * sizeof *table);
}

static void contents_with_valid_checksums_are_checked(void **state) {
    fixture *f = *state;
    save(f, "1 1:0.5 3:2\n-1 2:1\n", (sparcl_data_desc){0});
    size_t size = 0;
    char *bytes = read_bytes(f->other, &size), *copy = malloc(size);
    const struct {
        int section;
        size_t element; /* in bytes from its beginning */
        int64_t value;
        size_t width;
        const char *words;
    } cases[] = {{SPC_SECTION_FACTS, 0, 3, 8, "one offset more than rows"},
                 {SPC_SECTION_FACTS, 0, -1, 8, "negative numbers"},
                 {SPC_SECTION_FACTS, 0, INT64_MAX, 8, "one offset more than rows"},
                 {SPC_SECTION_FACTS, 8, 2, 8, "ascending indices below columns"},
                 {SPC_SECTION_FACTS, 8, INT64_C(1) << 40, 8, "elements of another size"},
                 {SPC_SECTION_FACTS, 8 * SPC_FACT_ITEMS, 5, 8, "an id for each item"},
                 {SPC_SECTION_OFFSETS, 0, 1, 8, "an offset that does not fall"},
                 {SPC_SECTION_OFFSETS, 8, 4, 8, "an offset that does not fall"},
                 {SPC_SECTION_OFFSETS, 16, 2, 8, "an offset that does not fall"},
                 {SPC_SECTION_INDICES, 0, -1, 4, "ascending indices"},
                 {SPC_SECTION_INDICES, 4, 0, 4, "ascending indices"},
                 {SPC_SECTION_LABELS, 0, INT64_C(0x7ff0) << 48, 8, "a finite label"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        memcpy(copy, bytes, size);
        const spc_binary_entry *table =
            (const spc_binary_entry *)(const void *)(copy + sizeof(spc_binary_header));
        memcpy(copy + table[cases[i].section].offset + cases[i].element, &cases[i].value,
               cases[i].width);
        seal(copy);
        write_bytes(f->path, copy, size);
        must_refuse(f, f->path, NULL, "", cases[i].words);
    }
    free(copy);
    free(bytes);
}

static void text_reads_back_as_the_same(void **state) {
    fixture *f = *state;
    const struct {
        const char *text;
        sparcl_data_format format;
        int multilabel;
    } cases[] = {{"1 1:0.1 3:16777216\n-1\n2.5 2:1e-45 7:-3.4028235e38\n", SPARCL_DATA_SVMLIGHT, 0},
                 {"1 0:0.5 3:nan\n-1 1:-inf 2:inf\n", SPARCL_DATA_SVMLIGHT, 0},
                 {"1,2 1:1\n 2:1\n3 1:1\n", SPARCL_DATA_SVMLIGHT, 1},
                 {fields, SPARCL_DATA_LIBFFM, 0}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        const sparcl_data_desc desc = {.multilabel = cases[i].multilabel};
        write_text(f->path, cases[i].text);
        sparcl_data *data = must_read(f, f->path, &desc);
        if (sparcl_data_export(data, f->other, cases[i].format, &f->error) != SPARCL_OK)
            fail_msg("%s", f->error.message);
        assert_int_equal(fingerprint_of(f, f->other, &desc),
                         sparcl_data_get_info(data)->fingerprint);
        sparcl_data_free(data);
    }
}

static void what_text_cannot_hold_is_refused(void **state) {
    fixture *f = *state;
    const struct {
        const char *text;
        sparcl_data_format format;
        const char *words;
    } cases[] = {{fields, SPARCL_DATA_SVMLIGHT, "use libffm"},
                 {"1 1:1\n", SPARCL_DATA_LIBFFM, "use svmlight"},
                 {names, SPARCL_DATA_SVMLIGHT, "or the binary form"},
                 {"1 1:1\n", SPARCL_DATA_INDICES, "expected one that is written"},
                 {fields, SPARCL_DATA_NPZ, "use libffm"},
                 {names, SPARCL_DATA_MTX, "or the binary form"}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        sparcl_data *data = must_read(f, f->path, NULL);
        assert_int_equal(sparcl_data_export(data, f->other, cases[i].format, &f->error),
                         SPARCL_E_ARG);
        if (!strstr(f->error.message, cases[i].words)) fail_msg("%s", f->error.message);
        sparcl_data_free(data);
    }
    assert_int_equal(sparcl_data_export(NULL, f->other, SPARCL_DATA_SVMLIGHT, &f->error),
                     SPARCL_E_ARG);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    save(f, fields, (sparcl_data_desc){0});
    must_survive_memory_failures(f, f->other, (sparcl_data_desc){0});
    compress_file(f->other, f->path, archive_write_add_filter_gzip);
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){0});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(everything_reads_back),
        TEST(a_fingerprint_tells_widths_apart),
        TEST(it_is_read_compressed_and_may_be_split),
        TEST(the_settings_apply),
        TEST(every_changed_or_missing_byte_is_refused),
        TEST(contents_with_valid_checksums_are_checked),
        TEST(text_reads_back_as_the_same),
        TEST(what_text_cannot_hold_is_refused),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
