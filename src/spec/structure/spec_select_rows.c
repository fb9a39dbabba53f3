/* spec_select_rows.c: selecting the rows of a list, in plain C. Variant 0: of a CSR matrix; 1: the
 * same with less capacity than needed; 2: of a dense matrix, which of a measurement has a row for
 * each column of A; the list has that of each entry. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/structure/made_case.h"

/* Rows, columns and entries of the matrix; n is the length of the list. */
static const int64_t sizes[][4] = {
    {0, 5, 0, 0},      {4, 3, 0, 6},        {5, 1, 9, 0},   {1, 7, 5, 9},
    {37, 23, 200, 50}, {300, 5, 1500, 700}, {9, 40, 90, 3}, {5000, 700, 60000, 9000}};

/* Other shapes, alternately sparse and dense. */
#define MORE 20

/* Other element types: each with each variant twice. */
#define OTHERS 30

static bool get_other(int i, spec_case *c) {
    if (i >= OTHERS) return false;
    *c = (spec_case){.kind = (spec_kind)(i / 3 % SPEC_KINDS),
                     .rows = 3 + i * 37 % 200,
                     .cols = 1 + i * 23 % 90,
                     .nnz = 40 + i * 71 % 900,
                     .n = 1 + i * 47 % 150,
                     .dtype = spec_other_dtype(i / 3),
                     .offset_type = i % 4 == 1 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 5 == 3 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i % 3,
                     .seed = (uint64_t)i + 4031};
    return true;
}

static bool get_more(int i, spec_case *c) {
    if (i >= MORE) return get_other(i - MORE, c);
    *c = (spec_case){.kind = (spec_kind)(i / 2 % SPEC_KINDS),
                     .rows = 3 + i * 29 % 200,
                     .cols = 1 + i * 17 % 60,
                     .nnz = 5 + i * 67 % 900,
                     .n = 1 + i * 43 % 150,
                     .dtype = i % 5 == 4 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 3 ? SPARCL_INDEX32 : SPARCL_INDEX64,
                     .index_type = i % 4 == 3 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i % 2 ? 2 : i / 2 % 2,
                     .seed = (uint64_t)i + 2031};
    return true;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int n_sizes = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 1 : 0);
    if (i >= n_sizes * 12) return get_more(i - n_sizes * 12, c);
    const int64_t *size = sizes[i / 12];
    *c = (spec_case){.kind = (spec_kind)(i % SPEC_KINDS),
                     .rows = size[0],
                     .cols = size[1],
                     .nnz = size[2],
                     .n = size[3],
                     .dtype = i % 5 == 4 ? SPARCL_F64 : SPARCL_F32,
                     .offset_type = i % 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .index_type = i % 4 / 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .variant = i / 4 % 3,
                     .seed = (uint64_t)i + 31};
    return true;
}

enum { CSR, LESS, DENSE };
#define BATCH 4096 /* rows of a measurement */

typedef struct state {
    int64_t *ids;
    sparcl_list list;
    spec_matrix m;
    sparcl_csr from;
    spec_made want;
    spec_made_result result;
    const double *x;
    sparcl_dense dense, rows;
} state;

/* Of a measurement: the first rows of a shuffled list of all rows. */
static void shuffle(int64_t *ids, int64_t rows) {
    uint64_t seed = 2;
    for (int64_t r = 0; r < rows; ++r) {
        const int64_t other = (int64_t)(spec_random(&seed) % (uint64_t)(r + 1));
        ids[r] = ids[other];
        ids[other] = r;
    }
}

static void make_list(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t batch = c->rows < BATCH ? c->rows : BATCH, count = t->given ? batch : c->n;
    uint64_t seed = c->seed + 1;
    s->ids = spec_int64s(t, t->given ? c->rows : c->n);
    if (t->given) shuffle(s->ids, c->rows);
    for (int64_t i = 0; i < count && !t->given; ++i)
        s->ids[i] = (int64_t)(spec_random(&seed) % (uint64_t)c->rows);
    s->list = spec_list(t, s->ids, count, c->rows, c->index_type);
}

static int64_t row_length(const state *s, int64_t i) {
    return s->m.offsets[s->ids[i] + 1] - s->m.offsets[s->ids[i]];
}

static void make_csr(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    int64_t needed = 0;
    s->m = spec_matrix_of(t, c->nnz, c->seed);
    for (int64_t k = 0; k < s->m.nnz; ++k)
        s->m.values[k] = spec_moved_value(c->dtype, s->m.values[k]);
    for (int64_t i = 0; i < s->list.count; ++i)
        needed += row_length(s, i);
    s->want = spec_made_room(t, s->list.count, c->cols, needed);
    for (int64_t i = 0; i < s->list.count; ++i) {
        const int64_t begin = s->m.offsets[s->ids[i]];
        for (int64_t k = begin; k < begin + row_length(s, i); ++k)
            spec_made_add(&s->want, s->m.indices[k], s->m.values[k], k);
        spec_made_end_row(&s->want);
    }
    s->from = spec_csr(t, &s->m);
    s->result = spec_made_view(t, &s->want,
                               t->given             ? needed
                               : c->variant == LESS ? needed * 2 / 3
                                                    : needed + 5,
                               true);
    s->result.moved.source = NULL; /* the operation has none */
}

static void make_dense(spec_test *t, state *s) {
    const spec_case *const c = t->c;
    const int64_t width = t->given ? c->n : c->cols, ld = t->given ? width : width + 2;
    const int64_t rows = s->list.limit, results = s->list.count * width;
    double *const x = spec_own(t, spec_numbers(rows * ld, c->seed));
    for (int64_t k = 0; k < rows * ld; ++k)
        x[k] = spec_moved_value(c->dtype, x[k]);
    s->x = x;
    s->dense = spec_dense(t, rows, width, ld, x);
    s->rows = spec_dense(t, s->list.count, width, width, spec_reals(t, results));
}

static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    const bool is_dense = c->variant == DENSE;
    if (t->given && is_dense)
        s->list = spec_list(t, s->ids = t->given->indices, c->nnz, c->cols, c->index_type);
    else
        make_list(t, s);
    (is_dense ? make_dense : make_csr)(t, s);
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    if (s->x) return sparcl_gather_rows(ctx, &s->rows, &s->dense, &s->list);
    return sparcl_csr_take_rows(ctx, &s->result.to, &s->from, &s->list, &s->result.moved);
}

static void expect(spec_test *t) {
    state *const s = t->state;
    t->report->zeros_expected = t->given || t->c->dtype == SPARCL_BOOL;
    if (!s->x) {
        spec_expect_made(t, &s->result, &s->want);
        return;
    }
    const int64_t width = s->rows.ld;
    double *const want = spec_reals(t, s->list.count * width);
    for (int64_t i = 0; i < s->list.count; ++i)
        memcpy(want + i * width, s->x + s->ids[i] * s->dense.ld, (size_t)width * sizeof *want);
    spec_expect_dense(t, "rows", &s->rows, want, NULL, NULL);
}

/* Indices and values are read and written; also the list, the offsets of its rows and those of the
 * result. Of dense rows the list, and each row that it has as often as it has it. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double offset = (double)sparcl_itype_size(s->from.offset_type);
    const double entry = 4 + (double)sparcl_itype_size(s->from.index_type);
    (void)number;
    *flops = 0;
    *bytes = 2 * entry * (double)s->want.matrix.nnz + 3 * offset * (double)s->list.count +
             spec_list_bytes(&s->list);
    if (s->x) *bytes = spec_list_bytes(&s->list) + 8 * (double)(s->list.count * s->rows.ld);
}

extern const spec_op spec_select_rows;
static const spec_bench timed[] = {
    {"select-rows", "select 4096 random rows of A, or all rows where it has fewer",
     .op = &spec_select_rows, .setting = {.variant = CSR}},
    {"gather-rows", "embedding without a padding index or bounds",
     SPEC_BENCH_WIDTHS | SPEC_BENCH_GATHER, .op = &spec_select_rows, .setting = {.variant = DENSE}},
    {0}};

const spec_op spec_select_rows = {.name = "select_rows",
                                  .get_case = get_case,
                                  .state_size = sizeof(state),
                                  .make = make,
                                  .call = call,
                                  .expect = expect,
                                  .work = work,
                                  .timed = timed};
