/* op_test.h: what the tests of the operations share: contexts, transfers of arrays, tables of
 * refusals. */
#ifndef TESTS_OP_TEST_H
#define TESTS_OP_TEST_H

#include "device_test.h"

#include <math.h>

#include "spec/shared/spec.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- contexts -------------------------------------------------------------------------------- */

static inline int open_ctx(void **state) {
    *state = test_open();
    return 0;
}

static inline int close_ctx(void **state) {
    sparcl_ctx_close(*state);
    return 0;
}

/* A context on the device under test with the kernels of one class; NULL where that is not
 * possible. */
static inline sparcl_ctx *open_class(sparcl_class device_class) {
    sparcl_ctx_desc desc = test_desc();
    sparcl_ctx *ctx = NULL;
    sparcl_error error = {0};
    desc.device_class = device_class;
    const sparcl_status status = sparcl_ctx_open(&ctx, &desc, &error);
    if (status == SPARCL_E_DEVICE) {
        fprintf(stderr, "skipped: %s\n", error.message);
        exit(EXIT_SKIPPED);
    }
    if (status != SPARCL_OK && status != SPARCL_E_UNSUPPORTED) fail_msg("%s", error.message);
    return ctx;
}

/* A case of an operation that its sweep leaves out. */
static inline void check_spec_case(sparcl_ctx *ctx, const char *name, const spec_case *c) {
    for (const spec_op *const *op = spec_ops; *op; ++op) {
        spec_report report = {0};
        if (strcmp((*op)->name, name) != 0) continue;
        assert_ok(ctx, spec_check(ctx, *op, c, &report));
        if (!report.equal) fail_msg("%s: %s", name, report.why);
        return;
    }
    fail_msg("there is no operation %s", name);
}

/* Keys of so many bits, and so many entries, that wide cores split buckets twice. */
static inline spec_case long_keys(spec_kind kind) {
    return (spec_case){.kind = kind,
                       .rows = (int64_t)1 << 22,
                       .cols = (int64_t)1 << 22,
                       .nnz = 300000,
                       .n = 21, /* the number of this shape in src/spec/shared/entries.c */
                       .seed = 7};
}

/* --- arrays ---------------------------------------------------------------------------------- */

static inline void *must_have(void *memory) {
    assert_non_null(memory);
    return memory;
}

static inline sparcl_buf *put(sparcl_ctx *ctx, const void *x, int64_t bytes) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_upload(ctx, &buf, x, bytes));
    return buf;
}

static inline sparcl_buf *put_ints(sparcl_ctx *ctx, const int64_t *x, int64_t count,
                                   sparcl_itype type) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, spec_put_ints(ctx, &buf, x, count, type));
    return buf;
}

/* `count` numbers from a seed, as floats. */
static inline float *make_floats(int64_t count, uint64_t seed) {
    float *x = must_have(calloc((size_t)count + 1, sizeof *x));
    for (int64_t i = 0; i < count; ++i)
        x[i] = (float)spec_uniform(&seed);
    return x;
}

/* Elements of a matrix with the gaps between its rows. */
static inline int64_t dense_capacity(const sparcl_dense *view) {
    return view->shape[0] * (view->ld ? view->ld : view->shape[1]);
}

/* `count` floats in a buffer with capacity for as many doubles. */
static inline sparcl_buf *put_spare(sparcl_ctx *ctx, const float *x, int64_t count) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, count * 8 + 64));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, count * 8 + 64, 0x11));
    assert_ok(ctx, sparcl_buf_write(ctx, buf, 0, count * 4, x));
    return buf;
}

static inline double *widen(const float *x, int64_t count) {
    double *wide = must_have(calloc((size_t)count + 1, sizeof *wide));
    for (int64_t i = 0; i < count; ++i)
        wide[i] = x[i];
    return wide;
}

/* All bytes of a buffer; free them. */
static inline void *bytes_of(sparcl_ctx *ctx, const sparcl_buf *buf) {
    void *bytes = must_have(calloc(1, (size_t)sparcl_buf_bytes(buf) + 1));
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, sparcl_buf_bytes(buf), bytes));
    return bytes;
}

static inline void assert_holds(sparcl_ctx *ctx, const sparcl_buf *buf, const void *bytes) {
    void *now = bytes_of(ctx, buf);
    assert_memory_equal(now, bytes, (size_t)sparcl_buf_bytes(buf));
    free(now);
}

static inline float float_at(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at) {
    float x = 0;
    assert_ok(ctx, sparcl_buf_read(ctx, buf, at * 4, 4, &x));
    return x;
}

static inline int64_t int_at(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at) {
    int64_t x = 0;
    assert_ok(ctx, sparcl_buf_read(ctx, buf, at * 8, 8, &x));
    return x;
}

/* The context of a test, and one for each class of kernels that there is. */
typedef struct class_contexts {
    sparcl_ctx *contexts[3];
} class_contexts;

static inline class_contexts open_classes(sparcl_ctx *ctx) {
    return (class_contexts){{ctx, open_class(SPARCL_CLASS_CPU), open_class(SPARCL_CLASS_GPU)}};
}

static inline void close_classes(class_contexts *c) {
    sparcl_ctx_close(c->contexts[1]);
    sparcl_ctx_close(c->contexts[2]);
}

/* The result of `run` has the same bits in each of two runs with each class of kernels. */
static inline void assert_same_bits(const class_contexts *c,
                                    sparcl_buf *(*run)(sparcl_ctx *ctx, const void *input),
                                    const void *input) {
    void *first = NULL;
    for (size_t i = 0; i < 2 * COUNT(c->contexts); ++i) {
        sparcl_ctx *const ctx = c->contexts[i / 2];
        if (!ctx) continue;
        sparcl_buf *const result = run(ctx, input);
        if (first)
            assert_holds(ctx, result, first);
        else
            first = bytes_of(ctx, result);
        sparcl_buf_free(result);
    }
    free(first);
}

/* A refused call: the status, a message that holds `part`, and every byte of the result as it was.
 */
#define assert_refused_untouched(ctx, result, call, expected, part)                                \
    do {                                                                                           \
        void *const before_ = bytes_of((ctx), (result));                                           \
        assert_refused((ctx), (call), (expected), (part));                                         \
        assert_holds((ctx), (result), before_);                                                    \
        free(before_);                                                                             \
    } while (0)

/* Results that a refused call must leave as they are, and their bytes. */
typedef struct snapshot {
    const sparcl_buf *bufs[8];
    void *bytes[8];
    size_t count;
} snapshot;

/* The bytes of all of the buffers, which end with NULL. */
static inline snapshot snapshot_of(sparcl_ctx *ctx, const sparcl_buf *const *bufs) {
    snapshot r = {.count = 0};
    for (; bufs[r.count]; ++r.count) {
        assert_true(r.count < COUNT(r.bufs));
        r.bufs[r.count] = bufs[r.count];
        r.bytes[r.count] = bytes_of(ctx, bufs[r.count]);
    }
    return r;
}
#define SNAPSHOT(ctx, ...) snapshot_of((ctx), (const sparcl_buf *const[]){__VA_ARGS__, NULL})

static inline void assert_unchanged(sparcl_ctx *ctx, const snapshot *r) {
    for (size_t i = 0; i < r->count; ++i)
        assert_holds(ctx, r->bufs[i], r->bytes[i]);
}

static inline void snapshot_free(snapshot *r) {
    for (size_t i = 0; i < r->count; ++i)
        free(r->bytes[i]);
}

/* One row of a table of refusals. `x` is a copy of `valid`, what a call takes; the statement
 * `violation` makes it invalid. `call` is refused with this status and a message that holds `part`;
 * the statement `check` looks at what it must leave. */
#define assert_violation_refused(type, valid, violation, call, expected, part, check)              \
    do {                                                                                           \
        type x = (valid);                                                                          \
        violation;                                                                                 \
        assert_refused((ctx), (call), (expected), (part));                                         \
        assert_int_equal(sparcl_ctx_error(ctx)->status, (expected));                               \
        check;                                                                                     \
    } while (0)

/* A float64 operand where float32 is expected: the status depends on the device. */
static inline sparcl_status wrong_f64(const sparcl_ctx *ctx) {
    return sparcl_ctx_device(ctx)->has_f64 ? SPARCL_E_DTYPE : SPARCL_E_UNSUPPORTED;
}

#endif
