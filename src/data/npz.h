/* npz.h: a SciPy .npz file as a data set, and labels from a .npy file. */
#ifndef SPC_DATA_NPZ_H
#define SPC_DATA_NPZ_H

#include "data/dataset.h"
#include "data/input.h"

SPARCL_MUST_CHECK sparcl_status spc_npz_read(sparcl_data *data, spc_input *input,
                                             const sparcl_data_desc *desc, sparcl_error *error);

/* One label a row of `data`, which must hold its rows already. */
SPARCL_MUST_CHECK sparcl_status spc_labels_read(sparcl_data *data, const char *path,
                                                sparcl_error *error);

#endif
