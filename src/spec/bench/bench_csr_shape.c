/* bench_csr_shape.c: timed operations that move the entries of CSR matrices: concatenations,
 * slices, selections, order and shape. f32, and 32-bit indices where they fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"

/* The value of new entries; what entries have to exceed. */
#define FILL      0.5
#define THRESHOLD 0.5

typedef struct operands {
    spec_matrix given, want; /* an operand and the result, on the host */
    sparcl_csr from[2], to;  /* both operands of a concatenation are one matrix */
    int64_t capacity;        /* of `to`; 0: the entries of the result */
    sparcl_list list;        /* of rows or columns */
    int64_t *listed;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_matrix_free(&x->given);
    spec_matrix_free(&x->want);
    sparcl_csr_free(&x->from[0]);
    sparcl_csr_free(&x->to);
    sparcl_list_free(&x->list);
    free(x->listed);
}

/* Make x->given and x->want of a matrix; false when out of memory. */
typedef bool (*maker)(operands *x, const spec_matrix *m);

/* The operands, each once, and the result. */
static sparcl_status open(sparcl_ctx *ctx, spec_bench_call *call, maker make, int count) {
    operands *const x = call->state;
    if (!make(x, call->input->matrix)) return SPARCL_E_MEMORY;
    spec_matrix result = x->want;
    if (x->capacity > 0) result.nnz = x->capacity;
    sparcl_status status = spec_bench_put_csr(ctx, &x->from[0], &x->given);
    if (status == SPARCL_OK) status = spec_bench_put_csr(ctx, &x->to, &result);
    x->from[1] = x->from[0];
    x->to.proof = (sparcl_proof){0};
    sparcl_csr written = x->to;
    written.nnz = x->want.nnz;
    call->bytes = count * spec_bench_csr_bytes(&x->from[0]) + spec_bench_csr_bytes(&written);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_bench_call *call, spec_report *report) {
    const operands *const x = call->state;
    return spec_bench_compare_csr(ctx, &x->to, &x->want, report);
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_bench_poison_csr(ctx, &x->to);
}

/* count: how many operands are read. */
#define BENCH(id, text, about, count, CALL)                                                        \
    SPEC_BENCH_CALLS(id, text, about, 0, open(ctx, call, make_##id, count), CALL)

/* --- two matrices ----------------------------------------------------------------------------- */

/* The matrix twice, the second one some columns later: below the first one. */
static bool stack(operands *x, const spec_matrix *m, int64_t shift) {
    spec_matrix *const to = &x->want;
    if (!spec_bench_copy(&x->given, m) ||
        !spec_matrix_alloc(to, 2 * m->rows, m->cols + shift, 2 * m->nnz))
        return false;
    for (int half = 0; half < 2; ++half) {
        for (int64_t r = 0; r <= m->rows; ++r)
            to->offsets[half * m->rows + r] = half * m->nnz + m->offsets[r];
        for (int64_t k = 0; k < m->nnz; ++k)
            to->indices[half * m->nnz + k] = m->indices[k] + half * shift;
        memcpy(to->values + half * m->nnz, m->values, (size_t)m->nnz * sizeof *m->values);
    }
    return true;
}

static bool make_csr_concat(operands *x, const spec_matrix *m) {
    return stack(x, m, 0);
}

static bool make_csr_block_diagonal(operands *x, const spec_matrix *m) {
    return stack(x, m, m->cols);
}

/* Side by side. */
static bool make_csr_concat_columns(operands *x, const spec_matrix *m) {
    spec_matrix *const to = &x->want;
    int64_t at = 0;
    if (!spec_bench_copy(&x->given, m) || !spec_matrix_alloc(to, m->rows, 2 * m->cols, 2 * m->nnz))
        return false;
    for (int64_t r = 0; r < m->rows; ++r) {
        for (int half = 0; half < 2; ++half)
            for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
                to->indices[at] = m->indices[k] + half * m->cols;
                to->values[at++] = m->values[k];
            }
        to->offsets[r + 1] = at;
    }
    return true;
}

BENCH(csr_concat, "csr-concat", "a matrix twice, one below the other", 2,
      sparcl_csr_concat_rows(ctx, &x->to, x->from, 2, NULL))
BENCH(csr_concat_columns, "csr-concat-columns", "a matrix twice, side by side", 2,
      sparcl_csr_concat_columns(ctx, &x->to, x->from, 2, NULL))
BENCH(csr_block_diagonal, "csr-block-diagonal", "a matrix twice, as blocks on a diagonal", 2,
      sparcl_csr_block_diagonal(ctx, &x->to, x->from, 2, NULL))

/* --- entries that are kept -------------------------------------------------------------------- */

/* A result [rows, cols] of the entries for which `place` gives a column of `to`, not -1. */
static bool keep(operands *x, int64_t cols,
                 int64_t (*place)(const spec_matrix *m, int64_t r, int64_t k)) {
    const spec_matrix *const m = &x->given;
    spec_matrix *const to = &x->want;
    int64_t at = 0;
    if (!spec_matrix_alloc(to, m->rows, cols, m->nnz)) return false;
    for (int64_t r = 0; r < m->rows; ++r) {
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            to->indices[at] = place(m, r, k);
            to->values[at] = m->values[k];
            at += to->indices[at] >= 0;
        }
        to->offsets[r + 1] = at;
    }
    to->nnz = at;
    return true;
}

/* The half of the rows in the middle. */
static bool make_csr_slice_rows(operands *x, const spec_matrix *m) {
    spec_matrix *const to = &x->want;
    const int64_t first = m->rows / 4, begin = m->offsets[first];
    if (!spec_bench_copy(&x->given, m) ||
        !spec_matrix_alloc(to, m->rows - 2 * first, m->cols, m->offsets[m->rows - first] - begin))
        return false;
    for (int64_t r = 0; r <= to->rows; ++r)
        to->offsets[r] = m->offsets[first + r] - begin;
    memcpy(to->indices, m->indices + begin, (size_t)to->nnz * sizeof *to->indices);
    memcpy(to->values, m->values + begin, (size_t)to->nnz * sizeof *to->values);
    return true;
}

/* The half of the columns in the middle. */
static int64_t first_column(const spec_matrix *m) {
    return m->cols / 4;
}

static int64_t place_in_middle(const spec_matrix *m, int64_t r, int64_t k) {
    const int64_t first = first_column(m), column = m->indices[k] - first;
    (void)r;
    return column < m->cols - 2 * first ? column : -1;
}

static int64_t place_below(const spec_matrix *m, int64_t r, int64_t k) {
    return m->indices[k] <= r ? m->indices[k] : -1;
}

static int64_t place_nonzero(const spec_matrix *m, int64_t r, int64_t k) {
    (void)r;
    return m->values[k] != 0 ? m->indices[k] : -1;
}

static int64_t place_large(const spec_matrix *m, int64_t r, int64_t k) {
    (void)r;
    return fabs(m->values[k]) > THRESHOLD ? m->indices[k] : -1;
}

static bool make_csr_prune(operands *x, const spec_matrix *m) {
    return spec_bench_copy(&x->given, m) && keep(x, m->cols, place_large);
}

static bool make_csr_slice_columns(operands *x, const spec_matrix *m) {
    return spec_bench_copy(&x->given, m) && keep(x, m->cols - 2 * first_column(m), place_in_middle);
}

static bool make_csr_triangle(operands *x, const spec_matrix *m) {
    return spec_bench_copy(&x->given, m) && keep(x, m->cols, place_below);
}

/* Every third value is 0. */
static bool make_csr_eliminate_zeros(operands *x, const spec_matrix *m) {
    if (!spec_bench_copy(&x->given, m)) return false;
    for (int64_t k = 0; k < m->nnz; k += 3)
        x->given.values[k] = 0;
    return keep(x, m->cols, place_nonzero);
}

BENCH(csr_slice_rows, "csr-slice-rows", "the middle half of a matrix's rows", 1,
      sparcl_csr_slice_rows(ctx, &x->to, &x->from[0], x->given.rows / 4, NULL))
BENCH(csr_slice_columns, "csr-slice-columns", "the middle half of a matrix's columns", 1,
      sparcl_csr_slice_columns(ctx, &x->to, &x->from[0], first_column(&x->given), NULL))
BENCH(csr_triangle, "csr-triangle", "the entries on and below the diagonal", 1,
      sparcl_csr_triangle(ctx, &x->to, &x->from[0], SPARCL_LOWER, 0, NULL))
BENCH(csr_eliminate_zeros, "csr-eliminate-zeros",
      "the entries that are not 0, of a matrix with every third value 0", 1,
      sparcl_csr_eliminate_zeros(ctx, &x->to, &x->from[0], NULL))

BENCH(csr_prune, "csr-prune", "the entries whose magnitude is above 0.5", 1,
      sparcl_csr_prune(ctx, &x->to, &x->from[0], THRESHOLD, NULL))

/* --- rows and columns of a list --------------------------------------------------------------- */

/* Half as many as there are, scattered; some are there twice (bench/cases.py has the same).
 */
static bool draw_list(operands *x, int64_t size) {
    const int64_t count = (size + 1) / 2;
    x->list = (sparcl_list){.count = count,
                            .limit = size,
                            .index_type = size > INT32_MAX ? SPARCL_I64 : SPARCL_I32,
                            .proof = {.flags = SPARCL_TRUSTED}};
    x->listed = malloc(((size_t)count + 1) * sizeof *x->listed);
    for (int64_t j = 0; x->listed && j < count; ++j)
        x->listed[j] = (int64_t)(((uint64_t)j * 2654435761u & 0xffffffffu) % (uint64_t)size);
    return x->listed;
}

static bool make_csr_take_rows(operands *x, const spec_matrix *m) {
    spec_matrix *const to = &x->want;
    int64_t entries = 0;
    if (!spec_bench_copy(&x->given, m) || !draw_list(x, m->rows)) return false;
    for (int64_t j = 0; j < x->list.count; ++j)
        entries += m->offsets[x->listed[j] + 1] - m->offsets[x->listed[j]];
    if (!spec_matrix_alloc(to, x->list.count, m->cols, entries)) return false;
    for (int64_t j = 0; j < to->rows; ++j) {
        const int64_t begin = m->offsets[x->listed[j]], at = to->offsets[j];
        const size_t length = (size_t)(m->offsets[x->listed[j] + 1] - begin);
        memcpy(to->indices + at, m->indices + begin, length * sizeof *to->indices);
        memcpy(to->values + at, m->values + begin, length * sizeof *to->values);
        to->offsets[j + 1] = at + (int64_t)length;
    }
    return true;
}

static int64_t place_in_even_row(const spec_matrix *m, int64_t r, int64_t k) {
    return r % 2 == 0 ? m->indices[k] : -1;
}

static bool make_csr_retain_rows(operands *x, const spec_matrix *m) {
    if (!spec_bench_copy(&x->given, m) || !draw_list(x, m->rows)) return false;
    for (int64_t j = 0; j < x->list.count; ++j)
        x->listed[j] = 2 * j;
    return keep(x, m->cols, place_in_even_row);
}

/* places[starts[c] .. starts[c + 1] - 1]: where the list has column c. */
static bool find_columns(const operands *x, int64_t cols, int64_t *starts, int64_t *places) {
    int64_t *const next = calloc((size_t)cols + 1, sizeof *next);
    for (int64_t j = 0; j < x->list.count; ++j)
        ++starts[x->listed[j] + 1];
    for (int64_t c = 0; c < cols; ++c)
        starts[c + 1] += starts[c];
    for (int64_t j = 0; next && j < x->list.count; ++j)
        places[starts[x->listed[j]] + next[x->listed[j]]++] = j;
    free(next);
    return next;
}

/* Count the entries of the result, or write them. */
static int64_t take_entries(spec_matrix *to, const spec_matrix *m, const int64_t *starts,
                            const int64_t *places) {
    int64_t at = 0;
    for (int64_t r = 0; r < m->rows; ++r) {
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            for (int64_t p = starts[m->indices[k]]; p < starts[m->indices[k] + 1]; ++p, ++at)
                if (to) {
                    to->indices[at] = places[p];
                    to->values[at] = m->values[k];
                }
        if (to) to->offsets[r + 1] = at;
    }
    return at;
}

static bool make_csr_take_columns(operands *x, const spec_matrix *m) {
    int64_t *const starts = calloc((size_t)m->cols + 2, sizeof *starts);
    int64_t *const places = calloc((size_t)m->cols + 1, sizeof *places);
    bool done = starts && places && spec_bench_copy(&x->given, m) && draw_list(x, m->cols) &&
                find_columns(x, m->cols, starts, places);
    if (done)
        done = spec_matrix_alloc(&x->want, m->rows, x->list.count,
                                 take_entries(NULL, m, starts, places));
    if (done) take_entries(&x->want, m, starts, places);
    free(starts);
    free(places);
    return done;
}

static sparcl_status open_with_list(sparcl_ctx *ctx, spec_bench_call *call, maker make) {
    operands *const x = call->state;
    const sparcl_status status = open(ctx, call, make, 1);
    call->bytes += (double)sparcl_itype_size(x->list.index_type) * (double)x->list.count;
    return status == SPARCL_OK
               ? spec_put_ints(ctx, &x->list.indices, x->listed, x->list.count, x->list.index_type)
               : status;
}

#define BENCH_LIST(id, text, about)                                                                \
    SPEC_BENCH_CALLS(id, text, about, 0, open_with_list(ctx, call, make_##id),                     \
                     sparcl_##id(ctx, &x->to, &x->from[0], &x->list, NULL))

BENCH_LIST(csr_take_rows, "csr-take-rows",
           "rows in a list, half as many as A has, some of them twice")
BENCH_LIST(csr_retain_rows, "csr-retain-rows", "every second row; the others become empty")
BENCH_LIST(csr_take_columns, "csr-take-columns",
           "columns in a list, half as many as A has, some of them twice")

/* --- order and shape -------------------------------------------------------------------------- */

/* A copy without duplicates, with sorted rows. */
static bool copy_canonical(spec_matrix *to, const spec_matrix *m) {
    if (!spec_bench_copy(to, m)) return false;
    spec_matrix_unique(to);
    return true;
}

/* The entries of each row, the last one first. */
static void reverse_rows(spec_matrix *m) {
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r], l = m->offsets[r + 1] - 1; k < l; ++k, --l) {
            const int64_t index = m->indices[k];
            const double value = m->values[k];
            m->indices[k] = m->indices[l];
            m->values[k] = m->values[l];
            m->indices[l] = index;
            m->values[l] = value;
        }
}

static bool make_csr_sort_indices(operands *x, const spec_matrix *m) {
    if (!copy_canonical(&x->want, m) || !spec_bench_copy(&x->given, &x->want)) return false;
    reverse_rows(&x->given);
    return true;
}

/* Columns 2 j + 1 become 2 j: at most two entries of a row are in one column. */
static bool make_csr_sum_duplicates(operands *x, const spec_matrix *m) {
    if (!copy_canonical(&x->given, m)) return false;
    for (int64_t k = 0; k < x->given.nnz; ++k)
        x->given.indices[k] -= x->given.indices[k] % 2;
    if (!spec_bench_copy(&x->want, &x->given)) return false;
    int64_t at = 0, begin = 0;
    for (int64_t r = 0; r < m->rows; ++r) {
        const int64_t first = at, end = x->given.offsets[r + 1];
        for (int64_t k = begin; k < end; ++k) {
            const bool again = at > first && x->want.indices[at - 1] == x->given.indices[k];
            const double before = again ? x->want.values[--at] : 0;
            x->want.indices[at] = x->given.indices[k];
            x->want.values[at++] = spec_round(SPARCL_F32, before + x->given.values[k]);
        }
        x->want.offsets[r + 1] = at;
        begin = end;
    }
    x->want.nnz = at;
    x->capacity = x->given.nnz;
    reverse_rows(&x->given);
    return true;
}

/* Twice as many rows, of half the columns; or columns for rows where they are odd. */
static bool make_csr_reshape(operands *x, const spec_matrix *m) {
    const int64_t cols = m->cols % 2 ? m->rows : m->cols / 2;
    const int64_t rows = m->cols % 2 ? m->cols : 2 * m->rows;
    if (!copy_canonical(&x->given, m) || !spec_matrix_alloc(&x->want, rows, cols, x->given.nnz))
        return false;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = x->given.offsets[r]; k < x->given.offsets[r + 1]; ++k) {
            const int64_t place = r * m->cols + x->given.indices[k];
            x->want.indices[k] = place % cols;
            x->want.values[k] = x->given.values[k];
            ++x->want.offsets[place / cols + 1];
        }
    for (int64_t r = 0; r < rows; ++r)
        x->want.offsets[r + 1] += x->want.offsets[r];
    return true;
}

static bool make_csr_fill_empty_rows(operands *x, const spec_matrix *m) {
    if (!copy_canonical(&x->given, m)) return false;
    spec_bench_empty_rows(&x->given);
    x->capacity = x->given.nnz + m->rows;
    return spec_bench_fill_rows(&x->want, &x->given, FILL);
}

BENCH(csr_fill_empty_rows, "csr-fill-empty-rows",
      "an entry in each empty row of a matrix, every fourth row", 1,
      sparcl_csr_fill_empty_rows(ctx, &x->to, &x->from[0], FILL, NULL))
BENCH(csr_sort_indices, "csr-sort-indices", "sort the entries of each row, which are descending", 1,
      sparcl_csr_sort_indices(ctx, &x->to, &x->from[0], NULL))
BENCH(csr_sum_duplicates, "csr-sum-duplicates", "sort rows, and add the entries of one column", 1,
      sparcl_csr_sum_duplicates(ctx, &x->to, &x->from[0], NULL, 0))
BENCH(csr_reshape, "csr-reshape", "twice as many rows, of half as many columns", 1,
      sparcl_csr_reshape(ctx, &x->to, &x->from[0], NULL))
