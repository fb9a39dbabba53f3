/* bag_case.h: a case of bags of rows of a table: its arrays, on the host and on the device. */
#ifndef SPC_SPEC_BAG_CASE_H
#define SPC_SPEC_BAG_CASE_H

#include "spec/shared/harness_sparse.h"

/* What the variant of a case says: mode + 4 with weights + 8 * bounds + 24 with a padding index +
 * 48 * offsets: with the last one, without it, none. */
#define SPEC_BAG_VARIANTS 144

typedef struct spec_bag_settings {
    sparcl_bag_mode mode;
    bool weights, padding;
    sparcl_bounds bounds;
    int offsets; /* 0: bags + 1; 1: bags; 2: none */
} spec_bag_settings;

/* The calls; a measurement makes one of them. */
enum {
    SPEC_BAG_RESULT,
    SPEC_BAG_WEIGHTS, /* the gradient of the weights, */
    SPEC_BAG_MATRIX,
    SPEC_BAG_TABLE,  /* that of the table, */
    SPEC_BAG_SCALED, /* and the same scaled by frequency */
    SPEC_BAG_LOOKUP,
    SPEC_BAG_RENORM, /* the last one: the table changes */
    SPEC_BAG_CALLS
};

typedef struct spec_bag_case {
    spec_case c; /* its sizes are those of the matrix */
    spec_bag_settings settings;
    bool has_call[SPEC_BAG_CALLS], is_measured;
    double max_norm, norm_type;
    /* On the host. `kept` is the matrix of the entries that count; `source` their positions in the
     * list. */
    spec_matrix all, kept;
    int64_t *ids, *source, *positions;
    int64_t bad, padding_index;
    double *weights, *table, *g, *divisors;
    spec_answer result; /* of the bags */
    /* On the device. */
    sparcl_bags bags;
    sparcl_dense table_view, g_view, y, looked_up, positions_view, gw;
    sparcl_csr matrix;
    sparcl_rows rows, scaled;
    sparcl_buf *bad_buf, *source_buf; /* bad_buf: NULL where it is not counted */
} spec_bag_case;

/* The arrays of a case, without answers; and its views. */
void spec_bag_make(spec_test *t, spec_bag_case *x);
void spec_bag_put(spec_test *t, spec_bag_case *x);
/* The row of an entry; -1: it is left out. */
int64_t spec_bag_row(const spec_bag_case *x, int64_t id);

#endif
