/* result_format.c: the table of the formats of results. */
#include "sparcl/plan.h"

#include <stdbool.h>

#include "base/macros.h"

/* Sets of formats. */
enum {
    D = 1 << SPARCL_FORMAT_DENSE,
    CSR = 1 << SPARCL_FORMAT_CSR,
    CSC = 1 << SPARCL_FORMAT_CSC,
    COO = 1 << SPARCL_FORMAT_COO,
    R = 1 << SPARCL_FORMAT_ROWS,
    BSR = 1 << SPARCL_FORMAT_BSR,
    SAME = -1 /* the format of the first operand */
};

/* The first line whose sets have the first operand, and all others. */
typedef struct line {
    sparcl_format_of operation;
    unsigned first, others;
    int result;
} line;

static const line lines[] = {
    {SPARCL_FORMAT_OF_MATMUL, CSR | CSC | COO | BSR, D | R, SPARCL_FORMAT_DENSE},
    {SPARCL_FORMAT_OF_MATMUL, D, D | CSR | CSC | COO | BSR, SPARCL_FORMAT_DENSE},
    {SPARCL_FORMAT_OF_MATMUL, CSR, CSR, SAME},
    {SPARCL_FORMAT_OF_MATMUL_T, CSR | COO | BSR, D | R, SPARCL_FORMAT_ROWS},
    {SPARCL_FORMAT_OF_MATMUL_T, CSC, D | R, SPARCL_FORMAT_DENSE},
    {SPARCL_FORMAT_OF_MATMUL_T, D, D | CSR | CSC | COO | BSR, SPARCL_FORMAT_DENSE},
    {SPARCL_FORMAT_OF_SDDMM, CSR, D, SAME},
    {SPARCL_FORMAT_OF_SUM, CSR, CSR, SAME},
    {SPARCL_FORMAT_OF_SUM, COO, COO, SAME},
    {SPARCL_FORMAT_OF_SUM, R, R, SAME},
    {SPARCL_FORMAT_OF_SUM, D | R, D | R, SPARCL_FORMAT_DENSE},
    {SPARCL_FORMAT_OF_MULTIPLY, CSR, CSR | D, SAME},
    {SPARCL_FORMAT_OF_MULTIPLY, R, R | D, SAME},
    {SPARCL_FORMAT_OF_MULTIPLY, COO, COO, SAME},
    {SPARCL_FORMAT_OF_MULTIPLY, D, CSR, SPARCL_FORMAT_CSR},
    {SPARCL_FORMAT_OF_MULTIPLY, D, R, SPARCL_FORMAT_ROWS},
    {SPARCL_FORMAT_OF_MULTIPLY, D, D, SAME},
    {SPARCL_FORMAT_OF_BROADCAST, CSR | D, D, SAME},
    {SPARCL_FORMAT_OF_SCALE, CSR | R | D, 0, SAME},
    {SPARCL_FORMAT_OF_SHIFT, D, 0, SAME},
    {SPARCL_FORMAT_OF_ZERO_FUNCTION, CSR | R | D, 0, SAME},
    {SPARCL_FORMAT_OF_FUNCTION, D, 0, SAME},
    {SPARCL_FORMAT_OF_REDUCTION, CSR | COO | R | D, 0, SPARCL_FORMAT_DENSE},
    {SPARCL_FORMAT_OF_SOFTMAX, CSR, 0, SAME},
    {SPARCL_FORMAT_OF_SELECTION, CSR, CSR, SAME},
    {SPARCL_FORMAT_OF_SELECTION, COO, COO, SAME},
    {SPARCL_FORMAT_OF_SELECTION, R, R, SAME},
    {SPARCL_FORMAT_OF_SELECTION, D, D, SAME},
    {SPARCL_FORMAT_OF_EMBEDDING_GRADIENT, D, 0, SPARCL_FORMAT_ROWS},
};

static bool has_operands(sparcl_format_of operation, int count) {
    switch (operation) {
    case SPARCL_FORMAT_OF_SUM:
    case SPARCL_FORMAT_OF_SELECTION:
        return count >= 1;
    case SPARCL_FORMAT_OF_MATMUL:
    case SPARCL_FORMAT_OF_MATMUL_T:
    case SPARCL_FORMAT_OF_MULTIPLY:
    case SPARCL_FORMAT_OF_BROADCAST:
        return count == 2;
    case SPARCL_FORMAT_OF_SDDMM:
        return count == 3;
    default:
        return count == 1;
    }
}

static bool fits(const line *l, const sparcl_format *operands, int count) {
    bool all = l->first >> operands[0] & 1;
    for (int i = 1; i < count; ++i)
        all &= l->others >> operands[i] & 1;
    return all;
}

sparcl_status sparcl_result_format(sparcl_format_of operation, const sparcl_format *operands,
                                   int count, sparcl_format *result) {
    if (!operands || !result || (unsigned)operation > SPARCL_FORMAT_OF_EMBEDDING_GRADIENT ||
        !has_operands(operation, count))
        return SPARCL_E_ARG;
    for (int i = 0; i < count; ++i)
        if ((unsigned)operands[i] > SPARCL_FORMAT_BSR) return SPARCL_E_ARG;
    for (size_t i = 0; i < SPC_COUNT(lines); ++i) {
        const line *const l = &lines[i];
        if (l->operation != operation || !fits(l, operands, count)) continue;
        *result = l->result == SAME ? operands[0] : (sparcl_format)l->result;
        return SPARCL_OK;
    }
    return SPARCL_E_UNSUPPORTED;
}
