/* moved_test.h: what the tests of operations that move entries share: small matrices as they are
 * written down, results, and where entries come from. */
#ifndef TESTS_MOVED_TEST_H
#define TESTS_MOVED_TEST_H

#include "op_test.h"

static inline sparcl_buf *put_int32s(sparcl_ctx *ctx, const int32_t *x, int64_t count) {
    return put(ctx, x, count * 4);
}

/* A matrix of F32 with 32-bit integers, trusted. */
static inline sparcl_csr put_matrix(sparcl_ctx *ctx, int64_t rows, int64_t cols,
                                    const int32_t *offsets, const int32_t *indices,
                                    const float *values) {
    const int64_t nnz = offsets[rows];
    return (sparcl_csr){.rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .offsets = put_int32s(ctx, offsets, rows + 1),
                        .indices = put_int32s(ctx, indices, nnz),
                        .values = put(ctx, values, nnz * 4),
                        .proof = {.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE}};
}

#define ARRAY(...)                                                                                 \
    { __VA_ARGS__ }
#define MATRIX(ctx, rows, cols, offsets, indices, values)                                          \
    put_matrix((ctx), (rows), (cols), (const int32_t[])offsets, (const int32_t[])indices,          \
               (const float[])values)

/* `count` elements of 8 bytes with a value that no result has. */
static inline sparcl_buf *make_space(sparcl_ctx *ctx, int64_t count) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, count * 8 + 8));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, count * 8 + 8, 0x55));
    return buf;
}

/* Space for a result of the same types. */
static inline sparcl_csr make_result(sparcl_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz) {
    return (sparcl_csr){.rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .offsets = make_space(ctx, rows + 1),
                        .indices = make_space(ctx, nnz),
                        .values = make_space(ctx, nnz)};
}

static inline sparcl_moved make_moved(sparcl_ctx *ctx, int64_t capacity) {
    return (sparcl_moved){.source = make_space(ctx, capacity), .needed = make_space(ctx, 1)};
}

static inline void moved_free(sparcl_moved *moved) {
    sparcl_buf_free(moved->source);
    sparcl_buf_free(moved->needed);
}

static inline void assert_begins(sparcl_ctx *ctx, const sparcl_buf *buf, const void *expected,
                                 size_t bytes) {
    unsigned char *const got = bytes_of(ctx, buf);
    assert_memory_equal(got, expected, bytes);
    free(got);
}

#define ASSERT_INT32S(ctx, buf, ...)                                                               \
    assert_begins((ctx), (buf), (const int32_t[])__VA_ARGS__, sizeof((const int32_t[])__VA_ARGS__))
#define ASSERT_INT64S(ctx, buf, ...)                                                               \
    assert_begins((ctx), (buf), (const int64_t[])__VA_ARGS__, sizeof((const int64_t[])__VA_ARGS__))
#define ASSERT_FLOATS(ctx, buf, ...)                                                               \
    assert_begins((ctx), (buf), (const float[])__VA_ARGS__, sizeof((const float[])__VA_ARGS__))

static inline sparcl_list put_indices(sparcl_ctx *ctx, int64_t limit, int64_t count,
                                      const int32_t *indices) {
    return (sparcl_list){.count = count,
                         .limit = limit,
                         .indices = put_int32s(ctx, indices, count),
                         .proof = {.flags = SPARCL_TRUSTED}};
}

#define LIST(ctx, limit, ...)                                                                      \
    put_indices((ctx), (limit), (int64_t)COUNT(((const int32_t[])__VA_ARGS__)),                    \
                (const int32_t[])__VA_ARGS__)

#define SORTED_FLAGS (SPARCL_VALID | SPARCL_SORTED)
#define ALL_FLAGS    (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE)

#endif
