/* spec_spmm_reduce.c: sparse products with sum, mean, maximum and minimum in plain C. Variant 0 to
 * 3: these operations; + 4: its gradients by B and by the values of A. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/spec.h"

static const int64_t widths[] = {1, 3, 8, 17, 37, 64};

/* Rows, columns and entries. */
static const int64_t sizes[][3] = {{0, 4, 0},      {4, 0, 0},        {3, 3, 0},      {1, 1, 1},
                                   {9, 4, 20},     {37, 23, 200},    {5, 300, 1500}, {900, 40, 700},
                                   {300, 7, 3000}, {4000, 500, 7000}};

static sparcl_reduction op_of(const spec_case *c) {
    static const sparcl_reduction ops[] = {SPARCL_REDUCE_SUM, SPARCL_REDUCE_MEAN, SPARCL_REDUCE_MAX,
                                           SPARCL_REDUCE_MIN};
    return ops[c->variant % 4];
}

static bool chooses(const spec_case *c) {
    return op_of(c) >= SPARCL_REDUCE_MAX;
}

static sparcl_dtype dtype_of(int i, int variant) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_BF16, SPARCL_F32,
                                          SPARCL_F16};
    const sparcl_dtype dtype = dtypes[i / 3 % 5];
    return dtype > SPARCL_F64 && variant % 4 < 2 ? SPARCL_F32 : dtype;
}

/* Sums and means of 16 bits, and their gradients, in each size. */
static bool get_half(int i, int n_sizes, spec_case *c) {
    static const int variants[] = {0, 1, 4, 5};
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    if (i >= n_sizes * 4) return false;
    const int64_t *const size = sizes[i / 4];
    *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[(i + i / 4) % n_widths],
                     .dtype = (i + i / 4) % 2 ? SPARCL_BF16 : SPARCL_F16,
                     .offset_type = i / 4 % 2 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i / 4 % 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = 1,
                     .variant = variants[i % 4],
                     .seed = (uint64_t)i + 977};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]), variant = i % 8;
    if (i >= n_sizes * n_widths * 8) return get_half(i - n_sizes * n_widths * 8, n_sizes, c);
    const int64_t *const size = sizes[i / 8 / n_widths];
    *c = (spec_case){.kind = (spec_kind)(i / 5 % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = widths[i / 8 % n_widths],
                     .dtype = dtype_of(i, variant),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 7 > 4 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = 1,
                     .variant = variant,
                     .seed = (uint64_t)i + 177};
    return true;
}

/* One result: its numbers, and what is expected of them. */
typedef struct answer {
    int64_t count;
    double *got, *order, *truth, *bound;
} answer;

typedef struct arrays {
    spec_matrix a;
    double *b, *g;
    double *chosen, *chosen_got; /* positions as doubles */
    answer c, gb, gv;
} arrays;

static bool make_answer(answer *x, int64_t count) {
    x->count = count;
    x->got = spec_numbers(count, 5); /* what no result is */
    x->order = calloc((size_t)count + 1, sizeof(double));
    x->truth = calloc((size_t)count + 1, sizeof(double));
    x->bound = calloc((size_t)count + 1, sizeof(double));
    return x->got && x->order && x->truth && x->bound;
}

static void drop_answer(answer *x) {
    free(x->got);
    free(x->order);
    free(x->truth);
    free(x->bound);
}

static void drop(arrays *s) {
    spec_matrix_free(&s->a);
    free(s->b);
    free(s->g);
    free(s->chosen);
    free(s->chosen_got);
    drop_answer(&s->c);
    drop_answer(&s->gb);
    drop_answer(&s->gv);
}

/* A few equal numbers, so that there are equal terms. */
static double *stored_numbers(const spec_case *c, int64_t count, uint64_t seed) {
    double *const x = spec_numbers(count, seed);
    for (int64_t i = 0; x && i < count; ++i)
        x[i] = spec_store(c->dtype, i % 3 == 0 ? 0.5 : x[i]);
    return x;
}

static bool make(arrays *s, const spec_case *c) {
    const int64_t count = c->rows * c->n;
    if (!spec_matrix_make(&s->a, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    if (c->seed % 3 == 0) spec_matrix_unique(&s->a);
    for (int64_t k = 0; k < s->a.nnz; ++k)
        s->a.values[k] = spec_store(c->dtype, k % 3 == 1 ? 0.5 : s->a.values[k]);
    s->b = stored_numbers(c, c->cols * c->n, c->seed + 1);
    s->g = stored_numbers(c, count, c->seed + 2);
    s->chosen = calloc((size_t)count + 1, sizeof(double));
    s->chosen_got = calloc((size_t)count + 1, sizeof(double));
    return s->b && s->g && s->chosen && s->chosen_got && make_answer(&s->c, count) &&
           make_answer(&s->gb, c->cols * c->n) && make_answer(&s->gv, s->a.nnz);
}

static int64_t row_length(const spec_matrix *m, int64_t row) {
    return m->offsets[row + 1] - m->offsets[row];
}

static void choose(arrays *s, const spec_case *c, int64_t row, int64_t j) {
    const int64_t at = row * c->n + j;
    double best = 0, largest = 0, exact = 0;
    int64_t place = -1;
    for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k) {
        const double product = s->a.values[k] * s->b[s->a.indices[k] * c->n + j];
        const double term = spec_round(c->dtype, product);
        const bool better = op_of(c) == SPARCL_REDUCE_MAX ? !(term <= best) : !(term >= best);
        if (place < 0 || (!isnan(best) && better)) {
            best = term;
            exact = product;
            place = k;
        }
        if (fabs(term) > largest) largest = fabs(term);
    }
    s->c.order[at] = spec_store(c->dtype, best);
    s->c.truth[at] = exact;
    s->c.bound[at] =
        (spec_unit(c->dtype) * largest + spec_store_error(c->dtype, largest)) * SPEC_SECOND_ORDER +
        spec_smallest(c->dtype);
    s->chosen[at] = (double)place;
}

/* The sums of a mean are not rounded to 16 bits. */
static bool answer_mean(arrays *s, const spec_case *c) {
    spec_case sums = *c;
    if (c->dtype != SPARCL_F64) sums.dtype = SPARCL_F32;
    if (!spec_product(&sums, &s->a, s->b, c->n, s->g, c->n, s->c.order, s->c.truth, s->c.bound))
        return false;
    for (int64_t i = 0; i < s->c.count; ++i) {
        const double count = (double)row_length(&s->a, i / c->n);
        if (count == 0) continue;
        s->c.order[i] = spec_round(c->dtype, s->c.order[i] / count);
        s->c.truth[i] /= count;
        s->c.bound[i] =
            s->c.bound[i] / count + spec_unit(c->dtype) * fabs(s->c.truth[i]) * SPEC_SECOND_ORDER;
        spec_store_answer(c->dtype, &s->c.order[i], s->c.truth[i], &s->c.bound[i]);
    }
    return true;
}

static bool answer_product(arrays *s, const spec_case *c) {
    if (op_of(c) == SPARCL_REDUCE_MEAN) return answer_mean(s, c);
    if (!chooses(c))
        return spec_product(c, &s->a, s->b, c->n, s->g, c->n, s->c.order, s->c.truth, s->c.bound);
    for (int64_t row = 0; row < c->rows; ++row)
        for (int64_t j = 0; j < c->n; ++j)
            choose(s, c, row, j);
    return true;
}

/* A sum of products x[i] * y[i]. */
static void answer_sum(const spec_case *c, const double *x, const double *y, int64_t length,
                       bool one_column, answer *to, int64_t at) {
    double exact = 0, magnitude = 0;
    for (int64_t k = 0; k < length; ++k) {
        exact += x[k] * y[k];
        magnitude += fabs(x[k] * y[k]);
    }
    to->order[at] = spec_store(c->dtype, spec_sum_products(c->dtype, x, y, 1, length, one_column));
    to->truth[at] = exact;
    to->bound[at] = ((spec_depth(length, one_column) + 1) * spec_unit(c->dtype) * magnitude +
                     spec_store_error(c->dtype, exact)) *
                        SPEC_SECOND_ORDER +
                    spec_smallest(c->dtype);
}

/* G as the gradients of a sum read it. */
static void divide_g(arrays *s, const spec_case *c) {
    for (int64_t i = 0; op_of(c) == SPARCL_REDUCE_MEAN && i < c->rows * c->n; ++i) {
        const double count = (double)row_length(&s->a, i / c->n);
        if (count > 0) s->g[i] = spec_round(c->dtype, s->g[i] / count);
    }
}

static void answer_by_values(arrays *s, const spec_case *c, double *x) {
    for (int64_t row = 0; row < c->rows; ++row)
        for (int64_t k = s->a.offsets[row]; k < s->a.offsets[row + 1]; ++k) {
            for (int64_t j = 0; j < c->n; ++j) {
                const int64_t at = row * c->n + j;
                x[j] = chooses(c) && (int64_t)s->chosen[at] != k ? 0 : s->g[at];
            }
            answer_sum(c, x, s->b + s->a.indices[k] * c->n, c->n, true, &s->gv, k);
        }
}

/* `t`: the transpose of A with positions as its values. */
static void answer_by_b(arrays *s, const spec_case *c, const spec_matrix *t, double *x, double *y) {
    for (int64_t row = 0; row < c->cols; ++row)
        for (int64_t j = 0; j < c->n; ++j) {
            const int64_t begin = t->offsets[row], length = t->offsets[row + 1] - begin;
            for (int64_t i = 0; i < length; ++i) {
                const int64_t k = (int64_t)t->values[begin + i];
                const int64_t at = t->indices[begin + i] * c->n + j;
                x[i] = chooses(c) && (int64_t)s->chosen[at] != k ? 0 : s->a.values[k];
                y[i] = s->g[at];
            }
            answer_sum(c, x, y, length, c->n == 1 && !chooses(c), &s->gb, row * c->n + j);
        }
}

static bool answer_gradient(arrays *s, const spec_case *c) {
    const int64_t most = s->a.nnz > c->n ? s->a.nnz : c->n;
    double *const x = calloc((size_t)most + 1, sizeof *x), *const y = calloc((size_t)most + 1, 8);
    spec_matrix positions = s->a, t = {0};
    positions.values = calloc((size_t)s->a.nnz + 1, sizeof(double));
    bool made = x && y && positions.values;
    for (int64_t k = 0; made && k < s->a.nnz; ++k)
        positions.values[k] = (double)k;
    made = made && spec_matrix_transpose(&t, &positions);
    if (made) {
        divide_g(s, c);
        answer_by_values(s, c, x);
        answer_by_b(s, c, &t, x, y);
    }
    spec_matrix_free(&t);
    free(positions.values);
    free(x);
    free(y);
    return made;
}

/* The views of a case. Matrices with n columns have gaps of two elements between their rows. */
typedef struct views {
    sparcl_csr a;
    sparcl_dense b, c, g, chosen, gb, gv;
} views;

static sparcl_status put_dense(sparcl_ctx *ctx, sparcl_dense *view, const double *x) {
    const int64_t n = view->shape[1], ld = n + 2, count = view->shape[0] * ld;
    double *const spaced = spec_numbers(count, 3);
    view->rank = 2;
    view->ld = ld;
    for (int64_t i = 0; spaced && i < view->shape[0]; ++i)
        memcpy(spaced + i * ld, x + i * n, (size_t)n * sizeof *x);
    const sparcl_status status =
        spaced ? spec_put_dense(ctx, view, spaced, count) : SPARCL_E_MEMORY;
    free(spaced);
    return status;
}

static sparcl_status get_dense(sparcl_ctx *ctx, const sparcl_dense *view, double *x) {
    const int64_t n = view->shape[1];
    sparcl_status status = SPARCL_OK;
    for (int64_t i = 0; status == SPARCL_OK && i < view->shape[0]; ++i)
        status = spec_get_reals(ctx, view->values, view->values_at + i * view->ld, n, view->dtype,
                                x + i * n);
    return status;
}

static sparcl_status put_operands(sparcl_ctx *ctx, const spec_case *c, arrays *s, views *v) {
    const sparcl_dtype places = c->seed % 2 ? SPARCL_INT32 : SPARCL_INT64;
    v->b = (sparcl_dense){.dtype = c->dtype, .shape = {c->cols, c->n}};
    v->c = v->g = (sparcl_dense){.dtype = c->dtype, .shape = {c->rows, c->n}};
    v->chosen = (sparcl_dense){.dtype = places, .shape = {c->rows, c->n}};
    v->gb = v->b;
    v->gv = (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {s->a.nnz}};
    sparcl_status status =
        spec_put_csr_within(ctx, &v->a, &s->a, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK) status = put_dense(ctx, &v->b, s->b);
    if (status == SPARCL_OK) status = put_dense(ctx, &v->c, s->c.got);
    if (status == SPARCL_OK) status = put_dense(ctx, &v->g, s->g);
    if (status == SPARCL_OK)
        status = put_dense(ctx, &v->chosen, c->variant >= 4 ? s->chosen : s->chosen_got);
    if (status == SPARCL_OK) status = put_dense(ctx, &v->gb, s->gb.got);
    if (status == SPARCL_OK) status = spec_put_dense(ctx, &v->gv, s->gv.got, s->a.nnz);
    return status;
}

/* A maximum or minimum again, in half of the cases: without the positions other kernels compute it.
 */
static sparcl_status run_without_positions(sparcl_ctx *ctx, const spec_case *c, const views *v) {
    if (!chooses(c) || c->variant >= 4 || c->seed / 8 % 2 == 0) return SPARCL_OK;
    const sparcl_status status = spec_poison(ctx, v->c.values);
    return status == SPARCL_OK ? sparcl_spmm_reduce(ctx, op_of(c), &v->c, &v->a, &v->b, NULL)
                               : status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *s, views *v) {
    const sparcl_dense *const chosen = chooses(c) ? &v->chosen : NULL;
    sparcl_status status = put_operands(ctx, c, s, v);
    if (status == SPARCL_OK)
        status = c->variant < 4 ? sparcl_spmm_reduce(ctx, op_of(c), &v->c, &v->a, &v->b, chosen)
                                : sparcl_spmm_reduce_gradient(ctx, op_of(c), &v->gb, &v->gv, &v->g,
                                                              &v->a, &v->b, chosen, NULL);
    if (status == SPARCL_OK) status = run_without_positions(ctx, c, v);
    if (status == SPARCL_OK) status = get_dense(ctx, &v->c, s->c.got);
    if (status == SPARCL_OK) status = get_dense(ctx, &v->chosen, s->chosen_got);
    if (status == SPARCL_OK) status = get_dense(ctx, &v->gb, s->gb.got);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, v->gv.values, v->gv.values_at, s->a.nnz, c->dtype, s->gv.got);
    sparcl_csr_free(&v->a);
    sparcl_dense *const all[] = {&v->b, &v->c, &v->g, &v->chosen, &v->gb, &v->gv};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        sparcl_dense_free(all[i]);
    return status;
}

static void compare(spec_report *report, const char *what, const answer *x) {
    spec_compare(report, what, x->got, x->order, x->truth, x->bound, x->count);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {0};
    views v = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (!make(&s, c) || !answer_product(&s, c)) goto done;
    status = run(ctx, c, &s, &v);
    if (status == SPARCL_OK && c->variant < 4) {
        compare(report, "C", &s.c);
        if (chooses(c))
            spec_compare(report, "chosen", s.chosen_got, s.chosen, NULL, NULL, s.c.count);
    } else if (status == SPARCL_OK) {
        if (!answer_gradient(&s, c)) status = SPARCL_E_MEMORY;
        compare(report, "gb", &s.gb);
        compare(report, "gv", &s.gv);
    }
done:
    drop(&s);
    return status;
}

const spec_op spec_spmm_reduce = {.name = "spmm_reduce", .get_case = get_case, .check = check};
