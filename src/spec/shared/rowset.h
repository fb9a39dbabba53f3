/* rowset.h: row-sparse arrays of the specs, on the host and on the device. */
#ifndef SPC_SPEC_ROWSET_H
#define SPC_SPEC_ROWSET_H

#include "spec/shared/spec.h"

/* Rows `ids` of an array with `limit` rows, `width` elements each. */
typedef struct spec_rowset {
    int64_t limit, width;
    int64_t stored, capacity; /* the capacity of the view may exceed the count on the device */
    int64_t *ids;
    double *values;
} spec_rowset;

/*
 * nnr rows. UNIFORM and RAGGED: any ids; ONE_ROW: one id; ONE_COL: two ids alternately; DUPLICATE:
 * most rows have one id; DIAGONAL: sorted and unique (so at most `limit` rows). Ids after the
 * stored rows are out of range.
 */
bool spec_rowset_make(spec_rowset *s, spec_kind kind, int64_t limit, int64_t nnr, int64_t width,
                      uint64_t seed);
void spec_rowset_free(spec_rowset *s);

/* The distinct ids, ascending, each with its sum by rule R; where not NULL, truth and bound are
 * arrays [stored, width] for the sums in double and the bound of their error. */
bool spec_rowset_sum(spec_rowset *to, const spec_rowset *from, sparcl_dtype dtype, double *truth,
                     double *bound);

/* Rank 1 for a width of 1 and an odd seed, else rank 2 to 4 with that row width. */
int spec_shape(int64_t shape[SPARCL_MAX_RANK], int64_t rows, int64_t width, uint64_t seed);

/* A trusted view with its own buffers, DIAGONAL also marked SORTED and UNIQUE; with a count on the
 * device where the capacity is larger than the number of rows. */
sparcl_status spec_put_rows(sparcl_ctx *ctx, sparcl_rows *view, const spec_rowset *s,
                            const spec_case *c);

#endif
