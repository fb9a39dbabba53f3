/* bag_case.h: a case of bags of rows of a table: its arrays, on the host and on the device. */
#ifndef SPC_SPEC_BAG_CASE_H
#define SPC_SPEC_BAG_CASE_H

#include "spec/shared/rowset.h"

/* What the variant of a case says: mode + 4 with weights + 8 * bounds + 24 with a padding index +
 * 48 * offsets: with the last one, without it, none. */
#define SPEC_BAG_VARIANTS 144

typedef struct spec_bag_settings {
    sparcl_bag_mode mode;
    bool weights, padding;
    sparcl_bounds bounds;
    int offsets; /* 0: bags + 1; 1: bags; 2: none */
} spec_bag_settings;

spec_bag_settings spec_bag_settings_of(const spec_case *c);

/* What a case has on the host. `kept` is the matrix of the entries that count; `source` their
 * positions in the list. */
typedef struct spec_bag_arrays {
    spec_matrix all, kept;
    int64_t *ids, *source, *positions, *got_positions;
    int64_t bad, padding_index;
    double *weights, *table, *g, *divisors;
    double *got, *order, *truth, *bound; /* of one result after the other */
} spec_bag_arrays;

/* The arrays of a case, whose sizes become those of the matrix; without answers. False when out of
 * memory. */
bool spec_bag_make(spec_bag_arrays *x, spec_case *c);
void spec_bag_drop(spec_bag_arrays *x);
/* The row of an entry; -1: it is left out. */
int64_t spec_bag_row(const spec_case *c, const spec_bag_arrays *x, int64_t id);

/* The views of a case. */
typedef struct spec_bag_views {
    sparcl_bags bags;
    sparcl_dense table, g, y, positions, gw;
    sparcl_csr matrix;
    sparcl_rows rows;
    sparcl_buf *bad, *source;
} spec_bag_views;

sparcl_status spec_bag_open(sparcl_ctx *ctx, const spec_case *c, const spec_bag_arrays *x,
                            spec_bag_views *v);
void spec_bag_close(spec_bag_views *v);

/* Compare x->got with x->order, x->truth and x->bound. Results that are mostly 0 are right where
 * most bags are empty or most entries do not count. */
void spec_bag_compare(spec_report *report, const char *what, const spec_bag_arrays *x,
                      int64_t count);

#endif
