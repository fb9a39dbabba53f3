/* mtx.h: reads Matrix Market files. */
#ifndef SPC_DATA_MTX_H
#define SPC_DATA_MTX_H

#include "data/io/input.h"

SPARCL_MUST_CHECK sparcl_status spc_mtx_read(sparcl_data *data, spc_input *input,
                                             const sparcl_data_desc *desc, sparcl_error *error);

#endif
