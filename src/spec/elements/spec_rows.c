/* spec_rows.c: coalescing rows, and adding rows to a table, in plain C. Variant 0: coalesce; 1:
 * scatter_add. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/rowset.h"

static const int64_t widths[] = {1, 2, 3, 5, 8, 16, 17, 32, 64, 100, 128, 300};

/* Rows of the array, stored rows. */
static const int64_t sizes[][2] = {{0, 0},  {4, 0},    {1, 1},       {1, 700},  {9, 20},
                                   {50, 9}, {37, 300}, {700, 90},    {33, 33},  {260, 31},
                                   {5, 6},  {120, 64}, {1000, 3000}, {40, 9000}};

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    const int half = n_sizes * n_widths, k = i / 2;
    const int mixed = k + k / n_widths; /* varies kind and alpha for each width */
    if (i >= 2 * half) return false;
    static const double alphas[] = {1, -0.5, 2.5};
    *c = (spec_case){.kind = (spec_kind)(mixed % SPEC_KINDS),
                     .rows = sizes[k / n_widths][0],
                     .nnz = sizes[k / n_widths][1],
                     .n = widths[k % n_widths],
                     .dtype = k % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .index_type = mixed % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = alphas[(mixed + k / n_widths) % 3],
                     .seed = (uint64_t)k + 1,
                     .variant = i % 2};
    return true;
}

typedef struct arrays {
    spec_rowset from, order, got;
    double *truth, *bound;
    double *table, *table_order, *table_truth, *table_bound; /* of scatter_add */
} arrays;

static void drop(arrays *x) {
    spec_rowset_free(&x->from);
    spec_rowset_free(&x->order);
    spec_rowset_free(&x->got);
    free(x->truth);
    free(x->bound);
    free(x->table);
    free(x->table_order);
    free(x->table_truth);
    free(x->table_bound);
}

/* The table has a leading dimension of n + 3: the gaps between rows must stay unchanged. */
static int64_t ld_of(const spec_case *c) {
    return c->n + 3;
}

static bool make(arrays *x, const spec_case *c) {
    const int64_t count = c->rows * ld_of(c);
    if (!spec_rowset_make(&x->from, c->kind, c->rows, c->nnz, c->n, c->seed)) return false;
    const int64_t values = x->from.capacity * c->n;
    x->truth = spec_numbers(values, 0);
    x->bound = spec_numbers(values, 0);
    x->table = spec_numbers(count, c->seed + 1);
    x->table_order = spec_numbers(count, c->seed + 1);
    x->table_truth = spec_numbers(count, c->seed + 1);
    x->table_bound = calloc((size_t)count + 1, sizeof(double));
    return x->truth && x->bound && x->table && x->table_order && x->table_truth && x->table_bound &&
           spec_rowset_make(&x->got, c->kind, c->rows, c->nnz, c->n, c->seed) &&
           spec_rowset_sum(&x->order, &x->from, c->dtype, x->truth, x->bound);
}

static void answer_scatter(arrays *x, const spec_case *c) {
    for (int64_t u = 0; u < x->order.stored; ++u)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t at = x->order.ids[u] * ld_of(c) + j, k = u * c->n + j;
            const double old = x->table[at], sum = x->order.values[k];
            x->table_order[at] = spec_round(c->dtype, old + spec_round(c->dtype, c->alpha * sum));
            x->table_truth[at] = old + c->alpha * x->truth[k];
            x->table_bound[at] = fabs(c->alpha) * x->bound[k] +
                                 spec_unit(c->dtype) * 2.01 * (fabs(c->alpha * sum) + fabs(old));
        }
}

static sparcl_status run_coalesce(sparcl_ctx *ctx, const spec_case *c, const sparcl_rows *from,
                                  arrays *x) {
    sparcl_rows to = {0};
    spec_rowset *const got = &x->got;
    int64_t stored = got->stored;
    got->stored = -1; /* the count is a result */
    got->capacity = from->nnr;
    sparcl_status status = spec_put_rows(ctx, &to, got, c);
    to.proof.flags = 0;
    if (status == SPARCL_OK) status = sparcl_rows_coalesce(ctx, &to, from);
    if (status == SPARCL_OK) status = spec_get_ints(ctx, to.count, 0, 1, SPARCL_I64, &stored);
    got->stored = stored;
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, to.indices, 0, got->capacity, c->index_type, got->ids);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, to.values, to.values_at, got->capacity * c->n, c->dtype,
                                got->values);
    if (status == SPARCL_OK &&
        sparcl_rows_flags(&to) != (SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE))
        got->stored = -1;
    sparcl_rows_free(&to);
    return status;
}

static sparcl_status run_scatter(sparcl_ctx *ctx, const spec_case *c, const sparcl_rows *from,
                                 arrays *x) {
    sparcl_dense table = {.dtype = c->dtype, .ld = ld_of(c)};
    const int64_t count = c->rows * table.ld;
    table.rank = spec_shape(table.shape, c->rows, c->n, c->seed);
    sparcl_status status = spec_put_dense(ctx, &table, x->table, count);
    if (status == SPARCL_OK) status = sparcl_scatter_add(ctx, &table, c->alpha, from);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, table.values, table.values_at, count, c->dtype, x->table);
    sparcl_buf_free(table.values);
    return status;
}

static void compare(spec_report *report, const spec_case *c, const arrays *x) {
    if (c->variant) {
        spec_compare(report, "table", x->table, x->table_order, x->table_truth, x->table_bound,
                     c->rows * ld_of(c));
        return;
    }
    spec_compare_ints(report, "count", &x->got.stored, &x->order.stored, 1);
    if (!report->equal) return;
    spec_compare_ints(report, "indices", x->got.ids, x->order.ids, x->order.stored);
    spec_compare(report, "values", x->got.values, x->order.values, x->truth, x->bound,
                 x->order.stored * c->n);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {0};
    sparcl_rows from = {0};
    const double item = (double)c->n * (double)sparcl_dtype_size(c->dtype) +
                        (double)sparcl_itype_size(c->index_type);
    *report = (spec_report){
        .equal = true, .flops = (double)c->nnz * (double)c->n, .bytes = 2 * (double)c->nnz * item};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) answer_scatter(&x, c);
    if (status == SPARCL_OK) status = spec_put_rows(ctx, &from, &x.from, c);
    if (status == SPARCL_OK)
        status = c->variant ? run_scatter(ctx, c, &from, &x) : run_coalesce(ctx, c, &from, &x);
    if (status == SPARCL_OK) compare(report, c, &x);
    sparcl_rows_free(&from);
    drop(&x);
    return status;
}

const spec_op spec_rows = {.name = "rows", .get_case = get_case, .check = check};
