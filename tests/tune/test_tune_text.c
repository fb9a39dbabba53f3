/* test_tune_text.c: the text of a tuning: what it sets, and what is refused. */
#include "tune_test.h"

#include <sys/stat.h>

static void a_text_sets_only_its_values(void **state) {
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
    const sparcl_tuned grain = get(ctx, SPC_TUNE_PRODUCT_GRAIN, 2);
    assert_int_equal(grain.value, 4096);
    assert_true(grain.gain == 1.5 && grain.spread == 0.062 && grain.when == 7);
    assert_int_equal(get(ctx, SPC_TUNE_PRODUCT_GRAIN, 0).when, 0);
    sparcl_ctx_close(ctx);
}

static void a_written_text_reads_back_the_same(void **state) {
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
        {FIRST "spmm.prefetch n2.core 257", "is \"257\", expected a whole number from 0 to 256"},
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

/* Whatever a text is, it is accepted or refused. */
static void damaged_texts_are_accepted_or_refused(void **state) {
    static const char whole[] = FIRST "spmm.prefetch n8.core 3 gain=1.250 spread=0.500 when=12\n"
                                      "product.grain * 4096 # all\r\n\tspmm.stream beyond 0\n";
    static const char bytes[] = " \t\r\n#*=.0123456789nabc\x01\xff";
    (void)state;
    spc_tuning tuning;
    uint64_t seed = 1;
    int accepted = 0, refused = 0;
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
        accepted += status == SPARCL_OK;
        refused += status == SPARCL_E_ARG && strncmp(error.message, "tuning, line ", 13) == 0;
    }
    assert_int_equal(accepted + refused, 20000);
    assert_true(accepted > 1000 && refused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TUNE_TEST(a_text_sets_only_its_values),
        TUNE_TEST(a_written_text_reads_back_the_same),
        TUNE_TEST(bad_texts_are_refused_with_their_line),
        cmocka_unit_test(damaged_texts_are_accepted_or_refused),
        TUNE_TEST(a_huge_text_is_read),
    };
    umask(022);
    sparcl_ctx_close(test_open()); /* skipped without a device */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
