/* test_assign_rows.c: what the header says of sparcl_assign_rows. */
#include "op_test.h"

typedef struct arrays {
    sparcl_dense table;
    sparcl_rows rows;
} arrays;

/* A table [4, 2] of 1 .. 8, and three rows, two of which have one index. */
static arrays make(sparcl_ctx *ctx) {
    static const float table[] = {1, 2, 3, 4, 5, 6, 7, 8}, values[] = {10, 11, 20, 21, 30, 31};
    static const int32_t ids[] = {2, 0, 2};
    return (arrays){.table = {.rank = 2, .shape = {4, 2}, .values = put(ctx, table, sizeof table)},
                    .rows = {.rank = 2,
                             .shape = {4, 2},
                             .nnr = 3,
                             .indices = put(ctx, ids, sizeof ids),
                             .values = put(ctx, values, sizeof values),
                             .proof.flags = SPARCL_TRUSTED}};
}

static void drop(arrays *x) {
    sparcl_dense_free(&x->table);
    sparcl_rows_free(&x->rows);
}

static void the_last_row_of_an_index_stays(void **state) {
    static const float want[] = {20, 21, 3, 4, 30, 31, 7, 8};
    arrays x = make(*state);
    assert_ok(*state, sparcl_assign_rows(*state, &x.table, &x.rows));
    assert_holds(*state, x.table.values, want);
    drop(&x);
}

static void the_count_on_the_device_is_honoured(void **state) {
    static const float want[] = {20, 21, 3, 4, 10, 11, 7, 8};
    arrays x = make(*state);
    x.rows.count = put_ints(*state, &(int64_t){2}, 1, SPARCL_INDEX64);
    assert_ok(*state, sparcl_assign_rows(*state, &x.table, &x.rows));
    assert_holds(*state, x.table.values, want);
    drop(&x);
}

static void a_refused_call_leaves_the_table(void **state) {
    sparcl_ctx *ctx = *state;
    arrays valid = make(ctx);
    snapshot kept = SNAPSHOT(ctx, valid.table.values);
#define REFUSED(violation, status, part)                                                           \
    assert_violation_refused(arrays, valid, violation, sparcl_assign_rows(ctx, &x.table, &x.rows), \
                             status, part, assert_unchanged(ctx, &kept))
    REFUSED(x.rows.shape[0] = 5, SPARCL_E_SHAPE, "assign_rows");
    REFUSED(x.rows.shape[1] = 1, SPARCL_E_SHAPE, "assign_rows");
    REFUSED(x.table.rank = 1, SPARCL_E_SHAPE, "assign_rows");
    REFUSED(x.rows.dtype = SPARCL_F16, SPARCL_E_DTYPE, "assign_rows");
    REFUSED(x.rows.values = x.table.values, SPARCL_E_ALIAS, "table overlaps");
    REFUSED(x.rows.proof.flags = 0, SPARCL_E_UNCHECKED, "assign_rows");
#undef REFUSED
    snapshot_free(&kept);
    drop(&valid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_row_of_an_index_stays),
        cmocka_unit_test(the_count_on_the_device_is_honoured),
        cmocka_unit_test(a_refused_call_leaves_the_table),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
