/*
 * test_data_table.c: every data file of the table expected.tsv in the folder SPARCL_TEST_DATA reads
 * with exactly its counts, or is refused at the right line.
 */
#include "data_test.h"

#include "base/macros.h"

enum { SKIPPED = 77 };

typedef struct row {
    char file[256];
    int64_t rows, columns, nnz; /* -1: not counted */
    char note[512];
} row;

/* What the file does not state itself, and what is no LIBSVM text or csr matrix. */
typedef struct special {
    const char *file;
    int64_t duplicates, unsorted_rows;
    int multilabel;
    const char *refused; /* the place, when it must be */
} special;

static const special specials[] = {
    {"variants/qid_unsorted_duplicate.svm", 141, 119, 0, NULL},
    {"variants/svmlight_multilabel.svm", 0, 0, 1, NULL},
    {"variants/a9a_indices_only_crlf.txt", 0, 0, 0, ":1:6: "},
    {"variants/census_148d.dummy", 0, 0, 0, ":1:5: "},
    {"variants/sector_space_pairs.txt", 0, 0, 0, ":1:4: "},
    {"ctr/criteo_small_train.ffm", 3, 0, 0, NULL},
    {"ctr/criteo_small_test.ffm", 1, 0, 0, NULL},
    {"npz/tiny/csr-unsorted.npz", 0, 2, 0, NULL},
    {"npz/tiny/coo-dupes.npz", 1, 0, 0, NULL},
    {"npz/tiny/coo-long.npz", 0, 0, 0, ":shape.npy[0]: "},
    {"npz/tiny/dia-long.npz", 0, 0, 0, ":shape.npy[0]: "},
    {"npz/tiny/bsr-bad-ndim.npz", 0, 0, 0, ":data.npy: "},
    {"npz/tiny/compressed.npz", 0, 0, 0, ":format.npy: "},
    {"npz/tiny/uncompressed.npz", 0, 0, 0, ":format.npy: "},
    {"npz/AFIRO.npz", 0, 0, 0, ":format.npy: "},
    {"npz/cora.npz", 0, 0, 0, ":format.npy: "},
    {"mm/invalid/mangled14.mtx", 1, 0, 0,
     NULL}, /* an entry twice: only strict reading refuses it */
    {"mm/small/complex.mtx", 0, 0, 0, ":1:29: "},
    {"mm/young1c.mtx.gz", 0, 0, 0, ":1:34: "},
    {"mm/temp.mtx.gz", 0, 0, 0, ":2650:9: "}, /* -4.8e38 */
};

static const char *data_folder(void) {
    const char *folder = getenv("SPARCL_TEST_DATA");
#ifdef SPARCL_TEST_DATA_DIR
    if (!folder || !folder[0]) folder = SPARCL_TEST_DATA_DIR;
#endif
    return folder && folder[0] ? folder : NULL;
}

static const special *find_special(const char *file) {
    static const special plain = {"", 0, 0, 0, NULL};
    for (size_t i = 0; i < SPC_COUNT(specials); i++)
        if (strcmp(specials[i].file, file) == 0) return &specials[i];
    return &plain;
}

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

static bool ends(const char *text, const char *with) {
    const size_t length = strlen(text), tail = strlen(with);
    return length >= tail && strcmp(text + length - tail, with) == 0;
}

static bool is_text(const row *r) {
    if (ends(r->file, ".query")) return false;
    return starts(r->file, "svm/") || starts(r->file, "rcv1/") || starts(r->file, "variants/") ||
           ends(r->file, ".ffm") || ends(r->file, ".libfm.gz");
}

static bool is_matrix(const row *r) {
    return ends(r->file, ".mtx") || ends(r->file, ".mtx.gz");
}

static int64_t take_count(const char *field) {
    return field[0] ? strtoll(field, NULL, 10) : -1;
}

/* file, rows, cols, nnz, note; false for a line of another format. */
static bool take_row(char *line, row *r) {
    char *fields[5] = {NULL};
    line[strcspn(line, "\r\n")] = '\0';
    for (int i = 0; i < 5; i++) {
        fields[i] = line;
        line += strcspn(line, "\t");
        if (*line) *line++ = '\0';
    }
    snprintf(r->file, sizeof r->file, "%.255s", fields[0]);
    snprintf(r->note, sizeof r->note, "%.511s", fields[4]);
    r->rows = take_count(fields[1]);
    r->columns = take_count(fields[2]);
    r->nnz = take_count(fields[3]);
    return r->file[0] != '\0';
}

/* Indices as written, where the note names them. */
static void check_note(const row *r, const sparcl_data_info *info) {
    long minimum = 0, maximum = 0;
    if (sscanf(r->note, "min index %ld, max index %ld", &minimum, &maximum) != 2) return;
    assert_int_equal(info->min_index, minimum);
    assert_int_equal(info->max_index, maximum);
    assert_int_equal(info->index_base, minimum > 0);
}

static void check_counts(fixture *f, const char *path, const row *r) {
    const special *s = find_special(r->file);
    const bool banner = !strstr(r->note, "no banner");
    const sparcl_data_desc desc = {.multilabel = s->multilabel,
                                   .format = banner ? SPARCL_DATA_AUTO : SPARCL_DATA_MTX};
    sparcl_data *data = must_read(f, path, &desc);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    const bool has_counts = r->rows >= 0; /* dia matrices are not */
    assert_int_equal(info->rows, has_counts ? r->rows : 3);
    assert_int_equal(info->columns, has_counts ? r->columns : 6);
    if (strstr(r->note, "array") || !banner) /* no zero in them */
        assert_true(r->nnz < 0 ? info->nnz == r->rows * r->columns : info->nnz == r->nnz);
    else
        assert_int_equal(info->nnz, has_counts ? r->nnz : 5);
    assert_int_equal(info->duplicates, s->duplicates);
    assert_int_equal(info->entries, info->nnz - s->duplicates);
    assert_int_equal(info->unsorted_rows, s->unsorted_rows);
    if (!is_matrix(r)) assert_int_equal(info->nan_values + info->inf_values, 0);
    check_note(r, info);
    sparcl_data_free(data);
    if (s->duplicates + s->unsorted_rows > 0) {
        const sparcl_data_desc strict = {.strict = 1};
        const bool any_order = strstr(r->file, "coo") || ends(r->file, ".ffm");
        must_refuse(f, path, &strict, ":", any_order ? "once" : "expected an index above");
    }
    if (s->multilabel) must_refuse(f, path, NULL, ":2:1: ", "expected one label");
}

/* The table has the rows; the LIBSVM form of the same file has the entries. */
static void check_hashed(fixture *f, const char *path, const row *r) {
    sparcl_data *data = must_read(f, path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_string_equal(info->format, "vw");
    assert_int_equal(info->rows, r->rows);
    assert_int_equal(info->columns, 1 << 18);
    assert_int_equal(info->entries, r->rows == 1000 ? 77739 : 39448);
    assert_int_equal(info->shared_columns, 0); /* names are numbers below 2^18 */
    sparcl_data_free(data);
}

static void check_row(fixture *f, const char *folder, const row *r) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, r->file);
    print_message("           %s\n", r->file);
    const special *s = find_special(r->file);
    if (s->refused)
        must_refuse(f, path, NULL, s->refused, "");
    else if (strcmp(r->note, "must be refused") == 0)
        must_refuse(f, path, &(sparcl_data_desc){.strict = s->duplicates > 0}, ":", "");
    else if (strstr(r->file, ".vw."))
        check_hashed(f, path, r);
    else
        check_counts(f, path, r);
}

static FILE *open_table(const char *folder) {
    char path[1024];
    snprintf(path, sizeof path, "%s/expected.tsv", folder);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be opened", path);
    return file;
}

static void every_file_of_the_table_reads_with_its_counts_or_is_refused(void **state) {
    fixture *f = *state;
    const char *folder = data_folder();
    FILE *table = open_table(folder);
    char line[2048];
    int checked = 0;
    while (fgets(line, sizeof line, table)) {
        row r;
        if (!take_row(line, &r) ||
            !(is_text(&r) || is_matrix(&r) || ends(r.file, ".npz") || ends(r.file, ".smtx.gz")))
            continue;
        check_row(f, folder, &r);
        checked++;
    }
    fclose(table);
    assert_true(checked >= 190);
}

static void labels_of_real_matrices_are_read(void **state) {
    fixture *f = *state;
    const struct {
        const char *matrix, *labels, *refused;
    } pairs[] = {
        {"npz/acm/p_feat.npz", "npz/acm/labels.npy", NULL},
        {"npz/acm/p_feat.npz", "npz/acm/nei_s.npy", NULL}, /* (4019, 1) */
        {"npz/disease_lp.feats.npz", "npz/disease_lp.labels.npy", NULL},
        {"npz/acm/p_feat.npz", "npz/acm/nei_a.npy", "Python objects"},
        {"npz/acm/p_feat.npz", "npz/disease_lp.labels.npy",
         "expected 4019 labels, one per row of the data, found 2665"},
        {"npz/cora.npz:attr", "npz/cora.npz:labels", NULL},
        {"npz/cora.npz:adj", "npz/cora.npz:node_names", "found text"},
        {"npz/cora.npz:attr", "npz/cora.npz:names", "found none of this name but adj_data"},
        {"npz/acm/pap.npz", "npz/acm/labels.npy", NULL},
        {"mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz", NULL},
        {"npz/int64_index_2x20.npz", "npy/win64python2.npy", NULL},
        {"npz/int64_index_2x20.npz", "npy/python3.npy", NULL},
        {"npz/tiny/csr.npz", "npy/pickle.npy", "Python objects"},
        {"npz/tiny/csr.npz", "npy/structured.npy", "one plain element type"},
        {"npz/tiny/csr.npz", "npy/c-order.npy", "one label per row"},
        {"npz/tiny/csr.npz", "npy/example_c64_big_endian_standard.npy", "found \">c16\""}};
    for (size_t i = 0; i < SPC_COUNT(pairs); i++) {
        char matrix[1024], labels[1024];
        snprintf(matrix, sizeof matrix, "%s/%s", data_folder(), pairs[i].matrix);
        snprintf(labels, sizeof labels, "%s/%s", data_folder(), pairs[i].labels);
        const sparcl_data_desc desc = {.labels = labels};
        sparcl_data *data = NULL;
        const sparcl_status status = sparcl_data_read(&data, matrix, &desc, &f->error);
        if (status != (pairs[i].refused ? SPARCL_E_FORMAT : SPARCL_OK) ||
            (pairs[i].refused && !strstr(f->error.message, pairs[i].refused)))
            fail_msg("%s: %s", pairs[i].labels, f->error.message);
        if (data)
            assert_int_equal(sparcl_data_get_info(data)->label_count,
                             sparcl_data_get_info(data)->rows);
        sparcl_data_free(data);
    }
}

/* The five formats of SciPy's own examples are one matrix. */
static void every_format_of_one_matrix_has_one_fingerprint(void **state) {
    fixture *f = *state;
    const char *const files[] = {"csr", "csc", "coo", "bsr", "bsr-f-order", "dia"};
    uint64_t first = 0;
    for (size_t i = 0; i < SPC_COUNT(files); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/npz/tiny/%s.npz", data_folder(), files[i]);
        const uint64_t found = fingerprint_of(f, path, NULL);
        if (i == 0) first = found;
        assert_int_equal(found, first);
    }
}

/* A graph and the features of its nodes, in one archive. */
static void the_matrices_of_one_archive_are_read_by_their_names(void **state) {
    fixture *f = *state;
    const struct {
        const char *member;
        int64_t rows, columns, entries, unsorted_rows;
    } cases[] = {{"cora.npz:adj", 2708, 2708, 5429, 731},
                 {"cora.npz:attr", 2708, 1433, 49216, 0},
                 {"AFIRO.npz:A_ub", 19, 32, 49, 0}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/npz/%s", data_folder(), cases[i].member);
        sparcl_data *data = must_read(f, path, NULL);
        const sparcl_data_info *info = sparcl_data_get_info(data);
        assert_int_equal(info->rows, cases[i].rows);
        assert_int_equal(info->columns, cases[i].columns);
        assert_int_equal(info->entries, cases[i].entries);
        assert_int_equal(info->unsorted_rows, cases[i].unsorted_rows);
        sparcl_data_free(data);
    }
}

/* The table counts the ids that occur. */
static void every_graph_and_list_of_ratings_has_the_ids_of_the_table(void **state) {
    fixture *f = *state;
    const struct {
        const char *file;
        sparcl_data_format format;
        int64_t rows, columns, entries;
    } cases[] = {
        {"graph/cora.cites", SPARCL_DATA_EDGES, 2708, 2708, 5429},
        {"graph/ca-GrQc.txt.gz", SPARCL_DATA_AUTO, 5242, 5242, 28980},
        {"graph/facebook_combined.txt.gz", SPARCL_DATA_EDGES, 4039, 4039, 88234},
        {"graph/as20graph.txt.gz", SPARCL_DATA_AUTO, 6474, 6474, 26467},
        {"graph/p2p-Gnutella08.edgelist.gz", SPARCL_DATA_EDGES, 6301, 6301, 20777},
        {"npz/disease_lp.edges.csv", SPARCL_DATA_EDGES, 2665, 2665, 2664},
        {"ratings/lastfm/trustnetwork.txt.gz", SPARCL_DATA_EDGES, 1892, 1892, 25434},
        {"ratings/lastfm/train.txt.gz", SPARCL_DATA_RATINGS, 42135, 1878 + 4476, 84270},
        {"ratings/lastfm/test.txt.gz", SPARCL_DATA_RATINGS, 10533, 1858 + 3285, 21066},
        {"ratings/ml-latest-small/ratings.csv.gz", SPARCL_DATA_AUTO, 100004, 671 + 9066, 200008},
        {"ratings/gowalla/test.txt.gz", SPARCL_DATA_ADJACENCY, 29858, 40981, 217242}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", data_folder(), cases[i].file);
        const bool edges = i < 7;
        sparcl_data *data = must_read(
            f, path, &(sparcl_data_desc){.format = cases[i].format, .compact_ids = edges});
        assert_int_equal(sparcl_data_get_info(data)->rows, cases[i].rows);
        assert_int_equal(sparcl_data_get_info(data)->columns, cases[i].columns);
        assert_int_equal(sparcl_data_get_info(data)->entries, cases[i].entries);
        assert_int_equal(sparcl_data_get_info(data)->duplicates, 0);
        sparcl_data_free(data);
    }
}

static void indices_without_values_are_read_when_the_format_is_named(void **state) {
    fixture *f = *state;
    const struct {
        const char *file;
        int64_t entries;
    } cases[] = {{"a9a_indices_only_crlf.txt", 6928}, {"census_148d.dummy", 6500}};
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/variants/%s", data_folder(), cases[i].file);
        sparcl_data *data = must_read(f, path, &(sparcl_data_desc){.format = SPARCL_DATA_INDICES});
        assert_int_equal(sparcl_data_get_info(data)->rows, 500);
        assert_int_equal(sparcl_data_get_info(data)->entries, cases[i].entries);
        sparcl_data_free(data);
    }
}

static void images_are_rows_of_pixels(void **state) {
    fixture *f = *state;
    char path[1024];
    snprintf(path, sizeof path, "%s/mnist/t10k-images-idx3-ubyte.gz", data_folder());
    sparcl_data *data = must_read(f, path, NULL);
    const sparcl_data_info *info = sparcl_data_get_info(data);
    assert_string_equal(info->format, "array");
    assert_int_equal(info->rows, 10000);
    assert_int_equal(info->columns, 784);
    assert_int_equal(info->entries, 1511219);
    sparcl_data_free(data);
}

static void test_data_may_have_the_width_of_its_training_data(void **state) {
    fixture *f = *state;
    char path[1024];
    snprintf(path, sizeof path, "%s/svm/a9a.t.gz", data_folder());
    const sparcl_data_desc given = {.columns = 123}, narrow = {.columns = 121};
    sparcl_data *data = must_read(f, path, &given);
    assert_int_equal(sparcl_data_get_info(data)->columns, 123);
    sparcl_data_free(data);
    must_refuse(f, path, &narrow, ":", "expected an index up to 121, found 122");
}

int main(void) {
    if (!data_folder()) {
        printf(
            "skipped: svm, rcv1, variants, ctr and npz data: SPARCL_TEST_DATA names no folder\n");
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        TEST(every_file_of_the_table_reads_with_its_counts_or_is_refused),
        TEST(labels_of_real_matrices_are_read),
        TEST(every_format_of_one_matrix_has_one_fingerprint),
        TEST(the_matrices_of_one_archive_are_read_by_their_names),
        TEST(every_graph_and_list_of_ratings_has_the_ids_of_the_table),
        TEST(indices_without_values_are_read_when_the_format_is_named),
        TEST(images_are_rows_of_pixels),
        TEST(test_data_may_have_the_width_of_its_training_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
