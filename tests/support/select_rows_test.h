/* select_rows_test.h: what the tests of selected and gathered rows share: lists, and rows selected
 * from a matrix.
 */
#ifndef TESTS_SELECT_ROWS_TEST_H
#define TESTS_SELECT_ROWS_TEST_H

#include "op_test.h"

static inline sparcl_buf *make_spare(sparcl_ctx *ctx, int64_t count) {
    sparcl_buf *buf = NULL;
    assert_ok(ctx, sparcl_buf_create(ctx, &buf, count * 8 + 64));
    assert_ok(ctx, sparcl_buf_fill(ctx, buf, 0, count * 8 + 64, 0x55));
    return buf;
}

static inline sparcl_list put_list(sparcl_ctx *ctx, const int64_t *numbers, int64_t count,
                                   int64_t limit, sparcl_itype type) {
    return (sparcl_list){.count = count,
                         .limit = limit,
                         .index_type = type,
                         .indices = put_ints(ctx, numbers, count, type),
                         .proof.flags = SPARCL_TRUSTED};
}

/* A matrix, a list of its rows, and a result; each array has capacity for 8-byte elements. */
typedef struct selection {
    spec_matrix matrix;
    sparcl_csr from, to;
    sparcl_list list;
    sparcl_buf *needed;
    int64_t needed_at, numbers[64];
} selection;

/* `count` rows of a matrix [12, 9] with 40 entries; the result has capacity for `capacity` entries.
 */
static inline selection make_selection(sparcl_ctx *ctx, spec_kind kind, int64_t count,
                                       int64_t capacity) {
    selection s = {.needed_at = 1};
    uint64_t seed = 8;
    assert_true(spec_matrix_make(&s.matrix, kind, 12, 9, 40, 6));
    assert_ok(ctx,
              spec_put_csr(ctx, &s.from, &s.matrix, SPARCL_F32, SPARCL_INDEX32, SPARCL_INDEX32));
    s.from.proof.flags = SPARCL_TRUSTED;
    for (int64_t i = 0; i < count; ++i)
        s.numbers[i] = (int64_t)(spec_random(&seed) % 12);
    s.list = put_list(ctx, s.numbers, count, 12, SPARCL_INDEX32);
    s.to = (sparcl_csr){.rows = count, .cols = 9, .nnz = capacity};
    s.to.offsets = make_spare(ctx, count + 1);
    s.to.indices = make_spare(ctx, capacity);
    s.to.values = make_spare(ctx, capacity);
    s.needed = make_spare(ctx, 3);
    return s;
}

static inline void free_selection(selection *s) {
    spec_matrix_free(&s->matrix);
    sparcl_csr_free(&s->from);
    sparcl_csr_free(&s->to);
    sparcl_list_free(&s->list);
    sparcl_buf_free(s->needed);
}

static inline sparcl_status select_rows(sparcl_ctx *ctx, selection *s) {
    return sparcl_csr_take_rows(ctx, &s->to, &s->from, &s->list,
                                &(sparcl_moved){.needed = s->needed, .needed_at = s->needed_at});
}

#endif
