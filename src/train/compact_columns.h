/* compact_columns.h: a data set with only those columns that have entries, where most have none,
 * such as those of hashed words. */
#ifndef SPC_TRAIN_COMPACT_COLUMNS_H
#define SPC_TRAIN_COMPACT_COLUMNS_H

#include "base/macros.h"
#include "sparcl/data.h"

typedef struct spc_compact_columns {
    int64_t all;       /* columns of the model */
    int64_t count;     /* of `data` */
    int64_t *columns;  /* [count], ascending: of the model; NULL: all */
    sparcl_data *made; /* the rows, in these columns; NULL: those that were given */
} spc_compact_columns;

/* Only where most columns are unused, and the copy is not larger than the vectors of a search.
 * Close it also after a failure. E_MEMORY. */
sparcl_status spc_compact_columns_open(spc_compact_columns *used, const sparcl_data *data,
                                       int64_t all, sparcl_error *error);
void spc_compact_columns_close(spc_compact_columns *used);

/* Parameters are the weights [columns, outputs], and then `others`, such as a bias. */
void spc_compact_columns_take(const spc_compact_columns *used, int64_t outputs, int64_t others,
                              const double *all, double *taken);

/* Weights of unused columns stay as they are. */
void spc_compact_columns_put(const spc_compact_columns *used, int64_t outputs, int64_t others,
                             const double *taken, double *all);

#endif
