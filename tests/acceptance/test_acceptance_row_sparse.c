/* test_acceptance_row_sparse.c: properties of row-sparse arrays (reliability: 32, 33, 35, 36). */
#include "acceptance.h"

static const double densities[] = {0, 0.01, 0.2, 0.5, 1};

/* Row-sparse, of rank 2, or of rank 3 with rows of [cols / 2, 2]. */
static sparcl_rows put_rows_of_rank(sparcl_ctx *ctx, const integers *m, types t, int rank) {
    sparcl_rows view = put_rows_of(ctx, m, t);
    if (rank == 3) view.rank = 3, view.shape[1] = m->cols / 2, view.shape[2] = 2;
    assert_ok(ctx, sparcl_rows_validate(ctx, &view, SPARCL_SORTED | SPARCL_UNIQUE));
    return view;
}

/* A place for `nnr` rows as those of `like`. */
static sparcl_rows make_like(sparcl_ctx *ctx, const sparcl_rows *like, int64_t nnr) {
    sparcl_rows view = *like;
    view.nnr = nnr;
    view.indices = view.values = view.count = NULL;
    assert_ok(ctx, sparcl_rows_create(ctx, &view));
    return view;
}

/* Stored row k is row ids[k] of m, for all `count` of them. */
static void assert_rows_listed(sparcl_ctx *ctx, const sparcl_rows *view, const integers *m,
                               const int64_t *ids, int64_t count) {
    int64_t stored = view->nnr, *const got = must_have(calloc((size_t)view->nnr + 1, sizeof *got));
    double *const x = must_have(calloc((size_t)(view->nnr * m->cols) + 1, sizeof *x));
    if (view->count) stored = int_at(ctx, view->count, view->count_at);
    assert_int_equal(stored, count);
    assert_ok(ctx,
              spec_get_ints(ctx, view->indices, view->indices_at, count, view->index_type, got));
    assert_ok(ctx,
              spec_get_reals(ctx, view->values, view->values_at, count * m->cols, view->dtype, x));
    for (int64_t k = 0; k < count; ++k) {
        assert_int_equal(got[k], ids[k]);
        for (int64_t j = 0; j < m->cols; ++j)
            assert_true(x[k * m->cols + j] == (double)m->x[ids[k] * m->cols + j]);
    }
    free(got);
    free(x);
    ++acceptance_cases;
}

static sparcl_list put_list(sparcl_ctx *ctx, const int64_t *ids, int64_t count, int64_t limit,
                            sparcl_itype type) {
    sparcl_list list = {.count = count, .limit = limit, .index_type = type};
    list.indices = put_ints(ctx, ids, count, type);
    assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_VALID));
    return list;
}

/* --- 32: retain ------------------------------------------------------------------------------- */

enum { ROWS = 37, COLS = 6, IDS = 20 };

/* Ids in ascending order, in no order, and with duplicates; some rows are not stored. */
static void make_ids(int64_t *ids, int kind, uint64_t seed) {
    for (int64_t k = 0; k < IDS; ++k) {
        if (kind == 0) ids[k] = k * 3 / 2 + 4;
        if (kind == 1) ids[k] = (k * 11 + 5) % ROWS;
        if (kind == 2) ids[k] = (int64_t)(spec_random(&seed) % ROWS);
    }
}

static bool is_zero_row(const integers *m, int64_t i) {
    for (int64_t j = 0; j < m->cols; ++j)
        if (m->x[i * m->cols + j] != 0) return false;
    return true;
}

static void check_retain(sparcl_ctx *ctx, const integers *m, const int64_t *ids, types t, int rank,
                         sparcl_itype list_type) {
    sparcl_rows from = put_rows_of_rank(ctx, m, t, rank), all, stored;
    sparcl_list list = put_list(ctx, ids, IDS, ROWS, list_type);
    int64_t kept[IDS], count = 0;
    for (int64_t k = 0; k < IDS; ++k)
        if (!is_zero_row(m, ids[k])) kept[count++] = ids[k];
    stored = make_like(ctx, &from, IDS);
    all = make_like(ctx, &from, IDS);
    sparcl_buf_free(all.count);
    all.count = NULL;
    assert_ok(ctx, sparcl_rows_retain_all(ctx, &all, &from, &list, NULL));
    assert_rows_listed(ctx, &all, m, ids, IDS);
    assert_ok(ctx, sparcl_rows_retain_stored(ctx, &stored, &from, &list, NULL));
    assert_rows_listed(ctx, &stored, m, kept, count);
    sparcl_rows_free(&from);
    sparcl_rows_free(&all);
    sparcl_rows_free(&stored);
    sparcl_list_free(&list);
}

static void rows_are_retained(void **state) {
    for (int d = 0; d < 5; ++d)
        for (int kind = 0; kind < 3; ++kind)
            for (int k = 0; k < 5; k += 4)
                for (int rank = 2; rank <= 3; ++rank) {
                    int64_t ids[IDS];
                    integers m = draw_rows(ROWS, COLS, densities[d], (uint64_t)(d * 3 + kind));
                    make_ids(ids, kind, (uint64_t)d);
                    check_retain(*state, &m, ids, types_at(*state, k), rank,
                                 rank == 2 ? SPARCL_INDEX32 : SPARCL_INDEX64);
                    free(m.x);
                }
}

/* --- 33: sums --------------------------------------------------------------------------------- */

static void add_to(integers *sum, const integers *m) {
    for (int64_t k = 0; k < m->rows * m->cols; ++k)
        sum->x[k] += m->x[k];
}

/* The sum of n arrays: their rows one after the other, then those of one index added. */
static void sums_of_row_sparse_arrays(void **state) {
    sparcl_ctx *ctx = *state;
    for (int n = 1; n <= 6; ++n)
        for (int d = 0; d < 5; ++d) {
            const types t = types_at(ctx, d % 2 ? 4 : 0);
            integers sum = no_integers(ROWS, COLS);
            sparcl_rows all = put_rows_of(ctx, &sum, t), added;
            for (int part = 0; part < n; ++part) {
                integers m =
                    draw_rows(ROWS, COLS, densities[(d + part) % 5], (uint64_t)(n * 7 + part));
                sparcl_rows one = put_rows_of(ctx, &m, t),
                            both = make_like(ctx, &all, all.nnr + one.nnr);
                add_to(&sum, &m);
                assert_ok(ctx, sparcl_rows_concat(ctx, &both, &all, &one));
                sparcl_rows_free(&all);
                sparcl_rows_free(&one);
                free(m.x);
                all = both;
            }
            added = make_like(ctx, &all, all.nnr);
            assert_ok(ctx, sparcl_rows_coalesce(ctx, &added, &all, SPARCL_SUM, NULL));
            assert_rows_are(ctx, &added, &sum);
            sparcl_rows_free(&all);
            sparcl_rows_free(&added);
            free(sum.x);
        }
}

/* Term `k` of a sum: row-sparse, or dense where the mixture says so. */
static sparcl_term put_term(sparcl_ctx *ctx, const integers *m, types t, bool is_dense,
                            sparcl_dense *dense, sparcl_rows *rows) {
    *dense = (sparcl_dense){.rank = 0};
    *rows = (sparcl_rows){.rank = 0};
    if (is_dense)
        *dense = put_dense_of(ctx, m, t.dtype, SPARCL_ROW_MAJOR, 1);
    else
        *rows = put_rows_of(ctx, m, t);
    return (sparcl_term){1, is_dense ? dense : NULL, is_dense ? NULL : rows};
}

/* The same sum by one call: of n arrays, of which those of the bits of `mixture` are dense. */
static void check_sum_of_terms(sparcl_ctx *ctx, int n, unsigned mixture, types t) {
    sparcl_dense dense[6];
    sparcl_rows rows[6];
    sparcl_term terms[6];
    integers sum = no_integers(ROWS, COLS);
    sparcl_dense y = put_dense_of(ctx, &sum, t.dtype, SPARCL_ROW_MAJOR, 2);
    sparcl_rows none = put_rows_of(ctx, &sum, t), to = make_like(ctx, &none, n * ROWS);
    for (int k = 0; k < n; ++k) {
        integers m = draw_rows(ROWS, COLS, densities[(n + k) % 5], (uint64_t)(n * 7 + k));
        terms[k] = put_term(ctx, &m, t, mixture >> k & 1, &dense[k], &rows[k]);
        add_to(&sum, &m);
        free(m.x);
    }
    assert_ok(ctx, sparcl_add_n(ctx, &y, terms, n));
    assert_dense_is(ctx, &y, &sum);
    if (mixture == 0) {
        assert_ok(ctx, sparcl_rows_add_n(ctx, &to, terms, n, NULL));
        assert_rows_are(ctx, &to, &sum);
    }
    for (int k = 0; k < n; ++k) {
        sparcl_dense_free(&dense[k]);
        sparcl_rows_free(&rows[k]);
    }
    sparcl_dense_free(&y);
    sparcl_rows_free(&none);
    sparcl_rows_free(&to);
    free(sum.x);
}

static void sums_of_terms_of_mixed_storage(void **state) {
    for (int n = 1; n <= 6; ++n)
        for (unsigned mixture = 0; mixture < 1u << n; mixture += n < 4 ? 1 : 5)
            check_sum_of_terms(*state, n, mixture, types_at(*state, mixture % 2 ? 4 : 0));
}

/* Row-sparse added to dense, and CSR to CSR, all of one sum. */
static void sums_of_mixed_formats(void **state) {
    sparcl_ctx *ctx = *state;
    for (int da = 0; da < 5; ++da)
        for (int db = 0; db < 5; ++db)
            for (int k = 0; k < 5; k += 4) {
                const types t = types_at(ctx, k);
                integers a = draw_rows(ROWS, COLS, densities[da], (uint64_t)da);
                integers b = draw_integers(ROWS, COLS, densities[db], (uint64_t)db + 40);
                sparcl_rows rows = put_rows_of(ctx, &a, t);
                sparcl_dense dense = put_dense_of(ctx, &b, t.dtype, SPARCL_ROW_MAJOR, 3);
                sparcl_csr x = put_csr_of(ctx, &a, t), y = put_csr_of(ctx, &b, t), z = x;
                z.nnz = ROWS * COLS;
                z.offsets = z.indices = z.values = NULL;
                assert_ok(ctx, sparcl_csr_create(ctx, &z));
                assert_ok(ctx, sparcl_csr_validate(ctx, &x, SPARCL_SORTED | SPARCL_UNIQUE));
                assert_ok(ctx, sparcl_csr_validate(ctx, &y, SPARCL_SORTED | SPARCL_UNIQUE));
                assert_ok(ctx, sparcl_csr_add(ctx, &z, 1, &x, 1, &y, NULL));
                assert_ok(ctx, sparcl_scatter_add(ctx, &dense, 1, &rows));
                add_to(&b, &a);
                assert_csr_is(ctx, &z, &b);
                assert_dense_is(ctx, &dense, &b);
                sparcl_rows_free(&rows);
                sparcl_dense_free(&dense);
                sparcl_csr_free(&x);
                sparcl_csr_free(&y);
                sparcl_csr_free(&z);
                free(a.x), free(b.x);
            }
}

/* --- 35, 36: embeddings ---------------------------------------------------------------------- */

static sparcl_bags bags_of(sparcl_list list, sparcl_bounds bounds) {
    return (sparcl_bags){.bags = list.count, .indices = list, .bounds = bounds};
}

/* Rows of indices from -5 to 15 of a table of 10: the nearest row, or zeros. */
static void indices_out_of_range_are_clamped_or_skipped(void **state) {
    enum { LIMIT = 10, TAKEN = 21 };
    sparcl_ctx *ctx = *state;
    for (int k = 0; k < 6; ++k)
        for (int skip_bad = 0; skip_bad < 2; ++skip_bad)
            for (int order = 0; order < 4; ++order) {
                const types t = types_at(ctx, k);
                integers m = draw_integers(LIMIT, COLS, 0.9, (uint64_t)k),
                         expected = no_integers(TAKEN, COLS);
                int64_t ids[TAKEN], bad_ids = 0;
                for (int64_t i = 0; i < TAKEN; ++i) {
                    ids[i] = (i * (1 + 3 * order) + order) % TAKEN - 5;
                    const bool is_bad = ids[i] < 0 || ids[i] >= LIMIT;
                    bad_ids += is_bad;
                    const int64_t row = ids[i] < 0 ? 0 : ids[i] >= LIMIT ? LIMIT - 1 : ids[i];
                    for (int64_t j = 0; j < COLS && !(is_bad && skip_bad); ++j)
                        expected.x[i * COLS + j] = m.x[row * COLS + j];
                }
                sparcl_list list = {.count = TAKEN, .limit = LIMIT, .index_type = t.indices};
                list.indices = put_ints(ctx, ids, TAKEN, t.indices);
                const sparcl_bags bags =
                    bags_of(list, skip_bad ? SPARCL_BOUNDS_SKIP : SPARCL_BOUNDS_CLAMP);
                const sparcl_bags strict = bags_of(list, SPARCL_BOUNDS_ERROR);
                sparcl_dense table = put_dense_of(ctx, &m, t.dtype, SPARCL_ROW_MAJOR, 1), to;
                integers zeros = no_integers(TAKEN, COLS);
                to = put_dense_of(ctx, &zeros, t.dtype, SPARCL_ROW_MAJOR, 2);
                sparcl_buf *bad = put(ctx, &(int64_t){0}, 8);
                assert_refused(ctx, sparcl_embedding(ctx, &to, &table, &strict, NULL, 0),
                               SPARCL_E_UNCHECKED, "");
                assert_ok(ctx, sparcl_embedding(ctx, &to, &table, &bags, bad, 0));
                assert_dense_is(ctx, &to, &expected);
                assert_int_equal(int_at(ctx, bad, 0), bad_ids);
                sparcl_buf_free(bad);
                sparcl_list_free(&list);
                sparcl_dense_free(&table);
                sparcl_dense_free(&to);
                free(m.x), free(expected.x), free(zeros.x);
            }
}

/* The matrix with a 1 at (k, ids[k]). */
static integers one_hot(const int64_t *ids, int64_t count, int64_t limit) {
    integers m = no_integers(count, limit);
    for (int64_t k = 0; k < count; ++k)
        m.x[k * limit + ids[k]] = 1;
    return m;
}

static void check_embedding(sparcl_ctx *ctx, const integers *m, const integers *g,
                            const int64_t *ids, types t) {
    integers hot = one_hot(ids, IDS, ROWS), hot_t = transpose_integers(&hot);
    integers forward = multiply_integers(&hot, m), backward = multiply_integers(&hot_t, g);
    integers zeros = no_integers(IDS, COLS);
    sparcl_list list = put_list(ctx, ids, IDS, ROWS, t.indices);
    const sparcl_bags bags = bags_of(list, SPARCL_BOUNDS_ERROR);
    sparcl_dense table = put_dense_of(ctx, m, t.dtype, SPARCL_ROW_MAJOR, 0);
    sparcl_dense to = put_dense_of(ctx, &zeros, t.dtype, SPARCL_ROW_MAJOR, 1);
    sparcl_dense gradient = put_dense_of(ctx, g, t.dtype, SPARCL_ROW_MAJOR, 2);
    sparcl_rows rows = {
        .rank = 2, .dtype = t.dtype, .index_type = t.indices, .shape = {ROWS, COLS}};
    rows.nnr = IDS;
    assert_ok(ctx, sparcl_rows_create(ctx, &rows));
    assert_ok(ctx, sparcl_embedding(ctx, &to, &table, &bags, NULL, 0));
    assert_dense_is(ctx, &to, &forward);
    assert_ok(ctx, sparcl_embedding_bag(ctx, &to, &table, &bags, NULL, NULL, 0));
    assert_dense_is(ctx, &to, &forward);
    assert_ok(ctx, sparcl_embedding_bag_gradient(ctx, &rows, &gradient, &bags, NULL));
    assert_rows_are(ctx, &rows, &backward);
    assert_int_equal(sparcl_rows_flags(&rows), SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
    sparcl_list_free(&list);
    sparcl_dense_free(&table);
    sparcl_dense_free(&to);
    sparcl_dense_free(&gradient);
    sparcl_rows_free(&rows);
    free(hot.x), free(hot_t.x), free(forward.x), free(backward.x), free(zeros.x);
}

static void an_embedding_is_a_product_with_one_hot_rows(void **state) {
    for (int kind = 0; kind < 3; ++kind)
        for (int k = 0; k < 6; ++k)
            for (uint64_t seed = 1; seed <= 3; ++seed) {
                int64_t ids[IDS];
                integers m = draw_integers(ROWS, COLS, 0.9, seed),
                         g = draw_integers(IDS, COLS, 0.9, seed + 7);
                make_ids(ids, kind, seed);
                check_embedding(*state, &m, &g, ids, types_at(*state, k));
                free(m.x), free(g.x);
            }
}

AT_LEAST(row_sparse)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_retained),
        cmocka_unit_test(sums_of_row_sparse_arrays),
        cmocka_unit_test(sums_of_terms_of_mixed_storage),
        cmocka_unit_test(sums_of_mixed_formats),
        cmocka_unit_test(indices_out_of_range_are_clamped_or_skipped),
        cmocka_unit_test(an_embedding_is_a_product_with_one_hot_rows),
        cmocka_unit_test(at_least_row_sparse),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
