/* test_tune.c: tunings: the text, what is refused, what is stored. */
#include "device_test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/facts.h"
#include "tune/tuned.h"

#define FIRST "sparcl tuning 1\n"

/* A folder for the cache, and the last warning of the log. */
typedef struct fixture {
    char folder[64], cache[80], warning[1100];
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/sparcl_tune_XXXXXX");
    if (!mkdtemp(f->folder)) return -1;
    snprintf(f->cache, sizeof f->cache, "%s/cache", f->folder);
    *state = f;
    return 0;
}

/* The path of the only file in the cache; "" where there is none. */
static void find_stored(const fixture *f, char path[400]) {
    DIR *dir = opendir(f->cache);
    path[0] = '\0';
    for (struct dirent *e = NULL; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') snprintf(path, 400, "%s/%s", f->cache, e->d_name);
    if (dir) closedir(dir);
}

static int teardown(void **state) {
    fixture *f = *state;
    char path[400];
    for (find_stored(f, path); path[0]; find_stored(f, path))
        unlink(path);
    rmdir(f->cache);
    rmdir(f->folder);
    free(f);
    return 0;
}

static void keep_warning(void *user, sparcl_log_level level, const char *message) {
    fixture *f = user;
    if (level == SPARCL_LOG_WARNING) snprintf(f->warning, sizeof f->warning, "%s", message);
}

static sparcl_status open_with(sparcl_ctx **ctx, fixture *f, const char *tuning,
                               sparcl_error *error) {
    sparcl_ctx_desc desc = test_desc();
    desc.tuning = tuning;
    desc.cache_dir = f->cache;
    desc.log = keep_warning;
    desc.log_user = f;
    f->warning[0] = '\0';
    return sparcl_ctx_open(ctx, &desc, error);
}

static sparcl_ctx *open_good(fixture *f, const char *tuning) {
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    if (open_with(&ctx, f, tuning, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return ctx;
}

static sparcl_tuned get(sparcl_ctx *ctx, int tunable, int input_class) {
    sparcl_tuned tuned;
    assert_ok(ctx, sparcl_tune_get(ctx, tunable, input_class, &tuned));
    return tuned;
}

static bool is_gpu(const sparcl_ctx *ctx) {
    return sparcl_ctx_class(ctx) == SPARCL_CLASS_GPU;
}

static void tunables_are_well_described(void **state) {
    (void)state;
    assert_int_equal(sparcl_tune_count(), SPC_TUNE_COUNT);
    assert_null(sparcl_tune_at(-1));
    assert_null(sparcl_tune_at(SPC_TUNE_COUNT));
    for (int t = 0; t < SPC_TUNE_COUNT; ++t) {
        const sparcl_tunable *about = sparcl_tune_at(t);
        assert_true(strcspn(about->name, " \t\r\n#") == strlen(about->name));
        assert_true(strlen(about->what) > 10);
        assert_in_range(about->class_count, 1, SPARCL_TUNE_CLASSES);
        assert_in_range(about->candidate_count, 2, SPARCL_TUNE_CANDIDATES);
        for (int u = 0; u < t; ++u)
            assert_string_not_equal(about->name, sparcl_tune_at(u)->name);
        for (int i = 0; i < about->candidate_count; ++i)
            assert_in_range(about->candidates[i], about->minimum, about->maximum);
        for (int c = 0; c < about->class_count; ++c)
            for (int gpu = 0; gpu < 2; ++gpu) {
                if (about->kernels != SPARCL_CLASS_AUTO &&
                    (about->kernels == SPARCL_CLASS_GPU) != gpu)
                    continue;
                assert_in_range(about->defaults[gpu][c], about->minimum, about->maximum);
            }
    }
}

static void a_text_sets_values_and_no_others(void **state) {
    fixture *f = *state;
    sparcl_ctx *ctx = open_good(f, FIRST "\n"
                                         "  # a comment\r\n"
                                         "spmm.prefetch n8.core 3 # and another\r\n"
                                         "\tspmm.stream\t* 1\n"
                                         "product.grain large 4096 when=7 gain=1.5 spread=0.062");
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 3).value, 3);
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 4).value,
                     spc_tunable_spmm_prefetch.defaults[is_gpu(ctx)][4]);
    for (int c = 0; c < 3; ++c)
        assert_int_equal(get(ctx, SPC_TUNE_SPMM_STREAM, c).value, 1);
    const sparcl_tuned partition = get(ctx, SPC_TUNE_PRODUCT_GRAIN, 2);
    assert_int_equal(partition.value, 4096);
    assert_true(partition.gain == 1.5 && partition.spread == 0.062 && partition.when == 7);
    assert_int_equal(get(ctx, SPC_TUNE_PRODUCT_GRAIN, 0).when, 0);
    sparcl_ctx_close(ctx);
}

static void what_is_written_is_read_as_the_same(void **state) {
    fixture *f = *state;
    char text[4096], again[4096], cut[10];
    const sparcl_tuned x = {.value = 5, .gain = 1.0625, .spread = 0.25, .when = 1763751600};
    sparcl_ctx *ctx = open_good(f, "");
    assert_int_equal(sparcl_tune_text(ctx, text, sizeof text), strlen(FIRST));
    assert_string_equal(text, FIRST);
    assert_ok(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 8, &x));
    const size_t length = sparcl_tune_text(ctx, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_string_equal(text, FIRST
                        "spmm.prefetch n32.beyond 5 gain=1.063 spread=0.250 when=1763751600\n");
    assert_int_equal(sparcl_tune_text(ctx, NULL, 0), length);
    assert_int_equal(sparcl_tune_text(ctx, cut, sizeof cut), length);
    assert_string_equal(cut, "sparcl tu");
    assert_int_equal(sparcl_tune_text(NULL, cut, sizeof cut), 0);
    assert_string_equal(cut, "");
    sparcl_ctx_close(ctx);
    ctx = open_good(f, text);
    assert_int_equal(sparcl_tune_text(ctx, again, sizeof again), length);
    assert_string_equal(again, text);
    sparcl_ctx_close(ctx);
}

static void bad_texts_are_refused_with_their_line(void **state) {
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"spmm.prefetch * 3", "line 1: found \"spmm.prefetch * 3\", expected \"sparcl tuning 1\""},
        {"\n" FIRST, "line 1: found \"\", expected"},
        {"sparcl tuning 2\n", "line 1: found \"sparcl tuning 2\""},
        {"sparcl tuning 1 \x01\n", "line 1: found \"sparcl tuning 1 \\x01\""},
        {FIRST "\nspmm.behind * 3", "line 3: there is no tunable \"spmm.behind\"; sparcl tune"},
        {FIRST "spmm.prefetch n3.core 3",
         "line 2: spmm.prefetch has no class \"n3.core\", expected n2.core"},
        {FIRST "spmm.prefetch", "line 2: found 1 words, expected: spmm.prefetch CLASS VALUE"},
        {FIRST "spmm.prefetch n2.core # 3", "line 2: found 2 words"},
        {FIRST "spmm.prefetch n2.core 65", "is \"65\", expected a whole number from 0 to 64"},
        {FIRST "spmm.prefetch n2.core -1", "is \"-1\", expected a whole number"},
        {FIRST "spmm.prefetch n2.core 1.5", "is \"1.5\", expected a whole number"},
        {FIRST "spmm.prefetch n2.core 99999999999999999999", "expected a whole number"},
        {FIRST "spmm.prefetch n2.core 0x1", "expected a whole number"},
        {FIRST "product.grain tiny 63", "is \"63\", expected a whole number from 64"},
        {FIRST "spmm.prefetch n2.core 1\r\nspmm.prefetch n2.core 1\r\n",
         "line 3: spmm.prefetch n2.core was set in line 2; remove one of them"},
        {FIRST "spmm.prefetch n2.core 1\nspmm.prefetch * 1",
         "line 3: spmm.prefetch n2.core was set in"},
        {FIRST "spmm.prefetch n2.core 1 2",
         "line 2: found \"2\" after the value, expected nothing"},
        {FIRST "spmm.prefetch n2.core 1 gain=", "found \"gain=\" after the value"},
        {FIRST "spmm.prefetch n2.core 1 gain=1.2345", "found \"gain=1.2345\""},
        {FIRST "spmm.prefetch n2.core 1 gain=-1", "found \"gain=-1\""},
        {FIRST "spmm.prefetch n2.core 1 gain=nan", "found \"gain=nan\""},
        {FIRST "spmm.prefetch n2.core 1 when=1.5", "found \"when=1.5\""},
        {FIRST "spmm.prefetch n2.core 1 gain=1 spread=1 when=1 when=1", "found \"when=1\" after"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sparcl_ctx *ctx = NULL;
        sparcl_error error = {0};
        const sparcl_status status = open_with(&ctx, f, cases[i].text, &error);
        if (status != SPARCL_E_ARG || ctx || !strstr(error.message, cases[i].part))
            fail_msg("case %zu: %s, \"%s\", expected \"%s\"", i, sparcl_status_name(status),
                     error.message, cases[i].part);
    }
}

static void a_huge_text_is_read(void **state) {
    enum { LINES = 200000, LONG = 1 << 20 };
    fixture *f = *state;
    char *text = malloc(sizeof FIRST + LINES * 2 + LONG + 100), *at = text;
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    assert_non_null(text);
    at += sprintf(at, FIRST);
    for (int i = 0; i < LINES; ++i)
        at += sprintf(at, "#\n");
    strcpy(at, "spmm.prefetch n2.core 1 ");
    memset(at + strlen(at) - 1, ' ', LONG);
    strcpy(at + 20 + LONG, "# the end");
    ctx = open_good(f, text);
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 0).value, 1);
    sparcl_ctx_close(ctx);
    memset(at, 'x', LONG);
    at[LONG] = '\0';
    ctx = NULL;
    assert_int_equal(open_with(&ctx, f, text, &error), SPARCL_E_ARG);
    assert_non_null(strstr(error.message, "line 200002: there is no tunable \"xxxx"));
    assert_true(strlen(error.message) < 300);
    free(text);
}

/* Whatever a text is, it is taken or refused. */
static void damaged_texts_are_taken_or_refused(void **state) {
    static const char whole[] = FIRST "spmm.prefetch n8.core 3 gain=1.250 spread=0.500 when=12\n"
                                      "product.grain * 4096 # all\r\n\tspmm.stream beyond 0\n";
    static const char bytes[] = " \t\r\n#*=.0123456789nabc\x01\xff";
    (void)state;
    spc_tuning tuning;
    uint64_t seed = 1;
    int taken = 0, refused = 0;
    spc_tuning_default(&tuning, false);
    for (int i = 0; i < 20000; ++i) {
        char text[sizeof whole];
        sparcl_error error = {0};
        memcpy(text, whole, sizeof whole);
        for (int k = 0; k < 1 + i % 3; ++k) {
            seed = seed * 6364136223846793005u + 1442695040888963407u; /* Knuth, MMIX */
            const size_t at = (seed >> 33) % (sizeof whole - 1);
            text[at] = i % 16 == 0 ? '\0' : bytes[(seed >> 20) % (sizeof bytes - 1)];
        }
        const sparcl_status status = spc_tuning_read(&tuning, false, text, &error);
        taken += status == SPARCL_OK;
        refused += status == SPARCL_E_ARG && strncmp(error.message, "tuning, line ", 13) == 0;
    }
    assert_int_equal(taken + refused, 20000);
    assert_true(taken > 1000 && refused > 1000);
}

static void wrong_calls_are_refused_and_set_nothing(void **state) {
    fixture *f = *state;
    sparcl_ctx *ctx = open_good(f, "");
    sparcl_tuned x = {.value = 5}, old = {.value = 5};
    assert_int_equal(sparcl_tune_get(NULL, 0, 0, &x), SPARCL_E_ARG);
    assert_int_equal(x.value, 0);
    assert_int_equal(sparcl_tune_set(NULL, 0, 0, &old), SPARCL_E_ARG);
    assert_int_equal(sparcl_tune_store(NULL), SPARCL_E_ARG);
    assert_refused(ctx, sparcl_tune_get(ctx, 0, 0, NULL), SPARCL_E_ARG, "tuned is NULL");
    assert_refused(ctx, sparcl_tune_set(ctx, 0, 0, NULL), SPARCL_E_ARG, "tuned is NULL");
    assert_refused(ctx, sparcl_tune_get(ctx, -1, 0, &x), SPARCL_E_ARG, "tunable -1, expected 0 to");
    assert_refused(ctx, sparcl_tune_get(ctx, SPC_TUNE_PRODUCT_GRAIN, 3, &x), SPARCL_E_ARG,
                   "class 3 of product.grain, expected 0 to 2");
    old = get(ctx, SPC_TUNE_SPMM_PREFETCH, 0);
    x = (sparcl_tuned){.value = 65};
    assert_refused(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 0, &x), SPARCL_E_ARG,
                   "spmm.prefetch is 65, expected 0 to 64");
    x = (sparcl_tuned){.value = 1, .gain = -1};
    assert_refused(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 0, &x), SPARCL_E_ARG,
                   "negative");
    x = (sparcl_tuned){.value = 1, .when = -1};
    assert_refused(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 0, &x), SPARCL_E_ARG,
                   "negative");
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 0).value, old.value);
    assert_int_equal(sparcl_tune_used(NULL, 0, 0), 0);
    assert_int_equal(sparcl_tune_used(ctx, 0, 99), 0);
    sparcl_tune_forget_used(NULL);
    sparcl_ctx_close(ctx);
}

static void what_is_stored_is_taken_by_later_contexts(void **state) {
    fixture *f = *state;
    sparcl_tuned x = {.value = 7, .gain = 1.25, .spread = 0.5, .when = 11};
    sparcl_ctx *ctx = open_good(f, NULL);
    const int first = get(ctx, SPC_TUNE_SPMM_PREFETCH, 1).value;
    assert_ok(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 1, &x));
    assert_ok(ctx, sparcl_tune_store(ctx));
    sparcl_ctx_close(ctx);
    ctx = open_good(f, NULL);
    const sparcl_tuned got = get(ctx, SPC_TUNE_SPMM_PREFETCH, 1);
    assert_true(got.value == 7 && got.gain == 1.25 && got.spread == 0.5 && got.when == 11);
    sparcl_ctx_close(ctx);
    ctx = open_good(f, ""); /* the defaults are told to be taken */
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 1).value, first);
    sparcl_ctx_close(ctx);
    ctx = open_good(f, FIRST "product.grain tiny 128"); /* and a text is all */
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 1).value, first);
    assert_string_equal(f->warning, "");
    sparcl_ctx_close(ctx);
}

static void without_a_cache_nothing_can_be_stored(void **state) {
    fixture *f = *state;
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    desc.cache_dir = NULL;
    desc.tuning = NULL;
    assert_int_equal(sparcl_ctx_open(&ctx, &desc, NULL), SPARCL_OK);
    assert_refused(ctx, sparcl_tune_store(ctx), SPARCL_E_IO, "no cache folder");
    sparcl_ctx_close(ctx);
    ctx = open_good(f, NULL);
    assert_ok(ctx, sparcl_tune_store(ctx));
    assert_int_equal(chmod(f->cache, 0777), 0);
    assert_refused(ctx, sparcl_tune_store(ctx), SPARCL_E_IO, "that only you can write to");
    sparcl_ctx_close(ctx);
}

static void flip(const char *path, long at, unsigned char by) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    const int c = fgetc(file);
    assert_int_equal(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    assert_int_equal(fputc(c ^ by, file), c ^ by);
    assert_int_equal(fclose(file), 0);
}

static void a_damaged_store_is_as_none(void **state) {
    fixture *f = *state;
    char path[400];
    const sparcl_tuned x = {.value = 7};
    sparcl_ctx *ctx = open_good(f, NULL);
    const int first = get(ctx, SPC_TUNE_SPMM_PREFETCH, 1).value;
    assert_ok(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 1, &x));
    assert_ok(ctx, sparcl_tune_store(ctx));
    sparcl_ctx_close(ctx);
    find_stored(f, path);
    flip(path, -1, 1);
    ctx = open_good(f, NULL);
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 1).value, first);
    sparcl_ctx_close(ctx);
    assert_int_equal(truncate(path, 100), 0);
    ctx = open_good(f, NULL);
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 1).value, first);
    assert_ok(ctx, sparcl_tune_store(ctx)); /* which fixes it */
    sparcl_ctx_close(ctx);
    ctx = open_good(f, NULL);
    assert_string_equal(f->warning, "");
    sparcl_ctx_close(ctx);
}

/* Whole, but not a text that this library takes: as one from another version may be. */
static void a_stored_text_that_is_wrong_is_told_to_the_log(void **state) {
    fixture *f = *state;
    char text[16 << 10] = FIRST "spmm.later * 3\n";
    sparcl_ctx *ctx = open_good(f, NULL);
    spc_fact_store(ctx, "tuning 1", text, sizeof text);
    sparcl_ctx_close(ctx);
    ctx = open_good(f, NULL);
    assert_non_null(strstr(f->warning, "the stored tuning is not used: tuning, line 2: there is "));
    assert_int_equal(get(ctx, SPC_TUNE_PRODUCT_GRAIN, 0).value,
                     spc_tunable_product_grain.defaults[is_gpu(ctx)][0]);
    memset(text, 'x', sizeof text);
    spc_fact_store(ctx, "tuning 1", text, sizeof text);
    sparcl_ctx_close(ctx);
    ctx = open_good(f, NULL);
    assert_non_null(strstr(f->warning, "it is truncated"));
    sparcl_ctx_close(ctx);
}

/* A product whose B and result are of a size class, so that it looks at the right values. */
static void a_call_notes_what_it_looked_at(void **state) {
    fixture *f = *state;
    sparcl_ctx *ctx = open_good(f, "");
    const int32_t offsets[] = {0, 1}, indices[] = {0};
    const float ones[16] = {1};
    sparcl_buf *buf[4] = {NULL};
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf[0], offsets, sizeof offsets));
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf[1], indices, sizeof indices));
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf[2], ones, sizeof ones));
    assert_ok(ctx, sparcl_buf_create(ctx, &buf[3], sizeof ones));
    const sparcl_csr a = {.rows = 1,
                          .cols = 1,
                          .nnz = 1,
                          .offsets = buf[0],
                          .indices = buf[1],
                          .values = buf[2],
                          .proof.flags = SPARCL_TRUSTED | SPARCL_VALID};
    const sparcl_dense b = {.rank = 2, .shape = {1, 16}, .values = buf[2]};
    const sparcl_dense c = {.rank = 2, .shape = {1, 16}, .values = buf[3]};
    sparcl_tune_forget_used(ctx);
    assert_ok(ctx, sparcl_spmm(ctx, &c, 1, &a, &b, 0));
    for (int class = 0; class < 9; ++class)
        assert_int_equal(sparcl_tune_used(ctx, SPC_TUNE_SPMM_PREFETCH, class),
                         class == 3 && !is_gpu(ctx));
    for (int class = 0; class < 3; ++class)
        assert_int_equal(sparcl_tune_used(ctx, SPC_TUNE_PRODUCT_GRAIN, class), class == 0);
    sparcl_tune_forget_used(ctx);
    assert_int_equal(sparcl_tune_used(ctx, SPC_TUNE_PRODUCT_GRAIN, 0), 0);
    for (int i = 0; i < 4; ++i)
        sparcl_buf_free(buf[i]);
    sparcl_ctx_close(ctx);
}

static void sizes_have_classes(void **state) {
    (void)state;
    assert_int_equal(spc_width_class(0), 0);
    assert_int_equal(spc_width_class(1), 0);
    assert_int_equal(spc_width_class(7), 1);
    assert_int_equal(spc_width_class(8), 2);
    assert_int_equal(spc_width_class(31), 2);
    assert_int_equal(spc_width_class(INT64_MAX), 3);
    assert_int_equal(spc_size_class(0, 0, 4), 0);
    assert_int_equal(spc_size_class(1 << 19, 1, 4), 0);
    assert_int_equal(spc_size_class((1 << 19) + 1, 1, 4), 1);
    assert_int_equal(spc_size_class(1 << 19, 1, 8), 1);
    assert_int_equal(spc_size_class((1 << 19) + 1, 8, 4), 2);
    assert_int_equal(spc_size_class(INT64_MAX, INT64_MAX, 8), 2);
    assert_int_equal(spc_work_class(1 << 11, 16), 0);
    assert_int_equal(spc_work_class((1 << 11) + 1, 16), 1);
    assert_int_equal(spc_work_class(1 << 14, 16), 1);
    assert_int_equal(spc_work_class(INT64_MAX, 16), 2);
}

#define TUNE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tunables_are_well_described),
        cmocka_unit_test(sizes_have_classes),
        TUNE_TEST(a_text_sets_values_and_no_others),
        TUNE_TEST(what_is_written_is_read_as_the_same),
        TUNE_TEST(bad_texts_are_refused_with_their_line),
        cmocka_unit_test(damaged_texts_are_taken_or_refused),
        TUNE_TEST(a_huge_text_is_read),
        TUNE_TEST(wrong_calls_are_refused_and_set_nothing),
        TUNE_TEST(what_is_stored_is_taken_by_later_contexts),
        TUNE_TEST(without_a_cache_nothing_can_be_stored),
        TUNE_TEST(a_damaged_store_is_as_none),
        TUNE_TEST(a_stored_text_that_is_wrong_is_told_to_the_log),
        TUNE_TEST(a_call_notes_what_it_looked_at),
    };
    umask(022);
    sparcl_ctx_close(test_open()); /* skipped without a device */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
