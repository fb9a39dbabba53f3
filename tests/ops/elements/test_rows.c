/* test_rows.c: what the header says of sparcl_rows_coalesce and sparcl_scatter_add. */
#include "op_test.h"
#include "spec/shared/rowset.h"

/* A row-sparse array [9, 3] with 20 rows, a result with more capacity, a table with gaps. */
typedef struct arrays {
    spec_rowset host;
    sparcl_rows from, to;
    sparcl_dense table;
    float *table_host;
} arrays;

static const spec_case plain = {.dtype = SPARCL_F32, .index_type = SPARCL_INDEX32, .seed = 3};

static arrays make(sparcl_ctx *ctx, spec_kind kind, int64_t limit, int64_t nnr, int64_t width) {
    arrays x = {.table = {.rank = 2, .shape = {limit, width}, .ld = width + 2}};
    assert_true(spec_rowset_make(&x.host, kind, limit, nnr, width, 7));
    assert_ok(ctx, spec_put_rows(ctx, &x.from, &x.host, &plain));
    x.from.rank = 2;
    x.from.shape[1] = width;
    x.to = x.from;
    x.to.nnr = nnr + 3;
    x.to.proof = (sparcl_proof){0};
    x.table_host = make_floats(dense_capacity(&x.table), 5);
    x.table.values = put_spare(ctx, x.table_host, dense_capacity(&x.table));
    float *capacity = make_floats(x.to.nnr * (width + 1), 6);
    x.to.indices = put_spare(ctx, capacity, x.to.nnr);
    x.to.values = put_spare(ctx, capacity, x.to.nnr * width);
    x.to.count = put_ints(ctx, &(int64_t){-1}, 1, SPARCL_INDEX64);
    free(capacity);
    return x;
}

static void drop(arrays *x) {
    spec_rowset_free(&x->host);
    sparcl_rows_free(&x->from);
    sparcl_rows_free(&x->to);
    sparcl_buf_free(x->table.values);
    free(x->table_host);
}

static void assert_coalesced(sparcl_ctx *ctx, const arrays *x) {
    spec_rowset sum;
    spec_report report = {.equal = true};
    const int64_t width = x->host.width;
    assert_true(spec_rowset_sum(&sum, &x->host, SPARCL_F32, NULL, NULL));
    int64_t *ids = must_have(calloc((size_t)sum.stored + 1, sizeof *ids));
    double *values = must_have(calloc((size_t)(sum.stored * width) + 1, sizeof *values));
    assert_int_equal(int_at(ctx, x->to.count, x->to.count_at), sum.stored);
    assert_ok(ctx, spec_get_ints(ctx, x->to.indices, x->to.indices_at, sum.stored, x->to.index_type,
                                 ids));
    assert_ok(ctx, spec_get_reals(ctx, x->to.values, x->to.values_at, sum.stored * width,
                                  SPARCL_F32, values));
    spec_compare_ints(&report, "indices", ids, sum.ids, sum.stored);
    spec_compare(&report, "values", values, sum.values, NULL, NULL, sum.stored * width);
    if (!report.equal) fail_msg("%s", report.why);
    free(ids);
    free(values);
    spec_rowset_free(&sum);
}

static void rows_of_one_index_become_their_sum_by_rule_r(void **state) {
    sparcl_ctx *ctx = *state;
    for (int kind = 0; kind < SPEC_KINDS; ++kind) {
        arrays x = make(ctx, (spec_kind)kind, 40, 1000, 3);
        x.to.nnr = x.from.nnr; /* just enough */
        assert_ok(ctx, sparcl_rows_coalesce(ctx, &x.to, &x.from, SPARCL_SUM, NULL));
        assert_coalesced(ctx, &x);
        assert_int_equal(sparcl_rows_flags(&x.to), SPARCL_VALID | SPARCL_SORTED | SPARCL_UNIQUE);
        drop(&x);
    }
}

static void a_row_without_duplicate_keeps_its_bits(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPEC_DIAGONAL, 4, 4, 2);
    const uint32_t bits[8] = {0x80000000u, 0x7fc12345u, 0x7f800000u, 0xff800000u,
                              0x00000000u, 0x3f800001u, 0x80000000u, 0x7f7fffffu};
    uint32_t got[8];
    x.from.proof.flags = SPARCL_TRUSTED;
    assert_ok(ctx, sparcl_buf_write(ctx, x.from.values, 0, sizeof bits, bits));
    assert_ok(ctx, sparcl_rows_coalesce(ctx, &x.to, &x.from, SPARCL_SUM, NULL));
    assert_ok(ctx, sparcl_buf_read(ctx, x.to.values, 0, sizeof got, got));
    for (int i = 0; i < 8; ++i)
        if (i != 1) assert_int_equal(got[i], bits[i]);
    assert_int_equal(got[1] & 0x7f800000u, 0x7f800000u); /* some NaN */
    assert_int_not_equal(got[1] & 0x7fffffu, 0);
    drop(&x);
}

static void arrays_may_begin_anywhere_in_their_buffers(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPEC_UNIFORM, 9, 20, 3);
    int64_t ids[25] = {0};
    double values[65] = {0};
    memcpy(ids + 5, x.host.ids, 20 * sizeof *ids);
    memcpy(values + 5, x.host.values, 60 * sizeof *values);
    sparcl_rows_free(&x.from);
    assert_ok(ctx, spec_put_ints(ctx, &x.from.indices, ids, 25, SPARCL_INDEX32));
    assert_ok(ctx, spec_put_reals(ctx, &x.from.values, values, 65, SPARCL_F32));
    x.from.count = put_ints(ctx, (int64_t[]){99, 99, 20}, 3, SPARCL_INDEX64);
    x.from.indices_at = x.from.values_at = 5;
    x.from.count_at = 2;
    x.from.proof.flags = SPARCL_TRUSTED;
    sparcl_buf_free(x.to.count);
    x.to.count = put_ints(ctx, (int64_t[]){77, 77}, 2, SPARCL_INDEX64);
    x.to.count_at = 1;
    x.to.indices_at = 2;
    x.to.values_at = 4;
    assert_ok(ctx, sparcl_rows_coalesce(ctx, &x.to, &x.from, SPARCL_SUM, NULL));
    assert_coalesced(ctx, &x);
    assert_int_equal(int_at(ctx, x.to.count, 0), 77);
    drop(&x);
}

static void empty_arrays_give_empty_results(void **state) {
    sparcl_ctx *ctx = *state;
    const int64_t sizes[][3] = {{0, 0, 3}, {5, 0, 3}, {5, 7, 0}};
    for (size_t i = 0; i < COUNT(sizes); ++i) {
        arrays x = make(ctx, SPEC_ONE_ROW, sizes[i][0], sizes[i][1], sizes[i][2]);
        assert_ok(ctx, sparcl_rows_coalesce(ctx, &x.to, &x.from, SPARCL_SUM, NULL));
        assert_int_equal(int_at(ctx, x.to.count, 0), sizes[i][1] > 0);
        assert_ok(ctx, sparcl_scatter_add(ctx, &x.table, 1, &x.from));
        drop(&x);
    }
}

static void a_refused_coalesce_changes_nothing_and_says_why(void **state) {
    sparcl_ctx *ctx = *state;
    arrays valid = make(ctx, SPEC_UNIFORM, 9, 20, 3);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, valid.to.values, valid.to.count);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, valid, violation,                                             \
                             sparcl_rows_coalesce(ctx, &x.to, &x.from, SPARCL_SUM, NULL), status,  \
                             part, assert_unchanged(ctx, &kept))
    REFUSED(x.to.nnr = x.from.nnr - 1, SPARCL_E_SHAPE,
            "`to` has capacity for 19 entries, expected at least the 20 of `from`");
    REFUSED(++x.to.shape[0], SPARCL_E_SHAPE, "dimension 0 of `to` is 10, of `from` 9");
    REFUSED(++x.to.shape[1], SPARCL_E_SHAPE,
            "rows_coalesce: dimension 1 of `to` is 4, of `from` 3");
    REFUSED((x.to.rank = 3, x.to.shape[2] = 1), SPARCL_E_SHAPE, "`to` has rank 3, `from` has 2");
    REFUSED(x.to.count = NULL, SPARCL_E_SHAPE, "`to` has no count, expected one");
    REFUSED(x.to.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.to.index_type = SPARCL_INDEX64, SPARCL_E_DTYPE,
            "`to` has i64 indices and `from` i32, expected one type");
    REFUSED(x.to.reserved[0] = 1, SPARCL_E_ARG, "the reserved fields of `to` are not zero");
    REFUSED(x.from.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED,
            "`from` is not checked; call sparcl_rows_validate");
    REFUSED(x.from.indices = NULL, SPARCL_E_SHAPE, "for its indices");
    REFUSED(x.from.nnr = -1, SPARCL_E_SHAPE, "`from` has -1 stored rows, expected 0 or more");
    REFUSED(x.from.reserved[1] = 1, SPARCL_E_ARG, "the reserved fields of `from` are not zero");
    REFUSED(x.from.values = x.to.values, SPARCL_E_ALIAS,
            "the values of `to` overlaps the values of `from`");
    REFUSED(x.from.indices = x.to.indices, SPARCL_E_ALIAS,
            "the indices of `to` overlaps the indices of `from`");
    REFUSED(x.from.count = x.to.count, SPARCL_E_ALIAS,
            "the count of `to` overlaps the count of `from`");
    REFUSED(x.to.indices = x.to.values, SPARCL_E_ALIAS,
            "the values of `to` overlaps the indices of `to`");
#undef REFUSED
    snapshot_free(&kept);
    assert_int_equal(int_at(ctx, valid.to.count, 0), -1);
    assert_refused(ctx, sparcl_rows_coalesce(ctx, NULL, &valid.from, SPARCL_SUM, NULL),
                   SPARCL_E_ARG, "`to` is NULL");
    assert_refused(ctx, sparcl_rows_coalesce(ctx, &valid.to, NULL, SPARCL_SUM, NULL), SPARCL_E_ARG,
                   "`from` is NULL");
    assert_ok(ctx, sparcl_rows_coalesce(ctx, &valid.to, &valid.from, SPARCL_SUM, NULL));
    assert_coalesced(ctx, &valid);
    drop(&valid);
}

static void scatter_add_changes_the_rows_it_has_and_no_others(void **state) {
    sparcl_ctx *ctx = *state;
    arrays x = make(ctx, SPEC_UNIFORM, 50, 20, 3);
    spec_rowset sum;
    const int64_t count = dense_capacity(&x.table);
    assert_true(spec_rowset_sum(&sum, &x.host, SPARCL_F32, NULL, NULL));
    for (int64_t u = 0; u < sum.stored; ++u)
        for (int64_t j = 0; j < 3; ++j) {
            const float change = 0.3F * (float)sum.values[u * 3 + j];
            x.table_host[sum.ids[u] * x.table.ld + j] += change;
        }
    assert_ok(ctx, sparcl_scatter_add(ctx, &x.table, 0.3, &x.from));
    float *got = bytes_of(ctx, x.table.values);
    assert_memory_equal(got, x.table_host, (size_t)count * sizeof *got);
    free(got);
    spec_rowset_free(&sum);
    drop(&x);
}

static void a_refused_scatter_add_leaves_the_table(void **state) {
    sparcl_ctx *ctx = *state;
    arrays valid = make(ctx, SPEC_UNIFORM, 9, 20, 3);
    const sparcl_status no_f64 = wrong_f64(ctx);
    snapshot kept = SNAPSHOT(ctx, valid.table.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, valid, violation,                                             \
                             sparcl_scatter_add(ctx, &x.table, 1, &x.from), status, part,          \
                             assert_unchanged(ctx, &kept))
    REFUSED(++x.table.shape[0], SPARCL_E_SHAPE, "dimension 0 of table is 10, of r 9");
    REFUSED((x.table.rank = 3, x.table.shape[2] = 1), SPARCL_E_SHAPE, "table has rank 3, r has 2");
    REFUSED(x.table.dtype = SPARCL_F64, no_f64, "64");
    REFUSED(x.table.ld = 2, SPARCL_E_SHAPE, "table has rows of 3 elements and ld 2");
    REFUSED(x.from.proof = (sparcl_proof){0}, SPARCL_E_UNCHECKED, "r is not checked");
    REFUSED(x.from.indices = NULL, SPARCL_E_SHAPE, "r has no buffer");
    REFUSED(x.from.values = x.table.values, SPARCL_E_ALIAS, "table overlaps the values of r");
    REFUSED(x.from.indices = x.table.values, SPARCL_E_ALIAS, "table overlaps the indices of r");
    REFUSED(x.from.count = x.table.values, SPARCL_E_ALIAS, "table overlaps the count of r");
    snapshot_free(&kept);
    drop(&valid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_index_become_their_sum_by_rule_r),
        cmocka_unit_test(a_row_without_duplicate_keeps_its_bits),
        cmocka_unit_test(arrays_may_begin_anywhere_in_their_buffers),
        cmocka_unit_test(empty_arrays_give_empty_results),
        cmocka_unit_test(a_refused_coalesce_changes_nothing_and_says_why),
        cmocka_unit_test(scatter_add_changes_the_rows_it_has_and_no_others),
        cmocka_unit_test(a_refused_scatter_add_leaves_the_table),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
