/* test_buffer.c: buffers: making, bounds, transfers of every size and position, host memory. */
#include "device_test.h"

#include <sys/mman.h>

#include "device/ctx.h"
#include "sparcl/opencl.h"
#include "spec/spec.h"

#define MIB ((int64_t)1 << 20)

static int setup(void **state) {
    *state = test_open();
    return 0;
}

static int teardown(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t left = sparcl_ctx_memory(ctx);
    sparcl_ctx_close(ctx);
    return left == 0 ? 0 : -1; /* every test frees what it made */
}

static unsigned char *make_bytes(int64_t bytes, uint64_t seed) {
    unsigned char *x = malloc((size_t)bytes + 1);
    assert_non_null(x);
    for (int64_t i = 0; i < bytes; ++i)
        x[i] = (unsigned char)spec_random(&seed);
    return x;
}

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

/* Write, copy and read `bytes` bytes at odd places, and see that nothing beside them changes. */
static void go_round(sparcl_ctx *ctx, int64_t bytes, int64_t at, int64_t to_at) {
    const int64_t capacity = bytes + at + to_at + 100;
    unsigned char *x = make_bytes(capacity, (uint64_t)bytes), *back = make_bytes(capacity, 77);
    sparcl_buf *from = NULL, *to = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &from, capacity));
    assert_ok(ctx, sparcl_buf_create(ctx, &to, capacity));
    assert_ok(ctx, sparcl_buf_fill(ctx, from, 0, capacity, 0xee));
    assert_ok(ctx, sparcl_buf_fill(ctx, to, 0, capacity, 0xdd));
    assert_ok(ctx, sparcl_buf_write(ctx, from, at, bytes, x + 3));
    assert_ok(ctx, sparcl_buf_copy(ctx, to, to_at, from, at, bytes));
    assert_ok(ctx, sparcl_buf_read(ctx, to, 0, capacity, back));
    for (int64_t i = 0; i < to_at; ++i)
        assert_int_equal(back[i], 0xdd);
    for (int64_t i = to_at + bytes; i < capacity; ++i)
        assert_int_equal(back[i], 0xdd);
    assert_memory_equal(back + to_at, x + 3, (size_t)bytes);
    memset(back, 0x11, (size_t)capacity);
    assert_ok(ctx, sparcl_buf_read(ctx, from, at, bytes, back + 5));
    assert_int_equal(back[4], 0x11);
    assert_int_equal(back[5 + bytes], 0x11);
    assert_memory_equal(back + 5, x + 3, (size_t)bytes);
    sparcl_buf_free(from);
    sparcl_buf_free(to);
    free(x);
    free(back);
}

static void transfers_keep_every_byte_at_every_position(void **state) {
    static const int64_t sizes[] = {1, 15, 16, 17, 4095, 65537};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        go_round(ctx, sizes[i], 0, 0);
        go_round(ctx, sizes[i], 1, 7);
        go_round(ctx, sizes[i], 13, 16);
    }
}

/* From 1 MiB on, CPU devices move memory by our own kernels. */
static void large_transfers_keep_every_byte_at_every_position(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t more = -1; more <= 17; more += 3)
        go_round(ctx, MIB + more, 1, 5);
    if (test_is_small()) return;
    go_round(ctx, 3 * MIB + 11, 3, 0);
    go_round(ctx, 64 * MIB + 5, 0, 9);
}

static void fill_writes_its_range_and_no_more(void **state) {
    static const int64_t sizes[] = {1, 31, 4096, MIB + 3, 2 * MIB};
    sparcl_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        const int64_t n = sizes[i];
        unsigned char *back = make_bytes(n + 20, 5);
        sparcl_buf *buf = NULL;
        assert_ok(ctx, sparcl_buf_upload(ctx, &buf, back, n + 20));
        const unsigned char before = back[6], after = back[n + 7];
        assert_ok(ctx, sparcl_buf_fill(ctx, buf, 7, n, 0xa5));
        assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, n + 20, back));
        for (int64_t k = 7; k < n + 7; ++k)
            assert_int_equal(back[k], 0xa5);
        assert_int_equal(back[6], before);
        assert_int_equal(back[n + 7], after);
        sparcl_buf_free(buf);
        free(back);
    }
}

static void upload_frees_the_host_memory_at_once(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t bytes = test_is_small() ? 5000 : 2 * MIB + 1;
    unsigned char *x = make_bytes(bytes, 9), *kept = make_bytes(bytes, 9);
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf, x, bytes));
    memset(x, 0, (size_t)bytes);
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, bytes, x));
    assert_memory_equal(x, kept, (size_t)bytes);
    sparcl_buf_free(buf);
    free(x);
    free(kept);
}

static void ranges_of_one_buffer_may_be_copied_unless_they_overlap(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_buf *buf = NULL;
    unsigned char x[100], back[100];
    for (int i = 0; i < 100; ++i)
        x[i] = (unsigned char)i;
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf, x, 100));
    assert_refused(ctx, sparcl_buf_copy(ctx, buf, 10, buf, 0, 11), SPARCL_E_ALIAS, "overlap");
    assert_refused(ctx, sparcl_buf_copy(ctx, buf, 0, buf, 0, 100), SPARCL_E_ALIAS, "overlap");
    assert_refused(ctx, sparcl_buf_copy(ctx, buf, 0, buf, 10, 11), SPARCL_E_ALIAS, "overlap");
    assert_ok(ctx, sparcl_buf_copy(ctx, buf, 10, buf, 0, 10));
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, 100, back));
    memcpy(x + 10, x, 10);
    assert_memory_equal(back, x, 100);
    sparcl_buf_free(buf);
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

static void host_memory_in_use_is_read_in_place_and_not_elsewhere(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t bytes = test_is_small() ? 8192 : 4 * MIB, half = bytes / 2;
    unsigned char *x = aligned_alloc(4096, (size_t)bytes);
    sparcl_buf *buf = NULL, *other = NULL;
    assert_non_null(x);
    memset(x, 3, (size_t)bytes);
    assert_ok(ctx, sparcl_buf_wrap(ctx, &buf, x, bytes));
    assert_ok(ctx, sparcl_buf_create(ctx, &other, bytes));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, bytes, 7));
    assert_ok(ctx, sparcl_buf_fill(ctx, other, 0, bytes, 9));
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, bytes, x));
    assert_int_equal(x[0] + x[bytes - 1], 14);
    assert_ok(ctx, sparcl_buf_read(ctx, buf, half, half, x + half));
    if (sparcl_ctx_device(ctx)->host_unified) {
        assert_refused(ctx, sparcl_buf_read(ctx, buf, 0, half, x + half), SPARCL_E_ALIAS, "read:");
        assert_refused(ctx, sparcl_buf_read(ctx, buf, 1, half, x), SPARCL_E_ALIAS, "read:");
        assert_refused(ctx, sparcl_buf_read(ctx, other, 0, 1, x), SPARCL_E_ALIAS, "read:");
        assert_refused(ctx, sparcl_buf_write(ctx, other, 0, 1, x), SPARCL_E_ALIAS, "write:");
        assert_refused(ctx, sparcl_buf_write(ctx, buf, 0, half, x), SPARCL_E_ALIAS, "write:");
    }
    sparcl_buf_free(buf);
    assert_int_equal(x[0], 7);
    assert_ok(ctx, sparcl_buf_read(ctx, other, 0, bytes, x)); /* it is free again */
    assert_int_equal(x[0] + x[bytes - 1], 18);
    sparcl_buf_free(other);
    free(x);
}

/* A file mapped for reading, or a constant: nothing may try to write there. */
static void what_is_written_to_the_device_may_lie_where_nobody_can_write(void **state) {
    sparcl_ctx *ctx = *state;
    const size_t bytes = test_is_small() ? 65536 : (size_t)(4 * MIB);
    unsigned char byte = 0;
    sparcl_buf *buf = NULL;
    void *x = aligned_alloc(65536, (bytes + 65535) / 65536 * 65536); /* whole pages */
    assert_non_null(x);
    memset(x, 5, bytes);
    assert_int_equal(mprotect(x, bytes, PROT_READ), 0);
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf, x, (int64_t)bytes));
    assert_ok(ctx, sparcl_buf_read(ctx, buf, (int64_t)bytes - 1, 1, &byte));
    assert_int_equal(byte, 5);
    sparcl_buf_free(buf);
    assert_int_equal(mprotect(x, bytes, PROT_READ | PROT_WRITE), 0);
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

static void freeing_before_the_work_has_ended_is_safe(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t bytes = test_is_small() ? 1000 : 8 * MIB;
    unsigned char byte = 0;
    sparcl_buf *to = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &to, bytes));
    for (int round = 0; round < 10; ++round) {
        sparcl_buf *from = NULL;
        assert_ok(ctx, sparcl_buf_create(ctx, &from, bytes));
        assert_ok(ctx, sparcl_buf_fill(ctx, from, 0, bytes, (unsigned char)round));
        assert_ok(ctx, sparcl_buf_copy(ctx, to, 0, from, 0, bytes));
        sparcl_buf_free(from);
    }
    assert_ok(ctx, sparcl_buf_read(ctx, to, bytes - 1, 1, &byte));
    assert_int_equal(byte, 9);
    sparcl_buf_free(to);
}

#define DEVICE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(an_empty_buffer_is_legal),
        DEVICE_TEST(ranges_outside_are_refused),
        DEVICE_TEST(a_buffer_too_large_is_refused_with_both_sizes),
        DEVICE_TEST(a_buffer_of_another_context_is_refused),
        DEVICE_TEST(transfers_keep_every_byte_at_every_position),
        DEVICE_TEST(large_transfers_keep_every_byte_at_every_position),
        DEVICE_TEST(fill_writes_its_range_and_no_more),
        DEVICE_TEST(upload_frees_the_host_memory_at_once),
        DEVICE_TEST(ranges_of_one_buffer_may_be_copied_unless_they_overlap),
        DEVICE_TEST(a_wrapped_buffer_is_the_host_memory_where_that_is_shared),
        DEVICE_TEST(host_memory_wrapped_twice_overlaps),
        DEVICE_TEST(every_write_changes_the_stamp),
        DEVICE_TEST(no_two_buffers_have_one_stamp_whatever_their_contexts),
        DEVICE_TEST(a_write_is_seen_through_every_buffer_on_the_memory),
        DEVICE_TEST(host_memory_in_use_is_read_in_place_and_not_elsewhere),
        DEVICE_TEST(what_is_written_to_the_device_may_lie_where_nobody_can_write),
        DEVICE_TEST(freeing_before_the_work_has_ended_is_safe),
        cmocka_unit_test(buffers_may_outlive_their_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
