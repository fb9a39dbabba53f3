/* spec_unique.c: the distinct indices of a list, in plain C. Variant bit 0: all results, else the
 * indices only; bit 1: the list is marked as sorted (and is). n: how many indices. */
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"

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
    c->index_type = c->rows > INT32_MAX || i % 2 ? SPARCL_I64 : SPARCL_I32;
    return true;
}

typedef struct arrays {
    spec_entries list; /* as a vector */
    int64_t *order, *indices, *inverse, *counts, *first, *got;
    int64_t found;
} arrays;

static void drop(arrays *x) {
    spec_entries_free(&x->list);
    free(x->order);
    free(x->indices);
    free(x->inverse);
    free(x->counts);
    free(x->first);
    free(x->got);
}

static bool make_list(arrays *x, const spec_case *c) {
    const spec_entries like = {.rank = 1, .shape = {c->rows}, .capacity = c->n};
    uint64_t seed = c->seed;
    if (!spec_entries_like(&x->list, &like)) return false;
    int64_t *const list = x->list.indices[0];
    x->list.stored = c->n;
    for (int64_t i = 0; i < c->n; ++i) {
        const int64_t number = (int64_t)(spec_random(&seed) >> 1);
        list[i] = number % (seed % 3 ? c->rows : (c->rows + 2) / 3);
    }
    if (c->variant & 2) spec_sort_ints(list, c->n);
    return true;
}

static bool make(arrays *x, const spec_case *c) {
    const size_t space = (size_t)c->n + 1;
    int64_t **const all[] = {&x->indices, &x->inverse, &x->counts, &x->first, &x->got};
    if (!make_list(x, c)) return false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        if (!(*all[i] = calloc(space, sizeof(int64_t)))) return false;
    if (!(x->order = spec_entries_order(&x->list))) return false;
    for (int64_t k = 0; k < c->n; ++k) {
        const int64_t at = x->order[k], id = x->list.indices[0][at];
        if (x->found == 0 || x->indices[x->found - 1] != id) {
            x->first[x->found] = at;
            x->indices[x->found++] = id;
        }
        x->inverse[at] = x->found - 1;
        ++x->counts[x->found - 1];
    }
    return true;
}

static sparcl_status compare(sparcl_ctx *ctx, arrays *x, const char *what, const sparcl_buf *buf,
                             int64_t at, sparcl_itype type, const int64_t *expected, int64_t count,
                             spec_report *report) {
    if (!buf || !report->equal) return SPARCL_OK;
    const sparcl_status status = spec_get_ints(ctx, buf, at, count, type, x->got);
    if (status == SPARCL_OK) spec_compare_ints(report, what, x->got, expected, count);
    return status;
}

static sparcl_status open_result(sparcl_ctx *ctx, const spec_case *c, sparcl_unique_result *to) {
    sparcl_buf **const all[] = {&to->found, &to->indices, &to->inverse, &to->counts, &to->first};
    sparcl_status status = SPARCL_OK;
    for (int i = 0; i < (c->variant & 1 ? 5 : 2) && status == SPARCL_OK; ++i) {
        status = sparcl_buf_create(ctx, all[i], (c->n + 2) * 8);
        if (status == SPARCL_OK) status = spec_poison(ctx, *all[i]);
    }
    to->indices_at = to->found_at = to->inverse_at = to->counts_at = to->first_at = 1;
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x, spec_report *report) {
    sparcl_unique_result to = {.found = NULL};
    sparcl_list list = {.count = c->n,
                        .limit = c->rows,
                        .index_type = c->index_type,
                        .proof = {.flags = SPARCL_TRUSTED | (c->variant & 2 ? SPARCL_SORTED : 0u)}};
    sparcl_status status =
        spec_put_ints(ctx, &list.indices, x->list.indices[0], c->n, c->index_type);
    if (status == SPARCL_OK) status = open_result(ctx, c, &to);
    if (status == SPARCL_OK) status = sparcl_unique(ctx, &to, &list);
    if (status == SPARCL_OK)
        status = compare(ctx, x, "number", to.found, 1, SPARCL_I64, &x->found, 1, report);
    if (status == SPARCL_OK)
        status =
            compare(ctx, x, "indices", to.indices, 1, c->index_type, x->indices, x->found, report);
    if (status == SPARCL_OK)
        status = compare(ctx, x, "inverse", to.inverse, 1, SPARCL_I64, x->inverse, c->n, report);
    if (status == SPARCL_OK)
        status = compare(ctx, x, "counts", to.counts, 1, SPARCL_I64, x->counts, x->found, report);
    if (status == SPARCL_OK)
        status = compare(ctx, x, "first", to.first, 1, SPARCL_I64, x->first, x->found, report);
    sparcl_list_free(&list);
    sparcl_buf *const all[] = {to.found, to.indices, to.inverse, to.counts, to.first};
    for (int i = 0; i < 5; ++i)
        sparcl_buf_free(all[i]);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.found = 0};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report =
        (spec_report){.equal = true,
                      .bytes = (double)(c->n + x.found) * (double)sparcl_itype_size(c->index_type)};
    if (status == SPARCL_OK) status = run(ctx, c, &x, report);
    drop(&x);
    return status;
}

const spec_op spec_unique = {.name = "unique", .get_case = get_case, .check = check};
