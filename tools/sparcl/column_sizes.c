/* column_sizes.c: a note about columns whose values have very different sizes. */
#include "column_sizes.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "message.h"

/* Rare columns, such as hashed words, are not looked at. */
enum { RARE = 100, MOST_COLUMNS = 1 << 20 };

/* Columns of texts may be very small, but none is large. */
static const double very_different = 1000, large = 10;

typedef struct column {
    double squares;
    int64_t entries;
} column;

static int64_t index_at(const sparcl_data *data, int64_t k) {
    const void *const indices = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_INDEX32 ? ((const int32_t *)indices)[k]
                                                          : ((const int64_t *)indices)[k];
}

static double size_of(const column *c) {
    return sqrt(c->squares / (double)c->entries);
}

/* False: there are no two such columns. */
static bool find_extremes(const column *all, const sparcl_data_info *info, int64_t *least,
                          int64_t *most) {
    *least = *most = -1;
    for (int64_t j = 0; j < info->columns; j++) {
        if (all[j].entries * RARE < info->rows || !(all[j].squares > 0)) continue;
        if (*least < 0 || size_of(&all[j]) < size_of(&all[*least])) *least = j;
        if (*most < 0 || size_of(&all[j]) > size_of(&all[*most])) *most = j;
    }
    return *least >= 0;
}

void print_column_sizes(const char *path, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const float *const values = sparcl_data_values(data);
    int64_t least, most;
    if (!values || info->rows == 0 || info->columns > MOST_COLUMNS) return;
    column *const all = calloc((size_t)info->columns + 1, sizeof *all);
    for (int64_t k = 0; all && k < info->entries; k++) {
        column *const c = &all[index_at(data, k)];
        c->squares += (double)values[k] * (double)values[k];
        c->entries++;
    }
    if (all && find_extremes(all, info, &least, &most) &&
        size_of(&all[most]) > fmax(large, very_different * size_of(&all[least])))
        print_note("%s: the values of column %" PRId64 " are about %.2g, those of column %" PRId64
                   " about %.2g: steps learn little of small columns beside large ones; bring "
                   "them to like sizes, such as by their standard deviations (numbers of CSV are "
                   "standardized)",
                   path, most + info->index_base, size_of(&all[most]), least + info->index_base,
                   size_of(&all[least]));
    free(all);
}
