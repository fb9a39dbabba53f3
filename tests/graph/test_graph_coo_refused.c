/* test_graph_coo_refused.c: what does not fit is refused when an operation on a COO array is added.
 */
#include "graph_test.h"
#include "sparcl/graph_operations.h"
#include "sparcl/ops/elements.h"
#include "sparcl/ops/structure.h"

enum { RANK = 3, D0 = 4, D1 = 5, D2 = 6 };

/* One mistake of many: what adds it, and its status and words. */
static sparcl_node mistake(sparcl_graph *g, int i, sparcl_status *status, const char **part) {
    static const int twice[] = {0, 1, 1}, axes[] = {0, 3};
    const int64_t shape[] = {D0, D1, D2}, other[] = {D0, D1 + 1, D2};
    const sparcl_node a = sparcl_graph_coo(g, "a", RANK, shape, 9);
    const sparcl_node b = sparcl_graph_coo(g, "b", RANK, other, 9);
    const sparcl_node flat = sparcl_graph_coo(g, "flat", 1, shape, 9);
    const sparcl_node x = sparcl_graph_dense(g, "x", RANK, other);
    const sparcl_node two[] = {a, b}, mixed[] = {a, flat};
#define MISTAKE(number, STATUS, text, node)                                                        \
    case number:                                                                                   \
        *status = SPARCL_E_##STATUS;                                                               \
        *part = text;                                                                              \
        return node
    switch (i) {
        MISTAKE(0, ARG, "x is dense, expected a COO array", sparcl_graph_sort(g, x));
        MISTAKE(1, SHAPE, "a has rank 3, expected 2", sparcl_graph_to_csr(g, a, 0, 0));
        MISTAKE(2, ARG, "how is 6, expected", sparcl_graph_coalesce(g, a, (sparcl_duplicates)6));
        MISTAKE(3, ARG, "axes[2] is 1, expected each", sparcl_graph_coo_permute(g, a, 3, twice));
        MISTAKE(4, SHAPE, "there are 2 axes, expected the 3 of a",
                sparcl_graph_coo_permute(g, a, 2, twice));
        MISTAKE(5, SHAPE, "the result has rank 0, expected 1 to 8",
                sparcl_graph_reshape(g, a, 2, NULL));
        MISTAKE(6, SHAPE, "the result has rank 9", sparcl_graph_reshape(g, a, 9, shape));
        MISTAKE(7, ARG, "axis is 4, expected 0 to 3", sparcl_graph_coo_expand_dims(g, a, 4));
        MISTAKE(8, ARG, "axis is 3, expected -1 to 2", sparcl_graph_coo_squeeze(g, a, 3));
        MISTAKE(9, SHAPE, "dimension 1 of 3 is not 1", sparcl_graph_coo_squeeze(g, a, 1));
        MISTAKE(10, ARG, "axes[1] is 3, expected each", sparcl_graph_coo_project(g, a, 2, axes));
        MISTAKE(11, SHAPE, "sizes of 2 dimensions, expected the 3 of a",
                sparcl_graph_coo_slice(g, a, 2, shape, shape));
        MISTAKE(12, ARG, "axis is 3, expected 0 to 2", sparcl_graph_concat(g, two, 2, 3));
        MISTAKE(13, SHAPE, "a has 5 as dimension 1, b has 6", sparcl_graph_concat(g, two, 2, 0));
        MISTAKE(14, SHAPE, "flat has rank 1, expected 3", sparcl_graph_concat(g, mixed, 2, 0));
        MISTAKE(15, ARG, "there are 9 operands", sparcl_graph_concat(g, two, 9, 0));
        MISTAKE(16, SHAPE, "a has 5 as dimension 1", sparcl_graph_add(g, 1, a, 1, b));
        MISTAKE(17, SHAPE, "flat has rank 1", sparcl_graph_multiply(g, a, flat));
        MISTAKE(18, SHAPE, "a has 5 as dimension 1, x has 6", sparcl_graph_sparse_mask(g, a, x));
        MISTAKE(19, ARG, "a is a COO array, expected dense", sparcl_graph_to_coo(g, a, 0, 0));
        MISTAKE(20, ARG, "it is no COO array", sparcl_graph_coo_reduce(g, SPARCL_SUM, x, 0, NULL));
        MISTAKE(21, ARG, "coo_reduce: axes[1] is 3",
                sparcl_graph_coo_reduce(g, SPARCL_SUM, a, 2, axes));
        MISTAKE(22, ARG, "how is 4, expected SPARCL_SUM to SPARCL_MIN",
                sparcl_graph_coo_reduce(g, SPARCL_FIRST, a, 0, NULL));
        MISTAKE(23, SHAPE, "a has 9 entries, x has 4",
                sparcl_graph_with_values(g, a, sparcl_graph_dense(g, "x", 1, shape)));
        MISTAKE(24, SHAPE, "its rank is 9", sparcl_graph_coo(g, "c", 9, shape, 9));
        MISTAKE(25, SHAPE, "rows or entries is -9", sparcl_graph_coo(g, "c", 3, shape, -9));
        MISTAKE(26, ARG, "of 0 is not 0", sparcl_graph_unary(g, SPARCL_UNARY_EXP, a));
    default:
        return SPARCL_NO_NODE;
    }
}

static void mistakes_are_refused(void **state) {
    int i = 0;
    for (;; ++i) {
        sparcl_graph *g = NULL;
        sparcl_status status = SPARCL_OK;
        const char *part = NULL;
        assert_ok(*state, sparcl_graph_create(*state, &g));
        assert_int_equal(mistake(g, i, &status, &part), SPARCL_NO_NODE);
        if (part) assert_refused(*state, sparcl_graph_forward(g), status, part);
        sparcl_graph_free(g);
        if (!part) break;
    }
    assert_int_equal(i, 27);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistakes_are_refused),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
