/* row_order.h: brings the entries of each row into ascending order, and adds duplicates. */
#ifndef SPC_DATA_ROW_ORDER_H
#define SPC_DATA_ROW_ORDER_H

#include "data/set/dataset.h"

/* Where a row is not in order; `entry` is -1 when all are. */
typedef struct spc_disorder {
    int64_t row, entry;
} spc_disorder;

/*
 * Sort the rows of `data` that are not in order, add duplicates in the order in which they stand,
 * and move the rows together; info.nnz entries are there before, info.entries after it. Counts
 * duplicates and unsorted rows. When `first` is not NULL, nothing is repaired from the first row on
 * that is not in order, and says where.
 */
SPARCL_MUST_CHECK sparcl_status spc_rows_order(sparcl_data *data, spc_disorder *first,
                                               sparcl_error *error);

/* Remember the first value that is not finite, among all entries. */
void spc_note_not_finite(sparcl_data *data);

/* Sort the entries of a short row, or of one that is almost in order, which stay in the order of
 * the file where they have the same index. */
void spc_row_insertion_sort(sparcl_data *data, int64_t from, int64_t to);

#endif
