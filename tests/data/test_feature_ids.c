/* test_feature_ids.c: indices that are ids: hashed, numbered, or known from another file. */
#include "data_test.h"

#include "base/macros.h"
#include "sparcl/data.h"

/* The hash as its documentation has it. */
static int64_t column_of(int64_t id, int bits) {
    uint64_t x = (uint64_t)id;
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
    x ^= x >> 33;
    return (int64_t)(x & (((uint64_t)1 << bits) - 1));
}

static float value_at(const sparcl_data *data, int64_t row, int64_t column) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    for (int64_t k = offsets[row]; k < offsets[row + 1]; k++)
        if (data_index(data, k) == column) return sparcl_data_values(data)[k];
    return 0;
}

static const int64_t largest = INT64_MAX;
static const char text[] = "1 99999999999999:0.5 5:2 # a comment\n0 5:1 9223372036854775807:3\n"
                           "1\n0 0:4 12:1 12:2\n";

static void ids_are_hashed_as_documented(void **state) {
    fixture *const f = *state;
    write_text(f->path, text);
    for (int bits = 8; bits <= 31; bits += 23) {
        const sparcl_data_desc desc = {.hash_bits = bits};
        sparcl_data *const data = must_read(f, f->path, &desc);
        const sparcl_data_info *const info = sparcl_data_get_info(data);
        assert_int_equal(info->columns, (int64_t)1 << bits);
        assert_int_equal(info->hash_bits, bits);
        assert_true(info->hashed_ids);
        assert_int_equal(info->index_base, 0);
        assert_int_equal(info->shared_columns, 0);
        assert_int_equal(info->unsorted_rows, 0);
        assert_int_equal(info->duplicates, 1);
        assert_int_equal(info->max_index, INT64_MAX);
        assert_true(value_at(data, 0, column_of(99999999999999, bits)) == 0.5f);
        assert_true(value_at(data, 0, column_of(5, bits)) == 2);
        assert_true(value_at(data, 1, column_of(largest, bits)) == 3);
        assert_true(value_at(data, 3, column_of(0, bits)) == 4);
        assert_true(value_at(data, 3, column_of(12, bits)) == 3);
        sparcl_data_free(data);
    }
}

/* Fixed numbers: the columns of models must stay the same. */
static void the_hash_does_not_change(void **state) {
    static const int32_t columns[] = {0, 26814475, 691072490, 885181228, 1694925799, 2030808825};
    fixture *const f = *state;
    write_text(f->path, "1 12345:1 0:1 1:1 2:1 99999999999999:1 9223372036854775807:1\n");
    sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = 31});
    for (size_t k = 0; k < SPC_COUNT(columns); k++)
        assert_int_equal(data_index(data, (int64_t)k), columns[k]);
    sparcl_data_free(data);
}

static void collisions_are_added_and_counted(void **state) {
    fixture *const f = *state;
    char line[4096] = "1";
    for (int id = 0; id < 100; id++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %d:1", id);
    strcat(line, "\n0 7:1\n");
    write_text(f->path, line);
    int64_t used[8] = {0}, shared = 0;
    for (int id = 0; id < 100; id++)
        used[column_of(id, 3)]++;
    sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = 3});
    for (int c = 0; c < 8; c++) {
        shared += used[c] > 1;
        assert_true(value_at(data, 0, c) == (float)used[c]);
    }
    assert_int_equal(sparcl_data_get_info(data)->shared_columns, shared);
    assert_int_equal(sparcl_data_get_info(data)->duplicates, 100 - 8);
    sparcl_data_free(data);
    /* They are no fault, and order means nothing. */
    write_text(f->path, "1 9:1 3:1 3:1\n");
    sparcl_data_free(must_read(f, f->path, &(sparcl_data_desc){.hash_bits = 3, .strict = 1}));
}

static void write_ids(const char *path, int64_t rows, uint64_t seed, bool backwards) {
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    for (int64_t i = 0; i < rows; i++) {
        uint64_t random = seed + (uint64_t)(backwards ? rows - 1 - i : i);
        fprintf(file, "%d", (int)(next_random(&random) % 2));
        const int entries = (int)(next_random(&random) % 40);
        for (int k = 0; k < entries; k++) {
            uint64_t id = next_random(&random) % 20000;
            fprintf(file, " %" PRIu64 ":%d", next_random(&id) >> 2, 1 + k % 3);
        }
        fputc('\n', file);
    }
    fclose(file);
}

/* With many columns a sample of them is watched. */
static void shared_columns_of_many_bits_are_estimated(void **state) {
    fixture *const f = *state;
    write_ids(f->path, 20000, 5, false);
    enum { BITS = 16 };
    sparcl_data *const ids = must_read(f, f->path, &(sparcl_data_desc){.compact_ids = 1});
    sparcl_data *const hashed = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = BITS});
    unsigned char *const seen = calloc(1, 1 << BITS);
    double shared = 0;
    for (int64_t i = 0; i < sparcl_data_get_info(ids)->id_count; i++)
        shared += ++seen[column_of(sparcl_data_column_ids(ids)[i], BITS)] == 2;
    free(seen);
    const double found = (double)sparcl_data_get_info(hashed)->shared_columns;
    assert_true(shared > 1000 && fabs(found - shared) < 0.2 * shared);
    sparcl_data_free(hashed);
    sparcl_data_free(ids);
}

static void ids_are_numbered_in_their_order(void **state) {
    static const int64_t ids[] = {0, 5, 12, 99999999999999, INT64_MAX - 1};
    fixture *const f = *state;
    write_text(f->path, "1 99999999999999:0.5 5:2\n0 5:1 9223372036854775806:3\n1\n0 0:4 12:1 "
                        "12:2\n");
    for (int base = 0; base < 2; base++) {
        const sparcl_data_desc desc = {.compact_ids = 1, .index_base = (sparcl_index_base)base};
        sparcl_data *const data = must_read(f, f->path, &desc);
        const sparcl_data_info *const info = sparcl_data_get_info(data);
        assert_int_equal(info->columns, 5);
        assert_int_equal(info->id_count, 5);
        assert_int_equal(info->index_base, 0);
        assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX32);
        assert_memory_equal(sparcl_data_column_ids(data), ids, sizeof ids);
        assert_true(value_at(data, 0, 3) == 0.5f && value_at(data, 1, 4) == 3);
        assert_true(value_at(data, 3, 0) == 4 && value_at(data, 3, 2) == 3);
        sparcl_data_free(data);
    }
    sparcl_data *const wide =
        must_read(f, f->path, &(sparcl_data_desc){.compact_ids = 1, .columns = 9});
    assert_int_equal(sparcl_data_get_info(wide)->columns, 9);
    sparcl_data_free(wide);
    must_refuse(f, f->path, &(sparcl_data_desc){.compact_ids = 1, .columns = 4}, ": ",
                "at most 4 different ids, found 5");
}

/* The columns do not depend on the order of the rows, nor on the threads. */
static void numbers_do_not_depend_on_the_order(void **state) {
    fixture *const f = *state;
    write_ids(f->path, 20000, 9, false);
    write_ids(f->other, 20000, 9, true);
    const sparcl_data_desc one = {.compact_ids = 1, .threads = 1};
    const sparcl_data_desc three = {.compact_ids = 1, .threads = 3};
    assert_true(fingerprint_of(f, f->path, &one) == fingerprint_of(f, f->path, &three));
    sparcl_data *const a = must_read(f, f->path, &one), *const b = must_read(f, f->other, &one);
    const int64_t count = sparcl_data_get_info(a)->id_count;
    assert_true(count > 19000 && count == sparcl_data_get_info(b)->id_count);
    assert_memory_equal(sparcl_data_column_ids(a), sparcl_data_column_ids(b),
                        (size_t)count * sizeof(int64_t));
    assert_int_equal(sparcl_data_used_columns(a), count);
    sparcl_data_free(a);
    sparcl_data_free(b);
}

static void ids_of_another_file_are_left_out_and_counted(void **state) {
    static const int64_t ids[] = {5, 12, 99999999999999};
    fixture *const f = *state;
    write_text(f->path, text);
    const sparcl_data_desc desc = {.feature_ids = ids, .feature_id_count = 3};
    sparcl_data *const data = must_read(f, f->path, &desc);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    assert_int_equal(info->columns, 3);
    assert_int_equal(info->unknown_ids, 2);
    assert_int_equal(info->entries, 4);
    assert_true(value_at(data, 0, 2) == 0.5f && value_at(data, 3, 1) == 3);
    assert_memory_equal(sparcl_data_column_ids(data), ids, sizeof ids);
    assert_int_equal(sparcl_data_save_ids(data, f->other, &f->error), SPARCL_OK);
    const uint64_t fingerprint = info->fingerprint;
    sparcl_data_free(data);
    assert_true(fingerprint_of(f, f->path, &(sparcl_data_desc){.ids = f->other}) == fingerprint);
    write_text(f->other, "node\t5\n");
    sparcl_data *none = NULL;
    assert_int_equal(
        sparcl_data_read(&none, f->path, &(sparcl_data_desc){.ids = f->other}, &f->error),
        SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "expected lines \"feature TAB id\", found none"));
}

/* Fields stay; of an index that stands twice, that of the first. */
static void other_text_with_indices_has_ids_too(void **state) {
    fixture *const f = *state;
    write_text(f->path, "1 3:99999999999999:1 0:7:2 1:7:3\n");
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = 20});
    const int64_t last = column_of(7, 20) > column_of(99999999999999, 20);
    assert_int_equal(sparcl_data_fields(data)[last], 0);
    assert_int_equal(sparcl_data_fields(data)[1 - last], 3);
    assert_true(value_at(data, 0, column_of(7, 20)) == 5);
    assert_int_equal(sparcl_data_get_info(data)->fields, 4);
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){.compact_ids = 1});
    assert_int_equal(sparcl_data_get_info(data)->columns, 2);
    assert_int_equal(sparcl_data_fields(data)[1], 3);
    sparcl_data_free(data);
    write_text(f->path, "1 99999999999999 7\n");
    data =
        must_read(f, f->path, &(sparcl_data_desc){.format = SPARCL_DATA_INDICES, .hash_bits = 20});
    assert_true(value_at(data, 0, column_of(7, 20)) == 1);
    sparcl_data_free(data);
}

/* The entries of a stream, and of parts, are those of the whole file. */
static void streams_have_the_same_columns(void **state) {
    fixture *const f = *state;
    write_ids(f->path, 40000, 11, false);
    write_ids(f->other, 300, 11, true);
    sparcl_data *const known = must_read(f, f->other, &(sparcl_data_desc){.compact_ids = 1});
    const sparcl_data_desc descs[] = {{.hash_bits = 12},
                                      {.compact_ids = 1},
                                      {.feature_ids = sparcl_data_column_ids(known),
                                       .feature_id_count = sparcl_data_get_info(known)->id_count}};
    for (size_t d = 0; d < SPC_COUNT(descs); d++) {
        sparcl_data_desc desc = descs[d];
        sparcl_data *const whole = must_read(f, f->path, &desc);
        desc.stream = 1;
        sparcl_data *const stream = must_read(f, f->path, &desc);
        const sparcl_data_info *const info = sparcl_data_get_info(whole);
        assert_int_equal(info->columns, sparcl_data_get_info(stream)->columns);
        assert_int_equal(info->entries, sparcl_data_get_info(stream)->entries);
        assert_int_equal(info->unknown_ids, sparcl_data_get_info(stream)->unknown_ids);
        assert_true((info->unknown_ids > 0) == (d == 2));
        assert_int_equal(sparcl_data_used_columns(stream), -1);
        sparcl_row_reader *reader = NULL;
        int32_t *const indices = malloc((size_t)info->entries * sizeof *indices);
        float *const values = malloc((size_t)info->entries * sizeof *values);
        assert_int_equal(sparcl_row_reader_open(&reader, stream, &f->error), SPARCL_OK);
        if (sparcl_row_reader_read(reader, 0, info->rows, indices, values, NULL, &f->error) !=
            SPARCL_OK)
            fail_msg("%s", f->error.message);
        assert_memory_equal(indices, sparcl_data_indices(whole),
                            (size_t)info->entries * sizeof *indices);
        assert_memory_equal(values, sparcl_data_values(whole),
                            (size_t)info->entries * sizeof *values);
        sparcl_row_reader_close(reader);
        free(indices);
        free(values);
        sparcl_data_free(stream);
        sparcl_data_free(whole);
    }
    sparcl_data_free(known);
    sparcl_data_parts *parts = NULL;
    sparcl_data *part = NULL;
    assert_int_equal(sparcl_data_parts_open(&parts, f->path, &(sparcl_data_desc){.compact_ids = 1},
                                            1, &f->error),
                     SPARCL_OK);
    assert_int_equal(sparcl_data_parts_next(parts, &part, &f->error), SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "use hash_bits"));
    sparcl_data_parts_close(parts);
}

static void the_binary_form_keeps_how_ids_became_columns(void **state) {
    static const int64_t other[] = {4, 5};
    fixture *const f = *state;
    write_ids(f->path, 500, 3, false);
    for (int hashed = 0; hashed < 2; hashed++) {
        const sparcl_data_desc desc = {.hash_bits = hashed ? 9 : 0, .compact_ids = !hashed};
        sparcl_data *const data = must_read(f, f->path, &desc);
        assert_int_equal(sparcl_data_save(data, f->other, &f->error), SPARCL_OK);
        sparcl_data *const again = must_read(f, f->other, &desc); /* the options agree */
        const sparcl_data_info *const a = sparcl_data_get_info(data), *const b =
                                                                          sparcl_data_get_info(
                                                                              again);
        assert_true(a->fingerprint == b->fingerprint);
        assert_int_equal(a->hashed_ids, b->hashed_ids);
        assert_int_equal(a->hash_bits, b->hash_bits);
        assert_int_equal(a->id_count, b->id_count);
        if (!hashed)
            assert_memory_equal(sparcl_data_column_ids(data), sparcl_data_column_ids(again),
                                (size_t)a->id_count * sizeof(int64_t));
        const sparcl_data_desc wrong[] = {{.hash_bits = 10},
                                          {.feature_ids = other, .feature_id_count = 2}};
        for (size_t i = 0; i < SPC_COUNT(wrong); i++)
            must_refuse(f, f->other, &wrong[i], ": ", "convert the source with them");
        sparcl_data_free(again);
        sparcl_data_free(data);
    }
}

/* Rows that are repaired in a file keep their ids. */
static void validation_keeps_ids(void **state) {
    fixture *const f = *state;
    write_text(f->path, "1 99999999999999:1 5:2\n0 x\n1 7:1\n");
    for (int hashed = 0; hashed < 2; hashed++) {
        const sparcl_data_desc desc = {.hash_bits = hashed ? 9 : 0, .compact_ids = !hashed};
        sparcl_validation found = {.fixed = f->other};
        assert_int_equal(sparcl_data_validate(f->path, &desc, &found, &f->error), SPARCL_OK);
        assert_int_equal(found.bad_rows, 1);
        size_t size = 0;
        char *const fixed = read_bytes(f->other, &size);
        const char *const expected =
            hashed ? "1 99999999999999:1 5:2\n1 7:1\n" : "1 5:2 99999999999999:1\n1 7:1\n";
        assert_int_equal(size, strlen(expected));
        assert_memory_equal(fixed, expected, size);
        free(fixed);
    }
}

static void what_has_no_ids_is_refused_with_the_reason(void **state) {
    fixture *const f = *state;
    const struct {
        const char *text;
        sparcl_data_desc desc;
        const char *words;
    } cases[] = {
        {"1 1:1\n", {.hash_bits = 4, .index_base = SPARCL_BASE_1}, "which are taken as they stand"},
        {"1 1:1\n", {.compact_ids = 1, .index_base = SPARCL_BASE_1}, "as they stand"},
        {"1 1:1\n", {.hash_bits = 4, .columns = 15}, "found 4 bits, 16 columns"},
        {"1 -5:1\n", {.hash_bits = 4}, "an index of at least 0"},
        {"1 9223372036854775808:1\n", {.hash_bits = 4}, "an index up to 9223372036854775807"},
        {"1 9223372036854775807:1\n", {.compact_ids = 1}, "an index up to 9223372036854775806"},
        {"1 |a b\n", {.compact_ids = 1}, "whose names are hashed; use hash_bits"},
        {"label,a\n1,2\n", {.compact_ids = 1}, "as hashed or as a dictionary"},
        {"user,item,rating\n1,2,3\n", {.hash_bits = 4}, "numbered always"},
        {"1 2\n", {.hash_bits = 4, .format = SPARCL_DATA_EDGES}, "use compact_ids"},
        {"%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
         {.hash_bits = 4},
         "which may be made of ids already"},
        {"1, 1, 1\n0 1\n0\n", {.hash_bits = 4}, "whose columns its shape says"},
        {"1 2\n", {.compact_ids = 1, .format = SPARCL_DATA_ADJACENCY}, "its shape"},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        write_text(f->path, cases[i].text);
        must_refuse(f, f->path, &cases[i].desc, ":", cases[i].words);
    }
}

/* Columns of a matrix are ids, from 0 in both formats; equal hashes are added. */
static void columns_of_a_matrix_may_be_ids(void **state) {
    static const int64_t ids[] = {5, 99999999999999};
    fixture *const f = *state;
    const char matrix[] = "%%MatrixMarket matrix coordinate real general\n2 100000000000000 4\n"
                          "1 100000000000000 0.5\n1 6 2\n2 8 1\n2 6 4\n";
    write_text(f->path, matrix);
    sparcl_data *data = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = 20});
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_int_equal(info->columns, 1 << 20);
    assert_int_equal(info->hash_bits, 20);
    assert_int_equal(info->hashed_ids, 1);
    assert_int_equal(info->index_base, 0);
    assert_int_equal(info->unsorted_rows, 0);
    assert_int_equal(sparcl_data_index_type(data), SPARCL_INDEX32);
    assert_true(value_at(data, 0, column_of(99999999999999, 20)) == 0.5f);
    assert_true(value_at(data, 0, column_of(5, 20)) == 2);
    assert_true(value_at(data, 1, column_of(7, 20)) == 1);
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){.hash_bits = 1});
    info = sparcl_data_get_info(data);
    assert_int_equal(info->duplicates, info->nnz - info->entries);
    assert_true(value_at(data, 1, 0) + value_at(data, 1, 1) == 5);
    sparcl_data_free(data);
    data = must_read(f, f->path, &(sparcl_data_desc){.compact_ids = 1});
    assert_int_equal(sparcl_data_get_info(data)->id_count, 3);
    assert_int_equal(sparcl_data_get_info(data)->columns, 3);
    assert_int_equal(sparcl_data_column_ids(data)[2], 99999999999999);
    assert_true(value_at(data, 1, 1) == 1);
    sparcl_data_free(data);
    const sparcl_data_desc known = {.feature_ids = ids, .feature_id_count = 2, .columns = 2};
    data = must_read(f, f->path, &known);
    assert_int_equal(sparcl_data_get_info(data)->unknown_ids, 1);
    assert_int_equal(sparcl_data_get_info(data)->entries, 3);
    assert_true(value_at(data, 0, 1) == 0.5f && value_at(data, 1, 0) == 4);
    sparcl_data_free(data);
    must_refuse(f, f->path, &(sparcl_data_desc){.hash_bits = 9, .columns = 511}, ": ",
                "found ids that become 512");
    must_survive_memory_failures(f, f->path, (sparcl_data_desc){.hash_bits = 9});
    must_survive_memory_failures(f, f->path, known);
}

/* A matrix that is written of hashed or numbered ids is read by the same description only. */
static void matrix_files_say_how_ids_became_columns(void **state) {
    static const int64_t other[] = {4, 5};
    static const sparcl_data_format formats[] = {SPARCL_DATA_NPZ, SPARCL_DATA_MTX};
    fixture *const f = *state;
    for (int i = 0; i < 4; i++) {
        const bool hashed = i % 2 == 0;
        write_ids(f->path, 50, 3, false);
        const sparcl_data_desc desc = {.hash_bits = hashed ? 16 : 0, .compact_ids = !hashed};
        sparcl_data *const data = must_read(f, f->path, &desc);
        const sparcl_data_info *const info = sparcl_data_get_info(data);
        assert_int_equal(sparcl_data_export(data, f->other, formats[i / 2], &f->error), SPARCL_OK);
        const sparcl_data_desc same = {.hash_bits = desc.hash_bits,
                                       .feature_ids = hashed ? NULL : sparcl_data_column_ids(data),
                                       .feature_id_count = info->id_count,
                                       .columns = info->columns,
                                       .index_base = SPARCL_BASE_0};
        sparcl_data *again = must_read(f, f->other, &same);
        assert_int_equal(sparcl_data_get_info(again)->entries, info->entries);
        assert_int_equal(sparcl_data_get_info(again)->id_count, info->id_count);
        assert_int_equal(sparcl_data_get_info(again)->hashed_ids, info->hashed_ids);
        assert_int_equal(sparcl_data_get_info(again)->unknown_ids, 0);
        assert_int_equal(sparcl_data_get_info(again)->index_base, 0);
        assert_memory_equal(sparcl_data_indices(again), sparcl_data_indices(data),
                            (size_t)info->entries * sizeof(int32_t));
        sparcl_data_free(again);
        again = must_read(f, f->other, NULL); /* a model that is trained with it has the bits */
        assert_int_equal(sparcl_data_get_info(again)->hash_bits, desc.hash_bits);
        sparcl_data_free(again);
        const sparcl_data_desc wrong[] = {
            {.hash_bits = 10}, {.compact_ids = 1}, {.feature_ids = other, .feature_id_count = 2}};
        for (size_t w = 0; w < SPC_COUNT(wrong); w++)
            must_refuse(f, f->other, &wrong[w], ": ", "convert its source with the hash bits");
        sparcl_data_free(data);
    }
}

static void contradictions_are_refused(void **state) {
    static const int64_t good[] = {1, 2}, equal[] = {1, 1}, negative[] = {-1, 1};
    fixture *const f = *state;
    sparcl_data *data = NULL;
    write_text(f->path, "1 1:1\n");
    const sparcl_data_desc wrong[] = {{.hash_bits = 4, .compact_ids = 1},
                                      {.hash_bits = 4, .feature_ids = good, .feature_id_count = 2},
                                      {.hash_bits = 4, .ids = f->other},
                                      {.feature_ids = good, .feature_id_count = 2, .ids = f->other},
                                      {.feature_ids = good, .feature_id_count = -1},
                                      {.feature_id_count = 1},
                                      {.feature_ids = equal, .feature_id_count = 2},
                                      {.feature_ids = negative, .feature_id_count = 2}};
    for (size_t i = 0; i < SPC_COUNT(wrong); i++) {
        assert_int_equal(sparcl_data_read(&data, f->path, &wrong[i], &f->error), SPARCL_E_ARG);
        assert_null(data);
    }
}

static void compressed_and_spilled_files_are_the_same(void **state) {
    fixture *const f = *state;
    write_ids(f->path, 2000, 3, false);
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    for (int hashed = 0; hashed < 2; hashed++) {
        sparcl_data_desc desc = {.hash_bits = hashed ? 20 : 0, .compact_ids = !hashed};
        const uint64_t expected = fingerprint_of(f, f->path, &desc);
        assert_true(fingerprint_of(f, f->other, &desc) == expected);
        desc.spill = f->folder;
        assert_true(fingerprint_of(f, f->path, &desc) == expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(ids_are_hashed_as_documented),
        TEST(the_hash_does_not_change),
        TEST(collisions_are_added_and_counted),
        TEST(shared_columns_of_many_bits_are_estimated),
        TEST(ids_are_numbered_in_their_order),
        TEST(numbers_do_not_depend_on_the_order),
        TEST(ids_of_another_file_are_left_out_and_counted),
        TEST(other_text_with_indices_has_ids_too),
        TEST(streams_have_the_same_columns),
        TEST(the_binary_form_keeps_how_ids_became_columns),
        TEST(validation_keeps_ids),
        TEST(what_has_no_ids_is_refused_with_the_reason),
        TEST(columns_of_a_matrix_may_be_ids),
        TEST(matrix_files_say_how_ids_became_columns),
        TEST(contradictions_are_refused),
        TEST(compressed_and_spilled_files_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
