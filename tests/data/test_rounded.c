/* test_rounded.c: numbers with more digits than float32 or float64 hold are counted, in every
 * format; what is written back is the number that was read, or one of these. */
#include "data_test.h"

#include "base/macros.h"
#include "data/io/number.h"

static void what_a_type_does_not_hold_is_rounded(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool f32, f64;
    } cases[] = {
        {"0", false, false},
        {"-0.000", false, false},
        {"1", false, false},
        {"0.1", false, false},
        {"123456", false, false},
        {"0.123456", false, false},
        {"1.50000000000000000000000", false, false},
        {"16777216", false, false},
        {"16777217", true, false},
        {"-16777217", true, false},
        {"16777217e2", false, false},
        {"1.6777217", false, false},
        {"0.33333334", false, false}, /* the float that is nearest to 1 / 3 */
        {"0.33333333", true, false},
        {"0.3333333333333333", true, false},
        {"0.10000000149011612", false, false}, /* the double of the float 0.1 */
        {"1.0000000000000002", true, false},
        {"3.4028235e38", false, false},
        {"1e-40", false, false},
        {"1.234567e-40", true, false},
        {"1e-46", true, false},
        {"1e-400", true, true},
        {"9007199254740992", false, false},
        {"9007199254740993", true, true},
        {"0.12345678901234567890", true, true},
        {"0.30000000000000004", true, false},
        {"inf", false, false},
        {"nan", false, false},
    };
    for (size_t i = 0; i < SPC_COUNT(cases); i++) {
        char padded[64] = {0};
        snprintf(padded, sizeof padded - SPC_NUMBER_PAD, "%s", cases[i].text);
        const char *at = padded;
        float single = 0;
        double wide = 0;
        bool rounded = !cases[i].f32;
        spc_rounded both = {.f32 = !cases[i].f32, .f64 = !cases[i].f64};
        assert_int_equal(spc_read_f32(&at, &single, &rounded), SPC_NUMBER_READ);
        at = padded;
        assert_int_equal(spc_read_f64(&at, &wide, &both), SPC_NUMBER_READ);
        if (rounded != cases[i].f32 || both.f32 != cases[i].f32 || both.f64 != cases[i].f64)
            fail_msg("%s: %d, %d %d", cases[i].text, rounded, both.f32, both.f64);
    }
}

/* Every value that is printed with 1 to 9 digits of a float is held; with another last digit it may
 * be so, but never where it is another float. */
static void the_text_of_a_float_is_held(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 200000; i++) {
        char padded[64] = {0};
        const float value =
            ldexpf((float)(next_random(&random) >> 40), (int)(next_random(&random) % 60) - 40);
        const int digits = 1 + (int)(next_random(&random) % 9);
        snprintf(padded, sizeof padded - SPC_NUMBER_PAD, "%.*g", digits, (double)value);
        const char *at = padded;
        float read = 0;
        bool rounded = true;
        assert_int_equal(spc_read_f32(&at, &read, &rounded), SPC_NUMBER_READ);
        char again[64];
        snprintf(again, sizeof again, "%.*g", digits, (double)read);
        if (rounded != (strcmp(again, padded) != 0)) fail_msg("%s, read as %s", padded, again);
    }
}

static const struct {
    sparcl_data_format format;
    const char *text;
    int rounded;
} texts[] = {
    {SPARCL_DATA_SVMLIGHT, "1 1:16777217 3:0.1\n0 1:1\n", 1},
    {SPARCL_DATA_SVMLIGHT, "9007199254740993 1:1\n", 1},
    {SPARCL_DATA_INDICES, "1 1:16777217\n", 1},
    {SPARCL_DATA_LIBFFM, "1 0:1:16777217\n", 1},
    {SPARCL_DATA_VW, "1 0.33333333 |f a:16777217 b:2\n", 2},
    {SPARCL_DATA_CSV, "label,a\n9007199254740993,16777217\n0,1\n", 2},
    {SPARCL_DATA_MTX, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 16777217\n", 1},
    {SPARCL_DATA_MTX, "%%MatrixMarket matrix array real general\n1 1\n16777217\n", 1},
    {SPARCL_DATA_EDGES, "0 1 16777217\n1 0 2\n", 1},
    {SPARCL_DATA_RATINGS, "1,2,9007199254740993\n1,3,16777217\n", 1},
};

static void every_format_counts_them(void **state) {
    fixture *f = *state;
    for (size_t i = 0; i < SPC_COUNT(texts); i++)
        for (int threads = 1; threads < 4; threads += 2) {
            const sparcl_data_desc desc = {.format = texts[i].format, .threads = threads};
            write_text(f->path, texts[i].text);
            sparcl_data *const data = must_read(f, f->path, &desc);
            const int64_t found = sparcl_data_get_info(data)->narrowed_values;
            sparcl_data_free(data);
            if (found != texts[i].rounded) fail_msg("%s: %d", texts[i].text, (int)found);
        }
}

static void weights_of_another_file_are_counted(void **state) {
    fixture *f = *state;
    static const char header[] =
        "\x93NUMPY\1\0\x3e\0{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }   \n";
    const double weights[] = {1, 0.1};
    FILE *const file = fopen(f->other, "wb");
    fwrite(header, 1, 10 + 62, file);
    fwrite(weights, 1, sizeof weights, file);
    fclose(file);
    write_text(f->path, "1 1:1\n0 1:1\n");
    sparcl_data *const data = must_read(f, f->path, &(sparcl_data_desc){.weights = f->other});
    assert_int_equal(sparcl_data_get_info(data)->narrowed_values, 1);
    sparcl_data_free(data);
}

/* Nothing is rounded any more where what was read is written and read again. */
static void what_is_written_reads_back_as_the_same(void **state) {
    fixture *f = *state;
    const sparcl_data_format targets[] = {SPARCL_DATA_SVMLIGHT, SPARCL_DATA_VW, SPARCL_DATA_CSV,
                                          SPARCL_DATA_MTX};
    write_text(f->path, "0.1 1:16777217 2:0.3333333333333333 3:1e-46\n0.30000000000000004 1:0.1 "
                        "2:1e-40 3:3.4028235e38\n");
    sparcl_data *const data = must_read(f, f->path, NULL);
    assert_int_equal(sparcl_data_get_info(data)->narrowed_values, 3);
    for (size_t i = 0; i < SPC_COUNT(targets); i++) {
        assert_int_equal(sparcl_data_export(data, f->other, targets[i], &f->error), SPARCL_OK);
        sparcl_data *const again =
            must_read(f, f->other, &(sparcl_data_desc){.format = targets[i]});
        assert_int_equal(sparcl_data_get_info(again)->narrowed_values, 0);
        sparcl_data_free(again);
    }
    sparcl_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_type_does_not_hold_is_rounded),
        cmocka_unit_test(the_text_of_a_float_is_held),
        TEST(every_format_counts_them),
        TEST(weights_of_another_file_are_counted),
        TEST(what_is_written_reads_back_as_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
