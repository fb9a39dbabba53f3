/* spec_csr_broadcast.c: the entries of a CSR matrix with a number for each row or column, and the
 * gradient by these numbers, in plain C. Variant: 1: divide, not multiply; + 2 for columns; + 4 for
 * values in place; + 8 for a capacity of 40 entries more than there are. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { DIVIDE = 1, COLUMNS = 2, IN_PLACE = 4, CAPACITY = 8, VARIANTS = 16, SPARE = 40 };

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t shapes[][3] = {{40, 30, 300},     {1, 50, 70},        {300, 200, 4000},
                                        {50, 1, 90},       {5, 5, 0},          {0, 7, 0},
                                        {2000, 300, 9000}, {3000, 5000, 60000}};
    static const sparcl_dtype types[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int n_shapes = small ? 3 : 8, turn = i / VARIANTS;
    if (turn >= 4 * n_shapes) return false;
    const int64_t *const s = shapes[turn / 4];
    *c = (spec_case){.kind = (spec_kind)((i + turn) % SPEC_KINDS),
                     .rows = s[0],
                     .cols = s[1],
                     .nnz = s[2],
                     .n = 1,
                     .dtype = types[turn % 4],
                     .offset_type = i / 3 % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i / 5 % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i % VARIANTS,
                     .seed = (uint64_t)i + 80};
    return true;
}

typedef struct state {
    spec_matrix a; /* with room for more entries than it has */
    int64_t entries;
    const double *v, *gz;
    int axis;
    sparcl_binary_op op, scalar_op;
    double scalar;
    sparcl_csr a_view;
    sparcl_dense v_view, gz_view, y, z, gv; /* y: the entries and one number */
    sparcl_pattern *pattern;
} state;

/* --- operands --------------------------------------------------------------------------------- */

/* What is after the last entry must not be read: columns outside the matrix. */
static void make_matrix(spec_test *t, state *s) {
    const spec_matrix made = spec_matrix_of(t, t->c->nnz, t->c->seed);
    s->a = made;
    s->entries = made.nnz;
    s->a.nnz += t->c->variant & CAPACITY ? SPARE : 0;
    s->a.indices = spec_int64s(t, s->a.nnz);
    s->a.values = spec_reals(t, s->a.nnz);
    for (int64_t k = 0; k < s->a.nnz; ++k) {
        s->a.indices[k] = k < made.nnz ? made.indices[k] : 1 << 30;
        s->a.values[k] = k < made.nnz ? spec_store(t->c->dtype, made.values[k]) : NAN;
    }
    s->a_view = spec_csr(t, &s->a);
    if (!t->given) s->a_view.proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
}

/* No number near 0, which is divided by. */
static const double *make_factors(spec_test *t, int64_t count) {
    double *const v = spec_own(t, spec_numbers(count, t->c->seed + 1));
    for (int64_t i = 0; i < count; ++i)
        v[i] = spec_store(t->c->dtype, v[i] < 0 ? v[i] - 0.25 : v[i] + 0.25);
    return v;
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const int64_t count = c->variant & COLUMNS ? c->cols : c->rows;
    const bool subtracts = c->seed % 5 == 0; /* 0 */
    make_matrix(t, s);
    s->v = make_factors(t, count);
    s->gz = spec_drawn(t, s->a.nnz, c->seed + 2);
    s->axis = c->variant & COLUMNS ? 0 : 1;
    s->op = c->variant & DIVIDE ? SPARCL_BINARY_DIVIDE : SPARCL_BINARY_MULTIPLY;
    s->scalar_op = subtracts ? SPARCL_BINARY_SUBTRACT : s->op;
    s->scalar = subtracts ? 0 : 3;
    s->v_view = spec_vector(t, count, s->v);
    s->gv = spec_vector(t, count, s->v);
    s->gz_view = spec_vector(t, s->a.nnz, s->gz);
    s->y = spec_vector(t, s->a.nnz, s->gz);
    s->z = spec_vector(t, s->a.nnz, s->gz);
    if (c->variant & IN_PLACE) {
        s->z.values = s->a_view.values;
        s->z.values_at = s->a_view.values_at;
    }
    if (t->given && s->axis == 0) s->pattern = spec_pattern(t, &s->a_view);
    t->calls = 3;
}

/* Values in place are overwritten last. */
static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    if (number == 0)
        return sparcl_csr_binary_scalar(ctx, s->scalar_op, &s->y, &s->a_view, s->scalar);
    return number == 1 ? sparcl_csr_broadcast_gradient(ctx, s->op, &s->gv, &s->a_view, &s->v_view,
                                                       &s->gz_view, s->axis, s->pattern)
                       : sparcl_csr_broadcast(ctx, s->op, &s->z, &s->a_view, &s->v_view, s->axis);
}

/* --- answers ---------------------------------------------------------------------------------- */

#define R(x) spec_round(c->dtype, (x))

static void set(const spec_case *c, const spec_answer *to, int64_t at, double order, double truth,
                double error) {
    to->order[at] = spec_store(c->dtype, order);
    to->truth[at] = truth;
    to->bound[at] = SPEC_SECOND_ORDER *
                    (error + (spec_store_unit(c->dtype) + spec_unit(SPARCL_F64)) * fabs(truth));
    if (c->dtype == SPARCL_F16) to->bound[at] += 0x1p-25; /* of a subnormal number */
}

/* The entries and one number, also what is after the last entry. */
static spec_answer answer_scalar(spec_test *t, const state *s) {
    const spec_case *const c = t->c;
    const spec_answer y = spec_answer_over(t, s->a.values, s->a.nnz);
    for (int64_t k = 0; k < s->a.nnz && s->scalar_op != SPARCL_BINARY_SUBTRACT; ++k) {
        const double v = s->a.values[k];
        const double truth = c->variant & DIVIDE ? v / s->scalar : v * s->scalar;
        set(c, &y, k, R(truth), truth, spec_unit(c->dtype) * fabs(truth));
    }
    return y;
}

/* The product of an entry and its gradient; the sign of a quotient's comes with the sum. */
static double term_of(const spec_case *c, double a, double v, double g) {
    return c->variant & DIVIDE ? R(R(g * R(a / v)) / v) : R(g * a);
}

/* The entries and v; and the terms of the gradient, instead of values. */
static spec_answer answer_entries(spec_test *t, const state *s, spec_matrix *terms) {
    const spec_case *const c = t->c;
    const spec_answer z = spec_answer_room(t, s->a.nnz);
    *terms = s->a;
    terms->nnz = s->entries;
    terms->values = spec_reals(t, s->entries);
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t k = s->a.offsets[i]; k < s->a.offsets[i + 1]; ++k) {
            const double v = s->v[s->axis == 0 ? s->a.indices[k] : i], a = s->a.values[k];
            const double truth = c->variant & DIVIDE ? a / v : a * v;
            set(c, &z, k, R(truth), truth, spec_unit(c->dtype) * fabs(truth));
            terms->values[k] = term_of(c, a, v, s->gz[k]);
        }
    return z;
}

/* The gradient by v from the terms of the rows of a matrix. */
static spec_answer answer_sums(spec_test *t, const spec_matrix *terms) {
    const spec_case *const c = t->c;
    const spec_answer gv = spec_answer_room(t, terms->rows);
    double *const ones = spec_reals(t, terms->nnz);
    for (int64_t k = 0; k < terms->nnz; ++k)
        ones[k] = 1;
    for (int64_t i = 0; i < terms->rows; ++i) {
        const double *const row = terms->values + terms->offsets[i];
        const int64_t length = terms->offsets[i + 1] - terms->offsets[i];
        const double sign = c->variant & DIVIDE ? -1 : 1;
        double truth = 0, sum = 0;
        for (int64_t k = 0; k < length; ++k) {
            truth += row[k];
            sum += fabs(row[k]);
        }
        const double order = spec_sum_products(c->dtype, row, ones, 1, length, true);
        set(c, &gv, i, sign * order, sign * truth,
            (4 + spec_depth(length, true)) * spec_unit(c->dtype) * sum);
    }
    return gv;
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    spec_matrix terms;
    const spec_answer y = answer_scalar(t, s), z = answer_entries(t, s, &terms);
    if (s->axis == 0) terms = spec_transposed(t, &terms);
    const spec_answer gv = answer_sums(t, &terms);
    t->report->zeros_expected = true; /* of rows without entries */
    spec_expect_answer(t, "values and a number", &s->y, &y);
    spec_expect_answer(t, "z", &s->z, &z);
    spec_expect_answer(t, "gv", &s->gv, &gv);
}

/* --- measurements ----------------------------------------------------------------------------- */

/* Two numbers for each entry, its row or column, and v: where it is used, or all of its gradient.
 */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double entries = (double)s->entries, size = (double)sparcl_dtype_size(t->c->dtype);
    const int64_t numbers =
        number == 1 || s->axis == 1 ? s->v_view.shape[0] : spec_columns_used(&s->a);
    *flops = (number == 1 ? 2 : 1) * entries;
    *bytes =
        2 * size * entries + size * (double)numbers +
        (s->axis == 1 ? (double)sparcl_itype_size(s->a_view.offset_type) * (double)(s->a.rows + 1)
                      : (double)sparcl_itype_size(s->a_view.index_type) * entries);
}

extern const spec_op spec_csr_broadcast;
static const spec_bench timed[] = {
    {"scale-rows", "each row of A times a number", .op = &spec_csr_broadcast, .call = 2},
    {"scale-rows-gradient", "the gradient of scale-rows by the numbers", .op = &spec_csr_broadcast,
     .call = 1},
    {"scale-columns", "each column of A times a number", .op = &spec_csr_broadcast, .call = 2,
     .setting = {.variant = COLUMNS}},
    {"scale-columns-gradient", "the gradient of scale-columns by the numbers, with A's pattern",
     .op = &spec_csr_broadcast, .call = 1, .setting = {.variant = COLUMNS}},
    {0}};

const spec_op spec_csr_broadcast = {.name = "csr_broadcast",
                                    .get_case = get_case,
                                    .state_size = sizeof(state),
                                    .make = make,
                                    .call = call,
                                    .expect = expect,
                                    .work = work,
                                    .timed = timed};
