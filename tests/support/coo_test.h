/* coo_test.h: what the tests of operations from one COO array to another share. */
#ifndef TESTS_COO_TEST_H
#define TESTS_COO_TEST_H

#include "op_test.h"

#include "spec/shared/entries.h"

/* `to` has buffers with capacity for 64-bit elements, and a count. */
typedef struct coo_pair {
    spec_entries entries; /* of `from` */
    sparcl_coo from, to;
    sparcl_buf *permutation;
    int64_t permutation_at;
} coo_pair;

/* Shapes are those of spec/entries.c; 6 is 7 x 9. */
#define SHAPE_7X9 6

static inline coo_pair pair_make(sparcl_ctx *ctx, spec_kind kind, int shape, int64_t nnz) {
    coo_pair p = {0};
    const spec_case c = {.dtype = SPARCL_F32, .index_type = SPARCL_INDEX32};
    assert_true(spec_entries_make(&p.entries, kind, shape, nnz, false, 5));
    assert_ok(ctx, spec_put_entries(ctx, &p.from, &p.entries, &c, 0, false));
    p.to = p.from;
    p.to.proof = (sparcl_proof){0};
    const int64_t bytes = nnz * 8 + 64;
    for (int d = 0; d <= p.to.rank; ++d) {
        sparcl_buf **buf = d < p.to.rank ? &p.to.indices[d] : &p.to.values;
        assert_ok(ctx, sparcl_buf_create(ctx, buf, bytes));
        assert_ok(ctx, sparcl_buf_fill(ctx, *buf, 0, bytes, 0x11));
    }
    const int64_t count = -1;
    p.to.count = put(ctx, &count, 8);
    return p;
}

static inline void pair_free(coo_pair *p) {
    spec_entries_free(&p->entries);
    sparcl_coo_free(&p->from);
    sparcl_coo_free(&p->to);
}

typedef sparcl_status (*pair_call)(sparcl_ctx *ctx, coo_pair *p);

/* What a refused call leaves: every array of the result, and its proof. */
static inline void assert_pair_left(sparcl_ctx *ctx, const coo_pair *x, const coo_pair *valid,
                                    const snapshot *kept) {
    assert_unchanged(ctx, kept);
    assert_memory_equal(&x->to.proof, &valid->to.proof, sizeof valid->to.proof);
}

/* A row of a table of refusals, where `p` is a valid pair, `call` the call and `kept` its results.
 */
#define PAIR_REFUSED(violation, status, part)                                                      \
    assert_violation_refused(coo_pair, p, violation, call(ctx, &x), status, part,                  \
                             assert_pair_left(ctx, &x, &p, &kept))

static inline snapshot pair_snapshot(sparcl_ctx *ctx, const coo_pair *p) {
    return SNAPSHOT(ctx, p->to.values, p->to.indices[0], p->to.count);
}

static inline void check_coo_refusals(sparcl_ctx *ctx, pair_call call) {
    coo_pair p = pair_make(ctx, SPEC_DUPLICATE, SHAPE_7X9, 40);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = pair_snapshot(ctx, &p);
    PAIR_REFUSED(x.to.rank = 9, SPARCL_E_SHAPE, "`to` has rank 9, expected 1 to 8");
    PAIR_REFUSED(x.to.rank = 1, SPARCL_E_SHAPE, "`to` has rank 1, `from` has 2");
    PAIR_REFUSED(x.to.shape[1] = 10, SPARCL_E_SHAPE, "dimension 1 of `to` is 10, of `from` 9");
    PAIR_REFUSED(--x.to.nnz, SPARCL_E_SHAPE,
                 "`to` has capacity for 39 entries, expected at least the 40 of");
    PAIR_REFUSED(x.to.dtype = SPARCL_F64, no_f64, "64");
    PAIR_REFUSED(x.to.index_type = SPARCL_INDEX64, SPARCL_E_DTYPE,
                 "`to` has i64 indices and `from` i32");
    PAIR_REFUSED(x.to.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of `to` are not zero");
    PAIR_REFUSED(x.to.indices[1] = NULL, SPARCL_E_SHAPE, "`to` has no buffer yet for its indices");
    PAIR_REFUSED(x.to.values_at = 1000, SPARCL_E_SHAPE, "from 1000 on for its values");
    PAIR_REFUSED(x.from.nnz = -1, SPARCL_E_SHAPE, "`from` has -1 entries");
    PAIR_REFUSED(x.from.indices[0] = NULL, SPARCL_E_SHAPE, "`from` has no buffer");
    PAIR_REFUSED(x.from.values_at = -1, SPARCL_E_SHAPE, "from -1 on");
    PAIR_REFUSED(x.from.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of `from`");
    PAIR_REFUSED(x.from.shape[0] = (int64_t)INT32_MAX + 1, SPARCL_E_DTYPE,
                 "`from` has 32-bit indices");
    PAIR_REFUSED(x.from.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
                 "`from` is not checked; call sparcl_coo_validate");
    PAIR_REFUSED(x.from.values = x.to.values, SPARCL_E_ALIAS,
                 "the values of `to` overlaps the values of `from`");
    PAIR_REFUSED(x.from.indices[1] = x.to.indices[0], SPARCL_E_ALIAS,
                 "the indices of `to` overlaps the indices of `from`");
    PAIR_REFUSED(x.from.values = x.to.indices[1], SPARCL_E_ALIAS,
                 "the indices of `to` overlaps the values of `from`");
    PAIR_REFUSED(x.to.count = x.from.values, SPARCL_E_ALIAS,
                 "the count of `to` overlaps the values of `from`");
    PAIR_REFUSED(x.to.indices[0] = x.to.indices[1], SPARCL_E_ALIAS,
                 "the indices of `to` overlaps the indices of `to`");
    PAIR_REFUSED(x.to.count = x.to.values, SPARCL_E_ALIAS,
                 "the count of `to` overlaps the values of `to`");
    snapshot_free(&kept);
    assert_ok(ctx, call(ctx, &p));
    pair_free(&p);
}

/* The first `count` 32-bit elements of a buffer. */
static inline void assert_words(sparcl_ctx *ctx, const sparcl_buf *buf, const void *expected,
                                int64_t count) {
    void *got = must_have(calloc((size_t)count + 1, 4));
    assert_ok(ctx, sparcl_buf_read(ctx, buf, 0, count * 4, got));
    assert_memory_equal(got, expected, (size_t)count * 4);
    free(got);
}

/* Rank 1, with indices and values given as 32-bit patterns. */
static inline sparcl_coo put_line(sparcl_ctx *ctx, int64_t size, const int32_t *indices,
                                  const uint32_t *values, int64_t nnz) {
    sparcl_coo a = {.rank = 1, .shape = {size}, .nnz = nnz, .proof = {.flags = SPARCL_TRUSTED}};
    a.indices[0] = put(ctx, indices, nnz * 4);
    a.values = put(ctx, values, nnz * 4);
    return a;
}

static inline void check_long_keys(sparcl_ctx *ctx, const char *operation) {
    static const spec_kind kinds[] = {SPEC_UNIFORM, SPEC_ONE_ROW, SPEC_DUPLICATE, SPEC_DIAGONAL};
    for (size_t i = 0; i < COUNT(kinds) && !test_is_small(); ++i) {
        const spec_case c = long_keys(kinds[i]);
        check_spec_case(ctx, operation, &c);
    }
}

/* Values that arithmetic could change: -0, 0, a NaN with a payload, infinity, a subnormal, 1. */
static const uint32_t odd_values[] = {0x80000000u, 0u, 0x7fc12345u, 0xff800000u, 1u, 0x3f800000u};
static const int32_t odd_indices[] = {5, 3, 4, 0, 2, 1};

#endif
