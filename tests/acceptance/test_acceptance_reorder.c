/* test_acceptance_reorder.c: properties of sorting COO arrays (reliability: 13 to 18). */
#include "acceptance.h"

enum { RANKS = 8, ENTRIES = 60 };

/* The order in which entries are given. */
typedef enum pattern { SORTED, REVERSED, SHUFFLED, EQUAL, ONE_ROW, CARRIES, PATTERNS } pattern;

/* An array on the host: indices[d * nnz + k], and as value of entry k its number. */
typedef struct entries {
    int rank;
    int64_t shape[SPARCL_MAX_RANK], nnz;
    int64_t *indices, *order; /* order[k]: which entry comes as k-th */
} entries;

static int compare(const entries *e, int64_t a, int64_t b) {
    for (int d = 0; d < e->rank; ++d) {
        const int64_t x = e->indices[d * e->nnz + a], y = e->indices[d * e->nnz + b];
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

/* A stable insertion sort. */
static void sort_entries(entries *e) {
    for (int64_t k = 0; k < e->nnz; ++k) {
        int64_t at = k;
        for (; at > 0 && compare(e, e->order[at - 1], k) > 0; --at)
            e->order[at] = e->order[at - 1];
        e->order[at] = k;
    }
}

static int64_t index_at(const entries *e, pattern p, int d, int64_t k, uint64_t *seed) {
    const int64_t size = e->shape[d];
    if (p == SORTED || p == REVERSED) { /* digits of k, so that all entries differ */
        int64_t rest = p == SORTED ? k : e->nnz - 1 - k;
        for (int later = e->rank - 1; later > d; --later)
            rest /= e->shape[later];
        return rest % size;
    }
    if (p == EQUAL) return size / 2;
    if (p == ONE_ROW && d == 0) return size - 1;
    if (p == CARRIES) return k % 2 ? 0 : size - 1; /* all bits of a digit, or none */
    return (int64_t)(spec_random(seed) % (uint64_t)size);
}

static entries make_entries(int rank, pattern p, int64_t nnz) {
    static const int64_t sizes[] = {70, 5, 300, 2, 9, 4, 3, 6};
    entries e = {.rank = rank, .nnz = nnz};
    uint64_t seed = (uint64_t)(rank * 10 + (int)p);
    for (int d = 0; d < rank; ++d)
        e.shape[d] = sizes[d];
    e.indices = must_have(calloc((size_t)(nnz * rank) + 1, sizeof *e.indices));
    e.order = must_have(calloc((size_t)nnz + 1, sizeof *e.order));
    for (int d = 0; d < rank; ++d)
        for (int64_t k = 0; k < nnz; ++k)
            e.indices[d * nnz + k] = index_at(&e, p, d, k, &seed);
    sort_entries(&e);
    return e;
}

static sparcl_coo put_entries(sparcl_ctx *ctx, const entries *e, types t) {
    sparcl_coo view = {.rank = e->rank, .dtype = t.dtype, .index_type = t.indices, .nnz = e->nnz};
    double *const values = must_have(calloc((size_t)e->nnz + 1, sizeof *values));
    for (int64_t k = 0; k < e->nnz; ++k)
        values[k] = (double)k;
    for (int d = 0; d < e->rank; ++d) {
        view.shape[d] = e->shape[d];
        view.indices[d] = put_ints(ctx, e->indices + d * e->nnz, e->nnz, t.indices);
    }
    assert_ok(ctx, spec_put_reals(ctx, &view.values, values, e->nnz, t.dtype));
    assert_ok(ctx, sparcl_coo_validate(ctx, &view, SPARCL_VALID));
    free(values);
    return view;
}

static void assert_sorted(sparcl_ctx *ctx, const sparcl_coo *to, const sparcl_buf *permutation,
                          const entries *e) {
    int64_t *const got = must_have(calloc((size_t)e->nnz + 1, sizeof *got));
    double *const values = must_have(calloc((size_t)e->nnz + 1, sizeof *values));
    for (int d = 0; d < e->rank; ++d) {
        assert_ok(ctx, spec_get_ints(ctx, to->indices[d], to->indices_at[d], e->nnz, to->index_type,
                                     got));
        for (int64_t k = 0; k < e->nnz; ++k)
            assert_int_equal(got[k], e->indices[d * e->nnz + e->order[k]]);
    }
    assert_ok(ctx, spec_get_ints(ctx, permutation, 0, e->nnz, SPARCL_INDEX64, got));
    assert_ok(ctx, spec_get_reals(ctx, to->values, to->values_at, e->nnz, to->dtype, values));
    for (int64_t k = 0; k < e->nnz; ++k) { /* also the order of entries with equal indices */
        assert_int_equal(got[k], e->order[k]);
        assert_true(values[k] == (double)e->order[k]);
    }
    assert_true(sparcl_coo_flags(to) & SPARCL_SORTED);
    free(got);
    free(values);
    ++acceptance_cases;
}

static void check_sort(sparcl_ctx *ctx, entries *e, types t) {
    sparcl_coo from = put_entries(ctx, e, t), to = from;
    sparcl_buf *permutation = NULL;
    memset(to.indices, 0, sizeof to.indices);
    to.values = NULL;
    assert_ok(ctx, sparcl_coo_create(ctx, &to));
    sparcl_buf_free(to.count);
    to.count = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &permutation, e->nnz * 8 + 8));
    assert_ok(ctx, sparcl_coo_sort(ctx, &to, &from, permutation, 0));
    assert_sorted(ctx, &to, permutation, e);
    sparcl_buf_free(permutation);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
    free(e->indices);
    free(e->order);
}

/* 13, 14, 18: all ranks and orders; the permutation is that of the values, and stable. */
static void all_ranks_and_orders(void **state) {
    static const int64_t counts[] = {0, 1, 2, ENTRIES};
    for (int rank = 1; rank <= RANKS; ++rank)
        for (int p = 0; p < PATTERNS; ++p)
            for (int n = 0; n < 4; ++n)
                for (int k = 0; k < 3; ++k) {
                    entries e = make_entries(rank, (pattern)p, counts[n]);
                    check_sort(*state, &e, types_at(*state, rank + p + n + 2 * k));
                }
}

/* 14: random permutations of the same entries give the same array. */
static void the_order_that_is_given_does_not_matter(void **state) {
    sparcl_ctx *ctx = *state;
    integers m = draw_integers(23, 19, 0.3, 8);
    void *first = NULL;
    int64_t bytes = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        sparcl_coo from = put_coo_of(ctx, &m, types_at(ctx, 0), seed), to = from;
        memset(to.indices, 0, sizeof to.indices);
        to.values = NULL;
        assert_ok(ctx, sparcl_coo_create(ctx, &to));
        assert_ok(ctx, sparcl_coo_sort(ctx, &to, &from, NULL, 0));
        void *const got = bytes_of(ctx, to.values);
        bytes = to.nnz * 4;
        if (first) assert_memory_equal(got, first, (size_t)bytes);
        if (first) free(got);
        if (!first) first = got;
        sparcl_coo_free(&from);
        sparcl_coo_free(&to);
        ++acceptance_cases;
    }
    free(first);
    free(m.x);
}

/* 15: sizes whose product is more than 2^64. */
static void the_product_of_sizes_may_be_huge(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rank = 6; rank <= 8; ++rank)
        for (int k = 0; k < 6; ++k) {
            const types t = types_at(ctx, k);
            entries e = {.rank = rank, .nnz = 5};
            e.indices = must_have(calloc((size_t)(5 * rank), sizeof *e.indices));
            e.order = must_have(calloc(5, sizeof *e.order));
            for (int d = 0; d < rank; ++d) {
                e.shape[d] = rank == 6 ? 4096 : 2000000000;
                for (int64_t i = 0; i < 5; ++i)
                    e.indices[d * 5 + i] = (e.shape[d] - 1) / (1 + (i * 3 + d) % 4);
            }
            sort_entries(&e);
            check_sort(ctx, &e, t);
        }
}

/* 14: the bits of values of all element types are moved: -0, payloads of NaN, infinity, 1. */
static void bits_of_values_are_kept(void **state) {
    static const uint64_t bits[][4] = {
        [SPARCL_F32] = {0x80000000, 0x7fc12345, 0x00000001, 0xff800000},
        [SPARCL_F64] = {0x8000000000000000, 0x7ff8123456789abc, 1, 0xfff0000000000000},
        [SPARCL_F16] = {0x8000, 0x7e12, 0x0001, 0xfc00},
        [SPARCL_BF16] = {0x8000, 0x7fc1, 0x0001, 0xff80},
        [SPARCL_INT32] = {0x80000000, 0x7fffffff, 0xffffffff, 0},
        [SPARCL_INT64] = {0x8000000000000000, INT64_MAX, UINT64_MAX, (uint64_t)1 << 53 | 1},
        [SPARCL_BOOL] = {1, 0, 1, 1}};
    static const int64_t rows[] = {3, 1, 2, 0};
    sparcl_ctx *ctx = *state;
    for (int dtype = 0; dtype < (int)COUNT(bits); ++dtype) {
        const size_t size = sparcl_dtype_size((sparcl_dtype)dtype);
        unsigned char values[4 * 8], expected[4 * 8];
        if (dtype == SPARCL_F64 && !sparcl_ctx_device(ctx)->has_f64) continue;
        for (int k = 0; k < 4; ++k) { /* little endian, as all devices are */
            memcpy(values + (size_t)k * size, &bits[dtype][k], size);
            memcpy(expected + (size_t)rows[k] * size, &bits[dtype][k], size);
        }
        sparcl_coo from = {.rank = 1, .dtype = (sparcl_dtype)dtype, .shape = {4}, .nnz = 4}, to;
        from.indices[0] = put_ints(ctx, rows, 4, SPARCL_INDEX32);
        from.values = put(ctx, values, 4 * (int64_t)size);
        assert_ok(ctx, sparcl_coo_validate(ctx, &from, SPARCL_VALID));
        to = from;
        to.indices[0] = to.values = NULL;
        assert_ok(ctx, sparcl_coo_create(ctx, &to));
        assert_ok(ctx, sparcl_coo_sort(ctx, &to, &from, NULL, 0));
        assert_holds(ctx, to.values, expected);
        sparcl_coo_free(&from);
        sparcl_coo_free(&to);
        acceptance_cases += 4;
    }
}

/* The elements of `buf`, as many as a matrix has entries. */
static int64_t *ints_of(sparcl_ctx *ctx, const sparcl_buf *buf, int64_t count) {
    int64_t *const x = must_have(calloc((size_t)count + 1, sizeof *x));
    assert_ok(ctx, spec_get_ints(ctx, buf, 0, count, SPARCL_INDEX64, x));
    return x;
}

/* 17: entry k of the input becomes entry inverse[k]: where its gradient comes from. */
static void the_gradient_is_the_inverse_permutation(void **state) {
    sparcl_ctx *ctx = *state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        integers m = draw_integers(23, 19, seed % 4 ? 0.3 : 0, seed);
        sparcl_coo from = put_coo_of(ctx, &m, types_at(ctx, (int)seed % 6), seed), to = from;
        sparcl_coalesced more = {.inverse = NULL};
        sparcl_buf *permutation = NULL;
        memset(to.indices, 0, sizeof to.indices);
        to.values = NULL;
        assert_ok(ctx, sparcl_coo_create(ctx, &to));
        assert_ok(ctx, sparcl_buf_create(ctx, &permutation, to.nnz * 8 + 8));
        assert_ok(ctx, sparcl_buf_create(ctx, &more.inverse, to.nnz * 8 + 8));
        assert_ok(ctx, sparcl_coo_sort(ctx, &to, &from, permutation, 0));
        assert_ok(ctx, sparcl_coo_coalesce(ctx, &to, &from, SPARCL_FIRST, &more));
        int64_t *const order = ints_of(ctx, permutation, to.nnz);
        int64_t *const inverse = ints_of(ctx, more.inverse, to.nnz);
        for (int64_t k = 0; k < to.nnz; ++k)
            assert_int_equal(inverse[order[k]], k);
        free(order);
        free(inverse);
        sparcl_buf_free(permutation);
        sparcl_buf_free(more.inverse);
        sparcl_coo_free(&from);
        sparcl_coo_free(&to);
        free(m.x);
        ++acceptance_cases;
    }
}

/* 18: by columns, which is the order of the transpose; sizes of 0, too. */
static void entries_are_sorted_by_columns(void **state) {
    static const int64_t shapes[][2] = {{23, 19}, {1, 70}, {70, 1}, {0, 5}, {5, 0}, {0, 0}};
    static const int axes[] = {1, 0};
    sparcl_ctx *ctx = *state;
    for (int s = 0; s < 6; ++s)
        for (int k = 0; k < 6; ++k) {
            const types t = types_at(ctx, k);
            integers m = draw_integers(shapes[s][0], shapes[s][1], 0.4, (uint64_t)(s + k));
            integers transposed = transpose_integers(&m);
            sparcl_coo from = put_coo_of(ctx, &m, t, 3), to = from, back = from;
            to.shape[0] = m.cols, to.shape[1] = m.rows;
            to.indices[0] = to.indices[1] = to.values = NULL;
            back.indices[0] = back.indices[1] = back.values = NULL;
            assert_ok(ctx, sparcl_coo_create(ctx, &to));
            assert_ok(ctx, sparcl_coo_create(ctx, &back));
            assert_ok(ctx, sparcl_coo_permute(ctx, &to, &from, axes, NULL));
            assert_coo_is(ctx, &to, &transposed);
            assert_true(sparcl_coo_flags(&to) & SPARCL_SORTED);
            assert_ok(ctx, sparcl_coo_permute(ctx, &back, &to, axes, NULL));
            assert_coo_is(ctx, &back, &m);
            sparcl_coo_free(&from);
            sparcl_coo_free(&to);
            sparcl_coo_free(&back);
            free(m.x), free(transposed.x);
        }
}

/* 16: arrays whose lengths do not fit. */
static void lengths_that_do_not_fit_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    for (int rank = 1; rank <= RANKS; ++rank)
        for (int d = 0; d <= rank; ++d) {
            entries e = make_entries(rank, SHUFFLED, 10);
            sparcl_coo from = put_entries(ctx, &e, types_at(ctx, 0)), to = from;
            memset(to.indices, 0, sizeof to.indices);
            to.values = NULL;
            assert_ok(ctx, sparcl_coo_create(ctx, &to));
            if (d == rank)
                from.values_at = 1;
            else
                from.indices_at[d] = 1;
            assert_refused(ctx, sparcl_coo_sort(ctx, &to, &from, NULL, 0), SPARCL_E_SHAPE,
                           "needs 10 elements");
            sparcl_coo_free(&from);
            sparcl_coo_free(&to);
            free(e.indices);
            free(e.order);
            ++acceptance_cases;
        }
}

AT_LEAST(reorder)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_and_orders),
        cmocka_unit_test(the_order_that_is_given_does_not_matter),
        cmocka_unit_test(the_product_of_sizes_may_be_huge),
        cmocka_unit_test(bits_of_values_are_kept),
        cmocka_unit_test(the_gradient_is_the_inverse_permutation),
        cmocka_unit_test(entries_are_sorted_by_columns),
        cmocka_unit_test(lengths_that_do_not_fit_are_refused),
        cmocka_unit_test(at_least_reorder),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
