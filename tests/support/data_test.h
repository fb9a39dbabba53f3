/* data_test.h: what the tests of the data readers share: a folder, files in it, reading them. */
#ifndef DATA_TEST_H
#define DATA_TEST_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include <archive.h>
#include <archive_entry.h>

#include "data_facts.h"
#include "folder_test.h"

typedef struct fixture {
    char folder[64];
    char path[128];  /* the data file of the test */
    char other[128]; /* a second one */
    int open;        /* descriptors at the beginning */
    sparcl_error error;
} fixture;

static inline int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    snprintf(f->folder, sizeof f->folder, "/tmp/sparcl-data-XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->path, sizeof f->path, "%s/file", f->folder);
    snprintf(f->other, sizeof f->other, "%s/other", f->folder);
    f->open = count_descriptors();
    *state = f;
    return 0;
}

static inline int teardown(void **state) {
    fixture *f = *state;
    unlink(f->path);
    unlink(f->other);
    const int left = rmdir(f->folder); /* fails when something else was left there */
    const int opened = count_descriptors() - f->open;
    free(f);
    return left || opened;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static inline void write_text(const char *path, const char *text) {
    write_bytes(path, text, strlen(text));
}

static inline sparcl_data *must_read(fixture *f, const char *path, const sparcl_data_desc *desc) {
    sparcl_data *data = NULL;
    if (sparcl_data_read(&data, path, desc, &f->error) != SPARCL_OK)
        fail_msg("%s", f->error.message);
    assert_non_null(data);
    const char *const fault = data_fault(data);
    if (fault) fail_msg("%s: wrong: %s", path, fault);
    return data;
}

/* The file must be refused with E_FORMAT, and the message begin with its path and `place`. */
static inline void must_refuse(fixture *f, const char *path, const sparcl_data_desc *desc,
                               const char *place, const char *words) {
    sparcl_data *data = (sparcl_data *)f; /* must become NULL */
    memset(&f->error, 0, sizeof f->error);
    const sparcl_status status = sparcl_data_read(&data, path, desc, &f->error);
    if (status == SPARCL_OK) sparcl_data_free(data);
    char expected[2048];
    snprintf(expected, sizeof expected, "%s%s", path, place);
    if (status != SPARCL_E_FORMAT || f->error.status != SPARCL_E_FORMAT ||
        strncmp(f->error.message, expected, strlen(expected)) != 0 ||
        !strstr(f->error.message, words))
        fail_msg("expected E_FORMAT %s ... %s, found %s: %s", expected, words,
                 sparcl_status_name(status), status == SPARCL_OK ? "" : f->error.message);
    if (!strstr(f->error.message, "expected ") || !strstr(f->error.message, ", found ") ||
        !strstr(f->error.message, "; "))
        fail_msg("not \"expected ..., found ...; how to fix it\": %s", f->error.message);
    assert_null(data);
}

/* The values must not be all finite, and the first that is not stand at `place`. */
static inline void must_find_bad(fixture *f, const char *path, const sparcl_data_desc *desc,
                                 const char *place) {
    sparcl_data *data = must_read(f, path, desc);
    char expected[512];
    snprintf(expected, sizeof expected, "%s%s: expected a finite value, found ", path, place);
    assert_int_equal(sparcl_data_check_finite(data, &f->error), SPARCL_E_FORMAT);
    assert_int_equal(f->error.status, SPARCL_E_FORMAT);
    if (strncmp(f->error.message, expected, strlen(expected)) != 0)
        fail_msg("expected \"%s\", found \"%s\"", expected, f->error.message);
    sparcl_data_free(data);
}

/* What a file reads as, in one number; 0 does not occur. */
static inline uint64_t fingerprint_of(fixture *f, const char *path, const sparcl_data_desc *desc) {
    sparcl_data *data = must_read(f, path, desc);
    const uint64_t fingerprint = sparcl_data_get_info(data)->fingerprint;
    sparcl_data_free(data);
    return fingerprint;
}

static inline uint64_t text_fingerprint(fixture *f, const char *text) {
    write_text(f->path, text);
    return fingerprint_of(f, f->path, NULL);
}

static inline uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

typedef int add_filter(struct archive *); /* of libarchive: archive_write_add_filter_gzip ... */

static inline void compress_file(const char *from, const char *to, add_filter *filter) {
    size_t size = 0;
    char *bytes = read_bytes(from, &size);
    struct archive *archive = archive_write_new();
    assert_int_equal(filter(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(archive, to), ARCHIVE_OK);
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, bytes, size), size);
    archive_entry_free(entry);
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
    free(bytes);
}

/* Unsorted rows with comments and one long line. */
static inline void write_rows(const char *path, int rows, int longest, const char *last) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    uint64_t random = 21;
    for (int i = 0; i < rows; i++) {
        fprintf(file, "%d", i % 7);
        const int entries = i == rows / 4 ? longest : (int)(next_random(&random) % 20);
        for (int k = 0; k < entries; k++)
            fprintf(file, " %d:%.4g", 1 + (int)(next_random(&random) % 50000),
                    (double)(next_random(&random) % 1000) / 31);
        fputs(i % 50 == 0 ? "\n# comment\n" : "\n", file);
    }
    fputs(last, file);
    fclose(file);
}

/* About 3 MB: more blocks than threads. */
static inline void write_large(const char *path, const char *last) {
    write_rows(path, 20000, 90000, last);
}

/* About 500 KB: more than one block of text, and compressed more than is read at once. Decoders are
 * slow. */
static inline void write_medium(const char *path, const char *last) {
    write_rows(path, 3000, 15000, last);
}

/* An allocator that counts its bytes, and fails at call number `fail_at` (from 1) and after. */
typedef struct counted {
    int64_t live, calls, fail_at;
} counted;

static inline void *count_memory(void *user, void *memory, size_t old_size, size_t size) {
    counted *c = user;
    if (size == 0) {
        c->live -= (int64_t)old_size;
        free(memory);
        return NULL;
    }
    c->calls++;
    if (c->fail_at > 0 && c->calls >= c->fail_at) return NULL;
    void *grown = realloc(memory, size);
    if (grown) c->live += (int64_t)size - (int64_t)old_size;
    return grown;
}

/* Read with memory that runs out one call later each time, until there is enough; nothing may leak.
 */
static inline void must_survive_memory_failures(fixture *f, const char *path,
                                                sparcl_data_desc desc) {
    sparcl_status status = SPARCL_E_MEMORY;
    for (int64_t at = 1; status == SPARCL_E_MEMORY; at++) {
        counted memory = {.fail_at = at};
        sparcl_data *data = NULL;
        desc.allocator = (sparcl_allocator){.fn = count_memory, .user = &memory};
        status = sparcl_data_read(&data, path, &desc, &f->error);
        sparcl_data_free(data);
        assert_int_equal(memory.live, 0);
        if (status == SPARCL_E_MEMORY) assert_true(f->error.message[0] != '\0');
    }
    assert_int_equal(status, SPARCL_OK);
}

#endif
