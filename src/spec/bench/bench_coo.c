/* bench_coo.c: timed operations on the order and shape of COO matrices: a slice, a concatenation, a
 * transpose, another shape, and entries for empty rows. f32, and 32-bit indices where they fit. */
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/entries.h"

/* The value of new entries. */
#define FILL 0.5

/* Given entries are sorted; `want` has the room that the operation needs. */
typedef struct operands {
    spec_matrix given_rows, want_rows;
    spec_entries given, want;
    sparcl_coo from[2], to; /* both operands of a concatenation are one matrix */
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_matrix_free(&x->given_rows);
    spec_matrix_free(&x->want_rows);
    spec_entries_free(&x->given);
    spec_entries_free(&x->want);
    sparcl_coo_free(&x->from[0]);
    sparcl_coo_free(&x->to);
}

/* Make the given matrix and the result of A; false when out of memory. */
typedef bool (*maker)(operands *x);

/* more: entries that the result needs room for and does not have. */
static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call, maker make, int64_t more) {
    operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    const bool wide = 2 * m->rows > INT32_MAX || m->cols > INT32_MAX;
    const spec_case types = {.dtype = SPARCL_F32, .index_type = wide ? SPARCL_I64 : SPARCL_I32};
    if (!spec_bench_copy(&x->given_rows, m)) return SPARCL_E_MEMORY;
    spec_matrix_unique(&x->given_rows);
    if (!make(x) || !spec_entries_of_matrix(&x->given, &x->given_rows, x->given_rows.nnz) ||
        !spec_entries_of_matrix(&x->want, &x->want_rows, x->want_rows.nnz + more))
        return SPARCL_E_MEMORY;
    sparcl_status status = spec_put_entries(ctx, &x->from[0], &x->given, &types, 0, true);
    if (status == SPARCL_OK) status = spec_put_entries(ctx, &x->to, &x->want, &types, 0, true);
    x->from[1] = x->from[0];
    x->to.proof = (sparcl_proof){0};
    call->bytes = (4 + 2 * (double)sparcl_itype_size(types.index_type)) *
                  (double)(x->given.stored + x->want.stored);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    spec_entries got = {0};
    *report = (spec_report){.equal = true, .zeros_expected = true};
    sparcl_status status =
        spec_entries_like(&got, &x->want) ? spec_get_entries(ctx, &x->to, &got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare_entries(report, &got, &x->want, NULL, NULL);
    spec_entries_free(&got);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_bench_poison_coo(ctx, &x->to);
}

/* --- answers ---------------------------------------------------------------------------------- */

void spec_bench_empty_rows(spec_matrix *m) {
    int64_t at = 0, begin = 0;
    for (int64_t r = 0; r < m->rows; ++r) {
        const int64_t end = m->offsets[r + 1];
        for (int64_t k = begin; k < end && r % 4 != 0; ++k, ++at) {
            m->indices[at] = m->indices[k];
            m->values[at] = m->values[k];
        }
        m->offsets[r + 1] = at;
        begin = end;
    }
    m->nnz = at;
}

bool spec_bench_fill_rows(spec_matrix *to, const spec_matrix *m, double value) {
    int64_t at = 0;
    if (!spec_matrix_alloc(to, m->rows, m->cols, m->nnz + m->rows)) return false;
    for (int64_t r = 0; r < m->rows; ++r) {
        const int64_t begin = m->offsets[r], end = m->offsets[r + 1];
        for (int64_t k = begin; k < end || (k == begin && begin == end); ++k, ++at) {
            to->indices[at] = begin < end ? m->indices[k] : 0;
            to->values[at] = begin < end ? m->values[k] : value;
        }
        to->offsets[r + 1] = at;
    }
    to->nnz = at;
    return true;
}

/* The middle half of the rows and of the columns. */
static bool make_coo_slice(operands *x) {
    const spec_matrix *const m = &x->given_rows;
    spec_matrix *const to = &x->want_rows;
    const int64_t row = m->rows / 4, column = m->cols / 4;
    if (!spec_matrix_alloc(to, m->rows - 2 * row, m->cols - 2 * column, m->nnz)) return false;
    int64_t at = 0;
    for (int64_t r = 0; r < to->rows; ++r) {
        for (int64_t k = m->offsets[row + r]; k < m->offsets[row + r + 1]; ++k) {
            to->indices[at] = m->indices[k] - column;
            to->values[at] = m->values[k];
            at += to->indices[at] >= 0 && to->indices[at] < to->cols;
        }
        to->offsets[r + 1] = at;
    }
    to->nnz = at;
    return true;
}

/* The matrix twice. */
static bool make_coo_concat(operands *x) {
    const spec_matrix *const m = &x->given_rows;
    spec_matrix *const to = &x->want_rows;
    if (!spec_matrix_alloc(to, 2 * m->rows, m->cols, 2 * m->nnz)) return false;
    for (int half = 0; half < 2; ++half) {
        memcpy(to->indices + half * m->nnz, m->indices, (size_t)m->nnz * sizeof *m->indices);
        memcpy(to->values + half * m->nnz, m->values, (size_t)m->nnz * sizeof *m->values);
        for (int64_t r = 0; r <= m->rows; ++r)
            to->offsets[half * m->rows + r] = half * m->nnz + m->offsets[r];
    }
    return true;
}

static bool make_coo_permute(operands *x) {
    return spec_matrix_transpose(&x->want_rows, &x->given_rows);
}

/* As many rows as there were columns. Positions in row-major order, and so the order, stay. */
static bool make_coo_reshape(operands *x) {
    const spec_matrix *const m = &x->given_rows;
    spec_matrix *const to = &x->want_rows;
    const int64_t cols = m->cols % 2 ? m->rows : m->cols / 2;
    const int64_t rows = m->cols % 2 ? m->cols : 2 * m->rows;
    if (!spec_matrix_alloc(to, rows, cols, m->nnz)) return false;
    memcpy(to->values, m->values, (size_t)m->nnz * sizeof *m->values);
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            const int64_t place = r * m->cols + m->indices[k];
            to->indices[k] = place % cols;
            ++to->offsets[place / cols + 1];
        }
    for (int64_t r = 0; r < to->rows; ++r)
        to->offsets[r + 1] += to->offsets[r];
    return true;
}

static bool make_coo_fill_empty_rows(operands *x) {
    spec_bench_empty_rows(&x->given_rows);
    return spec_bench_fill_rows(&x->want_rows, &x->given_rows, FILL);
}

/* --- calls ------------------------------------------------------------------------------------ */

static sparcl_status slice(sparcl_ctx *ctx, operands *x) {
    const int64_t start[] = {x->given.shape[0] / 4, x->given.shape[1] / 4};
    return sparcl_coo_slice(ctx, &x->to, &x->from[0], start, NULL);
}

static sparcl_status permute(sparcl_ctx *ctx, operands *x) {
    static const int axes[] = {1, 0};
    return sparcl_coo_permute(ctx, &x->to, &x->from[0], axes, NULL);
}

SPEC_BENCH_CALLS(coo_slice, "coo-slice", "the middle half of the rows and columns of COO entries",
                 0, open(ctx, call, make_coo_slice, 0), slice(ctx, x))
SPEC_BENCH_CALLS(coo_concat, "coo-concat", "COO entries twice, one below the other", 0,
                 open(ctx, call, make_coo_concat, 0),
                 sparcl_coo_concat(ctx, &x->to, x->from, 2, 0, NULL))
SPEC_BENCH_CALLS(coo_permute, "coo-permute", "the transpose of COO entries, sorted", 0,
                 open(ctx, call, make_coo_permute, 0), permute(ctx, x))
SPEC_BENCH_CALLS(coo_reshape, "coo-reshape",
                 "COO entries in a shape of twice as many rows, of half as many columns", 0,
                 open(ctx, call, make_coo_reshape, 0), sparcl_coo_reshape(ctx, &x->to, &x->from[0]))
SPEC_BENCH_CALLS(coo_fill_empty_rows, "coo-fill-empty-rows",
                 "an entry in each empty row of COO entries, every fourth row", 0,
                 open(ctx, call, make_coo_fill_empty_rows, call->input->matrix->rows),
                 sparcl_coo_fill_empty_rows(ctx, &x->to, &x->from[0], FILL, NULL))
