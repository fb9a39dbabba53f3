/* svmlight.h: reads LIBSVM text into a data set. */
#ifndef SPC_DATA_SVMLIGHT_H
#define SPC_DATA_SVMLIGHT_H

#include "data/dataset.h"
#include "data/input.h"

SPARCL_MUST_CHECK sparcl_status spc_svmlight_read(sparcl_data *data, spc_input *input,
                                                  const sparcl_data_desc *desc,
                                                  sparcl_error *error);

#endif
