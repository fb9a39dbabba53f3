/* test_foreign.c: a buffer of another context is refused by every operation, wherever it is given,
 * and nothing is written. */
#include "op_test.h"

/* Views of 2 x 2 with two entries, all in one buffer of zeros: overlaps are checked later than the
 * context. */
typedef struct views {
    sparcl_buf *buf;
    sparcl_dense dense, vector, two; /* [2, 2], [2], [2, 1] */
    sparcl_csr csr;
    sparcl_csc csc;
    sparcl_coo coo;
    sparcl_rows rows;
    sparcl_list list;
    sparcl_optim optim;
} views;

#define TRUSTED .proof = {.flags = SPARCL_TRUSTED | SPARCL_UNIQUE}

static views make(sparcl_buf *buf) {
    return (views){
        .buf = buf,
        .dense = {.rank = 2, .shape = {2, 2}, .values = buf},
        .vector = {.rank = 1, .shape = {2}, .values = buf},
        .two = {.rank = 2, .shape = {2, 1}, .values = buf},
        .csr = {2, 2, 2, .offsets = buf, .indices = buf, .values = buf, TRUSTED},
        .csc = {2, 2, 2, .offsets = buf, .indices = buf, .values = buf, TRUSTED},
        .coo = {2, .shape = {2, 2}, .nnz = 2, .indices = {buf, buf}, .values = buf, TRUSTED},
        .rows = {2, .shape = {2, 2}, .nnr = 2, .indices = buf, .values = buf, TRUSTED},
        .list = {2, 2, .indices = buf, TRUSTED},
        .optim = {.size = sizeof(sparcl_optim),
                  .lr = 0.1,
                  .decay.weight = 0.1,
                  .rescale = 1,
                  .step = 2,
                  .lazy.last_steps = buf},
    };
}

/* An operation on views `a` (of this context) in which one comes from `b` (of another one). */
typedef sparcl_status (*call)(sparcl_ctx *ctx, views *a, views *b);

#define CALL(name, ...)                                                                            \
    static sparcl_status name(sparcl_ctx *ctx, views *a, views *b) {                               \
        return __VA_ARGS__;                                                                        \
    }
CALL(spmm, sparcl_spmm(ctx, &a->dense, 1, &b->csr, &a->dense, 0))
CALL(spmm_into, sparcl_spmm(ctx, &b->dense, 1, &a->csr, &a->dense, 0))
CALL(spmm_t, sparcl_spmm_t(ctx, &a->dense, 1, &a->csr, &b->dense, 0, NULL))
CALL(spmm_t_rows, sparcl_spmm_t_rows(ctx, &b->rows, 1, &a->csr, &a->dense, NULL))
CALL(coo_sort, sparcl_coo_sort(ctx, &a->coo, &b->coo, NULL, 0))
CALL(coo_sort_permutation, sparcl_coo_sort(ctx, &a->coo, &a->coo, b->buf, 0))
CALL(coo_coalesce, sparcl_coo_coalesce(ctx, &b->coo, &a->coo, SPARCL_SUM, NULL))
CALL(coo_to_csr, sparcl_coo_to_csr(ctx, &b->csr, &a->coo))
CALL(csr_to_coo, sparcl_csr_to_coo(ctx, &a->coo, &b->csr))
CALL(csr_to_csc, sparcl_csr_to_csc(ctx, &b->csc, &a->csr))
CALL(select_rows, sparcl_csr_take_rows(ctx, &a->csr, &b->csr, &a->list, NULL))
CALL(select_rows_needed,
     sparcl_csr_take_rows(ctx, &a->csr, &a->csr, &a->list, &(sparcl_moved){.needed = b->buf}))
CALL(gather_rows, sparcl_gather_rows(ctx, &a->dense, &b->dense, &a->list))
CALL(rows_coalesce, sparcl_rows_coalesce(ctx, &a->rows, &b->rows, SPARCL_SUM, NULL))
CALL(scatter_add, sparcl_scatter_add(ctx, &b->dense, 1, &a->rows))
CALL(gemm, sparcl_gemm(ctx, &a->dense, 1, SPARCL_OP_N, &b->dense, SPARCL_OP_N, &a->dense, 0,
                       SPARCL_MATH_EXACT))
CALL(sum_rows, sparcl_sum_rows(ctx, &a->vector, 1, &b->dense, 0))
CALL(unary, sparcl_unary(ctx, SPARCL_UNARY_RELU, &b->dense, &a->dense))
CALL(unary_gradient, sparcl_unary_gradient(ctx, SPARCL_UNARY_RELU, &a->dense, &b->dense, &a->dense))
CALL(loss_gradient,
     sparcl_loss_gradient(ctx, SPARCL_LOSS_SQUARED, &a->two, NULL, &b->vector, 1, NULL, &a->vector))
CALL(loss_predict,
     sparcl_loss_predict(ctx, SPARCL_LOSS_SQUARED, &a->two, NULL, &a->vector, &b->vector))
CALL(step, sparcl_step(ctx, &a->optim, &a->dense, NULL, &b->rows))
CALL(step_last_steps, sparcl_step(ctx, &b->optim, &a->dense, NULL, &a->rows))
CALL(step_dense, sparcl_step_dense(ctx, &a->optim, &b->dense, NULL, &a->dense))
CALL(step_bags, sparcl_step_bags(ctx, &a->optim, &a->dense, NULL,
                                 &(sparcl_bags){.bags = 2, .indices = b->list}, &a->dense, NULL))
CALL(catch_up, sparcl_catch_up(ctx, &a->optim, &b->dense, NULL, NULL))
CALL(sddmm, sparcl_sddmm(ctx, &a->vector, 1, &a->csr, &b->dense, &a->dense, 0))
CALL(csr_add, sparcl_csr_add(ctx, &a->csr, 1, &a->csr, 1, &b->csr, NULL))
CALL(csr_add_needed,
     sparcl_csr_add(ctx, &a->csr, 1, &a->csr, 1, &a->csr, &(sparcl_csr_sources){.needed = b->buf}))
CALL(binary, sparcl_binary(ctx, SPARCL_BINARY_ADD, &a->dense, &a->dense, &b->vector))
CALL(csr_reduce, sparcl_csr_reduce(ctx, SPARCL_REDUCE_MAX, SPARCL_OVER_ALL, &a->vector, &a->csr, 1,
                                   b->buf, 0, NULL))
CALL(take_columns, sparcl_csr_take_columns(ctx, &a->csr, &b->csr, &a->list, NULL))
CALL(slice_rows, sparcl_csr_slice_rows(ctx, &b->csr, &a->csr, 0, NULL))
CALL(coo_permute, sparcl_coo_permute(ctx, &a->coo, &b->coo, ((const int[]){1, 0}), NULL))
CALL(csr_to_dense, sparcl_csr_to_dense(ctx, &b->dense, &a->csr))
CALL(dense_to_csr_needed,
     sparcl_dense_to_csr(ctx, &a->csr, &a->dense, 0, &(sparcl_moved){.needed = b->buf}))
CALL(embedding, sparcl_embedding(ctx, &a->dense, &a->dense,
                                 &(sparcl_bags){.bags = 2, .indices = b->list}, NULL, 0))
CALL(layer_norm, sparcl_layer_norm(ctx, &a->dense, &a->dense, &b->vector, NULL, 0.1, NULL, NULL))
CALL(csr_validate, sparcl_csr_validate(ctx, ((void)a, &b->csr), 0))
CALL(csc_validate, sparcl_csc_validate(ctx, ((void)a, &b->csc), 0))
CALL(coo_validate, sparcl_coo_validate(ctx, ((void)a, &b->coo), 0))
CALL(rows_validate, sparcl_rows_validate(ctx, ((void)a, &b->rows), 0))
CALL(list_validate, sparcl_list_validate(ctx, ((void)a, &b->list), 0))

static const struct {
    call run;
    const char *part;
} refused[] = {
    {spmm, "spmm: A has its offsets in a buffer of another context"},
    {spmm_into, "spmm: C has its values in a buffer of another context"},
    {spmm_t, "spmm_t: B has its values"},
    {spmm_t_rows, "spmm_t_rows: R has its indices"},
    {coo_sort, "coo_sort: `from` has its indices"},
    {coo_sort_permutation, "coo_sort: the buffer of the permutation belongs to another context"},
    {coo_coalesce, "coo_coalesce: `to` has its indices"},
    {coo_to_csr, "coo_to_csr: `to` has its offsets"},
    {csr_to_coo, "csr_to_coo: `from` has its offsets"},
    {csr_to_csc, "csr_to_csc: `to` has its offsets"},
    {select_rows, "csr_take_rows: `from` has its offsets"},
    {select_rows_needed, "csr_take_rows: the buffer of the needed count belongs"},
    {gather_rows, "gather_rows: the table has its values"},
    {rows_coalesce, "rows_coalesce: `from` has its indices"},
    {scatter_add, "scatter_add: table has its values"},
    {gemm, "gemm: A has its values"},
    {sum_rows, "sum_rows: X has its values"},
    {unary, "unary: Y has its values"},
    {unary_gradient, "unary_gradient: the value has its values"},
    {loss_gradient, "loss: labels has its values"},
    {loss_predict, "predict: p has its values"},
    {step, "step: gradient has its indices"},
    {step_last_steps, "step: the buffer of last_steps belongs"},
    {step_dense, "step_dense: table has its values"},
    {step_bags, "step_bags: the list has its indices"},
    {catch_up, "catch_up: table has its values"},
    {sddmm, "sddmm: x has its values"},
    {csr_add, "csr_add: B has its offsets"},
    {csr_add_needed, "csr_add: the buffer of the needed count belongs"},
    {binary, "binary: Y has its values"},
    {csr_reduce, "csr_reduce: the buffer of positions belongs"},
    {take_columns, "take_columns: `from` has its offsets"},
    {slice_rows, "slice_rows: `to` has its offsets"},
    {coo_permute, "permute: `from` has its indices"},
    {csr_to_dense, "csr_to_dense: `to` has its values"},
    {dense_to_csr_needed, "dense_to_csr: the buffer of the needed count belongs"},
    {embedding, "embedding: the list has its indices"},
    {layer_norm, "layer_norm: gamma has its values"},
    {csr_validate, "validate: A has its offsets"},
    {csc_validate, "validate: A has its offsets"},
    {coo_validate, "validate: A has its indices"},
    {rows_validate, "validate: A has its indices"},
    {list_validate, "validate: A has its indices"},
};

static void a_buffer_of_another_context_is_refused(void **state) {
    static const char zeros[4096];
    sparcl_ctx *ctx = *state, *other = test_open();
    sparcl_buf *ours = put(ctx, zeros, sizeof zeros), *theirs = put(other, zeros, sizeof zeros);
    for (size_t i = 0; i < COUNT(refused); ++i) {
        views a = make(ours), b = make(theirs);
        assert_refused(ctx, refused[i].run(ctx, &a, &b), SPARCL_E_ARG, refused[i].part);
    }
    assert_holds(ctx, ours, zeros);
    assert_holds(other, theirs, zeros);
    sparcl_buf_free(ours);
    sparcl_buf_free(theirs);
    sparcl_ctx_close(other);
}

static void a_pattern_is_not_built_from_another_context(void **state) {
    static const char zeros[4096];
    sparcl_ctx *ctx = *state, *other = test_open();
    sparcl_buf *theirs = put(other, zeros, sizeof zeros);
    const views b = make(theirs);
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_refused(ctx, sparcl_pattern_build(ctx, pattern, &b.csr), SPARCL_E_ARG,
                   "pattern: A has its offsets in a buffer of another context");
    sparcl_pattern_free(pattern);
    sparcl_buf_free(theirs);
    sparcl_ctx_close(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_buffer_of_another_context_is_refused),
        cmocka_unit_test(a_pattern_is_not_built_from_another_context),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
