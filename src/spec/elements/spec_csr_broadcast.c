/* spec_csr_broadcast.c: the entries of a CSR matrix with a number for each row or column, and the
 * gradient by these numbers, in plain C. Variant: 1: divide, not multiply; + 2 for columns; + 4 for
 * values in place; + 8 for a capacity of 40 entries more than there are. */
#include <math.h>
#include <stdlib.h>

#include "spec/shared/spec.h"

enum { VARIANTS = 16, SPARE = 40 };

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
                     .offset_type = i / 3 % 2 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i / 5 % 2 ? SPARCL_I64 : SPARCL_I32,
                     .variant = i % VARIANTS,
                     .seed = (uint64_t)i + 80};
    return true;
}

static bool divides(const spec_case *c) {
    return c->variant & 1;
}
static bool by_columns(const spec_case *c) {
    return c->variant >> 1 & 1;
}
static int axis_of(const spec_case *c) {
    return by_columns(c) ? 0 : 1;
}
static bool is_in_place(const spec_case *c) {
    return c->variant >> 2 & 1;
}
static int64_t capacity_of(const spec_case *c, const spec_matrix *a) {
    return a->nnz + (c->variant & 8 ? SPARE : 0);
}

/* The matrix, and z, then gv. */
typedef struct arrays {
    spec_matrix a;
    int64_t capacity, size; /* of entries, and of v */
    double *v, *gz, *got, *order, *truth, *bound, *ones;
} arrays;

static void drop(arrays *x) {
    double *const all[] = {x->v, x->gz, x->got, x->order, x->truth, x->bound, x->ones};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
    spec_matrix_free(&x->a);
}

/* Room for more entries, which must not be read: their columns are outside the matrix. */
static bool widen(spec_matrix *a, int64_t capacity) {
    int64_t *const indices = realloc(a->indices, (size_t)(capacity + 1) * sizeof *indices);
    if (indices) a->indices = indices;
    double *const values = realloc(a->values, (size_t)(capacity + 1) * sizeof *values);
    if (values) a->values = values;
    for (int64_t k = a->nnz; indices && values && k < capacity; ++k) {
        indices[k] = 1 << 30;
        values[k] = NAN;
    }
    return indices && values;
}

static bool make(arrays *x, const spec_case *c) {
    if (!spec_matrix_make(&x->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    x->capacity = capacity_of(c, &x->a);
    if (!widen(&x->a, x->capacity)) return false;
    x->size = by_columns(c) ? c->cols : c->rows;
    x->v = spec_numbers(x->size, c->seed + 1);
    x->gz = spec_numbers(x->capacity, c->seed + 2);
    x->got = spec_numbers(x->capacity + x->size, 0);
    x->order = calloc((size_t)(x->capacity + x->size) + 1, sizeof(double));
    x->truth = calloc((size_t)(x->capacity + x->size) + 1, sizeof(double));
    x->bound = calloc((size_t)(x->capacity + x->size) + 1, sizeof(double));
    x->ones = calloc((size_t)x->a.nnz + 1, sizeof(double));
    if (!x->v || !x->gz || !x->got || !x->order || !x->truth || !x->bound || !x->ones) return false;
    for (int64_t i = 0; i < x->size; ++i)
        x->v[i] = spec_store(c->dtype, x->v[i] < 0 ? x->v[i] - 0.25 : x->v[i] + 0.25);
    for (int64_t k = 0; k < x->a.nnz; ++k) {
        x->a.values[k] = spec_store(c->dtype, x->a.values[k]);
        x->gz[k] = spec_store(c->dtype, x->gz[k]);
        x->ones[k] = 1;
    }
    return true;
}

/* --- answers ---------------------------------------------------------------------------------- */

#define R(x) spec_round(c->dtype, (x))

static void set(const spec_case *c, arrays *x, int64_t at, double order, double truth,
                double error) {
    x->order[at] = spec_store(c->dtype, order);
    x->truth[at] = truth;
    x->bound[at] = SPEC_SECOND_ORDER *
                   (error + (spec_store_unit(c->dtype) + spec_unit(SPARCL_F64)) * fabs(truth));
    if (c->dtype == SPARCL_F16) x->bound[at] += 0x1p-25; /* of a subnormal number */
}

/* The product of an entry and its gradient; the sign of a quotient's comes with the sum. */
static double term_of(const spec_case *c, double a, double v, double g) {
    return divides(c) ? R(R(g * R(a / v)) / v) : R(g * a);
}

/* gv[i] from the terms of row i of a matrix, or of its transpose. */
static void answer_sums(const spec_case *c, arrays *x, const spec_matrix *terms) {
    for (int64_t i = 0; i < x->size; ++i) {
        const int64_t from = terms->offsets[i], length = terms->offsets[i + 1] - from;
        const double sign = divides(c) ? -1 : 1;
        double truth = 0, sum = 0;
        for (int64_t k = from; k < from + length; ++k) {
            truth += terms->values[k];
            sum += fabs(terms->values[k]);
        }
        const double order =
            spec_sum_products(c->dtype, terms->values + from, x->ones, 1, length, true);
        set(c, x, x->capacity + i, sign * order, sign * truth,
            (4 + spec_depth(length, true)) * spec_unit(c->dtype) * sum);
    }
}

/* The terms take the places of the values, which nothing reads afterwards. */
static bool answers(const spec_case *c, arrays *x) {
    spec_matrix transpose = {0};
    for (int64_t i = 0; i < c->rows; ++i)
        for (int64_t k = x->a.offsets[i]; k < x->a.offsets[i + 1]; ++k) {
            const double v = x->v[by_columns(c) ? x->a.indices[k] : i], a = x->a.values[k];
            const double z = divides(c) ? a / v : a * v;
            set(c, x, k, R(z), z, spec_unit(c->dtype) * fabs(z));
            x->a.values[k] = term_of(c, a, v, x->gz[k]);
        }
    if (!by_columns(c)) {
        answer_sums(c, x, &x->a);
        return true;
    }
    if (!spec_matrix_transpose(&transpose, &x->a)) return false;
    answer_sums(c, x, &transpose);
    spec_matrix_free(&transpose);
    return true;
}

/* --- the calls -------------------------------------------------------------------------------- */

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, arrays *x, const sparcl_csr *a,
                          sparcl_buf *const bufs[4]) {
    const sparcl_binary_op op = divides(c) ? SPARCL_BINARY_DIVIDE : SPARCL_BINARY_MULTIPLY;
    const sparcl_dense vector = {.rank = 1, .dtype = c->dtype, .shape = {x->size}};
    const sparcl_dense entries = {.rank = 1, .dtype = c->dtype, .shape = {x->capacity}};
    sparcl_dense v = vector, gv = vector, z = entries, gz = entries;
    v.values = bufs[0];
    gz.values = bufs[1];
    z.values = is_in_place(c) ? a->values : bufs[2];
    z.values_at = is_in_place(c) ? a->values_at : 0;
    gv.values = bufs[3];
    sparcl_status status =
        sparcl_csr_broadcast_gradient(ctx, op, &gv, a, &v, &gz, axis_of(c), NULL);
    if (status == SPARCL_OK) status = sparcl_csr_broadcast(ctx, op, &z, a, &v, axis_of(c));
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, z.values, z.values_at, x->capacity, c->dtype, x->got);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, gv.values, 0, x->size, c->dtype, x->got + x->capacity);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    const double *const contents[] = {x->v, x->gz, x->gz, x->v};
    sparcl_csr a = {0};
    sparcl_buf *bufs[4] = {NULL};
    spec_matrix wide = x->a;
    wide.nnz = x->capacity;
    sparcl_status status =
        spec_put_csr_within(ctx, &a, &wide, c->dtype, c->offset_type, c->index_type);
    a.proof = (sparcl_proof){.flags = SPARCL_TRUSTED};
    for (int i = 0; i < 4 && status == SPARCL_OK; ++i)
        status =
            spec_put_reals(ctx, &bufs[i], contents[i], i % 3 ? x->capacity : x->size, c->dtype);
    if (status == SPARCL_OK) status = call(ctx, c, x, &a, bufs);
    for (int i = 0; i < 4; ++i)
        sparcl_buf_free(bufs[i]);
    sparcl_csr_free(&a);
    return status;
}

/* The entries and one number, also what is after the last entry: there the answers are 0 again
 * afterwards. */
#define SCALAR 3.0

static sparcl_status check_scalar(sparcl_ctx *ctx, const spec_case *c, arrays *x,
                                  spec_report *report) {
    const bool adds = c->seed % 5 == 0; /* 0 */
    const sparcl_binary_op op = adds         ? SPARCL_BINARY_SUBTRACT
                                : divides(c) ? SPARCL_BINARY_DIVIDE
                                             : SPARCL_BINARY_MULTIPLY;
    sparcl_csr a = {
        .rows = c->rows, .cols = c->cols, .nnz = x->capacity, .offset_type = SPARCL_I64};
    sparcl_dense z = {.rank = 1, .dtype = c->dtype, .shape = {x->capacity}};
    a.dtype = c->dtype;
    for (int64_t k = 0; k < x->capacity; ++k) {
        const double v = x->a.values[k], y = divides(c) ? v / SCALAR : v * SCALAR;
        if (adds)
            x->order[k] = x->truth[k] = v;
        else
            set(c, x, k, R(y), y, spec_unit(c->dtype) * fabs(y));
    }
    sparcl_status status = sparcl_buf_create(ctx, &a.offsets, (c->rows + 1) * 8);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &a.values, x->a.values, x->capacity, c->dtype);
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &a.indices, x->capacity * 4 + 4);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &z.values, x->gz, x->capacity, c->dtype);
    if (status == SPARCL_OK) status = sparcl_csr_binary_scalar(ctx, op, &z, &a, adds ? 0 : SCALAR);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, z.values, 0, x->capacity, c->dtype, x->got);
    if (status == SPARCL_OK)
        spec_compare(report, "values and a number", x->got, x->order, x->truth, x->bound,
                     x->capacity);
    for (int64_t k = x->a.nnz; k < x->capacity; ++k)
        x->order[k] = x->truth[k] = x->bound[k] = 0;
    sparcl_csr_free(&a);
    sparcl_dense_free(&z);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x = {.capacity = 0};
    const double count = (double)c->nnz;
    *report = (spec_report){.equal = true,
                            .flops = 4 * count,
                            .bytes = 12 * count * (double)sparcl_dtype_size(c->dtype),
                            .zeros_expected = true}; /* of rows without entries */
    sparcl_status status = make(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) status = check_scalar(ctx, c, &x, report);
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK && !answers(c, &x)) status = SPARCL_E_MEMORY;
    if (status == SPARCL_OK)
        spec_compare(report, "z, gv", x.got, x.order, x.truth, x.bound, x.capacity + x.size);
    drop(&x);
    return status;
}

const spec_op spec_csr_broadcast = {.name = "csr_broadcast", .get_case = get_case, .check = check};
