/* spec_copy.c: dense arrays converted to another element type, leading dimension and order, in
 * plain C. `variant`: bits 0 and 1: the order of `from` and of `to`; then, of three bits each,
 * their types. The dtype of a case is F64 where one of the two is. */
#include <math.h>

#include "spec/shared/harness.h"
#include "spec/shared/stored.h"

enum { TYPES = 7 };

static sparcl_dtype from_type(const spec_case *c) {
    return (sparcl_dtype)(c->variant >> 2 & 7);
}

static sparcl_dtype to_type(const spec_case *c) {
    return (sparcl_dtype)(c->variant >> 5);
}

static bool get_case(int i, bool small, spec_case *c) {
    static const int64_t shapes[][2] = {{9, 5}, {1, 70}, {33, 31}, {0, 4}, {200, 45}, {64, 1000}};
    const int pairs = TYPES * TYPES, n_shapes = small ? 4 : 6;
    const int pair = i % pairs, shape = i / pairs / 2;
    if (shape >= n_shapes) return false;
    const int order = (pair / TYPES + pair + i / pairs) % 4;
    *c = (spec_case){.rows = shapes[shape][0],
                     .cols = shapes[shape][1],
                     .variant = order | pair / TYPES << 2 | pair % TYPES << 5,
                     .seed = (uint64_t)i + 3};
    if (from_type(c) == SPARCL_F64 || to_type(c) == SPARCL_F64) c->dtype = SPARCL_F64;
    return true;
}

/* A view with gaps between its rows or columns. */
static sparcl_dense view_of(const spec_case *c, sparcl_dtype dtype, int order, int64_t gap) {
    sparcl_dense view = {.rank = 2,
                         .dtype = dtype,
                         .shape = {c->rows, c->cols},
                         .order = order ? SPARCL_COLUMN_MAJOR : SPARCL_ROW_MAJOR};
    view.ld = (order ? c->rows : c->cols) + gap;
    return view;
}

static int64_t capacity_of(const sparcl_dense *view) {
    return view->shape[view->order == SPARCL_COLUMN_MAJOR] * view->ld;
}

static int64_t position(const sparcl_dense *view, int64_t i, int64_t j) {
    return view->order == SPARCL_COLUMN_MAJOR ? j * view->ld + i : i * view->ld + j;
}

/* Numbers that every type has, large ones, halves between two values, and what is no number. */
static double draw(uint64_t *seed, sparcl_dtype dtype) {
    static const double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, 65504, 65520, 3e38, -2.5};
    const uint64_t kind = spec_random(seed) % 16;
    const double x = spec_uniform(seed);
    if (kind < 9 && dtype <= SPARCL_BF16) return special[kind];
    if (kind < 12) return floor(x * 4000) / 8;
    if (dtype == SPARCL_INT32) return floor(x * 0x1p31);
    if (dtype == SPARCL_INT64) return floor(x * 0x1p53);
    return ldexp(x, (int)(spec_random(seed) % 40) - 20);
}

/* As they are stored: an array of the type, and back. */
static const double *draw_all(spec_test *t, int64_t count) {
    double *const x = spec_reals(t, count);
    uint64_t seed = t->c->seed, stored = 0;
    for (int64_t k = 0; k < count; ++k) {
        spec_encode(from_type(t->c), &stored, 0, draw(&seed, from_type(t->c)));
        x[k] = spec_decode(from_type(t->c), &stored, 0);
    }
    return x;
}

/* What is stored for x, a value of type `from`. */
static double convert(sparcl_dtype from, sparcl_dtype to, double x) {
    const bool from_float = from <= SPARCL_BF16;
    switch (to) {
    case SPARCL_F64:
        return x;
    case SPARCL_F32:
        return (double)(float)x;
    case SPARCL_F16:
    case SPARCL_BF16:
        return spec_store(to, (double)(float)x);
    case SPARCL_BOOL:
        return x != 0;
    case SPARCL_INT32:
        if (from == SPARCL_INT64) return (double)(int32_t)(uint32_t)(uint64_t)(int64_t)x;
        if (from_float && x >= 0x1p31) return INT32_MAX;
        if (from_float && x < -0x1p31) return INT32_MIN;
        return isnan(x) ? 0 : trunc(x) + 0.0;
    default:
        if (x >= 0x1p63) return 0x1p63; /* INT64_MAX, rounded to double */
        if (x < -0x1p63) return -0x1p63;
        return isnan(x) ? 0 : trunc(x) + 0.0;
    }
}

typedef struct state {
    const double *x, *old; /* `to` before the call */
    sparcl_dense from, to;
} state;

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const sparcl_dense from = view_of(c, from_type(c), c->variant & 1, 3);
    const sparcl_dense to = view_of(c, to_type(c), c->variant & 2, 2);
    double *const old = spec_reals(t, capacity_of(&to));
    for (int64_t k = 0; k < capacity_of(&to); ++k)
        old[k] = to.dtype == SPARCL_BOOL ? 1 : 7;
    s->x = draw_all(t, capacity_of(&from));
    s->old = old;
    s->from = spec_dense_of(t, from, s->x);
    s->to = spec_dense_of(t, to, s->old);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    const state *const s = made;
    (void)number;
    return sparcl_copy(ctx, &s->to, &s->from);
}

static void expect(spec_test *t) {
    const spec_case *const c = t->c;
    const state *const s = t->state;
    const int64_t count = capacity_of(&s->to);
    double *const order = spec_copied(t, s->old, count);
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t j = 0; j < c->cols; ++j)
            order[position(&s->to, i, j)] =
                convert(s->from.dtype, s->to.dtype, s->x[position(&s->from, i, j)]);
    t->report->zeros_expected = true;
    spec_expect(t, "to", s->to.values, s->to.values_at, s->to.dtype, count, order, NULL, NULL);
}

const spec_op spec_copy = {.name = "copy",
                           .get_case = get_case,
                           .state_size = sizeof(state),
                           .make = make,
                           .call = call,
                           .expect = expect};
