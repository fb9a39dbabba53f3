/* test_transfer.c: transfers of every size and position between the host and buffers. */
#include "buffer_test.h"

#include <sys/mman.h>

/* Write, copy and read `bytes` bytes at odd positions, and check that nothing around them changes.
 */
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

/* From 1 MiB on, CPU devices copy memory with our own kernels. */
static void large_transfers_keep_every_byte_at_every_position(void **state) {
    sparcl_ctx *ctx = *state;
    for (int64_t more = -1; more <= 17; more += test_is_small() ? 18 : 3)
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
    assert_ok(ctx,
              sparcl_buf_read(ctx, other, 0, bytes, x)); /* the host memory is no longer in use */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(transfers_keep_every_byte_at_every_position),
        DEVICE_TEST(large_transfers_keep_every_byte_at_every_position),
        DEVICE_TEST(fill_writes_its_range_and_no_more),
        DEVICE_TEST(upload_frees_the_host_memory_at_once),
        DEVICE_TEST(ranges_of_one_buffer_may_be_copied_unless_they_overlap),
        DEVICE_TEST(host_memory_in_use_is_read_in_place_and_not_elsewhere),
        DEVICE_TEST(what_is_written_to_the_device_may_lie_where_nobody_can_write),
        DEVICE_TEST(freeing_before_the_work_has_ended_is_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
