/* plan_check.c: measures the formats of a plan. */
#include "plan_check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench_time.h"
#include "exit_codes.h"
#include "message.h"
#include "sparcl/data.h"

/* Formats are measured alternately: a machine with other work has fast and slow phases. */
enum { ROUNDS = 3 };
static const double round_seconds = 0.1;

/* Formats that take longer, or more memory, are not measured. */
static const double longest_seconds = 2;
static const double max_bytes = 2e9;

/* The matrix in one format, and the operands of the product. */
typedef struct product {
    const sparcl_plan_case *about;
    sparcl_format format;
    sparcl_csr loaded; /* from the file */
    sparcl_csc csc;
    sparcl_coo coo;
    sparcl_csr csr; /* the operand of the product, in the buffers of `loaded` or `csc`: A in CSR
                         format, for CSC its transpose; the result of the conversion from COO */
    sparcl_dense full, b, compact, c; /* full: dense, or the rows that have an entry */
    sparcl_list used;
    sparcl_rows scattered; /* in the buffers of `used` and `compact` */
    sparcl_pattern *pattern;
} product;

static void drop(product *p) {
    sparcl_pattern_free(p->pattern);
    sparcl_csr_free(&p->loaded);
    sparcl_csc_free(&p->csc);
    sparcl_coo_free(&p->coo);
    sparcl_list_free(&p->used);
    sparcl_dense *const all[] = {&p->full, &p->b, &p->compact, &p->c};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sparcl_dense_free(all[i]);
    free(p);
}

/* ---- the operands --------------------------------------------------------------------------- */

static sparcl_status put_dense(sparcl_ctx *ctx, sparcl_dense *to, int64_t rows, int64_t cols) {
    *to = (sparcl_dense){.rank = 2, .shape = {rows, cols}};
    return sparcl_dense_zeros(ctx, to);
}

/* Offsets and indices have the smallest possible type, as the plan assumes. */
static sparcl_status put_csr(sparcl_ctx *ctx, product *p, const sparcl_data *data) {
    const sparcl_plan_case *const a = p->about;
    const int64_t *const offsets = sparcl_data_offsets(data);
    const bool wide = a->nnz > INT32_MAX;
    int32_t *const narrow = malloc(((size_t)a->rows + 1) * sizeof *narrow);
    if (!narrow) return SPARCL_E_MEMORY;
    for (int64_t r = 0; r <= a->rows; r++)
        narrow[r] = (int32_t)offsets[r];
    p->loaded = (sparcl_csr){.rows = a->rows,
                             .cols = a->cols,
                             .nnz = a->nnz,
                             .offset_type = wide ? SPARCL_INDEX64 : SPARCL_INDEX32,
                             .index_type = sparcl_data_index_type(data),
                             .proof.flags = SPARCL_TRUSTED | SPARCL_VALID | SPARCL_SORTED};
    const sparcl_status status =
        sparcl_csr_upload(ctx, &p->loaded, wide ? (const void *)offsets : narrow,
                          sparcl_data_indices(data), sparcl_data_values(data), SPARCL_VALID);
    free(narrow);
    p->csr = p->loaded;
    return status;
}

/* The columns of a CSC matrix are the rows of a CSR matrix: the transpose. */
static sparcl_status convert_to_csc(sparcl_ctx *ctx, product *p) {
    const sparcl_csr *const from = &p->loaded;
    p->csc = (sparcl_csc){.rows = from->rows,
                          .cols = from->cols,
                          .nnz = from->nnz,
                          .offset_type = from->offset_type,
                          .index_type = from->index_type};
    sparcl_status status = sparcl_csc_create(ctx, &p->csc);
    if (status == SPARCL_OK) status = sparcl_csr_to_csc(ctx, &p->csc, from);
    p->csr.rows = from->cols;
    p->csr.cols = from->rows;
    p->csr.offsets = p->csc.offsets;
    p->csr.indices = p->csc.indices;
    p->csr.values = p->csc.values;
    return status;
}

/* The CSR arrays are then the destination of the conversion from COO. */
static sparcl_status convert_to_coo(sparcl_ctx *ctx, product *p) {
    p->coo = (sparcl_coo){.rank = 2,
                          .index_type = p->csr.index_type,
                          .shape = {p->csr.rows, p->csr.cols},
                          .nnz = p->csr.nnz};
    const sparcl_status status = sparcl_coo_create(ctx, &p->coo);
    if (status != SPARCL_OK) return status;
    sparcl_buf_free(p->coo.count); /* every place has an entry */
    p->coo.count = NULL;
    return sparcl_csr_to_coo(ctx, &p->coo, &p->csr);
}

static bool is_used(const int64_t *offsets, int64_t row) {
    return offsets[row + 1] > offsets[row];
}

/* The dense matrix: all rows, or only those that have an entry. */
static sparcl_status put_full(sparcl_ctx *ctx, product *p, const sparcl_data *data, bool all) {
    const sparcl_plan_case *const a = p->about;
    const int64_t *const offsets = sparcl_data_offsets(data);
    const float *const values = sparcl_data_values(data);
    const void *const indices = sparcl_data_indices(data);
    const bool wide = sparcl_data_index_type(data) == SPARCL_INDEX64;
    const int64_t rows = all ? a->rows : a->rows_distribution.used;
    float *const full = calloc((size_t)(rows * a->cols) + 1, sizeof *full);
    int64_t at = 0;
    if (!full) return SPARCL_E_MEMORY;
    for (int64_t r = 0; r < a->rows; r++) {
        if (!all && !is_used(offsets, r)) continue;
        for (int64_t k = offsets[r]; k < offsets[r + 1]; k++)
            full[at * a->cols + (wide ? ((const int64_t *)indices)[k]
                                      : ((const int32_t *)indices)[k])] += values[k];
        at++;
    }
    p->full = (sparcl_dense){.rank = 2, .shape = {rows, a->cols}};
    const sparcl_status status = sparcl_dense_upload(ctx, &p->full, full);
    free(full);
    return status;
}

/* The indices of the rows that have an entry, and memory for their rows of an operand or result. */
static sparcl_status put_used(sparcl_ctx *ctx, product *p, const sparcl_data *data) {
    const sparcl_plan_case *const a = p->about;
    int64_t *const numbers = malloc(((size_t)a->rows_distribution.used + 1) * sizeof *numbers);
    int64_t at = 0;
    if (!numbers) return SPARCL_E_MEMORY;
    for (int64_t r = 0; r < a->rows; r++)
        if (is_used(sparcl_data_offsets(data), r)) numbers[at++] = r;
    p->used = (sparcl_list){.count = a->rows_distribution.used,
                            .limit = a->rows,
                            .index_type = SPARCL_INDEX64,
                            .proof.flags = SPARCL_TRUSTED};
    sparcl_status status = sparcl_list_upload(ctx, &p->used, numbers, SPARCL_VALID);
    free(numbers);
    if (status == SPARCL_OK) status = put_dense(ctx, &p->compact, a->rows_distribution.used, a->n);
    p->scattered =
        (sparcl_rows){.rank = 2,
                      .index_type = SPARCL_INDEX64,
                      .shape = {a->rows, a->n},
                      .nnr = a->rows_distribution.used,
                      .indices = p->used.indices,
                      .values = p->compact.values,
                      .proof.flags = SPARCL_TRUSTED | SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE};
    return status;
}

/* True if the product uses a pattern. */
static bool by_pattern(const product *p) {
    return (p->format == SPARCL_FORMAT_CSC) != (p->about->transposed != 0);
}

static sparcl_status put_matrix(sparcl_ctx *ctx, product *p, const sparcl_data *data) {
    if (p->format == SPARCL_FORMAT_DENSE) return put_full(ctx, p, data, true);
    if (p->format == SPARCL_FORMAT_ROWS) {
        const sparcl_status status = put_full(ctx, p, data, false);
        return status == SPARCL_OK ? put_used(ctx, p, data) : status;
    }
    sparcl_status status = put_csr(ctx, p, data);
    if (status == SPARCL_OK && p->format == SPARCL_FORMAT_CSC) status = convert_to_csc(ctx, p);
    if (status == SPARCL_OK && p->format == SPARCL_FORMAT_COO) status = convert_to_coo(ctx, p);
    if (status == SPARCL_OK && by_pattern(p)) {
        status = sparcl_pattern_create(ctx, &p->pattern);
        if (status == SPARCL_OK) status = sparcl_pattern_build(ctx, p->pattern, &p->csr);
    }
    return status;
}

static sparcl_status open_product(sparcl_ctx *ctx, product *p, const sparcl_data *data) {
    const sparcl_plan_case *const a = p->about;
    const int64_t inner = a->transposed ? a->rows : a->cols;
    const int64_t outer = a->transposed ? a->cols : a->rows;
    sparcl_status status = put_matrix(ctx, p, data);
    if (status == SPARCL_OK) status = put_dense(ctx, &p->b, inner, a->n);
    if (status == SPARCL_OK) status = put_dense(ctx, &p->c, outer, a->n);
    return status;
}

/* ---- the product ---------------------------------------------------------------------------- */

static sparcl_status run_sparse(sparcl_ctx *ctx, const product *p) {
    return by_pattern(p) ? sparcl_spmm_t(ctx, &p->c, 1, &p->csr, &p->b, 0, p->pattern)
                         : sparcl_spmm(ctx, &p->c, 1, &p->csr, &p->b, 0);
}

static sparcl_status run_coo(sparcl_ctx *ctx, const product *p) {
    sparcl_csr made = p->csr;
    sparcl_status status = sparcl_coo_to_csr(ctx, &made, &p->coo);
    if (status == SPARCL_OK && p->pattern) status = sparcl_pattern_build(ctx, p->pattern, &made);
    if (status != SPARCL_OK) return status;
    return p->pattern ? sparcl_spmm_t(ctx, &p->c, 1, &made, &p->b, 0, p->pattern)
                      : sparcl_spmm(ctx, &p->c, 1, &made, &p->b, 0);
}

static sparcl_status run_dense(sparcl_ctx *ctx, const product *p, const sparcl_dense *to,
                               const sparcl_dense *b) {
    return sparcl_gemm(ctx, to, 1, p->about->transposed ? SPARCL_OP_T : SPARCL_OP_N, &p->full,
                       SPARCL_OP_N, b, 0, SPARCL_MATH_EXACT);
}

/* Rows without entries are 0 in the product, and are not read in the transposed product. */
static sparcl_status run_rows(sparcl_ctx *ctx, const product *p) {
    sparcl_status status = SPARCL_OK;
    if (p->about->transposed) {
        status = sparcl_gather_rows(ctx, &p->compact, &p->b, &p->used);
        return status == SPARCL_OK ? run_dense(ctx, p, &p->c, &p->compact) : status;
    }
    status = run_dense(ctx, p, &p->compact, &p->b);
    if (status == SPARCL_OK)
        status = sparcl_buf_fill(ctx, p->c.values, 0, sparcl_buf_bytes(p->c.values), 0);
    return status == SPARCL_OK ? sparcl_scatter_add(ctx, &p->c, 1, &p->scattered) : status;
}

static sparcl_status run_product(sparcl_ctx *ctx, const void *user) {
    const product *const p = user;
    switch (p->format) {
    case SPARCL_FORMAT_DENSE:
        return run_dense(ctx, p, &p->c, &p->b);
    case SPARCL_FORMAT_CSR:
    case SPARCL_FORMAT_CSC:
        return run_sparse(ctx, p);
    case SPARCL_FORMAT_COO:
        return run_coo(ctx, p);
    case SPARCL_FORMAT_ROWS:
        return run_rows(ctx, p);
    case SPARCL_FORMAT_BSR: /* not planned */
        break;
    }
    return SPARCL_E_ARG;
}

/* ---- times ---------------------------------------------------------------------------------- */

/* The number of calls in flight, as the prediction assumes: some milliseconds. */
static int in_flight(double seconds) {
    return (int)fmin(100, fmax(1, 0.01 / fmax(seconds, 1e-7)));
}

static sparcl_status time_format(sparcl_ctx *ctx, const sparcl_data *data,
                                 const sparcl_plan_case *about, const sparcl_plan_line *line,
                                 double *seconds) {
    static bench_times times;
    product *const p = calloc(1, sizeof *p);
    if (!p) return SPARCL_E_MEMORY;
    p->about = about;
    p->format = line->format;
    sparcl_status status = open_product(ctx, p, data);
    const bench_effort effort = {in_flight(line->seconds), 0, round_seconds};
    if (status == SPARCL_OK) status = bench_measure(ctx, run_product, p, &effort, &times);
    if (status == SPARCL_OK) *seconds = bench_median(&times);
    drop(p);
    return status;
}

static double middle_of(const double x[ROUNDS]) {
    return fmax(fmin(x[0], x[1]), fmin(fmax(x[0], x[1]), x[2]));
}

exit_code plan_measure(sparcl_ctx *ctx, const sparcl_data *data, const sparcl_plan_case *about,
                       const sparcl_plan *plan, plan_times *times) {
    double seen[SPARCL_FORMATS][ROUNDS] = {{0}};
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < SPARCL_FORMATS; i++) {
            const sparcl_plan_line *const line = &plan->lines[i];
            if (!line->fits || line->seconds > longest_seconds || line->bytes > max_bytes) continue;
            const sparcl_status status =
                time_format(ctx, data, about, line, &seen[line->format][round]);
            if (status == SPARCL_E_MEMORY && sparcl_ctx_error(ctx)->status != status)
                return out_of_memory();
            if (status != SPARCL_OK) return report_device(ctx, sparcl_ctx_error(ctx));
        }
    for (int format = 0; format < SPARCL_FORMATS; format++)
        times->seconds[format] = middle_of(seen[format]);
    return EXIT_OK;
}

plan_verdict plan_judge(const sparcl_plan *plan, const plan_times *times) {
    plan_verdict verdict = {1, 1};
    double minimum = INFINITY;
    for (int i = 0; i < SPARCL_FORMATS; i++) {
        const double measured = times->seconds[plan->lines[i].format];
        if (measured <= 0) continue;
        const double ratio = plan->lines[i].seconds / measured;
        verdict.worst_ratio = fmax(verdict.worst_ratio, fmax(ratio, 1 / ratio));
        minimum = fmin(minimum, measured);
    }
    const double chosen = times->seconds[plan->lines[0].format];
    if (chosen > 0) verdict.choice_ratio = chosen / minimum;
    return verdict;
}
