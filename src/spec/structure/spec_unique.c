/* spec_unique.c: the distinct indices of a list, in plain C. Variant bit 0: all results, else the
 * indices only; bit 1: the list is marked as sorted (and is). n: how many indices. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

static const int64_t lengths[] = {0, 1, 2, 37, 600, 5000, 70000};
static const int64_t limits[] = {1, 3, 900, 1 << 20, (int64_t)1 << 40};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_lengths = (int)(sizeof lengths / sizeof lengths[0]) - (small ? 2 : 0);
    const int n_limits = (int)(sizeof limits / sizeof limits[0]);
    if (i >= n_lengths * n_limits * 2) return false;
    *c = (spec_case){.kind = SPEC_UNIFORM,
                     .rows = limits[i / 2 % n_limits],
                     .n = lengths[i / 2 / n_limits],
                     .seed = (uint64_t)i,
                     .variant = (i % 7 != 3) + (i % 3 == 1 ? 2 : 0)};
    c->index_type = c->rows > INT32_MAX || i % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    return true;
}

enum { ALL_RESULTS = 1, SORTED = 2 };

typedef struct state {
    spec_entries ids; /* as a vector */
    int64_t *indices, *inverse, *counts, *first;
    int64_t found;
    sparcl_list list;
    sparcl_unique_result to;
} state;

/* Of a measurement: the columns of the entries. */
static void make_ids(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t count = t->given ? c->nnz : c->n, limit = t->given ? c->cols : c->rows;
    const spec_entries like = {.rank = 1, .shape = {limit}, .capacity = count};
    uint64_t seed = c->seed;
    s->ids = spec_entries_room(t, &like);
    s->ids.stored = count;
    for (int64_t i = 0; i < count && !t->given; ++i) {
        const int64_t number = (int64_t)(spec_random(&seed) >> 1);
        s->ids.indices[0][i] = number % (seed % 3 ? limit : (limit + 2) / 3);
    }
    if (t->given) memcpy(s->ids.indices[0], t->given->indices, (size_t)count * sizeof(int64_t));
    if (c->variant & SORTED) spec_sort_ints(s->ids.indices[0], count);
}

static void make_expected(spec_test *t, state *s) {
    const int64_t count = s->ids.stored;
    int64_t **const all[] = {&s->indices, &s->inverse, &s->counts, &s->first};
    for (int i = 0; i < 4; ++i)
        *all[i] = spec_int64s(t, count);
    const int64_t *const order = spec_own(t, spec_entries_order(&s->ids));
    for (int64_t k = 0; k < count; ++k) {
        const int64_t at = order[k], id = s->ids.indices[0][at];
        if (s->found == 0 || s->indices[s->found - 1] != id) {
            s->first[s->found] = at;
            s->indices[s->found++] = id;
        }
        s->inverse[at] = s->found - 1;
        ++s->counts[s->found - 1];
    }
}

/* A measurement has no first ones. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    sparcl_unique_result *const to = &s->to;
    sparcl_buf **const all[] = {&to->found, &to->indices, &to->inverse, &to->counts, &to->first};
    const int results = t->given ? 4 : c->variant & ALL_RESULTS ? 5 : 2;
    make_ids(t, s);
    make_expected(t, s);
    s->list = spec_list(t, s->ids.indices[0], s->ids.stored, s->ids.shape[0], c->index_type);
    if (c->variant & SORTED) s->list.proof.flags |= SPARCL_SORTED;
    for (int i = 0; i < results; ++i)
        *all[i] = spec_result_buf(t, (s->ids.stored + 2) * 8);
    to->indices_at = to->found_at = to->inverse_at = to->counts_at = to->first_at = 1;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_unique(ctx, &s->to, &s->list);
}

static void compare(spec_test *t, const char *what, const sparcl_buf *buf, sparcl_itype type,
                    const int64_t *want, int64_t count) {
    if (buf && t->report->equal) spec_expect_ints(t, what, buf, 1, type, want, count);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const int64_t found = s->found;
    compare(t, "number", s->to.found, SPARCL_INDEX64, &found, 1);
    compare(t, "indices", s->to.indices, s->list.index_type, s->indices, found);
    compare(t, "inverse", s->to.inverse, SPARCL_INDEX64, s->inverse, s->ids.stored);
    compare(t, "counts", s->to.counts, SPARCL_INDEX64, s->counts, found);
    compare(t, "first", s->to.first, SPARCL_INDEX64, s->first, found);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double index = (double)sparcl_itype_size(s->list.index_type);
    (void)number;
    *flops = 0;
    *bytes = (index + 8) * (double)(s->ids.stored + s->found);
}

extern const spec_op spec_unique;
static const spec_bench timed[] = {
    {"unique", "the distinct columns of the entries, where each is, and how often",
     .op = &spec_unique},
    {0}};

const spec_op spec_unique = {.name = "unique",
                             .get_case = get_case,
                             .state_size = sizeof(state),
                             .make = make,
                             .call = call,
                             .expect = expect,
                             .work = work,
                             .timed = timed};
