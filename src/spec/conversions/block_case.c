/* block_case.c: matrices of dense blocks, in cases of conversions. */
#include "spec/conversions/block_case.h"

#include <string.h>

#include "spec/shared/stored.h"

static int64_t up(int64_t x) {
    return (x + SPEC_BLOCK_SIZE - 1) / SPEC_BLOCK_SIZE * SPEC_BLOCK_SIZE;
}

spec_matrix spec_widened(spec_test *t) {
    const spec_matrix m = spec_matrix_of(t, 0, 0);
    spec_matrix to = spec_matrix_room(t, up(m.rows), up(m.cols), m.nnz);
    for (int64_t r = 0; r <= to.rows; ++r)
        to.offsets[r] = m.offsets[r < m.rows ? r : m.rows];
    memcpy(to.indices, m.indices, (size_t)m.nnz * sizeof *m.indices);
    memcpy(to.values, m.values, (size_t)m.nnz * sizeof *m.values);
    spec_matrix_unique(&to);
    return to;
}

/* The columns of blocks of each row of blocks, in b->pattern, which has room for all entries. */
static void find_blocks(spec_blocks *b, const spec_matrix *m) {
    for (int64_t i = 0; i < b->pattern.rows; ++i) {
        const int64_t first = b->pattern.offsets[i];
        int64_t *const cols = b->pattern.indices + first, count = 0;
        for (int64_t k = m->offsets[i * b->block_rows]; k < m->offsets[(i + 1) * b->block_rows];
             ++k)
            cols[count++] = m->indices[k] / b->block_cols;
        b->pattern.offsets[i + 1] = first + spec_distinct_ints(cols, count);
    }
    b->needed = b->pattern.offsets[b->pattern.rows];
}

/* The elements of the blocks in row i of blocks; `places` is where the block of each column is,
 * after a 0 of none. */
static void fill_row(spec_test *t, spec_blocks *b, const spec_entries *e, const int64_t *order,
                     int64_t i, int64_t *places, double *terms, int64_t *at) {
    for (int64_t l = b->pattern.offsets[i]; l < b->pattern.offsets[i + 1]; ++l)
        places[b->pattern.indices[l]] = l + 1;
    for (int64_t end; *at < e->stored && e->indices[0][order[*at]] / b->block_rows == i;
         *at = end) {
        const int64_t row = e->indices[0][order[*at]], column = e->indices[1][order[*at]];
        const int64_t block = places[column / b->block_cols] - 1;
        end = spec_run_end(e, order, *at);
        for (int64_t k = *at; k < end; ++k)
            terms[k - *at] = e->values[order[k]];
        if (block < 0) continue; /* no room */
        b->values[(block * b->block_rows + row % b->block_rows) * b->block_cols +
                  column % b->block_cols] =
            end - *at == 1
                ? terms[0]
                : spec_store(t->c->dtype, spec_sum_duplicates(t->c->dtype, terms, end - *at));
    }
    for (int64_t l = b->pattern.offsets[i]; l < b->pattern.offsets[i + 1]; ++l)
        places[b->pattern.indices[l]] = 0;
}

void spec_blocks_fill(spec_test *t, spec_blocks *b, const spec_matrix *m, double part) {
    spec_entries e = {0};
    b->pattern = spec_matrix_room(t, b->rows / b->block_rows, b->cols / b->block_cols, m->nnz);
    find_blocks(b, m);
    b->pattern.nnz = (int64_t)(part * (double)b->needed);
    for (int64_t i = 0; i <= b->pattern.rows; ++i)
        if (b->pattern.offsets[i] > b->pattern.nnz) b->pattern.offsets[i] = b->pattern.nnz;
    b->values = spec_reals(t, b->pattern.nnz * b->block_rows * b->block_cols);
    spec_own_entries(t, &e, spec_entries_of_matrix(&e, m, m->nnz));
    const int64_t *const order = spec_own(t, spec_entries_order(&e));
    int64_t *const places = spec_int64s(t, b->pattern.cols);
    double *const terms = spec_reals(t, e.stored);
    for (int64_t i = 0, at = 0; i < b->pattern.rows; ++i)
        fill_row(t, b, &e, order, i, places, terms, &at);
}

void spec_blocks_draw(spec_test *t, spec_blocks *b, uint64_t seed) {
    const spec_case *const c = t->c;
    b->pattern = spec_matrix_of(t, c->nnz, c->seed);
    const int64_t count = b->pattern.nnz * b->block_rows * b->block_cols;
    b->values = spec_own(t, spec_numbers(count, seed));
    spec_make_storable(c->dtype, b->values, count);
}

sparcl_bsr spec_blocks_view(spec_test *t, const spec_blocks *b) {
    const sparcl_csr pattern = spec_csr(t, &b->pattern);
    const int64_t count = b->pattern.nnz * b->block_rows * b->block_cols;
    return (sparcl_bsr){.rows = b->rows,
                        .cols = b->cols,
                        .block_rows = b->block_rows,
                        .block_cols = b->block_cols,
                        .nnzb = b->pattern.nnz,
                        .offsets_at = pattern.offsets_at,
                        .indices_at = pattern.indices_at,
                        .dtype = pattern.dtype,
                        .offset_type = pattern.offset_type,
                        .index_type = pattern.index_type,
                        .offsets = pattern.offsets,
                        .indices = pattern.indices,
                        .values = spec_reals_buf(t, b->values, count, pattern.dtype),
                        .proof = pattern.proof};
}

double spec_blocks_bytes(const spec_blocks *b) {
    return (double)(4 * b->block_rows * b->block_cols + 4) * (double)b->pattern.nnz +
           4 * (double)(b->pattern.rows + 1);
}
