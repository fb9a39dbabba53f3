/* rowset.c: row-sparse arrays of the specs, on the host and on the device. */
#include "spec/shared/rowset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t pick_id(spec_kind kind, int64_t k, int64_t limit, uint64_t *seed) {
    const int64_t any = (int64_t)(spec_random(seed) % (uint64_t)limit);
    switch (kind) {
    case SPEC_ONE_ROW:
        return limit / 2;
    case SPEC_ONE_COL:
        return k % 2 ? 0 : limit - 1;
    case SPEC_DUPLICATE:
        return spec_random(seed) % 8 ? limit / 3 : any;
    case SPEC_DIAGONAL:
        return k;
    default:
        return any;
    }
}

static bool alloc_rowset(spec_rowset *s, int64_t capacity, int64_t width) {
    s->ids = calloc((size_t)capacity + 1, sizeof *s->ids);
    s->values = calloc((size_t)(capacity * width) + 1, sizeof *s->values);
    if (s->ids && s->values) return true;
    spec_rowset_free(s);
    return false;
}

bool spec_rowset_make(spec_rowset *s, spec_kind kind, int64_t limit, int64_t nnr, int64_t width,
                      uint64_t seed) {
    if (limit == 0 || (kind == SPEC_DIAGONAL && nnr > limit)) nnr = limit;
    *s = (spec_rowset){.limit = limit, .width = width, .stored = nnr};
    s->capacity = seed % 2 ? nnr : nnr + 5;
    if (!alloc_rowset(s, s->capacity, width)) return false;
    for (int64_t k = 0; k < nnr; ++k)
        s->ids[k] = pick_id(kind, k, limit, &seed);
    for (int64_t k = nnr; k < s->capacity; ++k)
        s->ids[k] = limit + 1000000;
    for (int64_t i = 0; i < s->capacity * width; ++i)
        s->values[i] = spec_uniform(&seed);
    return true;
}

void spec_rowset_free(spec_rowset *s) {
    free(s->ids);
    free(s->values);
    memset(s, 0, sizeof *s);
}

static int compare_pairs(const void *a, const void *b) {
    const int64_t *const x = a, *const y = b;
    if (x[0] != y[0]) return (x[0] > y[0]) - (x[0] < y[0]);
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Row `u` of the result: the rows of pairs[0 .. length). */
static void sum_run(spec_rowset *to, int64_t u, const spec_rowset *from, const int64_t *pairs,
                    int64_t length, sparcl_dtype dtype, double *terms, double *truth,
                    double *bound) {
    for (int64_t j = 0; j < to->width; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < length; ++k) {
            terms[k] = from->values[pairs[2 * k + 1] * from->width + j];
            sum += terms[k];
            magnitude += fabs(terms[k]);
        }
        to->values[u * to->width + j] = spec_sum_duplicates(dtype, terms, length);
        if (truth) truth[u * to->width + j] = sum;
        if (bound)
            bound[u * to->width + j] =
                spec_depth_duplicates(length) * spec_unit(dtype) * magnitude * SPEC_SECOND_ORDER;
    }
}

bool spec_rowset_sum(spec_rowset *to, const spec_rowset *from, sparcl_dtype dtype, double *truth,
                     double *bound) {
    const int64_t n = from->stored;
    int64_t *pairs = malloc((size_t)(2 * n + 1) * sizeof *pairs);
    double *terms = malloc((size_t)(n + 1) * sizeof *terms);
    *to = (spec_rowset){.limit = from->limit, .width = from->width};
    const bool ready = pairs && terms && alloc_rowset(to, n, from->width);
    for (int64_t k = 0; ready && k < n; ++k) {
        pairs[2 * k] = from->ids[k];
        pairs[2 * k + 1] = k;
    }
    if (ready && n > 0) qsort(pairs, (size_t)n, 2 * sizeof *pairs, compare_pairs);
    for (int64_t begin = 0, end = 0; ready && begin < n; begin = end) {
        while (end < n && pairs[2 * end] == pairs[2 * begin])
            ++end;
        to->ids[to->stored] = pairs[2 * begin];
        sum_run(to, to->stored, from, pairs + 2 * begin, end - begin, dtype, terms, truth, bound);
        to->capacity = ++to->stored;
    }
    free(pairs);
    free(terms);
    return ready;
}

int spec_shape(int64_t shape[SPARCL_MAX_RANK], int64_t rows, int64_t width, uint64_t seed) {
    memset(shape, 0, SPARCL_MAX_RANK * sizeof *shape);
    shape[0] = rows;
    if (width == 1 && seed % 2) return 1;
    shape[1] = width;
    if (seed % 3 == 0) return 2;
    if (width % 2 == 0) {
        shape[1] = width / 2;
        shape[2] = 2;
        return 3;
    }
    shape[1] = 1;
    shape[2] = width;
    shape[3] = 1;
    return 4;
}

sparcl_status spec_put_rows(sparcl_ctx *ctx, sparcl_rows *view, const spec_rowset *s,
                            const spec_case *c) {
    *view = (sparcl_rows){.dtype = c->dtype, .index_type = c->index_type, .nnr = s->capacity};
    view->rank = spec_shape(view->shape, s->limit, s->width, c->seed);
    view->proof.flags = SPARCL_TRUSTED;
    if (c->kind == SPEC_DIAGONAL) view->proof.flags |= SPARCL_SORTED | SPARCL_UNIQUE;
    sparcl_status status = spec_put_ints(ctx, &view->indices, s->ids, s->capacity, c->index_type);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &view->values, s->values, s->capacity * s->width, c->dtype);
    if (status == SPARCL_OK && s->capacity > s->stored)
        status = spec_put_ints(ctx, &view->count, &s->stored, 1, SPARCL_INDEX64);
    return status;
}
