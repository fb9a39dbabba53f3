/* test_validate_list.c: duplicates in a long list. */
#include "op_test.h"

#define LONG_LIST 200003

/* Unique numbers below `limit` in no order, on the device as I32 or I64; one of them may have a
 * duplicate.
 */
typedef struct long_list {
    int64_t limit;
    sparcl_itype type;
    int from, again; /* entry `again` has the number of entry `from`; 0, 0: no duplicate */
} long_list;

/* Multiples of a number that has no factor with LONG_LIST, a prime, are all different by it. */
static sparcl_list put_long_list(sparcl_ctx *ctx, const long_list *l) {
    const int64_t apart = l->limit / LONG_LIST;
    int32_t *const narrow = must_have(malloc(LONG_LIST * sizeof *narrow));
    int64_t *const wide = must_have(malloc(LONG_LIST * sizeof *wide));
    for (int64_t i = 0; i < LONG_LIST; ++i) {
        const int64_t k = i == l->again ? l->from : i;
        wide[i] = k * 70001 % LONG_LIST * apart;
        narrow[i] = (int32_t)wide[i];
    }
    const void *const host = l->type == SPARCL_INDEX64 ? (const void *)wide : narrow;
    const sparcl_list list = {.count = LONG_LIST,
                              .limit = l->limit,
                              .index_type = l->type,
                              .indices =
                                  put(ctx, host, LONG_LIST * (int64_t)sparcl_itype_size(l->type))};
    free(narrow);
    free(wide);
    return list;
}

/* All numbers of these lists are in one bucket, which has no space for them. */
static sparcl_list put_crowded_list(sparcl_ctx *ctx, const long_list *l) {
    long_list few = *l;
    few.limit = LONG_LIST;
    sparcl_list list = put_long_list(ctx, &few);
    list.limit = l->limit;
    return list;
}

static void check_long_list(sparcl_ctx *ctx, const long_list *l, sparcl_list list) {
    int64_t number = 0;
    char message[128];
    assert_ok(ctx, sparcl_list_validate(ctx, &list, 0));
    assert_int_equal(sparcl_list_flags(&list),
                     l->again ? SPARCL_VALID : SPARCL_VALID | SPARCL_UNIQUE);
    if (l->again) {
        const int64_t size = (int64_t)sparcl_itype_size(l->type);
        assert_ok(ctx, sparcl_buf_read(ctx, list.indices, l->again * size, size, &number));
        snprintf(message, sizeof message,
                 "validate: entry %d of A is %lld, a duplicate, expected each index once", l->again,
                 (long long)number);
        assert_refused(ctx, sparcl_list_validate(ctx, &list, SPARCL_UNIQUE), SPARCL_E_DATA,
                       message);
    } else {
        assert_ok(ctx, sparcl_list_validate(ctx, &list, SPARCL_UNIQUE));
    }
    sparcl_buf_free(list.indices);
}

static void the_first_duplicate_is_found_in_a_long_list(void **state) {
    static const sparcl_class classes[] = {SPARCL_CLASS_CPU, SPARCL_CLASS_GPU};
    static const long_list lists[] = {
        {LONG_LIST, SPARCL_INDEX32, 0, 0},
        {LONG_LIST, SPARCL_INDEX64, 5, LONG_LIST - 1},
        {1 << 30, SPARCL_INDEX32, 100, 101},
        {1 << 30, SPARCL_INDEX32, 1, LONG_LIST / 2},
        {1 << 30, SPARCL_INDEX64, LONG_LIST - 2, LONG_LIST - 1},
        {(int64_t)1 << 50, SPARCL_INDEX64, 0, 0},
        {(int64_t)1 << 50, SPARCL_INDEX64, 70000, 131072},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(classes); ++k) {
        sparcl_ctx *const ctx = open_class(classes[k]);
        for (size_t i = 0; ctx && i < COUNT(lists); ++i) {
            check_long_list(ctx, &lists[i], put_long_list(ctx, &lists[i]));
            check_long_list(ctx, &lists[i], put_crowded_list(ctx, &lists[i]));
        }
        sparcl_ctx_close(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_duplicate_is_found_in_a_long_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
