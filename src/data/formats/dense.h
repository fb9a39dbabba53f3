/* dense.h: a dense array as a data set: zeros are no entries. */
#ifndef SPC_DATA_DENSE_H
#define SPC_DATA_DENSE_H

#include "data/formats/npz/npy.h"
#include "data/io/input.h"

/*
 * The rows of `data` from an array of at least two dimensions: the first counts rows, the others,
 * in C order, columns. `place` begins the messages: "file" or "file:member".
 */
SPARCL_MUST_CHECK sparcl_status spc_dense_read(sparcl_data *data, const spc_npy *array,
                                               const char *place, const sparcl_data_desc *desc,
                                               sparcl_error *error);

/* Read one array: a .npy or IDX file, or with input->member that member of an .npz file. The error
 * begins with its place, also that of `accept`. Free array->bytes also after a failure. */
SPARCL_MUST_CHECK sparcl_status spc_one_array_read(spc_npy *array, spc_input *input,
                                                   const spc_npy_accept *accept,
                                                   sparcl_error *error);

#endif
