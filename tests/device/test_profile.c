/* test_profile.c: a profile counts every command once and exists only where it was requested. */
#include "device_test.h"

#include "sparcl/opencl.h"
#include "sparcl/profile.h"

enum { ROWS = 300, LARGE = 3 << 20 };

static sparcl_ctx *open_profiled(void) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    desc.profile = 1;
    if (sparcl_ctx_open(&ctx, &desc, &error) == SPARCL_E_DEVICE) {
        fprintf(stderr, "skipped: %s\n", error.message);
        exit(EXIT_SKIPPED);
    }
    if (!ctx) fail_msg("%s", error.message);
    return ctx;
}

static int setup(void **state) {
    *state = open_profiled();
    return 0;
}

static int teardown(void **state) {
    sparcl_ctx_close(*state);
    return 0;
}

static const sparcl_profile_line *find(const sparcl_profile *profile, const char *name) {
    for (int i = 0; i < profile->count; ++i)
        if (strcmp(profile->lines[i].name, name) == 0) return &profile->lines[i];
    return NULL;
}

static int64_t kernels_in(const sparcl_profile *profile) {
    int64_t count = 0;
    for (int i = 0; i < profile->count; ++i)
        if (profile->lines[i].kind == SPARCL_PROFILE_KERNEL) count += profile->lines[i].count;
    return count;
}

/* R = the sum of the rows of X, twice. */
static void work(sparcl_ctx *ctx) {
    float x[ROWS] = {0}, r = 0;
    sparcl_buf *from = NULL, *to = NULL;
    assert_ok(ctx, sparcl_buf_upload(ctx, &from, x, sizeof x));
    assert_ok(ctx, sparcl_buf_create(ctx, &to, sizeof r));
    const sparcl_dense view_x = {.rank = 1, .shape = {ROWS}, .values = from};
    const sparcl_dense view_r = {.rank = 1, .shape = {1}, .values = to};
    assert_ok(ctx, sparcl_sum_rows(ctx, &view_r, 1, &view_x, 0));
    assert_ok(ctx, sparcl_sum_rows(ctx, &view_r, 1, &view_x, 0));
    assert_ok(ctx, sparcl_buf_read(ctx, to, 0, sizeof r, &r));
    sparcl_buf_free(from);
    sparcl_buf_free(to);
}

static void every_launch_is_counted_once(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_profile profile;
    const int64_t before = sparcl_ctx_launches(ctx);
    work(ctx);
    const int64_t launches = sparcl_ctx_launches(ctx) - before;
    assert_true(launches >= 2);
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_int_equal(kernels_in(&profile), launches);
    for (int i = 0; i < profile.count; ++i) {
        const sparcl_profile_line *line = &profile.lines[i];
        assert_true(line->count > 0 && line->seconds >= 0 && line->seconds < 60);
        assert_int_equal(line->kind == SPARCL_PROFILE_KERNEL, line->bytes == 0);
        assert_int_equal(line->kind == SPARCL_PROFILE_KERNEL, line->groups > 0);
        assert_true(line->groups == 0 ? line->items == 0 : line->groups >= line->count);
        if (sparcl_ctx_class(ctx) == SPARCL_CLASS_CPU) assert_int_equal(line->items, line->groups);
        if (i > 0) assert_true(profile.lines[i - 1].seconds >= line->seconds);
    }
    assert_true(profile.build_seconds > 0);
}

/* Small ones go through OpenCL's own calls, large ones on a CPU through kernels. */
static void transfers_are_reported_with_their_bytes(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t sizes[] = {1000, LARGE};
    for (int i = 0; i < 2; ++i) {
        const int64_t n = sizes[i];
        unsigned char *host = calloc(1, (size_t)n);
        sparcl_buf *a = NULL, *b = NULL;
        sparcl_profile profile;
        assert_non_null(host);
        assert_ok(ctx, sparcl_profile_reset(ctx));
        assert_ok(ctx, sparcl_buf_upload(ctx, &a, host, n));
        assert_ok(ctx, sparcl_buf_create(ctx, &b, n));
        assert_ok(ctx, sparcl_buf_fill(ctx, b, 0, n, 1));
        assert_ok(ctx, sparcl_buf_copy(ctx, b, 0, a, 0, n - 10));
        assert_ok(ctx, sparcl_buf_read(ctx, b, 0, n, host));
        assert_ok(ctx, sparcl_buf_read(ctx, b, 0, n, host));
        assert_ok(ctx, sparcl_profile_read(ctx, &profile));
        assert_int_equal(profile.count, 4);
        const struct {
            const char *name;
            sparcl_profile_kind kind;
            int64_t count, bytes;
        } expected[] = {{"write", SPARCL_PROFILE_WRITE, 1, n},
                        {"fill", SPARCL_PROFILE_FILL, 1, n},
                        {"copy", SPARCL_PROFILE_COPY, 1, n - 10},
                        {"read", SPARCL_PROFILE_READ, 2, 2 * n}};
        for (int k = 0; k < 4; ++k) {
            const sparcl_profile_line *line = find(&profile, expected[k].name);
            assert_non_null(line);
            assert_int_equal(line->kind, expected[k].kind);
            assert_int_equal(line->count, expected[k].count);
            assert_int_equal(line->bytes, expected[k].bytes);
        }
        sparcl_buf_free(a);
        sparcl_buf_free(b);
        free(host);
    }
}

static void a_reset_starts_from_zero(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_profile profile;
    work(ctx);
    assert_ok(ctx, sparcl_profile_reset(ctx));
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_int_equal(profile.count, 0);
    assert_true(profile.build_seconds == 0);
    work(ctx);
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_true(profile.count > 0);
    assert_true(profile.build_seconds == 0); /* all was built before */
}

/* More commands than are kept before their times are queried. */
static void no_command_of_a_long_run_is_lost(void **state) {
    sparcl_ctx *ctx = *state;
    enum { MANY = 5000 };
    sparcl_buf *buf = NULL;
    sparcl_profile profile;
    if (test_is_small()) skip();
    assert_ok(ctx, sparcl_profile_reset(ctx));
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 64));
    for (int i = 0; i < MANY; ++i)
        assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 64, 0));
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_int_equal(profile.count, 1);
    assert_int_equal(profile.lines[0].count, MANY);
    assert_int_equal(profile.lines[0].bytes, MANY * 64);
    sparcl_buf_free(buf);
}

static void there_is_no_profile_unless_requested(void **state) {
    sparcl_ctx *ctx = test_open();
    cl_command_queue_properties properties = 0;
    sparcl_profile profile = {.count = 7};
    (void)state;
    assert_refused(ctx, sparcl_profile_read(ctx, &profile), SPARCL_E_ARG,
                   "opened without profiling");
    assert_int_equal(profile.count, 0);
    assert_refused(ctx, sparcl_profile_reset(ctx), SPARCL_E_ARG, "opened without profiling");
    clGetCommandQueueInfo(sparcl_ctx_cl_queue(ctx), CL_QUEUE_PROPERTIES, sizeof properties,
                          &properties, NULL);
    assert_false(properties & CL_QUEUE_PROFILING_ENABLE);
    sparcl_ctx_close(ctx);
}

static void null_is_refused(void **state) {
    sparcl_profile profile;
    assert_refused(*state, sparcl_profile_read(*state, NULL), SPARCL_E_ARG, "profile is NULL");
    assert_int_equal(sparcl_profile_read(NULL, &profile), SPARCL_E_ARG);
    assert_int_equal(sparcl_profile_reset(NULL), SPARCL_E_ARG);
    assert_int_equal(sparcl_ctx_launches(NULL), 0);
}

/* An adopted queue reports times only where the caller created it so. */
static void the_profile_of_an_adopted_queue_depends_on_the_queue(void **state) {
    sparcl_ctx *own = *state, *ctx = NULL;
    sparcl_ctx_desc desc = test_desc();
    sparcl_error error = {0};
    sparcl_profile profile;
    cl_int code = CL_SUCCESS;
    cl_context context = sparcl_ctx_cl_context(own);
    cl_device_id device = sparcl_ctx_cl_device(own);
    desc.profile = 1;
    cl_command_queue plain = clCreateCommandQueue(context, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(sparcl_ctx_adopt(&ctx, context, device, plain, &desc, &error), SPARCL_E_ARG);
    assert_null(ctx);
    assert_non_null(strstr(error.message, "CL_QUEUE_PROFILING_ENABLE"));
    clReleaseCommandQueue(plain);
    cl_command_queue timed =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(sparcl_ctx_adopt(&ctx, context, device, timed, &desc, &error), SPARCL_OK);
    work(ctx);
    assert_ok(ctx, sparcl_profile_read(ctx, &profile));
    assert_int_equal(kernels_in(&profile), sparcl_ctx_launches(ctx));
    sparcl_ctx_close(ctx);
    clReleaseCommandQueue(timed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_launch_is_counted_once, setup, teardown),
        cmocka_unit_test_setup_teardown(transfers_are_reported_with_their_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reset_starts_from_zero, setup, teardown),
        cmocka_unit_test_setup_teardown(no_command_of_a_long_run_is_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(there_is_no_profile_unless_requested, setup, teardown),
        cmocka_unit_test_setup_teardown(null_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(the_profile_of_an_adopted_queue_depends_on_the_queue, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
