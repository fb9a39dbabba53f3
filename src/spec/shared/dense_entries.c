/* dense_entries.c: the entries of a sparse array as the elements of a dense one, in plain C. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"

bool spec_entries_of_matrix(spec_entries *e, const spec_matrix *m, int64_t capacity) {
    const spec_entries like = {.rank = 2, .shape = {m->rows, m->cols}, .capacity = capacity};
    if (!spec_entries_like(e, &like)) return false;
    e->stored = m->nnz;
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k) {
            e->indices[0][k] = r;
            e->indices[1][k] = m->indices[k];
            e->values[k] = m->values[k];
        }
    return true;
}

static int64_t place_of(const spec_entries *e, int64_t k) {
    int64_t place = 0;
    for (int d = 0; d < e->rank; ++d)
        place = place * e->shape[d] + e->indices[d][k];
    return place;
}

bool spec_entries_dense(const spec_entries *e, sparcl_dtype dtype, double *order, double *truth,
                        double *bound, int64_t count) {
    int64_t *const sorted = spec_entries_order(e);
    double *const terms = malloc((size_t)(e->stored + 1) * sizeof *terms);
    const bool ready = sorted && terms;
    memset(order, 0, (size_t)count * sizeof *order);
    if (truth) memset(truth, 0, (size_t)count * sizeof *truth);
    if (bound) memset(bound, 0, (size_t)count * sizeof *bound);
    for (int64_t begin = 0, end = 0; ready && begin < e->stored; begin = end) {
        const int64_t place = place_of(e, sorted[begin]);
        double sum = 0, magnitude = 0;
        for (; end < e->stored && place_of(e, sorted[end]) == place; ++end) {
            terms[end - begin] = e->values[sorted[end]];
            sum += terms[end - begin];
            magnitude += fabs(terms[end - begin]);
        }
        const int64_t length = end - begin;
        order[place] =
            length == 1 ? terms[0] : spec_store(dtype, spec_sum_duplicates(dtype, terms, length));
        if (truth) truth[place] = sum;
        if (bound && length > 1)
            bound[place] = (spec_depth_duplicates(length) * spec_unit(dtype) * magnitude +
                            spec_store_unit(dtype) * fabs(sum)) *
                               SPEC_SECOND_ORDER +
                           (spec_store_unit(dtype) > 0 ? 0x1p-24 : 0);
    }
    free(sorted);
    free(terms);
    return ready;
}

void spec_expand_blocks(spec_matrix *to, const spec_matrix *pattern, const double *blocks,
                        int64_t block_rows, int64_t block_cols) {
    int64_t at = 0;
    to->offsets[0] = 0;
    for (int64_t r = 0; r < to->rows; ++r) {
        const int64_t i = r / block_rows, within = r % block_rows;
        for (int64_t k = pattern->offsets[i]; k < pattern->offsets[i + 1]; ++k)
            for (int64_t j = 0; j < block_cols; ++j, ++at) {
                to->indices[at] = pattern->indices[k] * block_cols + j;
                to->values[at] = blocks[(k * block_rows + within) * block_cols + j];
            }
        to->offsets[r + 1] = at;
    }
}
