/* spec.c: functions that all specs use: the sums of docs/numerics.md, comparison, texts,
 * transfers. */
#include "spec/shared/spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/stored.h"

void spec_case_text(const spec_op *op, const spec_case *c, char *text, size_t size) {
    static const char *const kinds[SPEC_KINDS] = {"uniform",    "ragged",     "one row",
                                                  "one column", "duplicates", "diagonal"};
    static const char *const dtypes[] = {"f32", "f64", "f16", "bf16", "int32", "int64", "bool"};
    snprintf(text, size,
             "%s: %s %" PRId64 "x%" PRId64 ", %" PRId64 " entries, n %" PRId64
             ", %s, offsets i%d, indices i%d, alpha %g, beta %g, variant %d",
             op->name, kinds[c->kind], c->rows, c->cols, c->nnz, c->n, dtypes[c->dtype],
             c->offset_type == SPARCL_INDEX64 ? 64 : 32, c->index_type == SPARCL_INDEX64 ? 64 : 32,
             c->alpha, c->beta, c->variant);
}

double spec_round(sparcl_dtype dtype, double x) {
    return dtype == SPARCL_F64 ? x : (double)(float)x;
}

double spec_unit(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? ldexp(1, -53) : ldexp(1, -24);
}

double spec_smallest(sparcl_dtype dtype) {
    return dtype == SPARCL_F64 ? 0x1p-1074 : 0x1p-149;
}

double spec_depth(int64_t length, bool one_column) {
    const int64_t block = length < SPEC_BLOCK ? length : SPEC_BLOCK;
    const double blocks = ceil((double)length / SPEC_BLOCK);
    return (one_column ? ceil((double)block / 8) + 3 : (double)block) + blocks + 1;
}

double spec_depth_duplicates(int64_t length) {
    const int64_t block = length < SPEC_BLOCK ? length : SPEC_BLOCK;
    return length == 0 ? 0 : (double)block - 1 + ceil((double)length / SPEC_BLOCK) - 1;
}

double spec_depth_scaling(double alpha, double beta) {
    return (alpha != 1) + (beta != 0 ? 1 + (beta != 1) : 0);
}

/*
 * A float sum or product that is computed in double and rounded to float equals the float sum or
 * product: 53 bits are at least 2 * 24 + 2 (Figueroa 1995). So one function is enough for both
 * types.
 */
double spec_sum_products(sparcl_dtype dtype, const double *a, const double *b, int64_t b_step,
                         int64_t length, bool one_column) {
    double total = 0;
    for (int64_t first = 0; first < length; first += SPEC_BLOCK) {
        const int64_t last = first + SPEC_BLOCK < length ? first + SPEC_BLOCK : length;
        double p[8] = {0};
        for (int64_t k = first; k < last; ++k) {
            double *const sum = &p[one_column ? (k - first) % 8 : 0];
            const double product = spec_round(dtype, a[k] * b[k * b_step]);
            *sum = spec_round(dtype, *sum + product);
        }
        for (int half = one_column ? 4 : 0; half > 0; half /= 2)
            for (int i = 0; i < half; ++i)
                p[i] = spec_round(dtype, p[i] + p[i + half]);
        total = spec_round(dtype, total + p[0]);
    }
    return total;
}

double spec_sum_duplicates(sparcl_dtype dtype, const double *x, int64_t length) {
    double total = 0;
    for (int64_t first = 0; first < length; first += SPEC_BLOCK) {
        const int64_t last = first + SPEC_BLOCK < length ? first + SPEC_BLOCK : length;
        double sum = x[first];
        for (int64_t k = first + 1; k < last; ++k)
            sum = spec_round(dtype, sum + x[k]);
        total = first == 0 ? sum : spec_round(dtype, total + sum);
    }
    return total;
}

static bool same_bits(double a, double b) {
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static bool is_mostly_zero(const double *x, int64_t count) {
    int64_t zeros = 0;
    for (int64_t i = 0; i < count; ++i)
        zeros += x[i] == 0;
    return zeros > count / 2;
}

void spec_compare(spec_report *report, const char *what, const double *got, const double *order,
                  const double *truth, const double *bound, int64_t count) {
    if (report->equal && !report->zeros_expected && is_mostly_zero(order, count)) {
        report->equal = false;
        snprintf(report->why, sizeof report->why,
                 "more than half of the expected %s is 0: a bad test case, which proves little",
                 what);
    }
    for (int64_t i = 0; i < count; ++i) {
        if (report->equal && !same_bits(got[i], order[i])) {
            report->equal = false;
            snprintf(report->why, sizeof report->why,
                     "%s[%" PRId64 "] is %.17g (%a), expected %.17g (%a)", what, i, got[i], got[i],
                     order[i], order[i]);
        }
        if (!truth || !isfinite(truth[i])) continue;
        const double error = fabs(got[i] - truth[i]);
        const double ratio = error == 0 ? 0 : bound[i] > 0 ? error / bound[i] : INFINITY;
        if (ratio > report->worst) report->worst = ratio;
        if (ratio > 1 && report->equal) {
            report->equal = false;
            snprintf(report->why, sizeof report->why,
                     "%s[%" PRId64 "] is %.17g, truth %.17g, %g times the bound", what, i, got[i],
                     truth[i], ratio);
        }
    }
}

void spec_compare_ints(spec_report *report, const char *what, const int64_t *got,
                       const int64_t *order, int64_t count) {
    for (int64_t i = 0; i < count && report->equal; ++i) {
        if (got[i] == order[i]) continue;
        report->equal = false;
        snprintf(report->why, sizeof report->why,
                 "%s[%" PRId64 "] is %" PRId64 ", expected %" PRId64, what, i, got[i], order[i]);
    }
}

/* Uploads `count` elements of 4 bytes from memory that it frees; NULL says that there was none. */
static sparcl_status put_words(sparcl_ctx *ctx, sparcl_buf **buf, void *words, int64_t count) {
    const sparcl_status status =
        words ? sparcl_buf_upload(ctx, buf, words, count * 4) : SPARCL_E_MEMORY;
    free(words);
    return status;
}

/* Reads `count` elements of 4 bytes into memory to be freed. */
static void *get_words(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t count,
                       sparcl_status *status) {
    void *words = malloc((size_t)(count + 1) * 4);
    *status = words ? sparcl_buf_read(ctx, buf, at * 4, count * 4, words) : SPARCL_E_MEMORY;
    return words;
}

sparcl_status spec_put_reals(sparcl_ctx *ctx, sparcl_buf **buf, const double *x, int64_t count,
                             sparcl_dtype dtype) {
    const size_t size = sparcl_dtype_size(dtype);
    void *const stored = malloc((size_t)(count + 1) * size);
    if (!stored) return SPARCL_E_MEMORY;
    for (int64_t i = 0; i < count; ++i)
        spec_encode(dtype, stored, i, x[i]);
    const sparcl_status status = sparcl_buf_upload(ctx, buf, stored, count * (int64_t)size);
    free(stored);
    return status;
}

sparcl_status spec_put_ints(sparcl_ctx *ctx, sparcl_buf **buf, const int64_t *x, int64_t count,
                            sparcl_itype itype) {
    if (itype == SPARCL_INDEX64) return sparcl_buf_upload(ctx, buf, x, count * 8);
    int32_t *narrow = malloc((size_t)(count + 1) * sizeof *narrow);
    for (int64_t i = 0; narrow && i < count; ++i)
        narrow[i] = (int32_t)x[i];
    return put_words(ctx, buf, narrow, count);
}

sparcl_status spec_get_reals(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t count,
                             sparcl_dtype dtype, double *x) {
    const int64_t size = (int64_t)sparcl_dtype_size(dtype);
    void *const stored = malloc((size_t)(count + 1) * (size_t)size);
    if (!stored) return SPARCL_E_MEMORY;
    const sparcl_status status = sparcl_buf_read(ctx, buf, at * size, count * size, stored);
    for (int64_t i = 0; status == SPARCL_OK && i < count; ++i)
        x[i] = spec_decode(dtype, stored, i);
    free(stored);
    return status;
}

sparcl_status spec_get_ints(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t at, int64_t count,
                            sparcl_itype itype, int64_t *x) {
    if (itype == SPARCL_INDEX64) return sparcl_buf_read(ctx, buf, at * 8, count * 8, x);
    sparcl_status status;
    int32_t *narrow = get_words(ctx, buf, at, count, &status);
    for (int64_t i = 0; status == SPARCL_OK && i < count; ++i)
        x[i] = narrow[i];
    free(narrow);
    return status;
}

/* The proof of validation, without UNIQUE for unsorted rows, and without any property where offsets
 * are wrong.
 */
static sparcl_proof proof_of(const spec_matrix *m) {
    bool ascends = true, duplicates = false;
    int64_t longest = 0;
    for (int64_t r = 0; r < m->rows; ++r) {
        const int64_t begin = m->offsets[r], end = m->offsets[r + 1];
        if (begin < 0 || end < begin || end > m->nnz)
            return (sparcl_proof){.flags = SPARCL_TRUSTED};
        for (int64_t k = begin + 1; k < end; ++k) {
            ascends = ascends && m->indices[k] >= m->indices[k - 1];
            duplicates = duplicates || m->indices[k] == m->indices[k - 1];
        }
        if (end - begin > longest) longest = end - begin;
    }
    const uint32_t sorted = ascends ? SPARCL_SORTED : 0u;
    const uint32_t unique = ascends && !duplicates ? SPARCL_UNIQUE : 0u;
    return (sparcl_proof){.flags = SPARCL_TRUSTED | sorted | unique,
                          .longest_row = longest <= UINT32_MAX ? (uint32_t)longest : 0};
}

sparcl_status spec_put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m,
                           sparcl_dtype dtype, sparcl_itype offset_type, sparcl_itype index_type) {
    *view = (sparcl_csr){.rows = m->rows,
                         .cols = m->cols,
                         .nnz = m->nnz,
                         .dtype = dtype,
                         .offset_type = offset_type,
                         .index_type = index_type};
    sparcl_status status = spec_put_ints(ctx, &view->offsets, m->offsets, m->rows + 1, offset_type);
    if (status == SPARCL_OK)
        status = spec_put_ints(ctx, &view->indices, m->indices, m->nnz, index_type);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &view->values, m->values, m->nnz, dtype);
    view->proof = proof_of(m);
    return status;
}

/* Move the content of a buffer, `count` elements, behind `before` others, which no correct result
 * depends on. */
static sparcl_status put_behind(sparcl_ctx *ctx, sparcl_buf **buf, int64_t *at, int64_t before,
                                int64_t count, size_t element) {
    const int64_t size = (int64_t)element;
    sparcl_buf *moved = NULL;
    sparcl_status status = sparcl_buf_create(ctx, &moved, (before + count) * size);
    if (status == SPARCL_OK) status = sparcl_buf_fill(ctx, moved, 0, before * size, 0xf9);
    if (status == SPARCL_OK)
        status = sparcl_buf_copy(ctx, moved, before * size, *buf, 0, count * size);
    sparcl_buf_free(status == SPARCL_OK ? *buf : moved);
    if (status != SPARCL_OK) return status;
    *buf = moved;
    *at = before;
    return SPARCL_OK;
}

sparcl_status spec_put_dense(sparcl_ctx *ctx, sparcl_dense *view, const double *x, int64_t count) {
    uint64_t mixed = (uint64_t)count * 31 + (uint64_t)view->shape[0];
    const sparcl_status status = spec_put_reals(ctx, &view->values, x, count, view->dtype);
    view->values_at = 0;
    if (status != SPARCL_OK || spec_random(&mixed) % 2 == 0) return status;
    return put_behind(ctx, &view->values, &view->values_at, 3, count,
                      sparcl_dtype_size(view->dtype));
}

sparcl_status spec_put_csr_within(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m,
                                  sparcl_dtype dtype, sparcl_itype offset_type,
                                  sparcl_itype index_type) {
    uint64_t mixed = (uint64_t)m->rows * 31 + (uint64_t)m->cols * 17 + (uint64_t)m->nnz;
    sparcl_status status = spec_put_csr(ctx, view, m, dtype, offset_type, index_type);
    if (status != SPARCL_OK || spec_random(&mixed) % 2 == 0) return status;
    const size_t offset = sparcl_itype_size(offset_type), index = sparcl_itype_size(index_type);
    status = put_behind(ctx, &view->offsets, &view->offsets_at, 1, m->rows + 1, offset);
    if (status == SPARCL_OK)
        status = put_behind(ctx, &view->indices, &view->indices_at, 3, m->nnz, index);
    if (status == SPARCL_OK)
        status =
            put_behind(ctx, &view->values, &view->values_at, 2, m->nnz, sparcl_dtype_size(dtype));
    return status;
}

sparcl_csc spec_as_csc(const sparcl_csr *view) {
    return (sparcl_csc){.rows = view->cols,
                        .cols = view->rows,
                        .nnz = view->nnz,
                        .offsets_at = view->offsets_at,
                        .indices_at = view->indices_at,
                        .values_at = view->values_at,
                        .dtype = view->dtype,
                        .offset_type = view->offset_type,
                        .index_type = view->index_type,
                        .offsets = view->offsets,
                        .indices = view->indices,
                        .values = view->values,
                        .proof = view->proof};
}

sparcl_status spec_poison(sparcl_ctx *ctx, sparcl_buf *buf) {
    return buf ? sparcl_buf_fill(ctx, buf, 0, sparcl_buf_bytes(buf), 0xff) : SPARCL_OK;
}
