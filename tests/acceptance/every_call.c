/* every_call.c: the calls of test_acceptance_arguments. */
#include "every_call.h"
#include "optim_settings.h"

#define DENSE(letter) ((sparcl_dense *)v->at[letter])
#define CSR(letter)   ((sparcl_csr *)v->at[letter])
#define CSC(letter)   ((sparcl_csc *)v->at[letter])
#define COO(letter)   ((sparcl_coo *)v->at[letter])
#define BSR(letter)   ((sparcl_bsr *)v->at[letter])
#define ROWS(letter)  ((sparcl_rows *)v->at[letter])
#define LIST          ((sparcl_list *)v->at['l'])
#define LIST_RESULT   ((sparcl_list *)v->at['L'])
#define BAGS          ((sparcl_bags *)v->at['k'])
#define BUF(letter)   (v->at[letter] ? v->at[letter]->buf : NULL)
#define NEEDED        (&(sparcl_moved){.needed = BUF('#')})
#define MOVED         (&(sparcl_moved){.source = BUF('$'), .needed = BUF('#')})
#define SOURCE        (&(sparcl_moved){.source = BUF('$')})
#define SOURCES       (&(sparcl_csr_sources){.a = BUF('#'), .b = BUF('$'), .b_at = 4})
#define CALL(name, ...)                                                                            \
    static sparcl_status call_##name(sparcl_ctx *ctx, const arguments *v) {                        \
        return sparcl_##name(ctx, __VA_ARGS__);                                                    \
    }

/* ops.h */
CALL(spmm, DENSE('z'), 1, CSR('a'), DENSE('x'), 0)
CALL(spmm_t, DENSE('z'), 1, CSR('a'), DENSE('x'), 0, NULL)
CALL(spmm_t_rows, ROWS('r'), 1, CSR('a'), DENSE('x'), NULL)
CALL(coo_sort, COO('j'), COO('i'), BUF('$'), 0)
CALL(coo_to_csr, CSR('c'), COO('i'))
CALL(csr_to_coo, COO('j'), CSR('a'))
CALL(csr_to_csc, CSC('e'), CSR('a'))
CALL(gather_rows, DENSE('z'), DENSE('x'), LIST)
CALL(rows_concat, ROWS('r'), ROWS('p'), ROWS('q'))
CALL(scatter_add, DENSE('z'), 1, ROWS('p'))
CALL(assign_rows, DENSE('z'), ROWS('p'))
CALL(rows_add_n, ROWS('r'), ((const sparcl_term[]){{1, NULL, ROWS('p')}, {1, NULL, ROWS('q')}}), 2,
     NEEDED)
CALL(add_n, DENSE('z'), ((const sparcl_term[]){{1, DENSE('x'), NULL}, {1, NULL, ROWS('p')}}), 2)
CALL(gemm, DENSE('z'), 1, SPARCL_OP_N, DENSE('x'), SPARCL_OP_N, DENSE('y'), 0, SPARCL_MATH_EXACT)
CALL(csr_validate, CSR('a'), 0)
CALL(csc_validate, CSC('d'), 0)
CALL(coo_validate, COO('i'), 0)
CALL(bsr_validate, BSR('m'), 0)
CALL(rows_validate, ROWS('p'), 0)
CALL(list_validate, LIST, 0)

static sparcl_status call_pattern_build(sparcl_ctx *ctx, const arguments *v) {
    sparcl_pattern *pattern = NULL;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    const sparcl_status status = sparcl_pattern_build(ctx, pattern, CSR('a'));
    sparcl_pattern_free(pattern);
    return status;
}

/* ops/products.h: all rows of the list in one batch; test_batches has the wrong arguments of the
 * others
 */
static sparcl_status call_batches_select(sparcl_ctx *ctx, const arguments *v) {
    sparcl_batches *batches = NULL;
    const int64_t entries[] = {1};
    assert_ok(ctx, sparcl_batches_create(ctx, &batches));
    const sparcl_status status =
        sparcl_batches_select(ctx, batches, CSR('a'), NULL, LIST, 1 << 20, entries);
    sparcl_batches_free(batches);
    return status;
}

static sparcl_status call_matmul(sparcl_ctx *ctx, const arguments *v) {
    sparcl_matrix c = {.format = SPARCL_FORMAT_DENSE}, a = {.format = SPARCL_FORMAT_CSC}, b = c;
    if (DENSE('z')) c.as.dense = *DENSE('z');
    if (CSC('d')) a.as.csc = *CSC('d');
    if (DENSE('x')) b.as.dense = *DENSE('x');
    return sparcl_matmul(ctx, DENSE('z') ? &c : NULL, 1, SPARCL_OP_N, CSC('d') ? &a : NULL,
                         SPARCL_OP_N, DENSE('x') ? &b : NULL, 0, NULL);
}

/* ops/conversions.h, in any format */
static sparcl_status call_convert(sparcl_ctx *ctx, const arguments *v) {
    sparcl_matrix to = {.format = SPARCL_FORMAT_CSR}, from = {.format = SPARCL_FORMAT_CSC};
    if (CSR('c')) to.as.csr = *CSR('c');
    if (CSC('d')) from.as.csc = *CSC('d');
    return sparcl_convert(ctx, CSR('c') ? &to : NULL, CSC('d') ? &from : NULL, 0, NEEDED);
}

/* ops/elements.h, ops/losses.h, optim.h */
CALL(copy, DENSE('z'), DENSE('x'))
CALL(sum_rows, DENSE('s'), 1, DENSE('x'), 0)
CALL(loss_gradient, SPARCL_LOSS_SQUARED, DENSE('1'), NULL, DENSE('u'), 1, NULL, DENSE('s'))
CALL(loss_predict, SPARCL_LOSS_SQUARED, DENSE('1'), NULL, DENSE('s'), DENSE('t'))
CALL(step, (&(sparcl_optim)OPTIM(.lr = 0.1)), DENSE('z'), NULL, ROWS('p'))
CALL(step_dense, (&(sparcl_optim)OPTIM(.lr = 0.1)), DENSE('z'), NULL, DENSE('x'))
CALL(step_bags, (&(sparcl_optim)OPTIM(.lr = 0.1)), DENSE('z'), NULL, BAGS, DENSE('x'), NULL)
CALL(optim_create_states, (&(sparcl_optim)OPTIM(.lr = 0.1)), DENSE('z'), NULL)
CALL(catch_up,
     (&(sparcl_optim){.size = sizeof(sparcl_optim),
                      .lr = 0.1,
                      .rescale = 1,
                      .decay.weight = 0.5,
                      .step = 3,
                      .lazy.last_steps = BUF('#')}),
     DENSE('z'), NULL, ROWS('p'))

/* sharded.h: a table of one shard */
static sparcl_sharded *one_shard(sparcl_sharded *table, sparcl_dense *shard) {
    if (!shard) return NULL;
    *table = (sparcl_sharded){.rank = shard->rank,
                              .dtype = shard->dtype,
                              .rows_per_shard = shard->shape[0],
                              .count = 1,
                              .shards = shard};
    memcpy(table->shape, shard->shape, sizeof table->shape);
    return table;
}

#define SHARDS(letter) one_shard(&(sparcl_sharded){0}, DENSE(letter))
CALL(sharded_gather, DENSE('z'), SHARDS('x'), LIST)
CALL(sharded_assign_rows, SHARDS('z'), ROWS('p'))
CALL(sharded_step, (&(sparcl_optim)OPTIM(.lr = 0.1)), SHARDS('z'), NULL, ROWS('p'))

/* optim.h */
static sparcl_status call_lazy_create(sparcl_ctx *ctx, const arguments *v) {
    const sparcl_optim sgd = OPTIM(.lr = 0.1);
    sparcl_lazy *lazy;
    const sparcl_status status = sparcl_lazy_create(ctx, &lazy, &sgd, DENSE('z'), 0);
    sparcl_lazy_free(lazy);
    return status;
}

/* ops/products.h */
CALL(sddmm, DENSE('s'), 1, CSR('a'), DENSE('x'), DENSE('y'), 0)
CALL(interactions, DENSE('s'), CSR('a'), DENSE('x'), DENSE('y'))
CALL(interactions_rows, ROWS('r'), CSR('a'), DENSE('x'), DENSE('y'), DENSE('u'), NULL)
CALL(field_interactions, DENSE('s'), CSR('a'), LIST, DENSE('x'))
CALL(field_interactions_gradient, DENSE('z'), CSR('a'), LIST, DENSE('x'), DENSE('u'))
CALL(spmm_reduce, SPARCL_REDUCE_MAX, DENSE('z'), CSR('a'), DENSE('x'), DENSE('n'))
CALL(spmm_reduce_gradient, SPARCL_REDUCE_SUM, DENSE('z'), DENSE('s'), DENSE('x'), CSR('a'),
     DENSE('y'), NULL, NULL)
CALL(csr_add, CSR('c'), 1, CSR('a'), 1, CSR('b'), SOURCES)
CALL(csr_multiply, CSR('c'), CSR('a'), CSR('b'), SOURCES)
CALL(csr_add_gradient, DENSE('s'), DENSE('t'), 1, 1, DENSE('g'), CSR('C'), SOURCES)
CALL(csr_multiply_gradient, DENSE('s'), DENSE('t'), DENSE('g'), CSR('C'), CSR('a'), CSR('b'),
     SOURCES)
CALL(csr_multiply_dense, DENSE('s'), CSR('a'), DENSE('x'))
CALL(csr_multiply_dense_gradient, DENSE('s'), DENSE('z'), DENSE('u'), CSR('a'), DENSE('x'))
CALL(spgemm_gradient, DENSE('s'), DENSE('t'), DENSE('g'), CSR('C'), CSR('a'), CSR('b'), NULL)

static sparcl_status call_spgemm_symbolic(sparcl_ctx *ctx, const arguments *v) {
    sparcl_spgemm *plan = NULL;
    assert_ok(ctx, sparcl_spgemm_create(ctx, &plan));
    const sparcl_status status = sparcl_spgemm_symbolic(ctx, plan, CSR('a'), CSR('b'));
    sparcl_spgemm_free(plan);
    return status;
}

/* Without a first phase there are no entries. */
static sparcl_status call_spgemm_entries(sparcl_ctx *ctx, const arguments *v) {
    sparcl_spgemm *plan = NULL;
    int64_t entries = -1;
    assert_ok(ctx, sparcl_spgemm_create(ctx, &plan));
    sparcl_status status = sparcl_spgemm_symbolic(ctx, plan, CSR('a'), CSR('b'));
    const sparcl_status counted = sparcl_spgemm_entries(ctx, plan, &entries);
    if (status == SPARCL_OK) status = counted;
    assert_true(status == SPARCL_OK ? entries == 2 : counted == SPARCL_E_ARG && entries == -1);
    sparcl_spgemm_free(plan);
    return status;
}

static sparcl_status call_spgemm_numeric(sparcl_ctx *ctx, const arguments *v) {
    sparcl_spgemm *plan = NULL;
    assert_ok(ctx, sparcl_spgemm_create(ctx, &plan));
    sparcl_status status = sparcl_spgemm_symbolic(ctx, plan, CSR('a'), CSR('b'));
    if (status == SPARCL_OK)
        status = sparcl_spgemm_numeric(ctx, plan, CSR('c'), CSR('a'), CSR('b'), NEEDED);
    sparcl_spgemm_free(plan);
    return status;
}

/* ops/elements.h */
CALL(unary, SPARCL_UNARY_ABS, DENSE('z'), DENSE('x'))
CALL(csr_unary, SPARCL_UNARY_ABS, DENSE('s'), CSR('a'))
CALL(rows_unary, SPARCL_UNARY_ABS, DENSE('z'), ROWS('p'))
CALL(unary_gradient, SPARCL_UNARY_ABS, DENSE('z'), DENSE('x'), DENSE('y'))
CALL(clip, DENSE('z'), DENSE('x'), -1, 1)
CALL(csr_clip, DENSE('s'), CSR('a'), -1, 1)
CALL(rows_clip, DENSE('z'), ROWS('p'), -1, 1)
CALL(clip_gradient, DENSE('z'), DENSE('x'), DENSE('y'), -1, 1)
CALL(binary, SPARCL_BINARY_ADD, DENSE('z'), DENSE('x'), DENSE('u'))
CALL(binary_scalar, SPARCL_BINARY_ADD, DENSE('z'), DENSE('x'), 1)
CALL(binary_gradient, SPARCL_BINARY_MULTIPLY, DENSE('z'), DENSE('s'), DENSE('x'), DENSE('u'),
     DENSE('y'))
CALL(csr_broadcast, SPARCL_BINARY_MULTIPLY, DENSE('s'), CSR('a'), DENSE('u'), 1)
CALL(csr_binary_scalar, SPARCL_BINARY_MULTIPLY, DENSE('s'), CSR('a'), 2)
CALL(csr_broadcast_gradient, SPARCL_BINARY_MULTIPLY, DENSE('s'), CSR('a'), DENSE('u'), DENSE('v'),
     1, NULL)
CALL(rows_multiply, ROWS('r'), ROWS('p'), ROWS('q'), NEEDED)
CALL(rows_multiply_dense, DENSE('z'), ROWS('p'), DENSE('x'))

/* ops/reductions.h */
CALL(csr_reduce, SPARCL_REDUCE_MAX, SPARCL_OVER_ALL, DENSE('s'), CSR('a'), 1, BUF('$'), 0, NULL)
CALL(csr_reduce_gradient, SPARCL_REDUCE_SUM, SPARCL_OVER_ALL, DENSE('s'), DENSE('u'), CSR('a'), 1,
     NULL, NULL, 0, NULL)
CALL(dense_reduce, SPARCL_REDUCE_SUM, DENSE('s'), DENSE('x'), 1)
CALL(dense_reduce_gradient, SPARCL_REDUCE_NORM, DENSE('z'), DENSE('u'), DENSE('x'), 1, DENSE('v'))
CALL(rows_reduce, SPARCL_REDUCE_SUM, DENSE('s'), ROWS('p'), 1)
CALL(rows_reduce_gradient, SPARCL_REDUCE_NORM, DENSE('z'), DENSE('u'), ROWS('p'), 1, DENSE('v'))
CALL(dot_rows, DENSE('s'), DENSE('x'), DENSE('y'))
CALL(dot_rows_gradient, DENSE('z'), DENSE('u'), DENSE('x'))
CALL(segment_reduce, SPARCL_REDUCE_SUM, DENSE('z'), DENSE('x'), &(sparcl_segments){.ids = LIST},
     NULL, 0)
CALL(segment_reduce_gradient, SPARCL_REDUCE_SUM, DENSE('z'), DENSE('x'), NULL,
     &(sparcl_segments){.ids = LIST}, NULL, NULL, 0)
CALL(csr_softmax, SPARCL_SOFTMAX, DENSE('s'), CSR('a'))
CALL(csr_softmax_heads, SPARCL_SOFTMAX, DENSE('z'), DENSE('x'), CSR('a'))
CALL(csr_softmax_gradient, SPARCL_SOFTMAX, DENSE('s'), DENSE('u'), DENSE('v'), CSR('a'))

/* ops/structure.h, ops/structure.h */
CALL(csr_slice_rows, CSR('c'), CSR('a'), 0, MOVED)
CALL(csr_slice_columns, CSR('c'), CSR('a'), 0, MOVED)
CALL(csr_take_rows, CSR('c'), CSR('a'), LIST, MOVED)
CALL(csr_take_columns, CSR('c'), CSR('a'), LIST, MOVED)
CALL(csr_retain_rows, CSR('c'), CSR('a'), LIST, MOVED)
CALL(csr_concat_rows, CSR('c'), CSR('a'), 1, MOVED)
CALL(csr_concat_columns, CSR('c'), CSR('a'), 1, MOVED)
CALL(csr_block_diagonal, CSR('c'), CSR('a'), 1, MOVED)
CALL(csr_transpose, CSR('c'), CSR('a'), SOURCE)
CALL(csr_triangle, CSR('c'), CSR('a'), SPARCL_LOWER, 0, MOVED)
CALL(csr_sort_indices, CSR('c'), CSR('a'), SOURCE)
CALL(csr_reshape, CSR('c'), CSR('a'), SOURCE)
CALL(csr_fill_empty_rows, CSR('c'), CSR('a'), 1, &(sparcl_filled){.source = BUF('$')})
CALL(csr_sum_duplicates, CSR('c'), CSR('a'), BUF('$'), 0)
CALL(coo_coalesce, COO('j'), COO('i'), SPARCL_MAX, &(sparcl_coalesced){.source = BUF('$')})
CALL(rows_coalesce, ROWS('r'), ROWS('p'), SPARCL_MAX, &(sparcl_coalesced){.counts = BUF('$')})
CALL(unique, &(sparcl_unique_result){.found = BUF('#'), .inverse = BUF('$')}, LIST)
CALL(rows_retain_all, ROWS('f'), ROWS('p'), LIST, SOURCE)
CALL(rows_retain_stored, ROWS('r'), ROWS('p'), LIST, MOVED)
CALL(rows_retain_gradient, DENSE('z'), ROWS('p'), ROWS('q'))
CALL(rows_mask, DENSE('z'), DENSE('x'), ROWS('q'))
CALL(rows_slice, ROWS('r'), ROWS('p'), 0, MOVED)
CALL(coo_permute, COO('j'), COO('i'), ((const int[]){1, 0}), SOURCE)
CALL(coo_reshape, COO('j'), COO('i'))
CALL(coo_slice, COO('j'), COO('i'), ((const int64_t[]){0, 0}), MOVED)
CALL(coo_concat, COO('j'), COO('i'), 1, 0, MOVED)
CALL(coo_fill_empty_rows, COO('j'), COO('i'), 1, &(sparcl_filled){.source = BUF('$')})

CALL(coo_add, COO('j'), 1, COO('i'), 1, COO('i'), SOURCES)
CALL(coo_add_gradient, DENSE('s'), DENSE('t'), 1, 1, DENSE('u'), COO('i'), SOURCES)
CALL(coo_multiply_gradient, DENSE('s'), DENSE('t'), DENSE('u'), COO('i'), COO('i'), COO('i'),
     SOURCES)
CALL(coo_coalesce_gradient, DENSE('s'), SPARCL_SUM, DENSE('u'), COO('i'),
     &(sparcl_coalesced){.inverse = BUF('$')})
/* The result has one element. */
static sparcl_status call_csr_fill_empty_rows_gradient(sparcl_ctx *ctx, const arguments *v) {
    sparcl_dense gv = {.rank = 1};
    if (DENSE('s')) gv = *DENSE('s');
    --gv.shape[0];
    return sparcl_csr_fill_empty_rows_gradient(ctx, DENSE('s') ? &gv : NULL, DENSE('u'), CSR('a'),
                                               CSR('b'));
}
CALL(coo_multiply, COO('j'), COO('i'), COO('i'), SOURCES)
CALL(coo_mask, DENSE('s'), DENSE('x'), COO('i'))
CALL(coo_reduce, DENSE('s'), SPARCL_MAX, COO('i'), 1, ((const int[]){1}))

static sparcl_status call_coo_permute_view(sparcl_ctx *ctx, const arguments *v) {
    static const int axes[] = {1, 0};
    sparcl_coo to;
    return sparcl_coo_permute_view(ctx, &to, COO('i'), axes);
}

static sparcl_status call_coo_project(sparcl_ctx *ctx, const arguments *v) {
    const int axes[] = {1};
    sparcl_coo to = {.rank = 1};
    return sparcl_coo_project(ctx, &to, COO('i'), 1, axes);
}

static sparcl_status call_coo_expand_dims(sparcl_ctx *ctx, const arguments *v) {
    sparcl_coo to = {.indices = {NULL, BUF('#')}};
    return sparcl_coo_expand_dims(ctx, &to, COO('i'), 1);
}

static sparcl_status call_coo_reset_shape(sparcl_ctx *ctx, const arguments *v) {
    static const int64_t shape[] = {3, 2};
    sparcl_coo to = {.rank = 0};
    if (COO('i')) to = *COO('i');
    return sparcl_coo_reset_shape(ctx, COO('i') ? &to : NULL, shape);
}

static sparcl_status call_coo_squeeze(sparcl_ctx *ctx, const arguments *v) {
    sparcl_coo to;
    return sparcl_coo_squeeze(ctx, &to, COO('i'), -1);
}

/* ops/conversions.h */
CALL(csr_to_dense, DENSE('z'), CSR('a'))
CALL(csc_to_dense, DENSE('z'), CSC('d'))
CALL(coo_to_dense, DENSE('z'), COO('i'))
CALL(bsr_to_dense, DENSE('z'), BSR('m'))
CALL(rows_to_dense, DENSE('z'), ROWS('p'))
CALL(dense_to_csr, CSR('c'), DENSE('x'), 0, NEEDED)
CALL(dense_to_coo, COO('j'), DENSE('x'), 0, NEEDED)
CALL(dense_to_rows, ROWS('r'), DENSE('x'), 0, NEEDED)
CALL(topk_rows, CSR('c'), DENSE('x'), 2, SPARCL_TOPK_VALUE)
CALL(sparse_mask, DENSE('s'), DENSE('x'), CSR('a'))
CALL(csr_prune, CSR('c'), CSR('a'), 0, MOVED)
CALL(csc_to_csr, CSR('c'), CSC('d'))
CALL(csc_to_coo, COO('j'), CSC('d'))
CALL(coo_to_csc, CSC('e'), COO('i'))
CALL(csr_to_bsr, BSR('o'), CSR('a'), NEEDED)
CALL(bsr_to_csr, CSR('c'), BSR('m'))
CALL(csr_to_rows, ROWS('r'), CSR('a'), NEEDED)
CALL(csr_to_rows_gradient, DENSE('s'), ROWS('p'), CSR('a'))
CALL(rows_to_csr, CSR('c'), ROWS('p'), 0, NEEDED)

/* ops/layers.h, ops/layers.h, ops/layers.h */
CALL(embedding, DENSE('z'), DENSE('x'), BAGS, NULL, 0)
CALL(embedding_bag, DENSE('z'), DENSE('x'), BAGS, NULL, NULL, 0)
CALL(embedding_bag_matrix, CSR('c'), BAGS, BUF('$'), 0)
CALL(embedding_bag_gradient, ROWS('r'), DENSE('x'), BAGS, NULL)
CALL(embedding_bag_weights_gradient, DENSE('s'), DENSE('x'), DENSE('y'), NULL, BAGS)
CALL(embedding_renorm, DENSE('z'), BAGS, 1, 2)
CALL(dropout, DENSE('z'), DENSE('x'), 0.5, 1, 2)
CALL(negative_samples, LIST_RESULT, CSR('a'), LIST, 0, 1, 2)
CALL(layer_norm, DENSE('z'), DENSE('x'), DENSE('u'), DENSE('v'), 0.1, DENSE('s'), DENSE('t'))
CALL(layer_norm_gradient, DENSE('z'), DENSE('s'), DENSE('t'), DENSE('x'), DENSE('y'), DENSE('u'),
     DENSE('v'), DENSE('U'))
CALL(batch_norm, DENSE('z'), DENSE('x'), DENSE('u'), DENSE('v'), 0.1, DENSE('s'), DENSE('t'), 0.1,
     DENSE('S'), DENSE('T'))
CALL(batch_norm_inference, DENSE('z'), DENSE('x'), DENSE('u'), DENSE('v'), 0.1, DENSE('U'),
     DENSE('s'))
CALL(batch_norm_gradient, DENSE('z'), DENSE('s'), DENSE('t'), DENSE('x'), DENSE('y'), DENSE('u'),
     DENSE('v'), DENSE('U'))
CALL(dense_concat, DENSE('z'), ((const sparcl_dense *const[]){DENSE('x')}), 1, 0)
CALL(dense_split, ((const sparcl_dense *const[]){DENSE('z')}), 1, DENSE('x'), 0)

#define ROW(name, used)                                                                            \
    { #name, call_##name, used }

const every_call every_calls[] = {
    ROW(spmm, "zax"),
    ROW(spmm_t, "zax"),
    ROW(spmm_t_rows, "rax"),
    ROW(coo_sort, "ji?$"),
    ROW(coo_to_csr, "ci"),
    ROW(csr_to_coo, "ja"),
    ROW(csr_to_csc, "ea"),
    ROW(gather_rows, "zxl"),
    ROW(rows_concat, "rpq"),
    ROW(scatter_add, "zp"),
    ROW(assign_rows, "zp"),
    ROW(rows_add_n, "rpq?#"),
    ROW(add_n, "zxp"),
    ROW(gemm, "zxy"),
    ROW(csr_validate, "!a"),
    ROW(csc_validate, "!d"),
    ROW(coo_validate, "!i"),
    ROW(bsr_validate, "!m"),
    ROW(rows_validate, "!p"),
    ROW(list_validate, "!l"),
    ROW(pattern_build, "a"),
    ROW(batches_select, "al"),
    ROW(matmul, "zdx"),
    ROW(convert, "cd?#"),
    ROW(copy, "zx"),
    ROW(sum_rows, "s+x"),
    ROW(loss_gradient, "1u?s"),
    ROW(loss_predict, "1?st"),
    ROW(step, "zp"),
    ROW(step_dense, "zx"),
    ROW(step_bags, "zkx"),
    ROW(sharded_gather, "zxl"),
    ROW(sharded_assign_rows, "zp"),
    ROW(sharded_step, "zp"),
    ROW(optim_create_states, "+z"),
    ROW(catch_up, "z#~^?p"),
    ROW(lazy_create, "+z"),
    ROW(sddmm, "sxy~a"),
    ROW(interactions, "saxy"),
    ROW(interactions_rows, "raxyu"),
    ROW(field_interactions, "salx"),
    ROW(field_interactions_gradient, "zalxu"),
    ROW(spmm_reduce, "zax?n"),
    ROW(spmm_reduce_gradient, "xay?zs"),
    ROW(csr_add, "cab?#$"),
    ROW(csr_multiply, "cab?#$"),
    ROW(csr_add_gradient, "gC#$?+st"),
    ROW(csr_multiply_gradient, "gC!ab#$?st"),
    ROW(csr_multiply_dense, "sax"),
    ROW(csr_multiply_dense_gradient, "uax?sz"),
    ROW(spgemm_gradient, "gabC?st"),
    ROW(spgemm_symbolic, "~ab"),
    ROW(spgemm_entries, "~ab"),
    ROW(spgemm_numeric, "cab?#"),
    ROW(unary, "zx"),
    ROW(csr_unary, "s!a"),
    ROW(rows_unary, "z!p"),
    ROW(unary_gradient, "zxy"),
    ROW(clip, "zx"),
    ROW(csr_clip, "s!a"),
    ROW(rows_clip, "z!p"),
    ROW(clip_gradient, "zxy"),
    ROW(binary, "zxu"),
    ROW(binary_scalar, "zx"),
    ROW(binary_gradient, "xuy?zs"),
    ROW(csr_broadcast, "sau"),
    ROW(csr_binary_scalar, "s!a"),
    ROW(csr_broadcast_gradient, "sauv"),
    ROW(rows_multiply, "rpq?#"),
    ROW(rows_multiply_dense, "zpx"),
    ROW(csr_reduce, "sa?$"),
    ROW(csr_reduce_gradient, "sua"),
    ROW(dense_reduce, "sx"),
    ROW(dense_reduce_gradient, "zuxv"),
    ROW(rows_reduce, "sp"),
    ROW(rows_reduce_gradient, "zupv"),
    ROW(dot_rows, "sxy"),
    ROW(dot_rows_gradient, "zux"),
    ROW(segment_reduce, "zxl"),
    ROW(segment_reduce_gradient, "zxl"),
    ROW(csr_softmax, "sa"),
    ROW(csr_softmax_heads, "zx~a"),
    ROW(csr_softmax_gradient, "suv~a"),
    ROW(csr_slice_rows, "ca?#$"),
    ROW(csr_slice_columns, "ca?#$"),
    ROW(csr_take_rows, "cal?#$"),
    ROW(csr_take_columns, "cal?#$"),
    ROW(csr_retain_rows, "cal?#$"),
    ROW(csr_concat_rows, "ca?#$"),
    ROW(csr_concat_columns, "ca?#$"),
    ROW(csr_block_diagonal, "ca?#$"),
    ROW(csr_transpose, "ca?$"),
    ROW(csr_triangle, "ca?#$"),
    ROW(csr_sort_indices, "ca?$"),
    ROW(csr_reshape, "ca?$"),
    ROW(csr_fill_empty_rows, "ca?$"),
    ROW(csr_sum_duplicates, "ca?$"),
    ROW(coo_coalesce, "ji?$"),
    ROW(rows_coalesce, "rp?$"),
    ROW(unique, "#l?$"),
    ROW(rows_retain_all, "fpl?$"),
    ROW(rows_retain_stored, "rpl?#$"),
    ROW(rows_retain_gradient, "zp~q"),
    ROW(rows_mask, "zx~q"),
    ROW(rows_slice, "rp?#$"),
    ROW(coo_permute, "ji?$"),
    ROW(coo_reshape, "ji"),
    ROW(coo_slice, "ji?#$"),
    ROW(coo_add, "ji?#$"),
    ROW(coo_multiply, "ji?#$"),
    ROW(coo_add_gradient, "u!i#$?+st"),
    ROW(coo_multiply_gradient, "u!i#$?st"),
    ROW(coo_coalesce_gradient, "s$+u~!i"),
    ROW(csr_fill_empty_rows_gradient, "suab"),
    ROW(coo_mask, "sx~i"),
    ROW(coo_reduce, "si"),
    ROW(coo_concat, "ji?#$"),
    ROW(coo_fill_empty_rows, "ji?$"),
    ROW(coo_permute_view, "!i"),
    ROW(coo_project, "!i"),
    ROW(coo_expand_dims, "#!i"),
    ROW(coo_reset_shape, "i"),
    ROW(coo_squeeze, "!i"),
    ROW(csr_to_dense, "za"),
    ROW(csc_to_dense, "zd"),
    ROW(coo_to_dense, "zi"),
    ROW(bsr_to_dense, "zm"),
    ROW(rows_to_dense, "zp"),
    ROW(dense_to_csr, "cx?#"),
    ROW(dense_to_coo, "jx?#"),
    ROW(dense_to_rows, "rx?#"),
    ROW(topk_rows, "cx"),
    ROW(sparse_mask, "sx~a"),
    ROW(csr_prune, "ca?#$"),
    ROW(csc_to_csr, "cd"),
    ROW(csc_to_coo, "jd"),
    ROW(coo_to_csc, "ei"),
    ROW(csr_to_bsr, "oa?#"),
    ROW(bsr_to_csr, "cm"),
    ROW(csr_to_rows, "ra?#"),
    ROW(csr_to_rows_gradient, "sp~a"),
    ROW(rows_to_csr, "cp?#"),
    ROW(embedding, "zxk"),
    ROW(embedding_bag, "zxk"),
    ROW(embedding_bag_matrix, "ck?$"),
    ROW(embedding_bag_gradient, "rxk"),
    ROW(embedding_bag_weights_gradient, "sxyk"),
    ROW(embedding_renorm, "zk"),
    ROW(dropout, "zx"),
    ROW(negative_samples, "Ll~a"),
    ROW(layer_norm, "x?zuvst"),
    ROW(layer_norm_gradient, "xyvU?zstu"),
    ROW(batch_norm, "x?zuvstST"),
    ROW(batch_norm_inference, "zxUs?uv"),
    ROW(batch_norm_gradient, "xyvU?zstu"),
    ROW(dense_concat, "zx"),
    ROW(dense_split, "zx"),
    {NULL, NULL, NULL},
};
