/* test_train_memory.c: where the data of a run lie, on the device or on the host, and that its
 * memory is freed. */
#include "source_test.h"
#include "two_layers.h"

static void data_that_stay_on_the_host_give_equal_bits(void **state) {
    for (size_t o = 0; o < COUNT(optimizers); ++o) {
        sparcl_data *data = make_data(LOSS_FOR(o), 4);
        sparcl_train_desc desc = small_run(LOSS_FOR(o), optimizers[o]);
        sparcl_train_result there, here;
        desc.epochs = 2;
        sparcl_model *first = must_train(*state, data, data, &desc, &there);
        desc.device_memory = 1;
        sparcl_model *again = must_train(*state, data, data, &desc, &here);
        assert_true(same_weights(first, again));
        assert_int_equal(there.on_host, 0);
        assert_int_equal(here.on_host, 1);
        assert_true(there.loss == here.loss && there.objective == here.objective);
        sparcl_model_free(again);
        sparcl_model_free(first);
        sparcl_data_free(data);
    }
}

/* The memory of the data of make_data: offsets, entries, targets, and those of a pass with the
 * order of its rows. */
static int64_t bytes_of_data(const sparcl_data *data) {
    return (ROWS + 1) * 8 + sparcl_data_get_info(data)->entries * 8 + ROWS * 16;
}

static void a_full_batch_of_data_that_do_not_fit_is_refused_before_the_first_step(void **state) {
    static const int64_t batches[] = {0, ROWS, 1024};
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD);
    sparcl_train_result result;
    sparcl_error error;
    for (size_t i = 0; i < COUNT(batches); ++i) {
        sparcl_model *model = (sparcl_model *)data;
        desc.batch = batches[i];
        desc.device_memory = bytes_of_data(data) - 1;
        assert_failed(error, sparcl_train(*state, &model, data, NULL, &desc, NULL, &error),
                      SPARCL_E_MEMORY, "a batch of all 97 rows");
        assert_null(model);
        ++desc.device_memory;
        model = must_train(*state, data, NULL, &desc, &result);
        assert_int_equal(result.on_host, 0);
        sparcl_model_free(model);
    }
    sparcl_data_free(data);
}

static int keep_memory(void *user, const sparcl_train_progress *now) {
    sparcl_ctx **ctx = user;
    if (now->epoch == 1) ctx[1] = (sparcl_ctx *)(intptr_t)sparcl_ctx_memory(ctx[0]);
    return now->epoch == 1;
}

/* Device memory held at the end of the first pass. */
static int64_t memory_of_a_run(sparcl_ctx *ctx, const sparcl_data *data, int64_t device_memory) {
    sparcl_ctx *seen[2] = {ctx, NULL};
    sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD);
    sparcl_model *model = NULL;
    desc.device_memory = device_memory;
    desc.progress = keep_memory;
    desc.progress_user = seen;
    assert_int_equal(sparcl_train(ctx, &model, data, data, &desc, NULL, NULL),
                     SPARCL_E_INTERRUPTED);
    return (int64_t)(intptr_t)seen[1];
}

static void training_and_validation_data_share_the_given_memory(void **state) {
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    const int64_t whole = bytes_of_data(data);
    memory_of_a_run(*state, data, 0); /* scratch memory of the first stays */
    const int64_t both = memory_of_a_run(*state, data, 2 * whole);
    const int64_t one = memory_of_a_run(*state, data, 2 * whole - 1);
    assert_int_equal(memory_of_a_run(*state, data, 0), both);
    assert_int_equal(memory_of_a_run(*state, data, whole), one);
    assert_int_not_equal(one, both);
    sparcl_data_free(data);
}

static void memory_is_freed_however_a_run_ends(void **state) {
    sparcl_ctx *ctx = *state;
    sparcl_data *data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    int64_t memory = -1;
    for (int round = 0; round < 2; ++round) { /* scratch memory of the first stays */
        for (int way = 0; way < 5; ++way) {
            watch w = {.stop_at = way == 1 ? 5 : 0, .with_valid = true};
            sparcl_train_desc desc = small_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_MOMENTUM);
            sparcl_model *model = NULL;
            desc.progress = way == 2 ? NULL : look;
            desc.progress_user = &w;
            if (way == 2) desc.optim.lr = 1e30;
            if (way == 3) desc.columns = 3;
            if (way == 4) desc.device_memory = 1;
            const sparcl_status status = sparcl_train(ctx, &model, data, data, &desc, NULL, NULL);
            assert_int_equal(status == SPARCL_OK, way == 0 || way == 4);
            sparcl_model_free(model);
            if (round > 0) assert_int_equal(sparcl_ctx_memory(ctx), memory);
        }
        memory = sparcl_ctx_memory(ctx);
    }
    sparcl_data_free(data);
}

/* --- forecasts ------------------------------------------------------------------------------- */

static void keep_report(void *user, const sparcl_train_memory *memory) {
    sparcl_train_memory *const to = user;
    assert_null(to->graph); /* called once */
    assert_true(sparcl_graph_nodes(memory->graph) > 5);
    *to = *memory;
}

typedef struct usage {
    sparcl_train_memory memory;
    int64_t peak, after;
} usage;

/* The memory of a run in a context of its own, which trains or only counts. */
static usage use_memory(int forecast, const sparcl_data *data, const sparcl_data *valid,
                        sparcl_train_desc desc, bool from_callback) {
    sparcl_ctx_desc about = test_desc();
    usage used = {.peak = 0};
    sparcl_ctx *ctx = NULL;
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    handing h = {.data = data, .seed = desc.seed, .batch = 16};
    const sparcl_batch_source source = source_of(&h, desc.loss);
    about.forecast = forecast;
    desc.memory = keep_report;
    desc.memory_user = &used.memory;
    assert_done(error, sparcl_ctx_open(&ctx, &about, &error));
    assert_done(error, from_callback
                           ? sparcl_train_source(ctx, &model, &source, &desc, NULL, &error)
                           : sparcl_train(ctx, &model, data, valid, &desc, NULL, &error));
    used.peak = sparcl_ctx_peak_memory(ctx);
    used.after = sparcl_ctx_memory(ctx);
    assert_non_null(used.memory.graph);
    used.memory.graph = NULL;
    sparcl_model_free(model);
    sparcl_ctx_close(ctx);
    return used;
}

static void a_forecast_is_the_memory_of_the_run(void **state) {
    const sparcl_architecture own = two_layers();
    (void)state;
    for (size_t way = 0; way < 5 * COUNT(optimizers); ++way) {
        const size_t o = way % COUNT(optimizers), kind = way / COUNT(optimizers);
        sparcl_data *data = make_data(LOSS_FOR(o), 4);
        sparcl_train_desc desc = small_run(LOSS_FOR(o), optimizers[o]);
        if (kind == 1) desc.architecture = &own;
        if (kind == 2) desc.device_memory = 1;
        if (kind == 3) desc.batch = 0;
        const sparcl_data *const valid = o % 2 ? data : NULL;
        const usage plan = use_memory(1, data, valid, desc, kind == 4);
        const usage real = use_memory(0, data, valid, desc, kind == 4);
        assert_memory_equal(&plan, &real, sizeof plan);
        const sparcl_train_memory *const m = &real.memory;
        assert_true(m->parameters >= COLUMNS * 4 && m->values > 0);
        assert_int_equal(m->data > 0, kind != 2 && kind != 4);
        assert_int_equal(m->valid > 0, kind != 2 && kind != 4 && valid != NULL);
        assert_int_equal(m->evaluation > 0, kind != 4);
        assert_int_equal(m->rows, kind == 3 ? ROWS : 16);
        assert_true(m->entries > m->rows && (kind == 3 || m->batches > m->entries * 8));
        assert_true(real.peak >=
                    m->parameters + m->values + m->evaluation + m->data + m->valid + m->batches);
        sparcl_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_that_stay_on_the_host_give_equal_bits),
        cmocka_unit_test(a_full_batch_of_data_that_do_not_fit_is_refused_before_the_first_step),
        cmocka_unit_test(training_and_validation_data_share_the_given_memory),
        cmocka_unit_test(memory_is_freed_however_a_run_ends),
        cmocka_unit_test(a_forecast_is_the_memory_of_the_run),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
