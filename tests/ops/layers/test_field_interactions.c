/* test_field_interactions.c: what the header says of interactions of fields. */
#include "op_test.h"
#include "sparcl/ops/layers.h"

/* A [3, 5] with 6 entries and capacity for two more; two fields, blocks of two numbers. */
enum { ENTRIES = 6, CAPACITY = 8, FIELDS = 2, K = 2, WIDTH = FIELDS * K };

static const float a_values[CAPACITY] = {1, 2, -1, 3, 0.5F, 2, 7, 7};
static const int64_t offsets[] = {0, 3, 3, 6}, columns[CAPACITY] = {0, 1, 4, 1, 2, 3, 0, 0};
static const int64_t fields_of[CAPACITY] = {0, 1, 1, 0, 0, 1, 0, 0};

typedef struct subject {
    sparcl_csr a;
    sparcl_list fields;
    sparcl_dense e, t, ge, gt;
    float e_host[CAPACITY * WIDTH], g_host[CAPACITY];
} subject;

static subject make_subject(sparcl_ctx *ctx) {
    subject s = {.a = {.rows = 3, .cols = 5, .nnz = CAPACITY},
                 .fields = {.limit = FIELDS, .count = CAPACITY},
                 .e = {.rank = 2, .shape = {CAPACITY, WIDTH}}};
    for (int i = 0; i < CAPACITY * WIDTH; ++i)
        s.e_host[i] = (float)(i * 7 % 11 - 5) / 4;
    for (int i = 0; i < CAPACITY; ++i)
        s.g_host[i] = (float)(i - 2) / 2;
    s.a.offsets = put_ints(ctx, offsets, 4, SPARCL_INDEX32);
    s.a.indices = put_ints(ctx, columns, CAPACITY, SPARCL_INDEX32);
    s.a.values = put(ctx, a_values, CAPACITY * 4);
    s.fields.indices = put_ints(ctx, fields_of, CAPACITY, SPARCL_INDEX32);
    assert_ok(ctx, sparcl_csr_validate(ctx, &s.a, SPARCL_VALID));
    assert_ok(ctx, sparcl_list_validate(ctx, &s.fields, SPARCL_VALID));
    s.e.values = put(ctx, s.e_host, CAPACITY * WIDTH * 4);
    s.ge = (sparcl_dense){.rank = 2, .shape = {CAPACITY, WIDTH}};
    s.t = s.gt = (sparcl_dense){.rank = 1, .shape = {CAPACITY}};
    s.ge.values = put(ctx, s.e_host, CAPACITY * WIDTH * 4); /* overwritten */
    s.t.values = put(ctx, s.e_host, CAPACITY * 4);
    s.gt.values = put(ctx, s.g_host, CAPACITY * 4);
    return s;
}

static void free_subject(subject *s) {
    sparcl_csr_free(&s->a);
    sparcl_list_free(&s->fields);
    sparcl_dense_free(&s->e);
    sparcl_dense_free(&s->t);
    sparcl_dense_free(&s->ge);
    sparcl_dense_free(&s->gt);
}

static int end_of(int p) {
    return p < 3 ? 3 : ENTRIES;
}

static float term(const subject *s, int p) {
    float sum = 0;
    for (int q = p + 1; p < ENTRIES && q < end_of(p); ++q) {
        float dot = 0;
        for (int j = 0; j < K; ++j)
            dot += s->e_host[p * WIDTH + fields_of[q] * K + j] *
                   s->e_host[q * WIDTH + fields_of[p] * K + j];
        sum += a_values[p] * a_values[q] * dot;
    }
    return sum;
}

static void each_entry_has_its_pairs_with_later_ones(void **state) {
    sparcl_ctx *ctx = *state;
    subject s = make_subject(ctx);
    assert_ok(ctx, sparcl_field_interactions(ctx, &s.t, &s.a, &s.fields, &s.e));
    for (int p = 0; p < CAPACITY; ++p)
        assert_true(float_at(ctx, s.t.values, p) == term(&s, p)); /* all are exact */
    assert_true(float_at(ctx, s.t.values, 0) != 0 && float_at(ctx, s.t.values, 7) == 0);
    free_subject(&s);
}

/* A change of one element of E changes sum of gt t by the gradient times it: t is linear in each.
 */
static void the_gradient_is_the_change_by_each_element(void **state) {
    sparcl_ctx *ctx = *state;
    subject s = make_subject(ctx);
    assert_ok(ctx, sparcl_field_interactions_gradient(ctx, &s.ge, &s.a, &s.fields, &s.e, &s.gt));
    for (int i = 0; i < CAPACITY * WIDTH; ++i) {
        subject moved = s;
        double change = 0;
        moved.e_host[i] += 1;
        for (int p = 0; p < CAPACITY; ++p)
            change += (double)(s.g_host[p] * (term(&moved, p) - term(&s, p)));
        assert_true((double)float_at(ctx, s.ge.values, i) == change);
    }
    free_subject(&s);
}

static void what_does_not_fit_is_refused(void **state) {
    sparcl_ctx *ctx = *state;
    subject s = make_subject(ctx);
    snapshot kept = SNAPSHOT(ctx, s.t.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(subject, s, violation,                                                \
                             sparcl_field_interactions(ctx, &x.t, &x.a, &x.fields, &x.e), status,  \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(--x.fields.count, SPARCL_E_SHAPE, "fields has 7 elements, expected one for each of 8");
    REFUSED(x.fields.limit = 3, SPARCL_E_SHAPE, "blocks for each of 3 fields");
    REFUSED(--x.e.shape[0], SPARCL_E_SHAPE, "E has rank 2 and is 7 x 4");
    REFUSED(x.e.rank = 1, SPARCL_E_SHAPE, "E has rank 1");
    REFUSED(--x.t.shape[0], SPARCL_E_SHAPE, "t");
    REFUSED(x.t.values = x.e.values, SPARCL_E_ALIAS, "t overlaps E");
    REFUSED(x.t.values = x.fields.indices, SPARCL_E_ALIAS, "t overlaps");
    REFUSED(x.a.proof.flags = 0, SPARCL_E_UNCHECKED, "A");
    REFUSED(x.fields.proof.flags = 0, SPARCL_E_UNCHECKED, "fields");
    REFUSED(x.e.dtype = SPARCL_F16, SPARCL_E_DTYPE, "E");
    snapshot_free(&kept);
    assert_refused(ctx, sparcl_field_interactions(ctx, &s.t, NULL, &s.fields, &s.e), SPARCL_E_ARG,
                   "A is NULL");
    assert_refused(ctx, sparcl_field_interactions(ctx, &s.t, &s.a, NULL, &s.e), SPARCL_E_ARG,
                   "fields is NULL");
    --s.ge.shape[0];
    assert_refused(ctx,
                   sparcl_field_interactions_gradient(ctx, &s.ge, &s.a, &s.fields, &s.e, &s.gt),
                   SPARCL_E_SHAPE, "ge");
    ++s.ge.shape[0];
    free_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_entry_has_its_pairs_with_later_ones),
        cmocka_unit_test(the_gradient_is_the_change_by_each_element),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
