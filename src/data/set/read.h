/* read.h: reads a data file as a whole, in parts, or without keeping its entries. */
#ifndef SPC_DATA_READ_H
#define SPC_DATA_READ_H

#include "data/set/dataset.h"

/* data.c: check a path and a description, of which NULL becomes the default: E_ARG. */
SPARCL_MUST_CHECK sparcl_status spc_data_check_desc(const char *path, const sparcl_data_desc **desc,
                                                    sparcl_error *error);
/* Read a file by a description that was checked. `notes` and `sink` may be NULL; with a sink that
 * was used, *data has what the sink has not taken. */
SPARCL_MUST_CHECK sparcl_status spc_data_read_to(sparcl_data **data, const char *path,
                                                 const sparcl_data_desc *desc, spc_notes *notes,
                                                 spc_sink *sink, sparcl_error *error);
/* Multiply the values by `scale`, if it is not 0. */
void spc_data_scale(sparcl_data *data, double scale);

/* row_scan.c: read what there is once for each row, and how the entries are read again. */
SPARCL_MUST_CHECK sparcl_status spc_data_scan(sparcl_data **data, const char *path,
                                              const sparcl_data_desc *desc, sparcl_error *error);

#endif
