/* column_sizes.h: a note about columns whose values have very different sizes. */
#ifndef SPARCL_TOOL_COLUMN_SIZES_H
#define SPARCL_TOOL_COLUMN_SIZES_H

#include "sparcl/data.h"

/* For steps on columns as they are, which learn little of small ones beside large ones. */
void print_column_sizes(const char *path, const sparcl_data *data);

#endif
