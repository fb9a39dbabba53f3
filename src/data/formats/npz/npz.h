/* npz.h: reads a SciPy .npz file into a data set, and labels from a .npy file. */
#ifndef SPC_DATA_NPZ_H
#define SPC_DATA_NPZ_H

#include "data/io/input.h"
#include "data/set/dataset.h"

/* Read one label per row of `data`, whose rows must have been read. */
SPARCL_MUST_CHECK sparcl_status spc_labels_read(sparcl_data *data, const char *path,
                                                sparcl_error *error);
/* The same for data->weights, at least 0. */
SPARCL_MUST_CHECK sparcl_status spc_weights_read(sparcl_data *data, const char *path,
                                                 sparcl_error *error);

#endif
