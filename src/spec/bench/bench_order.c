/* bench_order.c: timed operations that sort entries: reorder, coalesce, and the conversion from CSR
 * to COO and back. f32, and 32-bit indices where they fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/entries.h"

/* The operations write `from` to `to`; `convert` writes `csr` to `to` to `back`, which with
 * `convert_shared` have its columns and values. */
typedef struct operands {
    spec_entries entries; /* in the order of `from` */
    sparcl_coo from, to;
    sparcl_csr csr, back;
} operands;

static void close_operands(void *state) {
    operands *const x = state;
    spec_entries_free(&x->entries);
    sparcl_coo_free(&x->from);
    sparcl_coo_free(&x->to);
    sparcl_csr_free(&x->csr);
    sparcl_csr_free(&x->back);
}

static void close_shared(void *state) {
    operands *const x = state;
    x->to.indices[1] = x->to.values = x->back.indices = x->back.values = NULL;
    close_operands(x);
}

/* --- inputs ---------------------------------------------------------------------------------- */

static bool copy_entries(spec_entries *e, const spec_matrix *m) {
    const spec_entries like = {.rank = 2, .shape = {m->rows, m->cols}, .capacity = m->nnz};
    if (!spec_entries_like(e, &like)) return false;
    e->stored = m->nnz;
    memcpy(e->indices[1], m->indices, (size_t)m->nnz * sizeof *m->indices);
    memcpy(e->values, m->values, (size_t)m->nnz * sizeof *m->values);
    for (int64_t r = 0; r < m->rows; ++r)
        for (int64_t k = m->offsets[r]; k < m->offsets[r + 1]; ++k)
            e->indices[0][k] = r;
    return true;
}

/* With a fixed seed. */
static void shuffle(spec_entries *e) {
    uint64_t seed = 1;
    for (int64_t k = e->stored - 1; k > 0; --k) {
        const int64_t i = (int64_t)(spec_random(&seed) % (uint64_t)(k + 1));
        /* The arrays have one more element than the capacity. */
        spec_entries_copy(e, e->capacity, e, k);
        spec_entries_copy(e, k, e, i);
        spec_entries_copy(e, i, e, e->capacity);
    }
}

/* Sort the entries; with a truth and a bound, also add entries of the same indices, by rule R. */
static bool put_in_order(spec_entries *to, const spec_entries *from, double *truth, double *bound) {
    int64_t *const order = spec_entries_order(from);
    double *const terms = calloc((size_t)from->stored + 1, sizeof *terms);
    const bool done = order && terms && spec_entries_like(to, from);
    for (int64_t begin = 0, end; done && begin < from->stored; begin = end) {
        end = begin + 1;
        while (truth && end < from->stored &&
               spec_entries_compare(from, order[begin], order[end]) == 0)
            ++end;
        double sum = 0, magnitude = 0;
        for (int64_t k = begin; k < end; ++k) {
            terms[k - begin] = spec_round(SPARCL_F32, from->values[order[k]]);
            sum += terms[k - begin];
            magnitude += fabs(terms[k - begin]);
        }
        if (truth) truth[to->stored] = sum;
        if (bound)
            bound[to->stored] = spec_depth_duplicates(end - begin) * spec_unit(SPARCL_F32) *
                                magnitude * SPEC_SECOND_ORDER;
        spec_entries_copy(to, to->stored, from, order[begin]);
        to->values[to->stored++] = spec_sum_duplicates(SPARCL_F32, terms, end - begin);
    }
    free(order);
    free(terms);
    return done;
}

static spec_case types_of(const spec_matrix *m) {
    const bool wide = m->rows > INT32_MAX || m->cols > INT32_MAX;
    return (spec_case){.dtype = SPARCL_F32,
                       .offset_type = m->nnz > INT32_MAX ? SPARCL_I64 : SPARCL_I32,
                       .index_type = wide ? SPARCL_I64 : SPARCL_I32};
}

static sparcl_status put_csr(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *m) {
    const spec_case types = types_of(m);
    return spec_put_csr(ctx, view, m, types.dtype, types.offset_type, types.index_type);
}

static sparcl_status put_coo(sparcl_ctx *ctx, sparcl_coo *view, const spec_entries *e,
                             const spec_matrix *m) {
    const spec_case types = types_of(m);
    return spec_put_entries(ctx, view, e, &types, 0, true);
}

static double entry_bytes(const spec_matrix *m) {
    return 4 + 2 * (double)sparcl_itype_size(types_of(m).index_type);
}

bool spec_bench_shuffled(spec_entries *e, const spec_matrix *m) {
    if (!copy_entries(e, m)) return false;
    shuffle(e);
    return true;
}

/* Shuffled entries. Their view has no SORTED or UNIQUE, and `to` loses its proof when it is
 * written. */
static sparcl_status open_shuffled(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = call->state;
    if (!spec_bench_shuffled(&x->entries, m)) return SPARCL_E_MEMORY;
    sparcl_status status = put_coo(ctx, &x->from, &x->entries, m);
    if (status == SPARCL_OK) status = put_coo(ctx, &x->to, &x->entries, m);
    call->bytes = 2 * entry_bytes(m) * (double)m->nnz;
    return status;
}

static sparcl_status open_convert(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = call->state;
    if (!copy_entries(&x->entries, m)) return SPARCL_E_MEMORY;
    sparcl_status status = put_csr(ctx, &x->csr, m);
    if (status == SPARCL_OK) status = put_csr(ctx, &x->back, m);
    if (status == SPARCL_OK) status = put_coo(ctx, &x->to, &x->entries, m);
    if (status == SPARCL_OK) status = sparcl_csr_validate(ctx, &x->csr, SPARCL_VALID);
    const double offset = (double)sparcl_itype_size(types_of(m).offset_type);
    const double index = (double)sparcl_itype_size(types_of(m).index_type);
    call->bytes = 2 * (4 + index) * (double)m->nnz + 2 * offset * (double)(m->rows + 1) +
                  2 * entry_bytes(m) * (double)m->nnz;
    return status;
}

/* Of the sorted matrix: the second conversion of an unsorted one would move its entries. */
static sparcl_status open_shared(sparcl_ctx *ctx, spec_bench_call *call) {
    const spec_matrix *const m = call->input->matrix;
    operands *const x = call->state;
    spec_entries order = {0};
    const spec_case types = types_of(m);
    sparcl_status status = SPARCL_E_MEMORY;
    if (copy_entries(&x->entries, m) && put_in_order(&order, &x->entries, NULL, NULL)) {
        const spec_matrix sorted = {m->rows,    m->cols,          m->nnz,
                                    m->offsets, order.indices[1], order.values};
        status = put_csr(ctx, &x->csr, &sorted);
    }
    spec_entries_free(&order);
    if (status == SPARCL_OK) status = sparcl_csr_validate(ctx, &x->csr, SPARCL_VALID);
    x->back = x->csr;
    x->to = (sparcl_coo){.rank = 2,
                         .index_type = types.index_type,
                         .shape = {m->rows, m->cols},
                         .nnz = m->nnz,
                         .indices = {NULL, x->csr.indices},
                         .values = x->csr.values};
    x->back.offsets = NULL;
    const double offset = (double)sparcl_itype_size(types.offset_type);
    const double index = (double)sparcl_itype_size(types.index_type);
    call->bytes = 2 * offset * (double)(m->rows + 1) + 2 * index * (double)m->nnz;
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &x->to.indices[0], (int64_t)index * (m->nnz + 1));
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &x->to.count, 8);
    return status == SPARCL_OK
               ? sparcl_buf_create(ctx, &x->back.offsets, (int64_t)offset * (m->rows + 1))
               : status;
}

/* --- calls ----------------------------------------------------------------------------------- */

static sparcl_status run_reorder(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_coo_sort(ctx, &x->to, &x->from, NULL, 0);
}

static sparcl_status run_coalesce(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    return sparcl_coo_coalesce(ctx, &x->to, &x->from);
}

/* CSR to COO to CSR. The second conversion skips sorting only where the matrix is sorted. */
static sparcl_status run_convert(sparcl_ctx *ctx, const spec_bench_call *call) {
    operands *const x = call->state;
    const sparcl_status status = sparcl_csr_to_coo(ctx, &x->to, &x->csr);
    return status == SPARCL_OK ? sparcl_coo_to_csr(ctx, &x->back, &x->to) : status;
}

/* --- checks ---------------------------------------------------------------------------------- */

static sparcl_status compare(sparcl_ctx *ctx, const spec_bench_call *call, bool sums,
                             spec_report *report) {
    const operands *const x = call->state;
    const size_t capacity = (size_t)x->entries.stored + 1;
    double *const truth = sums ? malloc(capacity * sizeof *truth) : NULL;
    double *const bound = sums ? malloc(capacity * sizeof *bound) : NULL;
    spec_entries order = {0}, got = {0};
    *report = (spec_report){.equal = true, .zeros_expected = true};
    const bool made = (!sums || (truth && bound)) &&
                      put_in_order(&order, &x->entries, truth, bound) &&
                      spec_entries_like(&got, &x->entries);
    sparcl_status status = made ? spec_get_entries(ctx, &x->to, &got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare_entries(report, &got, &order, truth, bound);
    spec_entries_free(&order);
    spec_entries_free(&got);
    free(truth);
    free(bound);
    return status;
}

static sparcl_status check_reorder(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    return compare(ctx, call, false, report);
}

static sparcl_status check_coalesce(sparcl_ctx *ctx, const spec_bench_call *call,
                                    spec_report *report) {
    return compare(ctx, call, true, report);
}

/* The result must be the matrix, with its rows sorted. */
static sparcl_status check_convert(sparcl_ctx *ctx, const spec_bench_call *call,
                                   spec_report *report) {
    const operands *const x = call->state;
    const spec_matrix *const m = call->input->matrix;
    spec_entries order = {0};
    sparcl_status status = SPARCL_E_MEMORY;
    if (put_in_order(&order, &x->entries, NULL, NULL)) {
        const spec_matrix want = {m->rows,    m->cols,          m->nnz,
                                  m->offsets, order.indices[1], order.values};
        status = spec_bench_compare_csr(ctx, &x->back, &want, report);
    }
    spec_entries_free(&order);
    return status;
}

static sparcl_status poison(sparcl_ctx *ctx, const spec_bench_call *call) {
    const operands *const x = call->state;
    return spec_bench_poison_coo(ctx, &x->to);
}

SPEC_BENCH(reorder, "reorder", "sort shuffled entries", 0, open_shuffled, run_reorder,
           check_reorder)
SPEC_BENCH(coalesce, "coalesce", "sort shuffled entries, and add those of the same indices", 0,
           open_shuffled, run_coalesce, check_coalesce)
const spec_bench spec_bench_convert = {.name = "convert",
                                       .what = "CSR to COO and back",
                                       .flags = 0,
                                       .state_size = sizeof(operands),
                                       .open = open_convert,
                                       .run = run_convert,
                                       .check = check_convert,
                                       .close = close_operands,
                                       .reset = NULL};
const spec_bench spec_bench_convert_shared = {.name = "convert-shared",
                                              .what =
                                                  "the same, without copies of columns and values",
                                              .flags = 0,
                                              .state_size = sizeof(operands),
                                              .open = open_shared,
                                              .run = run_convert,
                                              .check = check_convert,
                                              .close = close_shared,
                                              .reset = NULL};
