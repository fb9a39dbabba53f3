/* choose.c: the cost model of the formats of a matrix, and the choice of a format. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "plan/calibration.h"

const double spc_plan_widths[SPARCL_PLAN_WIDTHS] = {1, 4, 16, 64, 256};
const double spc_plan_sets[SPARCL_PLAN_WORKING_SETS] = {1 << 13, 1 << 15, 1 << 18, 1 << 20,
                                                        1 << 22, 1 << 24, 1 << 26};
const double spc_plan_dense[SPARCL_PLAN_SIZES] = {1 << 20, 1 << 22, 1 << 27};

/* Bytes of a cache line. */
#define CACHE_LINE 64

const char *sparcl_format_name(sparcl_format format) {
    static const char *const names[SPARCL_FORMATS] = {"dense", "csr", "csc", "coo", "rows"};
    return (int)format >= 0 && (int)format < SPARCL_FORMATS ? names[format] : "?";
}

/* --- interpolation between the points that were measured ------------------------------------- */

/* The position of x among ascending points: between points[*i] and points[*i + 1], as a fraction of
 * 0 .. 1 on a logarithmic scale; clamped at the ends. */
static double place(const double *points, int count, double x, int *i) {
    *i = 0;
    while (*i < count - 2 && x > points[*i + 1])
        ++*i;
    if (!(x > points[*i])) return 0;
    return fmin(1, log(x / points[*i]) / log(points[*i + 1] / points[*i]));
}

static double interpolate(double a, double b, double fraction) {
    return exp((1 - fraction) * log(a) + fraction * log(b));
}

/* Above the largest width that was measured, seconds are proportional to the width. */
static double extrapolate(double n) {
    return fmax(1, n / spc_plan_widths[SPARCL_PLAN_WIDTHS - 1]);
}

static double at_width(const double row[SPARCL_PLAN_WIDTHS], double n) {
    int w = 0;
    const double fraction = place(spc_plan_widths, SPARCL_PLAN_WIDTHS, n, &w);
    return interpolate(row[w], row[w + 1], fraction) * extrapolate(n);
}

double spc_plan_entry(const sparcl_calibration *c, double n, double bytes) {
    int w = 0, s = 0;
    const double by_width = place(spc_plan_widths, SPARCL_PLAN_WIDTHS, n, &w);
    const double by_set = place(spc_plan_sets, SPARCL_PLAN_WORKING_SETS, bytes, &s);
    const double(*at)[SPARCL_PLAN_WORKING_SETS] = c->entry;
    return extrapolate(n) * interpolate(interpolate(at[w][s], at[w][s + 1], by_set),
                                        interpolate(at[w + 1][s], at[w + 1][s + 1], by_set),
                                        by_width);
}

static double dense_seconds(const sparcl_calibration *c, const sparcl_plan_case *a,
                            double elements) {
    int w = 0, s = 0;
    const double n = (double)a->n;
    const double by_width = place(spc_plan_widths, SPARCL_PLAN_WIDTHS, n, &w);
    const double by_size = place(spc_plan_dense, SPARCL_PLAN_SIZES, 4 * elements, &s);
    const double(*at)[SPARCL_PLAN_SIZES] = c->dense[a->transposed != 0];
    return elements * extrapolate(n) *
           interpolate(interpolate(at[w][s], at[w][s + 1], by_size),
                       interpolate(at[w + 1][s], at[w + 1][s + 1], by_size), by_width);
}

/* --- the formats ----------------------------------------------------------------------------- */

double spc_plan_working_set(double count, double rows, double n) {
    const double lines = fmax(1, rows * 4 * n / CACHE_LINE);
    return 4 * n < CACHE_LINE ? CACHE_LINE * lines * (1 - exp(-count / lines)) : count * 4 * n;
}

/* Average seconds per entry. Rows of B that are read often stay in cache, but less well than if
 * nothing else were read, so each step counts as the third one after it. */
static double mean_entry(const sparcl_calibration *c, const sparcl_plan_distribution *distribution,
                         double rows, double n) {
    double seconds = 0, before = 0;
    for (int k = 0; k <= SPARCL_PLAN_FRACTIONS; ++k) {
        const double count = fmin(pow(4, k + 4), (double)distribution->used);
        const double fraction = k < SPARCL_PLAN_FRACTIONS ? distribution->fraction[k] : 1;
        seconds +=
            fmax(0, fraction - before) * spc_plan_entry(c, n, spc_plan_working_set(count, rows, n));
        before = fmax(before, fraction);
    }
    return seconds;
}

/* Seconds of a call, apart from its work; it costs more when all cores take part. */
static double call_seconds(const sparcl_calibration *c, double work) {
    const double shared = fmin(1, work / SPC_PLAN_SHARED);
    return c->call[0] + shared * fmax(0, c->call[1] - c->call[0]);
}

/* Seconds of a sparse product. way 0: the stored rows or columns are rows of the result; 1: they
 * are rows of B. */
static double sparse_seconds(const sparcl_calibration *c, const sparcl_plan_case *a, int way) {
    const double n = (double)a->n, cols = (double)a->cols, rows = (double)a->rows;
    const double nnz = (double)a->nnz;
    const double results = a->transposed ? cols : rows, inner = a->transposed ? rows : cols;
    const sparcl_plan_distribution *distribution =
        a->transposed ? &a->rows_distribution : &a->cols_distribution;
    const double factor = way ? at_width(c->transposed, n) / extrapolate(n) : 1;
    const sparcl_plan_distribution *result =
        a->transposed ? &a->cols_distribution : &a->rows_distribution;
    const double used = (double)result->used;
    /* With one column, the direct product skips runs of empty rows. */
    const double passed = way == 0 && a->n == 1 ? (double)result->empty_in_runs : 0;
    return way * c->call[0] + call_seconds(c, results + nnz) + used * at_width(c->row[way], n) +
           (results - used - passed) * at_width(c->empty[way], n) +
           nnz * factor * mean_entry(c, distribution, inner, n);
}

static double bytes_of(sparcl_format format, const sparcl_plan_case *a) {
    const double rows = (double)a->rows, cols = (double)a->cols, nnz = (double)a->nnz;
    const double index = a->cols > INT32_MAX || a->rows > INT32_MAX ? 8 : 4;
    const double offset = a->nnz > INT32_MAX ? 8 : 4;
    switch (format) {
    case SPARCL_FORMAT_DENSE:
        return 4 * rows * cols;
    case SPARCL_FORMAT_CSR:
        return (4 + index) * nnz + offset * (rows + 1);
    case SPARCL_FORMAT_CSC:
        return (4 + index) * nnz + offset * (cols + 1);
    case SPARCL_FORMAT_COO:
        return (4 + 2 * index) * nnz;
    case SPARCL_FORMAT_ROWS:
        return (double)a->rows_distribution.used * (index + 4 * cols);
    case SPARCL_FORMAT_BSR: /* not planned */
        break;
    }
    return 0;
}

/* The largest array of a format. */
static double largest_of(sparcl_format format, const sparcl_plan_case *a) {
    if (format == SPARCL_FORMAT_DENSE || format == SPARCL_FORMAT_ROWS) return bytes_of(format, a);
    return (double)a->nnz * (a->cols > INT32_MAX || a->rows > INT32_MAX ? 8 : 4);
}

static void predict_dense(const sparcl_calibration *c, const sparcl_plan_case *a,
                          sparcl_plan_line *line) {
    const double elements = (double)a->rows * (double)a->cols;
    line->seconds = call_seconds(c, elements) + dense_seconds(c, a, elements);
    snprintf(line->reason, sizeof line->reason, "processes %.3g elements, %.3g per entry", elements,
             a->nnz > 0 ? elements / (double)a->nnz : (double)INFINITY);
}

static void predict_rows(const sparcl_calibration *c, const sparcl_plan_case *a,
                         sparcl_plan_line *line) {
    const double elements = (double)a->rows_distribution.used * (double)a->cols;
    const double n = (double)a->n, used = (double)a->rows_distribution.used;
    const double cleared = a->transposed ? 0 : (double)a->rows; /* rows are cleared first */
    line->seconds = 2 * c->call[0] + call_seconds(c, elements) + dense_seconds(c, a, elements) +
                    used * at_width(c->row[0], n) + cleared * at_width(c->empty[1], n);
    snprintf(line->reason, sizeof line->reason,
             "%.3g %% of the rows have entries; all elements of these are processed",
             a->rows > 0 ? 100.0 * (double)a->rows_distribution.used / (double)a->rows : 0);
}

/* The transpose exchanges CSR and CSC: one stores the rows of the result, the other those of B. */
static void predict_compressed(const sparcl_calibration *c, const sparcl_plan_case *a,
                               sparcl_plan_line *line) {
    const int way = (line->format == SPARCL_FORMAT_CSC) != (a->transposed != 0);
    line->seconds = sparse_seconds(c, a, way);
    line->prepare = way ? (double)a->nnz * c->pattern : 0;
    snprintf(line->reason, sizeof line->reason,
             way ? "entries are read through a pattern, which is built once"
                 : "a stored row or column of A gives a row of the result directly");
}

static void predict_coo(const sparcl_calibration *c, const sparcl_plan_case *a,
                        sparcl_plan_line *line) {
    const int way = a->transposed != 0;
    const double nnz = (double)a->nnz, fetch = spc_plan_entry(c, 1, 4 * nnz); /* a value */
    line->seconds = 4 * c->call[0] + nnz * (c->convert + way * (c->pattern + fetch)) +
                    sparse_seconds(c, a, way);
    snprintf(line->reason, sizeof line->reason, "is converted to CSR%s in each product",
             way ? ", and a pattern is built," : "");
}

static void predict(const sparcl_calibration *c, const sparcl_plan_case *a,
                    sparcl_plan_line *line) {
    line->bytes = bytes_of(line->format, a);
    switch (line->format) {
    case SPARCL_FORMAT_DENSE:
        predict_dense(c, a, line);
        break;
    case SPARCL_FORMAT_CSR:
    case SPARCL_FORMAT_CSC:
        predict_compressed(c, a, line);
        break;
    case SPARCL_FORMAT_COO:
        predict_coo(c, a, line);
        break;
    case SPARCL_FORMAT_ROWS:
        predict_rows(c, a, line);
        break;
    case SPARCL_FORMAT_BSR: /* not planned */
        break;
    }
}

/* With B and the result. If it does not fit, the reason says so. */
static void check_fit(const sparcl_device *device, const sparcl_plan_case *a,
                      sparcl_plan_line *line) {
    const double operands = 4.0 * (double)a->n * ((double)a->rows + (double)a->cols);
    const double array = largest_of(line->format, a);
    line->fits =
        array <= (double)device->max_allocation && line->bytes + operands <= (double)device->memory;
    if (line->fits) return;
    const bool is_array = array > (double)device->max_allocation;
    snprintf(line->reason, sizeof line->reason, "does not fit: %.3g bytes %s, %.60s allows %.3g",
             is_array ? array : line->bytes + operands, is_array ? "in one array" : "in total",
             device->name, (double)(is_array ? device->max_allocation : device->memory));
}

/* A format that needs preparation must be an eighth faster: predictions are not more exact than
 * that. */
static double rank_of(const sparcl_plan_line *line) {
    return line->seconds * (line->prepare > 0 ? 1.125 : 1);
}

static int compare(const void *a, const void *b) {
    const sparcl_plan_line *x = a, *y = b;
    const double rank_x = rank_of(x), rank_y = rank_of(y);
    if (x->fits != y->fits) return y->fits - x->fits;
    if (rank_x != rank_y) return rank_x < rank_y ? -1 : 1;
    return (int)x->format - (int)y->format;
}

/* --- the public calls ------------------------------------------------------------------------ */

static sparcl_status check_distribution(const sparcl_plan_distribution *s, const char *what,
                                        int64_t all, int64_t nnz, sparcl_error *error) {
    if (s->used < (nnz > 0) || s->used > all || s->used > nnz)
        return spc_fail(error, SPARCL_E_ARG,
                        "plan: %lld of %lld %s have %lld entries, which is impossible",
                        (long long)s->used, (long long)all, what, (long long)nnz);
    if (s->empty_in_runs < 0 || s->empty_in_runs > all - s->used)
        return spc_fail(error, SPARCL_E_ARG,
                        "plan: %lld %s without entries are adjacent, of %lld that have none",
                        (long long)s->empty_in_runs, what, (long long)(all - s->used));
    for (int k = 0; k < SPARCL_PLAN_FRACTIONS; ++k)
        if (!(s->fraction[k] >= (k > 0 ? s->fraction[k - 1] : 0) && s->fraction[k] <= 1))
            return spc_fail(
                error, SPARCL_E_ARG,
                "plan: fractions of the %s are %g at 4^%d, expected ascending ones of at most 1",
                what, s->fraction[k], k);
    return SPARCL_OK;
}

static sparcl_status check_case(const sparcl_plan_case *a, sparcl_error *error) {
    if (a->reserved[0] || a->reserved[1])
        return spc_fail(error, SPARCL_E_ARG, "plan: the reserved fields of the case are not zero");
    if (a->rows < 0 || a->cols < 0 || a->nnz < 0 || a->n < 1)
        return spc_fail(error, SPARCL_E_ARG,
                        "plan: a matrix of %lld x %lld with %lld entries, times %lld columns, "
                        "expected sizes of 0 or more and at least one column",
                        (long long)a->rows, (long long)a->cols, (long long)a->nnz, (long long)a->n);
    SPC_TRY(check_distribution(&a->rows_distribution, "rows", a->rows, a->nnz, error));
    return check_distribution(&a->cols_distribution, "columns", a->cols, a->nnz, error);
}

bool spc_calibration_is_good(const sparcl_calibration *c) {
    const double *x = (const double *)c;
    const size_t count = offsetof(sparcl_calibration, reserved) / sizeof *x;
    for (size_t i = 0; i < count; ++i)
        if (!(x[i] > 0 && x[i] < INFINITY)) return false;
    return c->reserved[0] == 0 && c->reserved[1] == 0;
}

sparcl_status sparcl_choose(const sparcl_calibration *calibration, const sparcl_device *device,
                            const sparcl_plan_case *about, sparcl_plan *plan, sparcl_error *error) {
    if (plan) *plan = (sparcl_plan){0};
    if (!calibration || !device || !about || !plan)
        return spc_fail(error, SPARCL_E_ARG, "plan: %s is NULL",
                        !calibration ? "the calibration"
                        : !device    ? "the device"
                        : !about     ? "the case"
                                     : "the plan");
    SPC_TRY(check_case(about, error));
    if (!spc_calibration_is_good(calibration))
        return spc_fail(error, SPARCL_E_ARG,
                        "plan: the calibration was not measured; call sparcl_calibrate");
    for (int f = 0; f < SPARCL_FORMATS; ++f) {
        sparcl_plan_line *line = &plan->lines[f];
        line->format = (sparcl_format)f;
        predict(calibration, about, line);
        check_fit(device, about, line);
    }
    qsort(plan->lines, SPARCL_FORMATS, sizeof *plan->lines, compare);
    return SPARCL_OK;
}
