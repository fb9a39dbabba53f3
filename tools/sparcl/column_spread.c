/* column_spread.c: the standard deviations of the columns of data. */
#include "column_spread.h"

#include <math.h>
#include <stdlib.h>

static int64_t index_of(const sparcl_data *data, int64_t entry) {
    const void *const indices = sparcl_data_indices(data);
    return sparcl_data_index_type(data) == SPARCL_INDEX32 ? ((const int32_t *)indices)[entry]
                                                          : ((const int64_t *)indices)[entry];
}

/* Squares around the mean of all rows: those that have no entry there are 0. */
double *column_deviations(const sparcl_data *data, int64_t columns) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const float *const values = sparcl_data_values(data);
    const double rows = (double)info->rows;
    if (columns < info->columns) columns = info->columns;
    double *const squares = calloc((size_t)columns + 1, sizeof *squares);
    double *const means = calloc((size_t)columns + 1, sizeof *means);
    int64_t *const counts = calloc((size_t)columns + 1, sizeof *counts);
    if (squares && means && counts) {
        for (int64_t k = 0; k < info->entries; k++) {
            means[index_of(data, k)] += (double)values[k] / rows;
            counts[index_of(data, k)]++;
        }
        for (int64_t k = 0; k < info->entries; k++) {
            const int64_t c = index_of(data, k);
            const double d = (double)values[k] - means[c];
            squares[c] += d * d;
        }
        for (int64_t c = 0; c < columns; c++)
            squares[c] =
                sqrt((squares[c] + (rows - (double)counts[c]) * means[c] * means[c]) / rows);
    }
    const int is_done = squares && means && counts;
    free(means);
    free(counts);
    if (is_done) return squares;
    free(squares);
    return NULL;
}
