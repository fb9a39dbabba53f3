/* popular_items.c: the items that most users have, as recommendations. */
#include "train/popular_items.h"

#include <stdlib.h>

#include "base/error.h"
#include "train/csr_arrays.h"

typedef struct counted {
    int64_t item, users;
} counted;

static int compare(const void *a, const void *b) {
    const counted *const x = a, *const y = b;
    if (x->users != y->users) return (x->users < y->users) - (x->users > y->users);
    return (x->item > y->item) - (x->item < y->item);
}

sparcl_status spc_popular_items_open(spc_popular_items *popular, const sparcl_data *known,
                                     int64_t items, sparcl_error *error) {
    *popular = (spc_popular_items){.known = known, .items = items};
    popular->order = malloc((size_t)items * sizeof *popular->order + 1);
    counted *const all = malloc((size_t)items * sizeof *all + 1);
    if (!all || !popular->order) {
        free(all);
        return spc_fail_memory(error, "popular items", (size_t)items * sizeof *all);
    }
    for (int64_t i = 0; i < items; ++i)
        all[i] = (counted){i, 0};
    for (int64_t k = 0; k < sparcl_data_get_info(known)->entries; ++k)
        ++all[spc_data_column(known, k)].users;
    qsort(all, (size_t)items, sizeof *all, compare);
    for (int64_t i = 0; i < items; ++i)
        popular->order[i] = all[i].item;
    free(all);
    return SPARCL_OK;
}

void spc_popular_items_close(spc_popular_items *popular) {
    free(popular->order);
}

bool spc_has_item(const sparcl_data *data, int64_t row, int64_t column) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    int64_t low = offsets[row], high = offsets[row + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2, found = spc_data_column(data, middle);
        if (found == column) return true;
        if (found < column)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

int64_t spc_popular_items_next(const spc_popular_items *popular, int64_t user, int64_t *at) {
    while (*at < popular->items) {
        const int64_t item = popular->order[(*at)++];
        if (!spc_has_item(popular->known, user, item)) return item;
    }
    return -1;
}
