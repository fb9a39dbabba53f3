/* test_lazy_step.c: a step of sparcl/optim.h has the bits of a catch-up before it, in every form:
 * one launch for rows that are unique, or two. */
#include "op_test.h"

#include "sparcl/optim.h"
#include "sparcl/optim_text.h"

enum { ROWS = 12, STORED = 4, STEPS = 8, TABLES = 1 + SPARCL_MAX_STATES };

static const char *const optimizers[] = {
    "sgd:lr=0.1,weight_decay=0.2",
    "momentum:lr=0.1,decay=decoupled,weight_decay=0.2",
    "nesterov:lr=0.1,preset=keras3",
    "adagrad:lr=0.1,decay=decoupled,weight_decay=0.2",
    "adam:lr=0.1",
    "adamw:lr=0.1,epsilon=1e-3", /* some elements are replayed */
    "adam:lr=0.1,preset=mxnet,decay=global,weight_decay=0.1,rescale=0.5,clip_value=0.4",
    "amsgrad:lr=0.1,epsilon=1e-2",
    "rmsprop:lr=0.1,decay=decoupled,weight_decay=0.2",
    "rmsprop_momentum:lr=0.1",
    "rmsprop_centered:lr=0.1,epsilon=1e-2",
    "rmsprop_centered_momentum:lr=0.1,epsilon=1e-2",
    "adadelta:lr=1,preset=tf1",
    "ftrl:lr=0.1,l1=0.1", /* MXNet's, whose decay is in the divisor */
    "ftrl:lr=0.1,weight_decay=0.2,decay=coupled",
    "ftrl:lr=0.1,preset=tf1,l1=0.01,l2=0.1,multiply_linear_by_lr=1",
    "ftrl:lr=0.1,preset=keras3,lr_power=-0.6,weight_decay=0.1",
    "adagrad_da:lr=0.1,l1=0.001",
    "nadam:lr=0.1",
    "nadam:lr=0.1,preset=keras3,epsilon=1e-3",
    "nadam:lr=0.1,preset=mxnet,decay=global,weight_decay=0.1,rescale=0.5,clip_value=0.4",
};

/* How a step is taken: its rows are marked as unique, or not; or they catch up before it. */
typedef enum way { MARKED, NOT_MARKED, BEFORE, WAYS } way;

typedef struct trained {
    sparcl_optim optim;
    sparcl_dense tables[TABLES];
} trained;

static trained make_trained(sparcl_ctx *ctx, const char *text, int64_t width) {
    trained t = {.tables = {{.rank = 2, .shape = {ROWS, width}}}};
    sparcl_error error = {0};
    float *w = make_floats(ROWS * width, 1);
    if (sparcl_optim_parse(&t.optim, text, &error) != SPARCL_OK) fail_msg("%s", error.message);
    t.optim.duplicates = SPARCL_DUPLICATES_SUM;
    t.tables[0].values = put(ctx, w, ROWS * width * 4);
    assert_ok(ctx, sparcl_optim_create_states(ctx, &t.optim, &t.tables[0], &t.tables[1]));
    assert_ok(ctx, sparcl_lazy_create(ctx, &t.optim.lazy.object, &t.optim, &t.tables[0], 0));
    free(w);
    return t;
}

/* Rows at different distances, so that gaps are of different lengths; the same rows every time. */
static void step(sparcl_ctx *ctx, trained *t, way how, int k) {
    const int64_t width = t->tables[0].shape[1];
    int64_t ids[STORED];
    float *g = make_floats(STORED * width, (uint64_t)k + 2);
    for (int i = 0; i < STORED; ++i)
        ids[i] = (i * 3 + k * (i + 1)) % 3 + 3 * i;
    sparcl_rows rows = {.rank = 2, .shape = {ROWS, width}, .nnr = k % 3 ? STORED : 1};
    rows.values = put(ctx, g, STORED * width * 4);
    rows.indices = put_ints(ctx, ids, STORED, SPARCL_INDEX32);
    rows.proof.flags = SPARCL_TRUSTED | (how == NOT_MARKED ? 0u : SPARCL_UNIQUE);
    if (how == BEFORE)
        assert_ok(ctx, sparcl_catch_up(ctx, &t->optim, &t->tables[0], &t->tables[1], &rows));
    assert_ok(ctx, sparcl_step(ctx, &t->optim, &t->tables[0], &t->tables[1], &rows));
    ++t->optim.step;
    sparcl_rows_free(&rows);
    free(g);
}

static void assert_same(sparcl_ctx *ctx, const trained *a, const trained *b, const char *of) {
    for (int i = 0; i < TABLES; ++i) {
        if (!a->tables[i].values) continue;
        const size_t bytes = (size_t)sparcl_buf_bytes(a->tables[i].values);
        void *x = bytes_of(ctx, a->tables[i].values), *y = bytes_of(ctx, b->tables[i].values);
        if (memcmp(x, y, bytes) != 0) fail_msg("%s: table %d differs", of, i);
        free(x);
        free(y);
    }
}

static void drop_trained(trained *t) {
    sparcl_lazy_free(t->optim.lazy.object);
    for (int i = 0; i < TABLES; ++i)
        sparcl_dense_free(&t->tables[i]);
}

static void a_step_has_the_bits_of_a_catch_up_before_it(void **state) {
    sparcl_ctx *ctx = *state;
    static const int64_t widths[] = {5, 64, 16, 1, 130};
    for (size_t k = 0; k < COUNT(optimizers); k += (size_t)test_every())
        for (size_t w = 0; w < COUNT(widths); ++w) {
            trained t[WAYS];
            for (int how = 0; how < WAYS; ++how) {
                t[how] = make_trained(ctx, optimizers[k], widths[w]);
                for (int s = 0; s < STEPS; ++s)
                    step(ctx, &t[how], (way)how, s);
            }
            assert_same(ctx, &t[MARKED], &t[BEFORE], optimizers[k]);
            assert_same(ctx, &t[NOT_MARKED], &t[BEFORE], optimizers[k]);
            for (int how = 0; how < WAYS; ++how) {
                assert_ok(ctx, sparcl_catch_up(ctx, &t[how].optim, &t[how].tables[0],
                                               &t[how].tables[1], NULL));
                assert_same(ctx, &t[how], &t[MARKED], optimizers[k]);
            }
            for (int how = 0; how < WAYS; ++how)
                drop_trained(&t[how]);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_has_the_bits_of_a_catch_up_before_it),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
