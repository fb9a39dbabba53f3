/* test_async.c: no operation waits for the device: each returns while a user event (the gate)
 * blocks the queue, and its results are right once it is complete. */
#include "op_test.h"

#include <signal.h>
#include <unistd.h>

#include "sparcl/opencl.h"
#include "sparcl/optim_text.h"

enum { N = 4, OUTPUTS = 64, LARGE = 1 << 21 };

/* What is only read, and what one round of all calls writes. */
typedef struct world {
    sparcl_ctx *ctx;
    sparcl_csr csr;
    sparcl_coo coo;
    sparcl_rows rows;
    sparcl_list list;
    sparcl_dense dense, vector;
    sparcl_buf *large;
} world;

typedef struct outputs {
    sparcl_ctx *ctx;
    sparcl_buf *bufs[OUTPUTS];
    int count;
} outputs;

static const char *doing = "";

static void print_what_waits(int signal_number) {
    (void)signal_number;
    (void)!write(STDERR_FILENO, "this waits: ", 12);
    (void)!write(STDERR_FILENO, doing, strlen(doing));
    _exit(1);
}

/* A buffer of zeros. */
static sparcl_buf *capacity(outputs *o, int64_t bytes) {
    assert_true(o->count < OUTPUTS);
    sparcl_buf **buf = &o->bufs[o->count++];
    assert_ok(o->ctx, sparcl_buf_create(o->ctx, buf, bytes));
    assert_ok(o->ctx, sparcl_buf_fill(o->ctx, *buf, 0, bytes, 0));
    return *buf;
}

static sparcl_dense matrix_in(outputs *o) {
    return (sparcl_dense){.rank = 2, .shape = {N, N}, .values = capacity(o, N * N * 4)};
}

static sparcl_coo coo_in(outputs *o) {
    return (sparcl_coo){.rank = 2,
                        .shape = {N, N},
                        .nnz = N,
                        .indices = {capacity(o, N * 4), capacity(o, N * 4)},
                        .values = capacity(o, N * 4),
                        .count = capacity(o, 8)};
}

static sparcl_csr csr_in(outputs *o) {
    return (sparcl_csr){.rows = N,
                        .cols = N,
                        .nnz = N,
                        .offsets = capacity(o, (N + 1) * 4),
                        .indices = capacity(o, N * 4),
                        .values = capacity(o, N * 4)};
}

static sparcl_rows rows_in(outputs *o) {
    return (sparcl_rows){.rank = 2,
                         .shape = {N, N},
                         .nnr = N,
                         .indices = capacity(o, N * 4),
                         .values = capacity(o, N * N * 4),
                         .count = capacity(o, 8)};
}

static world make_world(sparcl_ctx *ctx) {
    const int64_t offsets[] = {0, 1, 2, 3, 4}, columns[] = {2, 0, 3, 2}, order[] = {0, 1, 2, 3};
    float *x = make_floats(N * N, 3);
    world w = {.ctx = ctx};
    w.csr = (sparcl_csr){.rows = N, .cols = N, .nnz = N};
    w.csr.offsets = put_ints(ctx, offsets, N + 1, SPARCL_INDEX32);
    w.csr.indices = put_ints(ctx, columns, N, SPARCL_INDEX32);
    w.csr.values = put(ctx, x, N * 4);
    w.dense = (sparcl_dense){.rank = 2, .shape = {N, N}, .values = put(ctx, x, N * N * 4)};
    w.vector = (sparcl_dense){.rank = 1, .shape = {N}, .values = w.dense.values};
    w.coo = (sparcl_coo){.rank = 2, .shape = {N, N}, .nnz = N, .values = w.csr.values};
    w.coo.indices[0] = put_ints(ctx, order, N, SPARCL_INDEX32);
    w.coo.indices[1] = w.csr.indices;
    w.rows = (sparcl_rows){.rank = 2, .shape = {N, N}, .nnr = N, .values = w.dense.values};
    w.rows.indices = w.coo.indices[0];
    w.list = (sparcl_list){.count = N, .limit = N, .indices = w.csr.indices};
    free(x);
    assert_ok(ctx, sparcl_buf_create(ctx, &w.large, LARGE));
    assert_ok(ctx, sparcl_buf_fill(ctx, w.large, 0, LARGE, 5));
    assert_ok(ctx, sparcl_csr_validate(ctx, &w.csr, 0));
    assert_ok(ctx, sparcl_coo_validate(ctx, &w.coo, SPARCL_SORTED | SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_rows_validate(ctx, &w.rows, SPARCL_SORTED | SPARCL_UNIQUE));
    assert_ok(ctx, sparcl_list_validate(ctx, &w.list, 0));
    return w;
}

static void drop_world(world *w) {
    sparcl_csr_free(&w->csr);
    sparcl_buf_free(w->coo.indices[0]);
    sparcl_buf_free(w->dense.values);
    sparcl_buf_free(w->large);
}

#define CALL(call)                                                                                 \
    do {                                                                                           \
        doing = #call;                                                                             \
        assert_ok(ctx, call);                                                                      \
    } while (0)

static void multiply(const world *w, outputs *o, sparcl_pattern *pattern) {
    sparcl_ctx *ctx = w->ctx;
    const sparcl_dense c = matrix_in(o), t = matrix_in(o), own = matrix_in(o), g = matrix_in(o);
    sparcl_rows r = rows_in(o);
    CALL(sparcl_spmm(ctx, &c, 1, &w->csr, &w->dense, 0));
    CALL(sparcl_pattern_build(ctx, pattern, &w->csr));
    CALL(sparcl_spmm_t(ctx, &t, 1, &w->csr, &w->dense, 0, pattern));
    CALL(sparcl_spmm_t(ctx, &own, 1, &w->csr, &w->dense, 0, NULL));
    CALL(sparcl_spmm_t_rows(ctx, &r, 1, &w->csr, &w->dense, NULL));
    CALL(sparcl_gemm(ctx, &g, 1, SPARCL_OP_N, &w->dense, SPARCL_OP_T, &w->dense, 0,
                     SPARCL_MATH_EXACT));
}

static void convert(const world *w, outputs *o) {
    sparcl_ctx *ctx = w->ctx;
    sparcl_coo sorted = coo_in(o), summed = coo_in(o), back = coo_in(o);
    sparcl_csr made = csr_in(o), some = csr_in(o);
    sparcl_csc transposed = {.rows = N, .cols = N, .nnz = N};
    transposed.offsets = capacity(o, (N + 1) * 4);
    transposed.indices = capacity(o, N * 4);
    transposed.values = capacity(o, N * 4);
    sorted.count = back.count = NULL;
    CALL(sparcl_coo_sort(ctx, &sorted, &w->coo, NULL, 0));
    CALL(sparcl_coo_coalesce(ctx, &summed, &w->coo, SPARCL_SUM, NULL));
    CALL(sparcl_coo_to_csr(ctx, &made, &w->coo));
    CALL(sparcl_csr_to_coo(ctx, &back, &w->csr));
    CALL(sparcl_csr_to_csc(ctx, &transposed, &w->csr));
    CALL(sparcl_csr_take_rows(ctx, &some, &w->csr, &w->list, NULL));
}

static void learn(const world *w, outputs *o) {
    sparcl_ctx *ctx = w->ctx;
    const sparcl_dense residual = matrix_in(o), picked = matrix_in(o), states[1] = {matrix_in(o)};
    const sparcl_dense table = matrix_in(o), biased = matrix_in(o);
    const sparcl_dense active = matrix_in(o), slope = matrix_in(o);
    sparcl_dense losses = w->vector, label = w->vector, chance = w->vector, sum = w->vector;
    sparcl_rows r = rows_in(o);
    losses.values = capacity(o, N * 4);
    label.values = capacity(o, N * 4);
    chance.values = capacity(o, N * 4);
    sum.values = capacity(o, N * 4);
    CALL(sparcl_gather_rows(ctx, &picked, &w->dense, &w->list));
    CALL(sparcl_rows_coalesce(ctx, &r, &w->rows, SPARCL_SUM, NULL));
    CALL(sparcl_scatter_add(ctx, &table, 1, &w->rows));
    CALL(sparcl_loss_gradient(ctx, SPARCL_LOSS_SOFTMAX, &w->dense, NULL, &w->vector, 1, &residual,
                              &losses));
    CALL(sparcl_loss_predict(ctx, SPARCL_LOSS_SOFTMAX, &w->dense, NULL, &label, &chance));
    CALL(sparcl_sum_rows(ctx, &sum, 1, &w->dense, 0));
    CALL(sparcl_binary(ctx, SPARCL_BINARY_ADD, &biased, &w->dense, &w->vector));
    CALL(sparcl_unary(ctx, SPARCL_UNARY_TANH, &active, &w->dense));
    CALL(sparcl_unary_gradient(ctx, SPARCL_UNARY_TANH, &slope, &active, &w->dense));
    sparcl_optim optim;
    sparcl_optim_init(&optim, SPARCL_RULE_MOMENTUM);
    optim.step = 2;
    optim.lazy.last_steps = capacity(o, N * 8);
    CALL(sparcl_catch_up(ctx, &optim, &table, states, &w->rows));
    CALL(sparcl_step(ctx, &optim, &table, states, &w->rows));
    optim.lazy.last_steps = NULL;
    CALL(sparcl_step_dense(ctx, &optim, &table, states, &w->dense));
}

static void transfer(const world *w, outputs *o) {
    sparcl_ctx *ctx = w->ctx;
    sparcl_buf *to = capacity(o, LARGE), *gone = NULL;
    CALL(sparcl_buf_copy(ctx, to, 0, w->large, 1, LARGE / 2));
    CALL(sparcl_buf_copy(ctx, to, LARGE - 9, w->large, 1, 9));
    CALL(sparcl_buf_fill(ctx, to, LARGE / 2, 100, 7));
    CALL(sparcl_buf_create(ctx, &gone, 1000));
    CALL(sparcl_buf_fill(ctx, gone, 0, 1000, 7));
    doing = "sparcl_buf_free";
    sparcl_buf_free(gone);
}

static void call_all(const world *w, outputs *o, sparcl_pattern *pattern) {
    multiply(w, o, pattern);
    convert(w, o);
    learn(w, o);
    transfer(w, o);
}

static void compare(const outputs *a, const outputs *b) {
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; ++i) {
        const int64_t bytes = sparcl_buf_bytes(a->bufs[i]);
        char *x = must_have(malloc((size_t)bytes)), *y = must_have(malloc((size_t)bytes));
        assert_ok(a->ctx, sparcl_buf_read(a->ctx, a->bufs[i], 0, bytes, x));
        assert_ok(a->ctx, sparcl_buf_read(a->ctx, b->bufs[i], 0, bytes, y));
        if (memcmp(x, y, (size_t)bytes) != 0) fail_msg("output %d differs", i);
        free(x);
        free(y);
    }
}

/* The specs say what is right; here the results of a round behind a gate are those of one without.
 */
static void every_operation_returns_while_the_queue_is_blocked(void **state) {
    sparcl_ctx *ctx = *state;
    world w = make_world(ctx);
    outputs plain = {.ctx = ctx}, gated = {.ctx = ctx};
    sparcl_pattern *pattern = NULL, *again = NULL;
    cl_event gate = NULL, marker = NULL;
    cl_int code = CL_SUCCESS, status = CL_COMPLETE;
    assert_ok(ctx, sparcl_pattern_create(ctx, &pattern));
    assert_ok(ctx, sparcl_pattern_create(ctx, &again));
    call_all(&w, &plain, pattern);
    assert_ok(ctx, sparcl_ctx_finish(ctx));
    gate = clCreateUserEvent(sparcl_ctx_cl_context(ctx), &code);
    assert_int_equal(code, CL_SUCCESS);
    signal(SIGALRM, print_what_waits);
    alarm(100);
    CALL(sparcl_ctx_enqueue_wait(ctx, 1, &gate));
    call_all(&w, &gated, again);
    CALL(sparcl_ctx_event(ctx, &marker));
    alarm(0);
    clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    assert_int_not_equal(status, CL_COMPLETE);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    compare(&plain, &gated);
    for (int i = 0; i < plain.count; ++i) {
        sparcl_buf_free(plain.bufs[i]);
        sparcl_buf_free(gated.bufs[i]);
    }
    clReleaseEvent(marker);
    clReleaseEvent(gate);
    sparcl_pattern_free(pattern);
    sparcl_pattern_free(again);
    drop_world(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_operation_returns_while_the_queue_is_blocked,
                                        open_ctx, close_ctx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
