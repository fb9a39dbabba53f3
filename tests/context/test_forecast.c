/* test_forecast.c: contexts that only count memory. */
#include "op_test.h"

#include "sparcl/opencl.h"

static sparcl_ctx *open_forecast(const char *tuning) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error;
    desc.forecast = 1;
    desc.kernel_dir = "/not/there"; /* nothing is built */
    desc.cache_dir = NULL;
    desc.tuning = tuning;
    if (sparcl_ctx_open(&ctx, &desc, &error) != SPARCL_OK) fail_msg("%s", error.message);
    return ctx;
}

/* About this many cases of each operation. */
enum { CASES = 20 };

static int count_cases(const spec_op *op) {
    spec_case c;
    int count = 0;
    while (op->get_case(count, test_is_small(), &c))
        ++count;
    return count;
}

/* Cases one after the other: scratch memory stays allocated, so that its size is the maximum that
 * was needed. What a forecast computes is of course wrong. */
static void compare_memory(const spec_op *op, const char *tuning) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *real = NULL, *forecast = open_forecast(tuning);
    const bool looks_at_data =
        strcmp(op->name, "validate") == 0; /* then the forecast is the maximum */
    const int every = count_cases(op) / CASES + 1;
    int64_t maximum = 0;
    spec_case c;
    desc.tuning = tuning;
    assert_int_equal(sparcl_ctx_open(&real, &desc, NULL), SPARCL_OK);
    for (int i = 0; op->get_case(i, test_is_small(), &c); ++i) {
        spec_report report = {0};
        if (!test_is_chosen(i, every * test_every(), 0)) continue;
        if (c.dtype == SPARCL_F64 && !sparcl_ctx_device(real)->has_f64) continue;
        (void)spec_check(real, op, &c, &report);
        (void)spec_check(forecast, op, &c, &report);
        maximum = sparcl_ctx_memory(real);
        const int64_t predicted = sparcl_ctx_memory(forecast);
        if (looks_at_data ? predicted < maximum : predicted != maximum)
            fail_msg("%s, case %d: %lld bytes, forecast %lld", op->name, i, (long long)maximum,
                     (long long)predicted);
    }
    print_message("           %-16s %lld bytes of scratch memory\n", op->name, (long long)maximum);
    sparcl_ctx_close(real);
    sparcl_ctx_close(forecast);
}

static void a_forecast_is_the_scratch_memory_of_each_operation(void **state) {
    (void)state;
    for (const spec_op *const *op = spec_ops; *op; ++op)
        compare_memory(*op, "");
}

static void a_forecast_follows_the_tuning_in_force(void **state) {
    static const char far[] =
        "sparcl tuning 1\n"
        "product.grain * 64\nworkers * 31\nelementwise.grain * 64\nrows.grain * 64\n"
        "scan.grain * 256\nselect.grain * 256\nsort.bucket_items * 256\nsort.digit_bits * 8\n"
        "sort.serial_items * 0\nelementwise.groups * 3\n";
    (void)state;
    for (const spec_op *const *op = spec_ops; *op; ++op) {
        compare_memory(*op, far);
        compare_memory(*op, "sparcl tuning 1\nsort.buckets * 0\nworkers * 1\n");
    }
}

static void buffers_are_counted_and_what_is_read_is_0(void **state) {
    sparcl_ctx *ctx = open_forecast("");
    const char bytes[3] = "abc";
    char got[3] = "xyz";
    sparcl_buf *a = NULL, *b = NULL;
    (void)state;
    assert_ok(ctx, sparcl_buf_upload(ctx, &a, bytes, 3));
    assert_ok(ctx, sparcl_buf_create(ctx, &b, 1 << 20));
    assert_int_equal(sparcl_ctx_memory(ctx), 3 + (1 << 20));
    assert_ok(ctx, sparcl_buf_copy(ctx, b, 0, a, 0, 3));
    assert_ok(ctx, sparcl_buf_fill(ctx, b, 0, 1 << 20, 7));
    assert_ok(ctx, sparcl_buf_read(ctx, a, 0, 3, got));
    assert_memory_equal(got, "\0\0\0", 3);
    assert_ok(ctx, sparcl_ctx_finish(ctx));
    assert_null(sparcl_buf_cl_mem(a));
    sparcl_buf_free(a);
    assert_int_equal(sparcl_ctx_memory(ctx), 1 << 20);
    sparcl_buf_free(b);
    sparcl_ctx_close(ctx);
}

static void arguments_are_checked(void **state) {
    sparcl_ctx *ctx = open_forecast("");
    sparcl_buf *buf = NULL;
    (void)state;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 8));
    const sparcl_dense x = {.rank = 2, .shape = {2, 1}, .values = buf};
    const sparcl_dense r = {.rank = 1, .shape = {2}, .values = buf};
    assert_refused(ctx, sparcl_sum_rows(ctx, &r, 1, &x, 0), SPARCL_E_SHAPE, "sum");
    assert_refused(ctx, sparcl_buf_create(ctx, &buf, INT64_MAX), SPARCL_E_MEMORY,
                   "largest allocation");
    sparcl_buf_free(x.values);
    sparcl_ctx_close(ctx);
}

static void a_forecast_adopts_nothing(void **state) {
    sparcl_ctx *real = test_open(), *ctx = open_forecast("");
    sparcl_buf *buf = NULL, *adopted = NULL;
    (void)state;
    assert_ok(real, sparcl_buf_create(real, &buf, 8));
    assert_refused(ctx, sparcl_buf_adopt(ctx, &adopted, sparcl_buf_cl_mem(buf)), SPARCL_E_ARG,
                   "forecast");
    sparcl_buf_free(buf);
    sparcl_ctx_close(real);
    sparcl_ctx_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forecast_is_the_scratch_memory_of_each_operation),
        cmocka_unit_test(a_forecast_follows_the_tuning_in_force),
        cmocka_unit_test(buffers_are_counted_and_what_is_read_is_0),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(a_forecast_adopts_nothing),
    };
    sparcl_ctx_close(test_open()); /* skipped without a device */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
