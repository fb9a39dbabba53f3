/* spec_coo_reduce.c: reductions of COO arrays over axes, in plain C. Variant: sparcl_duplicates up
 * to SPARCL_MIN; + 8: the number of entries is on the device; + 16: the axes are not given, which
 * means all. rows: number of the shape; cols: the reduced axes as bits. */
#include <math.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { HOW = 8, COUNTED = 8, ALL = 16, MOST_ELEMENTS = 300000 };

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 37, 513, 1025, 5121, 30209};

static double elements_of(const int64_t *shape, int rank, int64_t reduced) {
    double all = 1;
    for (int d = 0; d < rank; ++d)
        if (!(reduced >> d & 1)) all *= (double)shape[d];
    return all;
}

/* Number k of the shapes and axes whose result is small enough. */
static bool choose(int k, spec_case *c) {
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    for (int number = 0; spec_entries_shape(number, &rank, shape); ++number) {
        const int64_t choices[] = {1,
                                   1 << (rank - 1),
                                   2 & ((1 << rank) - 1),
                                   5 & ((1 << rank) - 1),
                                   (1 << rank) - 2,
                                   (1 << rank) - 1};
        for (int i = 0; i < 6; i += 1 + (number + i) % 2) {
            if (elements_of(shape, rank, choices[i]) > MOST_ELEMENTS || k-- > 0) continue;
            c->rows = number;
            c->cols = choices[i];
            return true;
        }
    }
    return false;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    *c = (spec_case){.kind = (spec_kind)(i * 5 / 3 % SPEC_KINDS),
                     .nnz = sizes[i % count],
                     .dtype = dtypes[(i + i / 4) % 4],
                     .seed = (uint64_t)i + 91,
                     .variant = (i + i / 4) % 4 + (i % 3 == 1 ? COUNTED : 0)};
    if (!choose(i / count, c)) return false;
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    (void)spec_entries_shape((int)c->rows, &rank, shape);
    if (c->cols == (1 << rank) - 1 && i % 2) c->variant += ALL;
    c->index_type =
        spec_entries_is_wide((int)c->rows) || i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    return true;
}

typedef struct state {
    spec_entries from, kept; /* kept: the same entries without the reduced axes */
    int64_t reduced, elements;
    sparcl_duplicates how;
    int axes[SPARCL_MAX_RANK], axis_count;
    bool all_axes;
    sparcl_coo from_view;
    sparcl_dense to;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* A dimension of size 1 where none is left. */
static void project(spec_test *t, state *s) {
    const spec_entries *const from = &s->from;
    spec_entries like = {.capacity = from->capacity};
    for (int d = 0; d < from->rank; ++d)
        if (!(s->reduced >> d & 1)) like.shape[like.rank++] = from->shape[d];
    if (like.rank == 0) like.shape[like.rank++] = 1;
    s->kept = spec_entries_room(t, &like);
    s->kept.stored = from->stored;
    memcpy(s->kept.values, from->values, (size_t)from->stored * sizeof *from->values);
    for (int d = 0, to = 0; d < from->rank; ++d)
        if (!(s->reduced >> d & 1))
            memcpy(s->kept.indices[to++], from->indices[d],
                   (size_t)from->stored * sizeof *from->indices[d]);
}

/* Of a measurement: sorted, without duplicates. */
static spec_entries make_entries(spec_test *t) {
    const spec_case *const c = t->c;
    spec_entries e = {0};
    if (t->given) {
        spec_matrix m = spec_matrix_of(t, c->nnz, c->seed);
        spec_matrix_unique(&m);
        spec_own_entries(t, &e, spec_entries_of_matrix(&e, &m, m.nnz));
    } else
        e = spec_entries_drawn(t, (int)c->rows, c->nnz, c->variant & COUNTED, c->seed);
    for (int64_t k = 0; k < e.stored; ++k)
        e.values[k] = spec_store(c->dtype, e.values[k]);
    return e;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    s->from = make_entries(t);
    s->reduced = t->given ? 2 : c->cols; /* the columns */
    s->how = (sparcl_duplicates)(c->variant % HOW);
    s->all_axes = c->variant & ALL;
    for (int d = s->from.rank - 1; d >= 0; --d)
        if (s->reduced >> d & 1) s->axes[s->axis_count++] = d;
    project(t, s);
    s->elements = (int64_t)elements_of(s->kept.shape, s->kept.rank, 0);
    s->from_view = spec_coo(t, &s->from, t->given ? 0 : 2, false);
    s->to = (sparcl_dense){.rank = s->kept.rank, .dtype = c->dtype};
    memcpy(s->to.shape, s->kept.shape, sizeof s->to.shape);
    s->to.values = spec_result_buf(t, s->elements * (int64_t)sparcl_dtype_size(c->dtype));
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_coo_reduce(ctx, &s->to, s->how, &s->from_view, s->axis_count,
                             s->all_axes ? NULL : s->axes);
}

/* --- answers ---------------------------------------------------------------------------------- */

static int64_t place_of(const spec_entries *e, int64_t k) {
    int64_t place = 0;
    for (int d = 0; d < e->rank; ++d)
        place = place * e->shape[d] + e->indices[d][k];
    return place;
}

/* The maxima or minima, first of equal ones; there is no NaN. */
static void choose_terms(const state *s, const int64_t *sorted, const spec_answer *to) {
    for (int64_t k = 0; k < s->kept.stored; ++k) {
        const int64_t place = place_of(&s->kept, sorted[k]);
        const double v = s->kept.values[sorted[k]];
        const bool begins = k == 0 || place_of(&s->kept, sorted[k - 1]) != place;
        if (begins || (s->how == SPARCL_MAX ? v > to->order[place] : v < to->order[place]))
            to->order[place] = v;
    }
    memcpy(to->truth, to->order, (size_t)s->elements * sizeof *to->truth);
}

/* Sums by rule R, divided by the number of their terms. */
static void mean_terms(const state *s, sparcl_dtype dtype, const int64_t *sorted, double *terms,
                       const spec_answer *to) {
    for (int64_t begin = 0, end = 0; begin < s->kept.stored; begin = end) {
        const int64_t place = place_of(&s->kept, sorted[begin]);
        double sum = 0, magnitude = 0;
        for (; end < s->kept.stored && place_of(&s->kept, sorted[end]) == place; ++end) {
            terms[end - begin] = s->kept.values[sorted[end]];
            sum += terms[end - begin];
            magnitude += fabs(terms[end - begin]);
        }
        const double n = (double)(end - begin);
        const double mean = spec_sum_duplicates(dtype, terms, end - begin) / n;
        to->order[place] = spec_round(dtype, mean);
        to->truth[place] = sum / n;
        to->bound[place] = (spec_depth_duplicates(end - begin) * magnitude / n + fabs(sum / n)) *
                           spec_unit(dtype) * SPEC_SECOND_ORDER;
        spec_store_answer(dtype, &to->order[place], to->truth[place], &to->bound[place]);
    }
}

static void expect(spec_test *t) {
    const sparcl_dtype dtype = t->c->dtype;
    const state *const s = t->state;
    const spec_answer to = spec_answer_room(t, s->elements);
    const int64_t *const sorted = spec_own(t, spec_entries_order(&s->kept));
    if (s->how == SPARCL_SUM)
        spec_need(t, spec_entries_dense(&s->kept, dtype, to.order, to.truth, to.bound, s->elements)
                         ? SPARCL_OK
                         : SPARCL_E_MEMORY);
    else if (s->how == SPARCL_MEAN)
        mean_terms(s, dtype, sorted, spec_reals(t, s->kept.stored), &to);
    else
        choose_terms(s, sorted, &to);
    t->report->zeros_expected = true;
    spec_expect_answer(t, "result", &s->to, &to);
}

/* --- measurements ----------------------------------------------------------------------------- */

/* A value of each entry and its place in the result. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double size = (double)sparcl_dtype_size(t->c->dtype);
    const double index = (double)sparcl_itype_size(t->c->index_type);
    (void)number;
    *flops = 0;
    *bytes = size * (double)s->elements + (size + index) * (double)s->from.stored;
}

extern const spec_op spec_coo_reduce;
static const spec_bench timed[] = {{"coo-reduce-max",
                                    "the largest entry of each row of sorted COO entries",
                                    .op = &spec_coo_reduce, .setting = {.variant = SPARCL_MAX}},
                                   {0}};

const spec_op spec_coo_reduce = {.name = "coo_reduce",
                                 .get_case = get_case,
                                 .state_size = sizeof(state),
                                 .make = make,
                                 .call = call,
                                 .expect = expect,
                                 .work = work,
                                 .timed = timed};
