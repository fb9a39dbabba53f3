/* scratch_calls.c: operations that need at most twice what they read, for test_scratch_bound. */
#include "scratch_calls.h"
#include "sparcl/optim_text.h"

/* --- the operations --------------------------------------------------------------------------- */

static sparcl_status validate_csr(call *c) {
    sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    return sparcl_csr_validate(c->ctx, &a, SPARCL_UNIQUE | SPARCL_FINITE);
}

static sparcl_status validate_csc(call *c) {
    sparcl_csc a = scratch_csc(c, scratch_operand);
    return sparcl_csc_validate(c->ctx, &a, SPARCL_UNIQUE | SPARCL_FINITE);
}

static sparcl_status validate_rows(call *c) {
    sparcl_rows a = scratch_rows(c, scratch_operand);
    return sparcl_rows_validate(c->ctx, &a, SPARCL_UNIQUE | SPARCL_FINITE);
}

static sparcl_status validate_list(call *c) {
    sparcl_list a = scratch_list(c);
    return sparcl_list_validate(c->ctx, &a, SPARCL_UNIQUE);
}

static sparcl_status validate_coo(call *c, int rank) {
    sparcl_coo a = scratch_coo(c, scratch_operand, rank);
    return sparcl_coo_validate(c->ctx, &a, SPARCL_UNIQUE | SPARCL_FINITE);
}

static sparcl_status sort_coo(call *c, int rank) {
    const sparcl_coo a = scratch_coo(c, scratch_operand, rank);
    sparcl_coo to = scratch_coo(c, scratch_array, rank);
    return sparcl_coo_sort(c->ctx, &to, &a, NULL, 0);
}

static sparcl_status sort_coo_places(call *c, int rank) {
    const sparcl_coo a = scratch_coo(c, scratch_operand, rank);
    sparcl_coo to = scratch_coo(c, scratch_array, rank);
    return sparcl_coo_sort(c->ctx, &to, &a, scratch_array(c, c->n, 8), 0);
}

static sparcl_status coalesce_coo(call *c, int rank) {
    const sparcl_coo a = scratch_coo(c, scratch_operand, rank);
    sparcl_coo to = scratch_coo(c, scratch_array, rank);
    return sparcl_coo_coalesce(c->ctx, &to, &a, SPARCL_SUM, NULL);
}

#define OF_RANK(name, rank)                                                                        \
    static sparcl_status name##_##rank(call *c) {                                                  \
        return name(c, rank);                                                                      \
    }
#define OF_RANKS(name) OF_RANK(name, 1) OF_RANK(name, 2) OF_RANK(name, 3) OF_RANK(name, 8)
OF_RANKS(validate_coo)
OF_RANKS(sort_coo)
OF_RANKS(sort_coo_places)
OF_RANKS(coalesce_coo)

static sparcl_status coo_to_csr(call *c) {
    const sparcl_coo a = scratch_coo(c, scratch_operand, 2);
    sparcl_csr to = scratch_csr(c, scratch_array, c->rows, c->cols);
    return sparcl_coo_to_csr(c->ctx, &to, &a);
}

static sparcl_status coo_to_csr_of_other_type(call *c) {
    const sparcl_coo a = scratch_coo(c, scratch_operand, 2);
    c->itype = c->itype == SPARCL_INDEX32 ? SPARCL_INDEX64 : SPARCL_INDEX32;
    sparcl_csr to = scratch_csr(c, scratch_array, c->rows, c->cols);
    return sparcl_coo_to_csr(c->ctx, &to, &a);
}

static sparcl_status csr_to_coo(call *c) {
    const sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    sparcl_coo to = scratch_coo(c, scratch_array, 2);
    return sparcl_csr_to_coo(c->ctx, &to, &a);
}

static sparcl_status csr_to_csc(call *c) {
    const sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    sparcl_csc to = scratch_csc(c, scratch_array);
    return sparcl_csr_to_csc(c->ctx, &to, &a);
}

/* What the pattern keeps is not scratch memory. */
static sparcl_status build_pattern(call *c) {
    const sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    sparcl_pattern *pattern = NULL;
    assert_ok(c->ctx, sparcl_pattern_create(c->ctx, &pattern));
    const sparcl_status status = sparcl_pattern_build(c->ctx, pattern, &a);
    sparcl_pattern_free(pattern);
    return status;
}

static sparcl_status spmm(call *c) {
    const sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    const sparcl_dense b = scratch_dense(c, scratch_operand, c->cols),
                       to = scratch_dense(c, scratch_array, c->rows);
    return sparcl_spmm(c->ctx, &to, 1, &a, &b, 0);
}

static sparcl_status spmm_t(call *c) {
    const sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    const sparcl_dense b = scratch_dense(c, scratch_operand, c->rows),
                       to = scratch_dense(c, scratch_array, c->cols);
    return sparcl_spmm_t(c->ctx, &to, 1, &a, &b, 0, NULL);
}

static sparcl_status spmm_t_rows(call *c) {
    const sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    const sparcl_dense b = scratch_dense(c, scratch_operand, c->rows);
    const int64_t kept = c->rows;
    c->rows = c->cols;
    sparcl_rows to = scratch_rows(c, scratch_array);
    c->rows = kept;
    return sparcl_spmm_t_rows(c->ctx, &to, 1, &a, &b, NULL);
}

static sparcl_status select_rows(call *c) {
    const sparcl_csr a = scratch_csr(c, scratch_operand, c->rows, c->cols);
    const sparcl_list ids = scratch_list(c);
    sparcl_csr to = scratch_csr(c, scratch_array, c->n, c->cols);
    return sparcl_csr_take_rows(c->ctx, &to, &a, &ids, NULL);
}

static sparcl_status gather_rows(call *c) {
    const sparcl_dense a = scratch_dense(c, scratch_operand, c->rows);
    const sparcl_list ids = scratch_list(c);
    const sparcl_dense to = scratch_dense(c, scratch_array, c->n);
    return sparcl_gather_rows(c->ctx, &to, &a, &ids);
}

static sparcl_status coalesce_rows(call *c) {
    const sparcl_rows a = scratch_rows(c, scratch_operand);
    sparcl_rows to = scratch_rows(c, scratch_array);
    return sparcl_rows_coalesce(c->ctx, &to, &a, SPARCL_SUM, NULL);
}

static sparcl_status assign_rows(call *c) {
    const sparcl_rows a = scratch_rows(c, scratch_operand);
    const sparcl_dense table = scratch_dense(c, scratch_array, c->rows);
    return sparcl_assign_rows(c->ctx, &table, &a);
}

static sparcl_status scatter_add(call *c) {
    const sparcl_rows a = scratch_rows(c, scratch_operand);
    const sparcl_dense table = scratch_dense(c, scratch_array, c->rows);
    return sparcl_scatter_add(c->ctx, &table, 1, &a);
}

static sparcl_status step(call *c) {
    sparcl_optim adagrad;
    sparcl_optim_init(&adagrad, SPARCL_RULE_ADAGRAD);
    const sparcl_rows gradient = scratch_rows(c, scratch_operand);
    const sparcl_dense table = scratch_dense(c, scratch_array, c->rows),
                       state = scratch_dense(c, scratch_array, c->rows);
    return sparcl_step(c->ctx, &adagrad, &table, &state, &gradient);
}

static sparcl_status catch_up(call *c) {
    const sparcl_optim sgd = {.size = sizeof sgd,
                              .lr = 0.001,
                              .decay.weight = 0.1,
                              .rescale = 1,
                              .step = 9,
                              .lazy.last_steps = scratch_operand(c, c->rows, 8)};
    sparcl_rows ids = scratch_rows(c, scratch_operand);
    ids.proof.flags |= SPARCL_UNIQUE;
    const sparcl_dense table = scratch_dense(c, scratch_array, c->rows);
    return sparcl_catch_up(c->ctx, &sgd, &table, NULL, &ids);
}

static sparcl_status multiply_dense(call *c) {
    const sparcl_dense a = scratch_dense(c, scratch_operand, c->n),
                       b = scratch_dense(c, scratch_operand, c->width);
    const sparcl_dense to = scratch_dense(c, scratch_array, c->n);
    return sparcl_gemm(c->ctx, &to, 1, SPARCL_OP_N, &a, SPARCL_OP_N, &b, 0, SPARCL_MATH_EXACT);
}

static sparcl_status sum_rows(call *c) {
    const sparcl_dense a = scratch_dense(c, scratch_operand, c->n);
    const sparcl_dense to = {.rank = 1,
                             .dtype = c->dtype,
                             .shape = {c->width},
                             .values = scratch_array(c, c->width, sparcl_dtype_size(c->dtype))};
    return sparcl_sum_rows(c->ctx, &to, 1, &a, 0);
}

const scratch_call scratch_calls[] = {
    {"validation of csr", validate_csr},
    {"validation of csc", validate_csc},
    {"validation of rows", validate_rows},
    {"validation of a list", validate_list},
    {"validation of coo, rank 1", validate_coo_1},
    {"validation of coo, rank 2", validate_coo_2},
    {"validation of coo, rank 3", validate_coo_3},
    {"validation of coo, rank 8", validate_coo_8},
    {"sort of coo, rank 1", sort_coo_1},
    {"sort of coo, rank 2", sort_coo_2},
    {"sort of coo, rank 3", sort_coo_3},
    {"sort of coo, rank 8", sort_coo_8},
    {"sort with permutation, rank 1", sort_coo_places_1},
    {"sort with permutation, rank 2", sort_coo_places_2},
    {"sort with permutation, rank 3", sort_coo_places_3},
    {"sort with permutation, rank 8", sort_coo_places_8},
    {"coalesce of coo, rank 1", coalesce_coo_1},
    {"coalesce of coo, rank 2", coalesce_coo_2},
    {"coalesce of coo, rank 3", coalesce_coo_3},
    {"coalesce of coo, rank 8", coalesce_coo_8},
    {"coo_to_csr", coo_to_csr},
    {"coo_to_csr, other index type", coo_to_csr_of_other_type},
    {"csr_to_coo", csr_to_coo},
    {"csr_to_csc", csr_to_csc},
    {"pattern", build_pattern},
    {"spmm", spmm},
    {"spmm_t", spmm_t},
    {"spmm_t_rows", spmm_t_rows},
    {"select_rows", select_rows},
    {"gather_rows", gather_rows},
    {"rows_coalesce", coalesce_rows},
    {"assign_rows", assign_rows},
    {"scatter_add", scatter_add},
    {"step", step},
    {"catch_up", catch_up},
    {"gemm", multiply_dense},
    {"sum_rows", sum_rows},
    {NULL, NULL},
};
