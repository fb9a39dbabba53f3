/* popular_items.h: the items that most users have, as recommendations. */
#ifndef SPC_TRAIN_POPULAR_ITEMS_H
#define SPC_TRAIN_POPULAR_ITEMS_H

#include <stdbool.h>

#include "sparcl/data.h"

typedef struct spc_popular_items {
    const sparcl_data *known;
    int64_t items;
    int64_t *order; /* [items]: those that most users have come first; of equals the lower number */
} spc_popular_items;

/* `known` must stay. E_MEMORY; close it then, too. */
SPARCL_MUST_CHECK sparcl_status spc_popular_items_open(spc_popular_items *popular,
                                                       const sparcl_data *known, int64_t items,
                                                       sparcl_error *error);
void spc_popular_items_close(spc_popular_items *popular);

/* Whether a row has a column. */
bool spc_has_item(const sparcl_data *data, int64_t row, int64_t column);

/* The next item that a user has not, from *at in the order, which moves behind it; -1: no more. */
int64_t spc_popular_items_next(const spc_popular_items *popular, int64_t user, int64_t *at);

#endif
