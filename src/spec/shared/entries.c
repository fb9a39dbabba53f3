/* entries.c: COO arrays of the specs, on the host and on the device. */
#include "spec/shared/entries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIG(bits) ((int64_t)1 << (bits))

static const struct {
    int rank;
    int64_t shape[SPARCL_MAX_RANK];
} shapes[] = {
    {1, {0}},
    {1, {1}},
    {1, {50}},
    {1, {70000}},
    {2, {0, 5}},
    {2, {5, 0}},
    {2, {7, 9}},
    {2, {1000, 3000}},
    {3, {4, 5, 6}},
    {4, {1, 1, 1, 1}},
    {4, {100, 1, 300, 7}},
    {5, {3, 3, 3, 3, 3}},
    {6, {4096, 4096, 4096, 4096, 4096, 4096}},
    {7, {2, 3, 4, 5, 6, 7, 8}},
    {8, {65536, 65536, 65536, 65536, 65536, 65536, 65536, 65536}},
    {2, {BIG(31), BIG(33)}},
    {2, {BIG(40), BIG(40)}},
    {3, {BIG(62), BIG(62) - 5, 2}},
    {2, {300000, 4000000}},
    {2, {BIG(20), BIG(23)}},
    {2, {BIG(30), BIG(14)}},
    {2, {BIG(22), BIG(22)}},
    {3, {BIG(10), BIG(11), BIG(11)}}, /* keys use all 32 bits of their type */
    {2, {BIG(15), BIG(29)}},          /* one bit more than is sorted with a single split into
                                           buckets */
    {2, {BIG(24), BIG(20)}},
};

bool spec_entries_shape(int number, int *rank, int64_t shape[SPARCL_MAX_RANK]) {
    if (number >= (int)(sizeof shapes / sizeof shapes[0])) return false;
    *rank = shapes[number].rank;
    memcpy(shape, shapes[number].shape, sizeof shapes[number].shape);
    return true;
}

bool spec_entries_is_wide(int number) {
    bool wide = false;
    for (int d = 0; d < shapes[number].rank; ++d)
        wide |= shapes[number].shape[d] > INT32_MAX;
    return wide;
}

bool spec_entries_case(spec_case *c, int i, const int64_t *sizes, int size_count, bool small) {
    const int tried = size_count - (small ? 2 : 0), number = i / tried;
    int rank = 0;
    int64_t shape[SPARCL_MAX_RANK];
    if (!spec_entries_shape(number, &rank, shape)) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = shape[0],
                     .cols = rank > 1 ? shape[1] : 1,
                     .nnz = sizes[i % tried],
                     .n = number,
                     .index_type = spec_entries_is_wide(number) ? SPARCL_INDEX64 : SPARCL_INDEX32};
    return true;
}

static bool alloc_entries(spec_entries *e) {
    bool done = true;
    for (int d = 0; d < e->rank; ++d) {
        e->indices[d] = calloc((size_t)e->capacity + 1, sizeof(int64_t));
        done &= e->indices[d] != NULL;
    }
    e->values = calloc((size_t)e->capacity + 1, sizeof(double));
    if (done && e->values) return true;
    spec_entries_free(e);
    return false;
}

void spec_entries_free(spec_entries *e) {
    for (int d = 0; d < SPARCL_MAX_RANK; ++d)
        free(e->indices[d]);
    free(e->values);
    memset(e, 0, sizeof *e);
}

bool spec_entries_like(spec_entries *to, const spec_entries *from) {
    *to = *from;
    to->stored = 0;
    return alloc_entries(to);
}

int spec_entries_compare(const spec_entries *e, int64_t i, int64_t k) {
    int order = 0;
    for (int d = 0; d < e->rank && order == 0; ++d)
        order = (e->indices[d][i] > e->indices[d][k]) - (e->indices[d][i] < e->indices[d][k]);
    return order;
}

void spec_entries_copy(spec_entries *to, int64_t at, const spec_entries *from, int64_t k) {
    for (int d = 0; d < from->rank; ++d)
        to->indices[d][at] = from->indices[d][k];
    to->values[at] = from->values[k];
}

void spec_entries_shuffle(spec_entries *e, uint64_t seed) {
    for (int64_t k = e->stored - 1; k > 0; --k) {
        const int64_t i = (int64_t)(spec_random(&seed) % (uint64_t)(k + 1));
        /* The arrays have one more element than the capacity. */
        spec_entries_copy(e, e->capacity, e, k);
        spec_entries_copy(e, k, e, i);
        spec_entries_copy(e, i, e, e->capacity);
    }
}

/* Merge two halves of an order; equal entries come from the first half first. */
static void merge(const spec_entries *e, int64_t *order, int64_t *spare, int64_t begin,
                  int64_t middle, int64_t end) {
    int64_t i = begin, k = middle;
    for (int64_t at = begin; at < end; ++at) {
        const bool first =
            k == end || (i < middle && spec_entries_compare(e, order[i], order[k]) <= 0);
        spare[at] = first ? order[i++] : order[k++];
    }
    memcpy(order + begin, spare + begin, (size_t)(end - begin) * sizeof *order);
}

int64_t *spec_entries_order(const spec_entries *e) {
    const int64_t n = e->stored;
    int64_t *order = calloc((size_t)n + 1, sizeof *order);
    int64_t *spare = calloc((size_t)n + 1, sizeof *spare);
    for (int64_t i = 0; order && i < n; ++i)
        order[i] = i;
    for (int64_t width = 1; order && spare && width < n; width *= 2)
        for (int64_t begin = 0; begin + width < n; begin += 2 * width)
            merge(e, order, spare, begin, begin + width,
                  begin + 2 * width < n ? begin + 2 * width : n);
    if (!spare) {
        free(order);
        order = NULL;
    }
    free(spare);
    return order;
}

static int64_t pick(spec_kind kind, int d, int rank, int64_t size, uint64_t *seed, bool even) {
    const int64_t any = (int64_t)(spec_random(seed) >> 1) % size;
    if (kind == SPEC_RAGGED) return any % 3 * (size / 3);
    if (kind == SPEC_ONE_ROW && (d == 0 || even)) return size / 2;
    if (kind == SPEC_ONE_COL && d == rank - 1) return size - 1;
    return any;
}

/* Replace the indices of the later entries by those of random entries of the first quarter. */
static void repeat(spec_entries *e, uint64_t *seed) {
    const int64_t few = e->stored / 4 + 1;
    for (int64_t k = few; k < e->stored; ++k) {
        const int64_t from = (int64_t)(spec_random(seed) >> 1) % few;
        const double value = e->values[k];
        spec_entries_copy(e, k, e, from);
        e->values[k] = value;
    }
}

static bool put_in_order(spec_entries *e, bool descending) {
    spec_entries sorted;
    int64_t *order = spec_entries_order(e);
    if (!order || !spec_entries_like(&sorted, e)) {
        free(order);
        return false;
    }
    for (int64_t k = 0; k < e->stored; ++k)
        spec_entries_copy(&sorted, descending ? e->stored - 1 - k : k, e, order[k]);
    for (int64_t k = 0; k < e->stored; ++k)
        spec_entries_copy(e, k, &sorted, k);
    spec_entries_free(&sorted);
    free(order);
    return true;
}

bool spec_entries_make(spec_entries *e, spec_kind kind, int number, int64_t nnz, bool more,
                       uint64_t seed) {
    const bool even = seed % 2 == 0;
    memset(e, 0, sizeof *e);
    if (!spec_entries_shape(number, &e->rank, e->shape)) return false;
    for (int d = 0; d < e->rank; ++d)
        if (e->shape[d] == 0) nnz = 0;
    e->stored = nnz;
    e->capacity = more ? nnz + nnz / 3 + 5 : nnz;
    if (!alloc_entries(e)) return false;
    for (int64_t k = 0; k < nnz; ++k) {
        for (int d = 0; d < e->rank; ++d)
            e->indices[d][k] = pick(kind, d, e->rank, e->shape[d], &seed, even);
        e->values[k] = spec_uniform(&seed);
    }
    if (kind == SPEC_DUPLICATE) repeat(e, &seed);
    return kind != SPEC_DIAGONAL || put_in_order(e, even) || (spec_entries_free(e), false);
}

/* The properties of the entries, for the view's proof. */
static uint32_t properties(const spec_entries *e) {
    uint32_t flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE;
    for (int64_t k = 1; k < e->stored; ++k) {
        const int order = spec_entries_compare(e, k, k - 1);
        if (order < 0) return SPARCL_TRUSTED; /* UNIQUE is unknown */
        if (order == 0) flags &= ~(uint32_t)SPARCL_UNIQUE;
    }
    return flags;
}

/* A buffer of `gap` invalid elements, followed by `count` numbers. */
static sparcl_status put_after_gap(sparcl_ctx *ctx, sparcl_buf **buf, const int64_t *x,
                                   const double *reals, int64_t count, int64_t gap,
                                   const spec_case *c) {
    int64_t *padded = calloc((size_t)(count + gap) + 1, sizeof *padded);
    double *padded_reals = calloc((size_t)(count + gap) + 1, sizeof *padded_reals);
    sparcl_status status = padded && padded_reals ? SPARCL_OK : SPARCL_E_MEMORY;
    for (int64_t i = 0; status == SPARCL_OK && i < gap + count; ++i) {
        padded[i] = i < gap || !x ? -9 : x[i - gap];
        padded_reals[i] = i < gap || !reals ? -9 : reals[i - gap];
    }
    if (status == SPARCL_OK)
        status = x ? spec_put_ints(ctx, buf, padded, count + gap, c->index_type)
                   : spec_put_reals(ctx, buf, padded_reals, count + gap, c->dtype);
    free(padded);
    free(padded_reals);
    return status;
}

sparcl_status spec_put_entries(sparcl_ctx *ctx, sparcl_coo *view, const spec_entries *e,
                               const spec_case *c, int64_t gap, bool count) {
    sparcl_status status = SPARCL_OK;
    *view = (sparcl_coo){.rank = e->rank,
                         .dtype = c->dtype,
                         .index_type = c->index_type,
                         .nnz = e->capacity,
                         .values_at = gap};
    memcpy(view->shape, e->shape, sizeof view->shape);
    for (int d = 0; d < e->rank && status == SPARCL_OK; ++d) {
        view->indices_at[d] = gap;
        status = put_after_gap(ctx, &view->indices[d], e->indices[d], NULL, e->capacity, gap, c);
    }
    if (status == SPARCL_OK)
        status = put_after_gap(ctx, &view->values, NULL, e->values, e->capacity, gap, c);
    if (status == SPARCL_OK && (count || e->capacity > e->stored))
        status = spec_put_ints(ctx, &view->count, &e->stored, 1, SPARCL_INDEX64);
    view->proof.flags = properties(e);
    return status;
}

sparcl_status spec_get_entries(sparcl_ctx *ctx, const sparcl_coo *view, spec_entries *e) {
    sparcl_status status = SPARCL_OK;
    e->stored = view->nnz;
    if (view->count) status = sparcl_buf_read(ctx, view->count, view->count_at * 8, 8, &e->stored);
    if (e->stored < 0 || e->stored > e->capacity) e->stored = 0;
    for (int d = 0; d < e->rank && status == SPARCL_OK; ++d)
        status = spec_get_ints(ctx, view->indices[d], view->indices_at[d], e->stored,
                               view->index_type, e->indices[d]);
    if (status == SPARCL_OK)
        status =
            spec_get_reals(ctx, view->values, view->values_at, e->stored, view->dtype, e->values);
    return status;
}

void spec_compare_entries(spec_report *report, const spec_entries *got, const spec_entries *order,
                          const double *truth, const double *bound) {
    char what[32];
    spec_compare_ints(report, "count", &got->stored, &order->stored, 1);
    if (!report->equal) return;
    for (int d = 0; d < order->rank; ++d) {
        snprintf(what, sizeof what, "indices[%d]", d);
        spec_compare_ints(report, what, got->indices[d], order->indices[d], order->stored);
    }
    spec_compare(report, "values", got->values, order->values, truth, bound, order->stored);
}
