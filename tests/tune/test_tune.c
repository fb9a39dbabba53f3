/* test_tune.c: tunings: what can be tuned, what is refused, what is stored. */
#include "tune_test.h"

#include <sys/stat.h>

#include "program/facts.h"

static void tunables_are_well_described(void **state) {
    (void)state;
    assert_int_equal(sparcl_tune_count(), SPC_TUNE_COUNT);
    assert_null(sparcl_tune_at(-1));
    assert_null(sparcl_tune_at(SPC_TUNE_COUNT));
    for (int t = 0; t < SPC_TUNE_COUNT; ++t) {
        const sparcl_tunable *about = sparcl_tune_at(t);
        assert_true(strcspn(about->name, " \t\r\n#") == strlen(about->name));
        assert_true(strlen(about->description) > 10);
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
    x = (sparcl_tuned){.value = 257};
    assert_refused(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 0, &x), SPARCL_E_ARG,
                   "spmm.prefetch is 257, expected 0 to 256");
    x = (sparcl_tuned){.value = 1, .gain = -1};
    assert_refused(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 0, &x), SPARCL_E_ARG,
                   "negative");
    x = (sparcl_tuned){.value = 1, .when = -1};
    assert_refused(ctx, sparcl_tune_set(ctx, SPC_TUNE_SPMM_PREFETCH, 0, &x), SPARCL_E_ARG,
                   "negative");
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 0).value, old.value);
    assert_int_equal(sparcl_tune_used(NULL, 0, 0), 0);
    assert_int_equal(sparcl_tune_used(ctx, 0, 99), 0);
    sparcl_tune_reset_used(NULL);
    sparcl_ctx_close(ctx);
}

static void a_stored_tuning_is_loaded_by_later_contexts(void **state) {
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
    ctx = open_good(f, ""); /* the defaults are requested */
    assert_int_equal(get(ctx, SPC_TUNE_SPMM_PREFETCH, 1).value, first);
    sparcl_ctx_close(ctx);
    ctx = open_good(f, FIRST "product.grain tiny 128"); /* and a text replaces what is stored */
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

/* The path of the only file in the cache; "" where there is none. */
static void find_stored(const fixture *f, char path[400]) {
    DIR *dir = opendir(f->cache);
    path[0] = '\0';
    for (struct dirent *e = NULL; dir && (e = readdir(dir));)
        if (e->d_name[0] != '.') snprintf(path, 400, "%s/%s", f->cache, e->d_name);
    if (dir) closedir(dir);
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

static void a_damaged_stored_tuning_is_ignored(void **state) {
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

/* Undamaged, but not a text that this library accepts, such as one from another version. */
static void an_invalid_stored_text_is_logged(void **state) {
    fixture *f = *state;
    char text[16 << 10] = FIRST "spmm.later * 3\n";
    sparcl_ctx *ctx = open_good(f, NULL);
    spc_fact_store(ctx, "tuning 1", text, sizeof text);
    sparcl_ctx_close(ctx);
    ctx = open_good(f, NULL);
    assert_non_null(strstr(f->warning, "the stored tuning is not used: tuning, line 2: there is "));
    assert_int_equal(get(ctx, SPC_TUNE_PRODUCT_GRAIN, 0).value,
                     spc_tunable_product_grain.defaults[0][0]);
    memset(text, 'x', sizeof text);
    spc_fact_store(ctx, "tuning 1", text, sizeof text);
    sparcl_ctx_close(ctx);
    ctx = open_good(f, NULL);
    assert_non_null(strstr(f->warning, "it is truncated"));
    sparcl_ctx_close(ctx);
}

/* A product whose B and result are of a size class, so that it uses the right values. */
static void a_call_records_which_values_it_used(void **state) {
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
    sparcl_tune_reset_used(ctx);
    assert_ok(ctx, sparcl_spmm(ctx, &c, 1, &a, &b, 0));
    for (int class = 0; class < 9; ++class)
        assert_int_equal(sparcl_tune_used(ctx, SPC_TUNE_SPMM_PREFETCH, class),
                         class == 3 && !is_gpu(ctx));
    for (int class = 0; class < 3; ++class)
        assert_int_equal(sparcl_tune_used(ctx, SPC_TUNE_PRODUCT_GRAIN, class), class == 0);
    sparcl_tune_reset_used(ctx);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tunables_are_well_described),
        cmocka_unit_test(sizes_have_classes),
        TUNE_TEST(wrong_calls_are_refused_and_set_nothing),
        TUNE_TEST(a_stored_tuning_is_loaded_by_later_contexts),
        TUNE_TEST(without_a_cache_nothing_can_be_stored),
        TUNE_TEST(a_damaged_stored_tuning_is_ignored),
        TUNE_TEST(an_invalid_stored_text_is_logged),
        TUNE_TEST(a_call_records_which_values_it_used),
    };
    umask(022);
    sparcl_ctx_close(test_open()); /* skipped without a device */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
