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
    assert_ok(ctx, spec_get_ints(ctx, permutation, 0, e->nnz, SPARCL_I64, got));
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

/* -0 and the payloads of NaN are moved as they are. */
static void bits_of_values_are_kept(void **state) {
    static const uint32_t bits[] = {0x80000000u, 0x7fc12345u, 0x00000001u, 0xff800000u};
    sparcl_ctx *ctx = *state;
    const int64_t rows[] = {3, 1, 2, 0};
    sparcl_coo from = {.rank = 1, .shape = {4}, .nnz = 4}, to;
    from.indices[0] = put_ints(ctx, rows, 4, SPARCL_I32);
    from.values = put(ctx, bits, sizeof bits);
    assert_ok(ctx, sparcl_coo_validate(ctx, &from, SPARCL_VALID));
    to = from;
    to.indices[0] = to.values = NULL;
    assert_ok(ctx, sparcl_coo_create(ctx, &to));
    assert_ok(ctx, sparcl_coo_sort(ctx, &to, &from, NULL, 0));
    uint32_t *const got = bytes_of(ctx, to.values);
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(got[rows[k]], bits[k]);
        ++acceptance_cases;
    }
    free(got);
    sparcl_coo_free(&from);
    sparcl_coo_free(&to);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_and_orders),
        cmocka_unit_test(the_order_that_is_given_does_not_matter),
        cmocka_unit_test(the_product_of_sizes_may_be_huge),
        cmocka_unit_test(bits_of_values_are_kept),
        cmocka_unit_test(lengths_that_do_not_fit_are_refused),
        cmocka_unit_test(print_cases),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
