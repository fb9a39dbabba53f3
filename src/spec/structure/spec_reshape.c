/* spec_reshape.c: COO arrays in another shape, in plain C. Variant 0: permute; 1: reshape; 2:
 * slice; 3: concat; 4: fill_empty_rows; 5: expand_dims and squeeze; 6: reset_shape; + 8: less
 * capacity than needed (slice and concat); + 16: the number of entries is on the device. `n`:
 * number of the shape. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { PERMUTE, RESHAPE, SLICE, CONCAT, FILL, EXPAND, RESET, LESS = 8, COUNTED = 16, PARTS = 3 };
#define KINDS RESET /* those that take turns */

static const int64_t sizes[] = {0, 1, 37, 600, 5000, 30000};

#define SIZES (int)(sizeof sizes / sizeof sizes[0])

/* After the others: each shape with each size. */
static bool get_reset(int i, bool small, spec_case *c) {
    if (!spec_entries_case(c, i, sizes, SIZES, small)) return false;
    c->dtype = spec_any_dtype(i);
    if (i % 4 == 2) c->index_type = SPARCL_INDEX64;
    c->seed = (uint64_t)i + 7001;
    c->variant = RESET + (i % 2 ? COUNTED : 0);
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int number = i / KINDS;
    if (!spec_entries_case(c, number, sizes, SIZES, small)) {
        int first = 0; /* the number of other cases */
        while (spec_entries_case(c, first, sizes, SIZES, small))
            ++first;
        return get_reset(i - first * KINDS, small, c);
    }
    /* All rows are written: too many for a simulator. */
    const bool too_long = small && i % KINDS == FILL && c->rows > 10000;
    const int kind = too_long ? RESHAPE : i % KINDS;
    c->dtype = spec_any_dtype(i + number);
    if (i % 4 == 2) c->index_type = SPARCL_INDEX64;
    c->seed = (uint64_t)i * 3 + 1 + (uint64_t)(i % 5);
    c->variant = kind + ((kind == SLICE || kind == CONCAT) && i % 4 == 1 ? LESS : 0) +
                 (i / KINDS % 2 || kind == FILL ? COUNTED : 0);
    return true;
}

typedef struct state {
    int kind, parts, axis;
    spec_entries from[PARTS];
    spec_entries want; /* all expected entries */
    int64_t *source, *inverse;
    int64_t start[SPARCL_MAX_RANK]; /* of a slice; the shape of a reset */
    int axes[SPARCL_MAX_RANK];
    sparcl_coo views[PARTS], to;
    int64_t capacity; /* of `to` */
    sparcl_moved moved;
    sparcl_buf *inverse_buf, *zeros;
    bool has_moved; /* with moved and inverse_buf */
    bool resets;    /* to the shape `start` */
} state;

static int kind_of(const spec_case *c) {
    return c->variant % LESS;
}

/* Space for the expected entries, in their shape. */
static void make_room(spec_test *t, state *s, int rank, const int64_t *shape, int64_t capacity) {
    spec_entries like = {.rank = rank, .capacity = capacity};
    memcpy(like.shape, shape, (size_t)rank * sizeof *shape);
    s->source = spec_int64s(t, capacity);
    s->inverse = spec_int64s(t, s->from[0].capacity);
    s->want = spec_entries_room(t, &like);
}

/* Append entry k of `from`. */
static void append(state *s, const spec_entries *from, int64_t k, int64_t source) {
    s->source[s->want.stored] = source;
    spec_entries_copy(&s->want, s->want.stored++, from, k);
}

/* --- expected entries ------------------------------------------------------------------------- */

/* Of a measurement: the transpose. */
static void make_permuted(spec_test *t, state *s) {
    const spec_entries *const from = &s->from[0];
    spec_entries permuted = *from;
    uint64_t seed = t->c->seed;
    for (int d = 0; d < from->rank; ++d)
        s->axes[d] = t->given ? 1 - d : d;
    for (int d = from->rank - 1; d > 0 && !t->given; --d) {
        const int other = (int)(spec_random(&seed) % (uint64_t)(d + 1)), axis = s->axes[d];
        s->axes[d] = s->axes[other];
        s->axes[other] = axis;
    }
    for (int d = 0; d < from->rank; ++d) {
        permuted.indices[d] = from->indices[s->axes[d]];
        permuted.shape[d] = from->shape[s->axes[d]];
    }
    const int64_t *const order = spec_own(t, spec_entries_order(&permuted));
    make_room(t, s, from->rank, permuted.shape, from->capacity);
    for (int64_t k = 0; k < from->stored; ++k)
        append(s, &permuted, order[k], order[k]);
}

/* The dimensions in reverse order, as sizes only. Of a measurement: twice as many rows, of half the
 * columns; or columns for rows where they are odd. */
static void make_reshaped(spec_test *t, state *s) {
    const spec_entries *const from = &s->from[0];
    int64_t shape[SPARCL_MAX_RANK] = {0};
    for (int d = 0; d < from->rank; ++d)
        shape[d] = from->shape[from->rank - 1 - d];
    if (t->given && shape[0] % 2 == 0) {
        shape[0] = 2 * from->shape[0];
        shape[1] = from->shape[1] / 2;
    }
    make_room(t, s, from->rank, shape, from->capacity);
    for (int64_t k = 0; k < from->stored; ++k) {
        uint64_t linear = 0;
        append(s, from, k, k);
        for (int d = 0; d < from->rank; ++d)
            linear = linear * (uint64_t)from->shape[d] + (uint64_t)from->indices[d][k];
        for (int d = from->rank - 1; d >= 0; --d) {
            s->want.indices[d][k] = (int64_t)(linear % (uint64_t)shape[d]);
            linear /= (uint64_t)shape[d];
        }
    }
}

/* Of a measurement: the middle half of the rows and of the columns. */
static void make_slice(spec_test *t, state *s) {
    const spec_entries *const from = &s->from[0];
    int64_t shape[SPARCL_MAX_RANK] = {0};
    uint64_t seed = t->c->seed;
    for (int d = 0; d < from->rank; ++d) {
        const int64_t tenth = spec_random(&seed) % 2 ? from->shape[d] / 10 : 0;
        s->start[d] = t->given ? from->shape[d] / 4 : tenth;
        shape[d] = from->shape[d] - s->start[d] - (t->given ? s->start[d] : tenth / 2);
    }
    make_room(t, s, from->rank, shape, from->capacity);
    for (int64_t k = 0; k < from->stored; ++k) {
        const int64_t at = s->want.stored;
        bool inside = true;
        append(s, from, k, k);
        for (int d = 0; d < from->rank; ++d) {
            s->want.indices[d][at] -= s->start[d];
            inside &= s->want.indices[d][at] >= 0 && s->want.indices[d][at] < shape[d];
        }
        s->want.stored -= !inside;
    }
}

static void make_concat(spec_test *t, state *s) {
    const spec_entries *const from = s->from;
    int64_t shape[SPARCL_MAX_RANK], capacity = 0, base = 0;
    s->axis = (int)(t->c->seed % (uint64_t)from->rank);
    memcpy(shape, from->shape, sizeof shape);
    shape[s->axis] *= s->parts;
    for (int i = 0; i < s->parts; ++i)
        capacity += from[i].capacity;
    make_room(t, s, from->rank, shape, capacity);
    for (int i = 0; i < s->parts; base += from[i++].capacity)
        for (int64_t k = 0; k < from[i].stored; ++k) {
            append(s, &from[i], k, base + k);
            s->want.indices[s->axis][s->want.stored - 1] += i * from->shape[s->axis];
        }
}

/* The value of new entries. */
#define FILLED 1

static void add_empty(state *s, int64_t row) {
    const int64_t at = s->want.stored++;
    for (int d = 1; d < s->want.rank; ++d)
        s->want.indices[d][at] = 0;
    s->want.indices[0][at] = row;
    s->want.values[at] = FILLED;
    s->source[at] = -1;
}

static void make_filled(spec_test *t, state *s) {
    const spec_entries *const from = &s->from[0];
    const int64_t *const order = spec_own(t, spec_entries_order(from));
    int64_t row = 0;
    make_room(t, s, from->rank, from->shape, from->capacity + from->shape[0]);
    for (int64_t k = 0; k < from->stored; ++k) {
        const int64_t mine = from->indices[0][order[k]];
        for (; row < mine; ++row)
            add_empty(s, row);
        row = mine + 1;
        s->inverse[order[k]] = s->want.stored;
        append(s, from, order[k], order[k]);
    }
    for (; row < from->shape[0]; ++row)
        add_empty(s, row);
}

static void make_copy(spec_test *t, state *s) {
    const spec_entries *const from = &s->from[0];
    make_room(t, s, from->rank, from->shape, from->capacity);
    for (int64_t k = 0; k < from->stored; ++k)
        append(s, from, k, k);
}

/* The smallest shape that has all entries, or one with larger dimensions, or both in turn. `start`
 * is that shape. */
static void make_reset(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const spec_entries *const from = &s->from[0];
    const int64_t most = c->index_type == SPARCL_INDEX64 ? (int64_t)1 << 62 : INT32_MAX - PARTS;
    make_copy(t, s);
    s->resets = c->seed % 3;
    for (int d = 0; d < from->rank; ++d) {
        const int64_t larger = from->shape[d] < most ? from->shape[d] + PARTS : from->shape[d];
        s->start[d] = 1;
        for (int64_t k = 0; k < from->stored; ++k)
            if (from->indices[d][k] >= s->start[d]) s->start[d] = from->indices[d][k] + 1;
        if (s->resets && (int)(c->seed % 2) == d % 2) s->start[d] = larger;
    }
}

static void make_expected(spec_test *t, state *s) {
    static void (*const makers[])(spec_test *, state *) = {
        make_permuted, make_reshaped, make_slice, make_concat, make_filled, make_copy, make_reset};
    makers[s->kind](t, s);
}

/* Can the case be computed? A reshape needs positions of 63 bits, a fill an entry in each row, and
 * a concatenation a dimension of its size. */
static bool is_possible(const spec_case *c) {
    int rank = 0;
    int64_t shape[SPARCL_MAX_RANK];
    double elements = 1;
    bool has_columns = true, is_short = true;
    (void)spec_entries_shape((int)c->n, &rank, shape);
    for (int d = 0; d < rank; ++d) {
        elements *= (double)shape[d];
        has_columns &= d == 0 || shape[d] > 0;
        is_short &= shape[d] < ((int64_t)1 << 61) &&
                    (c->index_type == SPARCL_INDEX64 || shape[d] < INT32_MAX / PARTS);
    }
    switch (kind_of(c)) {
    case RESHAPE:
        return elements < 0x1p63;
    case EXPAND:
        return elements < 0x1p63;
    case FILL:
        return shape[0] <= 300000 && has_columns;
    case CONCAT:
        return is_short;
    default:
        return true;
    }
}

/* --- operands --------------------------------------------------------------------------------- */

/* Of a measurement: sorted entries, without duplicates, of which a concatenation has two parts. */
static void take_operands(spec_test *t, state *s) {
    spec_matrix m = spec_matrix_of(t, 0, 0);
    spec_matrix_unique(&m);
    if (s->kind == FILL) spec_matrix_empty_rows(&m);
    spec_own_entries(t, &s->from[0], spec_entries_of_matrix(&s->from[0], &m, m.nnz));
    s->views[0] = spec_coo(t, &s->from[0], 0, true);
    s->from[1] = s->from[0];
    s->views[1] = s->views[0];
    s->parts = s->kind == CONCAT ? 2 : 1;
}

static void make_operands(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    s->parts = s->kind == CONCAT ? PARTS : 1;
    for (int i = 0; i < s->parts; ++i) {
        spec_entries *const e = &s->from[i];
        spec_own_entries(t, e,
                         spec_entries_make(e, (spec_kind)(((int)c->kind + i) % SPEC_KINDS),
                                           (int)c->n, c->nnz / (i + 1), c->variant & COUNTED,
                                           c->seed + (uint64_t)i));
        spec_store_values(c->dtype, e->values, e->capacity);
        s->views[i] = spec_coo(t, e, 2, false);
    }
}

static void make_result(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    spec_case of_to = *c;
    const bool cuts = s->kind == SLICE || s->kind == CONCAT;
    s->capacity = c->variant & LESS             ? s->want.stored * 2 / 3
                  : t->given && s->kind != FILL ? s->want.stored
                                                : s->want.capacity;
    spec_entries like = s->want;
    like.capacity = s->capacity;
    const spec_entries room = spec_entries_room(t, &like);
    if (!t->given && s->kind != PERMUTE && s->kind != FILL) of_to.index_type = SPARCL_INDEX64;
    s->to =
        spec_coo_as(t, &of_to, &room, t->given ? 0 : 1, t->given || c->variant & COUNTED || cuts);
    s->to.proof = (sparcl_proof){0};
    s->has_moved = !t->given;
    s->moved = (sparcl_moved){.source = spec_result_buf(t, (s->capacity + 2) * 8),
                              .source_at = 1,
                              .needed = spec_result_buf(t, 16),
                              .needed_at = 1};
    s->inverse_buf = spec_result_buf(t, (s->from[0].capacity + 1) * 8);
    s->zeros = spec_result_buf(t, (s->from[0].capacity + 1) * 8);
}

static void make(spec_test *t) {
    state *const s = t->state;
    s->kind = kind_of(t->c);
    t->calls = t->given || is_possible(t->c) ? 1 : 0;
    if (t->calls == 0) return;
    (t->given ? take_operands : make_operands)(t, s);
    make_expected(t, s);
    make_result(t, s);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* A dimension of size 1 in the middle, and without it again: the array itself. */
static sparcl_status expand_and_squeeze(sparcl_ctx *ctx, state *s) {
    sparcl_coo wide = {.rank = 0};
    const int axis = s->from[0].rank / 2;
    if (s->from[0].rank == SPARCL_MAX_RANK) return sparcl_coo_reshape(ctx, &s->to, &s->views[0]);
    wide.indices[axis] = s->zeros;
    sparcl_status status = sparcl_coo_expand_dims(ctx, &wide, &s->views[0], axis);
    if (status == SPARCL_OK) status = sparcl_coo_reshape(ctx, &s->to, &wide);
    if (status == SPARCL_OK) status = sparcl_coo_squeeze(ctx, &wide, &wide, axis);
    if (status == SPARCL_OK && memcmp(wide.indices, s->views[0].indices, sizeof wide.indices) != 0)
        status = SPARCL_E_DATA;
    return status;
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    const sparcl_filled filled = {
        .inverse = s->inverse_buf, .source = s->moved.source, .source_at = s->moved.source_at};
    const sparcl_moved *const moved = s->has_moved ? &s->moved : NULL;
    (void)number;
    switch (s->kind) {
    case PERMUTE:
        return sparcl_coo_permute(ctx, &s->to, &s->views[0], s->axes, moved);
    case RESHAPE:
        return sparcl_coo_reshape(ctx, &s->to, &s->views[0]);
    case SLICE:
        return sparcl_coo_slice(ctx, &s->to, &s->views[0], s->start, moved);
    case CONCAT:
        return sparcl_coo_concat(ctx, &s->to, s->views, s->parts, s->axis, moved);
    case FILL:
        return sparcl_coo_fill_empty_rows(ctx, &s->to, &s->views[0], FILLED,
                                          s->has_moved ? &filled : NULL);
    case RESET:
        return sparcl_coo_reset_shape(ctx, &s->views[0], s->resets ? s->start : NULL);
    default:
        return expand_and_squeeze(ctx, s);
    }
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    const int kind = s->kind;
    const sparcl_coo *const to = kind == RESET ? &s->views[0] : &s->to;
    spec_entries want = s->want;
    if (t->calls == 0) return;
    if (want.stored > s->capacity) want.stored = s->capacity;
    t->report->zeros_expected = t->given || t->c->dtype == SPARCL_BOOL; /* of a single entry */
    if (kind == RESET) spec_compare_ints(t->report, "shape", to->shape, s->start, to->rank);
    spec_expect_entries(t, to, &want, NULL, NULL);
    if (!s->has_moved || kind == RESHAPE || kind == EXPAND || kind == RESET) return;
    spec_expect_ints(t, "source", s->moved.source, 1, SPARCL_INDEX64, s->source, want.stored);
    if (kind == FILL)
        spec_expect_ints(t, "inverse", s->inverse_buf, 0, SPARCL_INDEX64, s->inverse,
                         s->from[0].stored);
    else
        spec_expect_ints(t, "needed", s->moved.needed, 1, SPARCL_INDEX64, &s->want.stored, 1);
}

/* Of a concatenation, both parts are the same. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    (void)number;
    *flops = 0;
    *bytes = spec_coo_bytes(&s->to, s->from[0].stored + s->want.stored);
}

extern const spec_op spec_reshape;
static const spec_bench timed[] = {
    {"coo-slice", "the middle half of the rows and columns of COO entries", .op = &spec_reshape,
     .setting = {.variant = SLICE}},
    {"coo-concat", "COO entries twice, one below the other", .op = &spec_reshape,
     .setting = {.variant = CONCAT}},
    {"coo-permute", "the transpose of COO entries, sorted", .op = &spec_reshape,
     .setting = {.variant = PERMUTE}},
    {"coo-reshape", "COO entries in a shape of twice as many rows, of half as many columns",
     .op = &spec_reshape, .setting = {.variant = RESHAPE}},
    {"coo-fill-empty-rows", "an entry in each empty row of COO entries, every fourth row",
     .op = &spec_reshape, .setting = {.variant = FILL}},
    {0}};

const spec_op spec_reshape = {.name = "reshape",
                              .get_case = get_case,
                              .state_size = sizeof(state),
                              .make = make,
                              .call = call,
                              .expect = expect,
                              .work = work,
                              .timed = timed};
