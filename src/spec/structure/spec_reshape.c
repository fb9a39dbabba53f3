/* spec_reshape.c: COO arrays in another shape, in plain C. Variant 0: permute; 1: reshape; 2:
 * slice; 3: concat; 4: fill_empty_rows; 5: expand_dims and squeeze; 6: reset_shape; + 8: less
 * capacity than needed (slice and concat); + 16: the number of entries is on the device. `n`:
 * number of the shape. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"
#include "spec/shared/made.h"

enum { PERMUTE, RESHAPE, SLICE, CONCAT, FILL, EXPAND, RESET, LESS = 8, COUNTED = 16, PARTS = 3 };
#define KINDS RESET /* those that take turns */

static const int64_t sizes[] = {0, 1, 37, 600, 5000, 30000};

#define SIZES (int)(sizeof sizes / sizeof sizes[0])

/* After the others: each shape with each size. */
static bool get_reset(int i, bool small, spec_case *c) {
    if (!spec_entries_case(c, i, sizes, SIZES, small)) return false;
    c->dtype = spec_any_dtype(i);
    if (i % 4 == 2) c->index_type = SPARCL_I64;
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
    if (i % 4 == 2) c->index_type = SPARCL_I64;
    c->seed = (uint64_t)i * 3 + 1 + (uint64_t)(i % 5);
    c->variant = kind + ((kind == SLICE || kind == CONCAT) && i % 4 == 1 ? LESS : 0) +
                 (i / KINDS % 2 || kind == FILL ? COUNTED : 0);
    return true;
}

typedef struct arrays {
    int parts;
    spec_entries from[PARTS];
    spec_entries order, got; /* the expected entries, all of them */
    int64_t *source, *got_source, *inverse;
    int64_t start[SPARCL_MAX_RANK];
    int axes[SPARCL_MAX_RANK];
    int axis;
} arrays;

static void drop(arrays *x) {
    for (int i = 0; i < PARTS; ++i)
        spec_entries_free(&x->from[i]);
    spec_entries_free(&x->order);
    spec_entries_free(&x->got);
    free(x->source);
    free(x->got_source);
    free(x->inverse);
}

static int kind_of(const spec_case *c) {
    return c->variant % LESS;
}

/* Space for the expected entries, in their shape. */
static bool alloc_result(arrays *x, int rank, const int64_t *shape, int64_t capacity) {
    spec_entries like = {.rank = rank, .capacity = capacity};
    memcpy(like.shape, shape, (size_t)rank * sizeof *shape);
    x->source = calloc((size_t)capacity + 1, sizeof *x->source);
    x->got_source = calloc((size_t)capacity + 1, sizeof *x->got_source);
    x->inverse = calloc((size_t)x->from[0].capacity + 1, sizeof *x->inverse);
    return x->source && x->got_source && x->inverse && spec_entries_like(&x->order, &like) &&
           spec_entries_like(&x->got, &like);
}

/* --- expected entries ------------------------------------------------------------------------- */

static bool make_permuted(arrays *x, uint64_t seed) {
    const spec_entries *const from = &x->from[0];
    spec_entries permuted = *from;
    int64_t shape[SPARCL_MAX_RANK] = {0};
    for (int d = 0; d < from->rank; ++d)
        x->axes[d] = d;
    for (int d = from->rank - 1; d > 0; --d) {
        const int other = (int)(spec_random(&seed) % (uint64_t)(d + 1)), axis = x->axes[d];
        x->axes[d] = x->axes[other];
        x->axes[other] = axis;
    }
    for (int d = 0; d < from->rank; ++d) {
        permuted.indices[d] = from->indices[x->axes[d]];
        permuted.shape[d] = shape[d] = from->shape[x->axes[d]];
    }
    int64_t *const order = spec_entries_order(&permuted);
    const bool done = order && alloc_result(x, from->rank, shape, from->capacity);
    for (int64_t k = 0; done && k < from->stored; ++k) {
        spec_entries_copy(&x->order, k, &permuted, order[k]);
        x->source[k] = order[k];
    }
    x->order.stored = from->stored;
    free(order);
    return done;
}

/* The dimensions in reverse order, as sizes only. */
static bool make_reshaped(arrays *x) {
    const spec_entries *const from = &x->from[0];
    int64_t shape[SPARCL_MAX_RANK] = {0};
    for (int d = 0; d < from->rank; ++d)
        shape[d] = from->shape[from->rank - 1 - d];
    if (!alloc_result(x, from->rank, shape, from->capacity)) return false;
    for (int64_t k = 0; k < from->stored; ++k) {
        uint64_t linear = 0;
        spec_entries_copy(&x->order, k, from, k);
        for (int d = 0; d < from->rank; ++d)
            linear = linear * (uint64_t)from->shape[d] + (uint64_t)from->indices[d][k];
        for (int d = from->rank - 1; d >= 0; --d) {
            x->order.indices[d][k] = (int64_t)(linear % (uint64_t)shape[d]);
            linear /= (uint64_t)shape[d];
        }
        x->source[k] = k;
    }
    x->order.stored = from->stored;
    return true;
}

static bool make_slice(arrays *x, uint64_t seed) {
    const spec_entries *const from = &x->from[0];
    int64_t shape[SPARCL_MAX_RANK] = {0};
    for (int d = 0; d < from->rank; ++d) {
        const int64_t tenth = spec_random(&seed) % 2 ? from->shape[d] / 10 : 0;
        x->start[d] = tenth;
        shape[d] = from->shape[d] - tenth - tenth / 2;
    }
    if (!alloc_result(x, from->rank, shape, from->capacity)) return false;
    for (int64_t k = 0; k < from->stored; ++k) {
        const int64_t at = x->order.stored;
        bool inside = true;
        spec_entries_copy(&x->order, at, from, k);
        for (int d = 0; d < from->rank; ++d) {
            x->order.indices[d][at] -= x->start[d];
            inside &= x->order.indices[d][at] >= 0 && x->order.indices[d][at] < shape[d];
        }
        x->source[at] = k;
        x->order.stored += inside;
    }
    return true;
}

static bool make_concat(arrays *x, uint64_t seed) {
    const spec_entries *const from = x->from;
    int64_t shape[SPARCL_MAX_RANK], capacity = 0, base = 0;
    x->axis = (int)(seed % (uint64_t)from->rank);
    memcpy(shape, from->shape, sizeof shape);
    shape[x->axis] *= PARTS;
    for (int i = 0; i < PARTS; ++i)
        capacity += from[i].capacity;
    if (!alloc_result(x, from->rank, shape, capacity)) return false;
    for (int i = 0; i < PARTS; base += from[i++].capacity)
        for (int64_t k = 0; k < from[i].stored; ++k) {
            const int64_t at = x->order.stored++;
            spec_entries_copy(&x->order, at, &from[i], k);
            x->order.indices[x->axis][at] += i * from->shape[x->axis];
            x->source[at] = base + k;
        }
    return true;
}

/* The value of new entries. */
#define FILLED 1

static void add_empty(arrays *x, int64_t row) {
    const int64_t at = x->order.stored++;
    for (int d = 1; d < x->order.rank; ++d)
        x->order.indices[d][at] = 0;
    x->order.indices[0][at] = row;
    x->order.values[at] = FILLED;
    x->source[at] = -1;
}

static bool make_filled(arrays *x) {
    const spec_entries *const from = &x->from[0];
    int64_t *const order = spec_entries_order(from);
    int64_t row = 0;
    const bool done =
        order && alloc_result(x, from->rank, from->shape, from->capacity + from->shape[0]);
    for (int64_t k = 0; done && k < from->stored; ++k) {
        const int64_t mine = from->indices[0][order[k]];
        for (; row < mine; ++row)
            add_empty(x, row);
        row = mine + 1;
        x->source[x->order.stored] = order[k];
        x->inverse[order[k]] = x->order.stored;
        spec_entries_copy(&x->order, x->order.stored++, from, order[k]);
    }
    for (; done && row < from->shape[0]; ++row)
        add_empty(x, row);
    free(order);
    return done;
}

static bool make_copy(arrays *x) {
    const spec_entries *const from = &x->from[0];
    if (!alloc_result(x, from->rank, from->shape, from->capacity)) return false;
    for (int64_t k = 0; k < from->stored; ++k)
        spec_entries_copy(&x->order, k, from, k);
    x->order.stored = from->stored;
    return true;
}

/* The smallest shape that has all entries, or one with larger dimensions, or both in turn. `start`
 * is that shape. */
static bool make_reset(arrays *x, const spec_case *c) {
    const spec_entries *const from = &x->from[0];
    const int64_t most = c->index_type == SPARCL_I64 ? (int64_t)1 << 62 : INT32_MAX - PARTS;
    if (!make_copy(x)) return false;
    for (int d = 0; d < from->rank; ++d) {
        const int64_t larger = from->shape[d] < most ? from->shape[d] + PARTS : from->shape[d];
        x->start[d] = 1;
        for (int64_t k = 0; k < from->stored; ++k)
            if (from->indices[d][k] >= x->start[d]) x->start[d] = from->indices[d][k] + 1;
        if (c->seed % 3 && (int)(c->seed % 2) == d % 2) x->start[d] = larger;
    }
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    x->parts = kind_of(c) == CONCAT ? PARTS : 1;
    for (int i = 0; i < x->parts; ++i) {
        if (!spec_entries_make(&x->from[i], (spec_kind)(((int)c->kind + i) % SPEC_KINDS), (int)c->n,
                               c->nnz / (i + 1), c->variant & COUNTED, c->seed + (uint64_t)i))
            return false;
        for (int64_t k = 0; k < x->from[i].capacity; ++k)
            x->from[i].values[k] = spec_value(c->dtype, x->from[i].values[k]);
    }
    switch (kind_of(c)) {
    case PERMUTE:
        return make_permuted(x, c->seed);
    case RESHAPE:
        return make_reshaped(x);
    case SLICE:
        return make_slice(x, c->seed);
    case CONCAT:
        return make_concat(x, c->seed);
    case FILL:
        return make_filled(x);
    case RESET:
        return make_reset(x, c);
    default:
        return make_copy(x);
    }
}

/* --- on the device ---------------------------------------------------------------------------- */

typedef struct views {
    sparcl_coo from[PARTS], to;
    sparcl_moved moved;
    sparcl_buf *inverse;
} views;

static void close_views(views *v) {
    for (int i = 0; i < PARTS; ++i)
        sparcl_coo_free(&v->from[i]);
    sparcl_coo_free(&v->to);
    sparcl_buf_free(v->moved.source);
    sparcl_buf_free(v->moved.needed);
    sparcl_buf_free(v->inverse);
}

static sparcl_status open_views(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v) {
    spec_case of_to = *c;
    sparcl_status status = SPARCL_OK;
    const int kind = kind_of(c);
    if (c->variant & LESS) x->got.capacity = x->order.stored * 2 / 3;
    if (kind != PERMUTE && kind != FILL) of_to.index_type = SPARCL_I64;
    for (int i = 0; i < x->parts && status == SPARCL_OK; ++i)
        status = spec_put_entries(ctx, &v->from[i], &x->from[i], c, 2, false);
    if (status == SPARCL_OK)
        status = spec_put_entries(ctx, &v->to, &x->got, &of_to, 1,
                                  c->variant & COUNTED || kind == SLICE || kind == CONCAT);
    v->to.proof = (sparcl_proof){0};
    v->moved.source_at = v->moved.needed_at = 1;
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &v->moved.source, (x->got.capacity + 2) * 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->moved.needed, 16);
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &v->inverse, (x->from[0].capacity + 1) * 8);
    return status;
}

/* A dimension of size 1 in the middle, and without it again: the array itself. */
static sparcl_status expand_and_squeeze(sparcl_ctx *ctx, const arrays *x, views *v) {
    sparcl_coo wide = {.rank = 0};
    sparcl_status status = SPARCL_OK;
    const int axis = x->from[0].rank / 2;
    sparcl_buf *zeros = NULL;
    if (x->from[0].rank == SPARCL_MAX_RANK) return sparcl_coo_reshape(ctx, &v->to, &v->from[0]);
    status = sparcl_buf_create(ctx, &zeros, (x->from[0].capacity + 1) * 8);
    wide.indices[axis] = zeros;
    if (status == SPARCL_OK) status = sparcl_coo_expand_dims(ctx, &wide, &v->from[0], axis);
    if (status == SPARCL_OK) status = sparcl_coo_reshape(ctx, &v->to, &wide);
    if (status == SPARCL_OK) status = sparcl_coo_squeeze(ctx, &wide, &wide, axis);
    if (status == SPARCL_OK && memcmp(wide.indices, v->from[0].indices, sizeof wide.indices) != 0)
        status = SPARCL_E_DATA;
    sparcl_buf_free(zeros);
    return status;
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, arrays *x, views *v) {
    const sparcl_filled filled = {
        .inverse = v->inverse, .source = v->moved.source, .source_at = v->moved.source_at};
    switch (kind_of(c)) {
    case PERMUTE:
        return sparcl_coo_permute(ctx, &v->to, &v->from[0], x->axes, &v->moved);
    case RESHAPE:
        return sparcl_coo_reshape(ctx, &v->to, &v->from[0]);
    case SLICE:
        return sparcl_coo_slice(ctx, &v->to, &v->from[0], x->start, &v->moved);
    case CONCAT:
        return sparcl_coo_concat(ctx, &v->to, v->from, x->parts, x->axis, &v->moved);
    case FILL:
        return sparcl_coo_fill_empty_rows(ctx, &v->to, &v->from[0], FILLED, &filled);
    case RESET:
        return sparcl_coo_reset_shape(ctx, &v->from[0], c->seed % 3 ? x->start : NULL);
    default:
        return expand_and_squeeze(ctx, x, v);
    }
}

static sparcl_status compare_source(sparcl_ctx *ctx, const spec_case *c, arrays *x, const views *v,
                                    spec_report *report) {
    const int kind = kind_of(c);
    int64_t needed = 0;
    const int64_t expected = x->order.stored;
    sparcl_status status =
        spec_get_ints(ctx, v->moved.source, 1, x->got.stored, SPARCL_I64, x->got_source);
    if (status == SPARCL_OK && kind != FILL)
        status = spec_get_ints(ctx, v->moved.needed, 1, 1, SPARCL_I64, &needed);
    if (status != SPARCL_OK) return status;
    spec_compare_ints(report, "source", x->got_source, x->source, x->got.stored);
    if (kind != FILL) {
        spec_compare_ints(report, "needed", &needed, &expected, 1);
        return SPARCL_OK;
    }
    int64_t *const inverse = calloc((size_t)x->from[0].stored + 1, sizeof *inverse);
    if (!inverse) return SPARCL_E_MEMORY;
    status = spec_get_ints(ctx, v->inverse, 0, x->from[0].stored, SPARCL_I64, inverse);
    spec_compare_ints(report, "inverse", inverse, x->inverse, x->from[0].stored);
    free(inverse);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x, spec_report *report) {
    views v = {.inverse = NULL};
    const int kind = kind_of(c);
    sparcl_status status = open_views(ctx, c, x, &v);
    if (status == SPARCL_OK) status = call(ctx, c, x, &v);
    const sparcl_coo *const to = kind == RESET ? &v.from[0] : &v.to;
    if (status == SPARCL_OK && kind == RESET)
        spec_compare_ints(report, "shape", to->shape, x->start, to->rank);
    if (status == SPARCL_OK) status = spec_get_entries(ctx, to, &x->got);
    if (status == SPARCL_OK) {
        const int64_t all = x->order.stored;
        if (all > x->got.capacity) x->order.stored = x->got.capacity;
        spec_compare_entries(report, &x->got, &x->order, NULL, NULL);
        x->order.stored = all;
    }
    if (status == SPARCL_OK && kind != RESHAPE && kind != EXPAND && kind != RESET)
        status = compare_source(ctx, c, x, &v, report);
    close_views(&v);
    return status;
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
                    (c->index_type == SPARCL_I64 || shape[d] < INT32_MAX / PARTS);
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

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.parts = 0};
    *report = (spec_report){.equal = true};
    if (!is_possible(c)) return SPARCL_OK;
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    const double entry = (double)(sparcl_dtype_size(c->dtype) +
                                  (size_t)x.order.rank * sparcl_itype_size(c->index_type));
    report->bytes = 2 * entry * (double)x.order.stored;
    report->zeros_expected = c->dtype == SPARCL_BOOL; /* of a single entry */
    if (status == SPARCL_OK) status = run(ctx, c, &x, report);
    drop(&x);
    return status;
}

const spec_op spec_reshape = {.name = "reshape", .get_case = get_case, .check = check};
