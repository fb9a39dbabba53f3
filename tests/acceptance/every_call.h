/* every_call.h: a valid call of every operation, for tests that make one of its arguments wrong. */
#ifndef TESTS_EVERY_CALL_H
#define TESTS_EVERY_CALL_H

#include "op_test.h"

typedef enum slot_kind {
    SLOT_NONE,
    SLOT_DENSE,
    SLOT_CSR,
    SLOT_CSC,
    SLOT_COO,
    SLOT_BSR,
    SLOT_ROWS,
    SLOT_LIST,
    SLOT_BAGS,
    SLOT_BUF
} slot_kind;

typedef union any_view {
    sparcl_dense dense;
    sparcl_csr csr;
    sparcl_csc csc;
    sparcl_coo coo;
    sparcl_bsr bsr;
    sparcl_rows rows;
    sparcl_list list;
    sparcl_bags bags;
    sparcl_buf *buf;
} any_view;

/* Arguments of all calls, by letters. All matrices are 2 x 2, so that they fit wherever they are.
 *
 *   x y, z w     dense [2, 2]: operands, results         u v U, s t S T  dense [2]
 *   1            an operand [2, 1]                       g, h            dense [4]
 *   n            a result [2, 2] of INT64
 *   a b, c       csr of 2 entries; a result for 4        C               an operand like c
 *   d, e         csc      i, j  coo      m, o  bsr       p q, r f        row-sparse; f has no count
 *   l            a list   L     a result   k     bags     # $   buffers of 64 bytes, which may be
 * NULL
 */
typedef struct arguments {
    any_view *at[128]; /* NULL: no such argument */
    any_view views[128];
    slot_kind kinds[128];
    bool is_result[128];
    sparcl_buf *bufs[128]; /* of all views */
    const void *contents[128];
    int count;
} arguments;

/* `used` has the letters of what a call takes; after '?' what may be NULL, after '~' operands whose
 * values are not read, after '^' those of whose shape only the rows are read, after '+' those of
 * any number of rows, after '!' those that need no proof. */
typedef struct every_call {
    const char *name;
    sparcl_status (*run)(sparcl_ctx *ctx, const arguments *v);
    const char *used;
} every_call;

extern const every_call every_calls[]; /* ends with a NULL name */

/* --- call_arguments.c ------------------------------------------------------------------------ */

void make_arguments(sparcl_ctx *ctx, arguments *v);
void free_arguments(arguments *v);
/* No buffer has changed since. */
void assert_arguments_untouched(sparcl_ctx *ctx, const arguments *v);

#endif
