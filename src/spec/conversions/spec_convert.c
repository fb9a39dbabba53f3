/* spec_convert.c: converting matrices between formats, in plain C. Variant 0: COO to CSR; 1: CSR to
 * COO; 2: CSR to CSC; 3 to 5: the same with CSC for CSR, which is CSR with rows and columns
 * exchanged; + 8: the capacity of `from` is larger than its number of entries. */
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"
#include "spec/shared/made.h"

#define FORMATS     3
#define ALL_FORMATS 6
#define MORE        8

static int format_of(const spec_case *c) {
    return c->variant % MORE % FORMATS;
}
static bool is_exchanged(const spec_case *c) {
    return c->variant % MORE >= FORMATS;
}

/* Rows, columns, entries. The last one has keys of 66 bits, and too many columns for CSC. */
static const int64_t sizes[][3] = {{0, 0, 0},           {0, 5, 0},
                                   {4, 0, 0},           {3, 3, 0},
                                   {1, 1, 1},           {1, 7, 5},
                                   {9, 4, 20},          {37, 23, 200},
                                   {5, 300, 1500},      {3000, 2, 900},
                                   {700, 5000, 30000},  {100000, 30, 2000},
                                   {1, 70000, 40000},   {300000, 300000, 20000},
                                   {20, 2000000, 9000}, {9, (int64_t)1 << 62, 300}};

/* The number of columns. CSC has one offset per column, so there are fewer. */
static int64_t columns_of(const int64_t *size, int format, bool small) {
    if (format != 2) return size[1];
    return size[1] > INT32_MAX ? 1000 : small && size[1] > 9000 ? size[1] / 400 : size[1];
}

/* Other element types, and CSC with all types; the sizes with entries. */
static bool get_other(int i, bool small, spec_case *c) {
    const int format = i % ALL_FORMATS, k = i / ALL_FORMATS;
    if (k >= (small ? 12 : 45)) return false;
    const int64_t *const size = sizes[4 + k % (small ? 4 : 11)];
    const sparcl_dtype dtype = format < FORMATS ? spec_other_dtype(k) : spec_any_dtype(k + i);
    *c = (spec_case){.kind = (spec_kind)((i + k) % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .dtype = dtype,
                     .offset_type = k % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = k % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 6001,
                     .variant = format + (k / 2 % 2 ? MORE : 0)};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]), kinds = (int)SPEC_KINDS;
    const int each = small ? 4 : kinds; /* cases per format and size */
    const int number = i / each / FORMATS, format = i / each % FORMATS;
    if (number >= n_sizes) return get_other(i - n_sizes * each * FORMATS, small, c);
    const int64_t *size = sizes[number];
    const bool wide = size[1] > INT32_MAX;
    *c = (spec_case){.kind = (spec_kind)((i % each + number) % kinds),
                     .rows = small && size[0] > 9000 ? size[0] / 40 : size[0],
                     .cols = columns_of(size, format, small),
                     .nnz = small && size[2] > 2000 ? 500 : size[2],
                     .dtype = i % 5 == 3 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = wide || i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = wide || i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 1,
                     .variant = format + (i / 2 % 2 ? MORE : 0)};
    return true;
}

/* The matrix as input and as expected result. */
typedef struct arrays {
    spec_matrix a, transposed, got;
    spec_entries entries, got_entries;
} arrays;

static void drop(arrays *x) {
    spec_matrix_free(&x->a);
    spec_matrix_free(&x->transposed);
    spec_matrix_free(&x->got);
    spec_entries_free(&x->entries);
    spec_entries_free(&x->got_entries);
}

/* The entries of a matrix in the order stored. */
static bool expand(spec_entries *e, const spec_matrix *a, int64_t capacity) {
    const spec_entries like = {.rank = 2, .shape = {a->rows, a->cols}, .capacity = capacity};
    if (!spec_entries_like(e, &like)) return false;
    e->stored = a->nnz;
    for (int64_t r = 0; r < a->rows; ++r)
        for (int64_t k = a->offsets[r]; k < a->offsets[r + 1]; ++k) {
            e->indices[0][k] = r;
            e->indices[1][k] = a->indices[k];
            e->values[k] = a->values[k];
        }
    return true;
}

/* Shuffle the entries, except for DIAGONAL, and build the matrix that they represent. */
static bool shuffle(arrays *x, const spec_case *c) {
    uint64_t seed = c->seed;
    spec_entries *e = &x->entries;
    for (int64_t k = e->stored - 1; k > 0 && c->kind != SPEC_DIAGONAL; --k) {
        const int64_t i = (int64_t)(spec_random(&seed) % (uint64_t)(k + 1));
        /* The arrays have one more element than the capacity. */
        spec_entries_copy(e, e->capacity, e, k);
        spec_entries_copy(e, k, e, i);
        spec_entries_copy(e, i, e, e->capacity);
    }
    int64_t *order = spec_entries_order(e);
    for (int64_t k = 0; order && k < e->stored; ++k) {
        x->a.indices[k] = e->indices[1][order[k]];
        x->a.values[k] = e->values[order[k]];
    }
    free(order);
    return order != NULL;
}

static bool make(arrays *x, const spec_case *c) {
    if (!spec_matrix_make(&x->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    for (int64_t k = 0; k < x->a.nnz; ++k)
        x->a.values[k] = spec_moved_value(c->dtype, x->a.values[k]);
    const int64_t capacity = x->a.nnz + (c->variant & MORE ? 7 : 0), major = format_of(c) == 2;
    if (!expand(&x->entries, &x->a, capacity) || !spec_entries_like(&x->got_entries, &x->entries) ||
        !spec_matrix_alloc(&x->got, major ? c->cols : c->rows, major ? c->rows : c->cols, capacity))
        return false;
    if (major && !spec_matrix_transpose(&x->transposed, &x->a)) return false;
    return format_of(c) != 0 || shuffle(x, c);
}

/* A CSR view with capacity for more entries than it has: indices past the entries are out of
 * range. */
static sparcl_status put_csr(sparcl_ctx *ctx, sparcl_csr *view, const arrays *x,
                             const spec_case *c) {
    const int64_t nnz = x->a.nnz, capacity = x->entries.capacity;
    int64_t *indices = calloc((size_t)capacity + 1, sizeof *indices);
    double *values = calloc((size_t)capacity + 1, sizeof *values);
    spec_matrix spare_capacity = {c->rows, c->cols, capacity, x->a.offsets, indices, values};
    sparcl_status status = indices && values ? SPARCL_OK : SPARCL_E_MEMORY;
    for (int64_t k = 0; status == SPARCL_OK && k < capacity; ++k) {
        indices[k] = k < nnz ? x->a.indices[k] : -5;
        values[k] = k < nnz ? x->a.values[k] : -5;
    }
    if (status == SPARCL_OK)
        status = spec_put_csr_within(ctx, view, &spare_capacity, c->dtype, c->offset_type,
                                     c->index_type);
    free(indices);
    free(values);
    return status;
}

static void compare_matrix(spec_report *report, const spec_matrix *got, const spec_matrix *order) {
    spec_compare_ints(report, "offsets", got->offsets, order->offsets, order->rows + 1);
    if (!report->equal) return;
    spec_compare_ints(report, "indices", got->indices, order->indices, order->nnz);
    spec_compare(report, "values", got->values, order->values, NULL, NULL, order->nnz);
}

/* An empty CSR view, with the offset and index types of `from` swapped. */
static sparcl_status put_result(sparcl_ctx *ctx, sparcl_csr *view, const arrays *x,
                                const spec_case *c) {
    spec_matrix empty;
    if (!spec_matrix_alloc(&empty, x->got.rows, x->got.cols, x->entries.capacity))
        return SPARCL_E_MEMORY;
    const sparcl_status status =
        spec_put_csr_within(ctx, view, &empty, c->dtype, c->index_type, c->offset_type);
    spec_matrix_free(&empty);
    return status;
}

/* The transpose in the same arrays; only the entries of a diagonal are in the order of both. */
static sparcl_coo exchange(const sparcl_coo *v, const spec_case *c) {
    sparcl_coo to = *v;
    for (int d = 0; d < 2; ++d) {
        to.shape[d] = v->shape[1 - d];
        to.indices[d] = v->indices[1 - d];
        to.indices_at[d] = v->indices_at[1 - d];
    }
    if (c->kind != SPEC_DIAGONAL) to.proof.flags &= ~(uint32_t)SPARCL_SORTED;
    return to;
}

static sparcl_status run_from_coo(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_coo from = {0};
    sparcl_csr to = {0};
    sparcl_status status = spec_put_entries(ctx, &from, &x->entries, c, 2, false);
    if (status == SPARCL_OK) status = put_result(ctx, &to, x, c);
    const sparcl_coo exchanged = exchange(&from, c);
    sparcl_csc columns = spec_as_csc(&to);
    if (status == SPARCL_OK)
        status = is_exchanged(c) ? sparcl_coo_to_csc(ctx, &columns, &exchanged)
                                 : sparcl_coo_to_csr(ctx, &to, &from);
    if (status == SPARCL_OK) status = spec_get_csr(ctx, &to, &x->got);
    sparcl_coo_free(&from);
    sparcl_csr_free(&to);
    return status;
}

static sparcl_status run_to_coo(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_csr from = {0};
    sparcl_coo to = {0};
    spec_case swapped = *c;
    swapped.index_type = c->offset_type;
    if (!(c->variant & MORE)) x->got_entries.stored = x->got_entries.capacity;
    sparcl_status status = put_csr(ctx, &from, x, c);
    if (status == SPARCL_OK)
        status = spec_put_entries(ctx, &to, &x->got_entries, &swapped, 3, c->variant & MORE);
    const sparcl_csc columns = spec_as_csc(&from);
    sparcl_coo exchanged = exchange(&to, c);
    if (status == SPARCL_OK)
        status = is_exchanged(c) ? sparcl_csc_to_coo(ctx, &exchanged, &columns)
                                 : sparcl_csr_to_coo(ctx, &to, &from);
    if (status == SPARCL_OK) status = spec_get_entries(ctx, &to, &x->got_entries);
    sparcl_csr_free(&from);
    sparcl_coo_free(&to);
    return status;
}

static sparcl_status run_transposed(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    sparcl_csr from = {0}, to = {0};
    sparcl_status status = put_csr(ctx, &from, x, c);
    if (status == SPARCL_OK) status = put_result(ctx, &to, x, c);
    const sparcl_csc from_columns = spec_as_csc(&from);
    sparcl_csc columns = spec_as_csc(&to);
    if (status == SPARCL_OK)
        status = is_exchanged(c) ? sparcl_csc_to_csr(ctx, &to, &from_columns)
                                 : sparcl_csr_to_csc(ctx, &columns, &from);
    if (status == SPARCL_OK) status = spec_get_csr(ctx, &to, &x->got);
    sparcl_csr_free(&from);
    sparcl_csr_free(&to);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *given, spec_report *report) {
    arrays x;
    memset(&x, 0, sizeof x);
    spec_case stored = *given;
    const spec_case *const c = &stored;
    if (is_exchanged(given)) stored.rows = given->cols, stored.cols = given->rows;
    const int format = format_of(c);
    const double entry =
        (double)(2 * sparcl_dtype_size(c->dtype) + 2 * sparcl_itype_size(c->index_type) + 4);
    *report = (spec_report){
        .equal = true, .bytes = entry * (double)c->nnz, .zeros_expected = c->dtype == SPARCL_BOOL};
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        status = format == 0   ? run_from_coo(ctx, c, &x)
                 : format == 1 ? run_to_coo(ctx, c, &x)
                               : run_transposed(ctx, c, &x);
    if (status == SPARCL_OK && format == 0) compare_matrix(report, &x.got, &x.a);
    if (status == SPARCL_OK && format == 1)
        spec_compare_entries(report, &x.got_entries, &x.entries, NULL, NULL);
    if (status == SPARCL_OK && format == 2) compare_matrix(report, &x.got, &x.transposed);
    drop(&x);
    return status;
}

const spec_op spec_convert = {.name = "convert", .get_case = get_case, .check = check};
