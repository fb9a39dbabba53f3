/* test_data_memory.c: the memory that reading takes has the limit that data.h states, for files
 * made to take as much as they can. */
#include "data_test.h"
#include "npz_test.h"

/* As stated. */
enum { BYTES_PER_BYTE = 48, BYTES_PER_THREAD = 8 << 20 };

typedef struct peak {
    int64_t live, highest;
} peak;

/* Both the old and the new block are there while one grows. */
static void *count_peak(void *user, void *memory, size_t old_size, size_t size) {
    peak *const p = user;
    if (size == 0) {
        p->live -= (int64_t)old_size;
        free(memory);
        return NULL;
    }
    if (p->live + (int64_t)size > p->highest) p->highest = p->live + (int64_t)size;
    void *const grown = realloc(memory, size);
    if (grown) p->live += (int64_t)size - (int64_t)old_size;
    return grown;
}

static void must_keep_the_limit(fixture *f, sparcl_data_desc desc, int64_t beside) {
    for (desc.threads = 1; desc.threads <= 4; desc.threads += 3) {
        peak p = {0};
        size_t size = 0;
        free(read_bytes(f->path, &size));
        desc.allocator = (sparcl_allocator){.fn = count_peak, .user = &p};
        sparcl_data_free(must_read(f, f->path, &desc));
        assert_int_equal(p.live, 0);
        const int64_t limit =
            BYTES_PER_BYTE * (int64_t)size + BYTES_PER_THREAD * desc.threads + beside;
        if (p.highest > limit)
            fail_msg("%" PRId64 " bytes for a file of %zu, at most %" PRId64, p.highest, size,
                     limit);
    }
}

static void write_lines(const char *path, const char *begin, const char *repeated, int count,
                        const char *end) {
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(begin, file);
    for (int i = 0; i < count; ++i)
        fputs(repeated, file);
    fputs(end, file);
    assert_int_equal(fclose(file), 0);
}

static void short_rows_and_long_rows(void **state) {
    static const struct {
        const char *begin, *repeated, *end;
        sparcl_data_format format;
        int multilabel, hash_bits;
    } texts[] = {
        {"", "1\n", "", SPARCL_DATA_SVMLIGHT, 0, 0},
        {"", "1\n\n", "", SPARCL_DATA_SVMLIGHT, 1, 0},
        {"1", ",1", " 1:1\n", SPARCL_DATA_SVMLIGHT, 1, 0},
        {"1", " 1:1", "\n", SPARCL_DATA_SVMLIGHT, 0, 0},
        {"1", " 1", "\n", SPARCL_DATA_INDICES, 0, 0},
        {"", "1 9\n", "", SPARCL_DATA_INDICES, 0, 0},
        {"1", " 1:1", "\n", SPARCL_DATA_SVMLIGHT, 0, 4},
        {"", "1 9\n", "", SPARCL_DATA_INDICES, 0, 4},
        {"1", " 1:1:1", "\n", SPARCL_DATA_LIBFFM, 0, 0},
        {"1 |", " a", "\n", SPARCL_DATA_VW, 0, 4},
        {"", "1 |\n\n", "", SPARCL_DATA_VW, 0, 4},
        {"y\n", "1\n", "", SPARCL_DATA_CSV, 0, 4},
        {"y,a,b,c,d,e,f,g,h\n", "1,1,1,1,1,1,1,1,1\n", "", SPARCL_DATA_CSV, 0, 4},
        {"", "1 1\n", "", SPARCL_DATA_EDGES, 0, 0},
        {"", "1,1,1\n", "", SPARCL_DATA_RATINGS, 0, 0},
        {"", "0 1\n", "", SPARCL_DATA_ADJACENCY, 0, 0},
        {"%%MatrixMarket matrix array integer general\n500000 1\n", "1\n", "", SPARCL_DATA_MTX, 0,
         0},
    };
    fixture *const f = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        const sparcl_data_desc desc = {.format = texts[i].format,
                                       .multilabel = texts[i].multilabel,
                                       .hash_bits = texts[i].hash_bits};
        write_lines(f->path, texts[i].begin, texts[i].repeated, 500000, texts[i].end);
        must_keep_the_limit(f, desc, 0);
    }
}

/* Each entry has an id of its own. */
static void ids_that_are_hashed_or_numbered(void **state) {
    fixture *const f = *state;
    FILE *const file = fopen(f->path, "w");
    assert_non_null(file);
    for (int i = 0; i < 300000; i++)
        fprintf(file, "1 %d:1\n", i);
    fclose(file);
    must_keep_the_limit(f, (sparcl_data_desc){.compact_ids = 1}, 0);
    must_keep_the_limit(f, (sparcl_data_desc){.hash_bits = 20}, 8 * ((int64_t)1 << 14));
}

/* What a header declares takes no memory but for 8 bytes a row. */
static void sizes_that_are_only_declared(void **state) {
    fixture *const f = *state;
    write_text(f->path, "%%MatrixMarket matrix coordinate pattern general\n3000000 7 1\n1 1\n");
    must_keep_the_limit(f, (sparcl_data_desc){0}, 8 * (int64_t)3000001);
    write_text(f->path, "%%MatrixMarket matrix coordinate pattern general\n900000000 7 1\n1 1\n");
    must_refuse(f, f->path, NULL, ": expected at most 33554432 rows", "found 900000000");
    write_text(f->path, "1 |a\n");
    must_keep_the_limit(f, (sparcl_data_desc){.format = SPARCL_DATA_VW, .hash_bits = 20},
                        8 * ((int64_t)1 << 20));
}

static void dense_arrays_of_bytes(void **state) {
    static const char header[] = "\x93NUMPY\x01\x00v\x00{'descr': '|i1', 'fortran_order': False, "
                                 "'shape': (1000, 1000), }";
    enum { HEADER = 128, ELEMENTS = 1000 * 1000 };
    fixture *const f = *state;
    char *const bytes = malloc(HEADER + ELEMENTS);
    assert_non_null(bytes);
    memset(bytes, ' ', HEADER);
    memcpy(bytes, header, sizeof header - 1);
    bytes[HEADER - 1] = '\n';
    memset(bytes + HEADER, 1, ELEMENTS);
    write_bytes(f->path, bytes, HEADER + ELEMENTS);
    must_keep_the_limit(f, (sparcl_data_desc){0}, 0);
    free(bytes);
}

/* Blocks of bytes: an entry takes 24 bytes until they are sorted. */
static void blocks_of_bytes_in_an_archive(void **state) {
    enum { SIZE = 1000 };
    static const int64_t shape[] = {SIZE, SIZE};
    static const int32_t indptr[] = {0, 1}, indices[] = {0};
    static char ones[SIZE * SIZE], bytes[SIZE * SIZE + 256];
    const member members[] = {{"format.npy", "'|S3'", "()", "bsr", 3},
                              {"shape.npy", "'<i8'", "(2,)", shape, sizeof shape},
                              {"indptr.npy", "'<i4'", "(2,)", indptr, sizeof indptr},
                              {"indices.npy", "'<i4'", "(1,)", indices, sizeof indices},
                              {"data.npy", "'|i1'", "(1, 1000, 1000)", ones, sizeof ones}};
    fixture *const f = *state;
    memset(ones, 1, sizeof ones);
    struct archive *const archive = open_zip(f->path, NULL);
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i)
        add_file(archive, members[i].name, bytes, make_npy(bytes, &members[i]));
    assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
    size_t size = 0;
    free(read_bytes(f->path, &size));
    must_keep_the_limit(f, (sparcl_data_desc){0}, BYTES_PER_BYTE * (int64_t)(sizeof ones - size));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(short_rows_and_long_rows),      TEST(ids_that_are_hashed_or_numbered),
        TEST(sizes_that_are_only_declared),  TEST(dense_arrays_of_bytes),
        TEST(blocks_of_bytes_in_an_archive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
