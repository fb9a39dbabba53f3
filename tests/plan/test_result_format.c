/* test_result_format.c: each rule of the table in docs/operations/README.md, and what
 * plan.h says of other operands. */
#include <string.h>

#include "op_test.h"
#include "sparcl/plan.h"

/* d: dense, c: csr, k: csc, o: coo, r: row-sparse, b: bsr; a result of '-' is refused. */
static const char letters[] = "dckorb";

static const struct {
    sparcl_format_of operation;
    const char *operands;
    char result;
} rules[] = {
    {SPARCL_FORMAT_OF_MATMUL, "cd", 'd'},       {SPARCL_FORMAT_OF_MATMUL, "kd", 'd'},
    {SPARCL_FORMAT_OF_MATMUL, "od", 'd'},       {SPARCL_FORMAT_OF_MATMUL, "bd", 'd'},
    {SPARCL_FORMAT_OF_MATMUL_T, "bd", 'r'},     {SPARCL_FORMAT_OF_MATMUL, "br", 'd'},
    {SPARCL_FORMAT_OF_MATMUL_T, "br", 'r'},     {SPARCL_FORMAT_OF_MATMUL, "db", 'd'},
    {SPARCL_FORMAT_OF_MATMUL_T, "cd", 'r'},     {SPARCL_FORMAT_OF_MATMUL_T, "od", 'r'},
    {SPARCL_FORMAT_OF_MATMUL_T, "kd", 'd'},     {SPARCL_FORMAT_OF_MATMUL, "cr", 'd'},
    {SPARCL_FORMAT_OF_MATMUL, "kr", 'd'},       {SPARCL_FORMAT_OF_MATMUL, "or", 'd'},
    {SPARCL_FORMAT_OF_MATMUL_T, "cr", 'r'},     {SPARCL_FORMAT_OF_MATMUL_T, "or", 'r'},
    {SPARCL_FORMAT_OF_MATMUL_T, "kr", 'd'},     {SPARCL_FORMAT_OF_MATMUL, "dc", 'd'},
    {SPARCL_FORMAT_OF_MATMUL, "dk", 'd'},       {SPARCL_FORMAT_OF_MATMUL, "do", 'd'},
    {SPARCL_FORMAT_OF_MATMUL_T, "dc", 'd'},     {SPARCL_FORMAT_OF_MATMUL, "dd", 'd'},
    {SPARCL_FORMAT_OF_MATMUL, "cc", 'c'},       {SPARCL_FORMAT_OF_SDDMM, "cdd", 'c'},
    {SPARCL_FORMAT_OF_SUM, "cc", 'c'},          {SPARCL_FORMAT_OF_SUM, "ccc", 'c'},
    {SPARCL_FORMAT_OF_SUM, "rr", 'r'},          {SPARCL_FORMAT_OF_SUM, "r", 'r'},
    {SPARCL_FORMAT_OF_SUM, "rrrr", 'r'},        {SPARCL_FORMAT_OF_SUM, "dr", 'd'},
    {SPARCL_FORMAT_OF_SUM, "rrd", 'd'},         {SPARCL_FORMAT_OF_SUM, "ddd", 'd'},
    {SPARCL_FORMAT_OF_SUM, "cd", '-'},          {SPARCL_FORMAT_OF_SUM, "dc", '-'},
    {SPARCL_FORMAT_OF_SUM, "cr", '-'},          {SPARCL_FORMAT_OF_SUM, "oo", 'o'},
    {SPARCL_FORMAT_OF_SUM, "ooo", 'o'},         {SPARCL_FORMAT_OF_SUM, "oc", '-'},
    {SPARCL_FORMAT_OF_MULTIPLY, "cc", 'c'},     {SPARCL_FORMAT_OF_MULTIPLY, "oo", 'o'},
    {SPARCL_FORMAT_OF_MULTIPLY, "cd", 'c'},     {SPARCL_FORMAT_OF_MULTIPLY, "dc", 'c'},
    {SPARCL_FORMAT_OF_MULTIPLY, "dd", 'd'},     {SPARCL_FORMAT_OF_MULTIPLY, "rr", 'r'},
    {SPARCL_FORMAT_OF_MULTIPLY, "rd", 'r'},     {SPARCL_FORMAT_OF_MULTIPLY, "dr", 'r'},
    {SPARCL_FORMAT_OF_MULTIPLY, "cr", '-'},     {SPARCL_FORMAT_OF_BROADCAST, "cd", 'c'},
    {SPARCL_FORMAT_OF_BROADCAST, "dd", 'd'},    {SPARCL_FORMAT_OF_SCALE, "c", 'c'},
    {SPARCL_FORMAT_OF_SCALE, "r", 'r'},         {SPARCL_FORMAT_OF_SCALE, "d", 'd'},
    {SPARCL_FORMAT_OF_SHIFT, "c", '-'},         {SPARCL_FORMAT_OF_SHIFT, "d", 'd'},
    {SPARCL_FORMAT_OF_ZERO_FUNCTION, "c", 'c'}, {SPARCL_FORMAT_OF_ZERO_FUNCTION, "r", 'r'},
    {SPARCL_FORMAT_OF_ZERO_FUNCTION, "d", 'd'}, {SPARCL_FORMAT_OF_FUNCTION, "c", '-'},
    {SPARCL_FORMAT_OF_FUNCTION, "r", '-'},      {SPARCL_FORMAT_OF_FUNCTION, "d", 'd'},
    {SPARCL_FORMAT_OF_REDUCTION, "c", 'd'},     {SPARCL_FORMAT_OF_REDUCTION, "r", 'd'},
    {SPARCL_FORMAT_OF_REDUCTION, "o", 'd'},     {SPARCL_FORMAT_OF_SOFTMAX, "c", 'c'},
    {SPARCL_FORMAT_OF_SELECTION, "c", 'c'},     {SPARCL_FORMAT_OF_SELECTION, "ccc", 'c'},
    {SPARCL_FORMAT_OF_SELECTION, "oo", 'o'},    {SPARCL_FORMAT_OF_SELECTION, "rr", 'r'},
    {SPARCL_FORMAT_OF_SELECTION, "cr", '-'},    {SPARCL_FORMAT_OF_EMBEDDING_GRADIENT, "d", 'r'},
};

/* The formats of such letters; returns how many. */
static int formats_of(const char *text, sparcl_format *formats) {
    const int count = (int)strlen(text);
    for (int i = 0; i < count; ++i)
        formats[i] = (sparcl_format)(strchr(letters, text[i]) - letters);
    return count;
}

static void every_rule_of_the_documentation_holds(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(rules); ++i) {
        sparcl_format operands[8], result = (sparcl_format)7;
        const int count = formats_of(rules[i].operands, operands);
        const sparcl_status status =
            sparcl_result_format(rules[i].operation, operands, count, &result);
        const char found = status == SPARCL_OK ? letters[result] : '-';
        if (found != rules[i].result || (found == '-' && status != SPARCL_E_UNSUPPORTED))
            fail_msg("operation %d of %s: %c, expected %c", (int)rules[i].operation,
                     rules[i].operands, found, rules[i].result);
        if (found == '-') assert_int_equal(result, 7);
    }
}

/* Sparse arrays alone become dense only in products with a dense result, and in reductions. */
static void no_sparse_array_becomes_dense_by_itself(void **state) {
    (void)state;
    for (int op = SPARCL_FORMAT_OF_SUM; op <= SPARCL_FORMAT_OF_SELECTION; ++op)
        for (int a = 1; a < 6; ++a)
            for (int b = 1; b < 6; ++b)
                for (int count = 1; count < 3; ++count) {
                    const sparcl_format both[] = {(sparcl_format)a, (sparcl_format)b};
                    sparcl_format result;
                    if (op != SPARCL_FORMAT_OF_REDUCTION &&
                        sparcl_result_format((sparcl_format_of)op, both, count, &result) ==
                            SPARCL_OK)
                        assert_int_not_equal(result, SPARCL_FORMAT_DENSE);
                }
}

static void other_arguments_are_refused(void **state) {
    const sparcl_format csr[] = {SPARCL_FORMAT_CSR, SPARCL_FORMAT_CSR, SPARCL_FORMAT_CSR};
    const sparcl_format unknown = (sparcl_format)6;
    sparcl_format result = SPARCL_FORMAT_COO;
    (void)state;
#define REFUSED(op, operands, count, to)                                                           \
    assert_int_equal(sparcl_result_format(op, operands, count, to), SPARCL_E_ARG)
    REFUSED(SPARCL_FORMAT_OF_MATMUL, csr, 1, &result);
    REFUSED(SPARCL_FORMAT_OF_MATMUL, csr, 3, &result);
    REFUSED(SPARCL_FORMAT_OF_SDDMM, csr, 2, &result);
    REFUSED(SPARCL_FORMAT_OF_SUM, csr, 0, &result);
    REFUSED(SPARCL_FORMAT_OF_SOFTMAX, csr, 2, &result);
    REFUSED(SPARCL_FORMAT_OF_SUM, NULL, 1, &result);
    REFUSED(SPARCL_FORMAT_OF_SUM, csr, 1, NULL);
    REFUSED(SPARCL_FORMAT_OF_SUM, &unknown, 1, &result);
    REFUSED((sparcl_format_of)14, csr, 1, &result);
    REFUSED((sparcl_format_of)-1, csr, 1, &result);
    assert_int_equal(result, SPARCL_FORMAT_COO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_of_the_documentation_holds),
        cmocka_unit_test(no_sparse_array_becomes_dense_by_itself),
        cmocka_unit_test(other_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
