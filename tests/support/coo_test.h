/* coo_test.h: what the tests of operations from one COO array to another share. */
#ifndef TESTS_COO_TEST_H
#define TESTS_COO_TEST_H

#include "op_test.h"

#include "spec/entries.h"

/* `to` has buffers with room for 64-bit elements, and a count. */
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
    const spec_case c = {.dtype = SPARCL_F32, .index_type = SPARCL_I32};
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

/* A way of breaking a pair, and what must be said of it. */
typedef struct coo_refusal {
    void (*violation)(coo_pair *p);
    sparcl_status status;
    const char *part;
    bool needs_f64;
} coo_refusal;

#define VIOLATION(name, statement)                                                                 \
    static inline void name(coo_pair *p) {                                                         \
        statement;                                                                                 \
    }
VIOLATION(to_has_rank_9, p->to.rank = 9)
VIOLATION(to_has_another_rank, p->to.rank = 1)
VIOLATION(to_has_another_shape, p->to.shape[1] = 10)
VIOLATION(to_has_less_capacity, --p->to.nnz)
VIOLATION(to_is_f64, p->to.dtype = SPARCL_F64)
VIOLATION(to_has_other_indices, p->to.index_type = SPARCL_I64)
VIOLATION(to_has_reserved_bits, p->to.reserved[0] = 1)
VIOLATION(to_has_no_indices, p->to.indices[1] = NULL)
VIOLATION(to_begins_too_late, p->to.values_at = 1000)
VIOLATION(from_is_negative, p->from.nnz = -1)
VIOLATION(from_has_no_indices, p->from.indices[0] = NULL)
VIOLATION(from_begins_before_0, p->from.values_at = -1)
VIOLATION(from_has_reserved_bits, p->from.reserved[1] = 1)
VIOLATION(from_is_too_wide, p->from.shape[0] = (int64_t)INT32_MAX + 1)
VIOLATION(from_is_unproven, p->from.proof = (sparcl_proof){0})
VIOLATION(the_values_are_shared, p->from.values = p->to.values)
VIOLATION(indices_are_shared, p->from.indices[1] = p->to.indices[0])
VIOLATION(values_lie_in_indices, p->from.values = p->to.indices[1])
VIOLATION(a_count_lies_in_values, p->to.count = p->from.values)
VIOLATION(to_overlaps_itself, p->to.indices[0] = p->to.indices[1])
VIOLATION(the_count_lies_in_to, p->to.count = p->to.values)
#undef VIOLATION

static const coo_refusal coo_refusals[] = {
    {to_has_rank_9, SPARCL_E_SHAPE, "`to` has rank 9, expected 1 to 8", false},
    {to_has_another_rank, SPARCL_E_SHAPE, "`to` has rank 1, `from` has 2", false},
    {to_has_another_shape, SPARCL_E_SHAPE, "dimension 1 of `to` is 10, of `from` 9", false},
    {to_has_less_capacity, SPARCL_E_SHAPE,
     "`to` has capacity for 39 entries, expected at least the 40 of", false},
    {to_is_f64, SPARCL_E_DTYPE, "64", true},
    {to_has_other_indices, SPARCL_E_DTYPE, "`to` has i64 indices and `from` i32", false},
    {to_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of `to` are not zero", false},
    {to_has_no_indices, SPARCL_E_SHAPE, "`to` needs 40 elements", false},
    {to_begins_too_late, SPARCL_E_SHAPE, "from 1000 on for its values", false},
    {from_is_negative, SPARCL_E_SHAPE, "`from` has -1 entries", false},
    {from_has_no_indices, SPARCL_E_SHAPE, "`from` needs", false},
    {from_begins_before_0, SPARCL_E_SHAPE, "from -1 on", false},
    {from_has_reserved_bits, SPARCL_E_ARG, "the reserved fields of `from`", false},
    {from_is_too_wide, SPARCL_E_DTYPE, "`from` has 32-bit indices", false},
    {from_is_unproven, SPARCL_E_UNCHECKED, "`from` is not checked; call sparcl_coo_validate",
     false},
    {the_values_are_shared, SPARCL_E_ALIAS, "the values of `to` overlaps the values of `from`",
     false},
    {indices_are_shared, SPARCL_E_ALIAS, "the indices of `to` overlaps the indices of `from`",
     false},
    {values_lie_in_indices, SPARCL_E_ALIAS, "the indices of `to` overlaps the values of `from`",
     false},
    {a_count_lies_in_values, SPARCL_E_ALIAS, "the count of `to` overlaps the values of `from`",
     false},
    {to_overlaps_itself, SPARCL_E_ALIAS, "the indices of `to` overlaps the indices of `to`", false},
    {the_count_lies_in_to, SPARCL_E_ALIAS, "the count of `to` overlaps the values of `to`", false},
};

typedef sparcl_status (*pair_call)(sparcl_ctx *ctx, coo_pair *p);

/* One refusal: every array of the result stays, and its proof too. */
static inline void check_coo_refusal(sparcl_ctx *ctx, const coo_pair *whole, const coo_refusal *r,
                                     pair_call call) {
    const sparcl_status expected = r->needs_f64 ? wrong_f64(ctx) : r->status;
    coo_pair p = *whole;
    void *indices = bytes_of(ctx, p.to.indices[0]), *count = bytes_of(ctx, p.to.count);
    r->violation(&p);
    const sparcl_proof proof = p.to.proof;
    assert_refused_untouched(ctx, whole->to.values, call(ctx, &p), expected, r->part);
    assert_int_equal(sparcl_ctx_error(ctx)->status, expected);
    assert_memory_equal(&proof, &p.to.proof, sizeof proof);
    assert_holds(ctx, whole->to.indices[0], indices);
    assert_holds(ctx, whole->to.count, count);
    free(indices);
    free(count);
}

static inline void check_coo_refusals(sparcl_ctx *ctx, pair_call call) {
    coo_pair p = pair_make(ctx, SPEC_DUPLICATE, SHAPE_7X9, 40);
    for (size_t i = 0; i < COUNT(coo_refusals); ++i)
        check_coo_refusal(ctx, &p, &coo_refusals[i], call);
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

/* Values that arithmetic could change: -0, 0, a NaN with a payload, infinity, a subnormal, 1. */
static const uint32_t odd_values[] = {0x80000000u, 0u, 0x7fc12345u, 0xff800000u, 1u, 0x3f800000u};
static const int32_t odd_indices[] = {5, 3, 4, 0, 2, 1};

#endif
