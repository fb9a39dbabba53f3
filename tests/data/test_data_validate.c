/* test_data_validate.c: all that is wrong with a file is told, and a file without that is written.
 */
#include "data_test.h"

#include "base/macros.h"

typedef struct told {
    char messages[12][300];
    int count;
} told;

static void note(void *user, const char *message) {
    told *const t = user;
    if (t->count < (int)SPC_COUNT(t->messages))
        snprintf(t->messages[t->count], sizeof t->messages[0], "%s", message);
    t->count++;
}

typedef struct expectation {
    const char *text, *fixed; /* NULL: the same as the text */
    sparcl_data_format format;
    int64_t rows, bad, not_finite, unsorted, duplicates;
    const char *places[6]; /* of the problems, in order */
} expectation;

static void check_file(const char *path, const char *text) {
    size_t size = 0;
    char *const bytes = read_bytes(path, &size);
    if (size != strlen(text) || memcmp(bytes, text, size) != 0)
        fail_msg("expected \"%s\", found \"%.*s\"", text, (int)size, bytes);
    free(bytes);
}

static void check_clean(fixture *f, const sparcl_data_desc *desc) {
    told t = {.count = 0};
    sparcl_validation found = {.problem = note, .user = &t};
    assert_int_equal(sparcl_data_validate(f->other, desc, &found, &f->error), SPARCL_OK);
    if (t.count > 0) fail_msg("%s", t.messages[0]);
    sparcl_data_free(must_read(f, f->other, desc));
}

static void check(fixture *f, const expectation *e, int threads) {
    told t = {.count = 0};
    sparcl_validation found = {.problem = note, .user = &t, .fixed = f->other};
    const sparcl_data_desc desc = {.format = e->format, .threads = threads};
    int count = 0;
    write_text(f->path, e->text);
    if (sparcl_data_validate(f->path, &desc, &found, &f->error) != SPARCL_OK)
        fail_msg("%s", f->error.message);
    for (; count < (int)SPC_COUNT(e->places) && e->places[count]; count++) {
        const char *const message = t.messages[count];
        if (strncmp(message + strlen(f->path), e->places[count], strlen(e->places[count])) != 0 ||
            !strstr(message, "expected ") || !strstr(message, "; "))
            fail_msg("%s: expected %s, found %s", e->text, e->places[count], message);
    }
    if (t.count > count) fail_msg("%s: not expected: %s", e->text, t.messages[count]);
    assert_int_equal(t.count, count);
    assert_int_equal(found.rows, e->rows);
    assert_int_equal(found.bad_rows, e->bad);
    assert_int_equal(found.not_finite_rows, e->not_finite);
    assert_int_equal(found.unsorted_rows, e->unsorted);
    assert_int_equal(found.duplicates, e->duplicates);
    assert_int_equal(found.unreadable, 0);
    check_file(f->other, e->fixed ? e->fixed : e->text);
    check_clean(f, &desc);
}

static void every_row_of_libsvm_text_is_checked(void **state) {
    const expectation cases[] = {
        {"1 1:1 # a\n\n# b\n0 2:1\r\n", NULL, SPARCL_DATA_SVMLIGHT, 2, 0, 0, 0, 0, {NULL}},
        {"x 1:1\n1 2:2\n1 x\n",
         "1 2:2\n",
         SPARCL_DATA_SVMLIGHT,
         1,
         2,
         0,
         0,
         0,
         {":1:1: ", ":3:3: "}},
        {"1 qid:7 3:2 1:0.1 3:1 # c\r\n0\t9:1",
         "1 qid:7 1:0.1 3:3 # c\r\n0\t9:1\n",
         SPARCL_DATA_SVMLIGHT,
         2,
         0,
         0,
         1,
         1,
         {":1:13: "}},
        {"1 1:nan\nx\n1 2:2 1:1\n1 3:inf\nx\n",
         "1 1:1 2:2\n",
         SPARCL_DATA_SVMLIGHT,
         3,
         2,
         2,
         1,
         0,
         {":2:1: ", ":3:7: ", ":5:1: ", ":1:1: ", ":4:1: "}},
        {"1 0:1 0:2\n", "1 0:3\n", SPARCL_DATA_SVMLIGHT, 1, 0, 0, 0, 1, {":1:7: "}},
        {"1 1:nan\n0 1:1\n1 2:1 3:-inf\n",
         "0 1:1\n",
         SPARCL_DATA_SVMLIGHT,
         3,
         0,
         2,
         0,
         0,
         {":1:1: ", ":3:1: "}},
        {"1 3:1 2:1 5:x\n1 1:1\n",
         "1 1:1\n",
         SPARCL_DATA_SVMLIGHT,
         1,
         1,
         0,
         0,
         0,
         {":1:7: ", ":1:13: "}},
        {"1 3 2 2\n1 5:x\n0 4\n",
         "1 2:2 3:1\n0 4\n",
         SPARCL_DATA_INDICES,
         2,
         1,
         0,
         1,
         1,
         {":1:5: ", ":2:5: "}},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++)
        check(*state, &cases[i], 1);
}

static void every_row_of_other_text_is_checked(void **state) {
    const expectation cases[] = {
        {"1 0:3:1 1:1:2\n0 0:1\n1 0:2:1 1:2:1\n",
         "1 0:3:1 1:1:2\n1 0:2:2\n",
         SPARCL_DATA_LIBFFM,
         2,
         1,
         0,
         0,
         1,
         {":2:6: ", ":3:1: "}},
        {"1 |f a b\nx |f a\n1 |f a:nan\n-1 |f c\n",
         "1 |f a b\n-1 |f c\n",
         SPARCL_DATA_VW,
         3,
         1,
         1,
         0,
         0,
         {":2:1: ", ":3:1: "}},
        {"y,a,t\n1,2,\"p\nq\"\n1,2,\"x\ny\",3\n\n0,inf,z\n\n1,4,w\n",
         "y,a,t\n1,2,\"p\nq\"\n\n1,4,w\n",
         SPARCL_DATA_CSV,
         3,
         1,
         1,
         0,
         0,
         {":5:4: ", ":7:1: "}},
        {"1 2\n1 x\n1 2 3\n4 5\n",
         "1 2\n4 5\n",
         SPARCL_DATA_EDGES,
         5 + 1,
         2,
         0,
         0,
         0,
         {":2:3: ", ":3:6: "}},
        {"user,item,rating\n1,2,3\n1,,3\n1,2,x\n4,5,1\n",
         "user,item,rating\n1,2,3\n4,5,1\n",
         SPARCL_DATA_RATINGS,
         2,
         2,
         0,
         0,
         0,
         {":3:3: ", ":4:5: "}},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++)
        check(*state, &cases[i], 1);
}

static void many_bad_rows_are_found_by_many_threads(void **state) {
    fixture *f = *state;
    FILE *bad = fopen(f->path, "w");
    char good[128];
    snprintf(good, sizeof good, "%s/good", f->folder);
    FILE *expected = fopen(good, "w");
    int64_t count = 0;
    for (int i = 0; i < 60000; i++) {
        const bool is_bad = i % 7 == 3 || (i > 30000 && i < 31000);
        fprintf(bad, is_bad ? "1 x:%d\n" : "1 1:%d 3:1\n", i);
        if (!is_bad) fprintf(expected, "1 1:%d 3:1\n", i);
        count += is_bad;
    }
    fclose(bad);
    fclose(expected);
    for (int threads = 1; threads <= 4; threads += 3) {
        told t = {.count = 0};
        sparcl_validation found = {.problem = note, .user = &t, .fixed = f->other};
        const sparcl_data_desc desc = {.threads = threads};
        assert_int_equal(sparcl_data_validate(f->path, &desc, &found, &f->error), SPARCL_OK);
        assert_int_equal(found.bad_rows, count);
        assert_int_equal(t.count, count);
        assert_non_null(strstr(t.messages[1], ":11:3: "));
        size_t sizes[2];
        char *const a = read_bytes(f->other, &sizes[0]), *const b = read_bytes(good, &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(a, b, sizes[0]);
        free(a);
        free(b);
    }
    unlink(good);
}

static void what_cannot_be_fixed_is_refused_and_writes_nothing(void **state) {
    fixture *f = *state;
    told t = {.count = 0};
    sparcl_validation found = {.problem = note, .user = &t, .fixed = f->other};
    write_text(f->path, "y,a\n1,2\n1,\"x\n1,4\n");
    assert_int_equal(sparcl_data_validate(f->path, NULL, &found, &f->error), SPARCL_E_FORMAT);
    assert_int_equal(t.count, 1);
    assert_non_null(strstr(t.messages[0], ":3:3: "));
    assert_int_equal(access(f->other, F_OK), -1);
    write_text(f->path, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n");
    assert_int_equal(sparcl_data_validate(f->path, NULL, &found, &f->error), SPARCL_E_ARG);
    assert_non_null(strstr(f->error.message, "found mtx"));
    assert_int_equal(access(f->other, F_OK), -1);
    found.fixed = NULL;
    write_text(f->path, "x 1:1\nz 2:1\n");
    assert_int_equal(sparcl_data_validate(f->path, NULL, &found, &f->error), SPARCL_OK);
    assert_int_equal(found.unreadable, 0);
    assert_int_equal(found.rows, 0);
    assert_int_equal(found.bad_rows, 2);
    found.fixed = f->other;
    assert_int_equal(sparcl_data_validate(f->path, NULL, &found, &f->error), SPARCL_E_FORMAT);
    assert_non_null(strstr(f->error.message, "a good row to be left"));
    assert_int_equal(access(f->other, F_OK), -1);
    found.fixed = NULL;
    write_text(f->path, "");
    assert_int_equal(sparcl_data_validate(f->path, NULL, &found, &f->error), SPARCL_OK);
    assert_int_equal(found.unreadable, 1);
    assert_string_equal(found.format, "svmlight");
    assert_int_equal(sparcl_data_validate("-", NULL, &found, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_validate(f->path, NULL, NULL, &f->error), SPARCL_E_ARG);
    assert_int_equal(sparcl_data_validate(f->other, NULL, &found, &f->error), SPARCL_E_IO);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void **state) {
    fixture *f = *state;
    sparcl_status status = SPARCL_E_MEMORY;
    write_text(f->path, "1 2:1 1:3\nx\n0 1:nan\n1 5:1\n");
    for (int64_t at = 1; status == SPARCL_E_MEMORY; at++) {
        counted memory = {.fail_at = at};
        const sparcl_data_desc desc = {.threads = 1,
                                       .allocator = {.fn = count_memory, .user = &memory}};
        sparcl_validation found = {.fixed = f->other};
        status = sparcl_data_validate(f->path, &desc, &found, &f->error);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, SPARCL_OK);
    check_file(f->other, "1 1:3 2:1\n1 5:1\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_row_of_libsvm_text_is_checked),
        TEST(every_row_of_other_text_is_checked),
        TEST(many_bad_rows_are_found_by_many_threads),
        TEST(what_cannot_be_fixed_is_refused_and_writes_nothing),
        TEST(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
