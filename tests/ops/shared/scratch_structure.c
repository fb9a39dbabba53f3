/* scratch_structure.c: the operations of ops/structure.h and ops/structure.h, for
 * test_scratch_bound. */
#include "scratch_stated.h"

/* --- ops/structure.h -----------------------------------------------------------------------------
 */

/* A call with a CSR matrix `a`, whose result is `to`. */
#define OF_CSR(name, bytes, CALL)                                                                  \
    static sparcl_status name(call *c) {                                                           \
        c->stated = (bytes);                                                                       \
        sparcl_csr a = IN_CSR;                                                                     \
        sparcl_csr to = TO_CSR;                                                                    \
        const sparcl_moved moved = wanted(c);                                                      \
        return CALL;                                                                               \
    }

OF_CSR(slice_rows, 0, sparcl_csr_slice_rows(c->ctx, &to, &a, 0, &moved))

OF_CSR(slice_columns, 9 * N, sparcl_csr_slice_columns(c->ctx, &to, &a, 0, &moved))

static sparcl_status retain_rows(call *c) {
    c->stated = 9 * N + ROWS;
    sparcl_csr a = IN_CSR;
    sparcl_csr to = TO_CSR;
    const sparcl_moved moved = wanted(c);
    sparcl_list ids = scratch_list(c);
    return sparcl_csr_retain_rows(c->ctx, &to, &a, &ids, &moved);
}

OF_CSR(concat_rows, 0, sparcl_csr_concat_rows(c->ctx, &to, &a, 1, &moved))

OF_CSR(concat_columns, 16 * ROWS, sparcl_csr_concat_columns(c->ctx, &to, &a, 1, &moved))

OF_CSR(block_diagonal, 0, sparcl_csr_block_diagonal(c->ctx, &to, &a, 1, &moved))

OF_CSR(triangle, 9 * N, sparcl_csr_triangle(c->ctx, &to, &a, SPARCL_LOWER, 0, &moved))

OF_CSR(sort_indices, sort_bytes(c, 2) + 16 * N,
       sparcl_csr_sort_indices(c->ctx, &to, &a, &(sparcl_moved){.source = moved.source}))

OF_CSR(reshape, 48 * N + sort_bytes(c, 2),
       sparcl_csr_reshape(c->ctx, &to, &a, &(sparcl_moved){.source = moved.source}))

static sparcl_status reshape_sorted(call *c) {
    c->stated = 48 * N;
    sparcl_csr a = IN_CSR;
    sparcl_csr to = TO_CSR;
    const sparcl_moved moved = wanted(c);
    SORTED(a);
    return sparcl_csr_reshape(c->ctx, &to, &a, &(sparcl_moved){.source = moved.source});
}

static sparcl_status take_rows(call *c) {
    c->stated = 8 * N + 4 * (N + N);
    sparcl_csr a = IN_CSR;
    sparcl_list ids = scratch_list(c);
    sparcl_csr to = scratch_csr(c, scratch_array, N, COLS);
    const sparcl_moved moved = wanted(c);
    return sparcl_csr_take_rows(c->ctx, &to, &a, &ids, &moved);
}

static sparcl_status take_columns(call *c) {
    c->stated = 16 * (COLS + N) + 8 * N;
    sparcl_csr a = IN_CSR;
    const int64_t rows = ROWS;
    ROWS = COLS;
    sparcl_list ids = scratch_list(c);
    ROWS = rows;
    sparcl_csr to = scratch_csr(c, scratch_array, ROWS, N);
    const sparcl_moved moved = wanted(c);
    return sparcl_csr_take_columns(c->ctx, &to, &a, &ids, &moved);
}

static sparcl_status take_columns_unique(call *c) {
    c->stated = 16 * (COLS + N) + 9 * N;
    sparcl_csr a = IN_CSR;
    const int64_t rows = ROWS;
    ROWS = COLS;
    sparcl_list ids = scratch_list(c);
    ROWS = rows;
    ids.proof.flags |= SPARCL_UNIQUE;
    sparcl_csr to = scratch_csr(c, scratch_array, ROWS, N);
    const sparcl_moved moved = wanted(c);
    return sparcl_csr_take_columns(c->ctx, &to, &a, &ids, &moved);
}

static sparcl_status transpose(call *c) {
    c->stated = (c->itype == SPARCL_INDEX64 ? 48 : 24) * N + 8 * N;
    sparcl_csr a = IN_CSR;
    sparcl_csr to = scratch_csr(c, scratch_array, COLS, ROWS);
    return sparcl_csr_transpose(c->ctx, &to, &a, &(sparcl_moved){.source = scratch_array(c, N, 8)});
}

static sparcl_status fill_empty_rows(call *c) {
    c->stated = sort_bytes(c, 2) + 24 * ROWS + 40 * (N + ROWS);
    sparcl_csr a = IN_CSR;
    const int64_t n = N;
    N += ROWS;
    sparcl_csr to = TO_CSR;
    sparcl_filled more = {.inverse = scratch_array(c, n, 8), .source = scratch_array(c, N, 8)};
    N = n;
    return sparcl_csr_fill_empty_rows(c->ctx, &to, &a, 1, &more);
}

static sparcl_status fill_gradient(call *c) {
    c->stated = ROWS * ELEMENT + partial(c, ROWS, 2);
    const sparcl_csr from = IN_CSR;
    const int64_t n = N;
    N += ROWS;
    const sparcl_csr to = IN_CSR;
    const sparcl_dense gy = IN_VECTOR(N);
    N = n;
    const sparcl_dense gv = TO_VECTOR(1);
    return sparcl_csr_fill_empty_rows_gradient(c->ctx, &gv, &gy, &to, &from);
}

static sparcl_status sum_duplicates(call *c) {
    c->stated = 56 * ((bits_below(ROWS) + bits_below(COLS) + 63) / 64) * N + 24 * N;
    sparcl_csr a = IN_CSR;
    sparcl_csr to = TO_CSR;
    return sparcl_csr_sum_duplicates(c->ctx, &to, &a, scratch_array(c, N, 8), 0);
}

static sparcl_coalesced all_wanted(call *c) {
    return (sparcl_coalesced){.inverse = scratch_array(c, N, 8),
                              .counts = scratch_array(c, N, 8),
                              .source = scratch_array(c, N, 8)};
}

static sparcl_status coalesce_with(call *c) {
    c->stated = sort_bytes(c, 2) / 48 * 56;
    sparcl_coo a = IN_COO;
    sparcl_coo to = TO_COO;
    const sparcl_coalesced more = all_wanted(c);
    return sparcl_coo_coalesce(c->ctx, &to, &a, SPARCL_MEAN, &more);
}

static sparcl_status coalesce_cube_with(call *c) {
    c->stated = sort_bytes(c, 3) / 48 * 56;
    sparcl_coo a = IN_CUBE;
    sparcl_coo to = TO_CUBE;
    const sparcl_coalesced more = all_wanted(c);
    return sparcl_coo_coalesce(c->ctx, &to, &a, SPARCL_MAX, &more);
}

static sparcl_status coalesce_rows_with(call *c) {
    c->stated = 56 * N;
    sparcl_rows a = IN_ROWS;
    sparcl_rows to = TO_ROWS;
    const sparcl_coalesced more = all_wanted(c);
    return sparcl_rows_coalesce(c->ctx, &to, &a, SPARCL_SUM, &more);
}

static sparcl_status unique(call *c) {
    c->stated = (c->itype == SPARCL_INDEX64 ? 48 : 24) * N;
    sparcl_list ids = scratch_list(c);
    sparcl_unique_result to = {.found = scratch_array(c, 1, 8),
                               .indices = scratch_array(c, N, (size_t)INDEX),
                               .inverse = scratch_array(c, N, 8),
                               .counts = scratch_array(c, N, 8),
                               .first = scratch_array(c, N, 8)};
    return sparcl_unique(c->ctx, &to, &ids);
}

static sparcl_status retain_all(call *c) {
    c->stated = 9 * N;
    sparcl_rows a = IN_ROWS;
    SORTED(a);
    sparcl_rows to = TO_ROWS;
    to.count = NULL;
    sparcl_list ids = scratch_list(c);
    const sparcl_moved moved = wanted(c);
    return sparcl_rows_retain_all(c->ctx, &to, &a, &ids, &(sparcl_moved){.source = moved.source});
}

static sparcl_status retain_stored(call *c) {
    c->stated = 25 * N;
    sparcl_rows a = IN_ROWS;
    SORTED(a);
    sparcl_rows to = TO_ROWS;
    sparcl_list ids = scratch_list(c);
    const sparcl_moved moved = wanted(c);
    return sparcl_rows_retain_stored(c->ctx, &to, &a, &ids, &moved);
}

static sparcl_status slice_of_rows(call *c) {
    c->stated = 9 * N;
    sparcl_rows a = IN_ROWS;
    sparcl_rows to = TO_ROWS;
    const sparcl_moved moved = wanted(c);
    return sparcl_rows_slice(c->ctx, &to, &a, 0, &moved);
}

/* --- ops/structure.h
 * ------------------------------------------------------------------------------- */

static const int cube_axes[] = {2, 1, 0};
static const int64_t zeros[3];

static sparcl_status permute(call *c) {
    c->stated = sort_bytes(c, 3);
    sparcl_coo a = IN_CUBE;
    sparcl_coo to = TO_CUBE;
    return sparcl_coo_permute(c->ctx, &to, &a, cube_axes,
                              &(sparcl_moved){.source = scratch_array(c, N, 8)});
}

static sparcl_status reshape_coo(call *c) {
    c->stated = 8 * N;
    sparcl_coo a = IN_COO;
    sparcl_coo to = TO_COO;
    to.shape[0] = COLS;
    to.shape[1] = ROWS;
    return sparcl_coo_reshape(c->ctx, &to, &a);
}

static sparcl_status slice_coo(call *c) {
    c->stated = 9 * N;
    sparcl_coo a = IN_CUBE;
    sparcl_coo to = TO_CUBE;
    const sparcl_moved moved = wanted(c);
    return sparcl_coo_slice(c->ctx, &to, &a, zeros, &moved);
}

static sparcl_status concat_coo(call *c) {
    c->stated = 0;
    sparcl_coo a = IN_COO;
    sparcl_coo to = TO_COO;
    const sparcl_moved moved = wanted(c);
    return sparcl_coo_concat(c->ctx, &to, &a, 1, 0, &moved);
}

static sparcl_status fill_empty_rows_coo(call *c) {
    c->stated = sort_bytes(c, 2) + 24 * ROWS;
    sparcl_coo a = IN_COO;
    const int64_t n = N;
    N += ROWS;
    sparcl_coo to = TO_COO;
    sparcl_filled more = {.inverse = scratch_array(c, n, 8), .source = scratch_array(c, N, 8)};
    N = n;
    return sparcl_coo_fill_empty_rows(c->ctx, &to, &a, 1, &more);
}

static sparcl_status add_coo(call *c) {
    c->stated = 3 * 8 * N + 4 * N;
    sparcl_coo a = IN_CUBE;
    sparcl_coo b = IN_CUBE;
    SORTED(a);
    SORTED(b);
    sparcl_coo to = TO_CUBE;
    const sparcl_csr_sources from = {.a = scratch_array(c, N, 8), .b = scratch_array(c, N, 8)};
    return sparcl_coo_add(c->ctx, &to, 1, &a, 1, &b, &from);
}

static sparcl_dense entry_vector(call *c, scratch_make array_of) {
    return (sparcl_dense){
        .rank = 1, .dtype = c->dtype, .shape = {N}, .values = array_of(c, N, (size_t)ELEMENT)};
}

static sparcl_status coalesce_gradient(call *c) {
    c->stated = 0;
    sparcl_coo a = IN_CUBE;
    const sparcl_dense g = entry_vector(c, scratch_operand), to = entry_vector(c, scratch_array);
    const sparcl_coalesced more = all_wanted(c);
    return sparcl_coo_coalesce_gradient(c->ctx, &to, SPARCL_MEAN, &g, &a, &more);
}

/* A vector of as many elements as there are entries. */
static sparcl_status mask_coo(call *c) {
    c->stated = 8 * N;
    sparcl_coo a = scratch_coo(c, scratch_operand, 1);
    a.shape[0] = N;
    const sparcl_dense x = entry_vector(c, scratch_operand), to = entry_vector(c, scratch_array);
    return sparcl_coo_mask(c->ctx, &to, &x, &a);
}

/* To a vector, whose entries are sorted by then. */
static sparcl_status reduce_coo(call *c) {
    static const int others[] = {1, 2};
    c->stated = sort_bytes(c, 1) / 48 * 56 + (INDEX + ELEMENT) * N + 8;
    sparcl_coo a = IN_CUBE;
    sparcl_dense to = scratch_dense(c, scratch_array, ROWS);
    to.rank = 1;
    return sparcl_coo_reduce(c->ctx, &to, SPARCL_MAX, &a, 2, others);
}

const scratch_call scratch_structure[] = {
    {"slice rows", slice_rows},
    {"slice columns", slice_columns},
    {"retain rows", retain_rows},
    {"concat rows", concat_rows},
    {"concat columns", concat_columns},
    {"block diagonal", block_diagonal},
    {"triangle", triangle},
    {"sort indices", sort_indices},
    {"reshape", reshape},
    {"reshape sorted", reshape_sorted},
    {"take rows", take_rows},
    {"take columns", take_columns},
    {"take columns unique", take_columns_unique},
    {"transpose", transpose},
    {"fill empty rows", fill_empty_rows},
    {"fill empty rows gradient", fill_gradient},
    {"sum duplicates", sum_duplicates},
    {"coalesce with", coalesce_with},
    {"coalesce cube with", coalesce_cube_with},
    {"coalesce rows with", coalesce_rows_with},
    {"unique", unique},
    {"retain all", retain_all},
    {"retain stored", retain_stored},
    {"slice of rows", slice_of_rows},
    {"permute", permute},
    {"reshape coo", reshape_coo},
    {"slice coo", slice_coo},
    {"concat coo", concat_coo},
    {"fill empty rows coo", fill_empty_rows_coo},
    {"add coo", add_coo},
    {"coalesce gradient", coalesce_gradient},
    {"mask coo", mask_coo},
    {"reduce coo", reduce_coo},
    {NULL, NULL},
};
