/* acceptance.h: properties of the operations, on matrices of small integers: all results are exact,
 * whatever the order of additions, so they are compared for equality with sums of int64_t. The
 * properties are those that the tests of other libraries assert (SciPy, TensorFlow, PyTorch, MXNet,
 * rocSPARSE); no code is theirs. Each case counts. */
#ifndef TESTS_ACCEPTANCE_H
#define TESTS_ACCEPTANCE_H

#include "acceptance_cases.h"

/* A matrix of integers [rows, cols], row by row. */
typedef struct integers {
    int64_t rows, cols;
    int64_t *x;
} integers;

static inline integers no_integers(int64_t rows, int64_t cols) {
    return (integers){rows, cols, must_have(calloc((size_t)(rows * cols) + 1, sizeof(int64_t)))};
}

/* Integers from -4 to 4; each is 0 but with a probability of `density`. */
static inline integers draw_integers(int64_t rows, int64_t cols, double density, uint64_t seed) {
    integers m = no_integers(rows, cols);
    for (int64_t k = 0; k < rows * cols; ++k) {
        const bool stored = (double)(spec_random(&seed) >> 11) < density * 0x1p53;
        const int64_t x = (int64_t)(spec_random(&seed) % 8) - 4;
        if (stored) m.x[k] = x < 0 ? x : x + 1;
    }
    return m;
}

/* Integers of which some rows are stored: each with a probability of `density`. */
static inline integers draw_rows(int64_t rows, int64_t cols, double density, uint64_t seed) {
    integers m = draw_integers(rows, cols, 0.8, seed);
    for (int64_t i = 0; i < rows; ++i)
        if ((double)(spec_random(&seed) >> 11) >= density * 0x1p53)
            memset(m.x + i * cols, 0, (size_t)cols * sizeof *m.x);
    return m;
}

static inline integers transpose_integers(const integers *m) {
    integers t = no_integers(m->cols, m->rows);
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t j = 0; j < m->cols; ++j)
            t.x[j * m->rows + i] = m->x[i * m->cols + j];
    return t;
}

static inline integers multiply_integers(const integers *a, const integers *b) {
    integers c = no_integers(a->rows, b->cols);
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t k = 0; k < a->cols; ++k)
            for (int64_t j = 0; a->x[i * a->cols + k] != 0 && j < b->cols; ++j)
                c.x[i * b->cols + j] += a->x[i * a->cols + k] * b->x[k * b->cols + j];
    return c;
}

/* Types of values, offsets and indices. */
typedef struct types {
    sparcl_dtype dtype;
    sparcl_itype offsets, indices;
} types;

/* Type k of six: F32 and, where the device has it, F64, with indices of both lengths, also mixed.
 */
static inline types types_at(const sparcl_ctx *ctx, int k) {
    static const types all[] = {
        {SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32}, {SPARCL_F32, SPARCL_INDEX64, SPARCL_INDEX32},
        {SPARCL_F32, SPARCL_INDEX64, SPARCL_INDEX64}, {SPARCL_F64, SPARCL_INDEX32, SPARCL_INDEX32},
        {SPARCL_F64, SPARCL_INDEX32, SPARCL_INDEX64}, {SPARCL_F64, SPARCL_INDEX64, SPARCL_INDEX64}};
    return all[k % (sparcl_ctx_device(ctx)->has_f64 ? 6 : 3)];
}

/* The non-zero elements as entries of a CSR matrix on the host. */
static inline spec_matrix entries_of(const integers *m) {
    spec_matrix a;
    int64_t nnz = 0;
    for (int64_t k = 0; k < m->rows * m->cols; ++k)
        nnz += m->x[k] != 0;
    assert_true(spec_matrix_alloc(&a, m->rows, m->cols, nnz));
    nnz = 0;
    for (int64_t i = 0; i < m->rows; ++i) {
        for (int64_t j = 0; j < m->cols; ++j) {
            if (m->x[i * m->cols + j] == 0) continue;
            a.indices[nnz] = j;
            a.values[nnz++] = (double)m->x[i * m->cols + j];
        }
        a.offsets[i + 1] = nnz;
    }
    return a;
}

static inline sparcl_csr put_csr_of(sparcl_ctx *ctx, const integers *m, types t) {
    sparcl_csr view;
    spec_matrix a = entries_of(m);
    assert_ok(ctx, spec_put_csr(ctx, &view, &a, t.dtype, t.offsets, t.indices));
    spec_matrix_free(&a);
    return view;
}

/* The CSR format of the transpose. */
static inline sparcl_csc put_csc_of(sparcl_ctx *ctx, const integers *m, types t) {
    integers transposed = transpose_integers(m);
    const sparcl_csr a = put_csr_of(ctx, &transposed, t);
    free(transposed.x);
    return (sparcl_csc){.rows = m->rows,
                        .cols = m->cols,
                        .nnz = a.nnz,
                        .dtype = a.dtype,
                        .offset_type = a.offset_type,
                        .index_type = a.index_type,
                        .offsets = a.offsets,
                        .indices = a.indices,
                        .values = a.values,
                        .proof = a.proof};
}

/* In a random order. */
static inline sparcl_coo put_coo_of(sparcl_ctx *ctx, const integers *m, types t, uint64_t seed) {
    spec_matrix a = entries_of(m);
    int64_t *const rows = must_have(calloc((size_t)a.nnz + 1, sizeof *rows));
    sparcl_coo view = {.rank = 2,
                       .dtype = t.dtype,
                       .index_type = t.indices,
                       .shape = {m->rows, m->cols},
                       .nnz = a.nnz};
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = a.offsets[r]; k < a.offsets[r + 1]; ++k)
            rows[k] = r;
    for (int64_t k = a.nnz; k > 1; --k) { /* Fisher and Yates */
        const int64_t other = (int64_t)(spec_random(&seed) % (uint64_t)k), last = k - 1;
        const int64_t row = rows[last], column = a.indices[last];
        const double value = a.values[last];
        rows[last] = rows[other], a.indices[last] = a.indices[other];
        a.values[last] = a.values[other];
        rows[other] = row, a.indices[other] = column, a.values[other] = value;
    }
    view.indices[0] = put_ints(ctx, rows, a.nnz, t.indices);
    view.indices[1] = put_ints(ctx, a.indices, a.nnz, t.indices);
    assert_ok(ctx, spec_put_reals(ctx, &view.values, a.values, a.nnz, t.dtype));
    assert_ok(ctx, sparcl_coo_validate(ctx, &view, SPARCL_VALID));
    spec_matrix_free(&a);
    free(rows);
    return view;
}

/* The rows that are not zero. */
static inline sparcl_rows put_rows_of(sparcl_ctx *ctx, const integers *m, types t) {
    int64_t *const ids = must_have(calloc((size_t)m->rows + 1, sizeof *ids));
    double *const values = must_have(calloc((size_t)(m->rows * m->cols) + 1, sizeof *values));
    sparcl_rows view = {
        .rank = 2, .dtype = t.dtype, .index_type = t.indices, .shape = {m->rows, m->cols}};
    for (int64_t i = 0; i < m->rows; ++i) {
        bool stored = false;
        for (int64_t j = 0; j < m->cols; ++j) {
            stored |= m->x[i * m->cols + j] != 0;
            values[view.nnr * m->cols + j] = (double)m->x[i * m->cols + j];
        }
        if (stored) ids[view.nnr++] = i;
    }
    view.indices = put_ints(ctx, ids, view.nnr, t.indices);
    assert_ok(ctx, spec_put_reals(ctx, &view.values, values, view.nnr * m->cols, t.dtype));
    assert_ok(ctx, sparcl_rows_validate(ctx, &view, SPARCL_SORTED | SPARCL_UNIQUE));
    free(ids);
    free(values);
    return view;
}

/* A dense matrix of either order, with gaps of `gap` elements that hold 77. */
static inline sparcl_dense put_dense_of(sparcl_ctx *ctx, const integers *m, sparcl_dtype dtype,
                                        sparcl_order order, int64_t gap) {
    const bool by_columns = order == SPARCL_COLUMN_MAJOR;
    sparcl_dense view = {.rank = 2, .dtype = dtype, .shape = {m->rows, m->cols}, .order = order};
    view.ld = (by_columns ? m->rows : m->cols) + gap;
    const int64_t count = view.ld * (by_columns ? m->cols : m->rows);
    double *const x = must_have(calloc((size_t)count + 1, sizeof *x));
    for (int64_t k = 0; k < count; ++k)
        x[k] = 77;
    for (int64_t i = 0; i < m->rows; ++i)
        for (int64_t j = 0; j < m->cols; ++j)
            x[by_columns ? j * view.ld + i : i * view.ld + j] = (double)m->x[i * m->cols + j];
    assert_ok(ctx, spec_put_reals(ctx, &view.values, x, count, dtype));
    free(x);
    return view;
}

/* --- what is on the device ------------------------------------------------------------------- */

/* Adds up what entries say; entries of one index are added. */
static inline void add_entry(integers *sum, int64_t i, int64_t j, double x) {
    assert_true(i >= 0 && i < sum->rows && j >= 0 && j < sum->cols);
    sum->x[i * sum->cols + j] += (int64_t)x;
}

static inline void assert_sum_is(integers *sum, const integers *m) {
    assert_int_equal(sum->rows, m->rows);
    assert_int_equal(sum->cols, m->cols);
    for (int64_t k = 0; k < m->rows * m->cols; ++k)
        if (sum->x[k] != m->x[k])
            fail_msg("element (%lld, %lld) of %lld x %lld is %lld, expected %lld",
                     (long long)(k / m->cols), (long long)(k % m->cols), (long long)m->rows,
                     (long long)m->cols, (long long)sum->x[k], (long long)m->x[k]);
    free(sum->x);
    ++acceptance_cases;
}

/* Is the mark true for an entry that follows another one of its row? */
static inline void assert_mark_is_true(uint32_t flags, int64_t before, int64_t index) {
    if (flags & SPARCL_SORTED) assert_true(index >= before);
    if (flags & SPARCL_SORTED && flags & SPARCL_UNIQUE) assert_true(index > before);
}

/* A CSR matrix has these elements (duplicates are added), and its marks are true. */
static inline void assert_csr_is(sparcl_ctx *ctx, const sparcl_csr *a, const integers *m) {
    int64_t *const offsets = must_have(calloc((size_t)a->rows + 1, sizeof *offsets));
    assert_ok(ctx,
              spec_get_ints(ctx, a->offsets, a->offsets_at, a->rows + 1, a->offset_type, offsets));
    const int64_t nnz = offsets[a->rows];
    assert_true(offsets[0] == 0 && nnz <= a->nnz);
    int64_t *const indices = must_have(calloc((size_t)nnz + 1, sizeof *indices));
    double *const values = must_have(calloc((size_t)nnz + 1, sizeof *values));
    assert_ok(ctx, spec_get_ints(ctx, a->indices, a->indices_at, nnz, a->index_type, indices));
    assert_ok(ctx, spec_get_reals(ctx, a->values, a->values_at, nnz, a->dtype, values));
    integers sum = no_integers(a->rows, a->cols);
    for (int64_t i = 0; i < a->rows; ++i)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            add_entry(&sum, i, indices[k], values[k]);
            if (k > offsets[i])
                assert_mark_is_true(sparcl_csr_flags(a), indices[k - 1], indices[k]);
        }
    assert_true(sparcl_csr_flags(a) & SPARCL_VALID);
    assert_sum_is(&sum, m);
    free(offsets);
    free(indices);
    free(values);
}

/* The rows of the transpose are the columns; the marks are those of the view. */
static inline void assert_csc_is(sparcl_ctx *ctx, const sparcl_csc *a, const integers *m) {
    integers transposed = transpose_integers(m);
    const sparcl_csr view = {.rows = a->cols,
                             .cols = a->rows,
                             .nnz = a->nnz,
                             .dtype = a->dtype,
                             .offset_type = a->offset_type,
                             .index_type = a->index_type,
                             .offsets = a->offsets,
                             .indices = a->indices,
                             .values = a->values,
                             .proof = {.flags = SPARCL_TRUSTED | sparcl_csc_flags(a)}};
    assert_csr_is(ctx, &view, &transposed);
    free(transposed.x);
}

/* A COO array of any rank, as the matrix whose rows are its first dimension. */
static inline void assert_coo_is(sparcl_ctx *ctx, const sparcl_coo *a, const integers *m) {
    int64_t nnz = a->nnz, before = -1;
    if (a->count)
        assert_ok(ctx, spec_get_ints(ctx, a->count, a->count_at, 1, SPARCL_INDEX64, &nnz));
    assert_true(nnz >= 0 && nnz <= a->nnz);
    int64_t *const at = must_have(calloc((size_t)nnz + 1, sizeof *at)); /* row-major */
    int64_t *const indices = must_have(calloc((size_t)nnz + 1, sizeof *indices));
    double *const values = must_have(calloc((size_t)nnz + 1, sizeof *values));
    for (int d = 0; d < a->rank; ++d) {
        assert_ok(ctx,
                  spec_get_ints(ctx, a->indices[d], a->indices_at[d], nnz, a->index_type, indices));
        for (int64_t k = 0; k < nnz; ++k)
            at[k] = at[k] * a->shape[d] + indices[k];
    }
    assert_ok(ctx, spec_get_reals(ctx, a->values, a->values_at, nnz, a->dtype, values));
    integers sum = no_integers(a->shape[0], sparcl_row_width(a->rank, a->shape));
    for (int64_t k = 0; k < nnz; before = at[k++]) {
        add_entry(&sum, at[k] / sum.cols, at[k] % sum.cols, values[k]);
        assert_mark_is_true(sparcl_coo_flags(a), before, at[k]);
    }
    assert_true(sparcl_coo_flags(a) & SPARCL_VALID);
    assert_sum_is(&sum, m);
    free(at);
    free(indices);
    free(values);
}

/* A dense matrix has these elements, and its gaps still hold 77. */
static inline void assert_dense_is(sparcl_ctx *ctx, const sparcl_dense *view, const integers *m) {
    const bool by_columns = view->order == SPARCL_COLUMN_MAJOR;
    const int64_t ld = view->ld ? view->ld : m->cols;
    const int64_t length = by_columns ? m->rows : m->cols;
    const int64_t vectors = by_columns ? m->cols : m->rows;
    double *const x = must_have(calloc((size_t)(ld * vectors) + 1, sizeof *x));
    assert_ok(ctx, spec_get_reals(ctx, view->values, 0, ld * vectors, view->dtype, x));
    for (int64_t v = 0; v < vectors; ++v)
        for (int64_t k = 0; k < ld; ++k) {
            const int64_t i = by_columns ? k : v, j = by_columns ? v : k;
            const double expected = k < length ? (double)m->x[i * m->cols + j] : 77;
            if (x[v * ld + k] != expected)
                fail_msg("element (%lld, %lld) of %lld x %lld is %g, expected %g", (long long)i,
                         (long long)j, (long long)m->rows, (long long)m->cols, x[v * ld + k],
                         expected);
        }
    free(x);
    ++acceptance_cases;
}

/* A row-sparse array has these elements; its rows ascend, and rows that are not stored are 0. */
static inline void assert_rows_are(sparcl_ctx *ctx, const sparcl_rows *view, const integers *m) {
    const int64_t n = m->cols, capacity = view->nnr;
    int64_t stored = capacity, *const ids = must_have(calloc((size_t)capacity + 1, sizeof *ids));
    double *const x = must_have(calloc((size_t)(capacity * n) + 1, sizeof *x));
    integers rest = no_integers(m->rows, n);
    if (view->count)
        assert_ok(ctx, spec_get_ints(ctx, view->count, view->count_at, 1, SPARCL_INDEX64, &stored));
    assert_ok(ctx,
              spec_get_ints(ctx, view->indices, view->indices_at, capacity, view->index_type, ids));
    assert_ok(ctx,
              spec_get_reals(ctx, view->values, view->values_at, capacity * n, view->dtype, x));
    for (int64_t k = 0; k < m->rows * n; ++k)
        rest.x[k] = m->x[k];
    for (int64_t u = 0; u < stored; ++u)
        for (int64_t j = 0; j < n; ++j) {
            assert_true(u == 0 || ids[u] > ids[u - 1]);
            if (x[u * n + j] != (double)m->x[ids[u] * n + j])
                fail_msg("element %lld of row %lld is %g, expected %lld", (long long)j,
                         (long long)ids[u], x[u * n + j], (long long)m->x[ids[u] * n + j]);
            rest.x[ids[u] * n + j] = 0;
        }
    for (int64_t k = 0; k < m->rows * n; ++k)
        assert_int_equal(rest.x[k], 0);
    free(ids);
    free(x);
    free(rest.x);
    ++acceptance_cases;
}

#endif
