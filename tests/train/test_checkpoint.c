/* test_checkpoint.c: runs that are interrupted and go on have the bits of runs without an
 * interruption; a checkpoint of other settings or data is refused. */
#include <sys/stat.h>

#include "checkpoint_test.h"

#define COSINE                                                                                     \
    { .kind = SPARCL_SCHEDULE_COSINE, .warmup = 9, .end = 0.1 }

/* Each way in which a run has a state. */
static const kind kinds[] = {
    {"sgd:lr=0.3", NULL, NULL, SPARCL_LOSS_LOGISTIC, 0.05, 0, {0}},
    {"momentum:lr=0.1", NULL, NULL, SPARCL_LOSS_SOFTMAX, 0.05, 0, {0}},
    {"adam:lr=0.03", NULL, NULL, SPARCL_LOSS_SQUARED, 0, 2, {0}},
    {"adam:lr=0.03,moves=exact", NULL, NULL, SPARCL_LOSS_LOGISTIC, 0, 0, {0}},
    {"adam:lr=0.03,moves=exact", "mlp:hidden=5,dropout=0.4", NULL, SPARCL_LOSS_SOFTMAX, 0, 1, {0}},
    {"sgd:lr=0.1",
     "fm:factors=3,init=0.1",
     "factors=adagrad:lr=0.1;weight=ftrl:lr=0.1;bias=nadam",
     SPARCL_LOSS_LOGISTIC,
     0,
     0,
     {0}},
    {"adam:lr=0.01", "autoencoder:units=9,k=3", NULL, SPARCL_LOSS_SQUARED, 0, 0, COSINE},
    {"sgd:lr=0.3", NULL, NULL, SPARCL_LOSS_LOGISTIC, 0.05, 0, COSINE},
    {"adam:lr=0.03,moves=exact", NULL, NULL, SPARCL_LOSS_LOGISTIC, 0, 0, COSINE},
};

static void a_run_in_parts_has_the_bits_of_one(void **state) {
    static const int64_t parts[] = {1, 5, 7, 13}; /* 7 steps are a pass */
    sparcl_ctx *ctx = *state;
    for (size_t k = 0; k < COUNT(kinds); ++k) {
        prepared p = {0};
        stopper whole = {0}, s;
        sparcl_train_result expected, found;
        prepare(&p, &kinds[k]);
        p.desc.progress = stop;
        p.desc.progress_user = &whole;
        sparcl_model *const one = must_train(ctx, p.data, p.valid, &p.desc, &expected);
        for (size_t i = 0; i < COUNT(parts); ++i) {
            remove_files();
            sparcl_model *const other = train_in_parts(ctx, &p, parts[i], &s, &found);
            assert_same_models(one, other, kinds[k].optimizer);
            assert_true(found.loss == expected.loss && found.objective == expected.objective);
            assert_int_equal(found.epochs, expected.epochs);
            assert_int_equal(found.steps, expected.steps);
            assert_int_equal(found.best_epoch, expected.best_epoch);
            /* All passes are reported to the last part. */
            assert_int_equal(s.last.epoch, whole.last.epoch);
            assert_int_equal(s.last.rows, whole.last.rows);
            assert_true(s.earlier > 0 && s.last.seconds > 0 && found.seconds_per_pass > 0);
            for (int64_t e = 1; e <= whole.last.epoch; ++e)
                assert_true(s.loss[e] == whole.loss[e] && s.valid_loss[e] == whole.valid_loss[e]);
            sparcl_model_free(other);
        }
        sparcl_model_free(one);
        release(&p);
    }
}

/* A run that was ended at any step, as by a power cut: the last checkpoint is some steps older. */
static void checkpoints_are_written_when_due(void **state) {
    sparcl_ctx *ctx = *state;
    prepared p = {0};
    sparcl_checkpoint_info info;
    sparcl_error error = {0};
    stopper s = {0};
    prepare(&p, &kinds[0]);
    remove_files();
    p.desc.checkpoint = path;
    p.desc.checkpoint_steps = 10;
    p.desc.progress = stop;
    p.desc.progress_user = &s;
    sparcl_model *const one = must_train(ctx, p.data, p.valid, &p.desc, NULL);
    assert_int_equal(s.last.checkpoint_step, 40);
    assert_null(s.last.checkpoint_error);
    assert_done(error, sparcl_checkpoint_find(path, &info, &error));
    assert_int_equal(info.exists, 1);
    assert_int_equal(info.is_previous, 0);
    assert_int_equal(info.step, 40);
    assert_int_equal(info.epoch, 5);
    unlink(path);
    assert_done(error, sparcl_checkpoint_find(path, &info, &error));
    assert_int_equal(info.is_previous, 1);
    assert_int_equal(info.step, 30);
    p.desc.resume = 1;
    sparcl_train_result result;
    sparcl_model *const other = must_train(ctx, p.data, p.valid, &p.desc, &result);
    assert_int_equal(result.resumed_step, 30);
    assert_same_models(one, other, "from the previous one");
    remove_files();
    p.desc.checkpoint_steps = 0;
    p.desc.checkpoint_seconds = 1e-9;
    sparcl_model *const timed = must_train(ctx, p.data, p.valid, &p.desc, NULL);
    assert_done(error, sparcl_checkpoint_find(path, &info, &error));
    assert_int_equal(info.step, 42);
    sparcl_model_free(one);
    sparcl_model_free(other);
    sparcl_model_free(timed);
    release(&p);
}

static void a_run_can_have_more_passes_than_before(void **state) {
    sparcl_ctx *ctx = *state;
    prepared p = {0};
    sparcl_error error = {0};
    prepare(&p, &kinds[3]);
    sparcl_model *const one = must_train(ctx, p.data, NULL, &p.desc, NULL);
    remove_files();
    p.desc.epochs = 4;
    p.desc.checkpoint = path;
    p.desc.checkpoint_steps = 7;
    p.desc.resume = 1;
    sparcl_model_free(must_train(ctx, p.data, NULL, &p.desc, NULL));
    p.desc.epochs = 6;
    p.desc.device_memory = 1; /* the data stay on the host now */
    sparcl_train_result result;
    sparcl_model *const other = must_train(ctx, p.data, NULL, &p.desc, &result);
    assert_int_equal(result.resumed_step, 28);
    assert_int_equal(result.on_host, 1);
    assert_same_models(one, other, "more passes");
    p.desc.epochs = 5;
    sparcl_model *none = NULL;
    assert_failed(error, sparcl_train(ctx, &none, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "after step 42, the run has only 35, in 5 passes");
    p.desc.epochs = 6;
    p.desc.checkpoint_steps = 5;
    p.desc.overwrite = 1;
    p.desc.resume = 0;
    sparcl_model_free(must_train(ctx, p.data, NULL, &p.desc, NULL));
    p.desc.epochs = 5;
    p.desc.overwrite = 0;
    p.desc.resume = 1;
    assert_failed(error, sparcl_train(ctx, &none, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "after step 40, the run has only 35, in 5 passes");
    sparcl_model_free(one);
    sparcl_model_free(other);
    release(&p);
}

static void other_settings_and_data_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    prepare(&p, &kinds[0]);
    remove_files();
    p.desc.checkpoint = path;
    p.desc.checkpoint_steps = 10;
    p.desc.resume = 1;
    p.desc.clip_global_norm = 0.25;
    sparcl_model_free(must_train(ctx, p.data, p.valid, &p.desc, NULL));
    static const char *const parts[] = {"expected seed \"13\", found \"12\"",
                                        "expected optimizer \"sgd:lr=0.2\", found \"sgd:lr=0.3\"",
                                        "expected l2 \"0\", found \"0.05",
                                        "expected bias \"0\", found \"1\"",
                                        "expected batch \"15\", found \"16\"",
                                        "expected patience \"1\", found \"0\"",
                                        "expected columns \"30\", found \"23\"",
                                        "expected clip_global_norm \"0\", found \"0.25\"",
                                        "expected validation_data \"none\", found \"",
                                        "expected data \""};
    for (size_t i = 0; i < COUNT(parts); ++i) {
        sparcl_train_desc desc = p.desc;
        if (i == 0) desc.seed = 13;
        if (i == 1) desc.optim.lr = 0.2;
        if (i == 2) desc.l2 = 0;
        if (i == 3) desc.no_bias = 1;
        if (i == 4) desc.batch = 15;
        if (i == 5) desc.patience = 1;
        if (i == 6) desc.columns = 30;
        if (i == 7) desc.clip_global_norm = 0;
        assert_failed(error,
                      sparcl_train(ctx, &model, i == 9 ? p.valid : p.data, i == 8 ? NULL : p.valid,
                                   &desc, NULL, &error),
                      SPARCL_E_ARG, parts[i]);
        assert_non_null(strstr(error.message, path));
        assert_null(model);
    }
    release(&p);
}

static void wrong_descriptions_are_refused(void **state) {
    sparcl_ctx *ctx = *state;
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    prepare(&p, &kinds[0]);
    static const char *const parts[] = {"checkpoint is NULL",    "checkpoint is NULL",
                                        "checkpoint is NULL",    "checkpoint_steps is -1",
                                        "checkpoint_seconds is", "resume and overwrite are set"};
    for (size_t i = 0; i < COUNT(parts); ++i) {
        sparcl_train_desc desc = p.desc;
        if (i == 0) desc.resume = 1;
        if (i == 1) desc.checkpoint_steps = 3;
        if (i == 2) desc.overwrite = 1;
        if (i == 3) desc.checkpoint_steps = -1;
        if (i == 4) desc.checkpoint_seconds = NAN;
        if (i == 5) desc.checkpoint = path, desc.resume = desc.overwrite = 1;
        assert_failed(error, sparcl_train(ctx, &model, p.data, NULL, &desc, NULL, &error),
                      SPARCL_E_ARG, parts[i]);
    }
    release(&p);
}

/* Of another run, perhaps of hours: the file, the one before it, and what is no checkpoint. */
static void one_that_is_there_is_not_replaced_unasked(void **state) {
    sparcl_ctx *ctx = *state;
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    prepare(&p, &kinds[0]);
    remove_files();
    p.desc.checkpoint = path;
    p.desc.checkpoint_steps = 10;
    sparcl_model_free(must_train(ctx, p.data, NULL, &p.desc, NULL));
    assert_failed(error, sparcl_train(ctx, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "found one of step 40; set resume to go on with it, or overwrite");
    assert_non_null(strstr(error.message, path));
    unlink(path);
    assert_failed(error, sparcl_train(ctx, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "run.previous: expected no checkpoint there, found one of step 30");
    p.desc.checkpoint = folder;
    assert_failed(error, sparcl_train(ctx, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_IO, folder);
    p.desc.checkpoint = path;
    FILE *const file = fopen(path, "w");
    assert_true(file && fputs("rows of somebody", file) >= 0 && fclose(file) == 0);
    unlink(previous);
    assert_failed(error, sparcl_train(ctx, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_FORMAT, "use another file, or set overwrite to begin again");
    assert_null(model);
    p.desc.overwrite = 1;
    sparcl_model_free(must_train(ctx, p.data, NULL, &p.desc, NULL));
    release(&p);
}

static char missing_folder[80], missing[96];

/* As stop, but the folder of the checkpoint is gone after the first step. */
static int lose_folder(void *user, const sparcl_train_progress *now) {
    (void)rmdir(missing_folder);
    return stop(user, now);
}

static void a_file_that_can_no_longer_be_written_ends_only_an_interrupted_run(void **state) {
    sparcl_ctx *ctx = *state;
    prepared p = {0};
    sparcl_model *model = NULL;
    sparcl_error error = {0};
    stopper s = {0};
    prepare(&p, &kinds[0]);
    snprintf(missing_folder, sizeof missing_folder, "%s/missing", folder);
    snprintf(missing, sizeof missing, "%s/run", missing_folder);
    p.desc.checkpoint = missing;
    p.desc.checkpoint_steps = 10;
    p.desc.progress = lose_folder;
    p.desc.progress_user = &s;
    assert_failed(error, sparcl_train(ctx, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_IO, "No such file or directory");
    assert_int_equal(s.last.step, 0); /* before the work */
    assert_int_equal(mkdir(missing_folder, 0700), 0);
    model = must_train(ctx, p.data, NULL, &p.desc, NULL);
    assert_non_null(s.last.checkpoint_error);
    assert_int_equal(s.last.checkpoint_step, 0);
    sparcl_model_free(model);
    s = (stopper){.stop_after = 3};
    assert_int_equal(mkdir(missing_folder, 0700), 0);
    assert_failed(error, sparcl_train(ctx, &model, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_IO, "No such file or directory");
    assert_int_equal(s.last.step, 3);
    assert_null(model);
    release(&p);
}

/* --- batches of a callback -------------------------------------------------------------------- */

typedef struct asked {
    int64_t epoch, step, calls;
} asked;

static sparcl_status give(void *user, int64_t epoch, int64_t step, sparcl_batch *batch) {
    static const int64_t offsets[] = {0, 2, 3};
    static const int32_t indices[] = {0, 2, 1};
    static float values[3];
    static const double labels[] = {-1, 1};
    asked *const a = user;
    if (a->calls++ == 0) a->epoch = epoch, a->step = step;
    for (int i = 0; i < 3; ++i)
        values[i] = (float)(1 + (epoch + 2 * step + i) % 5);
    *batch = (sparcl_batch){.rows = 2,
                            .index_type = SPARCL_INDEX32,
                            .offsets = offsets,
                            .indices = indices,
                            .values = values,
                            .labels = labels};
    return SPARCL_OK;
}

static void a_callback_is_asked_for_the_rest(void **state) {
    static const double labels[] = {-1, 1};
    sparcl_ctx *ctx = *state;
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM);
    asked a = {0};
    stopper s = {.stop_after = 6};
    sparcl_model *one = NULL, *other = NULL;
    sparcl_train_result expected, found;
    sparcl_error error = {0};
    const sparcl_batch_source source = {
        .next = give, .user = &a, .columns = 3, .steps = 4, .labels = labels, .classes = 2};
    desc.epochs = 3;
    assert_done(error, sparcl_train_source(ctx, &one, &source, &desc, &expected, &error));
    remove_files();
    desc.checkpoint = path;
    desc.resume = 1;
    desc.progress = stop;
    desc.progress_user = &s;
    assert_int_equal(sparcl_train_source(ctx, &other, &source, &desc, NULL, &error),
                     SPARCL_E_INTERRUPTED);
    a = (asked){0};
    s = (stopper){0};
    assert_done(error, sparcl_train_source(ctx, &other, &source, &desc, &found, &error));
    assert_int_equal(a.epoch, 1);
    assert_int_equal(a.step, 2);
    assert_int_equal(a.calls, 6);
    assert_true(found.loss == expected.loss);
    assert_same_models(one, other, "callback");
    sparcl_model_free(one);
    sparcl_model_free(other);
}

/* --- the nodes of a graph --------------------------------------------------------------------- */

static void nodes_of_a_graph_go_on_too(void **state) {
    static const int64_t train[] = {1, 5, 9, 20, 33, 60, 61}, valid[] = {2, 40};
    sparcl_ctx *ctx = *state;
    prepared p = {0};
    stopper s = {.stop_after = 3};
    sparcl_model *other = NULL;
    sparcl_error error = {0};
    sparcl_train_result expected, found;
    prepare(
        &p,
        &(kind){"adam:lr=0.01", "gcn:hidden=5,dropout=0.5", NULL, SPARCL_LOSS_LOGISTIC, 0, 4, {0}});
    sparcl_data *const edges = make_edges();
    sparcl_train_nodes nodes = {edges, train, COUNT(train), valid, COUNT(valid)};
    p.desc.nodes = &nodes;
    sparcl_model *const one = must_train(ctx, p.data, NULL, &p.desc, &expected);
    remove_files();
    p.desc.checkpoint = path;
    p.desc.resume = 1;
    p.desc.progress = stop;
    p.desc.progress_user = &s;
    assert_int_equal(sparcl_train(ctx, &other, p.data, NULL, &p.desc, NULL, &error),
                     SPARCL_E_INTERRUPTED);
    s = (stopper){0};
    --nodes.train_count;
    assert_failed(error, sparcl_train(ctx, &other, p.data, NULL, &p.desc, NULL, &error),
                  SPARCL_E_ARG, "expected nodes \"");
    ++nodes.train_count;
    other = must_train(ctx, p.data, NULL, &p.desc, &found);
    assert_int_equal(found.resumed_step, 3);
    assert_true(found.loss == expected.loss);
    assert_same_models(one, other, "nodes");
    sparcl_model_free(one);
    sparcl_model_free(other);
    sparcl_data_free(edges);
    release(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_in_parts_has_the_bits_of_one),
        cmocka_unit_test(checkpoints_are_written_when_due),
        cmocka_unit_test(a_run_can_have_more_passes_than_before),
        cmocka_unit_test(other_settings_and_data_are_refused),
        cmocka_unit_test(wrong_descriptions_are_refused),
        cmocka_unit_test(one_that_is_there_is_not_replaced_unasked),
        cmocka_unit_test(a_file_that_can_no_longer_be_written_ends_only_an_interrupted_run),
        cmocka_unit_test(a_callback_is_asked_for_the_rest),
        cmocka_unit_test(nodes_of_a_graph_go_on_too),
    };
    return run_checkpoint_tests(tests, COUNT(tests));
}
