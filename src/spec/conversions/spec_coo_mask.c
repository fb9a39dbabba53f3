/* spec_coo_mask.c: the elements of a dense array where a COO array has entries, in plain C. Variant
 * 1: the number of entries is on the device. rows: number of the shape. */
#include <stdlib.h>
#include <string.h>

#include "spec/shared/entries.h"
#include "spec/shared/made.h"

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
                     .index_type = i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .seed = (uint64_t)i + 31,
                     .variant = i % 3 == 1};
    return true;
}

typedef struct arrays {
    spec_entries at;
    int64_t elements;
    double *x, *want, *got;
} arrays;

static bool make(arrays *s, const spec_case *c) {
    if (!spec_entries_make(&s->at, c->kind, (int)c->rows, c->nnz, c->variant, c->seed))
        return false;
    s->elements = elements_of(s->at.shape, s->at.rank);
    s->x = spec_numbers(s->elements, c->seed + 1);
    s->want = calloc((size_t)s->at.capacity + 1, sizeof *s->want);
    s->got = spec_numbers(s->at.capacity, 1);
    if (!s->x || !s->want || !s->got) return false;
    for (int64_t k = 0; k < s->elements; ++k)
        s->x[k] = spec_value(c->dtype, s->x[k]);
    return true;
}

static void answer(arrays *s) {
    for (int64_t k = 0; k < s->at.stored; ++k) {
        int64_t place = 0;
        for (int d = 0; d < s->at.rank; ++d)
            place = place * s->at.shape[d] + s->at.indices[d][k];
        s->want[k] = s->x[place];
    }
}

/* The values of `a` are of another type, and not read. */
static sparcl_status run(sparcl_ctx *ctx, const spec_case *c, arrays *s) {
    sparcl_dense values = {.rank = 1, .dtype = c->dtype, .shape = {s->at.capacity}};
    sparcl_dense x = {.rank = s->at.rank, .dtype = c->dtype};
    sparcl_coo a = {.rank = 0};
    spec_case other = *c;
    other.dtype = SPARCL_BF16;
    memcpy(x.shape, s->at.shape, sizeof x.shape);
    sparcl_status status = spec_put_entries(ctx, &a, &s->at, &other, 3, false);
    if (status == SPARCL_OK) status = spec_put_reals(ctx, &x.values, s->x, s->elements, c->dtype);
    if (status == SPARCL_OK)
        status = spec_put_reals(ctx, &values.values, s->got, s->at.capacity, c->dtype);
    if (status == SPARCL_OK) status = spec_poison(ctx, values.values);
    if (status == SPARCL_OK) status = sparcl_coo_mask(ctx, &values, &x, &a);
    if (status == SPARCL_OK)
        status = spec_get_reals(ctx, values.values, 0, s->at.capacity, c->dtype, s->got);
    sparcl_coo_free(&a);
    sparcl_dense_free(&x);
    sparcl_dense_free(&values);
    return status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {.elements = 0};
    sparcl_status status = make(&s, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (status == SPARCL_OK) {
        answer(&s);
        status = run(ctx, c, &s);
    }
    if (status == SPARCL_OK)
        spec_compare(report, "values", s.got, s.want, NULL, NULL, s.at.capacity);
    spec_entries_free(&s.at);
    free(s.x);
    free(s.want);
    free(s.got);
    return status;
}

const spec_op spec_coo_mask = {.name = "coo_mask", .get_case = get_case, .check = check};
