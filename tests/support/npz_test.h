/* npz_test.h: SciPy .npz matrices and .npy arrays, written byte by byte. */
#ifndef TESTS_NPZ_TEST_H
#define TESTS_NPZ_TEST_H

#include "data_test.h"

/* One member of an archive: a .npy array; a NULL name leaves it out. */
typedef struct member {
    const char *name, *type, *shape; /* as in the header: '<i4', (3,) */
    const void *bytes;
    size_t size;
} member;

enum { FORMAT, SHAPE, INDPTR, INDICES, DATA, MEMBERS };

/* A csr matrix of 3 rows: [0 1.5 0 0], [0 0 0 0], [2 0 0 -3]. */
typedef struct matrix {
    member members[MEMBERS];
    int64_t shape[2];
    int32_t indptr[4], indices[3];
    float data[3];
    const char *options; /* of the zip writer */
} matrix;

static inline void make_matrix(matrix *m) {
    *m = (matrix){
        .shape = {3, 4}, .indptr = {0, 1, 1, 3}, .indices = {1, 0, 3}, .data = {1.5f, 2, -3}};
    m->members[FORMAT] = (member){"format.npy", "'|S3'", "()", "csr", 3};
    m->members[SHAPE] = (member){"shape.npy", "'<i8'", "(2,)", m->shape, sizeof m->shape};
    m->members[INDPTR] = (member){"indptr.npy", "'<i4'", "(4,)", m->indptr, sizeof m->indptr};
    m->members[INDICES] = (member){"indices.npy", "'<i4'", "(3,)", m->indices, sizeof m->indices};
    m->members[DATA] = (member){"data.npy", "'<f4'", "(3,)", m->data, sizeof m->data};
}

/* The bytes of a .npy file of format 1.0; returns their number. */
static inline size_t make_npy(char *into, const member *part) {
    char header[256];
    const int length =
        snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': False, 'shape': %s, }\n",
                 part->type, part->shape);
    memcpy(into, "\x93NUMPY\1\0", 8);
    into[8] = (char)(length & 255);
    into[9] = (char)(length >> 8);
    memcpy(into + 10, header, (size_t)length);
    if (part->size > 0) memcpy(into + 10 + length, part->bytes, part->size);
    return 10 + (size_t)length + part->size;
}

static inline void add_file(struct archive *archive, const char *name, const void *bytes,
                            size_t size) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, (la_int64_t)size);
    assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
    assert_int_equal(archive_write_data(archive, bytes, size), size);
    archive_entry_free(entry);
}

static inline struct archive *open_zip(const char *path, const char *options) {
    struct archive *archive = archive_write_new();
    assert_int_equal(archive_write_set_format_zip(archive), ARCHIVE_OK);
    if (options) assert_int_equal(archive_write_set_options(archive, options), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
    return archive;
}

static inline void write_matrix(const char *path, const matrix *m) {
    static char bytes[1 << 20];
    struct archive *archive = open_zip(path, m->options);
    add_file(archive, "not_ours.txt", "abc", 3);
    for (int i = 0; i < MEMBERS; i++)
        if (m->members[i].name)
            add_file(archive, m->members[i].name, bytes, make_npy(bytes, &m->members[i]));
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
}

/* An archive of these members, up to the one without a name. */
static inline void write_members(const char *path, const member *members) {
    static char bytes[1 << 16];
    struct archive *archive = open_zip(path, NULL);
    for (; members->name; members++)
        add_file(archive, members->name, bytes, make_npy(bytes, members));
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
}

static inline void write_npy(const char *path, const char *type, const char *shape,
                             const void *bytes, size_t size) {
    static char all[1 << 20];
    const member part = {"", type, shape, bytes, size};
    write_bytes(path, all, make_npy(all, &part));
}

#endif
