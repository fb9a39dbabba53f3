/* spec_coo_binary.c: sums and products of two COO arrays element by element, with their gradients,
 * in plain C. Variant 0: the sum; 1: the product; + 2: with less capacity than needed; + 4: the
 * numbers of entries are on the device. rows: number of the shape; n: entries of B. */
#include <stdlib.h>

#include "spec/shared/entries.h"

enum { PRODUCT = 1, CUT = 2, COUNTED = 4 };

/* Entries of A and of B before duplicates are removed. */
static const int64_t sizes[][2] = {{0, 0},     {0, 5},      {7, 0},         {1, 1},
                                   {37, 50},   {600, 90},   {1100, 3000},   {40, 5000},
                                   {700, 700}, {5000, 300}, {30000, 20000}, {9000, 40000}};

/* Positions must fit in 64 bits. */
static bool fits(int number) {
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    double all = 1;
    if (!spec_entries_shape(number, &rank, shape)) return false;
    for (int d = 0; d < rank; ++d)
        all *= (double)shape[d];
    return all < 0x1p63;
}

static int shape_number(int k) {
    int64_t shape[SPARCL_MAX_RANK];
    int rank = 0;
    for (int number = 0; spec_entries_shape(number, &rank, shape); ++number)
        if (fits(number) && k-- == 0) return number;
    return -1;
}

static bool get_case(int i, bool small, spec_case *c) {
    static const sparcl_dtype dtypes[] = {SPARCL_F32, SPARCL_F64, SPARCL_F16, SPARCL_BF16};
    const int count = (int)(sizeof sizes / sizeof sizes[0]) - (small ? 2 : 0);
    const int number = shape_number(i / count);
    if (number < 0) return false;
    *c = (spec_case){.kind = (spec_kind)((i + number) % SPEC_KINDS),
                     .rows = number,
                     .nnz = sizes[i % count][0],
                     .n = sizes[i % count][1],
                     .dtype = dtypes[(i + i / 4) % 4],
                     .index_type =
                         spec_entries_is_wide(number) || i % 4 == 2 ? SPARCL_I64 : SPARCL_I32,
                     .alpha = i % 4 ? 1 : -0.5,
                     .beta = i % 3 ? -1 : 2.5,
                     .variant = (i * 5 + i / 7) % 8,
                     .seed = (uint64_t)i + 377};
    return true;
}

typedef struct arrays {
    spec_entries a, b, c, got; /* c: the expected result, with its capacity */
    int64_t needed;
    int64_t *from_a, *from_b;
    double *g, *ga, *gb; /* the gradient of C's values, and those that are expected */
} arrays;

static void drop(arrays *s) {
    void *const all[] = {s->from_a, s->from_b, s->g, s->ga, s->gb};
    spec_entries_free(&s->a);
    spec_entries_free(&s->b);
    spec_entries_free(&s->c);
    spec_entries_free(&s->got);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        free(all[i]);
}

/* Sort, and keep the first of equal entries; some values are 0. */
static bool make_unique(spec_entries *e, sparcl_dtype dtype) {
    spec_entries sorted;
    int64_t *const order = spec_entries_order(e);
    if (!order || !spec_entries_like(&sorted, e)) {
        free(order);
        return false;
    }
    for (int64_t k = 0; k < e->stored; ++k)
        if (k == 0 || spec_entries_compare(e, order[k - 1], order[k]))
            spec_entries_copy(&sorted, sorted.stored++, e, order[k]);
    e->stored = sorted.stored;
    for (int64_t k = 0; k < e->stored; ++k) {
        spec_entries_copy(e, k, &sorted, k);
        e->values[k] = k % 17 == 3 ? 0 : spec_store(dtype, e->values[k]);
    }
    spec_entries_free(&sorted);
    free(order);
    return true;
}

/* Every second entry of B is at a place of A, as far as A has entries. */
static bool make_operands(arrays *s, const spec_case *c) {
    const int number = (int)c->rows;
    const bool more = c->variant & COUNTED;
    if (!spec_entries_make(&s->a, c->kind, number, c->nnz, more, c->seed) ||
        !spec_entries_make(&s->b, c->kind, number, c->n, more, c->seed + 1))
        return false;
    for (int64_t k = 0; k < s->b.stored && k < s->a.stored; k += 2) {
        const double value = s->b.values[k];
        spec_entries_copy(&s->b, k, &s->a, k);
        s->b.values[k] = value;
    }
    if (!make_unique(&s->a, c->dtype) || !make_unique(&s->b, c->dtype)) return false;
    if (!more) {
        s->a.capacity = s->a.stored;
        s->b.capacity = s->b.stored;
    }
    return true;
}

static bool make(arrays *s, const spec_case *c) {
    if (!make_operands(s, c)) return false;
    const int64_t most = s->a.stored + s->b.stored;
    spec_entries like = s->a;
    like.capacity = most;
    s->from_a = calloc((size_t)most + 1, sizeof *s->from_a);
    s->from_b = calloc((size_t)most + 1, sizeof *s->from_b);
    s->g = spec_stored_numbers(c->dtype, most, c->seed + 2);
    s->ga = calloc((size_t)s->a.capacity + 1, sizeof(double));
    s->gb = calloc((size_t)s->b.capacity + 1, sizeof(double));
    return s->from_a && s->from_b && s->g && s->ga && s->gb && spec_entries_like(&s->c, &like) &&
           spec_entries_like(&s->got, &like);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* An entry of the result; k or l is -1 where an array does not have it. */
static void append(arrays *s, const spec_case *c, int64_t at, int64_t k, int64_t l) {
    const double a = k < 0 ? 0 : s->a.values[k], b = l < 0 ? 0 : s->b.values[l];
    const double alpha_a = spec_round(c->dtype, c->alpha * a);
    const double beta_b = spec_round(c->dtype, c->beta * b);
    const double value = c->variant & PRODUCT ? a * b
                         : l < 0              ? alpha_a
                         : k < 0              ? beta_b
                                              : alpha_a + beta_b;
    spec_entries_copy(&s->c, at, k < 0 ? &s->b : &s->a, k < 0 ? l : k);
    s->c.values[at] = spec_store(c->dtype, spec_round(c->dtype, value));
    s->from_a[at] = k;
    s->from_b[at] = l;
}

/* Which of two entries comes first: < 0 that of A, 0 both are one. */
static int compare_entries(const arrays *s, int64_t k, int64_t l) {
    int order = 0;
    if (k == s->a.stored) return 1;
    if (l == s->b.stored) return -1;
    for (int d = 0; d < s->a.rank && order == 0; ++d)
        order =
            (s->a.indices[d][k] > s->b.indices[d][l]) - (s->a.indices[d][k] < s->b.indices[d][l]);
    return order;
}

/* Entries past the capacity are dropped. */
static void merge(arrays *s, const spec_case *c) {
    int64_t at = 0;
    for (int64_t k = 0, l = 0; k < s->a.stored || l < s->b.stored;) {
        const int order = compare_entries(s, k, l);
        if (order == 0 || !(c->variant & PRODUCT))
            append(s, c, at++, order <= 0 ? k : -1, order >= 0 ? l : -1);
        k += order <= 0;
        l += order >= 0;
    }
    s->needed = at;
    s->c.stored = s->c.capacity = s->got.capacity = c->variant & CUT ? at * 2 / 3 : at;
}

static void gradients(arrays *s, const spec_case *c) {
    const bool product = c->variant & PRODUCT;
    for (int64_t i = 0; i < s->c.stored; ++i) {
        const int64_t k = s->from_a[i], l = s->from_b[i];
        const double a = product ? s->b.values[l] : c->alpha,
                     b = product ? s->a.values[k] : c->beta;
        if (k >= 0) s->ga[k] = spec_store(c->dtype, spec_round(c->dtype, a * s->g[i]));
        if (l >= 0) s->gb[l] = spec_store(c->dtype, spec_round(c->dtype, b * s->g[i]));
    }
}

/* --- the device ------------------------------------------------------------------------------- */

typedef struct views {
    sparcl_coo a, b, c;
    sparcl_csr_sources sources;
    sparcl_buf *needed;
    sparcl_dense g, ga, gb;
} views;

static sparcl_status put_vector(sparcl_ctx *ctx, sparcl_dense *v, const spec_case *c,
                                const double *x, int64_t count) {
    *v = (sparcl_dense){.rank = 1, .dtype = c->dtype, .shape = {count}};
    return spec_put_reals(ctx, &v->values, x, count, c->dtype);
}

static sparcl_status put_all(sparcl_ctx *ctx, const spec_case *c, arrays *s, views *v) {
    sparcl_status status = spec_put_entries(ctx, &v->a, &s->a, c, 2, false);
    if (status == SPARCL_OK) status = spec_put_entries(ctx, &v->b, &s->b, c, 3, false);
    if (status == SPARCL_OK) status = spec_put_entries(ctx, &v->c, &s->got, c, 1, true);
    v->c.proof = (sparcl_proof){.flags = 0};
    v->sources.a_at = 1;
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &v->sources.a, 8 * (s->c.capacity + 1));
    if (status == SPARCL_OK)
        status = sparcl_buf_create(ctx, &v->sources.b, 8 * (s->c.capacity + 1));
    if (status == SPARCL_OK) status = sparcl_buf_create(ctx, &v->needed, 16);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->g, c, s->g, s->c.capacity);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->ga, c, s->ga, s->a.capacity);
    if (status == SPARCL_OK) status = spec_poison(ctx, v->ga.values);
    if (status == SPARCL_OK) status = put_vector(ctx, &v->gb, c, s->gb, s->b.capacity);
    return status == SPARCL_OK ? spec_poison(ctx, v->gb.values) : status;
}

static sparcl_status call(sparcl_ctx *ctx, const spec_case *c, views *v) {
    if (c->variant & PRODUCT) {
        const sparcl_status status =
            sparcl_coo_multiply(ctx, &v->c, &v->a, &v->b, v->needed, 1, &v->sources);
        return status != SPARCL_OK ? status
                                   : sparcl_coo_multiply_gradient(ctx, &v->ga, &v->gb, &v->g, &v->c,
                                                                  &v->a, &v->b, &v->sources);
    }
    const sparcl_status status =
        sparcl_coo_add(ctx, &v->c, c->alpha, &v->a, c->beta, &v->b, v->needed, 1, &v->sources);
    return status != SPARCL_OK ? status
                               : sparcl_coo_add_gradient(ctx, &v->ga, &v->gb, c->alpha, c->beta,
                                                         &v->g, &v->c, &v->sources);
}

/* Compare `count` int64, or reals, in a buffer with the expected ones. */
static sparcl_status compare_ints(sparcl_ctx *ctx, spec_report *report, const char *what,
                                  const sparcl_buf *buf, int64_t at, const int64_t *want,
                                  int64_t count) {
    int64_t *const got = calloc((size_t)count + 1, sizeof *got);
    sparcl_status status =
        got ? spec_get_ints(ctx, buf, at, count, SPARCL_I64, got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare_ints(report, what, got, want, count);
    free(got);
    return status;
}

static sparcl_status compare_reals(sparcl_ctx *ctx, spec_report *report, const char *what,
                                   const sparcl_dense *v, const double *want) {
    const int64_t count = v->shape[0];
    double *const got = calloc((size_t)count + 1, sizeof *got);
    sparcl_status status =
        got ? spec_get_reals(ctx, v->values, 0, count, v->dtype, got) : SPARCL_E_MEMORY;
    if (status == SPARCL_OK) spec_compare(report, what, got, want, NULL, NULL, count);
    free(got);
    return status;
}

static sparcl_status compare(sparcl_ctx *ctx, arrays *s, const views *v, spec_report *r) {
    sparcl_status status = spec_get_entries(ctx, &v->c, &s->got);
    if (status == SPARCL_OK) spec_compare_entries(r, &s->got, &s->c, NULL, NULL);
    if (status == SPARCL_OK) status = compare_ints(ctx, r, "needed", v->needed, 1, &s->needed, 1);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, r, "source in A", v->sources.a, 1, s->from_a, s->c.stored);
    if (status == SPARCL_OK)
        status = compare_ints(ctx, r, "source in B", v->sources.b, 0, s->from_b, s->c.stored);
    if (status == SPARCL_OK) status = compare_reals(ctx, r, "ga", &v->ga, s->ga);
    return status == SPARCL_OK ? compare_reals(ctx, r, "gb", &v->gb, s->gb) : status;
}

static sparcl_status check(sparcl_ctx *ctx, const spec_case *c, spec_report *report) {
    arrays s = {.needed = 0};
    views v = {.needed = NULL};
    sparcl_status status = make(&s, c) ? SPARCL_OK : SPARCL_E_MEMORY;
    *report = (spec_report){.equal = true, .zeros_expected = true};
    if (status == SPARCL_OK) {
        merge(&s, c);
        gradients(&s, c);
        status = put_all(ctx, c, &s, &v);
    }
    if (status == SPARCL_OK) status = call(ctx, c, &v);
    if (status == SPARCL_OK) status = compare(ctx, &s, &v, report);
    drop(&s);
    sparcl_coo_free(&v.a);
    sparcl_coo_free(&v.b);
    sparcl_coo_free(&v.c);
    sparcl_buf_free(v.sources.a);
    sparcl_buf_free(v.sources.b);
    sparcl_buf_free(v.needed);
    sparcl_dense_free(&v.g);
    sparcl_dense_free(&v.ga);
    sparcl_dense_free(&v.gb);
    return status;
}

const spec_op spec_coo_binary = {.name = "coo_binary", .get_case = get_case, .check = check};
