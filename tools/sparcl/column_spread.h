/* column_spread.h: the standard deviations of the columns of data. */
#ifndef SPARCL_TOOL_COLUMN_SPREAD_H
#define SPARCL_TOOL_COLUMN_SPREAD_H

#include "sparcl/data.h"

/* The standard deviation of each of `columns` columns, or more that the data have, over all rows,
 * where what is no entry is 0. To be freed with free; NULL: out of memory. */
double *column_deviations(const sparcl_data *data, int64_t columns);

#endif
