/* spec_input.c: random matrices and numbers for the specs. */
#include <stdlib.h>
#include <string.h>

#include "spec/shared/spec.h"

uint64_t spec_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double spec_uniform(uint64_t *state) {
    return (double)((int64_t)(spec_random(state) >> 40) - (1 << 23)) / (1 << 23);
}

double *spec_numbers(int64_t count, uint64_t seed) {
    double *x = malloc((size_t)(count + 1) * sizeof *x);
    for (int64_t i = 0; x && i < count; ++i)
        x[i] = spec_uniform(&seed);
    return x;
}

double *spec_stored_numbers(sparcl_dtype dtype, int64_t count, uint64_t seed) {
    double *const x = spec_numbers(count, seed);
    for (int64_t i = 0; x && i < count; ++i)
        x[i] = spec_store(dtype, x[i]);
    return x;
}

bool spec_matrix_alloc(spec_matrix *m, int64_t rows, int64_t cols, int64_t nnz) {
    *m = (spec_matrix){.rows = rows, .cols = cols, .nnz = nnz};
    m->offsets = calloc((size_t)rows + 1, sizeof *m->offsets);
    m->indices = calloc((size_t)nnz + 1, sizeof *m->indices);
    m->values = calloc((size_t)nnz + 1, sizeof *m->values);
    if (m->offsets && m->indices && m->values) return true;
    spec_matrix_free(m);
    return false;
}

void spec_matrix_free(spec_matrix *m) {
    free(m->offsets);
    free(m->indices);
    free(m->values);
    memset(m, 0, sizeof *m);
}

static int compare_ints(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void spec_sort_ints(int64_t *x, int64_t count) {
    qsort(x, (size_t)count, sizeof *x, compare_ints);
}

int64_t spec_distinct_ints(int64_t *x, int64_t count) {
    int64_t found = 0;
    spec_sort_ints(x, count);
    for (int64_t k = 0; k < count; ++k)
        if (k == 0 || x[k] != x[found - 1]) x[found++] = x[k];
    return found;
}

/* Distribute the entries over the rows, and compute the offsets. */
static void distribute_entries(spec_matrix *m, spec_kind kind, uint64_t *seed) {
    for (int64_t k = 0; k < m->nnz; ++k) {
        int64_t row = (int64_t)(spec_random(seed) % (uint64_t)m->rows);
        if (kind == SPEC_ONE_ROW) row = m->rows / 2;
        if (kind == SPEC_DIAGONAL) row = k % m->rows;
        /* every other row is empty, and the first third of the rows gets most entries */
        if (kind == SPEC_RAGGED) row = (spec_random(seed) % 4 ? row / 3 : row) / 2 * 2;
        ++m->offsets[row + 1];
    }
    for (int64_t r = 0; r < m->rows; ++r)
        m->offsets[r + 1] += m->offsets[r];
}

bool spec_matrix_make(spec_matrix *m, spec_kind kind, int64_t rows, int64_t cols, int64_t nnz,
                      uint64_t seed) {
    if (rows == 0 || cols == 0) nnz = 0;
    if (!spec_matrix_alloc(m, rows, cols, nnz)) return false;
    if (rows > 0) distribute_entries(m, kind, &seed);
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t begin = m->offsets[r], end = m->offsets[r + 1];
        for (int64_t k = begin; k < end; ++k) {
            m->indices[k] = (int64_t)(spec_random(&seed) % (uint64_t)cols);
            if (kind == SPEC_ONE_COL) m->indices[k] = cols - 1;
            if (kind == SPEC_DIAGONAL) m->indices[k] = r % cols;
            m->values[k] = spec_uniform(&seed);
        }
        if (kind != SPEC_DUPLICATE) spec_sort_ints(m->indices + begin, end - begin);
    }
    return true;
}

void spec_matrix_unique(spec_matrix *m) {
    int64_t to = 0, begin = 0;
    for (int64_t row = 0; row < m->rows; ++row) {
        const int64_t end = m->offsets[row + 1], first = to;
        spec_sort_ints(m->indices + begin, end - begin);
        for (int64_t k = begin; k < end; ++k) {
            if (to > first && m->indices[to - 1] == m->indices[k]) continue;
            m->indices[to] = m->indices[k];
            m->values[to++] = m->values[k];
        }
        m->offsets[row + 1] = to;
        begin = end;
    }
    m->nnz = to;
}

bool spec_matrix_transpose(spec_matrix *to, const spec_matrix *from) {
    if (!spec_matrix_alloc(to, from->cols, from->rows, from->nnz)) return false;
    int64_t *next = calloc((size_t)from->cols + 1, sizeof *next);
    if (!next) {
        spec_matrix_free(to);
        return false;
    }
    for (int64_t k = 0; k < from->nnz; ++k)
        ++to->offsets[from->indices[k] + 1];
    for (int64_t c = 0; c < from->cols; ++c)
        to->offsets[c + 1] += to->offsets[c];
    memcpy(next, to->offsets, (size_t)from->cols * sizeof *next);
    for (int64_t r = 0; r < from->rows; ++r)
        for (int64_t k = from->offsets[r]; k < from->offsets[r + 1]; ++k) {
            const int64_t place = next[from->indices[k]]++;
            to->indices[place] = r;
            to->values[place] = from->values[k];
        }
    free(next);
    return true;
}
