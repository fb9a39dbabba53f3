/* call_arguments.c: the arguments of every_call.c, each with arrays of its own. */
#include "every_call.h"

static const sparcl_proof trusted = {.flags = SPARCL_TRUSTED | SPARCL_SORTED | SPARCL_UNIQUE};

static sparcl_buf *put_array(sparcl_ctx *ctx, arguments *v, const void *contents, int64_t bytes) {
    assert_true(v->count < (int)COUNT(v->bufs));
    v->contents[v->count] = contents;
    return v->bufs[v->count++] = put(ctx, contents, bytes);
}

/* The offsets and indices of a diagonal matrix, and ids of two rows. */
static sparcl_buf *put_three(sparcl_ctx *ctx, arguments *v) {
    static const int32_t three[16] = {0, 1, 2};
    return put_array(ctx, v, three, sizeof three);
}

static sparcl_buf *put_values(sparcl_ctx *ctx, arguments *v) {
    static const float values[32] = {1, 2, 3, 4};
    return put_array(ctx, v, values, sizeof values);
}

static sparcl_buf *put_count(sparcl_ctx *ctx, arguments *v) {
    static const int64_t counts[8] = {2};
    return put_array(ctx, v, counts, sizeof counts);
}

static any_view *add_slot(arguments *v, int letter, slot_kind kind, bool is_result) {
    v->kinds[letter] = kind;
    v->is_result[letter] = is_result;
    return v->at[letter] = &v->views[letter];
}

static void add_dense(sparcl_ctx *ctx, arguments *v, const char *letters, int rank,
                      const int64_t *shape, bool are_results) {
    for (; *letters; ++letters) {
        sparcl_dense *const x = &add_slot(v, *letters, SLOT_DENSE, are_results)->dense;
        *x = (sparcl_dense){.rank = rank, .values = put_values(ctx, v)};
        for (int d = 0; d < rank; ++d)
            x->shape[d] = shape[d];
    }
}

static void add_compressed(sparcl_ctx *ctx, arguments *v, int letter, int64_t nnz, bool is_result) {
    add_slot(v, letter, SLOT_CSR, is_result)->csr =
        (sparcl_csr){2,
                     2,
                     nnz,
                     .offsets = put_three(ctx, v),
                     .indices = put_three(ctx, v),
                     .values = put_values(ctx, v),
                     .proof = is_result ? (sparcl_proof){.flags = 0} : trusted};
}

/* The same three arrays in CSC and in BSR format with blocks of 1 x 1. */
static void add_columns_and_blocks(sparcl_ctx *ctx, arguments *v, bool are_results) {
    const sparcl_proof proof = are_results ? (sparcl_proof){.flags = 0} : trusted;
    const int64_t nnz = are_results ? 4 : 2;
    add_slot(v, are_results ? 'e' : 'd', SLOT_CSC, are_results)->csc =
        (sparcl_csc){2,
                     2,
                     nnz,
                     .offsets = put_three(ctx, v),
                     .indices = put_three(ctx, v),
                     .values = put_values(ctx, v),
                     .proof = proof};
    add_slot(v, are_results ? 'o' : 'm', SLOT_BSR, are_results)->bsr =
        (sparcl_bsr){2,
                     2,
                     1,
                     1,
                     nnz,
                     .offsets = put_three(ctx, v),
                     .indices = put_three(ctx, v),
                     .values = put_values(ctx, v),
                     .proof = proof};
}

static void add_coo(sparcl_ctx *ctx, arguments *v, int letter, int64_t nnz) {
    const bool is_result = nnz > 2;
    add_slot(v, letter, SLOT_COO, is_result)->coo =
        (sparcl_coo){2,
                     .shape = {2, 2},
                     .nnz = nnz,
                     .indices = {put_three(ctx, v), put_three(ctx, v)},
                     .values = put_values(ctx, v),
                     .count = is_result ? put_count(ctx, v) : NULL,
                     .proof = is_result ? (sparcl_proof){.flags = 0} : trusted};
}

static void add_rows(sparcl_ctx *ctx, arguments *v, int letter, int64_t nnr, bool is_result) {
    add_slot(v, letter, SLOT_ROWS, is_result)->rows =
        (sparcl_rows){2,
                      .shape = {2, 2},
                      .nnr = nnr,
                      .indices = put_three(ctx, v),
                      .values = put_values(ctx, v),
                      .count = nnr > 2 ? put_count(ctx, v) : NULL,
                      .proof = is_result ? (sparcl_proof){.flags = 0} : trusted};
}

void make_arguments(sparcl_ctx *ctx, arguments *v) {
    static const int64_t square[] = {2, 2}, two[] = {2, 1}, four[] = {4};
    memset(v, 0, sizeof *v);
    add_dense(ctx, v, "xy", 2, square, false);
    add_dense(ctx, v, "zwn", 2, square, true);
    add_dense(ctx, v, "uvU", 1, square, false);
    add_dense(ctx, v, "stST", 1, square, true);
    add_dense(ctx, v, "1", 2, two, false);
    add_dense(ctx, v, "g", 1, four, false);
    add_dense(ctx, v, "h", 1, four, true);
    v->views['n'].dense.dtype = SPARCL_INT64;
    add_compressed(ctx, v, 'a', 2, false);
    add_compressed(ctx, v, 'b', 2, false);
    add_compressed(ctx, v, 'c', 4, true);
    add_compressed(ctx, v, 'C', 4, false);
    add_columns_and_blocks(ctx, v, false);
    add_columns_and_blocks(ctx, v, true);
    add_coo(ctx, v, 'i', 2);
    add_coo(ctx, v, 'j', 4);
    add_rows(ctx, v, 'p', 2, false);
    add_rows(ctx, v, 'q', 2, false);
    add_rows(ctx, v, 'r', 4, true);
    add_rows(ctx, v, 'f', 2, true);
    const sparcl_list list = {2, 2, .indices = put_three(ctx, v), .proof = trusted};
    add_slot(v, 'l', SLOT_LIST, false)->list = list;
    add_slot(v, 'L', SLOT_LIST, true)->list = (sparcl_list){2, 2, .indices = put_three(ctx, v)};
    add_slot(v, 'k', SLOT_BAGS, false)->bags = (sparcl_bags){.bags = 2, .indices = list};
    v->views['k'].bags.indices.indices = put_three(ctx, v);
    add_slot(v, '#', SLOT_BUF, true)->buf = put_count(ctx, v);
    add_slot(v, '$', SLOT_BUF, true)->buf = put_count(ctx, v);
}

void free_arguments(arguments *v) {
    while (v->count > 0)
        sparcl_buf_free(v->bufs[--v->count]);
}

void assert_arguments_untouched(sparcl_ctx *ctx, const arguments *v) {
    for (int k = 0; k < v->count; ++k)
        assert_holds(ctx, v->bufs[k], v->contents[k]);
}
