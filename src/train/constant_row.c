/* constant_row.c: the loss of the best constant reconstruction, the mean of the rows. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "sparcl/data.h"
#include "train/csr_arrays.h"
#include "train/metrics.h"

/* What a loop over the rows of a data set, in memory or streamed, needs. */
typedef struct row_sums {
    sparcl_row_reader *reader;
    sparcl_itype type;
    void *indices; /* of a row */
    float *values;
    double *sums, *squares; /* of each column: of its entries; means are 0 where it has none */
} row_sums;

static sparcl_status open_sums(row_sums *s, const sparcl_data *data, sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const size_t columns = (size_t)info->columns + 1, longest = (size_t)info->row_nnz_max + 1;
    s->type = sparcl_data_index_type(data);
    s->indices = spc_alloc_zero(NULL, longest, sparcl_itype_size(s->type));
    s->values = spc_alloc_zero(NULL, longest, sizeof *s->values);
    s->sums = spc_alloc_zero(NULL, columns, sizeof *s->sums);
    s->squares = spc_alloc_zero(NULL, columns, sizeof *s->squares);
    if (!s->indices || !s->values || !s->sums || !s->squares)
        return spc_fail_memory(error, "columns", 2 * columns * sizeof *s->sums);
    return sparcl_row_reader_open(&s->reader, data, error);
}

static void close_sums(row_sums *s, const sparcl_data *data) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const size_t columns = (size_t)info->columns + 1, longest = (size_t)info->row_nnz_max + 1;
    sparcl_row_reader_close(s->reader);
    spc_free(NULL, s->indices, longest * sparcl_itype_size(s->type));
    spc_free(NULL, s->values, longest * sizeof *s->values);
    spc_free(NULL, s->sums, columns * sizeof *s->sums);
    spc_free(NULL, s->squares, columns * sizeof *s->squares);
}

static sparcl_status add_row(row_sums *s, const int64_t *offsets, int64_t row, double weight,
                             sparcl_error *error) {
    SPC_TRY(sparcl_row_reader_read(s->reader, row, 1, s->indices, s->values, NULL, error));
    for (int64_t k = 0; k < offsets[row + 1] - offsets[row]; ++k) {
        const int64_t j = spc_index_at(s->indices, s->type, k);
        const double x = (double)s->values[k];
        s->sums[j] += weight * x;
        s->squares[j] += weight * (x * x);
    }
    return SPARCL_OK;
}

sparcl_status spc_constant_reconstruction_loss(const sparcl_data *data, const float *weights,
                                               double *loss, sparcl_error *error) {
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    row_sums s = {0};
    double n = 0, variances = 0;
    sparcl_status status = open_sums(&s, data, error);
    for (int64_t i = 0; status == SPARCL_OK && i < info->rows; ++i) {
        status =
            add_row(&s, sparcl_data_offsets(data), i, (weights ? (double)weights[i] : 1), error);
        n += (weights ? (double)weights[i] : 1);
    }
    for (int64_t j = 0; status == SPARCL_OK && j < info->columns; ++j)
        variances += s.squares[j] / n - s.sums[j] / n * (s.sums[j] / n);
    close_sums(&s, data);
    *loss = info->rows > 0 ? variances / 2 : (double)NAN;
    return status;
}
