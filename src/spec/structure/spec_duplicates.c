/* spec_duplicates.c: items with equal indices combined, in plain C. Variant: sparcl_duplicates; +
 * 8: of a row-sparse array; + 16: of a CSR matrix (sums only); + 32: with an inverse, counts and a
 * source; + 64: some values are NaN. `n`: number of the shape, or the width of rows. */
#include <math.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { HOW = 8, ROWS = 8, CSR = 16, MORE = 32, NANS = 64 };

/* Some end with a block of a single item. */
static const int64_t sizes[] = {0, 1, 37, 513, 700, 1025, 5121, 30209};
static const int64_t widths[] = {1, 2, 7, 16};

static bool get_rows_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int n_widths = (int)(sizeof widths / sizeof widths[0]);
    if (i >= n_sizes * n_widths * 2) return false;
    *c = (spec_case){.kind = (spec_kind)((i + i / 5) % SPEC_KINDS),
                     .rows = i % 3 ? 50 : 3000,
                     .nnz = sizes[i / 2 / n_widths],
                     .n = widths[i / 2 % n_widths],
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = ROWS};
    return true;
}

static bool get_csr_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    if (i >= n_sizes * 2) return false;
    *c = (spec_case){.kind = i % 2 ? SPEC_DUPLICATE : (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = 20 + i,
                     .cols = 300,
                     .nnz = sizes[i / 2],
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .offset_type = i % 3 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = CSR};
    return true;
}

/* Row-sparse arrays and matrices, then COO arrays. */
static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype floats[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    spec_case none;
    int first = 0, second = 0;
    while (get_rows_case(first, small, &none))
        ++first;
    while (get_csr_case(second, small, &none))
        ++second;
    const int at = i - first - second;
    if (i < first)
        get_rows_case(i, small, c);
    else if (at < 0)
        get_csr_case(i - first, small, c);
    else if (!spec_entries_case(c, at, sizes, sizeof sizes / sizeof sizes[0], small))
        return false;
    if (at >= 0 && i % 4 == 2) c->index_type = SPARCL_INDEX64;
    if (!(c->variant & CSR)) c->variant += (i * 7 + i / 6) % 6;
    c->variant += (i % 3 ? MORE : 0) + (i % 9 == 4 ? NANS : 0);
    c->dtype = c->variant % HOW >= SPARCL_FIRST ? spec_any_dtype(i) : floats[i * 3 / 2 % 4];
    c->seed = (uint64_t)(i + i / 3);
    return true;
}

typedef struct state {
    int how, variant;
    spec_matrix m;
    spec_entries from; /* of rank 1 for rows, 2 for a matrix; their values are `values` */
    int64_t width;
    double *values;                   /* [capacity of from, width] */
    spec_entries want;                /* without values */
    double *expected, *truth, *bound; /* [stored, width] */
    int64_t *inverse, *counts, *source;
    sparcl_coo coo, coo_to;
    sparcl_rows rows, rows_to;
    sparcl_csr csr, csr_to;
    sparcl_coalesced results;
    const sparcl_coalesced *more;
} state;

/* --- answers ---------------------------------------------------------------------------------- */

static bool is_better(double x, double best, int how) {
    if (isnan(best)) return false;
    return isnan(x) || (how == SPARCL_MAX ? x > best : x < best);
}

static int64_t pick(const double *terms, int64_t length, int how) {
    int64_t best = 0;
    if (how == SPARCL_LAST) return length - 1;
    for (int64_t k = 1; k < length && (how == SPARCL_MAX || how == SPARCL_MIN); ++k)
        if (is_better(terms[k], terms[best], how)) best = k;
    return best;
}

/* The smallest difference of stored numbers. */
static double spacing(sparcl_dtype dtype) {
    return dtype == SPARCL_F16 ? 0x1p-24 : dtype == SPARCL_BF16 ? 0x1p-133 : spec_smallest(dtype);
}

/* Element e of the result from its terms, which are in the order of the operand. */
static void answer(state *s, sparcl_dtype dtype, int64_t e, const double *terms, int64_t length) {
    double magnitude = 0, sum = 0, order = terms[pick(terms, length, s->how)];
    if (s->how > SPARCL_MEAN) {
        s->expected[e] = s->truth[e] = order;
        return;
    }
    for (int64_t k = 0; k < length; ++k) {
        sum += terms[k];
        magnitude += fabs(terms[k]);
    }
    const double n = s->how == SPARCL_MEAN ? (double)length : 1, u = spec_unit(dtype);
    order = spec_sum_duplicates(dtype, terms, length);
    if (s->how == SPARCL_MEAN) order = spec_round(dtype, order / n);
    s->expected[e] = spec_store(dtype, order);
    s->truth[e] = sum / n;
    s->bound[e] =
        (spec_depth_duplicates(length) * u * magnitude / n + (n > 1 ? u * fabs(sum / n) : 0)) *
        SPEC_SECOND_ORDER;
    if (dtype == SPARCL_F16 || dtype == SPARCL_BF16)
        s->bound[e] += spec_store_unit(dtype) * (fabs(sum / n) + s->bound[e]) + spacing(dtype);
}

/* The entries order[0] .. order[length - 1]. */
static void answer_run(state *s, sparcl_dtype dtype, const int64_t *order, int64_t length,
                       double *terms) {
    const int64_t u = s->want.stored++;
    spec_entries_copy(&s->want, u, &s->from, order[0]);
    s->counts[u] = length;
    for (int64_t k = 0; k < length; ++k)
        s->inverse[order[k]] = u;
    for (int64_t j = 0; j < s->width; ++j) {
        for (int64_t k = 0; k < length; ++k)
            terms[k] = s->values[order[k] * s->width + j];
        answer(s, dtype, u * s->width + j, terms, length);
        if (j == 0) s->source[u] = order[pick(terms, length, s->how)];
    }
}

static void make_answers(spec_test *t, state *s) {
    const int64_t items = s->from.capacity;
    double **const reals[] = {&s->expected, &s->truth, &s->bound};
    int64_t **const ints[] = {&s->inverse, &s->counts, &s->source};
    double *const terms = spec_reals(t, s->from.stored);
    const int64_t *const order = spec_own(t, spec_entries_order(&s->from));
    s->want = spec_entries_room(t, &s->from);
    for (int i = 0; i < 3; ++i) {
        *reals[i] = spec_reals(t, items * s->width);
        *ints[i] = spec_int64s(t, items);
    }
    for (int64_t begin = 0, end; begin < s->from.stored; begin = end) {
        end = spec_run_end(&s->from, order, begin);
        answer_run(s, t->c->dtype, order + begin, end - begin, terms);
    }
}

/* --- operands --------------------------------------------------------------------------------- */

/* Rows: ids as the entries of a vector; of a measurement the columns of the entries. */
static void make_ids(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const spec_entries like = {.rank = 1,
                               .shape = {t->given ? c->cols : c->rows},
                               .capacity = c->nnz + (int64_t)(c->seed % 3)};
    uint64_t seed = c->seed;
    s->width = c->n;
    s->from = spec_entries_room(t, &like);
    s->from.stored = c->nnz;
    for (int64_t k = 0; k < c->nnz; ++k)
        s->from.indices[0][k] = t->given ? t->given->indices[k]
                                : c->kind == SPEC_ONE_ROW
                                    ? 3
                                    : (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
}

/* Of a measurement: columns 2 j + 1 become 2 j, so that at most two entries of a row are in one
 * column; in descending order. */
static void make_matrix(spec_test *t, state *s) {
    s->m = spec_matrix_of(t, t->c->nnz, t->c->seed);
    if (t->given) {
        spec_matrix_unique(&s->m);
        for (int64_t k = 0; k < s->m.nnz; ++k)
            s->m.indices[k] -= s->m.indices[k] % 2;
        spec_matrix_reverse_rows(&s->m);
    }
    spec_own_entries(t, &s->from, spec_entries_of_matrix(&s->from, &s->m, s->m.nnz));
}

static void make_entries(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    s->from = spec_entries_drawn(t, (int)c->n, c->nnz, c->seed % 2, c->seed);
    if (t->given) spec_entries_shuffle(&s->from, 1);
}

static void make_values(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t count = s->from.capacity * s->width;
    uint64_t seed = c->seed + 9;
    s->values = spec_reals(t, count);
    for (int64_t i = 0; i < count; ++i) {
        /* few different numbers where the largest are equal often */
        const double number = t->given || c->variant % 2
                                  ? spec_uniform(&seed)
                                  : (double)(spec_random(&seed) % 16) / 8 - 0.9375;
        const bool is_nan = c->variant & NANS && c->dtype <= SPARCL_BF16 && i % 11 == 3;
        s->values[i] = is_nan ? NAN : spec_value(c->dtype, number);
    }
    for (int64_t k = 0; k < s->from.capacity && s->width == 1; ++k)
        s->from.values[k] = s->values[k];
    for (int64_t k = 0; k < s->m.nnz; ++k)
        s->m.values[k] = s->values[k];
}

static void put_rows(spec_test *t, state *s) {
    spec_case types = *t->c;
    spec_rowset rows = {.limit = s->from.shape[0],
                        .width = s->width,
                        .stored = s->from.stored,
                        .capacity = s->from.capacity,
                        .ids = s->from.indices[0],
                        .values = s->values};
    types.seed = 0; /* rank 2 */
    types.kind = SPEC_UNIFORM;
    s->rows = spec_row_sparse_as(t, &types, &rows);
    rows = spec_rowset_room(t, rows.limit, rows.capacity, rows.width);
    rows.stored = -1; /* the count is a result */
    s->rows_to = spec_row_sparse_as(t, &types, &rows);
    s->rows_to.proof.flags = 0;
}

static void put_csr(spec_test *t, state *s) {
    spec_case swapped = *t->c;
    const spec_matrix room = spec_matrix_room(t, s->m.rows, s->m.cols, s->m.nnz);
    swapped.offset_type = t->c->index_type;
    swapped.index_type = t->c->offset_type;
    s->csr = spec_csr(t, &s->m);
    s->csr_to = spec_csr_as(t, &swapped, &room);
    s->csr_to.proof.flags = 0;
}

static void put_coo(spec_test *t, state *s) {
    const spec_entries room = spec_entries_room(t, &s->from);
    s->coo = spec_coo(t, &s->from, t->given ? 0 : 2, t->given);
    s->coo_to = spec_coo(t, &room, t->given ? 0 : 1, true);
}

static void make_results(spec_test *t, state *s) {
    const int64_t bytes = (s->from.capacity + 1) * 8;
    const bool has_source =
        s->variant & ROWS ? s->how != SPARCL_MAX && s->how != SPARCL_MIN : !(s->variant & CSR);
    s->results.inverse = spec_result_buf(t, bytes);
    if (!(s->variant & CSR)) s->results.counts = spec_result_buf(t, bytes);
    if (has_source) s->results.source = spec_result_buf(t, bytes);
    s->results.counts_at = 1;
    s->more = &s->results;
}

static void make(spec_test *t) {
    state *const s = t->state;
    s->variant = t->c->variant;
    s->how = s->variant % HOW;
    s->width = 1;
    (s->variant & ROWS ? make_ids : s->variant & CSR ? make_matrix : make_entries)(t, s);
    make_values(t, s);
    make_answers(t, s);
    (s->variant & ROWS ? put_rows : s->variant & CSR ? put_csr : put_coo)(t, s);
    if (s->variant & MORE) make_results(t, s);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    const sparcl_duplicates how = (sparcl_duplicates)s->how;
    (void)number;
    if (s->variant & ROWS) return sparcl_rows_coalesce(ctx, &s->rows_to, &s->rows, how, s->more);
    if (s->variant & CSR)
        return sparcl_csr_sum_duplicates(ctx, &s->csr_to, &s->csr, s->results.inverse, 0);
    return sparcl_coo_coalesce(ctx, &s->coo_to, &s->coo, how, s->more);
}

/* --- results ---------------------------------------------------------------------------------- */

static void expect_rows(spec_test *t, const state *s) {
    const spec_rowset want = {.width = s->width,
                              .stored = s->want.stored,
                              .ids = s->want.indices[0],
                              .values = s->expected};
    spec_expect_rows(t, &s->rows_to, &want, s->truth, s->bound);
}

static void expect_csr(spec_test *t, const state *s) {
    const sparcl_csr *const to = &s->csr_to;
    const int64_t stored = s->want.stored;
    int64_t *const offsets = spec_int64s(t, to->rows + 1);
    for (int64_t u = 0; u < stored; ++u)
        ++offsets[s->want.indices[0][u] + 1];
    for (int64_t r = 0; r < to->rows; ++r)
        offsets[r + 1] += offsets[r];
    spec_expect_ints(t, "offsets", to->offsets, to->offsets_at, to->offset_type, offsets,
                     to->rows + 1);
    spec_expect_ints(t, "indices", to->indices, to->indices_at, to->index_type, s->want.indices[1],
                     stored);
    spec_expect(t, "values", to->values, to->values_at, to->dtype, stored, s->expected, s->truth,
                s->bound);
}

static void expect_more(spec_test *t, const char *what, const sparcl_buf *buf, int64_t at,
                        const int64_t *want, int64_t count) {
    if (buf) spec_expect_ints(t, what, buf, at, SPARCL_INDEX64, want, count);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    spec_entries want = s->want;
    want.values = s->expected;
    t->report->zeros_expected = t->given;
    if (s->variant & ROWS)
        expect_rows(t, s);
    else if (s->variant & CSR)
        expect_csr(t, s);
    else
        spec_expect_entries(t, &s->coo_to, &want, s->truth, s->bound);
    expect_more(t, "inverse", s->results.inverse, 0, s->inverse, s->from.stored);
    expect_more(t, "counts", s->results.counts, s->results.counts_at, s->counts, s->want.stored);
    expect_more(t, "source", s->results.source, 0, s->source, s->want.stored);
}

static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double stored = (double)s->from.stored, found = (double)s->want.stored;
    const double index = (double)sparcl_itype_size(t->c->index_type), width = (double)s->width;
    sparcl_csr written = s->csr_to;
    written.nnz = s->want.stored;
    (void)number;
    *flops = s->variant & ROWS ? (stored - found) * width : 0;
    *bytes = s->variant & ROWS  ? (index + 4 * width) * (stored + found)
             : s->variant & CSR ? spec_csr_bytes(&s->csr) + spec_csr_bytes(&written)
                                : 2 * spec_coo_bytes(&s->coo, s->from.stored);
}

extern const spec_op spec_duplicates;
static const spec_bench timed[] = {
    {"csr-sum-duplicates", "sort rows, and add the entries of one column", .op = &spec_duplicates,
     .setting = {.variant = CSR}},
    {"coo-coalesce-max", "sort shuffled entries, keep the largest of those of the same indices",
     .op = &spec_duplicates, .setting = {.variant = SPARCL_MAX}},
    {"rows-coalesce-max", "row-sparse: the largest elements of the rows of one column",
     SPEC_BENCH_WIDTHS, .op = &spec_duplicates, .setting = {.variant = SPARCL_MAX + ROWS}},
    {0}};

const spec_op spec_duplicates = {.name = "duplicates",
                                 .get_case = get_case,
                                 .state_size = sizeof(state),
                                 .make = make,
                                 .call = call,
                                 .expect = expect,
                                 .work = work,
                                 .timed = timed};
