/* test_compressed.c: compressed text: each compression, several streams in a row, truncated and
 * damaged streams. */
#include "data_test.h"

static add_filter *const filters[] = {archive_write_add_filter_gzip, archive_write_add_filter_bzip2,
                                      archive_write_add_filter_xz, archive_write_add_filter_zstd,
                                      archive_write_add_filter_lz4};

enum { FILTERS = sizeof filters / sizeof *filters };

static void compressed_text_reads_as_the_plain_text(void **state) {
    fixture *f = *state;
    write_medium(f->path, "");
    const uint64_t plain = fingerprint_of(f, f->path, NULL);
    for (int i = 0; i < FILTERS; i++) {
        compress_file(f->path, f->other, filters[i]);
        assert_int_equal(fingerprint_of(f, f->other, NULL), plain);
    }
}

static void several_compressed_streams_in_a_row_are_one_text(void **state) {
    fixture *f = *state;
    const uint64_t plain =
        text_fingerprint(f, "1 1:1 2:2\n0 3:3\n1 1:1 2:2\n0 3:3\n1 1:1 2:2\n0 3:3\n");
    for (int i = 0; i < FILTERS; i++) {
        write_text(f->path, "1 1:1 2:2\n0 3:3\n");
        compress_file(f->path, f->other, filters[i]);
        size_t size = 0;
        char *one = read_bytes(f->other, &size);
        FILE *file = fopen(f->other, "wb");
        for (int k = 0; k < 3; k++)
            assert_int_equal(fwrite(one, 1, size, file), size);
        fclose(file);
        free(one);
        assert_int_equal(fingerprint_of(f, f->other, NULL), plain);
    }
}

/* Members longer and shorter than what is read at once, cut anywhere in a line. */
static void many_gzip_members_are_one_text(void **state) {
    fixture *f = *state;
    write_large(f->path, "");
    const uint64_t plain = fingerprint_of(f, f->path, NULL);
    size_t size = 0;
    char *bytes = read_bytes(f->path, &size);
    char part[128];
    snprintf(part, sizeof part, "%s/part", f->folder);
    FILE *all = fopen(f->other, "wb");
    uint64_t random = 3;
    for (size_t at = 0; at < size;) {
        size_t length = next_random(&random) % (next_random(&random) % 8 ? 3000 : 1500000);
        if (length > size - at) length = size - at;
        write_bytes(f->path, bytes + at, length);
        compress_file(f->path, part, archive_write_add_filter_gzip);
        size_t packed = 0;
        char *member = read_bytes(part, &packed);
        assert_int_equal(fwrite(member, 1, packed, all), packed);
        free(member);
        at += length;
    }
    fclose(all);
    unlink(part);
    free(bytes);
    assert_int_equal(fingerprint_of(f, f->other, NULL), plain);
}

static void a_truncated_stream_is_refused(void **state) {
    fixture *f = *state;
    write_medium(f->path, "");
    for (int i = 0; i < FILTERS; i++) {
        compress_file(f->path, f->other, filters[i]);
        size_t size = 0;
        char *bytes = read_bytes(f->other, &size);
        const size_t cuts[] = {size - 1, size - 5, size - 9, size / 2, size / 3, 40};
        for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
            write_bytes(f->other, bytes, cuts[k]);
            must_refuse(f, f->other, NULL, ":", "fetch or compress the file again");
        }
        free(bytes);
    }
}

static void a_truncation_is_reported_where_the_text_ends(void **state) {
    fixture *f = *state;
    write_large(f->path, "");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    size_t size = 0;
    char *bytes = read_bytes(f->other, &size);
    write_bytes(f->other, bytes, size / 2);
    free(bytes);
    char first[sizeof f->error.message] = "";
    for (int threads = 1; threads < 5; threads++) {
        const sparcl_data_desc desc = {.threads = threads};
        must_refuse(f, f->other, &desc, ":", "truncated");
        if (threads == 1) snprintf(first, sizeof first, "%s", f->error.message);
        assert_string_equal(f->error.message, first);
    }
    assert_true(strtol(first + strlen(f->other) + 1, NULL, 10) > 1000);
}

/* Where the file holds a checksum: zstd need not, and libarchive writes none. */
static void a_damaged_stream_is_refused(void **state) {
    fixture *f = *state;
    write_medium(f->path, "");
    const uint64_t plain = fingerprint_of(f, f->path, NULL);
    for (int i = 0; i < FILTERS; i++) {
        if (filters[i] == archive_write_add_filter_zstd) continue;
        compress_file(f->path, f->other, filters[i]);
        size_t size = 0;
        char *bytes = read_bytes(f->other, &size);
        for (size_t at = 10; at < size; at += size / 20) {
            bytes[at] ^= 1;
            write_bytes(f->other, bytes, size);
            bytes[at] ^= 1;
            sparcl_data *data = NULL;
            const sparcl_status status = sparcl_data_read(&data, f->other, NULL, &f->error);
            if (status == SPARCL_OK) /* only bits without a meaning may pass */
                assert_int_equal(sparcl_data_get_info(data)->fingerprint, plain);
            else
                assert_int_equal(status, SPARCL_E_FORMAT);
            sparcl_data_free(data);
        }
        free(bytes);
    }
}

static void a_wrong_length_behind_a_gzip_stream_is_refused(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    size_t size = 0;
    char *bytes = read_bytes(f->other, &size);
    bytes[size - 4]++;
    write_bytes(f->other, bytes, size);
    free(bytes);
    must_refuse(f, f->other, NULL, ":2:1: ", "found a wrong length");
}

static void what_follows_a_gzip_stream_is_refused(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    FILE *file = fopen(f->other, "ab");
    fputs("1 1:1\n", file);
    fclose(file);
    must_refuse(f, f->other, NULL, ":", "wrong");
}

static void a_stream_in_a_stream_is_refused(void **state) {
    fixture *f = *state;
    write_text(f->path, "1 1:1\n");
    compress_file(f->path, f->other, archive_write_add_filter_gzip);
    compress_file(f->other, f->path, archive_write_add_filter_gzip);
    must_refuse(f, f->path, NULL, ":1:1: ", "a stream inside the stream");
}

static void an_empty_stream_is_an_empty_file(void **state) {
    fixture *f = *state;
    write_text(f->path, "");
    for (int i = 0; filters[i] != archive_write_add_filter_lz4;
         i++) { /* libarchive cannot write this */
        compress_file(f->path, f->other, filters[i]);
        must_refuse(f, f->other, NULL, ":1:1: ", "an empty file");
    }
}

typedef struct reading {
    int calls;
    int64_t bytes, size;
} reading;

static void watch_reading(void *user, int64_t bytes, int64_t size) {
    reading *const r = user;
    assert_true(bytes >= r->bytes && (size < 0 || bytes <= size));
    r->calls++;
    r->bytes = bytes;
    r->size = size;
}

/* Bytes are those of the file as it is stored, and each is counted, also of a pipe. */
static void progress_is_reported_up_to_the_last_byte(void **state) {
    fixture *f = *state;
    write_large(f->path, "");
    compress_file(f->path, f->other, filters[0]);
    const char *const paths[] = {f->path, f->other};
    for (int i = 0; i < 2; i++) {
        reading r = {0};
        const sparcl_data_desc desc = {.progress = watch_reading, .progress_user = &r};
        struct stat about;
        assert_int_equal(stat(paths[i], &about), 0);
        sparcl_data_free(must_read(f, paths[i], &desc));
        assert_true(r.calls > 3);
        assert_int_equal(r.size, about.st_size);
        assert_int_equal(r.bytes, about.st_size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(compressed_text_reads_as_the_plain_text),
        TEST(several_compressed_streams_in_a_row_are_one_text),
        TEST(many_gzip_members_are_one_text),
        TEST(a_truncated_stream_is_refused),
        TEST(a_truncation_is_reported_where_the_text_ends),
        TEST(a_damaged_stream_is_refused),
        TEST(a_wrong_length_behind_a_gzip_stream_is_refused),
        TEST(what_follows_a_gzip_stream_is_refused),
        TEST(a_stream_in_a_stream_is_refused),
        TEST(an_empty_stream_is_an_empty_file),
        TEST(progress_is_reported_up_to_the_last_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
