/* test_train_launches.c: the launches of a training step with the kernels for GPUs, where each
 * costs microseconds. */
#include "model_gradient_test.h"
#include "sparcl/profile.h"

typedef struct bound {
    const char *model;
    sparcl_loss loss;
    sparcl_rule rule;
    double most;
} bound;

/* Launches do not depend on the rows of a batch, as long as no column has more entries than a
 * block. */
static const bound bounds[] = {
    {"linear", SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD, 10},
    {"fm:factors=16", SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD, 18},
    {"mlp:hidden=64-32", SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM, 21},
    {"wide-deep:hidden=64-32", SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAM, 26},
};

/* Of data with fields. */
static const bound with_fields = {"ffm:factors=4", SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD, 17};

/* Batches of 1024 pairs, whose nodes are sorted in several launches. */
static const bound rankings[] = {
    {"bpr:factors=32", SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD, 22},
    {"lightgcn:factors=32,layers=3", SPARCL_LOSS_LOGISTIC, SPARCL_RULE_SGD, 53},
};

/* Four batches of 128 rows, whose codes have 2048 entries. */
static const bound codes = {"autoencoder:units=32,k=16", SPARCL_LOSS_SQUARED, SPARCL_RULE_ADAGRAD,
                            28};

typedef struct counts {
    sparcl_ctx *ctx;
    int64_t launches[4]; /* the last that was seen with each number of complete passes */
} counts;

static int count(void *user, const sparcl_train_progress *now) {
    counts *const c = user;
    c->launches[now->epoch] = sparcl_ctx_launches(c->ctx);
    return 0;
}

/* From the last step but one of the second pass to that of the third, for each of `steps`. */
static double launches_per_step(sparcl_ctx *ctx, const sparcl_data *data, const bound *b,
                                int64_t batch, int64_t steps) {
    const sparcl_architecture *const a = must_parse(b->model);
    counts c = {.ctx = ctx};
    sparcl_train_desc desc = default_run(b->loss, b->rule);
    sparcl_train_result result;
    desc.architecture = a;
    desc.epochs = 3;
    desc.batch = batch;
    desc.progress = count;
    desc.progress_user = &c;
    sparcl_model_free(must_train(ctx, data, NULL, &desc, &result));
    sparcl_architecture_free(a);
    return (double)(c.launches[2] - c.launches[1]) / (double)steps;
}

static void check_bound(sparcl_ctx *ctx, const sparcl_data *data, const bound *b, int64_t batch,
                        int64_t steps) {
    const double found = launches_per_step(ctx, data, b, batch, steps);
    if (found > b->most)
        fail_msg("%s: %g launches a step, expected at most %g", b->model, found, b->most);
    assert_true(found > 3);
}

static void a_step_takes_few_launches(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    (void)state;
    for (size_t i = 0; ctx && i < COUNT(bounds); ++i)
        check_bound(ctx, data, &bounds[i], 8, (ROWS + 7) / 8);
    sparcl_data_free(data);
    sparcl_ctx_close(ctx);
}

/* The same entries, each with one of three fields. */
static sparcl_data *make_fields(const sparcl_data *of) {
    const int64_t entries = sparcl_data_get_info(of)->entries;
    int32_t *const fields = must_have(calloc((size_t)entries, sizeof *fields));
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    for (int64_t k = 0; k < entries; ++k)
        fields[k] = (int32_t)(index_of(of, k) % 3);
    const sparcl_data_arrays arrays = {.rows = ROWS,
                                       .columns = COLUMNS,
                                       .offsets = sparcl_data_offsets(of),
                                       .index_type = sparcl_data_index_type(of),
                                       .indices = sparcl_data_indices(of),
                                       .values = sparcl_data_values(of),
                                       .labels = sparcl_data_labels(of),
                                       .fields = fields};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    free(fields);
    return data;
}

static void a_step_with_fields_takes_few_launches(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    sparcl_data *const without = make_data(SPARCL_LOSS_LOGISTIC, 4);
    sparcl_data *const data = make_fields(without);
    (void)state;
    if (ctx) check_bound(ctx, data, &with_fields, 8, (ROWS + 7) / 8);
    sparcl_data_free(data);
    sparcl_data_free(without);
    sparcl_ctx_close(ctx);
}

static int64_t waits_of(sparcl_ctx *ctx, const sparcl_data *data, int64_t batch, int64_t epochs) {
    const int64_t before = sparcl_ctx_waits(ctx);
    const sparcl_architecture *const a = must_parse("linear");
    sparcl_train_desc desc = default_run(SPARCL_LOSS_LOGISTIC, SPARCL_RULE_ADAGRAD);
    sparcl_train_result result;
    desc.architecture = a;
    desc.epochs = epochs;
    desc.batch = batch;
    sparcl_model_free(must_train(ctx, data, NULL, &desc, &result));
    sparcl_architecture_free(a);
    return sparcl_ctx_waits(ctx) - before;
}

/* The host waits for the loss of a pass, and where it writes the order of the rows; not for steps.
 */
static void a_pass_has_few_waits(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    sparcl_data *const data = make_data(SPARCL_LOSS_LOGISTIC, 4);
    (void)state;
    const int64_t most = 6, few = waits_of(ctx, data, 8, 40) - waits_of(ctx, data, 8, 39);
    const int64_t many = waits_of(ctx, data, 1, 40) - waits_of(ctx, data, 1, 39);
    if (many != few || few > most)
        fail_msg("a pass waits %lld times, with eight times as many steps %lld times; expected the "
                 "same, at most %lld",
                 (long long)few, (long long)many, (long long)most);
    sparcl_data_free(data);
    sparcl_ctx_close(ctx);
}

/* Eight items of each user. */
static sparcl_data *make_pairs(void) {
    enum { USERS = 512, ITEMS = 40, EACH = 8 };
    static int64_t offsets[USERS + 1];
    static int32_t indices[USERS * EACH];
    static float values[USERS * EACH];
    for (int u = 0; u < USERS; ++u) {
        offsets[u + 1] = offsets[u] + EACH;
        for (int i = 0; i < EACH; ++i) {
            values[u * EACH + i] = 1;
            indices[u * EACH + i] = (int32_t)(i * (ITEMS / EACH) + u % (ITEMS / EACH));
        }
    }
    const sparcl_data_arrays arrays = {.rows = USERS,
                                       .columns = ITEMS,
                                       .offsets = offsets,
                                       .index_type = SPARCL_INDEX32,
                                       .indices = indices,
                                       .values = values};
    sparcl_data *data = NULL;
    sparcl_error error = {0};
    assert_done(error, sparcl_data_create(&data, &arrays, &error));
    return data;
}

static void a_step_of_pairs_or_codes_takes_few_launches(void **state) {
    sparcl_ctx *const ctx = open_class(SPARCL_CLASS_GPU);
    sparcl_data *const data = make_pairs();
    (void)state;
    for (size_t i = 0; ctx && i < COUNT(rankings); ++i)
        check_bound(ctx, data, &rankings[i], 1024, 4);
    if (ctx) check_bound(ctx, data, &codes, 128, 4);
    sparcl_data_free(data);
    sparcl_ctx_close(ctx);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_takes_few_launches),
        cmocka_unit_test(a_step_with_fields_takes_few_launches),
        cmocka_unit_test(a_pass_has_few_waits),
        cmocka_unit_test(a_step_of_pairs_or_codes_takes_few_launches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
