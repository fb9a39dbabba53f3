/* summary.h: what is counted over a data set once it is held. */
#ifndef SPC_DATA_SUMMARY_H
#define SPC_DATA_SUMMARY_H

#include "data/dataset.h"

/* Fill in nan_values, inf_values, row_nnz_* and the fingerprint; give back spare memory. */
void spc_data_summarize(sparcl_data *data);

#endif
