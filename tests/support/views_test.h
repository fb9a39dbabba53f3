/* views_test.h: one array of 3 x 4 as every kind of view, on the host and on the device. */
#ifndef TESTS_VIEWS_TEST_H
#define TESTS_VIEWS_TEST_H

#include "op_test.h"

#include "sparcl/opencl.h"

/* 1 . 2 .
 * . . . .
 * 3 4 . 5      and the list is that of its rows with entries. */
enum { ROWS = 3, COLS = 4, NNZ = 5, USED = 2 };

static const int32_t row_offsets[] = {0, 2, 2, 5}, column_offsets[] = {0, 2, 3, 4, 5};
static const int32_t row_indices[] = {0, 0, 2, 2, 2}, column_indices[] = {0, 2, 0, 1, 3};
static const int32_t by_column[] = {0, 2, 2, 0, 2}, used[] = {0, 2};
static const float entries[] = {1, 2, 3, 4, 5}, entries_by_column[] = {1, 3, 4, 2, 5};
static const float full[] = {1, 0, 2, 0, 0, 0, 0, 0, 3, 4, 0, 5};
static const float used_rows[] = {1, 0, 2, 0, 3, 4, 0, 5};

typedef struct views {
    sparcl_dense dense;
    sparcl_csr csr;
    sparcl_csc csc;
    sparcl_coo coo;
    sparcl_rows rows;
    sparcl_list list;
} views;

/* As a caller fills them in. */
static inline views plain_views(void) {
    return (views){.dense = {.rank = 2, .shape = {ROWS, COLS}},
                   .csr = {.rows = ROWS, .cols = COLS, .nnz = NNZ},
                   .csc = {.rows = ROWS, .cols = COLS, .nnz = NNZ},
                   .coo = {.rank = 2, .shape = {ROWS, COLS}, .nnz = NNZ},
                   .rows = {.rank = 2, .shape = {ROWS, COLS}, .nnr = USED},
                   .list = {.count = USED, .limit = ROWS}};
}

static inline sparcl_status upload_coo(sparcl_ctx *ctx, sparcl_coo *coo, uint32_t want) {
    const void *const indices[] = {row_indices, column_indices};
    return sparcl_coo_upload(ctx, coo, indices, entries, want);
}

static inline void upload_all(sparcl_ctx *ctx, views *v) {
    assert_ok(ctx, sparcl_dense_upload(ctx, &v->dense, full));
    assert_ok(ctx, sparcl_csr_upload(ctx, &v->csr, row_offsets, column_indices, entries, 0));
    assert_ok(ctx,
              sparcl_csc_upload(ctx, &v->csc, column_offsets, by_column, entries_by_column, 0));
    assert_ok(ctx, upload_coo(ctx, &v->coo, 0));
    assert_ok(ctx, sparcl_rows_upload(ctx, &v->rows, used, used_rows, 0));
    assert_ok(ctx, sparcl_list_upload(ctx, &v->list, used, 0));
}

static inline void create_all(sparcl_ctx *ctx, views *v) {
    assert_ok(ctx, sparcl_dense_create(ctx, &v->dense));
    assert_ok(ctx, sparcl_csr_create(ctx, &v->csr));
    assert_ok(ctx, sparcl_csc_create(ctx, &v->csc));
    assert_ok(ctx, sparcl_coo_create(ctx, &v->coo));
    assert_ok(ctx, sparcl_rows_create(ctx, &v->rows));
    assert_ok(ctx, sparcl_list_create(ctx, &v->list));
}

static inline void free_all(views *v) {
    sparcl_dense_free(&v->dense);
    sparcl_csr_free(&v->csr);
    sparcl_csc_free(&v->csc);
    sparcl_coo_free(&v->coo);
    sparcl_rows_free(&v->rows);
    sparcl_list_free(&v->list);
}

/* A refused call: the status, the words, every byte of the view and of the context's memory as they
 * were. */
#define assert_left_alone(ctx, view, call, expected, part)                                         \
    do {                                                                                           \
        __typeof__(view) before_;                                                                  \
        memcpy(&before_, &(view), sizeof before_);                                                 \
        const int64_t memory_ = sparcl_ctx_memory(ctx);                                            \
        assert_refused((ctx), (call), (expected), (part));                                         \
        assert_memory_equal(&before_, &(view), sizeof before_);                                    \
        assert_int_equal(sparcl_ctx_memory(ctx), memory_);                                         \
    } while (0)

#endif
