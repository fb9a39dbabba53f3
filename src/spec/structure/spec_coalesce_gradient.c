/* spec_coalesce_gradient.c: the gradient of entries that a coalesce has combined, in plain C.
 * Variant: sparcl_duplicates; + 8: the number of entries is on the device. `n`: number of the
 * shape. */
#include <math.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { HOW = 8, COUNTED = 8 };

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 37, 513, 700, 1025, 5121, 30209};

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype floats[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    if (!spec_entries_case(c, i, sizes, sizeof sizes / sizeof sizes[0], small)) return false;
    c->dtype = floats[(i + i / 4) % 4];
    c->seed = (uint64_t)(i + i / 3);
    c->variant = (i * 7 + i / 6) % 6 + (i % 3 == 1 ? COUNTED : 0);
    return true;
}

typedef struct state {
    int how;
    spec_entries entries;
    int64_t *inverse, *counts, *source;
    const double *g;
    sparcl_coo from;
    sparcl_dense g_view, to;
    sparcl_coalesced more;
} state;

/* Which of `length` equal entries a mode has chosen: of a maximum or minimum, any. */
static int64_t chosen(int how, int64_t first, int64_t length) {
    if (how == SPARCL_LAST) return length - 1;
    return how == SPARCL_MAX || how == SPARCL_MIN ? first % length : 0;
}

/* What the coalesce has written. */
static void combine(spec_test *t, state *s) {
    const int64_t count = s->entries.capacity;
    const int64_t *const order = spec_own(t, spec_entries_order(&s->entries));
    s->inverse = spec_int64s(t, count);
    s->counts = spec_int64s(t, count);
    s->source = spec_int64s(t, count);
    for (int64_t begin = 0, end, u = 0; begin < s->entries.stored; begin = end, ++u) {
        end = spec_run_end(&s->entries, order, begin);
        for (int64_t k = begin; k < end; ++k)
            s->inverse[order[k]] = u;
        s->counts[u] = end - begin;
        s->source[u] = order[begin + chosen(s->how, begin, end - begin)];
    }
}

/* From element 1 on. */
static sparcl_buf *put_ints(spec_test *t, const int64_t *x, int64_t count) {
    int64_t *const moved = spec_int64s(t, count + 1);
    memcpy(moved + 1, x, (size_t)count * sizeof *x);
    return spec_ints_buf(t, moved, count + 1, SPARCL_INDEX64);
}

/* Of a measurement: shuffled entries. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->how = c->variant % HOW;
    s->entries = spec_entries_drawn(t, (int)c->n, c->nnz, c->variant & COUNTED, c->seed);
    if (t->given) spec_entries_shuffle(&s->entries, 1);
    combine(t, s);
    const int64_t count = s->entries.capacity;
    s->g = spec_drawn(t, count, c->seed + 1);
    s->from = spec_coo(t, &s->entries, t->given ? 0 : 2, t->given);
    s->g_view = spec_vector(t, count, s->g);
    s->to =
        (sparcl_dense){.rank = 1,
                       .dtype = c->dtype,
                       .shape = {count},
                       .values = spec_result_buf(t, count * (int64_t)sparcl_dtype_size(c->dtype))};
    s->more = (sparcl_coalesced){.inverse = put_ints(t, s->inverse, count),
                                 .counts = put_ints(t, s->counts, count),
                                 .source = put_ints(t, s->source, count),
                                 .inverse_at = 1,
                                 .counts_at = 1,
                                 .source_at = 1};
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_coo_coalesce_gradient(ctx, &s->to, (sparcl_duplicates)s->how, &s->g_view,
                                        &s->from, &s->more);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const sparcl_dtype dtype = t->c->dtype;
    const int64_t count = s->entries.capacity;
    double *const order = spec_reals(t, count), *const truth = spec_reals(t, count);
    double *const bound = spec_reals(t, count);
    for (int64_t k = 0; k < s->entries.stored; ++k) {
        const int64_t u = s->inverse[k];
        const bool passes = s->how <= SPARCL_MEAN || s->source[u] == k;
        truth[k] = passes ? s->g[u] / (s->how == SPARCL_MEAN ? (double)s->counts[u] : 1) : 0;
        order[k] = spec_round(dtype, truth[k]);
        bound[k] = s->how == SPARCL_MEAN ? spec_unit(dtype) * fabs(truth[k]) : 0;
        spec_store_answer(dtype, &order[k], truth[k], &bound[k]);
    }
    t->report->zeros_expected = true;
    spec_expect_dense(t, "gradient", &s->to, order, truth, bound);
}

/* Of each entry its place among the combined ones is read, which entry was chosen there, and the
 * gradient; one is written. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    (void)number;
    *flops = 0;
    *bytes = (16 + 2 * (double)sparcl_dtype_size(t->c->dtype)) * (double)t->c->nnz;
}

extern const spec_op spec_coalesce_gradient;
static const spec_bench timed[] = {
    {"coo-coalesce-max-gradient", "the gradient of coo-coalesce-max by the values",
     .op = &spec_coalesce_gradient, .setting = {.variant = SPARCL_MAX}},
    {0}};

const spec_op spec_coalesce_gradient = {.name = "coalesce_gradient",
                                        .get_case = get_case,
                                        .state_size = sizeof(state),
                                        .make = make,
                                        .call = call,
                                        .expect = expect,
                                        .work = work,
                                        .timed = timed};
