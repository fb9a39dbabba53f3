/* test_id_pairs.c: edges, ratings and Matrix Market files of many blocks, read by several threads.
 */
#include "data_test.h"

#include "base/macros.h"

enum { NODES = 60011, STEP = 7919 }; /* both are prime: every node comes once */

/* Node i has an edge to the next node and to the one after it; edges are in no order. */
static int64_t node_of(int64_t i) {
    return i * STEP % NODES;
}

/* A line before every thousandth one that has nothing, so that lines and entries differ. */
static void write_edges(FILE *file, const char *format, int base) {
    for (int64_t i = 0; i < NODES; i++)
        for (int64_t to = 1; to <= 2; to++) {
            if (i % 1000 == 500 && to == 1) fputs("% nothing\n\n", file);
            fprintf(file, format, node_of(i) + base, (node_of(i) + to) % NODES + base, to);
        }
}

static const char *const kinds[] = {"edges", "weights", "ratings", "mtx", "array"};

static sparcl_data_desc write_kind(const char *path, int kind) {
    static const sparcl_data_format formats[] = {SPARCL_DATA_EDGES, SPARCL_DATA_EDGES,
                                                 SPARCL_DATA_RATINGS, SPARCL_DATA_MTX,
                                                 SPARCL_DATA_MTX};
    FILE *const file = fopen(path, "w");
    if (kind == 0) write_edges(file, "%" PRId64 " %" PRId64 "\n", 0);
    if (kind == 1) write_edges(file, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\n", 0);
    if (kind == 2) {
        fputs("user,item,rating\n", file);
        write_edges(file, "%" PRId64 ",%" PRId64 ",%" PRId64 ".5\n", 0);
    }
    if (kind == 3) {
        fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", NODES, NODES,
                2 * NODES);
        write_edges(file, "%" PRId64 " %" PRId64 " %" PRId64 "\n", 1);
    }
    if (kind == 4) {
        fputs("%%MatrixMarket matrix array real general\n100003 3\n", file);
        for (int64_t i = 0; i < 3 * 100003; i++)
            fprintf(file, "%" PRId64 "\n", i % 5);
    }
    fclose(file);
    return (sparcl_data_desc){.format = formats[kind]};
}

static void the_number_of_threads_changes_nothing(void **state) {
    fixture *f = *state;
    for (int kind = 0; kind < (int)SPC_COUNT(kinds); kind++) {
        sparcl_data_desc desc = write_kind(f->path, kind);
        desc.threads = 1;
        const uint64_t one = fingerprint_of(f, f->path, &desc);
        for (desc.threads = 2; desc.threads < 6; desc.threads += 3)
            if (fingerprint_of(f, f->path, &desc) != one)
                fail_msg("%s: %d threads", kinds[kind], desc.threads);
    }
}

static void every_line_is_read_once(void **state) {
    fixture *f = *state;
    static const int matrices[] = {0, 1, 3};
    for (size_t m = 0; m < SPC_COUNT(matrices); m++) {
        sparcl_data_desc desc = write_kind(f->path, matrices[m]);
        desc.threads = 3;
        sparcl_data *const data = must_read(f, f->path, &desc);
        const int64_t *const offsets = sparcl_data_offsets(data);
        const int32_t *const indices = sparcl_data_indices(data);
        const float *const values = sparcl_data_values(data);
        assert_int_equal(sparcl_data_get_info(data)->rows, NODES);
        for (int32_t row = 0; row < NODES; row++) {
            const int64_t k = offsets[row];
            assert_int_equal(k, 2 * row);
            if (row >= NODES - 2) continue; /* these are in another order */
            assert_int_equal(indices[k], row + 1);
            assert_int_equal(indices[k + 1], row + 2);
            assert_true(values[k] == 1 && values[k + 1] == (m == 0 ? 1.0F : 2.0F));
        }
        sparcl_data_free(data);
    }
}

static void ratings_keep_their_order_and_lines(void **state) {
    fixture *f = *state;
    sparcl_data_desc desc = write_kind(f->path, 2);
    desc.threads = 3;
    sparcl_data *const data = must_read(f, f->path, &desc);
    const int32_t *const indices = sparcl_data_indices(data);
    int64_t line = 1; /* the heading */
    for (int64_t i = 0; i < 2 * (int64_t)NODES; i++) {
        if (i % 2000 == 1000) line += 2;
        line++;
        assert_int_equal(sparcl_data_line(data, i), line);
        assert_int_equal(indices[2 * i], node_of(i / 2));
        assert_true(sparcl_data_labels(data)[i] == (double)(i % 2) + 1.5);
    }
    sparcl_data_free(data);
}

static void append(const char *path, const char *text) {
    FILE *const file = fopen(path, "a");
    fputs(text, file);
    fclose(file);
}

/* What is wrong is far from the first block, whose lines say how many fields there are. */
static void a_broken_line_is_refused_at_its_place(void **state) {
    fixture *f = *state;
    const int edges = 2 * NODES + 2 * 60; /* with the lines that have nothing */
    const int lines[] = {edges, edges, edges + 1, edges + 2, 2 + 3 * 100003}; /* of each kind */
    const struct {
        int kind, line;
        const char *text, *column, *words;
    } cases[] = {
        {0, 1, "0 x\n", "3", "an id"},
        {0, 2, "\n0 1 2\n0 x\n", "6", "expected 2 fields, as in the lines before, found 3"},
        {1, 1, "0 1\n", "4", "expected 3 fields"},
        {1, 1, "0 1 1e39\n", "5", "32-bit float"},
        {2, 1, "0,1\n", "4", "expected 3 fields"},
        {3, 1, "1 1 1\n", "1", "found more"},
        {3, 1, "x\n", "1", "found more"},
        {4, 1, "1\nx\n", "1", "found more"},
    };
    char place[64];
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        sparcl_data_desc desc = write_kind(f->path, cases[i].kind);
        append(f->path, cases[i].text);
        snprintf(place, sizeof place, ":%d:%s: ", lines[cases[i].kind] + cases[i].line,
                 cases[i].column);
        for (desc.threads = 1; desc.threads < 4; desc.threads += 2)
            must_refuse(f, f->path, &desc, place, cases[i].words);
    }
    sparcl_data_desc strict = write_kind(f->path, 0);
    strict.strict = 1;
    strict.threads = 3;
    append(f->path, "0 2\n");
    snprintf(place, sizeof place, ":%d:1: ", edges + 1);
    must_refuse(f, f->path, &strict, place, "every edge once");
}

static void count_note(void *user, const char *message) {
    int64_t *const lines = user;
    assert_non_null(strstr(message, "an id"));
    ++*lines;
}

static void bad_lines_are_left_out(void **state) {
    fixture *f = *state;
    FILE *const file = fopen(f->path, "w");
    int64_t bad = 0;
    for (int64_t i = 0; i < 100000; i++) {
        const bool is_bad = i % 7 == 3 || (i > 50000 && i < 51000);
        fprintf(file, is_bad ? "%" PRId64 " x\n" : "%" PRId64 " 1\n", i);
        bad += is_bad;
    }
    fclose(file);
    for (int threads = 1; threads < 5; threads += 3) {
        int64_t reported = 0;
        sparcl_validation found = {.problem = count_note, .user = &reported, .fixed = f->other};
        const sparcl_data_desc desc = {.format = SPARCL_DATA_EDGES, .threads = threads};
        assert_int_equal(sparcl_data_validate(f->path, &desc, &found, &f->error), SPARCL_OK);
        assert_int_equal(found.bad_rows, bad);
        assert_int_equal(reported, bad);
        sparcl_data *const data = must_read(f, f->other, &desc);
        assert_int_equal(sparcl_data_get_info(data)->entries, 100000 - bad);
        sparcl_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_number_of_threads_changes_nothing),
        TEST(every_line_is_read_once),
        TEST(ratings_keep_their_order_and_lines),
        TEST(a_broken_line_is_refused_at_its_place),
        TEST(bad_lines_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
