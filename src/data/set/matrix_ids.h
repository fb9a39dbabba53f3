/* matrix_ids.h: ids as the columns of a matrix file, which says how it was made of them. */
#ifndef SPC_DATA_MATRIX_IDS_H
#define SPC_DATA_MATRIX_IDS_H

#include "data/set/dataset.h"

/* How ids became columns, as npz and mtx files have it: "hash_bits 20", or a sum of the ids; empty:
 * they are not made of ids. `ids` may be NULL. */
void spc_column_mark(char mark[SPC_MARK_BYTES], int hash_bits, const int64_t *ids, int64_t count);

/* The same of a data set. */
void spc_data_mark(const sparcl_data *data, char mark[SPC_MARK_BYTES]);

/* Of a matrix that was read as it is. Where the description asks for ids: columns that are made of
 * them so are right, columns of a file that does not say it are ids. */
SPARCL_MUST_CHECK sparcl_status spc_matrix_ids(sparcl_data *data, const sparcl_data_desc *desc,
                                               sparcl_error *error);

/* The description with which such a matrix is read as it is. */
sparcl_data_desc spc_matrix_desc(const sparcl_data_desc *desc);

#endif
