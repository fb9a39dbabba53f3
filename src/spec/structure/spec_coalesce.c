/* spec_coalesce.c: adding entries with the same indices, in plain C. Variant bit 1: the number of
 * entries is on the device. `n`: number of the shape. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 2, 37, 513, 90, 530, 700, 1025, 5121, 70145};

static bool get_case(int i, bool small, spec_case *c) {
    if (!spec_entries_case(c, i, sizes, sizeof sizes / sizeof sizes[0], small)) return false;
    c->dtype = i % 4 == 3 ? SPARCL_F64 : SPARCL_F32;
    if (i % 5 == 2) c->index_type = SPARCL_INDEX64;
    c->seed = (uint64_t)(i + i / 3);
    c->variant = i % 3 == 1 ? 2 : 0;
    return true;
}

typedef struct state {
    spec_entries entries;
    sparcl_coo from, to;
} state;

/* Of a measurement: shuffled entries. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->entries = spec_entries_drawn(t, (int)c->n, c->nnz, c->variant & 2, c->seed);
    if (t->given) spec_entries_shuffle(&s->entries, 1);
    const spec_entries room = spec_entries_room(t, &s->entries);
    s->from = spec_coo(t, &s->entries, t->given ? 0 : 2, t->given);
    s->to = spec_coo(t, &room, t->given ? 0 : 1, true);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_coo_coalesce(ctx, &s->to, &s->from, SPARCL_SUM, NULL);
}

/* Add the entries order[0] .. order[length - 1]. */
static void answer(const spec_test *t, const spec_entries *from, const int64_t *order,
                   int64_t length, double *terms, spec_entries *want, double *truth,
                   double *bound) {
    const sparcl_dtype dtype = t->c->dtype;
    const int64_t u = want->stored++;
    double magnitude = 0;
    spec_entries_copy(want, u, from, order[0]);
    for (int64_t k = 0; k < length; ++k) {
        terms[k] = spec_round(dtype, from->values[order[k]]);
        truth[u] += terms[k];
        magnitude += fabs(terms[k]);
    }
    want->values[u] = spec_sum_duplicates(dtype, terms, length);
    bound[u] = spec_depth_duplicates(length) * spec_unit(dtype) * magnitude * SPEC_SECOND_ORDER;
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const spec_entries *const from = &s->entries;
    const int64_t *const order = spec_own(t, spec_entries_order(from));
    spec_entries want = spec_entries_room(t, from);
    double *const truth = spec_reals(t, from->stored), *const bound = spec_reals(t, from->stored);
    double *const terms = spec_reals(t, from->stored);
    for (int64_t begin = 0, end; begin < from->stored; begin = end) {
        end = spec_run_end(from, order, begin);
        answer(t, from, order + begin, end - begin, terms, &want, truth, bound);
    }
    t->report->zeros_expected = t->given;
    spec_expect_entries(t, &s->to, &want, truth, bound);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = 2 * spec_coo_bytes(&s->from, s->entries.stored);
}

extern const spec_op spec_coalesce;
static const spec_bench timed[] = {
    {"coalesce", "sort shuffled entries, and add those of the same indices", .op = &spec_coalesce},
    {0}};

const spec_op spec_coalesce = {.name = "coalesce",
                               .get_case = get_case,
                               .state_size = sizeof(state),
                               .make = make,
                               .call = call,
                               .expect = expect,
                               .work = work,
                               .timed = timed};
