/* spec_coo_mask.c: the elements of a dense array where a COO array has entries, in plain C. Variant
 * 1: the number of entries is on the device. rows: number of the shape. */
#include <string.h>

#include "spec/bench/bench.h"
#include "spec/shared/harness_sparse.h"

enum { MOST_ELEMENTS = 300000 };

static const int64_t sizes[] = {0, 1, 37, 600, 5000, 30000};

static int64_t elements_of(const int64_t *shape, int rank) {
    double all = 1;
    for (int d = 0; d < rank; ++d)
        all *= (double)shape[d];
    return all > MOST_ELEMENTS ? -1 : (int64_t)all;
}

/* Number of the k-th shape that is small enough for a dense array, or -1. */
static int shape_number(int k) {
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    for (int number = 0; spec_entries_shape(number, &rank, shape); ++number)
        if (elements_of(shape, rank) >= 0 && k-- == 0) return number;
    return -1;
}

static bool get_case(int i, bool small, spec_case *c) {
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int number = shape_number(i / count);
    if (number < 0) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = number,
                     .nnz = sizes[i % count],
                     .dtype = spec_any_dtype(i + number),
                     .index_type = i % 4 == 2 ? SPARCL_INDEX64 : SPARCL_INDEX32,
                     .seed = (uint64_t)i + 31,
                     .variant = i % 3 == 1};
    return true;
}

typedef struct state {
    spec_entries entries;
    const double *x;
    sparcl_coo at;
    sparcl_dense dense, values;
} state;

/* The values of `at` are of another type, and not read. */
static void make(spec_test *t) {
    const spec_case *const c = t->c;
    state *const s = t->state;
    spec_case other = *c;
    other.dtype = SPARCL_BF16;
    s->entries = spec_entries_drawn(t, (int)c->rows, c->nnz, c->variant, c->seed);
    const int64_t elements =
        s->entries.shape[0] * sparcl_row_width(s->entries.rank, s->entries.shape);
    double *const x = spec_own(t, spec_numbers(elements, c->seed + 1));
    spec_store_values(c->dtype, x, elements);
    s->x = x;
    s->dense = (sparcl_dense){.rank = s->entries.rank,
                              .dtype = c->dtype,
                              .values = spec_reals_buf(t, x, elements, c->dtype)};
    memcpy(s->dense.shape, s->entries.shape, sizeof s->dense.shape);
    s->at = spec_coo_as(t, &other, &s->entries, t->given ? 0 : 3, false);
    s->values = (sparcl_dense){
        .rank = 1,
        .dtype = c->dtype,
        .shape = {s->entries.capacity},
        .values = spec_result_buf(t, s->entries.capacity * (int64_t)sparcl_dtype_size(c->dtype))};
}

static sparcl_status call(sparcl_ctx *ctx, void *made, int number) {
    state *const s = made;
    (void)number;
    return sparcl_coo_mask(ctx, &s->values, &s->dense, &s->at);
}

static void expect(spec_test *t) {
    const state *const s = t->state;
    double *const want = spec_reals(t, s->entries.capacity);
    for (int64_t k = 0; k < s->entries.stored; ++k) {
        int64_t place = 0;
        for (int d = 0; d < s->entries.rank; ++d)
            place = place * s->entries.shape[d] + s->entries.indices[d][k];
        want[k] = s->x[place];
    }
    t->report->zeros_expected = true;
    spec_expect_dense(t, "values", &s->values, want, NULL, NULL);
}

/* The indices, the elements there, and the values. */
static void work(const spec_test *t, int number, double *flops, double *bytes) {
    const state *const s = t->state;
    const double indices = 2 * (double)sparcl_itype_size(s->at.index_type);
    (void)number;
    *flops = 0;
    *bytes = (indices + 8) * (double)s->entries.stored;
}

extern const spec_op spec_coo_mask;
static const spec_bench timed[] = {
    {"coo-mask", "the elements of a dense matrix where COO entries are", .op = &spec_coo_mask},
    {0}};

const spec_op spec_coo_mask = {.name = "coo_mask",
                               .get_case = get_case,
                               .state_size = sizeof(state),
                               .make = make,
                               .call = call,
                               .expect = expect,
                               .work = work,
                               .timed = timed};
