/* test_acceptance_validation.c: properties of what is valid (reliability: 3 to 6, 9, 10): an array
 * in which one thing is wrong is refused with its place, and a proof never outlives its arrays. */
#include "acceptance.h"

#define CANONICAL  (SPARCL_SORTED | SPARCL_UNIQUE)
#define EVERYTHING (SPARCL_VALID | CANONICAL | SPARCL_FINITE)

/* What is wrong with one element of a matrix; from UNSORTED on it is valid if nobody asks. */
typedef enum damage {
    FIRST_OFFSET, /* is not 0 */
    NEGATIVE_OFFSET,
    DESCENDING_OFFSET,
    LARGE_OFFSET, /* beyond the entries */
    NEGATIVE_INDEX,
    LARGE_INDEX,
    HUGE_INDEX,
    UNSORTED,
    DUPLICATE,
    NOT_FINITE,
    DAMAGES
} damage;

typedef enum place { FIRST, MIDDLE, LAST, PLACES } place;

/* The first entry of a row that is at least k and follows another entry of its row, or the last. */
static int64_t second_of_a_row(const spec_matrix *a, int64_t k) {
    for (int64_t i = 0; i < a->rows; ++i)
        if (a->offsets[i + 1] > k && a->offsets[i + 1] - a->offsets[i] > 1)
            return k > a->offsets[i] ? k : a->offsets[i] + 1;
    return a->nnz - 1;
}

static void swap_indices(int64_t *a, int64_t *b) {
    const int64_t kept = *a;
    *a = *b, *b = kept;
}

/* Damages the matrix, and names the first bad element as the message does. */
static void damage_matrix(spec_matrix *a, damage kind, place where, char *named, size_t size) {
    const int64_t row = where == FIRST ? 1 : where == LAST ? a->rows : a->rows / 2;
    int64_t k = where == FIRST ? 0 : where == LAST ? a->nnz - 1 : a->nnz / 2;
    if (kind == UNSORTED || kind == DUPLICATE) k = second_of_a_row(a, k);
    if (kind == FIRST_OFFSET) a->offsets[0] = where + 1;
    if (kind == NEGATIVE_OFFSET) a->offsets[row] = -1 - (int64_t)where;
    if (kind == DESCENDING_OFFSET) a->offsets[row] = a->offsets[row - 1] - 1;
    if (kind == LARGE_OFFSET) a->offsets[row] = a->nnz + 1;
    if (kind == NEGATIVE_INDEX) a->indices[k] = -1;
    if (kind == LARGE_INDEX) a->indices[k] = a->cols;
    if (kind == HUGE_INDEX) a->indices[k] = INT32_MAX;
    if (kind == UNSORTED) swap_indices(&a->indices[k], &a->indices[k - 1]);
    if (kind == DUPLICATE) a->indices[k] = a->indices[k - 1];
    if (kind == NOT_FINITE) a->values[k] = where == MIDDLE ? NAN : INFINITY;
    if (kind == FIRST_OFFSET)
        snprintf(named, size, "A.offsets[0] is");
    else if (kind < NEGATIVE_INDEX)
        snprintf(named, size, "A.offsets[%lld] is", (long long)row);
    else
        snprintf(named, size, "A.%s[%lld] is", kind == NOT_FINITE ? "values" : "indices",
                 (long long)k);
}

static void write_ints(sparcl_ctx *ctx, sparcl_buf *to, const int64_t *x, int64_t count,
                       sparcl_itype type) {
    int32_t *const narrow = must_have(calloc((size_t)count + 1, sizeof *narrow));
    for (int64_t k = 0; k < count; ++k)
        narrow[k] = (int32_t)x[k];
    assert_ok(ctx, sparcl_buf_write(ctx, to, 0, count * (int64_t)sparcl_itype_size(type),
                                    type == SPARCL_INDEX64 ? (const void *)x : narrow));
    free(narrow);
}

/* Other arrays in the same buffers. */
static void write_matrix(sparcl_ctx *ctx, sparcl_csr *view, const spec_matrix *a) {
    float *const narrow = must_have(calloc((size_t)a->nnz + 1, sizeof *narrow));
    for (int64_t k = 0; k < a->nnz; ++k)
        narrow[k] = (float)a->values[k];
    write_ints(ctx, view->offsets, a->offsets, a->rows + 1, view->offset_type);
    write_ints(ctx, view->indices, a->indices, a->nnz, view->index_type);
    assert_ok(ctx, sparcl_buf_write(ctx, view->values, 0,
                                    a->nnz * (int64_t)sparcl_dtype_size(view->dtype),
                                    view->dtype == SPARCL_F64 ? (const void *)a->values : narrow));
    free(narrow);
}

/* A matrix in which each row has at least two entries. */
static spec_matrix good_matrix(void) {
    integers m = draw_integers(19, 23, 0.3, 5);
    for (int64_t i = 0; i < m.rows; ++i)
        m.x[i * m.cols + i % 20] = m.x[i * m.cols + i % 20 + 2] = 1;
    const spec_matrix a = entries_of(&m);
    free(m.x);
    return a;
}

static sparcl_csc as_csc(const sparcl_csr *a) {
    return (sparcl_csc){.rows = a->cols,
                        .cols = a->rows,
                        .nnz = a->nnz,
                        .dtype = a->dtype,
                        .offset_type = a->offset_type,
                        .index_type = a->index_type,
                        .offsets = a->offsets,
                        .indices = a->indices,
                        .values = a->values};
}

/* Refused with the place where it is wanted, else accepted without the mark. */
static void check_verdict(sparcl_ctx *ctx, sparcl_status status, uint32_t flags, damage kind,
                          uint32_t want, const char *named) {
    static const uint32_t lost[DAMAGES] = {[UNSORTED] = SPARCL_SORTED, [DUPLICATE] = SPARCL_UNIQUE};
    if (kind < UNSORTED || want != SPARCL_VALID) {
        assert_int_equal(status, SPARCL_E_DATA);
        assert_int_equal(flags, 0);
        if (!strstr(sparcl_ctx_error(ctx)->message, named))
            fail_msg("damage %d: \"%s\" does not have \"%s\"", (int)kind,
                     sparcl_ctx_error(ctx)->message, named);
    } else {
        assert_int_equal(status, SPARCL_OK);
        assert_true(flags & SPARCL_VALID);
        assert_false(flags & lost[kind]);
    }
    ++acceptance_cases;
}

/* 4, 6, 9: good arrays, then damaged ones in the same buffers, then good ones again. */
static void one_wrong_element_of_a_matrix_is_found(void **state) {
    sparcl_ctx *ctx = *state;
    spec_matrix good = good_matrix();
    for (int k = 0; k < 6; ++k)
        for (int damaged = 0; damaged < DAMAGES * PLACES; ++damaged) {
            const types t = types_at(ctx, k);
            const damage kind = (damage)(damaged / PLACES);
            spec_matrix bad = good_matrix();
            sparcl_csr a;
            char named[64];
            damage_matrix(&bad, kind, (place)(damaged % PLACES), named, sizeof named);
            assert_ok(ctx, spec_put_csr(ctx, &a, &good, t.dtype, t.offsets, t.indices));
            a.proof = (sparcl_proof){.flags = 0};
            assert_ok(ctx, sparcl_csr_validate(ctx, &a, EVERYTHING));
            write_matrix(ctx, &a, &bad);
            assert_int_equal(sparcl_csr_flags(&a), 0);
            sparcl_status status = sparcl_csr_validate(ctx, &a, SPARCL_VALID);
            check_verdict(ctx, status, sparcl_csr_flags(&a), kind, SPARCL_VALID, named);
            status = sparcl_csr_validate(ctx, &a, EVERYTHING);
            check_verdict(ctx, status, sparcl_csr_flags(&a), kind, EVERYTHING, named);
            sparcl_csc t_of_a = as_csc(&a);
            status = sparcl_csc_validate(ctx, &t_of_a, EVERYTHING);
            check_verdict(ctx, status, sparcl_csc_flags(&t_of_a), kind, EVERYTHING, named);
            write_matrix(ctx, &a, &good);
            assert_ok(ctx, sparcl_csr_validate(ctx, &a, EVERYTHING));
            assert_int_equal(sparcl_csr_flags(&a), SPARCL_VALID | CANONICAL);
            ++acceptance_cases;
            sparcl_csr_free(&a);
            spec_matrix_free(&bad);
        }
    spec_matrix_free(&good);
}

/* The ids of a list, of row-sparse rows and of a vector in COO format. */
typedef struct numbers {
    sparcl_list list;
    sparcl_rows rows;
    sparcl_coo coo;
} numbers;

enum { IDS = 40, LIMIT = 100 };

static numbers put_numbers(sparcl_ctx *ctx, const int64_t *ids, types t) {
    static const double zeros[IDS];
    numbers n = {.list = {.count = IDS, .limit = LIMIT, .index_type = t.indices},
                 .rows = {.rank = 1, .dtype = t.dtype, .index_type = t.indices, .nnr = IDS},
                 .coo = {.rank = 1, .dtype = t.dtype, .index_type = t.indices, .nnz = IDS}};
    n.list.indices = n.rows.indices = n.coo.indices[0] = put_ints(ctx, ids, IDS, t.indices);
    assert_ok(ctx, spec_put_reals(ctx, &n.rows.values, zeros, IDS, t.dtype));
    n.rows.shape[0] = n.coo.shape[0] = LIMIT;
    n.coo.values = n.rows.values;
    return n;
}

static void damage_ids(int64_t *ids, damage kind, place where) {
    const int64_t k = where == FIRST ? 1 : where == LAST ? IDS - 1 : IDS / 2;
    if (kind == NEGATIVE_INDEX) ids[k] = -1;
    if (kind == LARGE_INDEX) ids[k] = LIMIT;
    if (kind == HUGE_INDEX) ids[k] = INT32_MAX;
    if (kind == UNSORTED) swap_indices(&ids[k], &ids[k - 1]);
    if (kind == DUPLICATE) ids[k] = ids[k - 1];
}

static void check_ids(sparcl_ctx *ctx, numbers *n, damage kind, uint32_t want) {
    sparcl_status status = sparcl_list_validate(ctx, &n->list, want);
    check_verdict(ctx, status, sparcl_list_flags(&n->list), kind, want, "");
    status = sparcl_rows_validate(ctx, &n->rows, want);
    check_verdict(ctx, status, sparcl_rows_flags(&n->rows), kind, want, "");
    status = sparcl_coo_validate(ctx, &n->coo, want);
    check_verdict(ctx, status, sparcl_coo_flags(&n->coo), kind, want, "");
}

static void one_wrong_index_of_a_list_is_found(void **state) {
    sparcl_ctx *ctx = *state;
    for (int k = 0; k < 6; k += 2)
        for (damage kind = NEGATIVE_INDEX; kind <= DUPLICATE; ++kind)
            for (place where = FIRST; where < PLACES; ++where) {
                int64_t ids[IDS];
                for (int i = 0; i < IDS; ++i)
                    ids[i] = 2 * i + 1;
                damage_ids(ids, kind, where);
                numbers n = put_numbers(ctx, ids, types_at(ctx, k));
                check_ids(ctx, &n, kind, SPARCL_VALID);
                check_ids(ctx, &n, kind, SPARCL_VALID | CANONICAL);
                sparcl_rows_free(&n.rows);
            }
}

/* 4, 5: views whose arrays, types or shapes do not fit together. Only their two ends are checked on
 * the device, so a capacity that is not used, and offsets and indices of two types, are legal. */
#define VIEW_REFUSED(violation, status, part)                                                      \
    do {                                                                                           \
        assert_violation_refused(sparcl_csr, a, violation, sparcl_csr_validate(ctx, &x, 0),        \
                                 status, part, assert_int_equal(sparcl_csr_flags(&x), 0));         \
        ++acceptance_cases;                                                                        \
    } while (0)

static void views_that_do_not_fit_are_refused(void **state) {
    sparcl_ctx *ctx = *state, *other = test_open();
    spec_matrix good = good_matrix();
    sparcl_buf *theirs = put(other, good.offsets, (good.rows + 1) * 8);
    for (int k = 0; k < 6; ++k) {
        const types t = types_at(ctx, k);
        sparcl_csr a;
        assert_ok(ctx, spec_put_csr(ctx, &a, &good, t.dtype, t.offsets, t.indices));
        VIEW_REFUSED(x.rows += 2, SPARCL_E_SHAPE, "for its offsets");
        VIEW_REFUSED(x.rows = -1, SPARCL_E_SHAPE, "A is -1 x 23");
        VIEW_REFUSED(x.rows = INT64_MAX, SPARCL_E_SHAPE, "");
        VIEW_REFUSED(x.cols = -1, SPARCL_E_SHAPE, "A is 19 x -1");
        VIEW_REFUSED(x.nnz = -1, SPARCL_E_SHAPE, "-1 entries");
        VIEW_REFUSED(x.nnz = good.nnz + 1, SPARCL_E_SHAPE, "for its indices");
        VIEW_REFUSED(x.values_at = 1, SPARCL_E_SHAPE, "for its values");
        VIEW_REFUSED(x.indices_at = -1, SPARCL_E_SHAPE, "from -1 on for its indices");
        VIEW_REFUSED(x.offsets_at = INT64_MAX, SPARCL_E_SHAPE, "for its offsets");
        VIEW_REFUSED(x.offset_type = (sparcl_itype)2, SPARCL_E_DTYPE, "A has index type 2");
        VIEW_REFUSED(x.index_type = (sparcl_itype)2, SPARCL_E_DTYPE, "A has index type 2");
        VIEW_REFUSED(x.dtype = (sparcl_dtype)7, SPARCL_E_DTYPE, "");
        VIEW_REFUSED(x.offsets = NULL, SPARCL_E_SHAPE, "for its offsets");
        VIEW_REFUSED(x.values = NULL, SPARCL_E_SHAPE, "for its values");
        VIEW_REFUSED(x.offsets = theirs, SPARCL_E_ARG, "a buffer of another context");
        VIEW_REFUSED(x.indices = theirs, SPARCL_E_ARG, "a buffer of another context");
        VIEW_REFUSED(x.values = theirs, SPARCL_E_ARG, "a buffer of another context");
        VIEW_REFUSED(x.cols = 1, SPARCL_E_DATA, "A.indices[");
        VIEW_REFUSED(x.cols = 0, SPARCL_E_DATA, "A.indices[0] is");
        sparcl_csr_free(&a);
    }
    spec_matrix_free(&good);
    sparcl_buf_free(theirs);
    sparcl_ctx_close(other);
}

/* Rows that are longer than the matrix has columns have duplicates. */
static void a_row_may_only_be_longer_than_the_columns_with_duplicates(void **state) {
    static const int64_t offsets[] = {0, 4, 5}, indices[] = {0, 1, 2, 2, 1};
    static const double values[] = {1, 2, 3, 4, 5};
    sparcl_ctx *ctx = *state;
    for (int k = 0; k < 6; ++k) {
        const types t = types_at(ctx, k);
        sparcl_csr a = {.rows = 2, .cols = 3, .nnz = 5, .dtype = t.dtype};
        a.offset_type = t.offsets, a.index_type = t.indices;
        a.offsets = put_ints(ctx, offsets, 3, t.offsets);
        a.indices = put_ints(ctx, indices, 5, t.indices);
        assert_ok(ctx, spec_put_reals(ctx, &a.values, values, 5, t.dtype));
        assert_ok(ctx, sparcl_csr_validate(ctx, &a, SPARCL_SORTED));
        assert_false(sparcl_csr_flags(&a) & SPARCL_UNIQUE);
        assert_refused(ctx, sparcl_csr_validate(ctx, &a, SPARCL_UNIQUE), SPARCL_E_DATA,
                       "A.indices[3] is 2, a duplicate");
        sparcl_csr_free(&a);
        ++acceptance_cases;
    }
}

/* 4: a matrix is made only of what has two dimensions. */
static void only_arrays_of_two_dimensions_become_matrices(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_csr to = {.rows = 4, .cols = 4, .nnz = 16};
    sparcl_csc to_csc = {.rows = 4, .cols = 4, .nnz = 16};
    assert_ok(ctx, sparcl_csr_create(ctx, &to));
    assert_ok(ctx, sparcl_csc_create(ctx, &to_csc));
    for (int rank = 1; rank <= SPARCL_MAX_RANK; ++rank) {
        sparcl_dense dense = {.rank = rank};
        sparcl_coo coo = {.rank = rank, .nnz = 16};
        sparcl_rows rows = {.rank = rank, .nnr = 4};
        for (int d = 0; d < rank; ++d)
            dense.shape[d] = coo.shape[d] = rows.shape[d] = d < 2 ? 4 : 1;
        assert_ok(ctx, sparcl_dense_zeros(ctx, &dense));
        assert_ok(ctx, sparcl_coo_create(ctx, &coo));
        assert_ok(ctx, sparcl_rows_create(ctx, &rows));
        const sparcl_status expected = rank == 2 ? SPARCL_OK : SPARCL_E_SHAPE;
        assert_int_equal(sparcl_dense_to_csr(ctx, &to, &dense, 0, NULL), expected);
        assert_int_equal(sparcl_coo_to_csr(ctx, &to, &coo), expected);
        assert_int_equal(sparcl_coo_to_csc(ctx, &to_csc, &coo), expected);
        assert_int_equal(sparcl_rows_to_csr(ctx, &to, &rows, 0, NULL), expected);
        assert_int_equal(sparcl_csr_to_rows(ctx, &rows, &to, NULL), expected);
        assert_int_equal(sparcl_csr_to_coo(ctx, &coo, &to), expected);
        assert_int_equal(sparcl_csr_to_dense(ctx, &dense, &to), expected);
        sparcl_dense_free(&dense);
        sparcl_coo_free(&coo);
        sparcl_rows_free(&rows);
        acceptance_cases += 7;
    }
    sparcl_csr_free(&to);
    sparcl_csc_free(&to_csc);
}

/* --- 3: row-sparse arrays of all ranks ------------------------------------------------------- */

static void row_sparse_arrays_have_a_shape(void **state) {
    static const int32_t narrow[] = {1, 4, 6};
    static const int64_t wide[] = {1, 4, 6};
    static float values[3 << 7];
    sparcl_ctx *ctx = *state;
    for (int rank = 1; rank <= SPARCL_MAX_RANK; ++rank)
        for (int type = SPARCL_INDEX32; type <= SPARCL_INDEX64; ++type) {
            const void *const ids = type == SPARCL_INDEX32 ? (const void *)narrow : wide;
            sparcl_rows a = {.rank = rank, .index_type = (sparcl_itype)type, .nnr = 3}, b;
            a.shape[0] = 7;
            for (int d = 1; d < rank; ++d)
                a.shape[d] = 2;
            assert_ok(ctx, sparcl_rows_upload(ctx, &a, ids, values, CANONICAL));
            assert_int_equal(sparcl_rows_flags(&a) & CANONICAL, CANONICAL);
            b = a;
            b.shape[0] = 6; /* row 6 is outside now */
            assert_refused(ctx, sparcl_rows_validate(ctx, &b, 0), SPARCL_E_DATA, "is 6, expected");
            b = a;
            b.shape[rank - 1] *= 4; /* the values are too few, or row 6 is inside as before */
            assert_int_equal(sparcl_rows_validate(ctx, &b, 0),
                             rank > 1 ? SPARCL_E_SHAPE : SPARCL_OK);
            b = a;
            b.nnr = 4;
            assert_refused(ctx, sparcl_rows_validate(ctx, &b, 0), SPARCL_E_SHAPE, "4 elements");
            b = a;
            b.shape[0] = -7;
            assert_refused(ctx, sparcl_rows_validate(ctx, &b, 0), SPARCL_E_SHAPE, "-7");
            sparcl_rows_free(&a);
            acceptance_cases += 5;
        }
}

/* --- 10: the length of indices ---------------------------------------------------------------- */

/* Sizes of 2^31 - 1 have 32-bit indices, larger ones need 64 bits. */
static void indices_are_as_long_as_sizes_need(void **state) {
    const int64_t sizes[] = {INT32_MAX, (int64_t)INT32_MAX + 1, (int64_t)INT32_MAX + 2,
                             (int64_t)1 << 40};
    sparcl_ctx *ctx = *state;
    for (int s = 0; s < 4; ++s)
        for (int k = 0; k < 6; ++k) {
            const types t = types_at(ctx, k);
            const bool fits = s == 0 || t.indices == SPARCL_INDEX64;
            sparcl_csr csr = {.rows = 1, .cols = sizes[s], .nnz = 1, .dtype = t.dtype};
            sparcl_csc csc = {.rows = sizes[s], .cols = 1, .nnz = 1, .dtype = t.dtype};
            sparcl_coo coo = {.rank = 2, .shape = {3, sizes[s]}, .nnz = 1, .dtype = t.dtype};
            sparcl_rows rows = {.rank = 1, .shape = {sizes[s]}, .nnr = 1, .dtype = t.dtype};
            sparcl_list list = {.count = 1, .limit = sizes[s], .index_type = t.indices};
            csr.offset_type = csc.offset_type = t.offsets;
            csr.index_type = csc.index_type = coo.index_type = rows.index_type = t.indices;
            const sparcl_status expected = fits ? SPARCL_OK : SPARCL_E_DTYPE;
            assert_int_equal(sparcl_csr_create(ctx, &csr), expected);
            assert_int_equal(sparcl_csc_create(ctx, &csc), expected);
            assert_int_equal(sparcl_coo_create(ctx, &coo), expected);
            assert_int_equal(sparcl_rows_create(ctx, &rows), expected);
            /* an index may be as large as 2^31 - 1, which is below a limit of 2^31 */
            assert_int_equal(sparcl_list_create(ctx, &list), expected);
            sparcl_csr_free(&csr);
            sparcl_csc_free(&csc);
            sparcl_coo_free(&coo);
            sparcl_rows_free(&rows);
            sparcl_list_free(&list);
            acceptance_cases += 5;
        }
}

AT_LEAST(validation)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_wrong_element_of_a_matrix_is_found),
        cmocka_unit_test(one_wrong_index_of_a_list_is_found),
        cmocka_unit_test(views_that_do_not_fit_are_refused),
        cmocka_unit_test(a_row_may_only_be_longer_than_the_columns_with_duplicates),
        cmocka_unit_test(only_arrays_of_two_dimensions_become_matrices),
        cmocka_unit_test(row_sparse_arrays_have_a_shape),
        cmocka_unit_test(indices_are_as_long_as_sizes_need),
        cmocka_unit_test(at_least_validation),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
