/* curvature.c: the curvature of the objective of a linear model. */
#include "train/curvature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "train/csr_arrays.h"

enum { MOST_COLUMNS = 1024, PRODUCTS_OF_AN_ENTRY = 512, FEW_PRODUCTS = 1 << 20 };

/* What rounding makes of a direction along which columns depend on each other must not be taken for
 * a direction in which the objective has no curvature. */
static const double ridge = 1e-6;

/* An iteration takes some products for each entry, the matrix those of rows and of Cholesky's
 * factor. */
static bool is_worth_it(const spc_scaling *s, const sparcl_data *data) {
    const int64_t *const offsets = sparcl_data_offsets(data);
    const sparcl_data_info *const info = sparcl_data_get_info(data);
    const double order = (double)s->columns;
    const double most = fmax(FEW_PRODUCTS, PRODUCTS_OF_AN_ENTRY * (double)info->entries);
    double products = order * order * order / 6;
    for (int64_t i = 0; i < info->rows; ++i)
        products += (double)(offsets[i + 1] - offsets[i]) * (double)(offsets[i + 1] - offsets[i]);
    return s->columns <= MOST_COLUMNS && products <= most;
}

/* --- the matrix ------------------------------------------------------------------------------- */

/* The entries of a row, and of the bias after them. */
static int64_t read_row(const spc_curvature *c, int64_t row) {
    const spc_scaling *const s = c->scaling;
    const sparcl_data *const data = c->rows.data;
    const int64_t *const offsets = sparcl_data_offsets(data);
    int64_t n = 0;
    for (int64_t k = offsets[row]; k < offsets[row + 1]; ++k, ++n) {
        const int64_t j = spc_index_at(sparcl_data_indices(data), sparcl_data_index_type(data), k);
        c->columns[n] = j;
        c->values[n] = ((double)sparcl_data_values(data)[k] - s->shift[j]) / s->scale[j];
    }
    c->columns[n] = s->columns;
    c->values[n] = 1 / s->bias_scale;
    return s->has_bias ? n + 1 : n;
}

/* Indices ascend, so that all products are in the lower half. */
static void add_row(const spc_curvature *c, int64_t count, double weight) {
    for (int64_t a = 0; a < count; ++a) {
        const double factor = weight * c->values[a];
        if (!c->is_full) {
            c->matrix[c->columns[a]] += factor * c->values[a];
            continue;
        }
        double *const row = c->matrix + c->columns[a] * c->order;
        for (int64_t b = 0; b <= a; ++b)
            row[c->columns[b]] += factor * c->values[b];
    }
}

static void add_penalty(const spc_curvature *c) {
    const spc_scaling *const s = c->scaling;
    for (int64_t j = 0; j < c->order; ++j) {
        double *const diagonal = c->matrix + (c->is_full ? j * c->order + j : j);
        if (j < s->columns) *diagonal += c->rows.l2 / s->scale[j] / s->scale[j];
        *diagonal = *diagonal > 0 ? *diagonal * (1 + ridge) : 1;
    }
}

/* L in place of the lower half. */
static void factor(const spc_curvature *c) {
    for (int64_t i = 0; i < c->order; ++i) {
        double *const row = c->matrix + i * c->order;
        for (int64_t j = 0; j <= i; ++j) {
            const double *const other = c->matrix + j * c->order;
            double sum = row[j];
            for (int64_t k = 0; k < j; ++k)
                sum -= row[k] * other[k];
            row[j] = j < i ? sum / other[j] : sqrt(fmax(sum, ridge * row[i] / 2));
        }
    }
}

/* The second derivative of the loss of a row: residuals are probabilities, or expected counts,
 * without the target. Several outputs share their mean. */
static double curvature_of(const spc_curvature *c, int64_t row, const float *residuals) {
    const int64_t outputs = c->scaling->outputs;
    const double rows = (double)sparcl_data_get_info(c->rows.data)->rows;
    double sum = 0;
    if (!residuals) return c->scaling->curvature;
    if (c->rows.loss == SPARCL_LOSS_POISSON)
        return rows * (double)residuals[row] + (double)c->rows.targets[row];
    for (int64_t k = 0; k < outputs; ++k) {
        const double off = fabs(rows * (double)residuals[row * outputs + k]);
        sum += off * fmax(1 - off, 0);
    }
    return sum / (double)outputs;
}

void spc_curvature_set(spc_curvature *c, const float *residuals) {
    const int64_t count = sparcl_data_get_info(c->rows.data)->rows;
    const size_t cells = (size_t)c->order * (c->is_full ? (size_t)c->order : 1);
    memset(c->matrix, 0, cells * sizeof *c->matrix);
    for (int64_t i = 0; i < count; ++i) {
        const double weight = c->rows.weights ? (double)c->rows.weights[i] : 1;
        add_row(c, read_row(c, i), weight * curvature_of(c, i, residuals) / (double)count);
    }
    add_penalty(c);
    if (c->is_full) factor(c);
}

sparcl_status spc_curvature_open(spc_curvature *c, const spc_scaling *s,
                                 const spc_scaled_rows *rows, sparcl_error *error) {
    const size_t order = (size_t)(s->columns + s->has_bias);
    *c = (spc_curvature){.scaling = s, .rows = *rows, .order = (int64_t)order};
    c->is_full = rows->l1 == 0 && is_worth_it(s, rows->data);
    const size_t cells = c->is_full ? order * order : order;
    c->matrix = malloc(cells * sizeof *c->matrix + 1);
    c->columns = malloc((order + 1) * sizeof *c->columns);
    c->values = malloc((order + 1) * sizeof *c->values);
    if (!c->matrix || !c->columns || !c->values)
        return spc_fail_memory(error, "products of columns", cells * sizeof *c->matrix);
    spc_curvature_set(c, NULL);
    return SPARCL_OK;
}

void spc_curvature_close(spc_curvature *c) {
    free(c->matrix);
    free(c->columns);
    free(c->values);
    *c = (spc_curvature){0};
}

/* --- solving ---------------------------------------------------------------------------------- */

static void solve_full(const spc_curvature *c, int64_t outputs, double *x) {
    const int64_t n = c->order;
    for (int64_t i = 0; i < n; ++i) {
        const double *const row = c->matrix + i * n;
        for (int64_t k = 0; k < i; ++k)
            for (int64_t o = 0; o < outputs; ++o)
                x[i * outputs + o] -= row[k] * x[k * outputs + o];
        for (int64_t o = 0; o < outputs; ++o)
            x[i * outputs + o] /= row[i];
    }
    for (int64_t i = n - 1; i >= 0; --i) {
        const double *const row = c->matrix + i * n;
        for (int64_t o = 0; o < outputs; ++o)
            x[i * outputs + o] /= row[i];
        for (int64_t k = 0; k < i; ++k)
            for (int64_t o = 0; o < outputs; ++o)
                x[k * outputs + o] -= row[k] * x[i * outputs + o];
    }
}

void spc_curvature_solve(const spc_curvature *c, double *x) {
    const int64_t outputs = c->scaling->outputs;
    if (c->is_full) {
        solve_full(c, outputs, x);
        return;
    }
    for (int64_t i = 0; i < c->order * outputs; ++i)
        x[i] /= c->matrix[i / outputs];
}
