/* plan_inspect.c: the facts about a matrix that the cost model needs, counted on the host. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparcl/plan.h"

static int descending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* Count a run of rows or columns without entries, if it is long enough. */
static void add_run(sparcl_plan_distribution *s, int64_t count) {
    if (count >= SPARCL_PLAN_RUN) s->empty_in_runs += count;
}

/* Remove counts of 0, and record the number of the others and the runs of zeros. */
static void compact(sparcl_plan_distribution *s, int64_t *counts, int64_t all) {
    int64_t run = 0;
    for (int64_t i = 0; i < all; ++i) {
        if (counts[i] == 0) {
            ++run;
            continue;
        }
        add_run(s, run);
        run = 0;
        counts[s->used++] = counts[i];
    }
    add_run(s, run);
}

/* From the number of entries of each used column or row. */
static void find_fractions(sparcl_plan_distribution *s, int64_t *counts, int64_t nnz) {
    int64_t sum = 0, next = 1, i = 0;
    qsort(counts, (size_t)s->used, sizeof *counts, descending);
    for (int k = 0; k < SPARCL_PLAN_FRACTIONS; ++k, next *= 4) {
        for (; i < s->used && i < next; ++i)
            sum += counts[i];
        s->fraction[k] = nnz > 0 ? (double)sum / (double)nnz : 0;
    }
}

static sparcl_status check_rows(int64_t rows, const int64_t *offsets, sparcl_error *error) {
    for (int64_t r = 0; r < rows; ++r)
        if ((r == 0 && offsets[0] != 0) || offsets[r + 1] < offsets[r])
            return spc_fail(error, SPARCL_E_ARG,
                            "plan: offsets of row %lld are %lld to %lld, expected to ascend from 0",
                            (long long)r, (long long)offsets[r], (long long)offsets[r + 1]);
    return SPARCL_OK;
}

static int64_t index_at(const void *indices, sparcl_itype type, int64_t k) {
    return type == SPARCL_INDEX64 ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k];
}

static sparcl_status check_indices(const sparcl_plan_case *a, const void *indices,
                                   sparcl_itype type, sparcl_error *error) {
    for (int64_t k = 0; k < a->nnz; ++k) {
        const int64_t j = index_at(indices, type, k);
        if (j < 0 || j >= a->cols)
            return spc_fail(error, SPARCL_E_ARG,
                            "plan: index %lld of entry %lld, expected 0 or more and less than %lld",
                            (long long)j, (long long)k, (long long)a->cols);
    }
    return SPARCL_OK;
}

/* For that many columns, sorting the entries costs less than a counter per column. */
static bool is_wide(const sparcl_plan_case *a) {
    return a->cols > 8 * a->nnz;
}

/* The number of entries of each used column. `counts` has space for all columns or, for a wide
 * matrix, for all entries. */
static void count_columns(sparcl_plan_distribution *s, int64_t *counts, const sparcl_plan_case *a,
                          const void *indices, sparcl_itype type) {
    if (!is_wide(a)) {
        for (int64_t k = 0; k < a->nnz; ++k)
            ++counts[index_at(indices, type, k)];
        compact(s, counts, a->cols);
        return;
    }
    for (int64_t k = 0; k < a->nnz; ++k)
        counts[k] = index_at(indices, type, k);
    qsort(counts, (size_t)a->nnz, sizeof *counts, descending);
    int64_t before = a->cols;
    for (int64_t k = 0, end = 0; k < a->nnz; k = end) {
        const int64_t column = counts[k];
        while (end < a->nnz && counts[end] == column)
            ++end;
        add_run(s, before - column - 1);
        before = column;
        counts[s->used++] = end - k; /* at or before k, so no later column is overwritten */
    }
    add_run(s, before);
}

sparcl_status sparcl_plan_inspect(sparcl_plan_case *a, int64_t rows, int64_t cols,
                                  const int64_t *offsets, const void *indices, sparcl_itype type,
                                  const sparcl_allocator *allocator, sparcl_error *error) {
    static const sparcl_allocator plain = {0};
    if (!allocator) allocator = &plain;
    if (!a || !offsets || rows < 0 || cols < 0)
        return spc_fail(error, SPARCL_E_ARG,
                        "plan: the case or offsets are NULL, or a size is < 0");
    SPC_TRY(check_rows(rows, offsets, error));
    if (offsets[rows] > 0 && !indices)
        return spc_fail(error, SPARCL_E_ARG, "plan: indices are NULL");
    a->rows = rows;
    a->cols = cols;
    a->nnz = offsets[rows];
    SPC_TRY(check_indices(a, indices, type, error));
    const int64_t maximum = is_wide(a) ? a->nnz : cols;
    const size_t capacity = (size_t)(rows > maximum ? rows : maximum) + 1;
    int64_t *counts = spc_alloc_zero(allocator, capacity, sizeof *counts);
    if (!counts) return spc_fail_memory(error, "plan", capacity * sizeof *counts);
    a->cols_distribution = a->rows_distribution = (sparcl_plan_distribution){0};
    count_columns(&a->cols_distribution, counts, a, indices, type);
    find_fractions(&a->cols_distribution, counts, a->nnz);
    for (int64_t r = 0; r < rows; ++r)
        counts[r] = offsets[r + 1] - offsets[r];
    compact(&a->rows_distribution, counts, rows);
    find_fractions(&a->rows_distribution, counts, a->nnz);
    spc_free(allocator, counts, capacity * sizeof *counts);
    return SPARCL_OK;
}
