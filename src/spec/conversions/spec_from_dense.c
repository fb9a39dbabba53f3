/* spec_from_dense.c: the elements of an array above a threshold, in plain C. Variant 0: dense to
 * CSR; 1: dense to COO of the shape n; 2: dense to row-sparse; 3: row-sparse to CSR; 4: CSR to CSR
 * (prune); 5: CSR to row-sparse; 6: the elements of a dense matrix at a pattern. alpha: the
 * threshold; beta: the part of the entries for which there is capacity. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"
#include "spec/shared/rowset.h"
#include "spec/shared/stored.h"

enum { TO_CSR, TO_COO, TO_ROWS, ROWS_TO_CSR, PRUNE, CSR_TO_ROWS, MASK, VARIANTS };

/* Rows, columns, elements that are not 0 (or rows that are stored). */
static const int64_t sizes[][3] = {
    {0, 0, 0},       {0, 5, 0},       {4, 0, 0},      {1, 1, 1},        {1, 70, 30},
    {9, 4, 20},      {37, 23, 200},   {5, 300, 700},  {300, 2, 400},    {64, 64, 4096},
    {1, 9000, 4000}, {700, 90, 3000}, {3, 9000, 300}, {40000, 8, 9000}, {2, 90000, 3000}};
#define N_SIZES     (int)(sizeof sizes / sizeof sizes[0])
#define SMALL_SIZES 10
#define N_SHAPES    12

static bool get_case(int i, bool small, spec_case *c) {
    static const double thresholds[] = {0, 0.4, 0, -1}, parts[] = {1, 1, 0.5, 1, 0};
    const int number = i / VARIANTS, variant = i % VARIANTS;
    const int n = (small ? SMALL_SIZES : N_SIZES) * 4, size = number % n / 4;
    if (number >= n) return false;
    *c = (spec_case){.kind = (spec_kind)((number + variant) % (int)SPEC_KINDS),
                     .rows = sizes[size][0],
                     .cols = sizes[size][1],
                     .nnz = sizes[size][2],
                     .n = variant == TO_COO ? number % N_SHAPES : 0,
                     .dtype = (sparcl_dtype)((number * 3 + variant) % 7),
                     .offset_type = i % 3 == 1 ? SPARCL_I64 : SPARCL_I32,
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = thresholds[(number + variant) % 4],
                     .beta = parts[(number + 2 * variant) % 5],
                     .seed = (uint64_t)i + 1,
                     .variant = variant};
    if (variant == CSR_TO_ROWS || variant == MASK) c->alpha = -1;
    if (variant == ROWS_TO_CSR && c->nnz > 300) c->nnz /= 10;
    if (variant == ROWS_TO_CSR && c->cols > 900) c->cols = 900; /* as in spec_to_dense.c */
    if (variant == ROWS_TO_CSR && c->alpha < 0) c->alpha = 0;   /* rows that are not stored */
    if (c->dtype <= SPARCL_BF16) return true;
    c->alpha = c->alpha > 0 ? 0 : c->alpha;
    c->kind = SPEC_DIAGONAL; /* integers are not added */
    if (c->nnz > c->rows) c->nnz = c->rows;
    return true;
}

/* The result as entries (row-sparse: one for each element of its rows) and as offsets. */
typedef struct arrays {
    spec_matrix m; /* of variants 4 to 6 */
    spec_rowset rows;
    int rank;
    int64_t shape[SPARCL_MAX_RANK], height, width, capacity, needed, got_needed;
    double *dense; /* [height, width]: what the entries are taken from */
    spec_matrix want, got;
    spec_entries want_entries, got_entries;
    int64_t *want_source, *got_source; /* of prune */
} arrays;

static void drop(arrays *x) {
    spec_matrix_free(&x->m);
    spec_matrix_free(&x->want);
    spec_matrix_free(&x->got);
    spec_rowset_free(&x->rows);
    spec_entries_free(&x->want_entries);
    spec_entries_free(&x->got_entries);
    free(x->dense);
    free(x->want_source);
    free(x->got_source);
}

/* --- inputs ------------------------------------------------------------------------------------
 */

/* As many elements as `nnz`, at random places; a few of them special. */
static bool make_dense(arrays *x, const spec_case *c) {
    static const double special[] = {-0.0, NAN, INFINITY, -INFINITY, 0.4, -0.4};
    uint64_t seed = c->seed;
    const int64_t count = x->height * x->width;
    x->dense = calloc((size_t)count + 1, sizeof *x->dense);
    for (int64_t k = 0; x->dense && count > 0 && k < c->nnz; ++k) {
        double value = spec_uniform(&seed);
        spec_make_storable(c->dtype, &value, 1);
        if (c->dtype <= SPARCL_BF16 && k % 9 == 8) value = spec_store(c->dtype, special[k / 9 % 6]);
        x->dense[spec_random(&seed) % (uint64_t)count] = value;
    }
    return x->dense != NULL;
}

/* The sums of an input's entries. */
static bool sum_entries(arrays *x, const spec_case *c, const spec_entries *e) {
    const int64_t count = x->height * x->width;
    x->dense = calloc((size_t)count + 1, sizeof *x->dense);
    return x->dense && spec_entries_dense(e, c->dtype, x->dense, NULL, NULL, count);
}

static bool make_rows(arrays *x, const spec_case *c) {
    spec_rowset *const s = &x->rows, sums = {0};
    if (!spec_rowset_make(s, c->kind, c->rows, c->nnz, c->cols, c->seed)) return false;
    spec_make_storable(c->dtype, s->values, s->capacity * c->cols);
    for (int64_t i = 0; i < s->capacity * c->cols && c->dtype <= SPARCL_BF16; i += 3)
        s->values[i] = 0;
    x->dense = calloc((size_t)(x->height * x->width) + 1, sizeof *x->dense);
    if (!x->dense || !spec_rowset_sum(&sums, s, c->dtype, NULL, NULL)) return false;
    for (int64_t u = 0; u < sums.stored; ++u)
        for (int64_t j = 0; j < c->cols; ++j)
            x->dense[sums.ids[u] * c->cols + j] =
                spec_store(c->dtype, sums.values[u * c->cols + j]);
    spec_rowset_free(&sums);
    return true;
}

static bool make_matrix(arrays *x, const spec_case *c) {
    spec_entries e = {0};
    if (!spec_matrix_make(&x->m, c->kind, c->rows, c->cols, c->nnz, c->seed)) return false;
    spec_make_storable(c->dtype, x->m.values, x->m.nnz);
    for (int64_t k = 0; k < x->m.nnz && c->variant == PRUNE; k += 4)
        x->m.values[k] = c->dtype <= SPARCL_BF16 && k % 8 ? -0.0 : 0;
    if (c->variant == MASK) return make_dense(x, c);
    const bool done = spec_entries_of_matrix(&e, &x->m, x->m.nnz) && sum_entries(x, c, &e);
    spec_entries_free(&e);
    return done;
}

static bool make_input(arrays *x, const spec_case *c) {
    x->rank = 2;
    x->shape[0] = c->rows;
    x->shape[1] = c->cols;
    if (c->variant == TO_COO && !spec_entries_shape((int)c->n, &x->rank, x->shape)) return false;
    if (c->variant == TO_ROWS) x->rank = spec_shape(x->shape, c->rows, c->cols, c->seed);
    x->height = x->shape[0];
    x->width = sparcl_row_width(x->rank, x->shape);
    return c->variant <= TO_ROWS       ? make_dense(x, c)
           : c->variant == ROWS_TO_CSR ? make_rows(x, c)
                                       : make_matrix(x, c);
}

/* --- expected ----------------------------------------------------------------------------------
 */

static bool is_kept(const spec_case *c, double x) {
    return c->alpha < 0 || isnan(x) || fabs(x) > c->alpha;
}

/* `capacity` entries of those that are wanted. */
static void cut(arrays *x, const spec_case *c, int64_t needed) {
    x->needed = needed;
    x->capacity =
        c->beta == 1 ? needed + (int64_t)c->seed % 3 : (int64_t)(c->beta * (double)needed);
}

static int64_t count_kept(const arrays *x, const spec_case *c) {
    int64_t kept = 0;
    for (int64_t i = 0; i < x->height * x->width; ++i)
        kept += is_kept(c, x->dense[i]);
    return kept;
}

static void add_entry(arrays *x, int64_t row, int64_t column, double value) {
    spec_matrix *const want = &x->want;
    if (want->nnz >= x->capacity) return;
    want->indices[want->nnz] = column;
    want->values[want->nnz++] = value;
    want->offsets[row + 1] = want->nnz;
}

static bool alloc_matrices(arrays *x) {
    if (!spec_matrix_alloc(&x->want, x->height, x->width, x->capacity) ||
        !spec_matrix_alloc(&x->got, x->height, x->width, x->capacity))
        return false;
    x->want.nnz = 0;
    return true;
}

/* Rows that got no entry begin where the last one ended. */
static void finish_offsets(spec_matrix *m) {
    for (int64_t r = 0; r < m->rows; ++r)
        if (m->offsets[r + 1] < m->offsets[r]) m->offsets[r + 1] = m->offsets[r];
}

static bool expect_csr(arrays *x, const spec_case *c) {
    cut(x, c, count_kept(x, c));
    if (!alloc_matrices(x)) return false;
    for (int64_t i = 0; i < x->height; ++i)
        for (int64_t j = 0; j < x->width; ++j)
            if (is_kept(c, x->dense[i * x->width + j]))
                add_entry(x, i, j, x->dense[i * x->width + j]);
    finish_offsets(&x->want);
    return true;
}

static bool expect_prune(arrays *x, const spec_case *c) {
    int64_t needed = 0;
    for (int64_t k = 0; k < x->m.nnz; ++k)
        needed += is_kept(c, x->m.values[k]);
    cut(x, c, needed);
    x->want_source = calloc((size_t)x->capacity + 1, sizeof *x->want_source);
    x->got_source = calloc((size_t)x->capacity + 1, sizeof *x->got_source);
    if (!x->want_source || !x->got_source || !alloc_matrices(x)) return false;
    for (int64_t r = 0; r < x->m.rows; ++r)
        for (int64_t k = x->m.offsets[r]; k < x->m.offsets[r + 1]; ++k) {
            if (!is_kept(c, x->m.values[k])) continue;
            if (x->want.nnz < x->capacity) x->want_source[x->want.nnz] = k;
            add_entry(x, r, x->m.indices[k], x->m.values[k]);
        }
    finish_offsets(&x->want);
    return true;
}

static bool expect_coo(arrays *x, const spec_case *c) {
    cut(x, c, count_kept(x, c));
    const spec_entries like = {.rank = x->rank, .capacity = x->capacity};
    spec_entries *const e = &x->want_entries;
    if (!spec_entries_like(e, &like) || !spec_entries_like(&x->got_entries, &like)) return false;
    memcpy(e->shape, x->shape, sizeof e->shape);
    memcpy(x->got_entries.shape, x->shape, sizeof e->shape);
    for (int64_t i = 0; i < x->height * x->width && e->stored < x->capacity; ++i) {
        if (!is_kept(c, x->dense[i])) continue;
        int64_t place = i;
        for (int d = x->rank - 1; d >= 0; place /= x->shape[d--])
            e->indices[d][e->stored] = place % x->shape[d];
        e->values[e->stored++] = x->dense[i];
    }
    return true;
}

static bool is_stored(const arrays *x, const spec_case *c, int64_t row) {
    if (c->variant == CSR_TO_ROWS) return x->m.offsets[row + 1] > x->m.offsets[row];
    for (int64_t j = 0; j < x->width; ++j)
        if (is_kept(c, x->dense[row * x->width + j])) return true;
    return false;
}

/* The ids are the offsets of a matrix whose values are the rows. */
static bool expect_rows(arrays *x, const spec_case *c) {
    int64_t needed = 0;
    for (int64_t i = 0; i < x->height; ++i)
        needed += is_stored(x, c, i);
    cut(x, c, needed);
    const int64_t values = x->capacity * x->width;
    if (!spec_matrix_alloc(&x->want, x->capacity, 1, values) ||
        !spec_matrix_alloc(&x->got, x->capacity, 1, values))
        return false;
    x->want.rows = x->want.nnz = 0;
    for (int64_t i = 0; i < x->height && x->want.rows < x->capacity; ++i) {
        if (!is_stored(x, c, i)) continue;
        x->want.offsets[x->want.rows++] = i;
        for (int64_t j = 0; j < x->width; ++j)
            x->want.values[x->want.nnz++] = x->dense[i * x->width + j];
    }
    return true;
}

static bool expect_mask(arrays *x) {
    x->capacity = x->m.nnz;
    if (!spec_matrix_alloc(&x->want, x->height, x->width, x->m.nnz) ||
        !spec_matrix_alloc(&x->got, x->height, x->width, x->m.nnz))
        return false;
    for (int64_t r = 0; r < x->m.rows; ++r)
        for (int64_t k = x->m.offsets[r]; k < x->m.offsets[r + 1]; ++k)
            x->want.values[k] = x->dense[r * x->width + x->m.indices[k]];
    return true;
}

static bool expect(arrays *x, const spec_case *c) {
    switch (c->variant) {
    case TO_COO:
        return expect_coo(x, c);
    case PRUNE:
        return expect_prune(x, c);
    case TO_ROWS:
    case CSR_TO_ROWS:
        return expect_rows(x, c);
    case MASK:
        return expect_mask(x);
    default:
        return expect_csr(x, c);
    }
}

/* --- runs --------------------------------------------------------------------------------------
 */

static sparcl_status get_csr(sparcl_ctx *ctx, const sparcl_csr *view, spec_matrix *m) {
    sparcl_status status =
        spec_get_ints(ctx, view->offsets, 0, m->rows + 1, view->offset_type, m->offsets);
    m->nnz = m->offsets[m->rows];
    if (m->nnz < 0 || m->nnz > view->nnz) m->nnz = view->nnz;
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, view->indices, 0, m->nnz, view->index_type, m->indices);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, view->values, 0, m->nnz, view->dtype, m->values);
    return status;
}

/* Device arrays of a case. */
typedef struct device {
    sparcl_dense dense;
    sparcl_csr csr, csr_to;
    sparcl_coo coo_to;
    sparcl_rows rows, rows_to;
    sparcl_buf *needed;
} device;

static sparcl_status put_dense(sparcl_ctx *ctx, const spec_case *c, const arrays *x, device *d) {
    const int64_t gap = c->seed % 2 ? 3 : 0, ld = x->width + gap;
    double *const padded = calloc((size_t)(x->height * ld) + 1, sizeof *padded);
    if (!padded) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < x->height; ++i)
        for (int64_t j = 0; j < ld; ++j)
            padded[i * ld + j] = j < x->width ? x->dense[i * x->width + j] : 7;
    d->dense = (sparcl_dense){.rank = x->rank, .dtype = c->dtype, .ld = gap ? ld : 0};
    memcpy(d->dense.shape, x->shape, sizeof x->shape);
    const sparcl_status status =
        spec_put_reals(ctx, &d->dense.values, padded, x->height * ld, c->dtype);
    free(padded);
    return status;
}

static sparcl_status put_inputs(sparcl_ctx *ctx, const spec_case *c, const arrays *x, device *d) {
    const int64_t none = -1;
    sparcl_status status = spec_put_ints(ctx, &d->needed, &none, 1, SPARCL_I64);
    if (status == SPARCL_OK && (c->variant <= TO_ROWS || c->variant == MASK))
        status = put_dense(ctx, c, x, d);
    if (status == SPARCL_OK && c->variant >= PRUNE)
        status = spec_put_csr_within(ctx, &d->csr, &x->m, c->dtype, c->offset_type, c->index_type);
    if (status == SPARCL_OK && c->variant == ROWS_TO_CSR) {
        spec_case two = *c;
        status = spec_put_rows(ctx, &d->rows, &x->rows, &two);
        d->rows.rank = 2;
        d->rows.shape[0] = c->rows;
        d->rows.shape[1] = c->cols;
    }
    return status;
}

/* Every third case wants no source. */
static sparcl_status run_prune(sparcl_ctx *ctx, const spec_case *c, arrays *x, device *d) {
    sparcl_moved moved = {.needed = d->needed};
    if (c->seed % 3 == 0) {
        const sparcl_status status = sparcl_csr_prune(ctx, &d->csr_to, &d->csr, c->alpha, &moved);
        memcpy(x->got_source, x->want_source, (size_t)x->capacity * sizeof *x->got_source);
        return status;
    }
    sparcl_status status =
        spec_put_ints(ctx, &moved.source, x->got_source, x->capacity, SPARCL_I64);
    if (status == SPARCL_OK) status = sparcl_csr_prune(ctx, &d->csr_to, &d->csr, c->alpha, &moved);
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, moved.source, 0, x->capacity, SPARCL_I64, x->got_source);
    sparcl_buf_free(moved.source);
    return status;
}

static sparcl_status run_csr(sparcl_ctx *ctx, const spec_case *c, arrays *x, device *d) {
    const bool swap = c->variant != PRUNE || c->seed % 2;
    d->csr_to = (sparcl_csr){.rows = c->rows,
                             .cols = c->cols,
                             .nnz = x->capacity,
                             .dtype = c->dtype,
                             .offset_type = swap ? c->index_type : c->offset_type,
                             .index_type = swap ? c->offset_type : c->index_type};
    sparcl_status status = sparcl_csr_create(ctx, &d->csr_to);
    if (status == SPARCL_OK)
        status = c->variant == TO_CSR
                     ? sparcl_dense_to_csr(ctx, &d->csr_to, &d->dense, c->alpha, d->needed, 0)
                 : c->variant == PRUNE
                     ? run_prune(ctx, c, x, d)
                     : sparcl_rows_to_csr(ctx, &d->csr_to, &d->rows, c->alpha, d->needed, 0);
    return status == SPARCL_OK ? get_csr(ctx, &d->csr_to, &x->got) : status;
}

/* An invalid count, written by the host: Oclgrind 21.10 takes one that was filled with 0 for
 * uninitialised, whatever a kernel writes to it later. */
static sparcl_status poison_count(sparcl_ctx *ctx, sparcl_buf *count) {
    const int64_t none = -1;
    return sparcl_buf_write(ctx, count, 0, sizeof none, &none);
}

static sparcl_status run_coo(sparcl_ctx *ctx, const spec_case *c, arrays *x, device *d) {
    d->coo_to = (sparcl_coo){
        .rank = x->rank, .dtype = c->dtype, .index_type = c->index_type, .nnz = x->capacity};
    memcpy(d->coo_to.shape, x->shape, sizeof x->shape);
    sparcl_status status = sparcl_coo_create(ctx, &d->coo_to);
    if (status == SPARCL_OK) status = poison_count(ctx, d->coo_to.count);
    if (status == SPARCL_OK)
        status = sparcl_dense_to_coo(ctx, &d->coo_to, &d->dense, c->alpha, d->needed, 0);
    return status == SPARCL_OK ? spec_get_entries(ctx, &d->coo_to, &x->got_entries) : status;
}

static sparcl_status run_rows(sparcl_ctx *ctx, const spec_case *c, arrays *x, device *d) {
    int64_t stored = 0;
    d->rows_to = (sparcl_rows){
        .rank = x->rank, .dtype = c->dtype, .index_type = c->index_type, .nnr = x->capacity};
    memcpy(d->rows_to.shape, x->shape, sizeof x->shape);
    sparcl_status status = sparcl_rows_create(ctx, &d->rows_to);
    if (status == SPARCL_OK) status = poison_count(ctx, d->rows_to.count);
    if (status == SPARCL_OK)
        status = c->variant == TO_ROWS
                     ? sparcl_dense_to_rows(ctx, &d->rows_to, &d->dense, c->alpha, d->needed, 0)
                     : sparcl_csr_to_rows(ctx, &d->rows_to, &d->csr, d->needed, 0);
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, d->rows_to.count, 0, 8, &stored);
    if (stored < 0 || stored > x->capacity) stored = 0;
    x->got.rows = stored;
    x->got.nnz = stored * x->width;
    if (status == SPARCL_OK)
        status = spec_get_ints(ctx, d->rows_to.indices, 0, stored, c->index_type, x->got.offsets);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, d->rows_to.values, 0, x->got.nnz, c->dtype, x->got.values);
    return status;
}

static sparcl_status run_mask(sparcl_ctx *ctx, const spec_case *c, arrays *x, device *d) {
    sparcl_dense values = {.rank = 1, .dtype = c->dtype, .shape = {x->m.nnz}};
    sparcl_status status = sparcl_dense_create(ctx, &values);
    if (status == SPARCL_OK) status = sparcl_sparse_mask(ctx, &values, &d->dense, &d->csr);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, values.values, 0, x->m.nnz, c->dtype, x->got.values);
    sparcl_dense_free(&values);
    return status;
}

static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *x) {
    device d;
    memset(&d, 0, sizeof d);
    sparcl_status status = put_inputs(ctx, c, x, &d);
    if (status == SPARCL_OK)
        status = c->variant == TO_COO                                 ? run_coo(ctx, c, x, &d)
                 : c->variant == TO_ROWS || c->variant == CSR_TO_ROWS ? run_rows(ctx, c, x, &d)
                 : c->variant == MASK                                 ? run_mask(ctx, c, x, &d)
                                                                      : run_csr(ctx, c, x, &d);
    if (status == SPARCL_OK) status = sparcl_buf_read(ctx, d.needed, 0, 8, &x->got_needed);
    if (c->variant == MASK) x->needed = -1; /* it has none */
    sparcl_dense_free(&d.dense);
    sparcl_csr_free(&d.csr);
    sparcl_csr_free(&d.csr_to);
    sparcl_coo_free(&d.coo_to);
    sparcl_rows_free(&d.rows);
    sparcl_rows_free(&d.rows_to);
    sparcl_buf_free(d.needed);
    return status;
}

static void compare(const spec_case *c, const arrays *x, spec_report *report) {
    const spec_matrix *const want = &x->want, *const got = &x->got;
    spec_compare_ints(report, "needed", &x->got_needed, &x->needed, 1);
    if (c->variant == TO_COO) {
        spec_compare_entries(report, &x->got_entries, &x->want_entries, NULL, NULL);
        return;
    }
    const bool is_rows = c->variant == TO_ROWS || c->variant == CSR_TO_ROWS;
    if (is_rows) spec_compare_ints(report, "count", &got->rows, &want->rows, 1);
    if (!report->equal) return;
    spec_compare_ints(report, is_rows ? "ids" : "offsets", got->offsets, want->offsets,
                      want->rows + !is_rows);
    if (!report->equal) return;
    if (!is_rows) spec_compare_ints(report, "indices", got->indices, want->indices, want->nnz);
    if (c->variant == PRUNE)
        spec_compare_ints(report, "source", x->got_source, x->want_source, want->nnz);
    spec_compare(report, "values", got->values, want->values, NULL, NULL, want->nnz);
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays x;
    memset(&x, 0, sizeof x);
    sparcl_status status = make_input(&x, c) && expect(&x, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report =
        (spec_report){.equal = true,
                      .bytes = (double)sparcl_dtype_size(c->dtype) * (double)(x.height * x.width),
                      .zeros_expected = true};
    if (status == SPARCL_OK) status = run(ctx, c, &x);
    if (status == SPARCL_OK) compare(c, &x, report);
    drop(&x);
    return status;
}

const spec_op spec_from_dense = {.name = "from_dense", .get_case = get_case, .check = check};
