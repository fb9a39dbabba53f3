/* bench_structure.c: timed operations that find equal indices: the largest of duplicates, the
 * distinct ids of a list. f32, and 32-bit indices where they fit. */
#include <stdlib.h>

#include "spec/bench/bench.h"
#include "spec/shared/entries.h"

/* --- the largest of duplicates ---------------------------------------------------------------- */

typedef struct duplicates {
    spec_entries entries; /* in the order of `from` */
    sparcl_coo from, to;
} duplicates;

static void close_duplicates(void *state) {
    duplicates *const x = state;
    spec_entries_free(&x->entries);
    sparcl_coo_free(&x->from);
    sparcl_coo_free(&x->to);
}

static sparcl_status open_duplicates(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    duplicates *const x = call->state;
    const bool wide = m->rows > INT32_MAX || m->cols > INT32_MAX;
    const spec_case types = {.dtype = SPARCL_F32, .index_type = wide ? SPARCL_I64 : SPARCL_I32};
    if (!spec_bench_shuffled(&x->entries, m)) return SPARCL_E_MEMORY;
    sparcl_status status = spec_put_entries(ctx, &x->from, &x->entries, &types, 0, true);
    if (status == SPARCL_OK) status = spec_put_entries(ctx, &x->to, &x->entries, &types, 0, true);
    call->bytes = 2 * (4 + 2 * (double)sparcl_itype_size(types.index_type)) * (double)m->nnz;
    return status;
}

static sparcl_status run_duplicates(sparcl_ctx *ctx, const spec_bench_call *call) {
    duplicates *const x = call->state;
    return sparcl_coo_coalesce_with(ctx, &x->to, &x->from, SPARCL_MAX, NULL);
}

static bool keep_largest(spec_entries *to, const spec_entries *from) {
    int64_t *const order = spec_entries_order(from);
    const bool done = order && spec_entries_like(to, from);
    for (int64_t k = 0; done && k < from->stored; ++k) {
        const bool begins = k == 0 || spec_entries_compare(from, order[k - 1], order[k]) != 0;
        const double value = spec_round(SPARCL_F32, from->values[order[k]]);
        if (begins) spec_entries_copy(to, to->stored++, from, order[k]);
        double *const largest = &to->values[to->stored - 1];
        if (begins || value > *largest) *largest = value;
    }
    free(order);
    return done;
}

static sparcl_status check_duplicates(sparcl_ctx *ctx, const spec_bench_call *call,
                                      spec_report *report) {
    const duplicates *const x = call->state;
    spec_entries order = {0}, got = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (keep_largest(&order, &x->entries) && spec_entries_like(&got, &x->entries))
        status = spec_get_entries(ctx, &x->to, &got);
    if (status == SPARCL_OK) spec_compare_entries(report, &got, &order, NULL, NULL);
    spec_entries_free(&order);
    spec_entries_free(&got);
    return status;
}

static sparcl_status poison_duplicates(sparcl_ctx *ctx, const spec_bench_call *call) {
    const duplicates *const x = call->state;
    const sparcl_status status = spec_poison(ctx, x->to.values);
    return status == SPARCL_OK ? spec_poison(ctx, x->to.indices[0]) : status;
}

const spec_bench spec_bench_coo_coalesce_max = {
    .name = "coo-coalesce-max",
    .what = "sort shuffled entries, keep the largest of those of the same indices",
    .flags = 0,
    .state_size = sizeof(duplicates),
    .open = open_duplicates,
    .run = run_duplicates,
    .check = check_duplicates,
    .close = close_duplicates,
    .reset = poison_duplicates};

/* --- distinct ids ----------------------------------------------------------------------------- */

typedef struct ids {
    sparcl_list list;
    sparcl_unique_result to;
    int64_t *expected, *got; /* the distinct ids, and the inverse of all */
    int64_t found;
} ids;

static void close_ids(void *state) {
    ids *const x = state;
    sparcl_list_free(&x->list);
    sparcl_buf_free(x->to.found);
    sparcl_buf_free(x->to.indices);
    sparcl_buf_free(x->to.inverse);
    sparcl_buf_free(x->to.counts);
    free(x->expected);
    free(x->got);
}

/* By marks of all columns. */
static bool find_distinct(ids *x, const spec_matrix *m) {
    const int64_t n = m->nnz;
    int64_t *const number = calloc((size_t)m->cols + 1, sizeof *number);
    x->expected = malloc((2 * (size_t)n + 1) * sizeof *x->expected);
    x->got = malloc((2 * (size_t)n + 1) * sizeof *x->got);
    const bool done = number && x->expected && x->got;
    for (int64_t k = 0; done && k < n; ++k)
        number[m->indices[k]] = 1;
    for (int64_t c = 0; done && c < m->cols; ++c) {
        if (!number[c]) continue;
        number[c] = x->found;
        x->expected[x->found++] = c;
    }
    for (int64_t k = 0; done && k < n; ++k)
        x->expected[x->found + k] = number[m->indices[k]];
    free(number);
    return done;
}

static sparcl_status open_ids(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    const int64_t n = m->nnz;
    ids *const x = call->state;
    if (!find_distinct(x, m)) return SPARCL_E_MEMORY;
    x->list = (sparcl_list){.count = n,
                            .limit = m->cols,
                            .index_type = m->cols > INT32_MAX ? SPARCL_I64 : SPARCL_I32,
                            .proof = {.flags = SPARCL_TRUSTED}};
    const int64_t size = (int64_t)sparcl_itype_size(x->list.index_type);
    sparcl_status status = spec_put_ints(ctx, &x->list.indices, m->indices, n, x->list.index_type);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.found, 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.indices, (n + 1) * size);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.inverse, (n + 1) * 8);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.counts, (n + 1) * 8);
    call->bytes = (double)(size + 8) * (double)n + (double)(size + 8) * (double)x->found;
    return status;
}

static sparcl_status run_ids(sparcl_ctx *ctx, const spec_bench_call *call) {
    ids *const x = call->state;
    return sparcl_unique(ctx, &x->to, &x->list);
}

static sparcl_status check_ids(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    ids *const x = call->state;
    int64_t found = -1;
    *report = (spec_report){.equal = true};
    sparcl_status status = sparcl_buf_read(ctx, x->to.found, 0, 8, &found);
    spec_compare_ints(report, "number", &found, &x->found, 1);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, x->to.indices, 0, x->found, x->list.index_type, x->got);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, x->to.inverse, 0, x->list.count, SPARCL_I64, x->got + x->found);
    if (status == SPARCL_OK)
        spec_compare_ints(report, "ids", x->got, x->expected, x->found + x->list.count);
    return status;
}

static sparcl_status poison_ids(sparcl_ctx *ctx, const spec_bench_call *call) {
    const ids *const x = call->state;
    const sparcl_status status = spec_poison(ctx, x->to.indices);
    return status == SPARCL_OK ? spec_poison(ctx, x->to.inverse) : status;
}

const spec_bench spec_bench_unique = {
    .name = "unique",
    .what = "the distinct columns of the entries, where each is, and how often",
    .flags = 0,
    .state_size = sizeof(ids),
    .open = open_ids,
    .run = run_ids,
    .check = check_ids,
    .close = close_ids,
    .reset = poison_ids};
