/* summary.h: counts and hashes a data set after it was read. */
#ifndef SPC_DATA_SUMMARY_H
#define SPC_DATA_SUMMARY_H

#include "data/set/dataset.h"

/* Fill in nan_values, inf_values, row_nnz_* and the fingerprint; free unused memory. */
void spc_data_summarize(sparcl_data *data);

#endif
