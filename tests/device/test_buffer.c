/* test_buffer.c: buffers: making, bounds, host memory, the stamps that writes change. */
#include "buffer_test.h"

#include "device/ctx.h"

static void an_empty_buffer_is_legal(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf[3] = {NULL};
    char byte = 'x';
    assert_ok(ctx, sparcl_buf_create(ctx, &buf[0], 0));
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf[1], NULL, 0));
    assert_ok(ctx, sparcl_buf_wrap(ctx, &buf[2], NULL, 0));
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(sparcl_buf_bytes(buf[i]), 0);
        assert_ok(ctx, sparcl_buf_read(ctx, buf[i], 0, 0, &byte));
        assert_ok(ctx, sparcl_buf_write(ctx, buf[i], 0, 0, NULL));
        assert_ok(ctx, sparcl_buf_fill(ctx, buf[i], 0, 0, 1));
        assert_ok(ctx, sparcl_buf_copy(ctx, buf[i], 0, buf[0], 0, 0));
        assert_refused(ctx, sparcl_buf_read(ctx, buf[i], 0, 1, &byte), SPARCL_E_ARG,
                       "of a buffer of 0");
    }
    for (int i = 0; i < 3; ++i)
        sparcl_buf_free(buf[i]);
    assert_ok(ctx, sparcl_buf_read(ctx, NULL, 0, 0, &byte));
    assert_refused(ctx, sparcl_buf_read(ctx, NULL, 0, 1, &byte), SPARCL_E_ARG, "buffer is NULL");
}

static void ranges_outside_are_refused(void **state) {
    static const struct {
        int64_t at, bytes;
    } wrong[] = {{0, 101}, {100, 1},       {-1, 1},        {0, -1},
                 {101, 0}, {INT64_MAX, 1}, {1, INT64_MAX}, {INT64_MAX, INT64_MAX},
                 {-1, 0},  {INT64_MIN, 5}};
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL, *other = NULL;
    unsigned char bytes[256] = {0};
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, 100));
    assert_ok(ctx, sparcl_buf_create(ctx, &other, 256));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        const int64_t at = wrong[i].at, n = wrong[i].bytes;
        assert_refused(ctx, sparcl_buf_read(ctx, buf, at, n, bytes), SPARCL_E_ARG, "read:");
        assert_refused(ctx, sparcl_buf_write(ctx, buf, at, n, bytes), SPARCL_E_ARG, "write:");
        assert_refused(ctx, sparcl_buf_fill(ctx, buf, at, n, 0), SPARCL_E_ARG, "fill:");
        assert_refused(ctx, sparcl_buf_copy(ctx, buf, at, other, 0, n), SPARCL_E_ARG, "copy");
        assert_refused(ctx, sparcl_buf_copy(ctx, other, 0, buf, at, n), SPARCL_E_ARG, "copy");
    }
    assert_refused(ctx, sparcl_buf_read(ctx, buf, 0, 1, NULL), SPARCL_E_ARG, "host is NULL");
    assert_refused(ctx, sparcl_buf_write(ctx, buf, 0, 1, NULL), SPARCL_E_ARG, "host is NULL");
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 100, 0, bytes));
    sparcl_buf_free(buf);
    sparcl_buf_free(other);
}

static void a_buffer_too_large_is_refused_with_both_sizes(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = (sparcl_buf *)ctx;
    char expected[64], maximum[64], byte = 0;
    const int64_t bytes = sparcl_ctx_device(ctx)->max_allocation + 1;
    snprintf(expected, sizeof expected, "%lld bytes requested", (long long)bytes);
    snprintf(maximum, sizeof maximum, "is %lld", (long long)bytes - 1);
    assert_refused(ctx, sparcl_buf_create(ctx, &buf, bytes), SPARCL_E_MEMORY, expected);
    assert_null(buf);
    assert_refused(ctx, sparcl_buf_create(ctx, &buf, INT64_MAX), SPARCL_E_MEMORY, maximum);
    assert_refused(ctx, sparcl_buf_create(ctx, &buf, -1), SPARCL_E_ARG, "-1 bytes");
    buf = (sparcl_buf *)ctx;
    assert_refused(ctx, sparcl_buf_upload(ctx, &buf, NULL, 1), SPARCL_E_ARG, "host is NULL");
    assert_null(buf);
    assert_refused(ctx, sparcl_buf_wrap(ctx, &buf, NULL, 1), SPARCL_E_ARG, "host is NULL");
    assert_refused(ctx, sparcl_buf_wrap(ctx, &buf, &byte, -1), SPARCL_E_ARG, "-1 bytes");
}

static void a_buffer_of_another_context_is_refused(void **state) {
    sparcl_ctx *ctx = *state, *other = test_open();
    sparcl_buf *ours = NULL, *theirs = NULL;
    char byte = 0;
    assert_ok(ctx, sparcl_buf_create(ctx, &ours, 8));
    assert_ok(other, sparcl_buf_create(other, &theirs, 8));
    assert_refused(ctx, sparcl_buf_read(ctx, theirs, 0, 1, &byte), SPARCL_E_ARG, "another context");
    assert_refused(ctx, sparcl_buf_copy(ctx, ours, 0, theirs, 0, 1), SPARCL_E_ARG,
                   "another context");
    sparcl_buf_free(ours);
    sparcl_buf_free(theirs);
    sparcl_ctx_close(other);
}

static void a_wrapped_buffer_is_the_host_memory_where_that_is_shared(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t bytes = test_is_small() ? 4096 : 4 * MIB;
    unsigned char *x = aligned_alloc(4096, (size_t)bytes);
    sparcl_buf *buf = NULL;
    void *host = NULL;
    assert_non_null(x);
    memset(x, 3, (size_t)bytes);
    assert_ok(ctx, sparcl_buf_wrap(ctx, &buf, x, bytes));
    assert_int_equal(
        clGetMemObjectInfo(sparcl_buf_cl_mem(buf), CL_MEM_HOST_PTR, sizeof host, &host, NULL),
        CL_SUCCESS);
    assert_ptr_equal(host, sparcl_ctx_device(ctx)->host_unified ? x : NULL);
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 1, 5));
    if (host) { /* what OpenCL maps is then the host's memory itself */
        cl_int code = CL_SUCCESS;
        cl_command_queue queue = sparcl_ctx_cl_queue(ctx);
        void *mapped = clEnqueueMapBuffer(queue, sparcl_buf_cl_mem(buf), CL_TRUE, CL_MAP_READ, 0,
                                          (size_t)bytes, 0, NULL, NULL, &code);
        assert_ptr_equal(mapped, x);
        assert_int_equal(x[0], 5);
        assert_int_equal(x[1], 3);
        clEnqueueUnmapMemObject(queue, sparcl_buf_cl_mem(buf), mapped, 0, NULL, NULL);
    }
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 1, 3));
    unsigned char *back = make_bytes(bytes, 1);
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, bytes, back));
    assert_int_equal(back[0] + back[bytes - 1], 6);
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, bytes, 4));
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, bytes, back));
    assert_int_equal(back[0] + back[bytes - 1], 8);
    sparcl_buf_free(buf);
    free(x);
    free(back);
}

static void host_memory_wrapped_twice_overlaps(void **state) {
    sparcl_ctx *ctx = *state;
    unsigned char *x = aligned_alloc(4096, 8192);
    sparcl_buf *a = NULL, *b = NULL;
    assert_non_null(x);
    memset(x, 0, 8192);
    assert_ok(ctx, sparcl_buf_wrap(ctx, &a, x, 8192));
    assert_ok(ctx, sparcl_buf_wrap(ctx, &b, x + 4096, 4096));
    if (sparcl_ctx_device(ctx)->host_unified)
        assert_refused(ctx, sparcl_buf_copy(ctx, b, 0, a, 4096, 8), SPARCL_E_ALIAS, "overlap");
    assert_ok(ctx, sparcl_buf_copy(ctx, b, 0, a, 0, 4096));
    sparcl_buf_free(b);
    sparcl_buf_free(a);
    free(x);
}

static void every_write_changes_the_stamp(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *a = NULL, *b = NULL;
    unsigned char bytes[8] = {0};
    assert_ok(ctx, sparcl_buf_create(ctx, &a, 8));
    assert_ok(ctx, sparcl_buf_create(ctx, &b, 8));
    assert_int_not_equal(spc_buf_stamp(a), spc_buf_stamp(b));
    assert_ok(ctx, sparcl_buf_write(ctx, b, 0, 8, bytes));
    uint64_t stamp = spc_buf_stamp(a);
    assert_ok(ctx, sparcl_buf_write(ctx, a, 0, 8, bytes));
    assert_int_not_equal(spc_buf_stamp(a), stamp), stamp = spc_buf_stamp(a);
    assert_ok(ctx, sparcl_buf_fill(ctx, a, 0, 8, 1));
    assert_int_not_equal(spc_buf_stamp(a), stamp), stamp = spc_buf_stamp(a);
    assert_ok(ctx, sparcl_buf_copy(ctx, a, 0, b, 0, 8));
    assert_int_not_equal(spc_buf_stamp(a), stamp), stamp = spc_buf_stamp(a);
    sparcl_buf_touched(a);
    assert_int_not_equal(spc_buf_stamp(a), stamp), stamp = spc_buf_stamp(a);
    assert_ok(ctx, sparcl_buf_read(ctx, a, 0, 8, bytes));
    assert_ok(ctx, sparcl_buf_copy(ctx, b, 0, a, 0, 8));
    assert_int_equal(spc_buf_stamp(a), stamp);
    sparcl_buf_free(a);
    sparcl_buf_free(b);
}

static void no_two_buffers_have_one_stamp_whatever_their_contexts(void **state) {
    sparcl_ctx *ctx = *state, *other = test_open();
    sparcl_buf *bufs[6] = {NULL};
    for (int i = 0; i < 6; ++i) {
        sparcl_ctx *of = i < 3 ? ctx : other;
        assert_ok(of, sparcl_buf_create(of, &bufs[i], 8));
    }
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < i; ++j)
            assert_true(spc_buf_stamp(bufs[i]) != spc_buf_stamp(bufs[j]));
    for (int i = 0; i < 6; ++i)
        sparcl_buf_free(bufs[i]);
    sparcl_ctx_close(other);
}

static void a_write_is_seen_through_every_buffer_on_the_memory(void **state) {
    sparcl_ctx *ctx = *state;
    unsigned char *x = aligned_alloc(4096, 8192);
    sparcl_buf *whole = NULL, *low = NULL, *high = NULL;
    assert_non_null(x);
    memset(x, 0, 8192);
    assert_ok(ctx, sparcl_buf_wrap(ctx, &whole, x, 8192));
    assert_ok(ctx, sparcl_buf_wrap(ctx, &low, x, 4096));
    assert_ok(ctx, sparcl_buf_wrap(ctx, &high, x + 4096, 4096));
    const uint64_t of_whole = spc_buf_stamp(whole), of_low = spc_buf_stamp(low);
    const uint64_t of_high = spc_buf_stamp(high);
    assert_ok(ctx, sparcl_buf_fill(ctx, low, 0, 1, 1));
    assert_true(spc_buf_stamp(low) != of_low);
    assert_true(spc_buf_stamp(high) == of_high);
    if (sparcl_ctx_device(ctx)->host_unified) {
        assert_true(spc_buf_stamp(whole) != of_whole);
        sparcl_buf_touched(whole);
        assert_true(spc_buf_stamp(high) != of_high);
    }
    sparcl_buf_free(low);
    sparcl_buf_free(high);
    sparcl_buf_free(whole);
    free(x);
}

static void memory_that_may_only_be_read_is_not_written(void **state) {
    static const unsigned char constants[128] = {1, 2, 3};
    static const char *const remedy = "memory that may only be read; give a copy";
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL, *other = NULL, *empty = NULL;
    unsigned char bytes[128] = {0};
    assert_ok(ctx, sparcl_buf_wrap_const(ctx, &empty, NULL, 0));
    assert_ok(ctx, sparcl_buf_wrap_const(ctx, &buf, constants, sizeof constants));
    assert_ok(ctx, sparcl_buf_create(ctx, &other, sizeof constants));
    assert_int_equal(sparcl_buf_is_const(buf), 1);
    assert_int_equal(sparcl_buf_is_const(other) + sparcl_buf_is_const(NULL), 0);
    assert_refused(ctx, sparcl_buf_write(ctx, buf, 0, 1, bytes), SPARCL_E_ARG, remedy);
    assert_refused(ctx, sparcl_buf_fill(ctx, buf, 0, 1, 7), SPARCL_E_ARG, remedy);
    assert_refused(ctx, sparcl_buf_copy(ctx, buf, 0, other, 0, 1), SPARCL_E_ARG, remedy);
    assert_ok(ctx, sparcl_buf_write(ctx, buf, 0, 0, NULL));
    assert_ok(ctx, sparcl_buf_copy(ctx, other, 0, buf, 0, sizeof constants));
    assert_ok(ctx, sparcl_buf_read(ctx, other, 0, sizeof bytes, bytes));
    assert_memory_equal(bytes, constants, sizeof bytes);
    sparcl_buf_free(empty);
    sparcl_buf_free(other);
    sparcl_buf_free(buf);
}

static void writes_to_memory_of_the_host_are_known(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    unsigned char *x = aligned_alloc(4096, 8192);
    assert_non_null(x);
    memset(x, 0, 8192);
    assert_ok(ctx, sparcl_buf_wrap(ctx, &buf, x, 4096));
    const int shares = sparcl_ctx_device(ctx)->host_unified;
    assert_int_equal(sparcl_ctx_has_written(ctx, x, 8192), 0);
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, 10, 1));
    assert_int_equal(sparcl_ctx_has_written(ctx, x + 4095, 1), shares);
    assert_int_equal(sparcl_ctx_has_written(ctx, x + 4096, 4096), 0);
    sparcl_buf_free(buf);
    assert_int_equal(sparcl_ctx_has_written(ctx, x, 8192), 0);
    assert_int_equal(sparcl_ctx_has_written(NULL, x, 8192), 0);
    free(x);
}

static void buffers_may_outlive_their_context(void **state) {
    sparcl_ctx *ctx = test_open();
    sparcl_buf *a = NULL, *b = NULL;
    unsigned char *x = aligned_alloc(4096, 4096);
    (void)state;
    assert_non_null(x);
    assert_ok(ctx, sparcl_buf_create(ctx, &a, 100));
    assert_ok(ctx, sparcl_buf_wrap(ctx, &b, x, 4096));
    assert_ok(ctx, sparcl_buf_fill(ctx, a, 0, 100, 1));
    sparcl_ctx_close(ctx);
    assert_int_equal(sparcl_buf_bytes(a), 100);
    sparcl_buf_free(b);
    sparcl_buf_free(a);
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(an_empty_buffer_is_legal),
        DEVICE_TEST(ranges_outside_are_refused),
        DEVICE_TEST(a_buffer_too_large_is_refused_with_both_sizes),
        DEVICE_TEST(a_buffer_of_another_context_is_refused),
        DEVICE_TEST(a_wrapped_buffer_is_the_host_memory_where_that_is_shared),
        DEVICE_TEST(host_memory_wrapped_twice_overlaps),
        DEVICE_TEST(every_write_changes_the_stamp),
        DEVICE_TEST(no_two_buffers_have_one_stamp_whatever_their_contexts),
        DEVICE_TEST(a_write_is_seen_through_every_buffer_on_the_memory),
        DEVICE_TEST(memory_that_may_only_be_read_is_not_written),
        DEVICE_TEST(writes_to_memory_of_the_host_are_known),
        cmocka_unit_test(buffers_may_outlive_their_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
