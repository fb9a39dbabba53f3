/* spec_reorder.c: sorting COO arrays in plain C. Variant bit 0: with the permutation; bit 1: the
 * number of entries is on the device. `n`: number of the shape. */
#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

static const int64_t sizes[] = {0, 1, 2, 37, 600, 5000, 70000};

#define SIZES (int)(sizeof sizes / sizeof sizes[0])

/* Other element types: every third shape with every size. */
static bool get_other(int i, bool small, spec_case *c) {
    const int tried = SIZES - (small ? 2 : 0);
    if (!spec_entries_case(c, i / tried * 3 * tried + i % tried, sizes, SIZES, small)) return false;
    c->kind = (spec_kind)((i + i / tried) % SPEC_KINDS);
    c->dtype = spec_other_dtype(i + i / tried);
    if (i % 4 == 2) c->index_type = SPARCL_INDEX64;
    c->seed = (uint64_t)i * 7 + 5001;
    c->variant = i * 5 / 3 % 4;
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    int first = 0; /* the number of cases with F32 and F64 */
    while (spec_entries_case(c, first, sizes, SIZES, small))
        ++first;
    if (i >= first) return get_other(i - first, small, c);
    spec_entries_case(c, i, sizes, SIZES, small);
    c->dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32;
    if (i % 4 == 2) c->index_type = SPARCL_INDEX64;
    c->seed = (uint64_t)i * 7 + 1 + (uint64_t)(i % 3);
    c->variant = i * 5 / 3 % 4;
    return true;
}

enum { PERMUTED = 1, COUNTED = 2 };

typedef struct state {
    spec_entries entries;
    sparcl_coo from, to;
    sparcl_buf *places; /* the permutation, from element 1 on */
} state;

/* Of a measurement: shuffled, so that the view is not SORTED. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    const bool count = t->given || c->variant & COUNTED;
    state *const s = t->state;
    s->entries = spec_entries_drawn(t, (int)c->n, c->nnz, c->variant & COUNTED, c->seed);
    if (t->given) spec_entries_shuffle(&s->entries, 1);
    for (int64_t k = 0; k < s->entries.stored; ++k)
        s->entries.values[k] = spec_moved_value(c->dtype, s->entries.values[k]);
    spec_entries room = spec_entries_room(t, &s->entries);
    if (!count) room.stored = room.capacity;
    s->from = spec_coo(t, &s->entries, t->given ? 0 : 3, t->given);
    s->to = spec_coo(t, &room, t->given ? 0 : 1, count);
    if (c->variant & PERMUTED) s->places = spec_result_buf(t, (s->to.nnz + 1) * 8);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_coo_sort(ctx, &s->to, &s->from, s->places, 1);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const int64_t *const order = spec_own(t, spec_entries_order(&s->entries));
    spec_entries want = spec_entries_room(t, &s->entries);
    want.stored = s->entries.stored;
    for (int64_t k = 0; k < want.stored; ++k)
        spec_entries_copy(&want, k, &s->entries, order[k]);
    t->report->zeros_expected = t->given || t->c->dtype == SPARCL_BOOL;
    spec_expect_entries(t, &s->to, &want, NULL, NULL);
    if (s->places)
        spec_expect_ints(t, "permutation", s->places, 1, SPARCL_INDEX64, order, want.stored);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = 2 * spec_coo_bytes(&s->from, s->entries.stored);
}

extern const spec_op spec_reorder;
static const spec_bench timed[] = {{"reorder", "sort shuffled entries", .op = &spec_reorder}, {0}};

const spec_op spec_reorder = {.name = "reorder",
                              .get_case = get_case,
                              .state_size = sizeof(state),
                              .make = make,
                              .call = call,
                              .expect = expect,
                              .work = work,
                              .timed = timed};
